"""`gama eval fields`: which experts are chosen, against tasks that say which would help."""

from pathlib import Path
from typing import Annotated, Any

import typer

from gama.evals.commands.shared import JsonFile, check_targets
from gama.state.options import Options

COLUMNS = ("tasks", "top 1", "top 3", "asked", "embarrassing", "none recall", "none precision")


def fields(
    options: Options,
    data: Annotated[
        Path | None, typer.Option(help="Labelled tasks as .jsonl.", show_default="the shipped tasks")
    ] = None,
    json_file: JsonFile = None,
) -> None:
    """Choose experts for labelled tasks: is a right field among the first three, and "none" said where none fits?"""
    check_targets(json_file=json_file)
    import json

    from gama.evals.fields import choose, figures, load
    from gama.guard.terminal import clean, counting, say
    from gama.privacy.finders import private_llm

    told = private_llm(options)
    complete = (lambda messages: told(messages).reveal()) if told else None
    tasks, choices = load(data), []
    with counting(len(tasks)) as step:
        for task in tasks:
            choices.append(choose(task, options, complete))
            step(task.lang)
    found = figures(choices)
    print("".join(f"{head:>15}" for head in ("", *COLUMNS)))
    parts = {name: found[name] for name in ("all", "tuned on", "held out")} | found["languages"] | found["fields"]
    for name, rates in parts.items():
        print("".join(f"{cell:>15}" for cell in (clean(name), *(_shown(rates[column]) for column in COLUMNS))))
    if json_file is not None:
        listed = [{"id": one.task.id, "ranking": one.ranking, "asked": one.asked} for one in choices]
        content = {"command": "fields", "mode": options.topk_mode, "figures": found, "choices": listed}
        json_file.write_text(json.dumps(content) + "\n", encoding="utf-8")
        say(f"Written to {json_file}")


def _shown(figure: Any) -> str:
    return "" if figure is None else str(figure) if isinstance(figure, int) else f"{figure:.1%}"
