"""The files of a run: trajectories, and the texts that are held out; a JSON object a line, checked when it is read."""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from gama.privacy.refining.inferences import GUESSES, Inference
from gama.privacy.refining.judgement import PERFECT, Utility
from gama.state.errors import InputError
from gama.training.seal.pairs import Step, Trajectory
from gama.training.seal.sources import Split, Text

TRAJECTORIES, HELD_OUT = "trajectories.jsonl", "held-out.jsonl"


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Inference(_Line):
    attribute: str
    guesses: Annotated[tuple[str, ...], Field(min_length=1, max_length=GUESSES)]
    certainty: Annotated[int, Field(ge=0, le=5)]
    reason: str = ""
    evidence: tuple[str, ...] = ()


class _Utility(_Line):
    readability: Annotated[float, Field(ge=1, le=10)]
    meaning: Annotated[float, Field(ge=1, le=10)]
    hallucination: Literal[0, 1]


class _Step(_Line):
    text: Annotated[str, Field(min_length=1)]
    inferences: tuple[_Inference, ...]
    utility: _Utility

    @property
    def step(self) -> Step:
        inferences = tuple(Inference(**one.model_dump()) for one in self.inferences)
        return Step(self.text, inferences, Utility(**self.utility.model_dump()))


class Record(_Line):
    """A trajectory as its line has it."""

    id: str
    profile: str
    split: Split
    models: Mapping[str, str]
    """Who played each role."""
    truth: Mapping[str, str]
    ended: str
    steps: Annotated[tuple[_Step, ...], Field(min_length=1)]

    @classmethod
    def of(cls, trajectory: Trajectory, split: Split, models: Mapping[str, str], ended: str) -> Self:
        """Return a trajectory as a record."""
        steps = [
            {"text": one.text, "inferences": [i._asdict() for i in one.inferences], "utility": one.utility._asdict()}
            for one in trajectory.steps
        ]
        about = {"id": trajectory.id, "profile": trajectory.profile, "split": split, "truth": dict(trajectory.truth)}
        return cls.model_validate(about | {"models": dict(models), "ended": ended, "steps": steps})

    @property
    def trajectory(self) -> Trajectory:
        """The record as a trajectory."""
        return Trajectory(self.id, self.profile, tuple(one.step for one in self.steps), self.truth)


_TEXT = TypeAdapter(Text)
_T = TypeVar("_T")


def read_records(folder: Path) -> list[Record]:
    """Read the trajectories of a run.

    Raises:
        InputError: there are none, a line is invalid, an id comes twice, a first step is not perfect, or a profile is
            in two splits; names the line or the record.
    """
    found = [_checked(Record.model_validate, raw, number) for number, raw in _lines(folder / TRAJECTORIES)]
    _check_splits([(one.id, one.profile, one.split) for one in found] + _held_out(folder))
    for one in found:
        if Utility(**one.steps[0].utility.model_dump()) != PERFECT:
            raise InputError(
                f"{TRAJECTORIES}: the first step of {one.id!r} is the original, whose utility is 10, 10, 1"
            )
    return found


def read_texts(folder: Path) -> list[Text]:
    """Read the texts of a run that are held out.

    Raises:
        InputError: there are none, or a line is invalid; names the line.
    """
    if texts := _texts(folder):
        return texts
    raise InputError(f"{HELD_OUT}: no text is held out; set test_profiles in a file for --config")


def write_records(path: Path, records: Iterable[Record]) -> None:
    """Write trajectories; see `write_rows`."""
    write_rows(path, [one.model_dump(mode="json") for one in records])


def write_texts(path: Path, texts: Iterable[Text]) -> None:
    """Write texts; see `write_rows`."""
    write_rows(path, [one._asdict() for one in texts])


def write_rows(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write a file of lines, whole or not at all, that only its owner may read."""
    scratch = path.with_name(f"{path.name}.new")
    handle = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(handle, "w", encoding="utf-8", errors="replace") as out:
        out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    scratch.replace(path)


def _texts(folder: Path) -> list[Text]:
    return [
        _checked(lambda row: _TEXT.validate_python([row[name] for name in Text._fields]), raw, number)
        for number, raw in _lines(folder / HELD_OUT)
    ]


def _held_out(folder: Path) -> list[tuple[str, str, Split]]:
    return [(one.id, one.profile, one.split) for one in _texts(folder)] if (folder / HELD_OUT).exists() else []


def _check_splits(rows: Sequence[tuple[str, str, Split]]) -> None:
    if len({name for name, _, _ in rows}) < len(rows):
        raise InputError(f"{TRAJECTORIES}: two records have the same id")
    splits: dict[str, Split] = {}
    for _, profile, split in rows:
        if splits.setdefault(profile, split) != split:
            raise InputError(
                f"{TRAJECTORIES}: the profile {profile!r} is in two splits: what is learnt would be measured"
            )


def _lines(path: Path) -> Iterable[tuple[int, Any]]:
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{str(path)!r} cannot be read ({type(error).__name__}): is it the folder of a run?") from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield number, json.loads(line)
        except ValueError:
            raise InputError(f"{path.name}, line {number}: no JSON") from None


def _checked(read: Any, raw: Any, number: int) -> Any:
    try:
        return read(raw)
    except (ValidationError, KeyError, TypeError) as error:
        where = ".".join(map(str, error.errors()[0]["loc"])) if isinstance(error, ValidationError) else "an entry"
        problem = f"line {number}: {where} is missing or invalid"
    raise InputError(problem)
