"""`gama audit`: the proof of the promises, part by part, on the user's own machine."""

import os
import shutil
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from gama.evals.audit import at_rest, child, context, crash, crossing, proofs
from gama.evals.audit.egress import WAYS, EgressAudit, answer_with_placeholders, channel_results
from gama.evals.audit.hostile import Attacks
from gama.evals.audit.report import Report, versions
from gama.evals.audit.search import Channels
from gama.evals.audit.servers import ModelServer
from gama.evals.audit.store import check_empty
from gama.graph.client import Gama
from gama.state.options import Options

SECONDS = 120.0
"""How long an audit takes, about."""
Progress = Callable[[str], None]


class Audit:
    """An audit under way: what its parts share.

    Args:
        folder: an empty folder for keys, checkpoints and traces.
        server: stands in for the public model.
        seconds: how long it may take, about. Parts that must be whole run longer on a slow machine.
        progress: told of each part as it begins and ends.
    """

    def __init__(self, folder: Path, server: ModelServer, seconds: float, progress: Progress) -> None:
        """Set it up."""
        self.report, self.channels = Report(), Channels()
        self.folder, self.server, self.seconds = folder, server, seconds
        self.harmless: list[bytes] = []
        """Requests with nothing private in them."""
        self._progress, self._began = progress, monotonic()

    def until(self, share: float, least: float = 0.0) -> float:
        """Return the moment at which a part ends that may take a share of the time that is left.

        Args:
            share: of what is left.
            least: share of the whole that it may take however late it is.
        """
        now = monotonic()
        return now + max(share * (self._began + self.seconds - now), least * self.seconds)

    def part(self, name: str, step: Callable[[], None]) -> None:
        """Carry out a part; one that breaks down is a failure of the audit, which goes on."""
        self._progress(f"{monotonic() - self._began:5.0f} s  {name} …")
        checks, broken = self.report.checks, self.report.broken
        try:
            step()
        except Exception as error:
            # The texts are made up: the traceback shows nobody's values, only where it happened.
            place = traceback.extract_tb(error.__traceback__)[-1]
            self.report.failures.append(f"{name}: {type(error).__name__} in {Path(place.filename).name}:{place.lineno}")
        new, bad = self.report.checks - checks, self.report.broken - broken
        failed = any(line.startswith(f"{name}: ") for line in self.report.failures)
        outcome = "could not be finished" if failed else f"{bad} BROKEN" if bad else "fine"
        self._progress(f"{monotonic() - self._began:5.0f} s  {name}: {new:,} checks, {outcome}")

    def ended(self) -> Report:
        """Return the report."""
        report, channels = self.report, self.channels
        report.seconds = round(monotonic() - self._began, 1)
        report.channels, report.versions = channel_results(channels), versions()
        report.payloads, report.payload_bytes = channels.payloads, channels.size
        report.forms = len(proofs.FORMS)
        leaks = sum(channel.leaks for channel in report.channels)
        egress = {"channels": len(report.channels), "payloads searched": report.payloads, "values found": leaks}
        report.promise(1).figures = egress | report.promise(1).figures
        report.promise(7).figures["attacks"] = report.attacks
        return report


class Part(NamedTuple):
    """A part from another room, such as the gateway's."""

    name: str
    step: Callable[[Audit], None]


def run_audit(
    *,
    seconds: float = SECONDS,
    progress: Progress = lambda line: None,
    more: Sequence[Part] = (),
    texts: int = 100_000,
    store: str | None = None,
) -> Report:
    """Run the whole proof; the network beyond this machine is not used, and nothing is kept.

    The user's own keys and conversations are not touched, whatever the environment says of them.

    Args:
        seconds: how long it may take, about.
        progress: told of each part as it begins and ends.
        more: parts of the rooms above this one.
        texts: the most texts that go the whole way.
        store: an empty PostgreSQL database, on which crashes and erasure are tried too.

    Raises:
        OptionError: the database is not empty.
        StoreError: it cannot be used.
    """
    if store is not None:
        check_empty(store)
    folder = Path(tempfile.mkdtemp(prefix="gama-audit-"))
    try:
        with _own_places(), ModelServer(answer_with_placeholders) as server, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _run(Audit(folder, server, seconds, progress), more, texts, store)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _own_places() -> Iterator[None]:
    """Put the settings of the environment away: where conversations and keys are kept, and for how long."""
    kept = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("GAMA_")}
    try:
        yield
    finally:
        os.environ.update(kept)


