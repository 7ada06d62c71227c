"""`gama eval risk`: how easily anonymized records are told apart, by formulas and by an attack."""

import warnings
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from gama.evals.commands.shared import JsonFile, check_targets
from gama.state.errors import check
from gama.state.options import Options

if TYPE_CHECKING:
    from gama.evals.attacker import Attacked
    from gama.evals.metrics.linkage import Attacks, Linked
    from gama.evals.metrics.risk import Risk, Risks
    from gama.evals.risk import Cells, MethodRisk

READING = (
    "At risk: records whose risk is above the threshold. Highest: of the record that is easiest to name. "
    "Success: named rightly on average. Suppressed, and left out: nothing of the record can be read."
)


def risk(
    options: Options,
    data: Annotated[
        Path | None,
        typer.Option(help="Anonymized records as .jsonl.", show_default="the shipped development set, anonymized here"),
    ] = None,
    population: Annotated[
        Path | None, typer.Option(help="Records among which those of --data are, anonymized the same way.")
    ] = None,
    methods: Annotated[
        str, typer.Option(help="Comma-separated methods that anonymize the shipped texts; see `gama eval identify`.")
    ] = "pipeline,nothing",
    sample: Annotated[
        int | None, typer.Option(min=1, help="So many of the shipped texts are published.", show_default="half of them")
    ] = None,
    cells: Annotated[
        str, typer.Option(help="What a text's record holds by type: values in clear, counts of hidden ones, or both.")
    ] = "values",
    wildcard: Annotated[bool, typer.Option("--wildcard", help="A suppressed cell matches anything.")] = False,
    attacker: Annotated[
        str | None,
        typer.Option(metavar="PROVIDER:MODEL", help="An LLM that attacks the shipped texts too, two calls for each."),
    ] = None,
    attacker_base_url: Annotated[
        str | None, typer.Option(metavar="URL", help="Address of the attacker's server.")
    ] = None,
    threshold: Annotated[float, typer.Option(min=0, max=1, help="Risk above which a record is at risk.")] = 0.2,
    json_file: JsonFile = None,
) -> None:
    """Tell how easily anonymized records are told apart: ARX's three attackers, and an attack by linkage.

    With --attacker an LLM sees the anonymized texts, and guesses what is hidden and whose they are.
    """
    import json

    from gama.evals.risk import read_records
    from gama.evals.tables import console
    from gama.guard.terminal import clean, say
    from gama.state.errors import OptionError

    check_targets(json_file=json_file)
    check("--cells", [cells], ("both", "counts", "values"))
    held = cast("Cells", cells)
    settings: dict[str, Any] = {"cells": cells, "wildcard": wildcard, "threshold": threshold}
    if data is None:
        if population is not None:
            raise OptionError("option --population: it goes with --data; the shipped texts are their own population")
        content = _shipped(options, methods, sample, settings, (attacker, attacker_base_url))
    else:
        if attacker is not None:
            raise OptionError(
                "option --attacker: it attacks the shipped texts, whose originals are known; leave --data out"
            )
        from gama.evals.metrics.risk import risks

        records = read_records(data, held)
        around = None if population is None else read_records(population, held)
        found = {"alone": risks(records, threshold=threshold, wildcard=wildcard)}
        if around is not None:
            found["within"] = risks(records, around, threshold=threshold, wildcard=wildcard)
        console().print(clean(f"{len(records)} records of {data.name}"))
        _show({data.stem: found}, {})
        content = {"figures": {data.stem: {name: _plain(one) for name, one in found.items()}}}
    if json_file is not None:
        written = {"command": "risk", "settings": settings} | content
        json_file.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")
        say(f"Written to {json_file}")


