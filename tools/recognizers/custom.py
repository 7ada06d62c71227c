r"""Recognizers of the user's own: always-hide and never-hide lists, and expressions from a YAML file.

The file:

    recognizers:
      - name: project_code          # unique; letters, digits, "_" and "-"
        subtype: other_id           # one of gama.state.entities.SUBTYPES
        pattern: 'PRJ-\\d{5}'        # a regular expression; a group named v is the value
        score: 0.9                  # optional, 0 to 1, default 0.9
        private: 1.0                # optional, 0 to 1 or null, default 1.0
        ignore_case: true           # optional, default false
    deny:                           # optional: texts that are always private
      - Project Bluebird
    allow:                          # optional: texts that are never private
      - Example GmbH
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gama.state.entities import TYPE_OF, Span
from gama.state.errors import OptionError
from gama.tools.recognizers.base import Recognizer, hit, plain, word_char
from gama.tools.recognizers.rules import Pattern, RuleRecognizer

_TOP = ("allow", "deny", "recognizers")

# Two nested repetitions, as in (a+)+ or (.*)*, can take exponential time. Accepts: (ab)+, (a+b)?; refuses: (a+)+,
# (?:x*)*.
_NESTED = re.compile(r"\((?:\?[:=!<P][^()]*)?[^()]*(?<!\\)[+*]\)(?:[+*]|\{\d+,\d*\})")


class DenyList:
    """Finds the texts that a user wants hidden whatever the context; case is ignored, words stay whole."""

    name = "deny_list"
    priority = 10
    subtypes: tuple[str, ...] = ("other_id",)

    def __init__(self, texts: Iterable[str]) -> None:
        """Take the texts."""
        self._texts = tuple(texts)

    def find(self, text: str) -> Iterator[Span]:
        """Yield every occurrence; the user's word counts as proof."""
        for start, end in occurrences(text, self._texts):
            yield hit(start, end, "other_id", self.name, score=1.0, private=1.0, validated=True)


