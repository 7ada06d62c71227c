"""`gama eval errors`: does the disprover find planted errors, and leave right answers alone?"""

from pathlib import Path
from typing import Annotated, Any

import typer

from gama.evals.commands.shared import JsonFile, check_targets
from gama.state.options import Options


def errors(
    options: Options,
    data: Annotated[
        Path | None, typer.Option(help="Answers, wrong and right, as .jsonl.", show_default="the shipped answers")
    ] = None,
    at_once: Annotated[int, typer.Option(min=1, max=256, help="Answers under examination at a time.")] = 4,
    json_file: JsonFile = None,
) -> None:
    """Put answers with one planted error each, and right ones, before the disprover: errors found, false alarms."""
    check_targets(json_file=json_file)
    import json
    from concurrent.futures import ThreadPoolExecutor
    from contextvars import copy_context

    from gama.evals.errors import Given, Judged, figures, judge, load
    from gama.guard.egress import EGRESS, NoPrivateSpace
    from gama.guard.terminal import clean, counting, say
    from gama.models.public import public_client

    client = public_client(
        options.public_model, base_url=options.public_base_url, timeout_s=float(options.timeout_s), standalone=True
    )
    answers = load(data)
    # All texts are ours: there is no private space to compare with.
    token = EGRESS.set(NoPrivateSpace())
    try:
        with counting(len(answers)) as step, ThreadPoolExecutor(at_once) as pool:

            def one(given: Given) -> Judged:
                told = judge(given, client, float(options.timeout_s))
                step(given.kind)
                return told

            judged = [done.result() for done in [pool.submit(copy_context().run, one, given) for given in answers]]
    finally:
        EGRESS.reset(token)
    found = figures(judged)
    for kind, rates in {"all": found, **found["kinds"]}.items():
        print(f"{clean(kind):<10} found {_shown(rates['found'])}   false alarms {_shown(rates['false alarms'])}")
    if found["without verdict"]:
        print(f"{found['without verdict']} without a verdict")
    if client.note:
        say(f"note: {client.note}")
    if json_file is not None:
        listed = [{"id": one.given.id, "contradiction": one.contradiction, "reason": one.reason} for one in judged]
        content = {"command": "errors", "model": client.name, "figures": found, "answers": listed}
        json_file.write_text(json.dumps(content) + "\n", encoding="utf-8")
        say(f"Written to {json_file}")


def _shown(share: dict[str, Any] | None) -> str:
    if share is None:
        return "none to judge"
    return f"{share['count']} of {share['of']} ({share['share']:.0%}, {share['low']:.0%} to {share['high']:.0%})"
