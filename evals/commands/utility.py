"""`gama eval utility`: what masking costs in answers, and what it brings in privacy (PII-Bench, Table 8)."""

from pathlib import Path
from typing import Annotated, Any, cast

import typer

from gama.evals.commands.shared import JsonFile, Limit, Resamples, check_targets, write_json
from gama.state.errors import check
from gama.state.options import Options


def utility(
    options: Options,
    data: Annotated[Path, typer.Option(help="PII-Bench records, as `gama eval make-pii-bench` makes them.")],
    judge: Annotated[
        str | None, typer.Option(help="A model that rates the answers, such as anthropic:NAME.", show_default="none")
    ] = None,
    judge_base_url: Annotated[str | None, typer.Option(help="Address of the judge's server.", metavar="URL")] = None,
    judge_scale: Annotated[
        str, typer.Option(help="A rating r as a share: r/10 (div10) or (r-1)/9 (minmax).")
    ] = "div10",
    encoder: Annotated[
        str | None,
        typer.Option(
            help="A sentence encoder, such as BAAI/bge-m3 or a folder.", show_default="the shipped word vectors"
        ),
    ] = None,
    mask_style: Annotated[
        str, typer.Option(help="What stands for a value: category, type, indexed, placeholder, word or blocks.")
    ] = "category",
    balance: Annotated[float, typer.Option(min=0, max=1, help="Weight of privacy in B, alpha of the paper.")] = 0.5,
    semantic_weight: Annotated[
        float, typer.Option(min=0, max=1, help="Weight of the encoder's part in U; the judge's has the rest.")
    ] = 0.5,
    at_once: Annotated[int, typer.Option(min=1, max=256, help="Texts under way at a time.")] = 4,
    out: Annotated[
        Path | None,
        typer.Option(help="Keep every reply in this file; a run with the same file goes on where it stopped."),
    ] = None,
    json_file: JsonFile = None,
    limit: Limit = None,
    resamples: Resamples = 1000,
) -> None:
    """Have queries answered without masks, with all masked, and with only what they do not need masked; compare.

    The public model gets the texts as they are: for made-up people only.
    """
    from gama.evals.piibench.masks import STYLES
    from gama.evals.piibench.utility import STRATEGIES

    check("--judge-scale", [judge_scale], ("div10", "minmax"))
    check("--mask-style", [mask_style], tuple(STYLES))
    check_targets(json_file=json_file, out=out)
    from gama.evals.figures import as_json, tabulate
    from gama.evals.piibench import utility as measuring
    from gama.evals.piibench.encoders import OFFLINE
    from gama.evals.piibench.encoders import encoder as encoder_of
    from gama.evals.piibench.statistics import NOT_COMPARABLE
    from gama.evals.plain import PlainModel
    from gama.evals.query import load_queries
    from gama.evals.tables import console, figures_table
    from gama.guard.terminal import clean, counting, say

    seed, timeout = options.seed, float(options.timeout_s)
    dataset, without_query = load_queries(data, limit=limit, seed=seed)
    cases, left_out = measuring.cases(dataset, cast("Any", mask_style))
    model = PlainModel(options.public_model, options.public_base_url, timeout)
    judging = PlainModel(judge, judge_base_url, timeout) if judge is not None else None
    encode, ledger = encoder_of(encoder), measuring.Ledger(out)
    weights = measuring.Weights(balance, semantic_weight, cast("Any", judge_scale))
    with counting(len(cases) * (3 if judging is None else 4)) as step:
        outcome = measuring.measure(
            cases,
            ledger.over(model.name, lambda system, user: measuring.check_answer(model.ask(system, user))),
            encode,
            step,
            judge_by=None if judging is None else ledger.over(judging.name, judging.ask),
            weights=weights,
            seed=seed,
            workers=at_once,
        )
    rows = tabulate(measuring.FIGURES, outcome.scores, resamples=resamples, seed=seed)
    printed = console()
    printed.print(clean(f"{len(cases)} texts with queries ({dataset.name}), answered by {model.name}"))
    printed.print(f"Masks as {STYLES[cast('Any', mask_style)]}; utility by {clean(encoder or OFFLINE)}", style="dim")
    printed.print(figures_table("Privacy and utility (PII-Bench, Table 8)", measuring.FIGURES, rows))
    told = measuring.outcome_json(outcome)
    for name, count in told["comparisons"].items():
        printed.print(clean(f"  judge {judging.name if judging else ''}: {name}: {count}"))
    for count, said in (
        (without_query, "text(s) without a query are left out"),
        (left_out, "text(s) are left out: a value of theirs has no category of PII-Bench"),
        (outcome.unreadable, "comparison(s) of the judge could not be read: utility is by the encoder alone there"),
    ):
        if count:
            say(f"note: {count} {said}")
    say(f"note: {NOT_COMPARABLE}")
    if json_file is not None:
        settings: dict[str, Any] = {
            "resamples": resamples, "seed": seed, "limit": limit, "mask_style": mask_style, "judge_scale": judge_scale,
            "alpha": balance, "semantic_weight": semantic_weight,
        }  # fmt: skip
        models = {"public": model.name, "judge": judge, "encoder": encoder or OFFLINE}
        head = {"command": "utility", "settings": settings, "models": models, "strategies": list(STRATEGIES)}
        head["data"] = {"name": dataset.name, "sha256": dataset.sha256, "texts": len(cases)}
        write_json(json_file, head, [], {"figures": {row.method: as_json(row.values) for row in rows}} | told)
