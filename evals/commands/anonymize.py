"""`gama eval anonymize`: what an attacker infers of people before and after placeholders and refinement."""

from pathlib import Path
from typing import Annotated

import typer

from gama.evals.commands.shared import JsonFile, Limit, check_targets
from gama.state.options import Options


def anonymize(
    options: Options,
    data: Annotated[
        Path | None,
        typer.Option(
            help="Persons as .jsonl: id, truth, text.", show_default="the shipped ones that nothing was tuned on"
        ),
    ] = None,
    limit: Limit = None,
    json_file: JsonFile = None,
) -> None:
    """Measure what an attacker infers of people from their texts: as written, with placeholders, and refined.

    The private LLM refines, attacks and judges; where none is named, the embedded attacker and rules do.
    """
    check_targets(json_file=json_file)
    import json

    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    from gama.evals.anonymize import METHODS, read_people, run
    from gama.guard.terminal import counting

    people = read_people(data)[:limit]
    with counting(len(people) * len(METHODS)) as step:
        measured = run(people, options, step)
    shown = Table(box=SIMPLE_HEAD, pad_edge=False)
    for head in ("Method", "Top 1 ↓", "Top 3 ↓", "Meaning ↑", "Utility ↑", "Combined ↑"):
        shown.add_column(head, justify="left" if head == "Method" else "right")
    for one in measured:
        total = "–" if one.combined is None else f"{one.combined:.3f}"
        shown.add_row(one.method, *(f"{x:.3f}" for x in (one.top1, one.top3, one.meaning, one.utility)), total)
    print(f"Attacker and judge: {options.private_model or 'embedded'}; {len(people)} persons")
    Console(highlight=False).print(shown)
    for one in measured:
        print(f"{one.method}: " + ", ".join(f"{name} {share:.2f}" for name, share in one.by_attribute.items()))
        if one.by_certainty:
            said = ", ".join(
                f"{degree} of 5: {share:.2f} of {count}" for degree, (count, share) in one.by_certainty.items()
            )
            print(f"{one.method}: guesses that are true, by certainty: {said}")
        if one.missing:
            print(f"{one.method}: {one.missing} texts could not be read, and are in no figure")
    if json_file is not None:
        about = {"command": "anonymize", "attacker": options.private_model or "embedded", "persons": len(people)}
        report = about | {"figures": [one._asdict() for one in measured]}
        json_file.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
