"""The box of a whole dataset: what was found in all records, numbered once, in their order.

Numbers come from the order of the records, not from a keyed function of the value: they are small, so models read and
repeat them; no two can be the same; and a name that stands in one record is known, and hidden, in all the others. The
price is that records are read before the first is written.
"""

from collections.abc import Iterable, Sequence
from itertools import count

from gama.privacy.box import PrivacyBox
from gama.privacy.link import letter
from gama.state.entities import TYPE_OF, Entity

Told = tuple[str, str, str | None]
"""A value of a record: its surface, its subtype, and the letter of its person in that record."""


class Numbering:
    """Collects the values of records, in their order, and gives them placeholders in a box.

    Args:
        box: the box, which grows.
    """

    def __init__(self, box: PrivacyBox) -> None:
        """Take the box."""
        self._box = box
        self._taken = {entry.subject for entry in box.entries}
        self._letters = (name for name in map(letter, count()) if name not in self._taken)
        self._persons = {entry.surface: entry.subject for entry in box.entries if entry.subject}
        """The person of each surface, of those that are yet to be entered too."""
        self._fresh: dict[str, Entity] = {}
        self._literals: dict[str, None] = {}

    def take(self, values: Sequence[Told]) -> None:
        """Take the values of a record.

        A person is who was called by the same longest name before: one who is only called Emma is the first Emma, but
        Emma Brown is nobody whom only `Emma` was shared with.
        """
        groups: dict[str, list[Told]] = {}
        for one in values:
            if one[2]:
                groups.setdefault(one[2], []).append(one)
        subjects = {subject: self._person(group) for subject, group in groups.items()}
        for surface, subtype, subject in values:
            if subtype == "literal":
                self._literals[surface] = None
            elif self._box.entry(surface) is None and surface not in self._fresh:
                person = subjects[subject] if subject else None
                self._fresh[surface] = _entity(surface, subtype, person)
                if person:
                    self._persons[surface] = person

    def enter(self) -> None:
        """Give everything that was taken its place in the box."""
        for literal in self._literals:
            self._box.add(literal, "literal")
        self._box.register(list(self._fresh.values()))
        self._fresh, self._literals = {}, {}

    def _person(self, group: Sequence[Told]) -> str:
        names = [one for one in group if TYPE_OF.get(one[1]) == "PER"] or group
        longest = max((surface for surface, _, _ in names), key=len)
        return self._persons.get(longest) or next(self._letters)

    def add(self, values: Iterable[Told]) -> None:
        """Enter further spellings, whose persons are the box's own."""
        for surface, subtype, subject in values:
            self._box.add(surface, subtype, subject)


def _entity(surface: str, subtype: str, subject: str | None) -> Entity:
    return Entity(
        text=surface,
        start=0,
        end=len(surface),
        type=TYPE_OF[subtype],
        subtype=subtype,
        subject=subject,
        views=("fusion",),
    )
