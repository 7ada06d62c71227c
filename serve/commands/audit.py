"""`gama audit`: the proof of the promises on this machine, and a search of any LangGraph app for planted values."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from gama.evals.audit.report import Report
    from gama.state.options import Options

START_S = 30.0
"""How long the gateway may take to listen."""
LEAKED = 1
"""Exit code when something leaked, was lost, or could not be tested."""


def audit(
    out: Annotated[Path, typer.Option(help="Folder for audit.html and audit.json.")] = Path("gama-audit"),
    seconds: Annotated[float, typer.Option(help="How long it may take, about.", min=1)] = 120.0,
    store: Annotated[
        str | None,
        typer.Option(
            help="An empty PostgreSQL database: crashes and erasure are tried there too. postgresql://USER@HOST/DATABASE"
        ),
    ] = None,
    graph: Annotated[
        str | None, typer.Option(help="Search this LangGraph app instead: MODULE:NAME or FILE.py:NAME.")
    ] = None,
    input: Annotated[
        str | None,
        typer.Option(
            help="What the app is given, as JSON with {text} where the text goes.", show_default="by its schema"
        ),
    ] = None,
    texts: Annotated[int, typer.Option(help="Texts that the app is given.", min=1, max=100)] = 3,
    watch: Annotated[
        list[Path] | None, typer.Option(help="Folder whose files are searched after the app's runs; may be repeated.")
    ] = None,
    trust: Annotated[
        list[str] | None, typer.Option(help="HOST or HOST:PORT that may see private text; may be repeated.")
    ] = None,
    timeout: Annotated[float, typer.Option(help="Seconds that the app's runs may take.", min=1)] = 600.0,
) -> None:
    """Attack the promises of GAMA on this machine, or search an app of yours for planted values.

    Without --graph, a loopback server stands in for the public model: nothing leaves this machine, no key is needed.
    With it, the app runs as it is, with whatever models it names. Exits with 1 if anything leaked, was lost, or could
    not be tested. See docs/security.md.
    """
    if graph is not None:
        from gama.evals.audit.app import audit_app
        from gama.evals.audit.app_report import app_page

        found = audit_app(
            graph, given=input, texts=texts, watch=tuple(watch or ()), trust=tuple(trust or ()), timeout_s=timeout
        )
        _write(out, app_page(found), found.as_json())
        for line in found.lines():
            print(line)
        clean = found.clean
    else:
        from gama.evals.audit.gateway import gateway_parts
        from gama.evals.audit.page import audit_page
        from gama.evals.audit.recorders import show
        from gama.evals.audit.run import run_audit

        served = all(find_spec(name) is not None for name in ("fastapi", "uvicorn", "prometheus_client"))
        report = run_audit(seconds=seconds, progress=show, more=gateway_parts(running) if served else (), store=store)
        _write(out, audit_page(report), report.as_json())
        _tell(report)
        clean = report.held
    print(f"\n{out / 'audit.html'}")
    if not clean:
        raise typer.Exit(LEAKED)


def _write(out: Path, page: str, data: str) -> None:
    out.mkdir(parents=True, exist_ok=True)
    (out / "audit.html").write_text(page, encoding="utf-8")
    (out / "audit.json").write_text(data + "\n", encoding="utf-8")


def _tell(report: "Report") -> None:
    print(
        f"{report.texts:,} texts, {report.values:,} private values, {report.payloads:,} payloads "
        f"({report.payload_bytes / 1e6:,.1f} MB), {report.attacks:,} attacks, {report.forms} forms, "
        f"{report.checks:,} checks in {report.seconds:.0f} s\n"
    )
    for promise in report.promises:
        outcome = "held" if promise.held else "BROKEN" if promise.broken else "NOT TESTED"
        print(f"{promise.number}  {promise.name:<12} {outcome:<11} {promise.checks:>6,} checks   {promise.promised}")
        for what in promise.broken[:5]:
            print(f"     {what}")
    for line in report.failures:
        print(f"not finished: {line}")
    if report.missed:
        print(
            f"\n{report.missed} of {report.planted} planted values were found by no detector, and crossed as they "
            "are: no promise covers them. The page says which kinds."
        )
    if report.context:
        most = max(report.context, key=lambda one: one.certainty)
        print(
            f"\nContext tells {len(report.context)} attributes of the writers of {report.context_texts} texts whose "
            f"placeholders are in, to the embedded attacker; no promise covers it. The most certain, {most.attribute} "
            f"({most.guess}, {most.certainty} of 5): {' '.join(most.sentences)}"
        )
    print("\nNot tested:")
    for line in [*report.not_tested, *report.notes]:
        print(f"- {line}")


@contextmanager
def running(home: Path, upstream: str, options: "Options") -> Iterator[str]:
    """Run a server with a gateway on a free port of loopback, within this process; gives its URL.

    Args:
        home: folder of its keys and boxes.
        upstream: base URL of what stands behind it.
        options: its own.

    Raises:
        RuntimeError: it did not start.
    """
    import uvicorn

    from gama.serve.app import create_app
    from gama.serve.http.settings import ServerSettings

    settings = ServerSettings(upstream=upstream, upstream_key="audit", home=home, access_log=False)
    app = create_app(settings, options)
    server = uvicorn.Server(
        uvicorn.Config(app, port=0, log_level="critical", lifespan="on", ws="none", log_config=None)
    )
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    late = monotonic() + START_S
    while not server.started:
        if monotonic() > late or not thread.is_alive():
            raise RuntimeError("the gateway did not start")
        sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(20)