def _shipped(
    options: Options,
    methods: str,
    sample: int | None,
    settings: Mapping[str, Any],
    attacker: tuple[str | None, str | None],
) -> dict[str, Any]:
    from gama.evals.attacker import attack
    from gama.evals.datasets.corpus import load
    from gama.evals.methods.catalog import choose
    from gama.evals.metrics.judges import judge_model
    from gama.evals.risk import evaluate, reference
    from gama.evals.runs import provenance, run_all
    from gama.evals.tables import console, tell_notes
    from gama.guard.terminal import clean, counting

    dataset = load()
    texts = [(record.id, record.example.text) for record in dataset.records]
    size = min(sample or len(texts) // 2, len(texts))
    places = sorted(Random(options.seed).sample(range(len(texts)), size))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        made = choose(options, [name.strip() for name in methods.split(",") if name.strip()]).methods
    with counting(len(made) * len(texts)) as step:
        runs = [*run_all(made, texts, step), reference(dataset)]
    found = evaluate(dataset, runs, places, **settings)
    out = console()
    out.print(clean(f"{size} of {len(texts)} texts ({dataset.name}) as records; all of them are the population"))
    for run in runs:
        out.print(clean(f"  {run.name}: {run.about}"), style="dim")
    _show(
        {one.method: {"alone": one.alone, "within": one.within} for one in found},
        {one.method: one.attacks for one in found},
    )
    figures = {one.method: _figures(one) for one in found}
    name, base_url = attacker
    if name is not None:
        attacked = {}
        with counting(len(runs) * size) as step:
            for run in runs:
                # A model of its own for each: its connections belong to one event loop.
                model = judge_model(name, base_url)
                attacked[run.name] = attack(dataset, run, places, model, name, seed=options.seed, step=step)
        _show_attacked(attacked)
        for method, outcome in attacked.items():
            figures[method]["attacker"] = outcome._asdict()
    tell_notes(runs)
    about = {"name": dataset.name, "sha256": dataset.sha256, "texts": len(texts), "sample": size, "seed": options.seed}
    return {"data": about, "figures": figures} | provenance(runs)


def _show(found: "Mapping[str, Mapping[str, Risks]]", attacks: "Mapping[str, Mapping[str, Attacks]]") -> None:
    from rich.table import Table

    from gama.evals.tables import console

    out = console()
    out.print(READING, style="dim")
    table = Table(box=None, pad_edge=False, header_style="bold")
    for label in ("records", "population", "attacker", "at risk", "highest", "success", "classes", "suppressed"):
        table.add_column(label, justify="left" if label in ("records", "population", "attacker") else "right")
    for name, kinds in found.items():
        for kind, risks in kinds.items():
            for attacker in ("prosecutor", "journalist", "marketer"):
                one: Risk = getattr(risks, attacker)
                around = "themselves" if kind == "alone" else "the larger set"
                table.add_row(name, around, attacker, *map(_percent, one), str(risks.classes), str(risks.suppressed))
    out.print(table)
    if not attacks:
        return
    out.print(
        "\nLinkage: the attacker holds what the originals said. Surely: the best match is one row, the right one."
    )
    linked = Table(box=None, pad_edge=False, header_style="bold")
    for label in ("records", "looks at", "attacker", "texts", "linked surely", "linked, ties drawn", "by chance"):
        linked.add_column(label, justify="left" if label in ("records", "looks at", "attacker") else "right")
    for name, some in attacks.items():
        for what, attack in some.items():
            for attacker, found_ in attack._asdict().items():
                linked.add_row(name, what, attacker, str(found_.records), *map(_percent, found_[1:]))
    out.print(linked)


def _show_attacked(attacked: "Mapping[str, Attacked]") -> None:
    from rich.table import Table

    from gama.evals.tables import console
    from gama.guard.terminal import clean

    out, first = console(), next(iter(attacked.values()))
    out.print(clean(f"\n{first.attacker} sees the anonymized texts alone. Near: like the value by Jaro and Winkler."))
    table = Table(box=None, pad_edge=False, header_style="bold")
    picked = f"whose of {first.people}"
    for label in (
        "records",
        "placeholders",
        "first guess",
        "one of three",
        "near",
        "texts",
        picked,
        "unreadable",
        "failed",
    ):
        table.add_column(label, justify="left" if label == "records" else "right")
    for name, one in attacked.items():
        shares = [_percent(part.value if part.whole else None) for part in (*one.guessed, one.picked)]
        placeholders, texts = str(one.guessed.first.whole), str(one.picked.whole)
        table.add_row(name, placeholders, *shares[:3], texts, shares[3], str(one.unreadable), str(one.failed))
    out.print(table)


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.2%}"


def _figures(one: "MethodRisk") -> dict[str, Any]:
    linkage = {what: _plain(some) for what, some in one.attacks.items()}
    return {"alone": _plain(one.alone), "within": _plain(one.within), "linkage": linkage}


def _plain(found: "Risks | Attacks") -> dict[str, Any]:
    parts: dict[str, Any] = found._asdict()
    return {name: value if isinstance(value, int) else _rounded(value) for name, value in parts.items()}


def _rounded(part: "Risk | Linked") -> dict[str, float | None]:
    shares: dict[str, float | None] = part._asdict()
    return {name: None if share is None else round(share, 6) for name, share in shares.items()}
