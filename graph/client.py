"""`Gama`: the whole system as one LangChain Runnable, with its checkpoints in the home folder."""

import asyncio
import contextlib
import json
import os
import threading
import uuid
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from pathlib import Path
from time import monotonic, perf_counter, time
from typing import Any, NamedTuple

from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.runnables.utils import AddableDict

from gama.graph.given import is_chat, question_of
from gama.graph.private_graph import build_graph
from gama.graph.sealed_graph import FILTERS, SealedGraph, run_events
from gama.nodes.private.airlock import turns_along
from gama.privacy.box import PrivacyBox
from gama.privacy.question import check_question
from gama.state.errors import InputError, OptionError, StoreError
from gama.state.options import Options
from gama.state.private import GamaInput, Reply
from gama.state.private_text import Sealed
from gama.state.task import Turn
from gama.vault.seal import Vault, default_home
from gama.vault.storage import Compaction, Storage, age_of, open_storage

TIDY_S = 3600.0
"""Seconds after which a process looks again for conversations that are kept no longer."""


class Progress(NamedTuple):
    """A stage that has just finished, and what is known so far."""

    stage: str
    """Name of the node, or of the public graph's node behind `public.`; `done` at the end."""
    seconds: float
    """Seconds since the run began."""
    reply: dict[str, Any]
    """Parts of the reply that are known and have crossed; the whole `Reply` at the end."""
    news: dict[str, Any] = {}
    """What this stage has brought, as it crossed: answers, failures, contradictions, rounds and so on."""


