"""`gama bench`: how fast it is, as ratios in one run."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, cast

import typer

from gama.serve import choices

benchmarks = typer.Typer(help="Measure speed and memory: ratios in one run, since machines differ.")


@benchmarks.command()
def identify(
    data: Annotated[
        Path | None, typer.Option(help="Annotated .jsonl file or folder.", show_default="the shipped texts")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="Texts that are read.")] = 100,
    repeats: Annotated[int, typer.Option(min=1, help="Times that each is timed; the median counts.")] = 3,
    as_json: choices.Json = False,
) -> None:
    """Time the finding of private spans: tagger, patterns, the whole anonymizer, and a fresh process."""
    from gama.evals.bench.identify import bench_identify
    from gama.evals.datasets.corpus import load

    texts = [record.example.text for record in load(data, limit=limit).records]
    result = bench_identify(texts, repeats=repeats)
    if as_json:
        print(json.dumps(asdict(result)))
        return
    print(f"{result.texts} texts, {result.tokens:,} tokens, {result.cores} cores\n")
    print(f"{'':12}{'tokens/s':>10}{'time / tagger':>15}")
    for speed in result.speeds:
        print(f"{speed.name:12}{speed.tokens_per_s:>10,.0f}{speed.ratio:>15.2f}")
    print(f"\ntime per token, one text ten times as long: {result.growth:.2f} ×")
    if result.fresh:
        new = result.fresh
        print(
            f"fresh process: import {new.import_s:.2f} s, tagger loaded in {new.load_s:.2f} s, first text "
            f"{new.first_s:.2f} s, peak memory {new.peak_mb:.0f} MB"
        )


@benchmarks.command()
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
    from gama.evals.bench.graph import GOAL, Row, Which, measure
    from gama.evals.bench.graph import profile as profiled

    choices.check("--which", which, ("public", "whole", "both"))
    graphs = cast("tuple[Which, ...]", ("public", "whole") if which == "both" else (which,))
    if profile:
        for name in graphs:
            print(profiled(name, latency_s=latency, rounds=rounds, tasks=max(1, tasks)))
        return
    rows: list[Row] = []
    if not as_json:
        print(f"model: {latency:g} s a call; critical path: {2 + 2 * rounds} calls; goal: at most {GOAL:g} times that")
        print(f"{'graph':<8}{'experts':>8}{'tasks':>7}{'path s':>9}{'wall s':>9}{'ratio':>8}{'ours ms/task':>14}")
    for row in measure(
        latency_s=latency, rounds=rounds, experts=range(1, experts + 1), tasks=tasks, repeat=repeat, which=graphs
    ):
        rows.append(row)
        if as_json:
            print(json.dumps(row.as_dict()), flush=True)
        else:
            print(
                f"{row.which:<8}{row.k:>8}{row.tasks:>7}{row.path_s:>9.2f}{row.wall_s:>9.2f}{row.ratio:>8.3f}"
                f"{row.overhead_ms:>14.1f}",
                flush=True,
            )
    if not as_json:
        kept = sum(row.ratio <= GOAL for row in rows)
        print(f"{kept} of {len(rows)} within {GOAL:g} times the critical path")


@benchmarks.command()
def guard(
    entries: Annotated[
        list[int] | None, typer.Option(min=1, help="Number of values.", show_default="10, 1000, 10000")
    ] = None,
    megabytes: Annotated[float, typer.Option(min=0.1, help="Size of the payload.")] = 4.0,
    repeats: Annotated[int, typer.Option(min=1, help="Times that each is timed; the shortest counts.")] = 5,
    as_json: choices.Json = False,
) -> None:
    """Time the guard that reads every request before it leaves: by number of values and by size."""
    from gama.evals.bench.guard import bench_guard

    result = bench_guard(tuple(entries or (10, 1_000, 10_000)), megabytes, repeats)
    if as_json:
        print(json.dumps(asdict(result)))
        return
    print(f"{'values':>8}{'ready s':>10}{'MB/s':>8}{'time / fewest':>15}")
    for one in result.readings:
        print(f"{one.entries:>8,}{one.build_s:>10.3f}{one.megabytes_per_s:>8.0f}{one.growth:>15.2f}")
    print(f"\ntwice the payload: {result.doubled:.2f} × the time")
    print(f"a plain search for each of 200 values, in no other form: {result.plain_ratio:.1f} × the guard's time")


@benchmarks.command()
def restore(
    length: Annotated[int, typer.Option(min=8_000, help="Characters of the longer answers.")] = 160_000,
    repeats: Annotated[int, typer.Option(min=1, help="Times that each is timed; the shortest counts.")] = 3,
    as_json: choices.Json = False,
) -> None:
    """Time the restoring of answers full of placeholders, and whether hostile ones take longer by length alone."""
    from gama.evals.bench.restore import TIMES, bench_dense, bench_restore

    dense, rows = bench_dense(10 * length, repeats), bench_restore(length, repeats)
    if as_json:
        print(json.dumps({"dense": [asdict(row) for row in dense], "hostile": [asdict(row) for row in rows]}))
        return
    print("plain: time against replacing by a pattern and a table\n")
    print(f"{'placeholders':26}{'MB/s':>9}{'plain':>9}{'stream / whole':>16}")
    for one in dense:
        print(f"{one.name:26}{one.mb_per_s:>9.1f}{one.plain:>9.1f}{one.stream:>16.1f}")
    print()
    print(f"growth: time for {TIMES} times the length, against {TIMES} times the time\n")
    print(f"{'answer full of':26}{'ms':>9}{'growth':>9}{'stream / whole':>16}")
    for row in rows:
        print(f"{row.name:26}{row.ms:>9.1f}{row.growth:>9.2f}{row.stream:>16.1f}")
    print(f"\nlargest growth: {max(row.growth for row in rows):.2f} (a square would be {TIMES})")


@benchmarks.command()
def gateway(
    streams: Annotated[
        list[int] | None, typer.Option(min=1, help="Streams at a time; may be repeated.", show_default="1, 16, 128")
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, help="Streams of each place, one after the other.")] = 3,
    requests: Annotated[int, typer.Option(min=10, help="Further requests, over which the memory is watched.")] = 1000,
    as_json: choices.Json = False,
) -> None:
    """Time what the gateway adds to streams of one upstream on this machine, against calling it directly."""
    from gama.evals.bench.gateway import bench_gateway
    from gama.evals.datasets.corpus import load

    text = " ".join(record.example.text for record in load(None, limit=3).records)
    result = bench_gateway(text, levels=tuple(streams or (1, 16, 128)), rounds=rounds, requests=requests)
    if as_json:
        print(json.dumps(asdict(result)))
        return
    print(f"prompts of {result.words} words, {result.cores} cores; milliseconds, medians; + is what the gateway adds\n")
    print(f"{'':8}{'streams':>8}{'first':>9}{'p95':>9}{'last':>9}{'+first':>9}{'+last':>9}{'streams/s':>11}")
    for way in result.ways:
        times = (way.first_ms, way.first_p95_ms, way.last_ms, way.added_first_ms, way.added_last_ms)
        print(f"{way.name:8}{way.streams:>8}" + "".join(f"{ms:>9.1f}" for ms in times) + f"{way.per_second:>11.1f}")
    if result.memory_mb:
        sizes = ", ".join(f"{size:.0f}" for size in result.memory_mb)
        print(f"\nmemory over {result.requests} further requests, MiB: {sizes}")
