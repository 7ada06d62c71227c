"""Runs one harness under atheris: `python -m tests.fuzz.run NAME [SECONDS]`.

Inputs that reach new code are kept in `.fuzz/NAME`, and inputs that break something beside it, as `crash-NAME-…`.
`python -m tests.fuzz.run NAME FILE` tries one of them again.
"""

import importlib
import sys
from pathlib import Path

KEPT = Path(__file__).parents[2] / ".fuzz"
NAMES = ("mapping", "remapping", "replies", "guarding", "documents", "gateway")


def main(name: str, rest: str = "60") -> None:
    """Run a harness for some seconds, or on one file."""
    if name not in NAMES:
        sys.exit(f"there is no harness {name!r}; known: {', '.join(NAMES)}")
    module = f"tests.fuzz.{name}"
    if not rest.isdigit():
        importlib.import_module(module).one(Path(rest).read_bytes())
        return
    try:
        import atheris
    except ImportError:
        sys.exit("fuzzing needs atheris: pip install 'gama-privacy[fuzz]'")
    with atheris.instrument_imports(include=["gama", module]):
        harness = importlib.import_module(module)
    corpus = KEPT / name
    corpus.mkdir(parents=True, exist_ok=True)
    for seed in SEEDS:
        (corpus / f"seed-{len(seed)}-{seed[0]}").write_bytes(seed)
    options = [f"-max_total_time={rest}", f"-artifact_prefix={KEPT}/crash-{name}-", "-max_len=4096", "-timeout=20"]
    # Atheris takes over the arguments of a program of C; it ends the process itself.
    atheris.Setup([sys.argv[0], *options, "-print_final_stats=1", str(corpus)], harness.one)
    atheris.Fuzz()


SEEDS = tuple(bytes((start + step * at) % 256 for at in range(size)) for start, step, size in (
    (3, 7, 40), (90, 1, 160), (17, 31, 400), (200, 11, 900), (1, 101, 2000),
))  # fmt: skip
"""Inputs to begin with, also tried by the ordinary tests."""

if __name__ == "__main__":
    main(*sys.argv[1:3])
