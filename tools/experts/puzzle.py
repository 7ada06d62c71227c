"""A solver for assignment puzzles: who has what, in which place, under clues.

The expert states the puzzle as data (see `SCHEMA`); a constraint solver finds all assignments that fit. The answer is
one solution, several solutions (with what they agree on), or a contradiction (with clues that cannot hold together).

An attribute whose values are all different gets a variable for each value: the place of the one who has it. An
attribute whose values may repeat gets a variable for each place.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, islice
from time import monotonic
from typing import Any, NamedTuple

from gama.state.errors import ToolError
from gama.tools.tables import table

SCHEMA: Mapping[str, Any] = table("experts", "puzzle")["schema"]
CLUES: tuple[str, ...] = tuple(SCHEMA["properties"]["clues"]["items"]["properties"]["type"]["enum"])
"""The kinds of clues."""

MOST_ENTITIES = 20
MOST_VALUES = 200
MOST_CLUES = 100
ENOUGH = 50
"""Solutions after which the search stops: there are several."""
SECONDS = 15.0
"""How long the search may take."""

_NOBODY = -1
"""The place of a value that nobody has, where there are more values than entities."""
_SHOWN = 3
_LATE = "the search took too long; state the puzzle with fewer values, or add the clues that lack"


class PuzzleSolver:
    """Solves assignment puzzles; keeps nothing between calls."""

    name = "puzzle"
    description: str = table("experts", "puzzle")["description"]
    local = True

    def __init__(self, seconds: float = SECONDS) -> None:
        """Set how long a search may take."""
        self._seconds = seconds

    def call(self, arguments: Mapping[str, Any]) -> str:
        """Return what was found as a JSON object.

        Raises:
            ToolError: the puzzle is not stated as the schema says, or the search takes too long.
        """
        puzzle = _Puzzle(arguments)
        deadline = monotonic() + self._seconds
        found = list(islice(puzzle.solutions(puzzle.clues, deadline), ENOUGH))
        return json.dumps(_report(puzzle, found, deadline), ensure_ascii=False)


class _Term(NamedTuple):
    """Something that is in one place: an entity, or the entity with a value."""

    attribute: str
    """Empty for an entity."""
    value: str


@dataclass(frozen=True)
class _Clue:
    kind: str
    a: _Term | None = None
    b: _Term | None = None
    by: int = 0
    of: tuple["_Clue", ...] = ()

    def terms(self) -> Iterator[_Term]:
        """Yield the terms in it, with those of the clues inside."""
        yield from (term for term in (self.a, self.b) if term is not None)
        for clue in self.of:
            yield from clue.terms()


_Variable = tuple[str, str | int]
"""An attribute with the value whose place is sought, or with the place whose value is sought."""
_Solution = dict[str, dict[str, str]]
"""Each entity with its values."""


class _Puzzle:
    def __init__(self, given: Mapping[str, Any]) -> None:
        """Read a puzzle and check that it is one."""
        entities = _texts(given.get("entities"), "entities")
        attributes = given.get("attributes")
        if not isinstance(attributes, Mapping) or not attributes:
            raise ToolError("'attributes' is an object: each attribute with the list of its values")
        values = {str(name): _texts(found, f"attribute {str(name)[:30]!r}") for name, found in attributes.items()}
        if len(entities) > MOST_ENTITIES or sum(map(len, values.values())) > MOST_VALUES:
            raise ToolError(f"at most {MOST_ENTITIES} entities and {MOST_VALUES} values")
        different = given.get("all_different")
        named = frozenset(values) if different is None else frozenset(_texts(different, "all_different", least=0))
        for name in sorted(named - values.keys()):
            raise ToolError(f"all_different names {name[:30]!r}, which is no attribute; there are {', '.join(values)}")
        for name in sorted(named):
            if len(values[name]) < len(entities):
                raise ToolError(
                    f"attribute {name[:30]!r} has fewer values than there are entities: they cannot be all different"
                )
        listed = given.get("clues")
        if not isinstance(listed, list) or len(listed) > MOST_CLUES:
            raise ToolError(f"'clues' is a list of at most {MOST_CLUES} clues")
        self.entities, self.attributes, self.different = entities, values, named
        self.clues = tuple(self._clue(clue, str(n)) for n, clue in enumerate(listed, 1))

    def _clue(self, given: Any, place: str, depth: int = 0) -> _Clue:
        """Read one clue."""
        kind = given.get("type") if isinstance(given, Mapping) else None
        if kind not in CLUES or depth > 3:
            raise ToolError(f"clue {place}: 'type' is one of {', '.join(CLUES)}")
        if kind in ("either_or", "not"):
            inner = given.get("of")
            least, most = (1, 1) if kind == "not" else (2, 10)
            if not isinstance(inner, list) or not least <= len(inner) <= most:
                needed = "one clue" if kind == "not" else "two clues or more"
                raise ToolError(f"clue {place}: {kind} needs 'of', a list of {needed}")
            return _Clue(kind, of=tuple(self._clue(c, f"{place}.{n}", depth + 1) for n, c in enumerate(inner, 1)))
        a, b = (self._term(given.get(side), f"clue {place}, {side!r}") for side in ("a", "b"))
        if kind not in ("equal", "not_equal"):
            for term in (a, b):
                if term.attribute and term.attribute not in self.different:
                    raise ToolError(
                        f"clue {place}: {kind} needs values that occur once; {term.attribute[:30]!r} may repeat"
                    )
        by = given.get("by", 1 if kind == "offset" else 0)
        if kind in ("offset", "distance") and (not isinstance(by, int) or isinstance(by, bool) or by == 0):
            raise ToolError(f"clue {place}: {kind} needs 'by', a whole number other than 0")
        return _Clue(kind, a, b, int(by) if kind in ("offset", "distance") else 0)

    def _term(self, given: Any, place: str) -> _Term:
        """Read `attribute: value`, an entity, or a value that only one attribute has."""
        text = " ".join(str(given).split()) if isinstance(given, str | int) else ""
        if not text:
            raise ToolError(f"{place}: an entity or 'attribute: value' is needed")
        for name, values in self.attributes.items():
            head, colon, tail = text.partition(":")
            if colon and _same(head, name):
                if match := next((value for value in values if _same(value, tail)), None):
                    return _Term(name, match)
                raise ToolError(
                    f"{place}: {name[:30]!r} has no value {tail.strip()[:30]!r}; it has {', '.join(values)}"
                )
        if match := next((entity for entity in self.entities if _same(entity, text)), None):
            return _Term("", match)
        owners = [(name, value) for name, values in self.attributes.items() for value in values if _same(value, text)]
        if len(owners) == 1:
            return _Term(*owners[0])
        problem = "belongs to several attributes; write 'attribute: value'" if owners else "is no entity and no value"
        raise ToolError(f"{place}: {text[:30]!r} {problem}")

    def solutions(self, clues: Sequence[_Clue], deadline: float) -> Iterator[_Solution]:
        """Yield the assignments under some of the clues.

        Raises:
            ToolError: the time is up.
        """
        from constraint import AllDifferentConstraint, BacktrackingSolver, FunctionConstraint, Problem

        problem = Problem(BacktrackingSolver())

        def keep_time() -> None:
            if monotonic() > deadline:
                raise ToolError(_LATE)

        class Different(AllDifferentConstraint):  # type: ignore[misc]  # the library has no types
            """All different; it is asked at every step, so it keeps the time as well."""

            def __call__(self, *step: Any) -> bool:
                keep_time()
                return bool(super().__call__(*step))

        def demand(holds: Callable[[Mapping[_Variable, Any]], bool], variables: Sequence[_Variable]) -> None:
            def check(*values: Any) -> bool:
                keep_time()
                return holds(dict(zip(variables, values, strict=True)))

            problem.addConstraint(FunctionConstraint(check), list(variables))

        places = list(range(len(self.entities)))
        for name, values in self.attributes.items():
            own = [(name, value) for value in values]
            if name not in self.different:
                problem.addVariables([(name, place) for place in places], list(values))
            elif len(values) == len(places):
                problem.addVariables(own, places)
                problem.addConstraint(Different(), own)
            else:
                problem.addVariables(own, [*places, _NOBODY])
                for pair in combinations(own, 2):
                    demand(_apart, pair)
                demand(lambda found: set(places) <= set(found.values()), own)
        for clue in clues:
            variables = self._variables(clue)
            if variables:
                demand(partial(self._holds, clue), variables)
            elif not self._holds(clue, {}):
                return
        yield from map(self._written, problem.getSolutionIter())

    def _variables(self, clue: _Clue) -> list[_Variable]:
        """Return what a clue speaks of."""
        found: dict[_Variable, None] = {}
        for term in clue.terms():
            if term.attribute in self.different:
                found[term.attribute, term.value] = None
            elif term.attribute:
                found |= dict.fromkeys((term.attribute, place) for place in range(len(self.entities)))
        return list(found)

    def _places(self, term: _Term, found: Mapping[_Variable, Any]) -> frozenset[int]:
        """Return where a term is: one place, or for a value that may repeat any number."""
        if not term.attribute:
            return frozenset({self.entities.index(term.value)})
        if term.attribute in self.different:
            return frozenset({found[term.attribute, term.value]} - {_NOBODY})
        return frozenset(n for n in range(len(self.entities)) if found[term.attribute, n] == term.value)

    def _holds(self, clue: _Clue, found: Mapping[_Variable, Any]) -> bool:
        if clue.kind == "either_or":
            return sum(self._holds(inner, found) for inner in clue.of) == 1
        if clue.kind == "not":
            return not self._holds(clue.of[0], found)
        assert clue.a is not None and clue.b is not None
        a, b = self._places(clue.a, found), self._places(clue.b, found)
        if clue.kind == "not_equal":
            return not a & b
        if clue.kind == "equal":
            # A value that may repeat includes the one that has a value of its own.
            return bool(a) and bool(b) and (a <= b or b <= a)
        if not a or not b:
            return False
        gap = next(iter(b)) - next(iter(a))
        holds = {"next_to": abs(gap) == 1, "left_of": gap > 0, "offset": gap == clue.by}
        return holds[clue.kind] if clue.kind in holds else abs(gap) == abs(clue.by)

    def _written(self, found: Mapping[_Variable, Any]) -> _Solution:
        """Write an assignment as each entity with its values."""
        solution: _Solution = {entity: {} for entity in self.entities}
        for name, values in self.attributes.items():
            for value in values:
                for place in self._places(_Term(name, value), found):
                    solution[self.entities[place]][name] = value
        return solution


def _apart(found: Mapping[_Variable, Any]) -> bool:
    one, other = found.values()
    return bool(one != other or one == _NOBODY)


def _report(puzzle: _Puzzle, found: Sequence[_Solution], deadline: float) -> dict[str, Any]:
    if not found:
        clues = _conflict(puzzle, deadline)
        return {"result": "contradiction", "clues_that_cannot_hold_together": clues}
    if len(found) == 1:
        return {"result": "one solution", "solution": found[0]}
    certain = {
        entity: {name: value for name, value in values.items() if all(s[entity].get(name) == value for s in found)}
        for entity, values in found[0].items()
    }
    more = len(found) == ENOUGH
    report = {"result": "several solutions", "count": f"{ENOUGH} or more" if more else len(found)}
    # What the first fifty agree on may still differ in the next one.
    return report | ({} if more else {"in_all_of_them": certain}) | {"examples": list(found[:_SHOWN])}


def _conflict(puzzle: _Puzzle, deadline: float) -> list[int]:
    """Return the numbers of clues that cannot hold together, as few as the time allows to find."""
    kept = list(range(len(puzzle.clues)))
    for number in list(kept):
        rest = [n for n in kept if n != number]
        try:
            solvable = next(puzzle.solutions([puzzle.clues[n] for n in rest], deadline), None) is not None
        except ToolError:
            break
        if not solvable:
            kept = rest
    return [n + 1 for n in kept]


def _texts(given: Any, what: str, least: int = 1) -> tuple[str, ...]:
    """Read a list of texts without doublets."""
    if not isinstance(given, list) or len(given) < least or not all(isinstance(item, str | int) for item in given):
        raise ToolError(f"{what}: a list of texts is needed")
    texts = tuple(" ".join(str(item).split())[:100] for item in given)
    if len({text.casefold() for text in texts}) < len(texts) or "" in texts:
        raise ToolError(f"{what}: a text is empty or stands there twice")
    return texts


def _same(one: str, other: str) -> bool:
    return one.strip().casefold() == other.strip().casefold()
