"""`gama eval query`: how well is told which private data a query needs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from gama.evals.commands.shared import Curves, JsonFile, Limit, Resamples, check_curves, check_targets, write_json
from gama.state.errors import check
from gama.state.options import Options

if TYPE_CHECKING:
    from rich.console import Group

    from gama.evals.datasets.corpus import Dataset
    from gama.evals.methods.selectors import Examples
    from gama.evals.query import Outcome, Per, Task
    from gama.evals.runs import Run

Methods = Annotated[
    str | None,
    typer.Option(
        help="Comma-separated: all-hidden, none-hidden, embedded; with --private also naive, choice, self_cot, "
        "auto_cot, auto_cot_generated, self_consistency, sc_vote, ps_cot. The others are compared with the first.",
        show_default="all-hidden,none-hidden,embedded, with --private also choice",
    ),
]
ONLY_IN_FILE = frozenset({"rouge_l_precision", "rouge_l_recall", "masked_precision", "masked_recall"})
"""Figures that would make the tables too wide."""


def query(
    options: Options,
    data: Annotated[
        Path | None,
        typer.Option(
            help="Annotated .jsonl file with queries, or a folder of them.", show_default="the shipped development set"
        ),
    ] = None,
    methods: Methods = None,
    per: Annotated[
        list[str] | None,
        typer.Option(help="Break down by source, or by the number of needed spans (needed); may be repeated."),
    ] = None,
    with_names: Annotated[
        bool, typer.Option("--with-names", help="Names of persons may be needed and kept too.")
    ] = False,
    demonstrations: Annotated[
        Path | None,
        typer.Option(help="auto_cot_generated: keep its worked examples in this file. It will hold texts of the data."),
    ] = None,
    curves: Curves = None,
    json_file: JsonFile = None,
    limit: Limit = None,
    resamples: Resamples = 1000,
) -> None:
    """Measure how well is told which private data a query needs: it stays in clear, the rest is hidden."""
    kinds = cast("list[Per]", list(dict.fromkeys(per or [])))
    check("--per", kinds, ("source", "needed"))
    check_targets(json_file=json_file, demonstrations=demonstrations)
    check_curves(curves)
    seed = options.seed
    from gama.evals.methods.listing import list_all
    from gama.evals.methods.pipeline import Pipeline
    from gama.evals.methods.selectors import choose, listers
    from gama.evals.query import (
        KEPT_FIGURES,
        evaluate,
        evaluate_lists,
        found,
        given,
        load_queries,
        outcome_json,
        reference,
        run,
    )
    from gama.evals.tables import show, size, tell_notes
    from gama.guard.terminal import counting, say
    from gama.privacy.anonymizer import Anonymizer

    dataset, without_query = load_queries(data, limit=limit, seed=seed)
    named = None if methods is None else [name.strip() for name in methods.split(",") if name.strip()]
    examples = _examples(options, dataset, demonstrations)
    chosen = choose(options, named, with_names=with_names, examples=examples)
    selectors = [*chosen, reference(dataset, names=with_names)]
    free = listers(options, [one.name for one in chosen], examples)
    identification = Pipeline("identification", "", options).facts()
    with counting((1 + len(free) + 2 * len(selectors)) * len(dataset.records)) as step:
        asked = [
            (case.id, case.text, case.query, list(dict.fromkeys(one.text for one in case.entities)))
            for case in given(dataset)
        ]
        lists = [list_all(one, asked, step) for one in free]
        cases = found(dataset, Anonymizer(options).identify, step)
        runs: dict[Task, list[Run]] = {
            "given": [run(one, given(dataset), step) for one in selectors],
            "found": [run(one, cases, step) for one in selectors],
        }
    outcomes: dict[Task, Outcome] = {
        task: evaluate(dataset, done, resamples=resamples, seed=seed, per=kinds, names=with_names)
        for task, done in runs.items()
    }
    if lists:
        alone = evaluate_lists(dataset, lists, resamples=resamples, seed=seed, per=kinds, names=with_names)
        outcomes = {"free": alone, **outcomes}
    texts = [(record.id, record.example.text) for record in dataset.records]
    counted = "Names of persons count as needed too." if with_names else "Names of persons are never needed."
    head = f"{len(texts)} texts with queries ({dataset.name})"
    means = "Figures are means over texts; those called micro are over all spans together."
    show(head, texts, runs["given"], _tables(outcomes), resamples, f"{means} {counted}")
    tell_notes([one._replace(name=f"{one.name}, found") for one in runs["found"]])
    for one in lists:
        for note, count in one.notes.items():
            say(f"note: {one.name}, own list: {note} ({count} text{'s' if count > 1 else ''})")
    for note in dict.fromkeys(note for case in cases for note in case.notes):
        say(f"note: identification: {note}")
    if without_query:
        say(f"note: {without_query} text(s) without a query are left out")
    if curves is not None:
        from gama.evals.curves import of_records, write_curves

        for task, outcome in outcomes.items():
            axes = of_records(dataset.records, query=True)
            write_curves(curves, f"query-{task}", axes, KEPT_FIGURES[0], outcome.scores, resamples=resamples, seed=seed)
    if json_file is not None:
        about = {"name": dataset.name, "sha256": dataset.sha256, "without_query": without_query} | size(texts)
        settings = {"resamples": resamples, "seed": seed, "limit": limit, "level": 0.95, "with_names": with_names}
        top: dict[str, Any] = {"command": "query", "settings": settings, "data": about}
        top["identification"] = dict(identification)
        both = [one._replace(name=f"{one.name}, {task}") for task, done in runs.items() for one in done]
        write_json(json_file, top, both, outcome_json(outcomes))


def _examples(options: Options, dataset: "Dataset", path: Path | None) -> "Examples":
    """Return what gives the worked examples: made of the data set's own queries, once, at the first call."""
    from functools import cache

    from gama.evals.piibench.demonstrations import COUNT, Demonstration, generate, kept
    from gama.privacy.finders import private_llm

    model = options.private_model
    settings = {"model": model if isinstance(model, str) else type(model).__name__, "data": dataset.sha256}
    settings |= {"texts": str(len(dataset.records)), "seed": str(options.seed), "count": str(COUNT)}

    def make() -> list[Demonstration]:
        complete = private_llm(options)
        assert complete is not None, "a method that needs examples has been refused without a private LLM"
        records = dataset.records
        texts, queries = [one.example.text for one in records], [one.query for one in records]
        return generate(complete, texts, queries, seed=options.seed)

    return cache(lambda: kept(path, settings, make))


def _tables(outcomes: "dict[Task, Outcome]") -> "list[Group]":
    from gama.evals.query import FIGURES, KEPT_FIGURES, MASKED_FIGURES
    from gama.evals.tables import figures_table, groups_tables

    titles: dict[Task, str] = {
        "free": "The model's own list, nothing given (PII-Bench T2, unrestricted)",
        "given": "Private spans given (PII-Bench T2, chosen from candidates: easier)",
        "found": "Private spans found (PII-Bench T3)",
    }
    tables = []
    kept, masked = (
        [figure for figure in figures if figure.name not in ONLY_IN_FILE] for figures in (KEPT_FIGURES, MASKED_FIGURES)
    )
    for task, outcome in outcomes.items():
        tables.append(figures_table(f"{titles[task]}: what is kept for the query", kept, outcome.rows))
        if task != "free":
            tables.append(figures_table(f"{titles[task]}: what is masked", masked, outcome.rows))
    for task, outcome in outcomes.items():
        names = ("f1",) if task == "free" else ("f1", "masked_f1", "privacy")
        broken_down = [figure for figure in FIGURES if figure.name in names]
        for kind, groups in outcome.groups.items():
            tables += groups_tables(titles[task], kind, broken_down, groups)
    return tables
