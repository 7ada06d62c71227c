"""What the commands of `gama eval` do: measure, print and write.

`serve/commands/eval.py` declares their options and says what each one means.
"""

import json
import warnings
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, cast

from rich.console import Group

from gama.evals import query as queries
from gama.evals.competitors.run import Competitor
from gama.evals.datasets.corpus import load, sample
from gama.evals.identify import MEANING_FIGURES, SPAN_FIGURES, SUBJECT_FIGURES, Per, evaluate, report_json
from gama.evals.letters import FIGURES, Kind, evaluate_letters, letters_json, read_letters, references
from gama.evals.mangling import measure, report
from gama.evals.mangling.catalog import choose as choose_kinds
from gama.evals.mangling.measure import Strategy
from gama.evals.methods import catalog, selectors
from gama.evals.methods.pipeline import Pipeline
from gama.evals.metrics.published import WARNING
from gama.evals.metrics.subjects import solver
from gama.evals.misses import write_misses
from gama.evals.piibench.make import Sizes, check_folder, make_sets, statistics, write_sets
from gama.evals.piibench.statistics import NOT_COMPARABLE, PUBLISHED
from gama.evals.runs import Run, provenance, run_all
from gama.evals.tables import (
    console,
    figures_table,
    groups_tables,
    leaks_table,
    parts_tables,
    published_table,
    show,
    size,
    sizes_table,
    tell_notes,
    types_table,
)
from gama.guard.terminal import clean, counting, say
from gama.privacy.anonymizer import Anonymizer
from gama.privacy.finders import Complete
from gama.state.errors import OptionError
from gama.state.options import Options

ONLY_IN_FILE = frozenset({"rouge_l_precision", "rouge_l_recall", "masked_precision", "masked_recall"})
"""Figures that would make the tables of `gama eval query` too wide."""
TASKS: dict[queries.Task, str] = {
    "given": "Private spans given (PII-Bench T2)",
    "found": "Private spans found (PII-Bench T3)",
}
LONGER: dict[str, dict[str, Any]] = {"ollama": {"num_predict": 1500}, "openai": {"max_tokens": 1500}}
"""Room for a reply that lists sixteen entities; the private agents need less."""


def identify(
    options: Options,
    data: Path | None,
    *,
    methods: str | None,
    hf: Sequence[str] | None,
    weights: Sequence[str] | None,
    marks: Sequence[str] | None,
    per: Sequence[Per],
    json_file: Path | None,
    errors: Path | None,
    limit: int | None,
    resamples: int,
) -> None:
    """Measure identification on annotated texts."""
    check_targets(json=json_file, errors=errors)
    solver()
    dataset = load(data, limit=limit, seed=options.seed)
    texts = [(record.id, record.example.text) for record in dataset.records]
    runs = _run(options, methods, hf, weights, texts, marks)
    outcome = evaluate(dataset, runs, resamples=resamples, seed=options.seed, per=per)
    shown = [figure for figure in SPAN_FIGURES if figure.name != "subtyped_f1"]
    tables = [
        figures_table("Spans", shown, outcome.rows),
        figures_table("Per person (PII-Bench)", SUBJECT_FIGURES, outcome.rows),
        figures_table("What it means", MEANING_FIGURES, outcome.rows),
    ]
    for kind, parts in outcome.parts.items():
        tables += parts_tables(kind, parts)
    show(f"{len(texts)} texts ({dataset.name})", texts, runs, tables, resamples)
    if json_file is not None:
        about = {"name": dataset.name, "sha256": dataset.sha256} | size(texts)
        settings = _settings(options, resamples, limit)
        write_json(json_file, {"command": "identify", "settings": settings, "data": about}, runs, report_json(outcome))
    if errors is not None:
        write_misses(errors, dataset, runs)
        say(f"note: {errors} holds private text in clear. Only you may read it; delete it when it has served.")


