"""Fields: tasks with the experts that would help best, and which are chosen (`gama eval fields`)."""

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from gama.state.errors import InputError
from gama.state.options import Options
from gama.state.task import GENERAL

SHIPPED = "data/fields/fields.jsonl"


class LabelledTask(NamedTuple):
    """A task after anonymization, and the domains whose experts would help."""

    id: str
    lang: str
    text: str
    right: frozenset[str]
    """Domains, any of which is right; empty where none fits."""
    wrong: frozenset[str]
    """Domains that would be embarrassing."""

    @property
    def held_out(self) -> bool:
        """Return whether it belongs to the third on which nothing is tuned: by the hash of its id."""
        return int(hashlib.sha256(self.id.encode()).hexdigest(), 16) % 3 == 0


class Choice(NamedTuple):
    """What was chosen for a task."""

    task: LabelledTask
    ranking: tuple[str, ...]
    """The domains, the most fitting first; empty where none was found to fit."""
    asked: tuple[str, ...]
    """Those whose experts would be asked."""


def load(path: Path | None = None) -> list[LabelledTask]:
    """Return the tasks of a file; the shipped ones unless one is given.

    Raises:
        InputError: a line is not a labelled task.
    """
    source: Any = path or files("gama.evals") / SHIPPED
    tasks = []
    for number, line in enumerate(source.read_text(encoding="utf-8").splitlines(), 1):
        try:
            row = json.loads(line)
            right, wrong = frozenset(row["right"]), frozenset(row.get("wrong", ()))
            tasks.append(LabelledTask(row["id"], row["lang"], row["text"], right, wrong))
        except (ValueError, TypeError, KeyError):
            raise InputError(f"line {number} of {source.name}: not a task with id, lang, text and right") from None
    return tasks


def choose(task: LabelledTask, options: Options, complete: Callable[..., str] | None = None) -> Choice:
    """Choose the experts for a task as the graph does.

    Args:
        task: the task.
        options: how many, and by which mode.
        complete: the private LLM.
    """
    from gama.models.shipped import vectors_of
    from gama.tools.domains.analysis import analyse

    analysis = analyse(
        task.text,
        words=vectors_of(options.word_vectors),
        k=options.k,
        n=options.high_order,
        alpha=options.alpha,
        topk_mode=options.topk_mode,
        collapse=options.collapse,
        threshold=options.topk_threshold,
        domain_set=options.domain_set,
        complete=complete,
    )
    asked = tuple(rule.domain for rule in analysis.rules if rule.domain != GENERAL)
    return Choice(task, analysis.ranking if asked else (), asked)


def figures(choices: Sequence[Choice]) -> dict[str, Any]:
    """Return how often a right domain was chosen, in all, in the held-out third, by language and by domain."""
    by_lang = {choice.task.lang for choice in choices}
    domains = sorted({name for choice in choices for name in choice.task.right})
    return {
        "all": _rates(choices),
        "tuned on": _rates([one for one in choices if not one.task.held_out]),
        "held out": _rates([one for one in choices if one.task.held_out]),
        "languages": {lang: _rates([one for one in choices if one.task.lang == lang]) for lang in sorted(by_lang)},
        "fields": {name: _rates([one for one in choices if name in one.task.right]) for name in domains},
    }


def _rates(choices: Sequence[Choice]) -> dict[str, Any]:
    fitting = [one for one in choices if one.task.right]
    none = [one for one in choices if not one.task.right]
    said = [one for one in choices if not one.asked]
    return {
        "tasks": len(choices),
        "top 1": _share(bool(set(one.ranking[:1]) & one.task.right) for one in fitting),
        "top 3": _share(bool(set(one.ranking[:3]) & one.task.right) for one in fitting),
        "asked": _share(bool(set(one.asked[:3]) & one.task.right) for one in fitting),
        "embarrassing": _share(bool(set(one.asked[:3]) & one.task.wrong) for one in choices),
        "none recall": _share(not one.asked for one in none),
        "none precision": _share(not one.task.right for one in said),
        "none": len(none),
    }


def _share(found: Iterable[bool]) -> float | None:
    values = list(found)
    return round(sum(values) / len(values), 4) if values else None
