"""`gama eval anonymize`: what an attacker infers of people, by several ways to make their texts tell less."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gama.evals.commands.shared import (
    AskAbove,
    AtOnce,
    BaseUrl,
    JsonFile,
    Limit,
    MaxCost,
    PriceFile,
    Trusted,
    Yes,
    check_packages,
    check_targets,
    confirm_spending,
    dollars,
)
from gama.state.options import Options

if TYPE_CHECKING:
    from gama.evals.anonymize import Expected, Figures, Plan, Report
    from gama.evals.reports.published import Table
    from gama.evals.teachers import Role, Teacher


def anonymize(
    options: Options,
    data: Annotated[
        Path | None,
        typer.Option(
            help="Persons as .jsonl: id, truth, text.", show_default="the shipped ones that nothing was tuned on"
        ),
    ] = None,
    hard: Annotated[
        bool, typer.Option("--hard", help="The shipped persons in texts that name nothing and tell all by context.")
    ] = False,
    limit: Limit = None,
    methods: Annotated[
        str | None,
        typer.Option(
            help="What is measured: original, masked, placeholders, generalised, refined, adversarial, refined-llm.",
            metavar="NAME,NAME",
            show_default="all; the last two with --private alone",
        ),
    ] = None,
    attacker: Annotated[
        str | None, typer.Option(help="Model that attacks what came out.", show_default="the embedded attacker")
    ] = None,
    judge: Annotated[
        str | None, typer.Option(help="Model that judges what came out.", show_default="the embedded rules")
    ] = None,
    base_url: BaseUrl = None,
    hosted: Trusted = False,
    iterations: Annotated[
        bool, typer.Option("--iterations", help="Measure what refines after each of its --refine-rounds.")
    ] = False,
    keep: Annotated[
        Path | None,
        typer.Option(help="Folder that keeps every reply; with the same one a stopped run goes on.", file_okay=False),
    ] = None,
    prices: PriceFile = None,
    max_cost: MaxCost = None,
    ask_above: AskAbove = 1.0,
    yes: Yes = False,
    at_once: AtOnce = 4,
    json_file: JsonFile = None,
) -> None:
    """Measure what an attacker infers of people from their texts, and what the texts are still worth, by method.

    The private LLM of --private rewrites in `adversarial` and `refined-llm`; attacker and judge look at what came out,
    not knowing of which method it is. Private values are found by the embedded models throughout.
    """
    check_targets(json_file=json_file)
    check_packages("gama eval anonymize", "nltk", "rouge_score", "rapidfuzz")
    from contextlib import nullcontext

    from gama.evals.anonymize import COMMAND, HARD, Plan, Referees, expect, read_people, run
    from gama.evals.ledger import KEPT, alone
    from gama.evals.rewriters import Writer
    from gama.evals.teachers import Calls
    from gama.guard.terminal import counting, say
    from gama.state.errors import OptionError

    if hard and data is not None:
        raise OptionError("option --hard: it is a shipped set; leave out --data")
    chosen = _methods(methods, options)
    people = read_people(HARD if hard else data)[:limit]
    named: dict[Role, str | None] = {"anonymizer": options.private_model, "attacker": attacker, "judge": judge}
    made = _models(named, options, base_url, hosted, prices)
    settings = {"base_url": base_url, "private_base_url": options.private_base_url, "seed": options.seed}
    if keep is not None:
        (keep / KEPT).mkdir(mode=0o700, parents=True, exist_ok=True)
    with alone(keep) if keep is not None else nullcontext():
        calls = Calls(keep and keep / KEPT / "anonymize.jsonl", settings, COMMAND, made.values(), most=max_cost)
        writer = Writer(options, calls, made.get("anonymizer"))
        referees = Referees(made.get("attacker"), made.get("judge"))
        plan = Plan(people, chosen, writer, referees, iterations, options.seed)
        expected = expect(plan)
        if made:
            say(_told(expected, len(people)))
            confirm_spending(expected.calls, expected.money, ask_above, yes)
        with counting(plan.steps) as step:
            report = run(plan, step, at_once)
    roles = {role: name or "embedded" for role, name in (("attacker", attacker), ("judge", judge))}
    print(f"Attacker: {roles['attacker']}; judge: {roles['judge']}; {report.texts} persons")
    _show(plan, report)
    published = _published()
    _show_published(published)
    if json_file is not None:
        about = {
            "command": "anonymize", **roles, "private": options.private_model,
            "data": "hard" if hard else str(data or "unseen"),
            "seed": options.seed, "refine_rounds": options.refine_rounds, "refine_rule": options.refine_rule,
            "refine_floor": options.refine_floor, "calls": len(calls.kept), "US dollars": calls.spent,
            "persons": report.texts, "missing": report.missing,
        }  # fmt: skip
        _write(json_file, about, report, published)


def _methods(given: str | None, options: Options) -> list[str]:
    """Return what is measured.

    Raises:
        OptionError: there is no such method, or it needs a private LLM.
    """
    from gama.evals.rewriters import METHODS
    from gama.state.errors import OptionError

    if given is None:
        return [name for name, about in METHODS.items() if options.private_model or not about.llm]
    wanted = [one.strip() for one in given.split(",") if one.strip()]
    for name in wanted:
        if name not in METHODS:
            raise OptionError(f"option --methods: there is no {name!r}; there are {', '.join(METHODS)}")
        if METHODS[name].llm and not options.private_model:
            raise OptionError(f"option --methods: {name!r} needs a private LLM; name it with --private")
    if not wanted:
        raise OptionError(f"option --methods: name some of {', '.join(METHODS)}")
    return [name for name in METHODS if name in wanted]


def _models(
    named: "dict[Role, str | None]", options: Options, base_url: str | None, hosted: bool, prices: Path | None
) -> "dict[Role, Teacher]":
    """Return the models that are named; the private one may have a server of its own.

    Raises:
        OptionError: one is hosted, and may not read the texts.
    """
    from gama.evals.teachers import make_teachers

    made: dict[Role, Teacher] = {}
    for role, name in named.items():
        private = role == "anonymizer"
        if name is not None:
            made |= make_teachers(
                {role: name},
                base_url=(options.private_base_url if private else None) or base_url,
                hosted=hosted or (private and options.trust_private_model),
                prices=prices, seed=options.seed, reply_tokens=options.private_max_tokens, timeout_s=options.timeout_s,
                device=options.private_device,
            )  # fmt: skip
    return made


def _told(expected: "Expected", persons: int) -> str:
    by = "; ".join(f"{count:,} of {who}" for who, count in expected.by_role.items())
    return f"{persons} persons; at most about {expected.calls:,} calls ({by}), {dollars(expected.money)}"


def _name(one: "Figures") -> str:
    return f"{one.method} {one.iteration}" if one.iteration else one.method


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _show(plan: "Plan", report: "Report") -> None:
    from gama.guard.terminal import say

    made = report.figures
    told = [(one.top1, one.top3, one.sure, one.utility, one.combined) for one in made]
    _print_table(
        ("Method", "Privacy ↓", "Top 3 ↓", "Sure ↓", "Utility ↑", "Combined ↑"),
        [(_name(one), values) for one, values in zip(made, told, strict=True)],
    )
    kept = [(one.readability, one.meaning, one.faithful, one.bleu, one.rouge_l) for one in made]
    _print_table(
        ("Method", "Readable ↑", "Meaning ↑", "True ↑", "BLEU ↑", "ROUGE-L ↑"),
        [(_name(one), values) for one, values in zip(made, kept, strict=True)],
    )
    for one in report.figures:
        print(f"{_name(one)}: " + ", ".join(f"{name} {share:.2f}" for name, share in one.by_attribute.items()))
        if one.by_certainty:
            said = ", ".join(
                f"{degree} of 5: {share:.2f} of {count}" for degree, (count, share) in one.by_certainty.items()
            )
            print(f"{_name(one)}: guesses that are true, by certainty: {said}")
        if one.unread:
            print(f"{_name(one)}: {one.unread} texts stayed as they were: the private LLM's replies could not be read")
    if "original" not in plan.methods:
        say("note: the combined score needs the method `original`")
    if report.missing:
        say(f"note: {report.missing} text(s) could not be read by attacker or judge, and are in no figure")


def _published() -> "Table":
    from gama.evals.reports.published import FOLDER, load

    return next(table for table in load(FOLDER / "seal.yaml") if table.id == "seal-main")


def _show_published(table: "Table") -> None:
    print("\nPublished, known at second hand; other texts, attackers and judges, so not to be compared row by row:")
    heads = (f"{column.label} {'↓' if column.better == 'lower' else '↑'}" for column in table.columns)
    _print_table(("Published", *heads), [(row.label, row.values) for row in table.rows])


def _print_table(heads: Iterable[str], rows: Sequence[tuple[str, Sequence[Any]]]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table as Shown

    shown = Shown(box=SIMPLE_HEAD, pad_edge=False)
    for at, head in enumerate(heads):
        shown.add_column(head, justify="right" if at else "left")
    for name, values in rows:
        shown.add_row(name, *map(_share, values))
    Console(highlight=False).print(shown)


def _write(file: Path, about: dict[str, Any], report: "Report", published: "Table") -> None:
    import json

    names = ["method", *(column.label.lower() for column in published.columns)]
    rows = [dict(zip(names, (row.label, *row.values), strict=True)) for row in published.rows]
    told = {"paper": published.paper.name, "second_hand": published.paper.second_hand, "rows": rows}
    content = about | {"figures": [one._asdict() for one in report.figures], "published": told}
    file.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
