"""The egress part of the audit: texts go the whole way, and everything that any channel carried is searched."""

import asyncio
import json
import uuid
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

from gama.evals.audit.canaries import Canary
from gama.evals.audit.recorders import CallbackRecorder, LogRecorder, logged, process_tracer
from gama.evals.audit.report import ChannelResult, Missed, Report
from gama.evals.audit.search import Channels, Searcher
from gama.evals.audit.servers import ModelServer
from gama.evals.audit.texts import Planted, planted
from gama.graph.client import Gama
from gama.privacy.box import PrivacyBox
from gama.state.entities import placeholder_kind
from gama.state.errors import GamaError
from gama.state.options import Options
from gama.tools.placeholders.grammar import find_tokens

WAYS = (
    "invoke", "ainvoke", "astream", "values", "updates", "custom", "messages", "tasks", "debug", "checkpoints",
    "events",
)  # fmt: skip
"""Ways to run the graph: each text goes one of them."""

Config = dict[str, Any]


class Seen(NamedTuple):
    """What one run showed besides its reply."""

    parts: list[bytes]
    reply: dict[str, Any]


class EgressAudit:
    """Sends texts the whole way and searches every channel.

    Args:
        report: gets checks, figures and misses.
        channels: gets what was carried.
        home: folder for keys and checkpoints.
        server: stands in for the public model.
    """

    def __init__(self, report: Report, channels: Channels, home: Path, server: ModelServer) -> None:
        """Set it up."""
        self._report, self._channels, self._server, self._home = report, channels, server, home
        self._options = Options(public_model="openai:audit", public_base_url=f"{server.url}/v1", k=2, max_rounds=1)
        self._callbacks = CallbackRecorder()
        self._kinds: Counter[str] = Counter()
        self._origins: Counter[str] = Counter()
        self._missed_kinds: Counter[str] = Counter()
        self._missed_origins: Counter[str] = Counter()
        self._boxed: set[str] = set()
        self._anonymized: list[str] = []
        self.harmless: list[bytes] = []
        """Requests of a task with nothing private in it: what stands in them are words of the form."""

    def run(self, until: float, least: int = len(WAYS), most: int = 100_000) -> None:
        """Send texts until a moment, at least some, at most so many."""
        server, self._server.reply = self._server, answer_with_placeholders
        gama = Gama(self._options, home=self._home)
        with logged() as logs, process_tracer() as tracer, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            gama.invoke({"question": "How long is a notice period of three months?"})
            self.harmless = server.taken()
            logs.taken(), tracer.taken()
            number = 0
            while number < most and (number < least or monotonic() < until):
                self._one(gama, planted(number), WAYS[number % len(WAYS)], logs, tracer)
                number += 1
        gama.close()
        self._files()
        self._sum_up(number)

    def _one(self, gama: Gama, text: Planted, way: str, logs: LogRecorder, tracer: CallbackRecorder) -> None:
        thread = uuid.uuid4().hex
        first = text.canaries[0].value
        # What a caller says about a run must not travel either.
        config: Config = {
            "configurable": {"thread_id": thread, "customer": first},
            "callbacks": [self._callbacks],
            "metadata": {"customer": first},
            "tags": [first],
            "run_name": first,
        }
        canaries = Searcher([canary.value for canary in text.canaries], self.harmless)
        blind = {canary.kind for canary in text.canaries} - {
            canary.kind for canary in text.canaries if canary.value in canaries.find(text.text.encode())
        }
        self._report.check(1, not blind, f"the search is blind to {', '.join(sorted(blind))}")
        try:
            seen = run_one(gama, way, text.text, config)
        except GamaError as error:
            # The texts are ordinary: one that is stopped is an answer lost.
            self._report.failures.append(f"a {text.form} sent by {way} was stopped: {type(error).__name__}")
            self._report.check(1, not canaries.find(str(error).encode()), f"the text of an error, by {way}")
            self._wire(text, canaries)
            return
        box = box_of(gama, thread)
        values = box.values()
        searcher = Searcher(values, self.harmless)
        look = self._channels.look
        sent = self._server.taken()
        out = {
            "wire": look("wire", sent, searcher, canaries),
            "stream": look(f"stream: {way}", seen.parts, searcher, canaries),
            "callbacks": look("callbacks", [part for _, part in self._callbacks.taken()], searcher, canaries),
            "tracer": look("tracer of the process", [part for _, part in tracer.taken()], searcher, canaries),
            "log": look("logs at DEBUG", [line for _, line in logs.taken()], searcher, canaries),
        }
        for channel, found in out.items():
            kinds = sorted({kind_in(box, value) for value in found})
            self._report.check(1, not found, f"{channel}, by {way}: {', '.join(kinds)}")
        self._channels.all["callbacks"].payloads += 0
        self._report.check(1, bool(sent), f"nothing was sent by {way}: the search has nothing to look at")
        # In the task's own text even the shortest value counts, as a word.
        anonymized = " ".join(without_tokens(seen.reply["anonymized"]))
        self._report.check(1, not any(stands_in(value, anonymized) for value in values), "the anonymized text")
        self._boxed.update(values)
        self._anonymized.append(seen.reply["anonymized"])
        self._count(text, canaries.find(b"\n".join(sent)), values)

    def _wire(self, text: Planted, canaries: Searcher) -> None:
        """Search what a stopped run had sent: for what was planted, since its box is not to be had."""
        found = self._channels.look("wire", self._server.taken(), canaries)
        kinds = sorted({canary.kind for canary in text.canaries if canary.value in found})
        self._report.check(1, not found, f"wire, of a run that was stopped: {', '.join(kinds)}")

    def _count(self, text: Planted, crossed: list[str], values: list[str]) -> None:
        """Count what was planted, and what crossed because no detector had found it."""
        for canary in text.canaries:
            missed = canary.value in crossed and canary.value not in values
            self._kinds[canary.kind] += 1
            self._origins[canary.origin] += 1
            self._missed_kinds[canary.kind] += missed
            self._missed_origins[canary.origin] += missed

    def _files(self) -> None:
        """Search every byte of the home folder, the databases' pages and logs included."""
        # What is private in one text may be public in another (a city, a duration), or missed there: it lies in the
        # files by right. Each run by itself has been searched for it.
        searcher = Searcher(self._boxed - crossed_by_right(self._boxed, self._anonymized), self.harmless)
        names = {"private.sqlite": "private checkpoints", "public.sqlite": "public checkpoints"}
        for path in sorted(self._home.rglob("*")):
            if path.is_file():
                name = next((said for file, said in names.items() if path.name.startswith(file)), "other files at home")
                found = self._channels.look(name, [path.read_bytes()], searcher)
                self._report.check(1, not found, f"{name}: {len(found)} value(s) in {path.name}")

    def _sum_up(self, texts: int) -> None:
        report = self._report
        report.texts, report.values, report.planted = texts, len(self._boxed), sum(self._kinds.values())
        report.missed_by_kind = _missed(self._kinds, self._missed_kinds)
        report.missed_by_origin = _missed(self._origins, self._missed_origins)


