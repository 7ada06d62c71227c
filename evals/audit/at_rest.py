"""The proof of encryption at rest: the databases are searched while they are in use, and sealed values are moved."""

import uuid
import warnings
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver

from gama.evals.audit.egress import answer_with_placeholders, box_of
from gama.evals.audit.report import Report
from gama.evals.audit.search import Searcher
from gama.evals.audit.servers import ModelServer
from gama.evals.audit.store import rows
from gama.evals.audit.texts import planted
from gama.graph.client import Gama
from gama.state.errors import SealError
from gama.state.options import Options
from gama.vault.storage import Storage, open_storage

_TELLING = 30
"""Characters of an anonymized text that stand in no database by chance."""


def at_rest(report: Report, server: ModelServer, home: Path, store: str | None = None) -> None:
    """Keep two conversations, search what lies in the database, and move what is sealed in it.

    Args:
        report: takes the outcome.
        server: stands in for the public model.
        home: folder of keys, and of checkpoints.
        store: a PostgreSQL database that takes the checkpoints instead; the conversations are forgotten in the end.
    """
    server.reply = answer_with_placeholders
    options = Options(public_model="openai:audit", public_base_url=f"{server.url}/v1", k=1, disprove="off")
    gama = Gama(options, home=home, store=store)
    with closing(gama), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        threads = [f"audit-rest-{uuid.uuid4().hex}" for _ in range(2)]
        for number, thread in enumerate(threads):
            text = planted(750_000 + number).text
            reply = gama.invoke({"question": text}, {"configurable": {"thread_id": thread}})
            # While the conversation is under way, as whoever takes the disk then would find it.
            kept = b"\n".join([*rows(store), *_files(home)] if store else _files(home))
            entries = box_of(gama, thread).private_entries()
            values = Searcher([entry.surface for entry in entries if entry.surface not in reply["anonymized"]])
            report.check(9, not values.find(kept), "a value of a box lies in the database")
            line = max(reply["anonymized"].splitlines(), key=len)[:_TELLING]
            report.check(9, line.encode() not in kept, "a text lies in the database in clear")
            report.check(9, gama.graph.vault.keys.key(thread, make=False) not in kept, "a key lies there unwrapped")
        sealed = gama.graph.get_state({"configurable": {"thread_id": threads[0]}}).values["sealed_box"]
        other = _refused(lambda: gama.graph.vault.open(threads[1], sealed))
        report.check(9, other, "a sealed value opens for another conversation")
        storage = open_storage(gama.graph.vault, home, store)
        try:
            _moved(report, storage, *threads)
        finally:
            storage.close()
        if store:
            for thread in threads:
                gama.forget(thread)
    server.taken()
    place = " in PostgreSQL" if store else ""
    report.promise(9).figures |= {f"bytes searched{place}": len(kept), f"rows moved{place}": 2}


def _moved(report: Report, storage: Storage, thread: str, other: str) -> None:
    """Write rows as somebody would who has the database and no key; the saver must refuse to read them."""
    saver: Any = storage.private
    inner: BaseCheckpointSaver[Any] = saver.inner
    found = inner.get_tuple(_config(thread))
    theirs = inner.get_tuple(_config(other))
    assert found is not None and theirs is not None
    values = found.checkpoint["channel_values"]
    sealed = sorted(channel for channel, value in values.items() if isinstance(value, bytes))
    report.check(9, len(sealed) == len(values), "a value of a checkpoint is not sealed")
    report.check(9, _fails(saver, inner, other, theirs, dict(values)), "a row of another conversation is read")
    if len(sealed) > 1:
        # Within one conversation the key is the same: only the place that a value is bound to differs.
        swapped = dict(zip(sealed, [*(values[channel] for channel in sealed[1:]), values[sealed[0]]], strict=True))
        report.check(9, _fails(saver, inner, thread, found, values | swapped), "a value in another one's place is read")


def _fails(saver: Any, inner: Any, thread: str, found: Any, values: dict[str, Any]) -> bool:
    """Write values over a thread's last checkpoint; returns whether reading it is refused. Put back what was there."""
    # A namespace of its own: the thread itself stays as it is.
    config: Any = {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}
    versions = found.checkpoint["channel_versions"]
    moved = {**found.checkpoint, "channel_values": values, "channel_versions": dict.fromkeys(values, 1) | versions}
    try:
        # A value of a version that is there already would not be written over.
        inner.delete_thread(thread)
        inner.put(config, moved, found.metadata, moved["channel_versions"])
        return _refused(lambda: saver.get_tuple(_config(thread)))
    finally:
        inner.delete_thread(thread)
        inner.put(config, found.checkpoint, found.metadata, versions)


def _config(thread: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread}}


def _refused(read: Callable[[], Any]) -> bool:
    try:
        read()
    except SealError:
        return True
    return False


def _files(home: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted(home.rglob("*")) if path.is_file()]
