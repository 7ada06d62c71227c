"""Defects put into the product on purpose: the audit notices them.

Each mutation replaces one thing of the product by its name; only the proof that it concerns runs. The names stand in
one table, `MUTATIONS`, so that they can follow the product.
"""

from collections.abc import Callable
from time import monotonic
from typing import Any, NamedTuple

import pytest

from gama.evals.audit import at_rest, crossing, proofs
from gama.evals.audit import gateway as gateway_part
from gama.evals.audit.egress import EgressAudit, answer_with_placeholders
from gama.evals.audit.report import Report
from gama.evals.audit.run import Audit
from gama.evals.audit.search import Channels
from gama.evals.audit.servers import ModelServer
from gama.serve.commands.audit import running
from gama.state.errors import LeakError
from gama.tools.placeholders.remapping import remap_text

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

Surroundings = tuple[Report, ModelServer, Any]
Mutant = Callable[[Any], Any]
"""Makes the defect of what stood there."""


def nothing(_: Any) -> Any:
    """Return a function that does nothing."""
    return lambda *args, **kwargs: None


def giving(value: Any) -> Mutant:
    """Return a mutant that gives a value whatever it is asked."""
    return lambda _: lambda *args, **kwargs: value


def airlock(report: Report, server: ModelServer, home: Any) -> None:
    crossing.dirty_fields(report)


def wire(report: Report, server: ModelServer, home: Any) -> None:
    proofs.fail_closed(report, Channels(), server, texts=4)


def channels(report: Report, server: ModelServer, home: Any) -> None:
    EgressAudit(report, Channels(), home, server).run(monotonic(), least=2, most=2)


def rest(report: Report, server: ModelServer, home: Any) -> None:
    at_rest.at_rest(report, server, home)


def erasure(report: Report, server: ModelServer, home: Any) -> None:
    proofs.erasure(report, server, home, count=2)


def round_trips(report: Report, server: ModelServer, home: Any) -> None:
    proofs.round_trips(report, monotonic(), least=3)


def isolation(report: Report, server: ModelServer, home: Any) -> None:
    proofs.isolation(report, Channels(), server, monotonic(), most=16)


def bounds(report: Report, server: ModelServer, home: Any) -> None:
    proofs.bounds(report, server)


def degradation(report: Report, server: ModelServer, home: Any) -> None:
    proofs.degradation(report, server)


def _audit(report: Report, server: ModelServer, home: Any) -> Audit:
    audit = Audit(home, server, 60.0, lambda line: None)
    audit.report = report
    return audit


def gateway(report: Report, server: ModelServer, home: Any) -> None:
    gateway_part.gateway(running, _audit(report, server, home))


def streams(report: Report, server: ModelServer, home: Any) -> None:
    gateway_part.streams(running, _audit(report, server, home), step=9)


class Mutation(NamedTuple):
    """A defect."""

    what: str
    proof: Callable[[Report, ModelServer, Any], None]
    promise: int
    changes: dict[str, Mutant]
    """By name, what takes the place of what stood there."""


def _without_second_question(plain: Any) -> Any:
    return lambda *, left_in, **fields: plain(left_in=lambda text: 0, **fields)


def _one_box(plain: Any) -> Any:
    first: list[Any] = []

    def mixed(text: Any, box: Any, *args: Any, **kwargs: Any) -> Any:
        first.append(box)
        return plain(text, first[0], *args, **kwargs)

    return mixed


def _quoting(plain: Any) -> Any:
    def check(self: Any, payload: Any, *args: Any, **kwargs: Any) -> None:
        try:
            plain(self, payload, *args, **kwargs)
        except LeakError:
            raise LeakError(f"stopped: {payload!r}") from None

    return check


def _without_guard(plain: Any) -> Any:
    from gama.guard.egress import EGRESS

    return lambda payload: plain(payload) if EGRESS.get() is not None else None


def _body_only(plain: Any) -> Any:
    return lambda request, body: iter([body] if body else [])


def _without_headers(plain: Any) -> Any:
    return lambda request, body: (part for number, part in enumerate(plain(request, body)) if number != 1)