def letters(
    kind: Kind,
    options: Options,
    data: Path,
    *,
    methods: str | None,
    hf: Sequence[str] | None,
    weights: Sequence[str] | None,
    strict_type: bool,
    json_file: Path | None,
    limit: int | None,
    resamples: int,
) -> None:
    """Measure masking on the letters of GAMA."""
    check_targets(json=json_file)
    read = read_letters(data, kind)
    read = read._replace(letters=sample(read.letters, limit, options.seed))
    texts = [(letter.id, letter.text) for letter in read.letters]
    runs = [*_run(options, methods, hf, weights, texts), *references(read.letters)]
    outcome = evaluate_letters(read, runs, strict_type=strict_type, resamples=resamples, seed=options.seed)
    tables = [
        figures_table("Listed values, whole" + (", with their type" if strict_type else ""), FIGURES, outcome.rows),
        leaks_table(outcome.leaks),
        published_table(outcome.published),
    ]
    what = "the released file" if read.released else "not the released file"
    show(f"{len(texts)} {kind.upper()} letters ({what})", texts, runs, tables, resamples)
    say(f"note: {WARNING}")
    if read.absent:
        say(f"note: {read.absent} listed value(s) left out of the entity scores: not in the letter, or listed twice.")
    if json_file is not None:
        about = {"name": kind, "sha256": read.sha256, "released": read.released, "values_left_out": read.absent}
        settings = _settings(options, resamples, limit) | {"strict_type": strict_type}
        head = {"command": kind, "settings": settings, "data": about | size(texts)}
        write_json(json_file, head, runs, letters_json(outcome))


def query(
    options: Options,
    data: Path | None,
    *,
    methods: str | None,
    per: Sequence[queries.Per],
    with_names: bool,
    json_file: Path | None,
    limit: int | None,
    resamples: int,
) -> None:
    """Measure how well is told which private data a query needs."""
    check_targets(json=json_file)
    seed = options.seed
    dataset, without_query = queries.load_queries(data, limit=limit, seed=seed)
    chosen = selectors.choose(options, _listed(methods), with_names=with_names)
    chosen = [*chosen, queries.reference(dataset, names=with_names)]
    identification = Pipeline("identification", "", options).facts()
    with counting((1 + 2 * len(chosen)) * len(dataset.records)) as step:
        cases = queries.found(dataset, Anonymizer(options).identify, step)
        runs: dict[queries.Task, list[Run]] = {
            "given": [queries.run(one, queries.given(dataset), step) for one in chosen],
            "found": [queries.run(one, cases, step) for one in chosen],
        }
    outcomes = {
        task: queries.evaluate(dataset, done, resamples=resamples, seed=seed, per=per, names=with_names)
        for task, done in runs.items()
    }
    texts = [(record.id, record.example.text) for record in dataset.records]
    counted = "Names of persons count as needed too." if with_names else "Names of persons are never needed."
    head = f"{len(texts)} texts with queries ({dataset.name})"
    means = "Figures are means over texts; those called micro are over all spans together."
    show(head, texts, runs["given"], _query_tables(outcomes), resamples, f"{means} {counted}")
    tell_notes([one._replace(name=f"{one.name}, found") for one in runs["found"]])
    for note in dict.fromkeys(note for case in cases for note in case.notes):
        say(f"note: identification: {note}")
    if without_query:
        say(f"note: {without_query} text(s) without a query are left out")
    if json_file is not None:
        about = {"name": dataset.name, "sha256": dataset.sha256, "without_query": without_query} | size(texts)
        settings = _settings(options, resamples, limit) | {"with_names": with_names}
        top: dict[str, Any] = {"command": "query", "settings": settings, "data": about}
        top["identification"] = dict(identification)
        both = [one._replace(name=f"{one.name}, {task}") for task, done in runs.items() for one in done]
        write_json(json_file, top, both, queries.outcome_json(outcomes))


def make_pii_bench(options: Options, out: Path, sizes: Sizes, seed: int) -> None:
    """Make PII-Bench anew."""
    check_folder(out)
    complete = _complete(options, seed) if options.private_model else None
    with counting(sizes.single + sizes.multi + sizes.distract) as step:
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


def check_targets(**targets: Path | None) -> None:
    """Refuse, before the work, files that cannot be written.

    Raises:
        OptionError: one cannot; names its option.
    """
    for name, path in targets.items():
        if path is not None and (path.is_dir() or not path.absolute().parent.is_dir()):
            raise OptionError(f"option --{name}: {str(path)!r} is a folder, or its folder is missing")


def write_json(path: Path, head: dict[str, Any], runs: Sequence[Run], report: dict[str, Any]) -> None:
    """Write a report with its settings and what its figures depend on."""
    content = head | provenance(runs) | report
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _settings(options: Options, resamples: int, limit: int | None) -> dict[str, Any]:
    return {"resamples": resamples, "seed": options.seed, "limit": limit, "level": 0.95}


