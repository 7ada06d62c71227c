"""`gama bench`: how fast it is, as ratios in one run."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

benchmarks = typer.Typer(help="Measure speed and memory: ratios in one run, since machines differ.")


@benchmarks.callback()
def bench() -> None:
    """Measure speed and memory: ratios in one run, since machines differ."""


@benchmarks.command()
def identify(
    data: Annotated[
        Path | None, typer.Option(help="Annotated .jsonl file or folder.", show_default="the shipped texts")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="Texts that are read.")] = 100,
    repeats: Annotated[int, typer.Option(min=1, help="Times that each is timed; the median counts.")] = 3,
    as_json: Annotated[bool, typer.Option("--json", help="Write one JSON object.")] = False,
) -> None:
    """Time the finding of private spans: tagger, patterns, the whole anonymizer, and a fresh process."""
    from gama.evals.bench.identify import bench_identify
    from gama.evals.dataset import load

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
def guard(
    entries: Annotated[
        list[int] | None, typer.Option(min=1, help="Number of values.", show_default="10, 1000, 10000")
    ] = None,
    megabytes: Annotated[float, typer.Option(min=0.1, help="Size of the payload.")] = 4.0,
    repeats: Annotated[int, typer.Option(min=1, help="Times that each is timed; the shortest counts.")] = 5,
    as_json: Annotated[bool, typer.Option("--json", help="Write one JSON object.")] = False,
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