def _without_address(plain: Any) -> Any:
    return lambda request, body: (part for number, part in enumerate(plain(request, body)) if number != 0)


def _in_clear(plain: Any) -> Any:
    return lambda self, cipher, value, place: b"\0".join(
        (part if isinstance(part, bytes) else part.encode()) for part in self.serde.dumps_typed(value)
    )


def _read_clear(plain: Any) -> Any:
    def load(self: Any, cipher: Any, value: Any, place: str) -> Any:
        kind, _, data = value.partition(b"\0")
        return self.serde.loads_typed((kind.decode(), data))

    return load


def _chunk_by_chunk(plain: Any) -> Any:
    return lambda self, chunks, box, *args, **kwargs: (self.restore(chunk, box).text for chunk in chunks)


def _event_by_event(plain: Any) -> Any:
    class Restorer(plain):  # type: ignore[misc]
        def feed(self, piece: str) -> str:
            return remap_text(piece, self._remapper._box).text

    return Restorer


def _to_the_end(plain: Any) -> Any:
    return lambda self, text, start=0: len(text)


def _guessing(plain: Any) -> Any:
    def restore(self: Any, text: Any, box: Any, *args: Any, **kwargs: Any) -> Any:
        entries = [entry for entry in box.entries if entry.kind != "literal"]
        return plain(self, text.replace("<name-98765>", entries[0].placeholder), box, *args, **kwargs)

    return restore


def _talkative(plain: Any) -> Any:
    import logging

    def add(self: Any, surface: str, *args: Any, **kwargs: Any) -> Any:
        logging.getLogger("talkative").warning("%s", surface)
        return plain(self, surface, *args, **kwargs)

    return add


def _same_key(plain: Any) -> Any:
    return lambda self, thread, **kwargs: b"k" * 32


def _without_place(plain: Any) -> Any:
    return lambda key, value, context: plain(key, value, "")


GUARD, TRANSPORTS, SAVER = (
    "gama.guard.search.Guard",
    "gama.guard.transports",
    "gama.vault.encrypted_saver.EncryptedSaver",
)
MUTATIONS = (
    Mutation("the airlock does not look at the text", airlock, 5, {f"{GUARD}.check_text": nothing, f"{GUARD}.check": nothing}),
    Mutation("the airlock does not look at the rest", airlock, 5, {f"{GUARD}.check": nothing}),
    Mutation("the airlock does not ask the detector again", airlock, 5,
             {"gama.nodes.airlock.build_public_task": _without_second_question}),
    Mutation("egress lets everything pass", wire, 5, {f"{TRANSPORTS}.check_egress": nothing}),
    Mutation("without a guard everything passes", wire, 5, {f"{TRANSPORTS}.check_egress": _without_guard}),
    Mutation("only bodies are looked at", wire, 5, {f"{TRANSPORTS}._parts": _body_only}),
    Mutation("headers are not looked at", wire, 5, {f"{TRANSPORTS}._parts": _without_headers}),
    Mutation("addresses are not looked at", wire, 5, {f"{TRANSPORTS}._parts": _without_address}),
    Mutation("the guard undoes no escapes", wire, 5, {"gama.guard.search.decoded": giving(())}),
    Mutation("the guard reads no base64", wire, 5,
             {"gama.guard.decoding.encoded": giving(("", "")), "gama.guard.decoding.packed": giving(("", ""))}),
    Mutation("the guard reads no separated base64", wire, 5, {"gama.guard.decoding.packed": giving(("", ""))}),
    Mutation("invisible letters count", wire, 5, {"gama.guard.folding.IGNORABLE": lambda _: frozenset()}),
    Mutation("errors quote what they stop", wire, 1, {f"{GUARD}.check": _quoting}),
    Mutation("boxes are logged", channels, 1, {"gama.state.box.Bijection.add": _talkative}),
    Mutation("the saver writes in clear", rest, 9, {f"{SAVER}._dump": _in_clear, f"{SAVER}._load": _read_clear}),
    Mutation("seals without associated data", rest, 9,
             {"gama.vault.cipher.encrypt": _without_place, "gama.vault.cipher.decrypt": _without_place}),
    Mutation("one key for all, bound to nothing", rest, 9,
             {"gama.vault.keys.threads.ThreadKeys.key": _same_key, "gama.vault.cipher.encrypt": _without_place,
              "gama.vault.cipher.decrypt": _without_place}),
    Mutation("sealing leaves all as it is", rest, 9,
             {"gama.vault.cipher.encrypt": lambda _: lambda key, value, context: value,
              "gama.vault.cipher.decrypt": lambda _: lambda key, ct, context: ct}),
    Mutation("forget keeps the key", erasure, 6,
             {"gama.vault.seal.Vault.destroy": giving([]), "gama.vault.seal.Vault.remove": nothing}),
    Mutation("forget keeps the rows", erasure, 6, {"gama.vault.encrypted_saver.LocalSaver.delete_thread": nothing}),
    Mutation("one key for every conversation", erasure, 6, {"gama.vault.keys.threads.ThreadKeys.key": _same_key}),
    Mutation("a box of another thread restores", isolation, 4, {"gama.privacy.box.remap_text": _one_box}),
    Mutation("unknown placeholders are guessed", round_trips, 3, {"gama.privacy.anonymizer.Anonymizer.restore": _guessing}),
    Mutation("placeholders cut by a stream stay", round_trips, 2,
             {"gama.privacy.anonymizer.Anonymizer.restore_stream": _chunk_by_chunk}),
    Mutation("placeholders cut by events stay", streams, 2,
             {"gama.serve.gateway.restoring.StreamRestorer": _event_by_event}),
    Mutation("surrogates cut by events stay", streams, 2,
             {"gama.tools.placeholders.surrogates.Surrogates.open_at": _to_the_end}),
    Mutation("what was held back of a stream is dropped", streams, 2,
             {"gama.serve.gateway.restoring.Restorer.close": giving("")}),
    Mutation("texts of any length are read", bounds, 7,
             {"gama.graph.client.check_question": nothing, "gama.nodes.private.engine_steps.check_question": nothing}),
    Mutation("nobody says that an expert failed", degradation, 8, {"gama.nodes.private.restore._notes": giving([])}),
)  # fmt: skip


