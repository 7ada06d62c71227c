"""The process in which an app runs: it keeps what every listener is told, and leaves the search to the audit.

`python -m gama.evals.audit.app_child FOLDER`: reads `job.json` there, writes `records.jsonl`. What the app prints goes
to the process's own output, which the audit keeps.
"""

import asyncio
import base64
import contextlib
import json
import logging
import sys
import traceback
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver

from gama.evals.audit.loading import filled, input_of, load_app
from gama.evals.audit.recorders import CallbackRecorder, LogRecorder, process_tracer
from gama.evals.audit.wiretap import Wiretap
from gama.state.errors import GamaError

MODES = ("values", "updates", "custom", "messages", "tasks", "checkpoints", "debug")
"""Stream modes; all are asked for at once."""
Config = dict[str, Any]


class Recording:
    """Writes what was seen, a line each.

    Args:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        """Open it."""
        self._file = path.open("w", encoding="utf-8")

    def add(self, channel: str, place: str, data: bytes) -> None:
        """Keep a payload: its channel, and where in it."""
        whole = {"channel": channel, "place": place, "data": base64.b64encode(data).decode()}
        self._file.write(json.dumps(whole) + "\n")
        self._file.flush()

    def show(self, channel: str, place: str, thing: Any) -> None:
        """Keep what a listener sees of an object."""
        self.add(channel, place, repr(thing).encode("utf-8", "surrogatepass"))

    def note(self, text: str) -> None:
        """Keep a remark for the report."""
        self.add("note", "", text.encode())


class AppRun:
    """Runs an app with texts, and records.

    Args:
        graph: the app.
        given: its input, with `{text}`.
        recording: takes what was seen.
    """

    def __init__(self, graph: Any, given: Any, recording: Recording) -> None:
        """Look at the app: what its caller gets by right is its output where that is no input as well."""
        self._graph, self._given, self._recording = graph, given, recording
        outputs = getattr(graph, "output_channels", ())
        names = {outputs} if isinstance(outputs, str) else set(outputs)
        inputs = set(graph.get_input_jsonschema().get("properties", {}))
        self._answer = frozenset(names - inputs - {"__root__"})
        self._saver = self._checkpointer()
        if self._answer:
            recording.note(f"The answer is for the caller, and was not searched: {', '.join(sorted(self._answer))}.")

    def run(self, text: str) -> None:
        """Run the app on a text: with every stream mode, then with events."""
        thread = uuid.uuid4().hex
        self._streamed(filled(self._given, text), thread)
        self._checkpoints(thread)
        self._events(filled(self._given, text), uuid.uuid4().hex)

    def _checkpointer(self) -> Any:
        """Return the app's own saver; one in memory is lent where it has none, as LangGraph's servers do."""
        if not hasattr(self._graph, "checkpointer"):
            self._recording.note("It is no graph: it has no stream modes and no checkpoints.")
            return None
        if self._graph.checkpointer in (None, False, True):
            self._graph.checkpointer = InMemorySaver()
            self._recording.note("The app has no checkpointer of its own; it was lent one in memory.")
        return self._graph.checkpointer

    def _config(self, thread: str, callbacks: CallbackRecorder) -> Config:
        return {"configurable": {"thread_id": thread}, "callbacks": [callbacks]}

    def _streamed(self, given: Any, thread: str) -> None:
        callbacks, options = CallbackRecorder(), {}
        if self._saver is not None:
            options = {"stream_mode": list(MODES), "subgraphs": True}
        config = self._config(thread, callbacks)
        try:
            try:
                for part in self._graph.stream(given, config, **options):
                    self._part(part)
            except (TypeError, NotImplementedError) as error:
                # Nodes, or a saver, that are there for event loops alone.
                if not _for_loops(error):
                    raise
                asyncio.run(self._astreamed(given, config, options))
        except Exception as error:
            self._failed(error)
        self._told(callbacks)

    async def _astreamed(self, given: Any, config: Config, options: Config) -> None:
        async for part in self._graph.astream(given, config, **options):
            self._part(part)

    def _part(self, part: Any) -> None:
        if self._saver is None:
            self._recording.show("stream", "", part)
            return
        _, mode, shown = part
        if mode in ("values", "updates"):
            shown = without(shown, self._answer)
        self._recording.show(f"stream: {mode}", "", shown)

    def _events(self, given: Any, thread: str) -> None:
        callbacks = CallbackRecorder()
        try:
            try:
                asyncio.run(self._followed(given, self._config(thread, callbacks)))
            except NotImplementedError:
                # The app's saver works without event loops alone.
                self._graph.checkpointer = InMemorySaver()
                asyncio.run(self._followed(given, self._config(thread, callbacks)))
                self._graph.checkpointer = self._saver
        except Exception as error:
            self._failed(error)
        self._told(callbacks)

    async def _followed(self, given: Any, config: Config) -> None:
        async for event in self._graph.astream_events(given, config, version="v2"):
            if not event.get("parent_ids"):
                # What the caller gives and gets is the caller's.
                event = event | {"data": without(event["data"], self._answer | {"input"})}
            self._recording.show("events", f"{event['event']}:{event['name']}", event)

    def _told(self, callbacks: CallbackRecorder) -> None:
        for place, data in callbacks.taken():
            self._recording.add("callbacks", place, data)

    def _failed(self, error: Exception) -> None:
        text = "".join(traceback.format_exception(error))
        self._recording.add("exceptions", type(error).__name__, text.encode("utf-8", "surrogatepass"))
        self._recording.add("failed", type(error).__name__, b"")

    def _checkpoints(self, thread: str) -> None:
        if self._saver is None:
            return
        try:
            kept = list(self._saver.list({"configurable": {"thread_id": thread}}))
        except (NotImplementedError, RuntimeError):
            kept = asyncio.run(_listed(self._saver, thread))
        for one in kept:
            self._recording.show("checkpoints", "", one)
            for part in (one.checkpoint, one.metadata, *(write[2] for write in one.pending_writes or ())):
                with contextlib.suppress(TypeError, ValueError):
                    self._recording.add("checkpoints", "as stored", self._saver.serde.dumps_typed(part)[1])


async def _listed(saver: Any, thread: str) -> list[Any]:
    return [one async for one in saver.alist({"configurable": {"thread_id": thread}})]


def _for_loops(error: Exception) -> bool:
    return isinstance(error, NotImplementedError) or "synchronous function" in str(error) or "async" in str(error)


def without(part: Any, keys: frozenset[str]) -> Any:
    """Return a part without some keys, however deep."""
    if isinstance(part, dict):
        return {key: without(value, keys) for key, value in part.items() if key not in keys}
    return type(part)(without(value, keys) for value in part) if type(part) in (list, tuple) else part


@contextlib.contextmanager
def _listeners(recording: Recording, tap: Wiretap) -> Iterator[None]:
    """Record logs, a tracer of the process, and the wire, for the time of the runs."""
    logs, root = LogRecorder(), logging.getLogger()
    root.addHandler(logs)
    root.setLevel(logging.DEBUG)
    try:
        with process_tracer() as tracer:
            yield
    finally:
        for level, (place, line) in zip(logs.levels, logs.taken(), strict=False):
            recording.add("logs at DEBUG" if level == "DEBUG" else "logs", place, line)
        for place, data in tracer.taken():
            recording.add("tracer of the process", place, data)
        for address, data in tap.taken():
            recording.add("sent to", address, data)


def main(folder: str) -> int:
    """Be the process."""
    from gama.evals.audit.child import collect_spans, flush_traces

    job = json.loads((Path(folder) / "job.json").read_text("utf-8"))
    recording = Recording(Path(folder) / "records.jsonl")
    tap = Wiretap(frozenset(job["own_ports"]))
    tap.install()
    spans = collect_spans()
    try:
        graph = load_app(job["graph"])
        given = input_of(graph, job["given"])
    except GamaError as error:
        recording.add("refused", type(error).__name__, str(error).encode())
        return 2
    with _listeners(recording, tap):
        run = AppRun(graph, given, recording)
        for text in job["texts"]:
            run.run(text)
        flush_traces()
    for span in spans.get_finished_spans() if spans is not None else ():
        recording.add("OpenTelemetry spans", span.name, span.to_json().encode())
    recording.add("done", "", b"")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