class Gama(Runnable[Any, Reply]):
    """Answers tasks full of private data with a public model that never sees them.

    Takes `{"question": text}`, a text, or chat messages (the last human one is the task, and what stands before it is
    told with it); gives a `Reply`. Beside the question, `query` may say what is asked about it: then what the query
    needs stays in clear and only the rest is hidden. `decisions` may say what a person has decided (see `Decision`),
    and `reviewed` the anonymized text that the person has looked at, with its `refinement` where it was rewritten,
    which is then taken as it is. Private values enter no trace, whatever the environment says.

    The thread of a run is `config["configurable"]["thread_id"]`, or a new one that is in the reply. A thread that is
    kept knows its earlier turns: they go along, anonymized (`Options.earlier`), and of chat messages only the last
    human one is taken.

    Args:
        options: models and switches; by default those of the environment (`GAMA_PUBLIC_MODEL` …).
        home: folder for keys and checkpoints; by default `GAMA_HOME` or the platform's place.
        keep: whether to keep checkpoints on disk, so that a run can be resumed and a thread continued.
        store: where they are kept: `sqlite:///FOLDER` or `postgresql://…`; by default `GAMA_STORE`, else the home.
        key: where the master key lies: `env[:NAME]`, `file[:PATH]`, `keyring[:NAME]`; by default `GAMA_KEY_SOURCE`.
        retention: age, such as `30d`, after which unused conversations are forgotten; by default `GAMA_RETENTION`,
            else they are kept until `forget`.

    Example:
        >>> from gama import Options
        >>> reply = Gama(Options(), keep=False).invoke("Emma Williams was born in 1990. In which year was she ten?")
        >>> "Emma" in reply["anonymized"]
        False
    """

    def __init__(
        self,
        options: Options | None = None,
        *,
        home: Path | None = None,
        keep: bool = True,
        store: str | None = None,
        key: str | None = None,
        retention: str | timedelta | None = None,
    ) -> None:
        """Make the runnable; files are opened on first use.

        Raises:
            OptionError: the retention is no age.
        """
        self.options = options or Options.from_env()
        self.home = home or default_home()
        self.keep = keep
        self.name = "Gama"
        self.store = store
        self.key = key
        age = retention or os.environ.get("GAMA_RETENTION")
        self.retention = age_of(age) if age else None
        self._lock = threading.RLock()
        self._graph: SealedGraph | None = None
        self._places: tuple[Vault, Storage] | None = None
        self._tidied = -TIDY_S
        self._freed = False
        """Whether something was forgotten whose space is still there."""

    @property
    def graph(self) -> SealedGraph:
        """The compiled graph behind it."""
        with self._lock:
            if self._graph is None:
                if self.keep:
                    vault, storage = self._open()
                    self._graph = build_graph(
                        self.options, vault=vault, checkpointer=storage.private, public_checkpointer=storage.public
                    )
                else:
                    self._graph = build_graph(self.options)
            self._tidy()
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
        task, run = self._start(input, config)
        out = self.graph.invoke(task, run, durability=self._durability, context=kwargs.get("context"))
        reply: Reply = out["reply"]
        return reply

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Reply:
        """Answer a task; see `invoke`."""
        task, run = self._start(input, config)
        graph = await asyncio.to_thread(lambda: self.graph)
        out = await graph.ainvoke(task, run, durability=self._durability, context=kwargs.get("context"))
        reply: Reply = out["reply"]
        return reply

    def stream(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Iterator[Any]:
        """Yield parts of the reply as they become known; their sum is the `Reply`."""
        task, run = self._start(input, config)
        given: set[str] = set()
        for progress in self._steps(task, run, kwargs.get("context")):
            yield from _fresh(progress.reply, given, last=progress.stage == "done")

    async def astream(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> AsyncIterator[Any]:
        """Yield parts of the reply as they become known; see `stream`."""
        given: set[str] = set()
        async for progress in self.awatch(input, config, context=kwargs.get("context")):
            for item in _fresh(progress.reply, given, last=progress.stage == "done"):
                yield item

    async def awatch(
        self, input: Any, config: RunnableConfig | None = None, *, context: Options | None = None
    ) -> AsyncIterator[Progress]:
        """Answer a task and report each stage as it finishes; the last report holds the whole reply."""
        task, run = self._start(input, config)
        graph = await asyncio.to_thread(lambda: self.graph)
        watcher = _Watcher()
        parts = graph.astream(
            task, run, stream_mode=["updates", "custom"], durability=self._durability, context=context
        )  # fmt: skip
        async for mode, part in parts:
            for progress in watcher.see(mode, part):
                yield progress

    def astream_events(self, input: Any, config: RunnableConfig | None = None, **options: Any) -> Any:
        """Stream the events of a run: its start, the parts of the reply, and its end with the whole of it.

        Callbacks are cut off from what happens inside, so nothing else is told.
        """
        options.pop("version", None)
        filters = {name: options.pop(name) for name in FILTERS if name in options}
        total: list[Any] = []

        async def chunks() -> AsyncIterator[Any]:
            async for part in self.astream(input, config, **options):
                total[:] = [total[0] + part] if total else [part]
                yield part

        return run_events(self.get_name(), input, chunks(), lambda: dict(total[0]) if total else {}, filters)

    def watch(
        self, question: str, *, query: str | None = None, thread: str | None = None, resume: bool = False
    ) -> Iterator[Progress]:
        """Answer a task and report each stage as it finishes; the last report holds the whole reply.

        Args:
            question: the task; not looked at when resuming.
            query: what is asked about it: then only what this does not need is hidden.
            thread: the conversation to continue, or to resume.
            resume: take up an interrupted run of the thread where it stopped.

        Raises:
            InputError: there is nothing to resume.
        """
        if not resume:
            task, run = self._start({"question": question, "query": query}, _config(thread or uuid.uuid4().hex))
            yield from self._steps(task, run)
            return
        if not thread:
            raise InputError("Resuming needs the thread: give the one that the interrupted run printed.")
        run = _config(thread)
        snapshot = self.graph.get_state(run)
        # Not `next`: it leaves out steps that are done and saved, while their outcome waits to be put together.
        if not snapshot.values and not snapshot.tasks:
            raise InputError(f"There is nothing to resume on thread {thread!r}. See `gama doctor` for where data lies.")
        if not snapshot.tasks:
            yield Progress("done", 0.0, dict(self._kept_reply(thread, snapshot.values)))
            return
        yield from self._steps(None, run)

    def reply(self, thread: str) -> Reply:
        """Return the last reply of a thread.

        Raises:
            InputError: the thread has none.
        """
        return self._kept_reply(thread, self.graph.get_state(_config(thread)).values)

    def knows(self, thread: str) -> bool:
        """Return whether a thread remembers earlier turns."""
        return self.keep and bool(self.graph.get_state(_config(thread)).values.get("conversation"))

    def going_along(self, thread: str, box: PrivacyBox, options: Options) -> tuple[list[Turn], list[str]]:
        """Return the earlier turns of a thread that go along with a new text, as they leave, and what is to be told.

        Args:
            thread: the conversation.
            box: what is hidden by now, the new text's values among it.
            options: of the run.
        """
        state: Any = self.graph.get_state(_config(thread)).values if self.keep else {}
        return turns_along(state, box, options)

    def ready(self) -> None:
        """Open everything, and agree with what is here on the master key, which is made where none was.

        Raises:
            SealError: the master key is malformed, missing or another one.
            StoreError: the store cannot be used.
        """
        self.graph.vault.keys.ring()

    def threads(self) -> list[str]:
        """List the threads that are kept."""
        return sorted(self._open()[1].last_used()) if self.keep else []

    def box(self, thread: str) -> PrivacyBox:
        """Return the box of a conversation: all its private values and their placeholders, in clear.

        Raises:
            InputError: the conversation has none.
        """
        vault = self._open()[0] if self.keep else self.graph.vault
        content = vault.load_box(thread)[1]
        if content is None:
            raise InputError(f"Thread {thread!r} has no box. See `gama doctor` for where data lies.")
        return PrivacyBox.model_validate_json(content)

    def forget(self, thread: str) -> bool:
        """Erase a thread: its keys first, then its checkpoints, private and public. Return whether there was one."""
        if not self.keep:
            return self.graph.vault.forget(thread)
        known = self._open()[1].forget(thread)
        self._freed = self._freed or known
        return known

    def older_than(self, age: str | timedelta) -> list[str]:
        """List the threads that were last used longer ago than an age such as `30d`.

        Raises:
            OptionError: it is no age.
        """
        return self._open()[1].older_than(age_of(age)) if self.keep else []

    def compact(self, *, full: bool = False) -> Compaction:
        """Give up the disk space of what was forgotten; see `Storage.compact`. Closing does it, too."""
        outcome = self._open()[1].compact(full=full)
        self._freed = self._freed and not outcome.done
        return outcome

    def close(self) -> None:
        """Close the files, and the connections to MCP servers."""
        with self._lock:
            if self._graph is not None and self._graph.tools is not None:
                self._graph.tools.close()
            if self._places:
                vault, storage = self._places
                if self._freed:
                    with contextlib.suppress(StoreError):
                        self.compact()
                storage.close()
                vault.close()
            self._graph, self._places = None, None

    def _open(self) -> tuple[Vault, Storage]:
        """Open vault and storage, and finish what an earlier process left half forgotten."""
        with self._lock:
            if self._places is None:
                vault = Vault.at(self.home, source=self.key)
                storage = open_storage(vault, self.home, self.store)
                self._places = vault, storage
                storage.finish()
            return self._places

    def _tidy(self) -> None:
        """Forget what is older than the retention and give up the space of what was forgotten, now and then."""
        if not self.keep or monotonic() - self._tidied < TIDY_S:
            return
        self._tidied = monotonic()
        storage = self._open()[1]
        # A store that another process holds, or that is away, is no reason to refuse a run: there is a next time.
        with contextlib.suppress(StoreError):
            storage.finish()
            if self.retention is not None:
                for thread in storage.older_than(self.retention, storage.vault.follow(time())):
                    self.forget(thread)
            if self._freed:
                self.compact()

    @property
    def _durability(self) -> Any:
        # Every finished step is on disk before the next begins: a killed run loses none.
        return "sync" if self.keep else None

    def _start(self, data: Any, config: RunnableConfig | None) -> tuple[dict[str, Any], RunnableConfig]:
        if self.options.review:
            raise OptionError(
                "option 'review': a client that is called once cannot wait for a person. Build the graph with "
                "build_graph and a checkpointer, or see `gama anonymize` for what would leave."
            )
        thread = ((config or {}).get("configurable") or {}).get("thread_id")
        kept = bool(thread) and is_chat(data) and self.knows(str(thread))
        question = question_of(data, kept=kept, earlier=self.options.earlier)
        check_question(question, self.options.max_chars)
        named = ("query", "decisions", "reviewed", "refinement")
        more = {name: data[name] for name in named if isinstance(data, dict) and name in data}
        run: RunnableConfig = {**(config or {})}
        configurable = dict(run.get("configurable") or {})
        configurable["thread_id"] = configurable.get("thread_id") or uuid.uuid4().hex
        # A node inside a foreign graph: its checkpoint keys are the foreign graph's, not ours.
        run["configurable"] = {"thread_id": str(configurable["thread_id"])}
        return {"question": question, **more}, run

    def _steps(
        self, data: dict[str, Any] | None, run: RunnableConfig, context: Options | None = None
    ) -> Iterator[Progress]:
        watcher = _Watcher()
        parts = self.graph.stream(
            data, run, stream_mode=["updates", "custom"], durability=self._durability, context=context
        )
        for mode, part in parts:
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
            yield self._report(f"public.{part['stage']}", part.get("news"))
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

    def _report(self, stage: str, news: dict[str, Any] | None = None) -> Progress:
        return Progress(stage, perf_counter() - self._began, dict(self._known), news or {})


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