def _run(audit: Audit, more: Sequence[Part], texts: int, store: str | None) -> Report:
    report, channels, server, folder = audit.report, audit.channels, audit.server, audit.folder
    report.not_tested = not_tested(store)
    # Beside the others, with a model of their own: environment variables are read once a process.
    with ModelServer(answer_with_placeholders) as apart:
        children = [
            child.start(folder / f"traced-{traced}", apart.url, traced=traced, texts=2) for traced in (False, True)
        ]
        egress = EgressAudit(report, channels, folder / "egress", server)
        audit.part("texts, every way of running", lambda: egress.run(audit.until(0.2), most=max(len(WAYS), texts)))
        audit.harmless = egress.harmless
        audit.part("tools of experts", lambda: proofs.tools(report, channels, server))
        for part in more:
            audit.part(part.name, lambda part=part: part.step(audit))  # type: ignore[misc]
        audit.part("fail closed", lambda: proofs.fail_closed(report, channels, server))
        audit.part("the airlock", lambda: crossing.dirty_fields(report))
        audit.part("limits", lambda: proofs.bounds(report, server))
        audit.part("kill -9 and resume", lambda: crash.crashes(report, channels, server, folder / "crash"))
        audit.part("at rest", lambda: at_rest.at_rest(report, server, folder / "at-rest"))
        audit.part("erasure", lambda: proofs.erasure(report, server, folder / "erasure"))
        if store is not None:
            place = folder / "postgres"
            audit.part("PostgreSQL, killed", partial(crash.crashes, report, channels, server, place / "crash", store))
            audit.part("PostgreSQL, at rest", partial(at_rest.at_rest, report, server, place / "at-rest", store))
            audit.part("PostgreSQL, erased", partial(proofs.erasure, report, server, place / "erasure", 4, store))
        audit.part("experts that fail", lambda: proofs.degradation(report, server))
        for one in children:
            how = "asked for" if one.traced else "not asked for"
            name = f"every tracer's variable set, tracing {how}"
            audit.part(name, lambda one=one: child.finish(one, report, channels, audit.harmless))  # type: ignore[misc]
        audit.part("what context tells", lambda: context.tell_context(report))
        # The parts before must be whole; these share the time that is left.
        audit.part("there and back, and mangled", lambda: proofs.round_trips(report, audit.until(0.15, 0.02)))
        audit.part("side by side", lambda: proofs.isolation(report, channels, server, audit.until(0.2, 0.02)))
        audit.part("hostile replies and documents", lambda: _attacks(audit))
    return audit.ended()


def _attacks(audit: Audit) -> None:
    options = Options(public_model="openai:audit", public_base_url=f"{audit.server.url}/v1", k=2, max_rounds=1)
    gama = Gama(options, home=audit.folder / "attacks")
    try:
        Attacks(audit.report, audit.channels, gama, audit.server, audit.harmless).run(audit.until(1.0, 0.2))
    finally:
        gama.close()


def not_tested(store: str | None = None) -> list[str]:
    """Say what this machine, or this audit, leaves untested."""
    said = [
        "A hosted model: a loopback server that speaks OpenAI's protocol stands in for it, and records every byte.",
        *(() if store else ("Checkpoints in PostgreSQL: give the audit an empty database, --store postgresql://…",)),
        "A private LLM: the embedded models read the texts.",
    ]
    for module, what in {
        "opentelemetry.sdk": "OpenTelemetry: its SDK is not installed (pip install opentelemetry-sdk).",
        "fastapi": "The gateway and the HTTP server: they are not installed (pip install 'gama-privacy[serve]').",
    }.items():
        try:
            there = find_spec(module) is not None
        except ModuleNotFoundError:
            there = False
        if not there:
            said.append(what)
    return said
