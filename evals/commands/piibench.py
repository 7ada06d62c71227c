"""`gama eval make-pii-bench`: make PII-Bench anew, for its data was never released."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gama.state.options import Options

if TYPE_CHECKING:
    from gama.privacy.finders import Complete

LONGER = 1500
"""Tokens of a reply that lists sixteen entities, at the least; the private agents need less."""


def make_pii_bench(
    options: Options,
    out: Annotated[Path, typer.Option(help="Folder for the four .jsonl files and card.json; empty, or not there yet.")],
    seed: Annotated[int, typer.Option(help="Seed of every draw.")] = 1,
    single: Annotated[int, typer.Option(min=0, help="Samples of one person.")] = 1214,
    multi: Annotated[int, typer.Option(min=0, help="Samples of two persons.")] = 1228,
    hard: Annotated[int, typer.Option(min=0, help="The hardest of these.")] = 200,
    distract: Annotated[int, typer.Option(min=0, help="Samples put together from five of these.")] = 200,
) -> None:
    """Make PII-Bench anew: invented people, texts and queries, from templates or by a private LLM."""
    from gama.evals.piibench.make import Sizes, check_folder, make_sets, statistics, write_sets
    from gama.evals.piibench.statistics import NOT_COMPARABLE, PUBLISHED
    from gama.evals.tables import console, sizes_table, types_table
    from gama.guard.terminal import clean, counting, say

    check_folder(out)
    sizes = Sizes(single, multi, hard, distract)
    complete = _complete(options, seed) if options.private_model else None
    with counting(single + multi + distract) as step:
        made = make_sets(sizes, seed, step, complete)
    write_sets(out, made, sizes, seed, options.private_model)
    told = statistics(made)
    printed = console()
    printed.print(clean(f"PII-Bench made anew in {out}, beside the published sets"))
    for table in (sizes_table(told, PUBLISHED), types_table(told, PUBLISHED)):
        printed.print()
        printed.print(table)
    for name, count in made.dropped.items():
        if count:
            say(f"note: {name}: {count} sample(s) dropped; {len(made.sets[name])} are left")
    for name, count in sorted(made.failures.items()):
        say(f"note: {count} failed replies of the private LLM in the step {name!r}")
    say(f"note: {NOT_COMPARABLE}")


def _complete(options: Options, seed: int) -> "Complete":
    from gama.models.private import decoding_of, private_model

    decoding = decoding_of(options)
    return private_model(
        options.private_model,
        base_url=options.private_base_url,
        trusted=options.trust_private_model,
        seed=seed,
        decoding=decoding._replace(max_tokens=max(LONGER, decoding.max_tokens)),
    ).complete
