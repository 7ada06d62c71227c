"""`gama eval identify`, `kpp` and `lpp`: measure what is found, and what would leave."""

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from gama.evals.commands.shared import (
    Curves,
    JsonFile,
    Limit,
    Resamples,
    check_curves,
    check_packages,
    check_targets,
    write_json,
)
from gama.state.errors import OptionError, check
from gama.state.options import Options

if TYPE_CHECKING:
    from gama.evals.datasets.letters import Letters
    from gama.evals.methods.base import Method
    from gama.evals.metrics.similarity import Encoder
    from gama.evals.runs import Run

Methods = Annotated[
    str | None,
    typer.Option(
        help="Comma-separated: pipeline, strict, embedded, tagger, accurate, patterns, no-pia, no-fusion, presidio, "
        "regex, nothing, ner-pre, ner-pre-published, llm-subjects, public-llm-subjects. The last two ask the private "
        "or the public model, which gets RAW texts. The others are compared with the first.",
        show_default="all that can run but strict, accurate and the last four",
    ),
]
HuggingFace = Annotated[
    list[str] | None,
    typer.Option("--hf", metavar="NAME[@REVISION]|FOLDER", help="A token classifier of Hugging Face; may be repeated."),
]
Weights = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=FOLDER", help="Another embedded tagger, put into the pipeline; may be repeated."),
]
Marks = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=PATH", help="Another annotation of the same texts, compared like a method; may be repeated."
    ),
]
Competitors = Annotated[
    list[str] | None,
    typer.Option(
        "--competitor",
        metavar="NAME[:MODEL]=PYTHON",
        help="Another tool (presidio, rampart, argus-redact, gliner), and the Python it is installed in; may be "
        "repeated. See docs/evaluation.md.",
    ),
]


def identify(
    options: Options,
    data: Annotated[
        Path | None,
        typer.Option(help="Annotated .jsonl file, or a folder of them.", show_default="the shipped development set"),
    ] = None,
    suite: Annotated[
        bool,
        typer.Option("--suite", help="On the shipped classes of texts that nobody tunes on, a line for each."),
    ] = False,
    methods: Methods = None,
    hf: HuggingFace = None,
    weights: Weights = None,
    competitor: Competitors = None,
    marks: Marks = None,
    bilstm: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="A BiLSTM-CRF that `gama eval train-bilstm` trained.")
    ] = None,
    per: Annotated[
        list[str] | None, typer.Option(help="Break down by type, subtype or source; may be repeated.")
    ] = None,
    json_file: JsonFile = None,
    curves: Curves = None,
    errors: Annotated[
        Path | None,
        typer.Option(help="Write what was missed and hidden without need to this file. It will hold private text."),
    ] = None,
    joined: Annotated[
        int, typer.Option(min=1, help="Join so many neighbouring texts to one: what a long paste loses against them.")
    ] = 1,
    limit: Limit = None,
    resamples: Resamples = 1000,
) -> None:
    """Measure identification on annotated texts: methods side by side, with intervals."""
    wanted = list(dict.fromkeys(per or []))
    check("--per", wanted, ("type", "subtype", "source"))
    check_targets(json_file=json_file, errors=errors)
    check_curves(curves)
    seed = options.seed
    if suite:
        if other := next((name for name, given in (
            ("data", data), ("joined", joined > 1), ("marks", marks), ("per", per), ("curves", curves),
            ("errors", errors),
        ) if given), None):  # fmt: skip
            raise OptionError(f"option --suite: it does not go with --{other}")
        _suite(options, methods or "pipeline", (hf, weights, bilstm, competitor), json_file, limit, resamples)
        return
    from gama.evals.datasets.corpus import joined as join
    from gama.evals.datasets.corpus import load
    from gama.evals.identify import MEANING_FIGURES, SPAN_FIGURES, SUBJECT_FIGURES, evaluate, report_json
    from gama.evals.metrics.subjects import solver
    from gama.evals.tables import figures_table, parts_tables, show, size
    from gama.guard.terminal import say

    solver()
    if joined > 1 and (marks or errors is not None):
        raise OptionError("option --joined: other marks and errors are those of single texts; leave one out")
    dataset = load(data, limit=limit, seed=seed)
    if joined > 1:
        dataset = dataset._replace(name=f"{dataset.name}, joined by {joined}", records=join(dataset.records, joined))
    texts = [(record.id, record.example.text) for record in dataset.records]
    runs = _run(options, methods, hf, weights, texts, marks, bilstm, competitor)
    report = evaluate(dataset, runs, resamples=resamples, seed=seed, per=wanted)  # type: ignore[arg-type]
    shown = [figure for figure in SPAN_FIGURES if figure.name != "subtyped_f1"]
    tables = [
        figures_table("Spans", shown, report.rows),
        figures_table("Per person (PII-Bench)", SUBJECT_FIGURES, report.rows),
        figures_table("What it means", MEANING_FIGURES, report.rows),
    ]
    for kind, parts in report.parts.items():
        tables += parts_tables(kind, parts)
    show(f"{len(texts)} texts ({dataset.name})", texts, runs, tables, resamples)
    if json_file is not None:
        about = {"name": dataset.name, "sha256": dataset.sha256} | size(texts)
        settings = {"resamples": resamples, "seed": seed, "limit": limit, "level": 0.95, "joined": joined}
        write_json(json_file, {"command": "identify", "settings": settings, "data": about}, runs, report_json(report))
    if curves is not None:
        from gama.evals.curves import of_records, write_curves

        figure = "strict_f1" if any(run.subjects for run in runs) else "ent_global_f1"
        chosen = next(one for one in SUBJECT_FIGURES if one.name == figure)
        told = {run.name: report.scores[run.name] for run in runs if run.subjects or figure == "ent_global_f1"}
        write_curves(curves, "identify", of_records(dataset.records), chosen, told, resamples=resamples, seed=seed)
    if errors is not None:
        from gama.evals.misses import write_misses

        write_misses(errors, dataset, runs)
        say(f"note: {errors} holds private text in clear. Only you may read it; delete it when it has served.")


