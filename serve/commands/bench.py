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
def gateway(
    streams: Annotated[
        list[int] | None, typer.Option(min=1, help="Streams at a time; may be repeated.", show_default="1, 16, 128")
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, help="Streams of each place, one after the other.")] = 3,
    requests: Annotated[int, typer.Option(min=10, help="Further requests, over which the memory is watched.")] = 1000,
    as_json: Annotated[bool, typer.Option("--json", help="Write one JSON object.")] = False,
) -> None:
    """Time what the gateway adds to streams of one upstream on this machine, against calling it directly."""
    from gama.evals.bench.gateway import bench_gateway
    from gama.evals.dataset import load

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
