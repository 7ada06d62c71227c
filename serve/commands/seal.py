"""`gama train seal`: trajectories by teachers, SFT, DPO, and what a trained model is worth (docs/training.md)."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gama.evals.commands.shared import (
    AskAbove,
    AtOnce,
    BaseUrl,
    JsonFile,
    MaxCost,
    PriceFile,
    Trusted,
    Yes,
    check_targets,
    confirm_spending,
    dollars,
)

if TYPE_CHECKING:
    from gama.evals.teachers import Role, Teacher
    from gama.training.seal.card import Trained
    from gama.training.seal.config import Config
    from gama.training.seal.measuring import Measured
    from gama.training.seal.trajectories import Expected

seal = typer.Typer(
    help="Train a local model to rewrite texts until a stranger infers nothing about their writer (SEAL).",
    no_args_is_help=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)

ConfigFile = Annotated[
    Path | None,
    typer.Option("--config", help="YAML file with other numbers than the shipped training/seal/config.yaml."),
]
Run = Annotated[Path, typer.Option("--data", help="Folder of `gama train seal trajectories`.", file_okay=False)]


@seal.command()
def trajectories(
    data: Annotated[Path, typer.Option(help="Profiles with comments as .jsonl, or SynthPAI's file.", dir_okay=False)],
    out: Annotated[Path, typer.Option(help="Folder of the run; a run with the same folder goes on in it.")],
    teacher: Annotated[
        str | None, typer.Option(help="Model in all three roles, such as openai:gpt-4o or ollama:llama3.1:70b.")
    ] = None,
    anonymizer: Annotated[str | None, typer.Option(help="Model that rewrites.", show_default="--teacher")] = None,
    attacker: Annotated[str | None, typer.Option(help="Model that infers.", show_default="--teacher")] = None,
    judge: Annotated[str | None, typer.Option(help="Model that judges.", show_default="--teacher")] = None,
    base_url: BaseUrl = None,
    hosted: Trusted = False,
    config_file: ConfigFile = None,
    prices: PriceFile = None,
    max_cost: MaxCost = None,
    ask_above: AskAbove = 1.0,
    yes: Yes = False,
    at_once: AtOnce = 4,
) -> None:
    """Have teachers attack, rewrite and judge texts: estimate, ask, simulate. Stopped at any point, it goes on.

    Profiles are split into training, validation and test; nothing of the test is shown to a teacher.
    """
    from gama.evals.ledger import alone
    from gama.evals.teachers import ROLES
    from gama.guard.terminal import clean, counting, say
    from gama.training.seal.config import read_config
    from gama.training.seal.sources import read_profiles
    from gama.training.seal.trajectories import expect, prepare, run, summary

    config, profiles = read_config(config_file), read_profiles(data)
    named = {role: name or teacher for role, name in zip(ROLES, (anonymizer, attacker, judge), strict=True)}
    teachers = _teachers(named, base_url, hosted, prices, config)
    out.mkdir(mode=0o700, parents=True, exist_ok=True)
    with alone(out):
        plan = prepare(profiles, teachers, config, out, max_cost)
        for note in plan.notes:
            say(f"note: {note}")
        expected = expect(plan)
        say(_told(expected))
        confirm_spending(expected.calls, expected.money, ask_above, yes)
        try:
            with counting(len(plan.texts)) as step:
                for text in plan.done:
                    step(text)
                failed = run(plan, step, at_once)
        finally:
            said = summary(plan)
            print(json.dumps(said, indent=1) if said["texts"] else "no text is finished")
    for one in failed[:5]:
        say(clean(f"note: {one.id}: {one.why}"))
    if failed:
        say(f"note: {len(failed)} text(s) got no reply; the same command asks them again")


@seal.command()
def sft(
    data: Run,
    start: Annotated[str, typer.Option("--from", help="Folder or hub name of the model to start from.")],
    out: Annotated[Path, typer.Option(help="New folder for the model.")],
    config_file: ConfigFile = None,
) -> None:
    """Train a model to rewrite, to infer and to judge, on the better rewritings (needs the extra `seal`).

    On several GPUs: accelerate launch -m gama train seal sft …
    """
    from gama.training.seal.config import read_config
    from gama.training.seal.records import read_records
    from gama.training.seal.tuning import check_packages
    from gama.training.seal.tuning import sft as learn

    check_packages()
    _tell(learn(read_records(data), start, out, read_config(config_file)))


@seal.command()
def dpo(
    data: Run,
    start: Annotated[Path, typer.Option("--from", help="Folder that `gama train seal sft` made.", file_okay=False)],
    out: Annotated[Path, typer.Option(help="New folder for the model.")],
    config_file: ConfigFile = None,
) -> None:
    """Train the model of `sft` further, to prefer the more private of two rewritings (needs the extra `seal`)."""
    from gama.guard.terminal import say
    from gama.training.seal.card import read_card
    from gama.training.seal.config import read_config
    from gama.training.seal.records import read_records
    from gama.training.seal.tuning import check_packages
    from gama.training.seal.tuning import dpo as learn

    check_packages()
    if (read_card(start) or {}).get("made_by") != "gama train seal sft":
        say("note: the model was not made by `gama train seal sft`, from which the paper's DPO starts")
    _tell(learn(read_records(data), str(start), out, read_config(config_file)))


@seal.command("eval")
def evaluate(
    model: Annotated[Path, typer.Argument(help="Folder of the trained model.", file_okay=False)],
    data: Run,
    start: Annotated[Path, typer.Option("--from", help="Folder of the model that it started from.", file_okay=False)],
    out: Annotated[Path, typer.Option(help="Folder that keeps the replies; with the same one it goes on.")],
    attacker: Annotated[
        str | None, typer.Option(help="Model that infers, of other weights.", show_default="the embedded attacker")
    ] = None,
    judge: Annotated[str | None, typer.Option(help="Model that judges.", show_default="--attacker")] = None,
    base_url: BaseUrl = None,
    hosted: Trusted = False,
    config_file: ConfigFile = None,
    prices: PriceFile = None,
    max_cost: MaxCost = None,
    ask_above: AskAbove = 1.0,
    yes: Yes = False,
    at_once: AtOnce = 4,
    device: Annotated[str | None, typer.Option(help="Where the models run, as torch names it, such as cuda.")] = None,
    json_file: JsonFile = None,
) -> None:
    """Measure on the held-out profiles what an attacker infers, before and after each model has refined the texts."""
    check_targets(json_file=json_file)
    from rich.console import Console

    from gama.evals.ledger import KEPT, alone
    from gama.evals.teachers import Calls, make_teacher
    from gama.guard.terminal import counting, say
    from gama.state.errors import OptionError
    from gama.training.seal.config import read_config
    from gama.training.seal.measuring import COMMAND, Referees, expected_cost, fingerprint, measure
    from gama.training.seal.records import read_texts

    if attacker is None and judge is not None:
        raise OptionError("option --judge: name the --attacker too; the embedded one judges by itself")
    config, texts = read_config(config_file), read_texts(data)
    folders = {"start": start, "trained": model}
    names = {name: f"{name}@{fingerprint(folder)}" for name, folder in folders.items()}
    made = (
        _teachers({"attacker": attacker, "judge": judge or attacker}, base_url, hosted, prices, config)
        if attacker
        else {}
    )
    referees = Referees(made.get("attacker"), made.get("judge"))
    referees.roles(Calls(None, {}, COMMAND, ()), "", config)  # says now where none can be had

    def loaded(name: str) -> "Teacher":
        length = config.trajectories.reply_tokens
        found = make_teacher(f"huggingface:{folders[name]}", seed=config.seed, reply_tokens=length, device=device)
        return found._replace(name=names[name])

    settings = {
        "texts": [list(map(str, one)) for one in texts], "models": names, "eval": config.eval.model_dump(),
        "attacker": attacker, "judge": judge or attacker, "seed": config.seed,
    }  # fmt: skip
    (out / KEPT).mkdir(mode=0o700, parents=True, exist_ok=True)
    with alone(out):
        calls = Calls(
            out / KEPT / "eval.jsonl", settings, COMMAND, made.values(), most=max_cost,
            reply_tokens=config.trajectories.reply_tokens,
        )  # fmt: skip
        count, money = expected_cost(texts, len(folders), referees, calls)
        say(f"{len(texts)} held-out texts; about {count:,.0f} calls of attacker and judge, {dollars(money)}")
        confirm_spending(count, money, ask_above, yes)
        models = {name: lambda name=name: loaded(name) for name in folders}
        with counting(len(texts) * (1 + len(folders))) as step:
            measured = measure(texts, models, referees, config, calls, step, at_once)
    by = attacker or "embedded"
    print(f"Attacker: {by}; judge: {judge or by}; {measured.texts} texts")
    Console(highlight=False).print(_table(measured))
    if measured.missing:
        say(f"note: {measured.missing} text(s) could not be read by attacker or judge, and are in no figure")
    if json_file is not None:
        about = {
            "command": COMMAND,
            "attacker": by,
            "judge": judge or by,
            "models": names,
            "config": config.model_dump(),
        }
        rows = [one._asdict() for one in measured.rows]
        report = about | {"texts": measured.texts, "missing": measured.missing, "rows": rows}
        json_file.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def _teachers(
    named: "Mapping[Role, str | None]", base_url: str | None, hosted: bool, prices: Path | None, config: "Config"
) -> "dict[Role, Teacher]":
    from gama.evals.teachers import make_teachers

    length = config.trajectories.reply_tokens
    return make_teachers(
        named, base_url=base_url, hosted=hosted, prices=prices, seed=config.seed, reply_tokens=length
    )  # fmt: skip


def _told(expected: "Expected") -> str:
    by = f"by {expected.measured} finished texts" if expected.measured else "by rule of thumb, with all rounds"
    return (
        f"{expected.texts:,} texts left: about {expected.calls:,.0f} calls, {expected.input_tokens:,.0f} tokens in, "
        f"{expected.output_tokens:,.0f} out, {dollars(expected.money)} ({by})"
    )


def _tell(made: "Trained") -> None:
    """Print what became of a training, once for all processes of a launch."""
    import os

    if os.environ.get("RANK", "0") != "0":
        return

    def said(figures: Mapping[str, float] | None) -> str:
        return ", ".join(f"{name} {value:.4f}" for name, value in (figures or {}).items()) or "none"

    print(f"{made.learnt} examples, {made.too_long} too long; {made.precision} on {made.devices} device(s)")
    print(f"loss {made.losses[0]:.4f} → {made.losses[-1]:.4f} in {len(made.losses)} steps")
    print(f"validation before: {said(made.before)}; after: {said(made.after)}")
    print(f"Use it: --private huggingface:{made.out}")


def _table(measured: "Measured") -> object:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    shown = Table(box=SIMPLE_HEAD, pad_edge=False)
    heads: Sequence[str] = ("Texts", "Privacy ↓", "Top 3 ↓", "Utility ↑", "Combined ↑", "Rounds", "Not refined")
    for head in heads:
        shown.add_column(head, justify="left" if head == "Texts" else "right")
    for one in measured.rows:
        total = "–" if one.combined is None else f"{one.combined:.3f}"
        figures = (f"{one.privacy:.3f}", f"{one.top3:.3f}", f"{one.utility:.3f}", total)
        shown.add_row(one.name, *figures, f"{one.rounds:.1f}", str(one.unread))
    return shown
