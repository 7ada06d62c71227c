"""What an attacker still infers of people from their texts, and how useful these are: `gama eval anonymize`.

Persons who were made up for this, and of whose texts nothing was trained or tuned on (`evals/data/anonymize`), as they
wrote, with placeholders, and with placeholders and refined; figures as in SEAL's table (spec 04 §4.2).
"""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from gama.evals.metrics.attributes import Hit, Matcher, accuracy, combined
from gama.privacy.anonymizer import Anonymizer
from gama.privacy.refining.engine import roles_of
from gama.privacy.refining.judgement import PERFECT, Utility
from gama.privacy.refining.loop import Roles
from gama.state.errors import InputError
from gama.state.options import Options

UNSEEN = Path(__file__).parent / "data" / "anonymize" / "unseen.jsonl"
METHODS = ("original", "placeholders", "refine")


class Person(NamedTuple):
    """A person of the set."""

    id: str
    truth: Mapping[str, str]
    """What is true of them, and given away or named in the text."""
    text: str


class Measured(NamedTuple):
    """How one method did."""

    method: str
    top1: float
    """Share of attributes that the attacker's first guess tells: privacy in the published tables; less is better."""
    top3: float
    meaning: float
    """Mean of the judge's, from 0 to 1."""
    utility: float
    combined: float | None
    """None where nothing is inferred from the originals."""
    by_attribute: Mapping[str, float]
    """`top1` of each attribute."""
    by_certainty: Mapping[int, tuple[int, float]]
    """Of each certainty from 1 to 5 that was given: how many first guesses, and the share of them that is true."""
    missing: int
    """Texts whose inferences or judgement could not be read; they are in no figure."""


def read_people(file: Path | None = None) -> list[Person]:
    """Read the set.

    Args:
        file: lines `{"id", "truth", "text"}`; None for the shipped ones that nothing was tuned on.

    Raises:
        InputError: the file cannot be read, or a line is no such record.
    """
    try:
        records = [json.loads(line) for line in (file or UNSEEN).read_text("utf-8").splitlines() if line.strip()]
        return [Person(str(one["id"]), dict(one["truth"]), str(one["text"])) for one in records]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError("the persons cannot be read: a file of lines with id, truth and text is needed") from error


def run(people: Sequence[Person], options: Options, step: Callable[[str, float], None]) -> list[Measured]:
    """Measure the three methods, each with the attacker and judge that the options name.

    Args:
        people: the set.
        options: how texts are anonymized; their private LLM is refiner, attacker and judge; with none, the embedded.
        step: told of each text.
    """
    plain = Anonymizer(options.model_copy(update={"refine": "off"}))
    refining = Anonymizer(options.model_copy(update={"refine": "placeholders+refine"}))
    write: dict[str, Callable[[str], str]] = {
        "original": lambda text: text,
        "placeholders": lambda text: plain.anonymize(text).text,
        "refine": lambda text: refining.anonymize(text).text,
    }
    roles = roles_of(options, plain.pipeline.finders.llm(options))
    found: list[Measured] = []
    for method in METHODS:
        rows = []
        for person in people:
            rows.append(_row(person, write[method](person.text), roles, options))
            step(method, 1)
        found.append(_measured(method, rows, found[0].top1 if found else None))
    return found


def _row(person: Person, text: str, roles: Roles, options: Options) -> tuple[list[Hit], Utility] | None:
    from gama.privacy.refining.attributes import attributes

    inferred = roles.infer(text)
    judged = PERFECT if text == person.text else roles.judge(person.text, text)
    if inferred is None or judged is None:
        return None
    return Matcher(attributes(options.refine_attributes)).hits(inferred, person.truth), judged


def calibration(hits: Sequence[Hit]) -> dict[int, tuple[int, float]]:
    """Return for each certainty how many first guesses had it, and the share of them that is true.

    Args:
        hits: of attributes whose truth is known; a guess about another cannot be judged, and one without a certainty
            says nothing of how sure it is.
    """
    found: dict[int, tuple[int, float]] = {}
    for degree in sorted({hit.certainty for hit in hits} - {0}):
        alike = [hit for hit in hits if hit.certainty == degree]
        found[degree] = len(alike), accuracy(alike)
    return found


def _measured(method: str, rows: Sequence[tuple[list[Hit], Utility] | None], original: float | None) -> Measured:
    read = [row for row in rows if row is not None]
    if not read:
        raise InputError("no text could be attacked: there are none, or no reply of the model could be read")
    hits = [hit for row, _ in read for hit in row]
    utility = sum(judged.score for _, judged in read) / len(read)
    top1 = accuracy(hits)
    first = top1 if original is None else original
    names = sorted({hit.attribute for hit in hits})
    return Measured(
        method,
        top1,
        accuracy(hits, 3),
        sum(judged.meaning for _, judged in read) / len(read) / 10,
        utility,
        combined(top1, utility, first) if first > 0 else None,
        {name: accuracy([hit for hit in hits if hit.attribute == name]) for name in names},
        calibration(hits),
        len(rows) - len(read),
    )
