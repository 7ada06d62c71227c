"""What a judge says of a rewritten text: is it readable, does it mean the same, is anything invented."""

import re
from typing import NamedTuple

from gama.models.calls import without_controls, without_thinking
from gama.models.json_replies import read_object

LONGEST_REMARK = 600

SCHEMA = {
    "type": "object",
    "properties": {
        "readability": {"type": "string", "x-aliases": ["readability_score"]},
        "meaning": {"type": "string", "x-aliases": ["meaning_score", "meaning_preservation"]},
        "hallucination": {"type": "string", "x-aliases": ["hallucinations", "hallucination_score"]},
    },
    "required": ["readability", "meaning", "hallucination"],
}


class Utility(NamedTuple):
    """How useful a rewritten text still is (§4.1 and §4.2 of the spec)."""

    readability: float
    """From 1 to 10."""
    meaning: float
    """From 1 to 10: whether it still says what the original says."""
    hallucination: int
    """1 where nothing is invented, 0 where something is."""

    @property
    def score(self) -> float:
        """The mean of the three, each from 0 to 1: u(s) of SEAL.

        Divided once: what is worth 0.8 is no less than a floor of 0.8.
        """
        return (self.readability + self.meaning + 10 * self.hallucination) / 30


class Remarked(Utility):
    """A utility with what the judge said before the numbers, which may quote the text: it is in no dump and no repr."""

    remark: str = ""


PERFECT = Utility(10, 10, 1)
"""The original's own."""


def read_utility(reply: str) -> Utility | None:
    """Read a judge's reply: a JSON object with three numbers.

    Returns:
        The judgement, or None where one of the numbers is missing or out of range: a reply that cannot be read is no
        perfect text (the published code counts it as one).
    """
    found = read_object(reply, SCHEMA).data
    if found is None:
        return None
    readability, meaning = (_number(found[name]) for name in ("readability", "meaning"))
    said = str(found["hallucination"]).strip().casefold()
    # Yes or no would leave open whether something is invented or not.
    invented = {"0": 0, "0.0": 0, "1": 1, "1.0": 1}.get(said)
    if readability is None or meaning is None or invented is None:
        return None
    judged = Remarked(readability, meaning, invented)
    judged.remark = _remark(reply)
    return judged


def _remark(reply: str) -> str:
    """Return what stands before the numbers."""
    said = without_controls(without_thinking(reply))
    return " ".join(re.sub(r"(?:```\w*\s*)?\{[^{}]*\}[\s`]*\Z", "", said).split())[:LONGEST_REMARK]


def _number(said: object) -> float | None:
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)(?:\s*/\s*10)?\s*", str(said))
    value = float(match[1]) if match else 0.0
    return value if 1 <= value <= 10 else None
