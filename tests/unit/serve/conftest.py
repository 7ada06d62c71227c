"""Fixtures of the command line's tests: running a command, and a reply to show."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import runner


@pytest.fixture
def gama(capsys, monkeypatch):
    """Run a command line in this process; gives exit code, output and errors."""

    command = runner(capsys)

    def run(*arguments, stdin=b""):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        return command(*arguments)

    return run


LETTER = "Dear Emma,\nmy IBAN is GB29 NWBK. Emma lives near the Louvre.\nDaniel"


def entity(text: str, type_: str, views: list[str], placeholder: str | None, at: int | None = None) -> dict[str, Any]:
    start = LETTER.index(text) if at is None else at
    return {
        "text": text, "start": start, "end": start + len(text), "type": type_, "subtype": "x", "subject": None,
        "views": views, "score": 0.9, "private": placeholder is not None, "needed": False, "placeholder": placeholder,
    }  # fmt: skip


@pytest.fixture
def reply():
    """A reply with everything in it that can be shown."""
    # By way of JSON, so that tests may change it freely.
    return json.loads(
        json.dumps(
            {
                "answer": "Emma, the text names an IBAN: GB29 NWBK.",
                "anonymized": "Dear <name-1>,\nmy IBAN is <iban-1>. <name-1> lives near the Louvre.\n<name-2>",
                "entities": [
                    entity("Emma", "PER", ["pner", "pia"], "<name-1>"),
                    entity("GB29 NWBK", "CODE", ["regex", "pia"], "<iban-1>"),
                    entity("Emma", "PER", ["user"], "<name-1>", LETTER.rindex("Emma")),
                    entity("Louvre", "LOC", ["pner"], None),
                    entity("Daniel", "PER", ["fusion"], "<name-2>"),
                ],
                "domains": [
                    {"domain": "Finance", "term": "Extremely High", "score": 0.9},
                    {"domain": "Law", "term": "Medium", "score": 0.4},
                ],
                "experts": [
                    {
                        "domain": "Finance", "term": "Extremely High", "answer": "<name-1>, pay [red]now[/red].",
                        "model": "m", "seconds": 0.5, "error": None,
                    },
                    {
                        "domain": "Law", "term": "Medium", "answer": None, "model": None, "seconds": None,
                        "error": "ModelTimeout: no answer in time",
                    },
                ],
                "rounds": 1,
                "verdict": "converged",
                "contradictions": [{"round": 1, "reason": "<name-1> is not <name-2>."}],
                "counterfactuals": [],
                "route": "both",
                "votes": [],
                "questions": [],
                "quality": "",
                "switches": {"ampp": True, "drke": True, "dle": True},
                "usage": {"calls": 4, "input_tokens": 1200, "output_tokens": 88},
                "timings": {"seal": 0.01, "pner": 0.2, "restore": 0.03, "public.expert Finance": 0.5},
                "models": {"public": "openai:gpt-4o", "private": "embedded", "identify": "patterns"},
                "warnings": ["The expert for Law did not answer."],
                "unresolved": [],
                "thread": "thread-7",
            }
        )
    )  # fmt: skip


@pytest.fixture
def letter() -> str:
    return LETTER


@pytest.fixture
def examples() -> Path:
    return Path(__file__).parents[3] / "examples"
