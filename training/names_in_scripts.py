"""Other names and codes for annotated texts in other scripts, so that none is learnt by heart.

A name is changed for one of the same kind of the same language: from the other records, and from the lists that the
package carries (`tools/languages/data`), of which it takes the words that are names wherever they stand.
"""

import gzip
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random

from gama.evals.datasets.corpus import Example, Mark
from gama.tools import languages
from gama.training.augment import edit
from gama.training.formats import reshape

RENAMED = 0.6
"""Share of the texts whose names are changed."""
LISTED = 0.5
"""Share of new given names and surnames that come from the lists, where there are some."""
RESHAPED = 0.6
"""Share of the texts whose codes get other digits."""
_PERSONS = frozenset({"full_name", "first_name", "last_name", "nickname"})
_CODES = frozenset(
    "ssn drivers_license bank_account iban credit_card phone passport tax_id employee_id student_id patient_id "
    "case_number order_number vehicle_plate other_id device_id".split()
)
_DECLINED = frozenset({"ru", "uk", "el"})
"""Languages whose names have cases: a name of a list would stand in the wrong one, those of the records are in all."""
_SURE = {"ja": "=", "zh": "=", "ko": ""}
"""How a line of a list begins that is a given name; elsewhere with a plus."""


class Renaming:
    """Gives texts other names. Instances are immutable."""

    def __init__(self, records: Sequence[tuple[str, Example]]) -> None:
        """Collect the names of annotated texts, given with their language."""
        pools: dict[tuple[str, str, int], set[str]] = defaultdict(set)
        for language, example in records:
            for mark in example.marks:
                if _is_name(mark):
                    surface = example.text[mark.start : mark.end]
                    pools[language, mark.subtypes[0], len(surface.split())].add(surface)
        self._pools = {key: sorted(names) for key, names in pools.items()}

    def __call__(self, language: str, example: Example, rng: Random) -> Example:
        """Return a new version of a text in a language, by chance the same; the same name becomes the same new one."""
        known: dict[tuple[str, str], str] = {}
        surfaces: dict[int, str] = {}
        renamed, reshaped = rng.random() < RENAMED, rng.random() < RESHAPED
        for at, mark in enumerate(example.marks):
            old = example.text[mark.start : mark.end]
            subtype = mark.subtypes[0] if mark.subtypes else ""
            key = subtype, old
            if renamed and _is_name(mark):
                surfaces[at] = known.setdefault(key, self._drawn(language, subtype, old, rng))
            elif reshaped and subtype in _CODES:
                surfaces[at] = known.setdefault(key, _with_other_digits(old, rng))
        return edit(example, surfaces)

    def _drawn(self, language: str, subtype: str, old: str, rng: Random) -> str:
        words = old.split()
        listed = names_of(language) if language not in _DECLINED else ()
        if listed and rng.random() < LISTED and (subtype == "first_name" or len(words) > 1):
            # The words of a whole name: some stay, the others come from the list.
            fresh = [rng.choice(listed) if rng.random() < 0.7 else word for word in words]
        else:
            fresh = [rng.choice(self._pools.get((language, subtype, len(words)), [old]))]
        new = " ".join(fresh)
        return new.lower() if old.islower() else new


def _is_name(mark: Mark) -> bool:
    return mark.subtypes[:1] != () and mark.subtypes[0] in _PERSONS and mark.private is not False


def _with_other_digits(old: str, rng: Random) -> str:
    """Return a code with other digits, of its own script."""
    if old.isascii():
        return reshape(old, rng)
    digits = (chr(ord(char) - int(char) + rng.randrange(10)) if char.isdecimal() else char for char in old)
    return "".join(digits)


@cache
def names_of(language: str) -> tuple[str, ...]:
    """Return the words of a language's list that are names wherever they stand; none where it has no list."""
    file = Path(languages.__file__).parent / "data" / f"{language}.txt.gz"
    if not file.is_file():
        return ()
    sign = _SURE.get(language, "+")
    lines = gzip.decompress(file.read_bytes()).decode("utf-8").splitlines()
    return tuple(line.removeprefix(sign) for line in lines if line.startswith(sign))
