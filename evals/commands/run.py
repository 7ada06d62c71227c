"""`gama eval run`: data sets of the papers, put to methods, with an estimate first and nothing paid twice."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gama.evals.commands.shared import confirm_spending
from gama.state.options import Options

if TYPE_CHECKING:
    from rich.table import Table

    from gama.evals.tasks.run import Plan, Result
    from gama.models.names import Price


def run(
    options: Options,
    datasets: Annotated[
        list[str],
        typer.Argument(metavar="DATASET…", help="tcw5, tcw10, lgp, kpp, lpp, plens, boolq, hotpotqa, pupa, answers."),
    ],
    out: Annotated[Path, typer.Option(help="Folder for the logs; a run with the same folder goes on in it.")],
    solver: Annotated[
        list[str] | None, typer.Option("--solver", help="A method, such as std; may be repeated.", show_default="std")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            help="Folder with the published files, see `gama eval fetch`.",
            show_default="the few items that ship",
            exists=True,
            file_okay=False,
        ),
    ] = None,
    repaired: Annotated[
        bool, typer.Option("--repaired", help="Mend the known errors of KPP's and LPP's lists of private values.")
    ] = False,
    limit: Annotated[int | None, typer.Option(min=1, help="A sample of so many items of each data set.")] = None,
    epochs: Annotated[int, typer.Option(min=1, max=100, help="How often each item is asked.")] = 1,
    at_once: Annotated[int, typer.Option(min=1, max=256, help="Items under way at a time.")] = 8,
    judge: Annotated[str | None, typer.Option(help="Model that judges, where a scorer wants one.")] = None,
    judge_base_url: Annotated[
        str | None, typer.Option(help="Server of the judge, where it is not its maker's.")
    ] = None,
    price_in: Annotated[
        float | None, typer.Option(min=0, help="US dollars for a million tokens that the model reads.")
    ] = None,
    price_out: Annotated[
        float | None, typer.Option(min=0, help="US dollars for a million tokens that the model writes.")
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option(min=0, help="US dollars that the run may spend, what it has spent before included.")
    ] = None,
    ask_above: Annotated[float, typer.Option(min=0, help="Ask before spending more US dollars than this.")] = 1.0,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Put data sets to methods: estimate, ask, log with Inspect. Stopped at any point, the same command goes on.

    Baselines send the items as they are. The published sets are public or made up; with files of your own, mind that.
    """
    from gama.evals.ledger import alone
    from gama.evals.solvers.catalog import SOLVERS
    from gama.evals.tables import console
    from gama.evals.tasks.catalog import DATASETS, items_of
    from gama.evals.tasks.run import check_ready, judge_price, models_of, prepare, public_price
    from gama.evals.tasks.run import run as run_plans
    from gama.guard.terminal import clean, counting, say
    from gama.state.errors import check

    names, keys = list(dict.fromkeys(datasets)), list(dict.fromkeys(solver or ["std"]))
    check("DATASET", names, list(DATASETS))
    check("--solver", keys, list(SOLVERS))
    price = public_price(options, price_in, price_out)
    of_judge = judge_price(judge, judge_base_url, options) if judge is not None else None
    models = models_of(options, judge, judge_base_url)
    check_ready(out)
    chosen = [items_of(name, data, repaired=repaired, limit=limit, seed=options.seed) for name in names]
    for items in chosen:
        for note in items.notes:
            say(clean(f"note: {items.name}: {note}; figures cannot be compared with published ones"))
    with alone(out):
        plans = [
            prepare(items, key, models, options, out, epochs=epochs, judge=judge) for items in chosen for key in keys
        ]
        console().print(_estimates(plans, price))
        _consent(plans, price, ask_above, yes)
        with counting(sum(len(plan.items.items) * epochs for plan in plans)) as step:
            results = run_plans(
                plans, out, step, epochs=epochs, at_once=at_once, max_cost=max_cost, price=price,
                judge=models.judge, judge_price=of_judge,
            )  # fmt: skip
    console().print(_shown(results))
    failed = sum(one.failed for one in results)
    if failed:
        say(f"note: {failed} answer(s) could not be had; they count as wrong, and the same command asks them again")
    say(f"Logs in {out}: inspect view --log-dir {out}")


def _estimates(plans: "list[Plan]", price: "Price | None") -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    shown = Table(box=SIMPLE_HEAD, title="Left to do, estimated", title_justify="left")
    for name in ("data set", "method"):
        shown.add_column(name)
    for name in ("items", "calls", "tokens in", "tokens out", "US dollars", "by"):
        shown.add_column(name, justify="right")
    for plan in plans:
        one = plan.expected
        money = one.money(price)
        shown.add_row(
            plan.items.name, plan.key, f"{one.items:,}", f"{one.calls:,.0f}", f"{one.input_tokens:,.0f}",
            f"{one.output_tokens:,.0f}", "unknown" if money is None else f"{money:,.2f}",
            f"{one.measured} measured" if one.measured else "rule of thumb",
        )  # fmt: skip
    return shown


def _consent(plans: "list[Plan]", price: "Price | None", above: float, yes: bool) -> None:
    """Ask before much is spent; see `confirm_spending`."""
    money = None if price is None else sum(plan.expected.money(price) or 0.0 for plan in plans)
    confirm_spending(sum(plan.expected.calls for plan in plans), money, above, yes)


def _shown(results: "list[Result]") -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from gama.guard.terminal import clean

    shown = Table(box=SIMPLE_HEAD)
    for name in ("data set", "method"):
        shown.add_column(name)
    of_judge = ("judge's calls", "judge's dollars") if any(one.judge_calls for one in results) else ()
    for name in ("right", "of", "share", "samples", "failed", "calls", "tokens", "US dollars", *of_judge):
        shown.add_column(name, justify="right")
    for one in results:
        share = f"{one.right / one.questions:.1%}" if one.questions else "–"
        shown.add_row(
            one.dataset, clean(one.solver), str(one.right), str(one.questions), share, str(one.samples),
            str(one.failed), f"{one.calls:,}", f"{one.tokens:,}", _money(one.money),
            *((f"{one.judge_calls:,}", _money(one.judge_money)) if of_judge else ()),
        )  # fmt: skip
    return shown


def _money(dollars: float | None) -> str:
    return "–" if dollars is None else f"{dollars:.4f}"
