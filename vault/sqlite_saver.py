"""`LocalSaver`: the checkpoints of a graph in a SQLite file of the home folder, sync and async.

What is private in a state is sealed before it comes here, or untracked. This saver adds that
metadata is limited to LangGraph's own keys, that only known types are read back, and that deleted
pages are overwritten.
"""

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver

from gama.state.public import (
    Check,
    Contradiction,
    Counterfactual,
    ExpertAnswer,
    ExpertFailure,
    Membership,
    Part,
)
from gama.state.sealed import Sealed
from gama.state.task import DomainChoice, DomainRule, PromptFile, PublicLimits, PublicTask
from gama.vault.async_saver import AsyncSaver
from gama.vault.seal import private_folder

_PATIENCE_S = 30
"""Seconds to wait for another program that writes to the file."""

METADATA = frozenset({"source", "step", "parents", "run_id", "counters_since_delta_snapshot"})
"""Metadata keys that are LangGraph's own; anything else may carry a caller's private values."""


TYPES = [
    (kind.__module__, kind.__name__)
    for kind in (
        PublicTask, DomainRule, PublicLimits, DomainChoice, PromptFile, ExpertAnswer, ExpertFailure, Contradiction,
        Counterfactual, Membership, Check, Part, Sealed,
    )
]  # fmt: skip
"""Our types in the states: with LangGraph's own, the only ones that are read back."""


class LocalSaver(AsyncSaver, SqliteSaver):
    """SQLite checkpoints that serve sync and async runs alike; close it when done."""

    def __init__(self, path: Path) -> None:
        """Open or make the file, readable by its owner only."""
        private_folder(path.parent)
        connection = sqlite3.connect(path, check_same_thread=False, timeout=_PATIENCE_S)
        connection.execute("PRAGMA secure_delete=ON")
        # What VACUUM sorts stays out of temporary files.
        connection.execute("PRAGMA temp_store=MEMORY")
        if os.name == "posix":
            path.chmod(0o600)
        super().__init__(connection, serde=JsonPlusSerializer(allowed_msgpack_modules=TYPES))
        self.setup()

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Save a checkpoint with LangGraph's own metadata only."""
        own: Any = {key: value for key, value in metadata.items() if key in METADATA}
        bare: RunnableConfig = {"configurable": config["configurable"]}
        return super().put(bare, checkpoint, own, new_versions)

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
            self.conn.execute(f"PRAGMA busy_timeout={_PATIENCE_S * 1000}")
        return not busy

    def close(self) -> None:
        """Close the file."""
        with self.lock:
            self.conn.close()


def threads_of(saver: SqliteSaver) -> Iterator[str]:
    """Yield the threads that have checkpoints."""
    yield from sorted(last_steps(saver))


def last_steps(saver: SqliteSaver) -> dict[str, str]:
    """Return the threads that have checkpoints, with the id of the last one."""
    with saver.cursor(transaction=False) as cursor:
        return dict(cursor.execute("SELECT thread_id, max(checkpoint_id) FROM checkpoints GROUP BY 1").fetchall())