def _listed(names: str | None) -> list[str] | None:
    return None if names is None else [name.strip() for name in names.split(",") if name.strip()]


def _run(
    options: Options,
    methods: str | None,
    hf: Sequence[str] | None,
    weights: Sequence[str] | None,
    texts: Sequence[tuple[str, str]],
    marks: Sequence[str] | None = None,
) -> list[Run]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        choice = catalog.choose(
            options, _listed(methods), huggingface=hf or (), weights=weights or (), marks=marks or ()
        )
    for line in [*choice.left_out, *(str(one.message) for one in caught if one.category is UserWarning)]:
        say(f"note: {line}")
    with counting(len(choice.methods) * len(texts)) as step:
        return run_all(choice.methods, texts, step)


def _query_tables(outcomes: dict[queries.Task, queries.Outcome]) -> list[Group]:
    tables = []
    kept, masked = (
        [figure for figure in figures if figure.name not in ONLY_IN_FILE]
        for figures in (queries.KEPT_FIGURES, queries.MASKED_FIGURES)
    )
    for task, outcome in outcomes.items():
        tables += [
            figures_table(f"{TASKS[task]}: what is kept for the query", kept, outcome.rows),
            figures_table(f"{TASKS[task]}: what is masked", masked, outcome.rows),
        ]
    broken_down = [figure for figure in queries.FIGURES if figure.name in ("f1", "masked_f1", "privacy")]
    for task, outcome in outcomes.items():
        for kind, groups in outcome.groups.items():
            tables += groups_tables(TASKS[task], kind, broken_down, groups)
    return tables


def _complete(options: Options, seed: int) -> Complete:
    from gama.models.private import private_model

    model = str(options.private_model)
    loaded = private_model(model, base_url=options.private_base_url, trusted=options.trust_private_model, seed=seed)
    return cast("Complete", partial(loaded.complete, **LONGER.get(model.partition(":")[0], {})))


def restore(
    kind: Sequence[str] | None,
    sizes: str | None,
    answers: int | None,
    competitor: Sequence[str] | None,
    *,
    strategy: Strategy,
    json_file: Path | None,
    tables: bool,
    seed: int,
) -> None:
    """Measure restoring: placeholders changed as models change them, in answers and in streams."""
    if tables:
        print(report.published(), end="")
        return
    kinds = choose_kinds(kind)
    chosen = _sizes(sizes) or (report.SIDE_SIZES if competitor else measure.SIZES)
    count = answers or (report.SIDE_COUNT if competitor else measure.COUNT)
    tools = [_competitor(one) for one in competitor or ()]
    with counting(len(kinds) * len(chosen) * (1 + len(tools))) as step:
        outcomes = [measure.evaluate(measure.Ours(strategy), kinds, sizes=chosen, count=count, seed=seed, step=step)]
        for name, python in tools:
            with Competitor(name, python) as tool:
                outcome = measure.evaluate(tool, kinds, sizes=chosen, count=count, seed=seed, step=step)
                outcome.version, outcome.errors = tool.version, tool.errors
                outcomes.append(outcome)
    if tools:
        print(report.side_by_side(outcomes), report.side_by_kind(outcomes), sep="\n\n")
    else:
        held = measure.measure_streams(kinds, sizes=chosen, count=min(count, 4), seed=seed, strategy=strategy)
        print(report.summary(outcomes[0], chosen, count), report.table(outcomes[0]), sep="\n\n")
        if held.chunks:
            print(f"\n{report.holds({'answers': held})}")
            print(f"\nprocessor time for a chunk: {held.seconds / held.chunks * 1e6:.0f} µs")
    if json_file is not None:
        about = {"command": "restore", "settings": {"sizes": list(chosen), "answers": count, "seed": seed}}
        content = json.dumps(report.as_json(outcomes, about), ensure_ascii=False)
        json_file.write_text(content + "\n", encoding="utf-8")


def _sizes(text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and int(part) >= 12 for part in parts):
        raise OptionError(f"option --sizes: {text!r} is no list of numbers from 12 on, such as 12,120")
    return tuple(int(part) for part in parts)


def _competitor(text: str) -> tuple[str, Path]:
    name, sign, python = text.rpartition("=")
    if not sign or not name:
        raise OptionError(f"option --competitor: {text!r} is not NAME=PYTHON")
    return name, Path(python)