def _suite(
    options: Options,
    methods: str,
    more: tuple[list[str] | None, list[str] | None, Path | None, list[str] | None],
    json_file: Path | None,
    limit: int | None,
    resamples: int,
) -> None:
    from gama.evals.suite import FIGURES, evaluate_suite, load_suite, suite_json
    from gama.evals.tables import show, size, suite_table

    seed = options.seed
    sets = load_suite(limit=limit, seed=seed)
    texts = [(record.id, record.example.text) for dataset in sets.values() for record in dataset.records]
    hf, weights, bilstm, competitors = more
    runs = _run(options, methods, hf, weights, texts, None, bilstm, competitors)
    parts = evaluate_suite(sets, runs, resamples=resamples, seed=seed)
    show(f"{len(texts)} texts of {len(sets)} classes", texts, runs, [suite_table(FIGURES, parts)], 0)
    if json_file is not None:
        hashes = {name: dataset.sha256 for name, dataset in sets.items()}
        settings = {"resamples": resamples, "seed": seed, "limit": limit, "level": 0.95}
        head = {"command": "identify --suite", "settings": settings, "data": {"sha256": hashes} | size(texts)}
        write_json(json_file, head, runs, suite_json(parts))


def _command(kind: Literal["kpp", "lpp"], file: str) -> Callable[..., None]:
    """Return the command for one of the two files of letters."""

    def letters(
        options: Options,
        data: Annotated[Path, typer.Option(help=f"The released {file}.")],
        methods: Methods = None,
        hf: HuggingFace = None,
        weights: Weights = None,
        strict_type: Annotated[bool, typer.Option("--strict-type", help="The type must agree too.")] = False,
        encoder: Annotated[
            str | None,
            typer.Option(
                metavar="NAME|FOLDER",
                help="Encoder of Hugging Face for the likeness.",
                show_default="the word vectors that ship",
            ),
        ] = None,
        pad_mean: Annotated[
            bool, typer.Option("--pad-mean", help="Average over the filling too, as the published figures do.")
        ] = False,
        json_file: JsonFile = None,
        limit: Limit = None,
        resamples: Resamples = 1000,
    ) -> None:
        check_targets(json_file=json_file)
        check_packages(f"gama eval {kind}", "sacrebleu")
        if pad_mean and encoder is None:
            raise OptionError("option --pad-mean: it is a way of reading an --encoder; name one")
        from gama.evals.metrics.similarity import embedded, hugging_face

        reader = hugging_face(encoder, pooling="pad_mean" if pad_mean else "mean") if encoder else embedded()
        seed = options.seed
        from gama.evals.datasets.corpus import sample
        from gama.evals.datasets.letters import read_letters

        read = read_letters(data, kind)
        read = read._replace(letters=sample(read.letters, limit, seed))
        runs = _run(options, methods, hf, weights, [(letter.id, letter.text) for letter in read.letters])
        settings = {"resamples": resamples, "seed": seed, "limit": limit, "level": 0.95, "strict_type": strict_type}
        _show_letters(read, runs, settings | {"encoder": reader.name}, json_file, reader)

    letters.__doc__ = f"Measure masking on the {kind.upper()} letters of GAMA (a file of your own; it is not shipped)."
    return letters