def occurrences(text: str, wanted: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Yield the places of wanted texts in a text, whole words only; case and spelling of signs do not matter."""
    low = plain(text).low
    for one in wanted:
        word = plain(one).low.strip()
        at = low.find(word)
        while at >= 0:
            end = at + len(word)
            inside = (at > 0 and word_char(low[at - 1]) and word_char(word[0])) or (
                end < len(low) and word_char(low[end]) and word_char(word[-1])
            )
            if not inside:
                yield at, end
            at = low.find(word, at + 1)


@dataclass(frozen=True, slots=True)
class CustomRules:
    """What a user's file holds."""

    recognizers: tuple[Recognizer, ...]
    """The user's expressions, and the deny list where there is one."""
    allow: tuple[str, ...]
    """The texts that are never private."""

    def keep(self, text: str, spans: Iterable[Span]) -> list[Span]:
        """Return the spans that do not lie wholly within an allowed text, in their order."""
        allowed = list(occurrences(text, self.allow))
        return [span for span in spans if not any(a <= span.start and span.end <= b for a, b in allowed)]


def load_rules(path: str | Path) -> CustomRules:
    """Read and check a YAML file of recognizers.

    Raises:
        OptionError: the file cannot be read or a value is wrong; names the file, the line and the key.
    """
    import yaml

    file = Path(path)
    problem = ""
    tree: Any = None
    try:
        text = file.read_text(encoding="utf-8")
        tree, lines = yaml.safe_load(text), _lines(yaml.compose(text, Loader=yaml.SafeLoader))
    except OSError as error:
        problem = f"{file}: cannot be read ({error.strerror or type(error).__name__})"
    except UnicodeDecodeError:
        problem = f"{file}: is not UTF-8"
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        problem = f"{file}, line {line}: is not valid YAML ({error.problem})"
    except (yaml.YAMLError, RecursionError) as error:
        problem = f"{file}: is not valid YAML ({type(error).__name__})"
    if problem:
        raise OptionError(problem)
    return _rules(tree, file, lines)


def _rules(tree: Any, file: Path, lines: Mapping[tuple[object, ...], int]) -> CustomRules:
    def check(fits: bool, what: str, *place: object) -> None:
        if not fits:
            at = next((lines[place[:size]] for size in range(len(place), -1, -1) if place[:size] in lines), 1)
            raise OptionError(f"{file}, line {at}: {what}")

    tree = {} if tree is None else tree
    check(isinstance(tree, dict), "the file must hold keys (recognizers, deny, allow)")
    for key in tree:
        check(key in _TOP, f"unknown key {key!r}; known keys: {', '.join(_TOP)}", key)
    entries = tree.get("recognizers") or []
    check(isinstance(entries, list), "key 'recognizers': must be a list", "recognizers")
    found: list[Recognizer] = []
    for index, entry in enumerate(entries):
        place = ("recognizers", index)
        check(isinstance(entry, dict), "key 'recognizers': each entry must hold keys (name, subtype, pattern)", *place)
        for key in entry:
            check(key in _FIELDS, f"key {key!r}: unknown; known keys: {', '.join(sorted(_FIELDS))}", *place, key)
        given = {key: entry.get(key, default) for key, (default, _) in _FIELDS.items()}
        for key, (_, wrong) in _FIELDS.items():
            problem = wrong(given[key])
            check(not problem, f"key {key!r}: {problem}", *place, key)
        used = given["name"] in [one.name for one in found]
        check(not used, f"key 'name': {given['name']!r} is used twice", *place, "name")
        found.append(_recognizer(**given))
    for key in ("deny", "allow"):
        texts = tree.get(key) or []
        sound = isinstance(texts, list) and all(isinstance(text, str) and text.strip() for text in texts)
        check(sound, f"key {key!r}: must be a list of texts that are not empty", key)
    if tree.get("deny"):
        found.append(DenyList(tree["deny"]))
    return CustomRules(tuple(found), tuple(tree.get("allow") or ()))


def _recognizer(
    name: str, subtype: str, pattern: str, score: float, private: float | None, ignore_case: bool
) -> RuleRecognizer:
    regex = re.compile(pattern, re.IGNORECASE if ignore_case else re.NOFLAG)
    rule = Pattern(regex=regex, subtype=subtype, score=float(score), private=private)
    return RuleRecognizer(name, (rule,), (subtype,), priority=6)


def _wrong_text(value: Any) -> str:
    return "" if isinstance(value, str) and value.strip() else "is needed and must be a text"


def _wrong_name(value: Any) -> str:
    fits = not _wrong_text(value) and re.fullmatch(r"[A-Za-z0-9_-]{1,64}", value)
    return _wrong_text(value) or ("" if fits else "has letters, digits, '_' and '-' only, 64 at most")


def _wrong_subtype(value: Any) -> str:
    known = f"{value!r} is unknown; known subtypes: {', '.join(sorted(TYPE_OF))}"
    return _wrong_text(value) or ("" if value in TYPE_OF else known)


def _wrong_pattern(value: Any) -> str:
    if problem := _wrong_text(value):
        return problem
    try:
        regex = re.compile(value)
    except (re.error, RecursionError, OverflowError) as error:
        return f"is no regular expression ({error})"
    if regex.search("") is not None:
        return "matches the empty text"
    if _NESTED.search(value):
        return "repeats a repetition, such as (a+)+, which can take forever; bound one of them"
    return ""


def _wrong_score(value: Any) -> str:
    fits = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
    return "" if fits else "must be a number from 0 to 1"


_FIELDS: Mapping[str, tuple[Any, Callable[[Any], str]]] = {
    "name": ("", _wrong_name),
    "subtype": ("", _wrong_subtype),
    "pattern": ("", _wrong_pattern),
    "score": (0.9, _wrong_score),
    "private": (
        1.0,
        lambda value: "" if value is None or not _wrong_score(value) else f"{_wrong_score(value)}, or null",
    ),
    "ignore_case": (False, lambda value: "" if isinstance(value, bool) else "must be true or false"),
}
"""The fields of an entry, each with its default and with what says what is wrong with a value."""


def _lines(node: Any) -> dict[tuple[object, ...], int]:
    """Return the line (from 1) of every key and entry of a YAML tree, by its path."""
    found: dict[tuple[object, ...], int] = {}

    def walk(at: Any, path: tuple[object, ...]) -> None:
        found.setdefault(path, at.start_mark.line + 1)
        if at.id == "mapping":
            for key, value in at.value:
                found[(*path, key.value)] = key.start_mark.line + 1
                walk(value, (*path, key.value))
        elif at.id == "sequence":
            for index, value in enumerate(at.value):
                walk(value, (*path, index))

    if node is not None:
        walk(node, ())
    return found
