"""The letters of KPP and LPP: the text, and the private values that the files list with it."""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from gama.evals.datasets.source import SOURCES, digest, read_json
from gama.evals.metrics.entities import readable, surface
from gama.state.errors import InputError

Kind = Literal["kpp", "lpp"]

TEXT_FIELD: Mapping[Kind, str] = {"kpp": "question", "lpp": "passage"}
"""Which field of a record is the letter."""

SUBTYPES: Mapping[str, str] = {"name": "full_name", "location": "city", "organization": "company", "email_id": "email"}
"""The classes of private values, and what each is taken for. `email_id` also holds telephone numbers."""


class Letter(NamedTuple):
    """A letter and its private values."""

    id: str
    text: str
    listed: dict[str, list[str]]
    """By class, as the file lists them."""
    asked: Mapping[str, Any] = MappingProxyType({})
    """The other fields of the record: what is asked, and the answers."""

    @property
    def occurring(self) -> list[tuple[str, str]]:
        """The values that occur in the letter, each surface once, with their classes."""
        kept: dict[str, tuple[str, str]] = {}
        for kind, values in self.listed.items():
            for value in values:
                if readable(value, self.text):
                    kept.setdefault(surface(value), (value, kind))
        return list(kept.values())


class Letters(NamedTuple):
    """A file of letters."""

    kind: Kind
    letters: list[Letter]
    sha256: str

    @property
    def released(self) -> bool:
        """Whether it is the file that the authors released."""
        return self.sha256 == SOURCES[self.kind].sha256

    @property
    def absent(self) -> int:
        """How many listed values do not occur in their letter, or are listed twice."""
        return sum(sum(map(len, one.listed.values())) - len(one.occurring) for one in self.letters)


def read_letters(path: Path, kind: Kind) -> Letters:
    """Read a file of letters.

    Raises:
        InputError: It is missing, no JSON, or a record is not as the released files have it; names the record.
    """
    letters = [_letter(record, kind, number) for number, record in enumerate(read_json(path, kind.upper()), 1)]
    return Letters(kind, letters, digest(path))


def load_letters(path: Path | None, kind: Kind, mend: Callable[[Letter], Letter] | None) -> list[Letter]:
    """Read a file of letters (those that ship unless one is given), each mended where `mend` is given.

    Raises:
        InputError: see `read_letters`.
    """
    letters = read_letters(path or SOURCES[kind].shipped, kind).letters
    return letters if mend is None else [mend(letter) for letter in letters]


def _letter(record: Any, kind: Kind, number: int) -> Letter:
    field = TEXT_FIELD[kind]
    problem = ""
    listed = record.get("privacy_data") if isinstance(record, dict) else None
    if not isinstance(record, dict) or not isinstance(text := record.get(field), str) or not text.strip():
        problem = f"its field {field!r} holds no text"
    elif not isinstance(listed, dict) or not all(
        isinstance(values, list) and all(isinstance(value, str) for value in values) for values in listed.values()
    ):
        problem = "its field 'privacy_data' is not an object of lists of texts"
    elif unknown := sorted(set(listed) - set(SUBTYPES)):
        problem = f"its private values have the unknown class {unknown[0]!r}; known: {', '.join(SUBTYPES)}"
    else:
        asked = {name: value for name, value in record.items() if name not in ("id", field, "privacy_data")}
        return Letter(
            str(record.get("id", number)), text, {name: list(values) for name, values in listed.items()}, asked
        )
    raise InputError(f"record {number} of the {kind.upper()} file cannot be used: {problem}")
