"""How fast private spans are found, how that grows with the text, and what a fresh process needs."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter

from gama.state.options import Options

LONG_CHARS = 12_000
"""Length of the long text: a few pages."""

# Loads what finds, reads one long text, and tells seconds and the peak of its memory.
_FRESH = """
import json, resource, sys, time
began = time.perf_counter()
import gama.privacy.anonymizer as module
imported = time.perf_counter()
from gama.models.embedded import embedded_tagger
embedded_tagger()
loaded = time.perf_counter()
anonymizer = module.Anonymizer()
text = sys.stdin.read()
anonymizer.anonymize(text)
done = time.perf_counter()
try:
    # The peak that getrusage tells begins, on Linux, with that of the process that started this one.
    peak = next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith("VmHWM"))
except OSError:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
print(json.dumps({"import_s": imported - began, "load_s": loaded - imported, "first_s": done - loaded, "peak": peak}))
"""


@dataclass(frozen=True)
class Speed:
    """What one way of finding takes for the texts."""

    name: str
    seconds: float
    """Of each text the shortest of the repeats."""
    tokens_per_s: float
    """Word pieces of the tagger's vocabulary a second."""
    ratio: float
    """Time against the tagger's, in the same run."""


@dataclass(frozen=True)
class Fresh:
    """What a process of its own needs until its first text is anonymized."""

    import_s: float
    load_s: float
    """Loading the tagger."""
    first_s: float
    """The first text, some pages long; lists and patterns are loaded on the way."""
    peak_mb: float
    """Peak of resident memory."""


@dataclass(frozen=True)
class Command:
    """What one command of the command line takes, from its start to its end: the quickest of several runs."""

    name: str
    cpu_s: float
    """Time of the processor."""
    wall_s: float


COMMANDS: dict[str, tuple[str, ...]] = {
    "import gama": ("-c", "import gama"),
    "gama --help": ("-m", "gama", "--help"),
    "gama anonymize TEXT": ("-m", "gama", "anonymize", "My name is Anna Schmidt, born 3 May 1980."),
}


@dataclass(frozen=True)
class IdentifyBench:
    """The outcome."""

    texts: int
    tokens: int
    cores: int
    speeds: tuple[Speed, ...]
    growth: float
    """Time per token of one text ten times as long, against the same text once: 1 is linear."""
    fresh: Fresh | None
    """None where the platform has no `resource` module."""
    commands: tuple[Command, ...] = ()
    """Likewise none."""


def bench_identify(texts: Sequence[str], *, repeats: int = 3, fresh: bool = True) -> IdentifyBench:
    """Time onnxruntime alone, tagger, patterns and the whole anonymizer on the same texts, in turn.

    Args:
        texts: What is read.
        repeats: Times that each is timed; the shortest counts.
        fresh: Whether a fresh process is timed too.
    """
    from gama.models.embedded import WEIGHTS, embedded_tagger, encode, load_tokenizer, windows
    from gama.privacy.anonymizer import Anonymizer
    from gama.privacy.finders import patterns

    tagger, tokenizer = embedded_tagger(), load_tokenizer(WEIGHTS)
    encoded = {text: encode(text, tokenizer) for text in texts}
    tokens = sum(len(encoded[text].pieces) for text in texts)
    feeds = {text: [tagger.feed(encoded[text], window) for window in windows(encoded[text])] for text in texts}
    ways: dict[str, Callable[[str], object]] = {
        "onnxruntime": lambda text: [tagger.run(feed) for feed in feeds[text]],
        "tagger": tagger.spans,
        "patterns": patterns(Options()),
        # A new one each time: what it remembers of a text must not count.
        "anonymize": lambda text: Anonymizer().anonymize(text),
    }
    times = dict.fromkeys(ways, 0.0)
    for find in ways.values():
        find(texts[0])
    for text in texts:
        # All ways read a text one after the other, and of each the quickest reading counts: other work only adds.
        taken: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(repeats):
            for name, find in ways.items():
                began = perf_counter()
                find(text)
                taken[name].append(perf_counter() - began)
        for name in ways:
            times[name] += min(taken[name])
    speeds = tuple(Speed(name, spent, tokens / spent, spent / times["tagger"]) for name, spent in times.items())
    return IdentifyBench(
        len(texts),
        tokens,
        os.cpu_count() or 1,
        speeds,
        _growth(texts, repeats),
        _fresh("\n\n".join(texts)[:LONG_CHARS]) if fresh else None,
        tuple(_commands(repeats)) if fresh else (),
    )


def _growth(texts: Sequence[str], repeats: int) -> float:
    from gama.models.embedded import embedded_tagger

    tagger = embedded_tagger()
    once = "\n\n".join(texts)[:LONG_CHARS]
    short: list[float] = []
    long: list[float] = []
    for _ in range(repeats):
        for text, taken in ((once, short), (once * 10, long)):
            began = perf_counter()
            tagger.spans(text)
            taken.append(perf_counter() - began)
    return float(median(long) / median(short) / 10)


def _fresh(text: str) -> Fresh | None:
    try:
        import resource  # noqa: F401
    except ImportError:
        return None
    run = subprocess.run([sys.executable, "-c", _FRESH], input=text, capture_output=True, text=True, check=True)
    found = json.loads(run.stdout)
    return Fresh(found["import_s"], found["load_s"], found["first_s"], found["peak"] / 2**20)


def _commands(repeats: int) -> Iterator[Command]:
    """Yield what commands take, each in a process of its own."""
    try:
        import resource
    except ImportError:
        return
    for name, arguments in COMMANDS.items():
        spent: list[tuple[float, float]] = []
        for _ in range(repeats + 1):
            before, began = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter()
            subprocess.run([sys.executable, *arguments], capture_output=True, check=True)
            wall, after = perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
            spent.append((after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall))
        yield Command(name, min(cpu for cpu, _ in spent), min(wall for _, wall in spent))


def table(result: IdentifyBench) -> str:
    """Return the outcome as people read it."""
    lines = [f"{result.texts} texts, {result.tokens:,} tokens, {result.cores} cores\n"]
    lines += [f"{'':12}{'tokens/s':>10}{'time / tagger':>15}"]
    lines += [f"{speed.name:12}{speed.tokens_per_s:>10,.0f}{speed.ratio:>15.2f}" for speed in result.speeds]
    lines += [f"\ntime per token, one text ten times as long: {result.growth:.2f} ×"]
    if new := result.fresh:
        lines += [
            f"fresh process: import {new.import_s:.2f} s, tagger loaded in {new.load_s:.2f} s, first text "
            f"{new.first_s:.2f} s, peak memory {new.peak_mb:.0f} MB"
        ]
    lines += [f"{one.name}: {one.cpu_s:.2f} s of the processor, {one.wall_s:.2f} s in all" for one in result.commands]
    return "\n".join(lines)
