"""`EncryptedSaver`: puts any LangGraph saver behind the vault; `LocalSaver`: the SQLite file that it wraps at home.

A saver keeps more than the state: the input, what every step wrote (exceptions, interrupts and what they were
answered among it), and metadata. Here every value of every channel and every pending write is encrypted under the
key of its thread before the saver sees it, and bound to where it belongs, so that a row cannot be moved to another
thread, channel or step. Names of channels and steps, versions and times stay in clear, and of the metadata what
LangGraph itself needs.
"""

import asyncio
import sqlite3
from abc import abstractmethod
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any, cast
from uuid import UUID

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver

from gama.state.errors import SealError
from gama.state.private_text import Sealed
from gama.state.public import Check, Contradiction, Counterfactual, ExpertAnswer, ExpertFailure, Membership, Part
from gama.state.task import DomainChoice, DomainRule, FormulaFault, PromptFile, PublicLimits, PublicTask, Turn
from gama.vault.cipher import ThreadCipher
from gama.vault.database import PATIENCE_S, open_sqlite
from gama.vault.seal import Vault

METADATA = frozenset({"source", "step", "parents", "run_id", "counters_since_delta_snapshot"})
"""Metadata keys that are LangGraph's own; anything else may carry a caller's private values."""

TYPES = [
    (kind.__module__, kind.__name__)
    for kind in (
        PublicTask, DomainRule, PublicLimits, DomainChoice, PromptFile, FormulaFault, Turn, ExpertAnswer, ExpertFailure,
        Contradiction, Counterfactual, Membership, Check, Part, Sealed,
    )
]  # fmt: skip
"""Our types in the states: with LangGraph's own, the only ones that are read back."""

_SOURCES = ("input", "loop", "update", "fork")
_KEYS = ("thread_id", "checkpoint_ns", "checkpoint_id")


def _on_thread(method: str) -> Any:
    """Return an async method that runs a sync one on a thread."""

    async def run(saver: Any, *args: Any, **kwargs: Any) -> Any:
        return await asyncio.to_thread(getattr(saver, method), *args, **kwargs)

    return run


class AsyncSaver(BaseCheckpointSaver[Any]):
    """Gives a sync saver its async methods: each runs the sync one on a thread. Name it before the saver's class."""

    aget_tuple = _on_thread("get_tuple")
    aput = _on_thread("put")
    aput_writes = _on_thread("put_writes")
    adelete_thread = _on_thread("delete_thread")
    aprune = _on_thread("prune")

    async def alist(self, *args: Any, **kwargs: Any) -> AsyncIterator[CheckpointTuple]:
        """List checkpoints on a thread."""
        for item in await asyncio.to_thread(lambda: list(self.list(*args, **kwargs))):
            yield item


