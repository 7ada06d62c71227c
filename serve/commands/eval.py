"""`gama eval`: measure what is found, and what would leave. `evals/commands.py` does it."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal, cast

import typer

from gama.serve import choices
from gama.state.options import Options

evaluations = typer.Typer(help="Measure how well private data is found, chosen and restored.")

Resamples = Annotated[int, typer.Option(min=0, max=100_000, help="Draws for the 95 % intervals; 0: no intervals.")]
Limit = Annotated[int | None, typer.Option(min=1, help="Measure a sample of so many texts.")]
JsonFile = Annotated[Path | None, typer.Option("--json", help="Write all figures and settings to this file.")]
Methods = Annotated[
    str | None,
    typer.Option(
        help="Comma-separated: pipeline, embedded, tagger, patterns, no-pia, no-fusion, presidio, regex, "
        "nothing. The others are compared with the first.",
        show_default="all that can run",
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


@evaluations.command("make-pii-bench")
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
    from gama.evals import commands
    from gama.evals.piibench.make import Sizes

    commands.make_pii_bench(options, out, Sizes(single, multi, hard, distract), seed)


@evaluations.command()
@choices.with_options("eval", "select_votes")
def query(
    options: Options,
    data: Annotated[
        Path | None,
        typer.Option(
            help="Annotated .jsonl file with queries, or a folder of them.", show_default="the shipped development set"
        ),
    ] = None,
    methods: Annotated[
        str | None,
        typer.Option(
            help="Comma-separated: all-hidden, none-hidden, embedded; with --private also naive, choice, self_cot, "
            "auto_cot, self_consistency, ps_cot. The others are compared with the first.",
            show_default="all-hidden,none-hidden,embedded, with --private also choice",
        ),
    ] = None,
    per: Annotated[
        list[str] | None,
        typer.Option(help="Break down by source, or by the number of needed spans (needed); may be repeated."),
    ] = None,
    with_names: Annotated[
        bool, typer.Option("--with-names", help="Names of persons may be needed and kept too.")
    ] = False,
    json_file: JsonFile = None,
    limit: Limit = None,
    resamples: Resamples = 1000,
) -> None:
    """Measure how well is told which private data a query needs: it stays in clear, the rest is hidden."""
    kinds = cast("list[Literal['source', 'needed']]", list(dict.fromkeys(per or [])))
    choices.check("--per", kinds, ("source", "needed"))
    from gama.evals import commands

    commands.query(
        options, data, methods=methods, per=kinds, with_names=with_names, json_file=json_file, limit=limit,
        resamples=resamples,
    )  # fmt: skip


@evaluations.command()
def restore(
    kind: Annotated[
        list[str] | None,
        typer.Option("--kind", help="A kind of change, or a group of them; may be repeated.", show_default="all"),
    ] = None,
    sizes: Annotated[
        str | None, typer.Option(help="Values in a box, separated by commas.", show_default="12,120,1200")
    ] = None,
    answers: Annotated[
        int | None,
        typer.Option(min=1, help="Answers for each kind and size of box.", show_default="12; 6 with --competitor"),
    ] = None,
    competitor: Annotated[
        list[str] | None,
        typer.Option(
            "--competitor",
            "--rival",
            metavar="NAME=PYTHON",
            help="Another tool, and the Python it is installed in; may be repeated. See docs/restoring.md.",
        ),
    ] = None,
    strategy: Annotated[
        str, typer.Option(help="How the placeholders are written: tag, enriched or surrogate.")
    ] = "tag",
    json_file: JsonFile = None,
    tables: Annotated[
        bool, typer.Option("--tables", help="Print the tables of docs/restoring.md and nothing else.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Seed of values, placeholders and chunks.")] = 0,
) -> None:
    """Measure restoring: placeholders changed as models change them, in answers and in streams."""
    choices.check("--strategy", strategy, ("tag", "enriched", "surrogate"))
    written = cast("Literal['tag', 'enriched', 'surrogate']", strategy)
    from gama.evals import commands

    commands.restore(kind, sizes, answers, competitor, strategy=written, json_file=json_file, tables=tables, seed=seed)


@evaluations.command()
@choices.with_options("eval")
def identify(
    options: Options,
    data: Annotated[
        Path | None,
        typer.Option(help="Annotated .jsonl file, or a folder of them.", show_default="the shipped development set"),
    ] = None,
    methods: Methods = None,
    hf: HuggingFace = None,
    weights: Weights = None,
    marks: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=PATH", help="Another annotation of the same texts, compared like a method; may be repeated."
        ),
    ] = None,
    per: Annotated[
        list[str] | None, typer.Option(help="Break down by type, subtype or source; may be repeated.")
    ] = None,
    json_file: JsonFile = None,
    errors: Annotated[
        Path | None,
        typer.Option(help="Write what was missed and hidden without need to this file. It will hold private text."),
    ] = None,
    limit: Limit = None,
    resamples: Resamples = 1000,
) -> None:
    """Measure identification on annotated texts: methods side by side, with intervals."""
    kinds = cast("list[Literal['type', 'subtype', 'source']]", list(dict.fromkeys(per or [])))
    choices.check("--per", kinds, ("type", "subtype", "source"))
    from gama.evals import commands

    commands.identify(
        options, data, methods=methods, hf=hf, weights=weights, marks=marks, per=kinds, json_file=json_file,
        errors=errors, limit=limit, resamples=resamples,
    )  # fmt: skip


def _letters(kind: Literal["kpp", "lpp"], file: str) -> Callable[..., None]:
    """Return the command for one of the two files of letters."""

    @choices.with_options("eval")
    def letters(
        options: Options,
        data: Annotated[Path, typer.Option(help=f"The released {file}.")],
        methods: Methods = None,
        hf: HuggingFace = None,
        weights: Weights = None,
        strict_type: Annotated[bool, typer.Option("--strict-type", help="The type must agree too.")] = False,
        json_file: JsonFile = None,
        limit: Limit = None,
        resamples: Resamples = 1000,
    ) -> None:
        from gama.evals import commands

        commands.letters(
            kind, options, data, methods=methods, hf=hf, weights=weights, strict_type=strict_type, json_file=json_file,
            limit=limit, resamples=resamples,
        )  # fmt: skip

    letters.__doc__ = f"Measure masking on the {kind.upper()} letters of GAMA (a file of your own; it is not shipped)."
    return letters


evaluations.command("kpp")(_letters("kpp", "emails.json"))
evaluations.command("lpp")(_letters("lpp", "reasoning_pp.json"))
