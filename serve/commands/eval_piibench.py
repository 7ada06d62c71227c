"""`gama eval make-pii-bench`: make PII-Bench anew, for its data was never released."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from gama.serve import choices
from gama.state.options import Options

if TYPE_CHECKING:
    from rich.table import Table

    from gama.evals.piibench.statistics import Statistics
    from gama.privacy.finders import Complete

LONGER: dict[str, dict[str, Any]] = {"ollama": {"num_predict": 1500}, "openai": {"max_tokens": 1500}}
"""Room for a reply that lists sixteen entities; the private agents need less."""


@choices.with_options(None, "private_model", "private_base_url", "trust_private_model")
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
    from gama.serve.progress import counting
    from gama.serve.scores import console
    from gama.serve.terminal import clean, say

    check_folder(out)
    sizes = Sizes(single, multi, hard, distract)
    complete = _complete(options, seed) if options.private_model else None
    with counting(single + multi + distract) as step:
        made = make_sets(sizes, seed, step, complete)
    write_sets(out, made, sizes, seed, options.private_model)
    told = statistics(made)
    printed = console()
    printed.print(clean(f"PII-Bench made anew in {out}, beside the published sets"))
    for table in (_sizes(told, PUBLISHED), _types(told, PUBLISHED)):
        printed.print()
        printed.print(table)
    for name, count in made.dropped.items():
        if count:
            say(f"note: {name}: {count} sample(s) dropped; {len(made.sets[name])} are left")
    for name, count in sorted(made.failures.items()):
        say(f"note: {count} failed replies of the private LLM in the step {name!r}")
    say(f"note: {NOT_COMPARABLE}")


def _complete(options: Options, seed: int) -> "Complete":
    from gama.models.private import private_model

    model = options.private_model
    loaded = private_model(model, base_url=options.private_base_url, trusted=options.trust_private_model, seed=seed)
    return cast("Complete", partial(loaded.complete, **LONGER.get(model.partition(":")[0], {})))


def _sizes(made: "Mapping[str, Statistics]", published: "Mapping[str, Statistics]") -> "Table":
    labels = ("samples", "subjects", "characters", "PII", "characters of query", "PII of query")
    rows = []
    for name, one in made.items():
        for who, numbers in (("made", one), ("published", published[name])):
            rows.append((f"{name}, {who}", [f"{numbers[0]:,}", *(f"{value:,.2f}" for value in numbers[1:6])]))
    return _table("set", labels, rows)


def _types(made: "Mapping[str, Statistics]", published: "Mapping[str, Statistics]") -> "Table":
    kinds = list(published["all"].types)
    rows = []
    for name, one in made.items():
        for who, numbers in (("made", one), ("published", published[name])):
            cells = [f"{numbers.types[kind]:,} {numbers.share(kind):.1f}%" for kind in kinds]
            rows.append((f"{name}, {who}", cells))
    return _table("entities by type", kinds, rows)


def _table(first: str, others: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]]) -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column(first, no_wrap=True)
    for label in others:
        table.add_column(label, justify="right", overflow="fold")
    for name, cells in rows:
        table.add_row(name, *cells)
    return table