class EncryptedSaver(AsyncSaver):
    """Seals what a saver keeps.

    Args:
        inner: the saver; sync, async or both.
        vault: gives every thread its key.
        make: whether a thread without a key gets one; else its checkpoints are refused.
    """

    def __init__(self, inner: BaseCheckpointSaver[Any], vault: Vault, *, make: bool = True) -> None:
        """Take both."""
        super().__init__(serde=JsonPlusSerializer(allowed_msgpack_modules=TYPES))
        self.inner = inner
        self.vault = vault
        self.make = make

    @property
    def config_specs(self) -> list[Any]:
        """Return the inner saver's."""
        return self.inner.config_specs

    def get_next_version(self, current: Any, channel: None) -> Any:
        """Return the inner saver's next version."""
        return self.inner.get_next_version(current, channel)

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Fetch a checkpoint.

        Raises:
            SealError: the thread was forgotten, or the checkpoint was not sealed for its place.
        """
        found = self.inner.get_tuple(_bare(config))
        return self._open(found) if found else None

    def list(self, config: RunnableConfig | None, *, before: Any = None, **filters: Any) -> Iterator[CheckpointTuple]:
        """List checkpoints, newest first; over all threads, those that are forgotten are left out."""
        for found in self.inner.list(_bare(config), before=_bare(before), **filters):
            if config is not None or self.vault.knows(_thread(found.config)):
                yield self._open(found)

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Save a checkpoint, sealed."""
        return self.inner.put(_bare(config), self._seal(config, checkpoint), own(metadata), new_versions)

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Save the writes of a step, sealed."""
        self.inner.put_writes(_bare(config), self._seal_writes(config, writes, task_id), task_id, task_path)

    def delete_thread(self, thread_id: str) -> None:
        """Delete a thread's checkpoints; its key stays: see `Gama.forget`."""
        self.inner.delete_thread(thread_id)

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Prune the checkpoints of threads."""
        self.inner.prune(thread_ids, strategy=strategy)

    def _seal(self, config: RunnableConfig, checkpoint: Checkpoint) -> Checkpoint:
        cipher = self.vault.cipher(_thread(config), make=self.make)
        values = {
            channel: self._dump(cipher, value, _channel(config, checkpoint, channel))
            for channel, value in checkpoint["channel_values"].items()
        }
        sealed: Any = {**checkpoint, "channel_values": values}
        # A field of old formats, empty in those that are sealed.
        if "pending_sends" in sealed:
            sealed["pending_sends"] = []
        return cast(Checkpoint, sealed)

    def _seal_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str
    ) -> Sequence[tuple[str, Any]]:
        cipher = self.vault.cipher(_thread(config), make=self.make)
        return [(channel, self._dump(cipher, value, _write(config, task_id, channel))) for channel, value in writes]

    def _open(self, found: CheckpointTuple) -> CheckpointTuple:
        cipher = self.vault.cipher(_thread(found.config), make=False)
        checkpoint: Any = found.checkpoint
        values = {
            channel: self._load(cipher, value, _channel(found.config, checkpoint, channel))
            for channel, value in checkpoint["channel_values"].items()
        }
        writes = [
            (task_id, channel, self._load(cipher, value, _write(found.config, task_id, channel)))
            for task_id, channel, value in found.pending_writes or ()
        ]
        opened = cast(Checkpoint, {**checkpoint, "channel_values": values})
        return found._replace(checkpoint=opened, pending_writes=writes)

    def _dump(self, cipher: ThreadCipher, value: Any, place: str) -> bytes:
        kind, data = self.serde.dumps_typed(value)
        return cipher.seal(kind.encode() + b"\0" + data, place)

    def _load(self, cipher: ThreadCipher, value: Any, place: str) -> Any:
        # A value in clear is no value of ours: whoever can write to the database may have put it there.
        if not isinstance(value, bytes):
            raise SealError(
                "A checkpoint of this thread is not sealed: an early version made it, or somebody has changed it. "
                "Erase the thread with `gama forget`."
            )
        kind, _, data = cipher.open(value, place).partition(b"\0")
        return self.serde.loads_typed((kind.decode(), data))


class StoredSaver(AsyncSaver):
    """A saver of one of our places."""

    @abstractmethod
    def last_steps(self) -> dict[str, str]:
        """Return the threads that have checkpoints, with the id of the last one."""

    @abstractmethod
    def close(self) -> None:
        """Close files or connections."""


class LocalSaver(StoredSaver, SqliteSaver):
    """SQLite checkpoints that serve sync and async runs alike; close it when done."""

    def __init__(self, path: Path) -> None:
        """Open or make the file, readable by its owner only."""
        connection = open_sqlite(path)
        # As LangGraph's saver expects it: what is written together is in one transaction.
        connection.isolation_level = "DEFERRED"
        super().__init__(connection, serde=JsonPlusSerializer(allowed_msgpack_modules=TYPES))
        self.setup()

    def delete_thread(self, thread_id: str) -> None:
        """Delete a thread and what the write-ahead log still holds of it."""
        super().delete_thread(thread_id)
        with self.lock:
            self._cut()

    def compact(self) -> bool:
        """Rewrite the file without free pages and cut its write-ahead log; return whether no other program held it."""
        with self.lock:
            try:
                self.conn.execute("VACUUM")
            except sqlite3.OperationalError:
                return False
            return self._cut()

    def _cut(self) -> bool:
        """Move the write-ahead log into the file and cut it; return whether no other program held it."""
        # A reader elsewhere may stay for long: what it keeps is ciphertext without a key.
        self.conn.execute("PRAGMA busy_timeout=1000")
        try:
            busy: int = self.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        finally:
            self.conn.execute(f"PRAGMA busy_timeout={int(PATIENCE_S * 1000)}")
        return not busy

    def last_steps(self) -> dict[str, str]:
        """Return the threads that have checkpoints, with the id of the last one."""
        with self.cursor(transaction=False) as cursor:
            found = cursor.execute("SELECT thread_id, max(checkpoint_id) FROM checkpoints GROUP BY 1")
            return dict(found.fetchall())

    def close(self) -> None:
        """Close the file."""
        with self.lock:
            self.conn.close()


def own(metadata: CheckpointMetadata) -> CheckpointMetadata:
    """Keep of a checkpoint's metadata what LangGraph itself needs, where it has the form that LangGraph gives it.

    Everything else is the caller's and may be private.
    """
    kept: Any = {key: value for key, value in metadata.items() if key in METADATA}
    if kept.get("source") not in _SOURCES:
        kept.pop("source", None)
    if not isinstance(kept.get("step"), int):
        kept.pop("step", None)
    try:
        kept["run_id"] = str(UUID(str(kept["run_id"])))
    except (KeyError, ValueError):
        kept.pop("run_id", None)
    result: CheckpointMetadata = kept
    return result


def _bare(config: Any) -> Any:
    """Keep of a configuration what names a checkpoint: savers copy the rest into metadata."""
    if config is None:
        return None
    given = config.get("configurable") or {}
    return {"configurable": {key: given[key] for key in _KEYS if key in given}}


def _thread(config: RunnableConfig) -> str:
    return str((config.get("configurable") or {})["thread_id"])


def _channel(config: RunnableConfig, checkpoint: Checkpoint, channel: str) -> str:
    """Name the place of a channel's value; savers may share it between the checkpoints that have this version."""
    version = checkpoint["channel_versions"].get(channel, "")
    return f"channel\0{_space(config)}\0{channel}\0{version}"


def _write(config: RunnableConfig, task_id: str, channel: str) -> str:
    step = (config.get("configurable") or {}).get("checkpoint_id", "")
    return f"write\0{_space(config)}\0{step}\0{task_id}\0{channel}"


def _space(config: RunnableConfig) -> str:
    return str((config.get("configurable") or {}).get("checkpoint_ns") or "")
