"""The search of any LangGraph app: it is run with planted values, and all that comes out of it is searched for them."""

import base64
import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from random import Random
from time import monotonic

from gama.evals.audit.app_report import AppChannel, AppReport
from gama.evals.audit.canaries import card, email, iban, name, phone, reference
from gama.evals.audit.child import EVERYTHING
from gama.evals.audit.report import versions
from gama.evals.audit.search import Searcher
from gama.evals.audit.servers import TraceServer
from gama.evals.audit.texts import letter
from gama.state.errors import InputError

_LARGEST = 512 * 1024 * 1024
"""Bytes of a watched file that is searched; larger ones are named."""
_UNSEEN = (
    "What native code sends by itself (gRPC, a database's C library) is not seen, nor what other processes do.",
    "Tracing was switched on by every environment variable there is, to a server on this machine.",
)


def audit_app(
    graph: str,
    *,
    given: str | None = None,
    texts: int = 3,
    watch: Sequence[Path] = (),
    trust: Sequence[str] = (),
    timeout_s: float = 600.0,
) -> AppReport:
    """Run an app in a process of its own with planted values, and search.

    Args:
        graph: `module:name`, `file.py:name` or `langgraph.json:name`.
        given: its input as JSON with `{text}`; by default by its schema.
        texts: how many texts it is given, twice each.
        watch: folders whose files are searched afterwards.
        trust: `host` or `host:port` that may see private text, such as a local model's.
        timeout_s: seconds after which the process is ended.

    Raises:
        InputError: the app or its input cannot be used.
    """
    began = monotonic()
    planted, letters = _planted(texts)
    report = AppReport(graph, planted, texts, versions=versions(), notes=list(_UNSEEN))
    searcher = Searcher(planted.values())
    kinds = {value: kind for kind, value in planted.items()}
    if set(searcher.find("\n".join(letters).encode())) != set(kinds):
        report.failures.append("the search does not find all that was planted")
    folder = Path(tempfile.mkdtemp(prefix="gama-audit-"))
    try:
        with TraceServer() as tracer:
            _run(report, folder, {"graph": graph, "given": given, "texts": letters}, tracer, timeout_s)
            seen = _records(report, folder)
            seen += [("traces", "", trace) for trace in tracer.taken()]
        seen += [(channel, "", (folder / channel).read_bytes()) for channel in ("stdout", "stderr")]
        for channel in ("callbacks", "traces"):
            # Shown even where nobody was told anything.
            report.channels[channel] = AppChannel(channel)
        for channel, place, data in [*seen, *_files(report, watch)]:
            _search(report, searcher, kinds, channel, place, data)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for found in report.channels.values():
        address = found.name.removeprefix("sent to ")
        found.trusted = address in trust or address.rpartition(":")[0] in trust
    report.seconds = round(monotonic() - began, 1)
    return report


def _planted(texts: int) -> tuple[dict[str, str], list[str]]:
    """Return values by kind and number, and texts with them; other ones every time, so that no file has them yet."""
    dice = Random(secrets.token_hex(16))
    values: dict[str, str] = {}
    letters = []
    for number in range(1, texts + 1):
        canaries = [name(dice, "English"), *(make(dice) for make in (email, phone, iban, card, reference))]
        values |= {f"{canary.kind} {number}": canary.value for canary in canaries}
        letters.append(letter(canaries))
    return values, letters


def _run(report: AppReport, folder: Path, job: dict[str, object], tracer: TraceServer, timeout_s: float) -> None:
    """Run the process; what it prints and traces is kept."""
    port = int(tracer.url.rpartition(":")[2])
    (folder / "job.json").write_text(json.dumps(job | {"own_ports": [port]}), "utf-8")
    clean = {
        key: value for key, value in os.environ.items() if not key.startswith(("LANGSMITH_", "LANGCHAIN_", "OTEL_"))
    }
    traced = {"LANGSMITH_ENDPOINT": tracer.url, "OTEL_EXPORTER_OTLP_ENDPOINT": f"{tracer.url}/otel"}
    traced |= {"LANGSMITH_FAILED_TRACES_DIR": str(folder / "failed")}
    command = [sys.executable, "-m", "gama.evals.audit.app_child", str(folder)]
    with (folder / "stdout").open("wb") as out, (folder / "stderr").open("wb") as err:
        process = subprocess.Popen(command, env=clean | EVERYTHING | traced, stdout=out, stderr=err)
        try:
            code = process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            report.failures.append(f"the app's runs took longer than {timeout_s:g} s and were ended")
            return
        except BaseException:
            process.kill()
            raise
    if code not in (0, 2):
        said = (folder / "stderr").read_text("utf-8", "replace").strip().splitlines()
        report.failures.append(f"the process ended with {code}: {said[-1][:300] if said else 'it said nothing'}")


def _records(report: AppReport, folder: Path) -> list[tuple[str, str, bytes]]:
    """Read what the process has recorded; remarks and failures go to the report.

    Raises:
        InputError: the app or its input cannot be used.
    """
    path = folder / "records.jsonl"
    out: list[tuple[str, str, bytes]] = []
    for line in path.read_text("utf-8").splitlines() if path.exists() else ():
        record = json.loads(line)
        channel, place, data = record["channel"], record["place"], base64.b64decode(record["data"])
        if channel == "refused":
            raise InputError(data.decode())
        if channel == "note":
            if data.decode() not in report.notes:
                report.notes.append(data.decode())
        elif channel == "failed":
            if (said := f"the app failed: {place}") not in report.failures:
                report.failures.append(said)
        elif channel == "sent to":
            out.append((f"sent to {place}", "", data))
        elif channel != "done":
            out.append((channel, place, data))
    return out


def _files(report: AppReport, watch: Sequence[Path]) -> list[tuple[str, str, bytes]]:
    out = []
    for folder in watch:
        if not folder.exists():
            report.failures.append(f"there is no folder {folder} to watch")
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.stat().st_size > _LARGEST:
                report.notes.append(f"{path} is too large and was not searched.")
            elif path.is_file():
                out.append(("files", str(path.relative_to(folder)), path.read_bytes()))
    return out


def _search(
    report: AppReport, searcher: Searcher, kinds: dict[str, str], channel: str, place: str, data: bytes
) -> None:
    row = report.channels.setdefault(channel, AppChannel(channel))
    row.payloads += 1
    row.size += len(data)
    for value in searcher.find(data):
        row.found[kinds[value]] = row.found.get(kinds[value], 0) + 1
        if place and place not in row.places:
            row.places.append(place)
