"""`gama bench`: how fast it is, as ratios in one run."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal, cast

import typer

from gama.state.errors import OptionError, check

Json = Annotated[bool, typer.Option("--json", help="Write one JSON object.")]


def identify(
    data: Annotated[
        Path | None, typer.Option(help="Annotated .jsonl file or folder.", show_default="the shipped texts")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="Texts that are read.")] = 100,
    repeats: Annotated[int, typer.Option(min=1, help="Times that each is timed; the shortest counts.")] = 3,
    as_json: Json = False,
) -> None:
    """Time the finding of private spans, the whole anonymizer, and fresh processes, against onnxruntime alone."""
    from gama.evals.bench.identify import bench_identify, table
    from gama.evals.datasets.corpus import load

    texts = [record.example.text for record in load(data, limit=limit).records]
    result = bench_identify(texts, repeats=repeats)
    print(json.dumps(asdict(result)) if as_json else table(result))


def graph(
    latency: Annotated[float, typer.Option(help="Seconds that the loopback model takes for a call.", min=0.001)] = 2.0,
    rounds: Annotated[int, typer.Option(help="Rounds of disproof.", min=0, max=20)] = 1,
    experts: Annotated[int, typer.Option(help="Measure 1 to so many experts.", min=1, max=20)] = 10,
    tasks: Annotated[int, typer.Option(help="Tasks at once, besides; 0: none.", min=0)] = 50,
    repeat: Annotated[int, typer.Option(help="Runs of one task; the median counts.", min=1)] = 1,
    which: Annotated[str, typer.Option(help="public, whole or both.")] = "both",
    profile: Annotated[bool, typer.Option("--profile", help="Show where the time of the tasks at once goes.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Write one JSON object a line.")] = False,
) -> None:
    """Compare wall time with the critical path: one expert's call, one fusion, two calls a round of disproof.

    The model is a local HTTP server of fixed latency; hosted models take 2 to 10 seconds for such calls. The ratio
    tells how much longer than its calls a task takes; the overhead is ours, for one task. The whole graph finds and
    restores what is private besides, which the critical path leaves out.
    """
    from gama.evals.bench.graph import measure, table
    from gama.evals.bench.graph import profile as profiled

    check("--which", which, ("public", "whole", "both"))
    both = ("public", "whole") if which == "both" else (which,)
    graphs = cast("tuple[Literal['public', 'whole'], ...]", both)
    if profile:
        for name in graphs:
            print(profiled(name, latency_s=latency, rounds=rounds, tasks=max(1, tasks)))
        return
    rows = measure(
        latency_s=latency, rounds=rounds, experts=range(1, experts + 1), tasks=tasks, repeat=repeat, which=graphs
    )
    for line in (json.dumps(row.as_dict()) for row in rows) if as_json else table(rows, latency, rounds):
        print(line, flush=True)


def guard(
    entries: Annotated[
        list[int] | None, typer.Option(min=1, help="Number of values.", show_default="10, 1000, 10000")
    ] = None,
    megabytes: Annotated[float, typer.Option(min=0.1, help="Size of the payload.")] = 4.0,
    repeats: Annotated[int, typer.Option(min=1, help="Times that each is timed; the shortest counts.")] = 5,
    as_json: Json = False,
) -> None:
    """Time the guard that reads every request before it leaves: by number of values and by size."""
    from gama.evals.bench.guard import bench_guard, table

    result = bench_guard(tuple(entries or (10, 1_000, 10_000)), megabytes, repeats)
    print(json.dumps(asdict(result)) if as_json else table(result))


def restore(
    length: Annotated[int, typer.Option(min=8_000, help="Characters of the longer answers.")] = 160_000,
    repeats: Annotated[int, typer.Option(min=1, help="Times that each is timed; the shortest counts.")] = 3,
    as_json: Json = False,
) -> None:
    """Time the restoring of answers full of placeholders, and whether hostile ones take longer by length alone."""
    from gama.evals.bench.restore import bench_dense, bench_pieces, bench_restore, table

    dense, pieces, rows = bench_dense(10 * length, repeats), bench_pieces(), bench_restore(length, repeats)
    told = {"dense": [asdict(row) for row in dense], "pieces": asdict(pieces), "hostile": [asdict(row) for row in rows]}
    print(json.dumps(told) if as_json else table(dense, pieces, rows))


def gateway(
    streams: Annotated[
        list[int] | None, typer.Option(min=1, help="Streams at a time; may be repeated.", show_default="1, 16, 128")
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, help="Streams of each place, one after the other.")] = 3,
    requests: Annotated[int, typer.Option(min=10, help="Further requests, over which the memory is watched.")] = 1000,
    clients: Annotated[
        int | None, typer.Option(min=1, help="A load test instead: so many clients, each one request after the other.")
    ] = None,
    minutes: Annotated[float, typer.Option(min=0.01, help="How long the load test takes.")] = 1.0,
    words: Annotated[int, typer.Option(min=1, help="Words of a prompt.")] = 300,
    url: Annotated[
        str | None, typer.Option(help="Put a gateway under load that runs already.", show_default="one is started")
    ] = None,
    key: Annotated[str | None, typer.Option(envvar="GAMA_BENCH_KEY", help="API key for --url.")] = None,
    model: Annotated[str, typer.Option(help="Model that is asked for under --url.")] = "m",
    as_json: Json = False,
) -> None:
    """Time what the gateway adds to streams of one upstream on this machine, against calling it directly.

    With --clients, put it under load for some minutes: new prompts and known ones, streams and whole answers. The
    report has latencies, errors by status, memory, processor time, and the throughput against the encoder alone.
    """
    from gama.evals.bench.gateway import bench_gateway, table
    from gama.evals.datasets.corpus import load

    text = " ".join(record.example.text for record in load(None, limit=3).records)
    if clients is None and url is not None:
        raise OptionError("option --url: it is for the load test; name the number of --clients too")
    if clients is not None:
        from gama.evals.bench import load as loading

        outcome = loading.bench_load(
            text, clients=clients, minutes=minutes, url=url, key=key, model=model, words=words
        )  # fmt: skip
        print(json.dumps(asdict(outcome)) if as_json else loading.table(outcome))
        return
    result = bench_gateway(text, levels=tuple(streams or (1, 16, 128)), rounds=rounds, requests=requests, words=words)
    print(json.dumps(asdict(result)) if as_json else table(result))


def compare(
    python: Annotated[
        Path | None,
        typer.Option(help="Python that the tools of others are installed in.", show_default="this one"),
    ] = None,
    cell: Annotated[
        float, typer.Option(min=0.1, help="Seconds that a cell may take; larger ones are left out.")
    ] = 20.0,
    tool: Annotated[
        list[str] | None, typer.Option(help="Only this tool; may be repeated.", show_default="all that start")
    ] = None,
    most: Annotated[int, typer.Option(min=100, help="Bytes of the longest text.")] = 10_000_000,
    most_persons: Annotated[int, typer.Option(min=1, help="Persons in the text with the most.")] = 100_000,
    plot: Annotated[Path | None, typer.Option(help="Write the curves to this file, as SVG.")] = None,
    as_json: Json = False,
) -> None:
    """Time hiding beside what others offer, in one run: start, memory, throughput, cost by size and by entities.

    What is not installed is named and left out. The floor is a look at every byte; a plain expression comes next.
    """
    from gama.evals.bench.compare import ENTITIES, SIZES, bench_compare, table
    from gama.evals.bench.compare import plot as drawn
    from gama.evals.commands.shared import check_targets
    from gama.evals.competitors.hiding import TOOLS

    check_targets(plot=plot)
    sizes = [size for size in SIZES if size <= most]
    persons = [count for count in ENTITIES if count <= most_persons]
    rows = bench_compare(str(python or sys.executable), cell, tool or list(TOOLS), sizes, persons)
    if plot is not None:
        plot.write_text(drawn(rows), encoding="utf-8")
    told = [asdict(row) | {"megabytes_per_s": row.megabytes_per_s} for row in rows]
    print(json.dumps(told) if as_json else table(rows, cell))