kpp, lpp = _command("kpp", "emails.json"), _command("lpp", "reasoning_pp.json")


def _show_letters(
    read: "Letters", runs: "list[Run]", settings: dict[str, Any], json_file: Path | None, reader: "Encoder"
) -> None:
    from gama.evals.letters import FIGURES, TEXT_FIGURES, evaluate_letters, letters_json, references
    from gama.evals.metrics.published import WARNING
    from gama.evals.tables import figures_table, leaks_table, published_table, show, size
    from gama.guard.terminal import say

    runs = [*runs, *references(read.letters)]
    strict, resamples = settings["strict_type"], settings["resamples"]
    report = evaluate_letters(
        read, runs, strict_type=strict, resamples=resamples, seed=settings["seed"], encoder=reader
    )
    tables = [
        figures_table("Listed values, whole" + (", with their type" if strict else ""), FIGURES, report.rows),
        figures_table(f"What is kept of the text (likeness to {reader.name})", TEXT_FIGURES, report.rows),
        leaks_table(report.leaks),
        published_table(report.published),
    ]
    what = "the released file" if read.released else "not the released file"
    texts = [(letter.id, letter.text) for letter in read.letters]
    show(f"{len(texts)} {read.kind.upper()} letters ({what})", texts, runs, tables, resamples)
    say(f"note: {WARNING}")
    if read.absent:
        say(f"note: {read.absent} listed value(s) left out of the entity scores: not in the letter, or listed twice.")
    if json_file is not None:
        about = {"name": read.kind, "sha256": read.sha256, "released": read.released, "values_left_out": read.absent}
        head = {"command": read.kind, "settings": settings, "data": about | size(texts)}
        write_json(json_file, head, runs, letters_json(report))


def _run(
    options: Options,
    methods: str | None,
    hf: Sequence[str] | None,
    weights: Sequence[str] | None,
    texts: Sequence[tuple[str, str]],
    marks: Sequence[str] | None = None,
    bilstm: Path | None = None,
    competitors: Sequence[str] | None = None,
) -> "list[Run]":
    from gama.evals.methods.catalog import choose
    from gama.evals.runs import run_all
    from gama.guard.terminal import counting, say

    names = None if methods is None else [name.strip() for name in methods.split(",") if name.strip()]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        choice = choose(
            options, names, huggingface=hf or (), weights=weights or (), marks=marks or (), bilstm=bilstm,
            competitors=competitors or (),
        )  # fmt: skip
    for line in [*choice.left_out, *(str(one.message) for one in caught if one.category is UserWarning)]:
        say(f"note: {line}")
    made: list[Method] = choice.methods
    with counting(len(made) * len(texts)) as step:
        return run_all(made, texts, step)
