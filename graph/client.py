"""`Gama`: the whole system as one LangChain Runnable, with its checkpoints in the home folder."""

import asyncio
import json
import threading
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from langchain_core.messages import BaseMessage
from langchain_core.prompt_values import PromptValue
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.runnables.utils import AddableDict

from gama.graph.saver import LocalSaver, threads_of
from gama.graph.sealed import SealedGraph
from gama.graph.whole import build_graph
from gama.nodes.private.seal import check_question
from gama.state.errors import InputError
from gama.state.options import Options
from gama.state.private import GamaInput, Reply
from gama.state.seal import Sealed, Vault, default_home


class Progress(NamedTuple):
    """A stage that has just finished, and what is known so far."""

    stage: str
    """Name of the node, or of the public graph's node behind `public.`; `done` at the end."""
    seconds: float
    """Seconds since the run began."""
    reply: dict[str, Any]
    """Parts of the reply that are known and have crossed; the whole `Reply` at the end."""


class Gama(Runnable[Any, Reply]):
    """Answers tasks full of private data with a public model that never sees them.

    Takes `{"question": text}`, a text, or chat messages (the last human one is the task); gives a
    `Reply`. The thread of a run is `config["configurable"]["thread_id"]`, or a new one that is in
    the reply. Private values enter no trace, whatever the environment says.

    Args:
        options: models and switches; by default those of the environment (`GAMA_PUBLIC_MODEL` …).
        home: folder for keys and checkpoints; by default `GAMA_HOME` or the platform's place.
        keep: whether to keep checkpoints on disk, so that a run can be resumed and a thread continued.
    """

    def __init__(self, options: Options | None = None, *, home: Path | None = None, keep: bool = True) -> None:
        """Make the runnable; files are opened on first use."""
        self.options = options or Options.from_env()
        self.home = home or default_home()
        self.keep = keep
        self.name = "Gama"
        self._lock = threading.Lock()
        self._graph: SealedGraph | None = None
        self._savers: tuple[LocalSaver, LocalSaver] | None = None

    @property
    def graph(self) -> SealedGraph:
        """The compiled graph behind it."""
        with self._lock:
            if self._graph is None:
                if self.keep:
                    vault = Vault.at(self.home)
                    self._savers = (LocalSaver(self.home / "private.sqlite"), LocalSaver(self.home / "public.sqlite"))
                    self._graph = build_graph(
                        self.options, vault=vault, checkpointer=self._savers[0], public_checkpointer=self._savers[1]
                    )
                else:
                    self._graph = build_graph(self.options)
            return self._graph

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Reply:
        """Answer a task.

        Args:
            input: the task.
            config: names the thread.
            kwargs: `context`, options that go before the client's own in this run.

        Raises:
            InputError: the task is empty or no text.
            LeakError: something private was about to leave; nothing was sent.
            GamaError: see `gama.state.errors` for the others.
        """
        question, run = self._start(input, config)
        out = self.graph.invoke({"question": question}, run, durability=self._durability, context=kwargs.get("context"))
        reply: Reply = out["reply"]
        return reply

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Reply:
        """Answer a task; see `invoke`."""
        question, run = self._start(input, config)
        graph = await asyncio.to_thread(lambda: self.graph)
        out = await graph.ainvoke(
            {"question": question}, run, durability=self._durability, context=kwargs.get("context")
        )
        reply: Reply = out["reply"]
        return reply

    def stream(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Iterator[Any]:
        """Yield parts of the reply as they become known; their sum is the `Reply`."""
        question, run = self._start(input, config)
        given: set[str] = set()
        for progress in self._steps({"question": question}, run):
            yield from _fresh(progress.reply, given, last=progress.stage == "done")

    async def astream(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> AsyncIterator[Any]:
        """Yield parts of the reply as they become known; see `stream`."""
        question, run = self._start(input, config)
        graph = await asyncio.to_thread(lambda: self.graph)
        given: set[str] = set()
        watcher = _Watcher()
        parts = graph.astream(
            {"question": question}, run, stream_mode=["updates", "custom"], durability=self._durability,
            context=kwargs.get("context"),
        )  # fmt: skip
        async for mode, part in parts:
            for progress in watcher.see(mode, part):
                for item in _fresh(progress.reply, given, last=progress.stage == "done"):
                    yield item

    def watch(self, question: str, *, thread: str | None = None, resume: bool = False) -> Iterator[Progress]:
        """Answer a task and report each stage as it finishes; the last report holds the whole reply.

        Args:
            question: the task; not looked at when resuming.
            thread: the conversation to continue, or to resume.
            resume: take up an interrupted run of the thread where it stopped.

        Raises:
            InputError: there is nothing to resume.
        """
        if not resume:
            question, run = self._start(question, _config(thread or uuid.uuid4().hex))
            yield from self._steps({"question": question}, run)
            return
        if not thread:
            raise InputError("Resuming needs the thread: give the one that the interrupted run printed.")
        run = _config(thread)
        snapshot = self.graph.get_state(run)
        if not snapshot.values and not snapshot.next:
            raise InputError(f"There is nothing to resume on thread {thread!r}. See `gama doctor` for where data lies.")
        if not snapshot.next:
            yield Progress("done", 0.0, dict(self._kept_reply(thread, snapshot.values)))
            return
        yield from self._steps(None, run)

    def reply(self, thread: str) -> Reply:
        """Return the last reply of a thread.

        Raises:
            InputError: the thread has none.
        """
        return self._kept_reply(thread, self.graph.get_state(_config(thread)).values)

    def threads(self) -> list[str]:
        """List the threads that are kept."""
        self.graph  # noqa: B018 - opens the files
        return list(threads_of(self._savers[0])) if self._savers else []

    def forget(self, thread: str) -> bool:
        """Erase a thread: its key first, then its checkpoints, private and public. Tells whether there was one."""
        graph = self.graph
        known = graph.vault.knows(thread)
        if self._savers:
            private, public = self._savers
            turns = {
                state.values["public_thread"]
                for state in graph.get_state_history(_config(thread))
                if state.values.get("public_thread")
            }
            known = graph.vault.forget(thread) or known or bool(turns)
            private.delete_thread(thread)
            for turn in turns:
                public.delete_thread(turn)
        else:
            graph.vault.forget(thread)
        return known

    def close(self) -> None:
        """Close the files, and the connections to MCP servers."""
        with self._lock:
            if self._graph is not None and self._graph.tools is not None:
                self._graph.tools.close()
            for saver in self._savers or ():
                saver.close()
            self._graph, self._savers = None, None

    @property
    def _durability(self) -> Any:
        # Every finished step is on disk before the next begins: a killed run loses none.
        return "sync" if self.keep else None

    def _start(self, data: Any, config: RunnableConfig | None) -> tuple[str, RunnableConfig]:
        question = question_of(data)
        check_question(question, self.options.max_chars)
        run: RunnableConfig = {**(config or {})}
        configurable = dict(run.get("configurable") or {})
        configurable.setdefault("thread_id", uuid.uuid4().hex)
        # A node inside a foreign graph: its checkpoint keys are the foreign graph's, not ours.
        run["configurable"] = {"thread_id": str(configurable["thread_id"])}
        return question, run

    def _steps(self, data: dict[str, str] | None, run: RunnableConfig) -> Iterator[Progress]:
        watcher = _Watcher()
        for mode, part in self.graph.stream(data, run, stream_mode=["updates", "custom"], durability=self._durability):
            yield from watcher.see(mode, part)

    def _kept_reply(self, thread: str, values: dict[str, Any]) -> Reply:
        sealed = values.get("sealed_reply")
        if not isinstance(sealed, Sealed):
            raise InputError(f"Thread {thread!r} has no reply yet. Resume it with `gama ask --resume --thread`.")
        reply: Reply = json.loads(self.graph.vault.open(thread, sealed))
        return reply

    @property
    def InputType(self) -> Any:
        """The type of input."""
        return GamaInput | str

    @property
    def OutputType(self) -> Any:
        """The type of output."""
        return Reply


class _Watcher:
    """Turns the stream of the graph into progress reports."""

    def __init__(self) -> None:
        self._began = perf_counter()
        self._known: dict[str, Any] = {}

    def see(self, mode: str, part: Any) -> Iterator[Progress]:
        """Yield what one item of the stream reports."""
        if mode == "custom":
            yield self._report(f"public.{part['stage']}")
            return
        for node, update in part.items():
            update = update or {}
            if "anonymized" in update:
                self._known["anonymized"] = update["anonymized"]
            if "rules" in update:
                self._known["domains"] = [
                    {"domain": r.domain, "term": r.term, "score": r.score} for r in update["rules"]
                ]
            if "reply" in update:
                self._known = dict(update["reply"])
            yield self._report(node)
            if "reply" in update:
                yield self._report("done")

    def _report(self, stage: str) -> Progress:
        return Progress(stage, perf_counter() - self._began, dict(self._known))


def question_of(data: Any) -> str:
    """Take the task out of what a Runnable is called with.

    Raises:
        InputError: there is none in it.
    """
    if isinstance(data, dict):
        data = data.get("question")
    if isinstance(data, PromptValue):
        data = data.to_messages()
    if isinstance(data, BaseMessage):
        data = [data]
    if isinstance(data, list) and data and all(isinstance(item, BaseMessage) for item in data):
        human = [item for item in data if item.type == "human"]
        data = (human or data)[-1].text
    if not isinstance(data, str):
        raise InputError("Give the task as {'question': text}, as text, or as chat messages.")
    return data


def _fresh(reply: dict[str, Any], given: set[str], *, last: bool) -> Iterator[AddableDict]:
    """Yield the parts of the reply that are new; parts that still change wait for the end."""
    new = {
        key: value for key, value in reply.items() if key not in given and (last or key in ("anonymized", "domains"))
    }
    if new:
        given.update(new)
        yield AddableDict(new)


def _config(thread: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread}}
