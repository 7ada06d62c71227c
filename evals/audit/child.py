"""A process of its own whose environment turns every tracer on: what it prints, logs and traces is searched.

Environment variables of tracing are read once a process, and standard output is a process's own.
"""

import json
import logging
import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any, NamedTuple

from gama.evals.audit.egress import crossed_by_right
from gama.evals.audit.report import Report
from gama.evals.audit.search import Channels, Searcher
from gama.evals.audit.servers import TraceServer

EVERYTHING = {
    "LANGSMITH_TRACING": "true", "LANGSMITH_TRACING_V2": "true", "LANGCHAIN_TRACING": "true",
    "LANGCHAIN_TRACING_V2": "true", "LANGSMITH_OTEL_ENABLED": "true", "LANGSMITH_API_KEY": "audit",
}  # fmt: skip
"""Every variable that turns a tracer on."""

MARK = "a-mark-of-the-programs-own"
"""What the process traces of its own: proof that the tracer listens."""


class Child(NamedTuple):
    """A process under way."""

    process: "subprocess.Popen[bytes]"
    tracer: TraceServer
    folder: Path
    traced: bool


def start(folder: Path, model_url: str, *, traced: bool, texts: int = 3) -> Child:
    """Start a process.

    Args:
        folder: an empty folder for its files.
        model_url: the server in the public model's place.
        traced: whether the public side is traced, because the option asks for it.
        texts: how many texts it sends the whole way.
    """
    folder.mkdir(parents=True)
    tracer = TraceServer()
    clean = {
        key: value for key, value in os.environ.items() if not key.startswith(("LANGSMITH_", "LANGCHAIN_", "OTEL_"))
    }
    given = {"LANGSMITH_ENDPOINT": tracer.url, "OTEL_EXPORTER_OTLP_ENDPOINT": f"{tracer.url}/otel"}
    given |= {"GAMA_HOME": str(folder / "home"), "LANGSMITH_FAILED_TRACES_DIR": str(folder / "failed")}
    command = [
        sys.executable,
        "-m",
        "gama.evals.audit.child",
        str(folder),
        model_url,
        "yes" if traced else "no",
        str(texts),
    ]
    with (folder / "stdout").open("wb") as out, (folder / "stderr").open("wb") as err:
        process = subprocess.Popen(command, env=clean | EVERYTHING | given, stdout=out, stderr=err, cwd=folder)
    return Child(process, tracer, folder, traced)


def finish(child: Child, report: Report, channels: Channels, harmless: list[bytes], patience_s: float = 300.0) -> None:
    """Wait for a process and search what it left behind."""
    how = "public side traced" if child.traced else "tracing not asked for"
    try:
        code = child.process.wait(patience_s)
    except subprocess.TimeoutExpired:
        child.process.kill()
        code = -1
    report.check(1, code == 0, f"the process for traces ended with {code}")
    with child.tracer:
        traces = child.tracer.taken()
    boxes = child.folder / "boxes.json"
    told = json.loads(boxes.read_text("utf-8")) if boxes.exists() else {"values": [], "anonymized": []}
    boxes.unlink(missing_ok=True)
    values = set(told["values"])
    searcher = Searcher(sorted(values - crossed_by_right(values, told["anonymized"])), harmless)
    whole = b"\n".join(traces)
    report.check(1, MARK.encode() in whole, "the tracer heard nothing: the search has nothing to look at")
    if child.traced:
        report.check(1, b"notice period" in whole, "the public side was to be traced and was not")
    found = {f"traces, {how}": traces}
    for name in ("stdout", "stderr", "spans"):
        path = child.folder / name
        if path.exists() and name != "spans":
            found[f"{name}, everything switched on"] = [path.read_bytes()]
        elif path.exists():
            found[f"OpenTelemetry spans, {how}"] = [path.read_bytes()]
    failed = [path.read_bytes() for path in (child.folder / "failed").rglob("*") if path.is_file()]
    kept = [path.read_bytes() for path in (child.folder / "home").rglob("*") if path.is_file()]
    found |= {"traces that failed": failed, "files at home, everything switched on": kept}
    for name, payloads in found.items():
        leaks = channels.look(name, payloads, searcher)
        report.check(1, not leaks, f"{name}: {len(set(leaks))} value(s)")


def main(folder: str, model_url: str, traced: str, texts: str) -> None:
    """Be the process: switch everything on and send texts the whole way."""
    warnings.simplefilter("ignore")
    logging.basicConfig(level=logging.DEBUG, stream=sys.stderr)
    spans = collect_spans()
    from langchain_core.globals import set_debug, set_verbose

    from gama.evals.audit.egress import box_of
    from gama.evals.audit.texts import planted
    from gama.graph.client import Gama
    from gama.state.options import Options

    set_debug(True)
    set_verbose(True)
    options = Options(
        public_model="openai:audit", public_base_url=f"{model_url}/v1", k=2, max_rounds=1, trace=traced == "yes"
    )
    gama = Gama(options)
    values: list[str] = []
    anonymized: list[str] = []
    for number in range(int(texts)):
        text = planted(1_000_000 + number)
        config = {"configurable": {"thread_id": str(number)}, "metadata": {"customer": text.canaries[0].value}}
        anonymized.append(gama.invoke({"question": text.text}, config)["anonymized"])  # type: ignore[arg-type]
        values += box_of(gama, str(number)).values()
    gama.close()
    set_debug(False)
    _trace_a_mark()
    (Path(folder) / "boxes.json").write_text(json.dumps({"values": values, "anonymized": anonymized}), "utf-8")
    if spans is not None:
        (Path(folder) / "spans").write_text("\n".join(span.to_json() for span in spans.get_finished_spans()), "utf-8")


def _trace_a_mark() -> None:
    """Trace a run of the program's own, and wait until everything is sent."""
    from langchain_core.runnables import RunnableLambda

    RunnableLambda(str.upper).invoke(MARK)
    flush_traces()


def flush_traces() -> None:
    """Wait until all that was traced is sent."""
    from langchain_core.tracers.langchain import wait_for_all_tracers

    from gama.guard.tracing import public_tracer

    wait_for_all_tracers()
    public_tracer().flush()


def collect_spans() -> Any:
    """Return what collects OpenTelemetry's spans in memory; None where its SDK is not installed."""
    try:
        from opentelemetry import trace
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import SimpleSpanProcessor
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
    except ImportError:
        return None
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    return exporter


if __name__ == "__main__":
    main(*sys.argv[1:])