def put_in(monkeypatch: pytest.MonkeyPatch, name: str, mutant: Mutant) -> None:
    """Replace what a dotted name stands for."""
    from importlib import import_module

    parts = name.split(".")
    at = max(place for place in range(1, len(parts)) if _is_module(".".join(parts[:place])))
    holder: Any = import_module(".".join(parts[:at]))
    for part in parts[at:-1]:
        holder = getattr(holder, part)
    monkeypatch.setattr(holder, parts[-1], mutant(getattr(holder, parts[-1])))


def _is_module(name: str) -> bool:
    from importlib.util import find_spec

    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


@pytest.fixture
def folded_anew():
    """Tables of folding are filled as characters come up: a mutation must not find them, nor leave its own."""
    from gama.guard import folding

    tables = (folding._FOLD, folding._LEVELED, folding._RUNS)
    kept = [dict(table) for table in tables]
    for table in tables:
        table.clear()
    folding._FOLD[ord(folding.BLANK)] = folding.BLANK
    yield
    for table, before in zip(tables, kept, strict=True):
        table.clear()
        table.update(before)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=[mutation.what for mutation in MUTATIONS])
def test_the_audit_notices(mutation, monkeypatch, home, folded_anew):
    report = Report()
    for name, mutant in mutation.changes.items():
        put_in(monkeypatch, name, mutant)
    home.mkdir(exist_ok=True)
    with ModelServer(answer_with_placeholders) as server:
        try:
            mutation.proof(report, server, home)
        except Exception as error:
            # A part that cannot be finished is told as such; the audit has not held.
            report.failures.append(type(error).__name__)
    assert not report.held
    assert report.promise(mutation.promise).broken or report.failures, "noticed by no check of its promise"


@pytest.mark.parametrize("proof", [airlock, wire, rest, gateway, streams])
def test_without_a_defect_nothing_is_noticed(proof, home, folded_anew):
    report = Report()
    home.mkdir(exist_ok=True)
    with ModelServer(answer_with_placeholders) as server:
        proof(report, server, home)
    assert not report.broken and not report.failures, report.as_json()