def run_one(gama: Gama, way: str, question: str, config: Config) -> Seen:
    """Run a task one way; returns what was shown besides the reply."""
    thread = config["configurable"]["thread_id"]
    given: Any = {"question": question}
    run: Any = config
    parts: list[Any] = []
    if way == "invoke":
        gama.invoke(given, run)
    elif way == "ainvoke":
        asyncio.run(gama.ainvoke(given, run))
    elif way == "astream":
        asyncio.run(_collect(gama, given, run, parts))
    elif way == "events":
        parts += [event for event in gama.graph.stream_events(given, run, version="v3") if not _has_reply(event)]
    else:
        parts += gama.graph.stream(given, run, stream_mode=way)
    shown = [repr(part).encode("utf-8", "surrogatepass") for part in parts if not _has_reply(part)]
    return Seen(shown, dict(gama.reply(thread)))


async def _collect(gama: Gama, given: Any, run: Any, parts: list[Any]) -> None:
    async for part in gama.astream(given, run):
        parts.append({key: value for key, value in part.items() if key not in ("answer", "entities", "formulas")})


def _has_reply(part: Any) -> bool:
    """Return whether a part of a stream is the reply, which is for the caller."""
    if isinstance(part, dict):
        return any(key == "reply" and isinstance(value, dict) or _has_reply(value) for key, value in part.items())
    return isinstance(part, tuple) and any(_has_reply(inside) for inside in part)


def crossed_by_right(values: set[str], anonymized: list[str]) -> set[str]:
    """Return the values that stand in what crossed of some text."""
    return set(Searcher(sorted(values)).find("\n".join(anonymized).encode("utf-8", "surrogatepass")))


def box_of(gama: Gama, thread: str) -> PrivacyBox:
    """Open the box of a conversation."""
    state = gama.graph.get_state({"configurable": {"thread_id": thread}}).values
    return PrivacyBox.model_validate_json(gama.graph.vault.open(thread, state["sealed_box"]))


def kind_in(box: PrivacyBox, value: str) -> str:
    """Name the kind of a value: a report shows no value of a box."""
    return next((placeholder_kind(entry.subtype) for entry in box.entries if entry.surface == value), "value")


def without_tokens(text: str) -> Iterator[str]:
    """Yield what stands between the placeholders of a text."""
    at = 0
    for token in find_tokens(text):
        yield text[at : token.start]
        at = max(at, token.end)
    yield text[at:]


def stands_in(value: str, text: str) -> bool:
    """Return whether a value stands in a text as a word, as it is written."""
    at = text.find(value)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(value) : at + len(value) + 1]
        if not (before.isalnum() and before.isascii()) and not (after.isalnum() and after.isascii()):
            return True
        at = text.find(value, at + 1)
    return False


def answer_with_placeholders(request: dict[str, Any]) -> str:
    """Answer like an expert that uses every placeholder it was given; find no contradiction."""
    if "response_format" in request:
        return json.dumps({"contradiction": False, "reason": ""})
    user = str(request["messages"][-1]["content"]) if request.get("messages") else ""
    used = dict.fromkeys(user[token.start : token.end] for token in find_tokens(user))
    return "It is as the contract says. " + " and ".join(used)


def _missed(planted_: Counter[str], missed: Counter[str]) -> list[Missed]:
    return [Missed(name, planted_[name], missed[name]) for name in sorted(planted_)]


def channel_results(channels: Channels) -> list[ChannelResult]:
    """Return the channels for the report."""
    return [
        ChannelResult(name, channel.payloads, channel.size, len(channel.found), channel.missed)
        for name, channel in sorted(channels.all.items())
    ]


Progress = Callable[[str], None]
Canaries = tuple[Canary, ...]
