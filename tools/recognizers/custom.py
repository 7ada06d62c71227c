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
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gama.state.entities import TYPE_OF, Span
from gama.state.errors import OptionError
from gama.tools.recognizers.base import Recognizer, hit, plain, word_char
from gama.tools.recognizers.rules import Pattern, RuleRecognizer

_KEYS = frozenset({"name", "subtype", "pattern", "score", "private", "ignore_case"})
_TOP = frozenset({"recognizers", "deny", "allow"})

# Two nested repetitions, as in (a+)+ or (.*)*, can take exponential time. Accepts: (ab)+, (a+b)?; refuses: (a+)+,
# (?:x*)*.
_NESTED = re.compile(r"\((?:\?[:=!<P][^()]*)?[^()]*(?<!\\)[+*]\)(?:[+*]|\{\d+,\d*\})")


class DenyList:
    """Finds the texts that a user wants hidden whatever the context; case is ignored, words stay whole."""

    name = "deny_list"
    priority = 10

    def __init__(self, texts: Iterable[str], subtype: str = "other_id") -> None:
        """Take the texts; `subtype` is what they are reported as.

        Raises:
            OptionError: a text is empty, or the subtype is unknown.
        """
        if subtype not in TYPE_OF:
            raise OptionError(f"deny list: unknown subtype {subtype!r}; known subtypes: {', '.join(sorted(TYPE_OF))}")
        self.subtypes: tuple[str, ...] = (subtype,)
        self._texts = tuple(plain(text).low.strip() for text in texts)
        if not all(self._texts):
            raise OptionError("deny list: an entry is empty")

    def find(self, text: str) -> Iterator[Span]:
        """Yield every occurrence; the user's word counts as proof."""
        body = plain(text)
        for start, end in occurrences(body.low, self._texts):
            yield hit(start, end, self.subtypes[0], self.name, score=1.0, private=1.0, validated=True)


class AllowList:
    """Texts that a user never wants hidden: drops the spans that lie wholly within one."""

    def __init__(self, texts: Iterable[str]) -> None:
        """Take the texts.

        Raises:
            OptionError: a text is empty.
        """
        self._texts = tuple(plain(text).low.strip() for text in texts)
        if not all(self._texts):
            raise OptionError("allow list: an entry is empty")

    def keep(self, text: str, spans: Iterable[Span]) -> list[Span]:
        """Return the spans that no allowed text covers, in their order."""
        allowed = list(occurrences(plain(text).low, self._texts))
        return [span for span in spans if not any(a <= span.start and span.end <= b for a, b in allowed)]


def occurrences(low: str, texts: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Yield the places of lower-case texts in a lower-case text, whole words only."""
    for text in texts:
        at = low.find(text)
        while at >= 0:
            end = at + len(text)
            inside = (at > 0 and word_char(low[at - 1]) and word_char(text[0])) or (
                end < len(low) and word_char(low[end]) and word_char(text[-1])
            )
            if not inside:
                yield at, end
            at = low.find(text, at + 1)


@dataclass(frozen=True, slots=True)
class CustomRules:
    """What a user's file holds."""

    recognizers: tuple[Recognizer, ...]
    """The user's expressions, and the deny list where there is one."""
    allow: AllowList
    """The never-hide list, perhaps empty."""


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
    def wrong(what: str, *place: object) -> OptionError:
        at = next((lines[place[:size]] for size in range(len(place), -1, -1) if place[:size] in lines), 1)
        return OptionError(f"{file}, line {at}: {what}")

    if tree is None:
        tree = {}
    if not isinstance(tree, dict):
        raise wrong("the file must hold keys (recognizers, deny, allow)")
    for key in tree:
        if key not in _TOP:
            raise wrong(f"unknown key {key!r}; known keys: {', '.join(sorted(_TOP))}", key)
    found: list[Recognizer] = []
    entries = tree.get("recognizers") or []
    if not isinstance(entries, list):
        raise wrong("key 'recognizers': must be a list", "recognizers")
    for index, entry in enumerate(entries):
        place = ("recognizers", index)
        if not isinstance(entry, dict):
            raise wrong("key 'recognizers': each entry must hold keys (name, subtype, pattern)", *place)
        try:
            found.append(_recognizer(entry))
        except _EntryError as error:
            raise wrong(f"key {error.key!r}: {error.what}", *place, error.key) from None
    names = [one.name for one in found]
    for index, name in enumerate(names):
        if name in names[:index]:
            raise wrong(f"key 'name': {name!r} is used twice", "recognizers", index, "name")
    for key in ("deny", "allow"):
        texts = tree.get(key) or []
        if not isinstance(texts, list) or not all(isinstance(text, str) and text.strip() for text in texts):
            raise wrong(f"key {key!r}: must be a list of texts that are not empty", key)
    if tree.get("deny"):
        found.append(DenyList(tree["deny"]))
    return CustomRules(tuple(found), AllowList(tree.get("allow") or []))


class _EntryError(Exception):
    """A wrong value of one entry."""

    def __init__(self, key: str, what: str) -> None:
        """Take the key and what is wrong with it."""
        super().__init__(key)
        self.key, self.what = key, what


def _recognizer(entry: Mapping[str, Any]) -> RuleRecognizer:
    for key in entry:
        if key not in _KEYS:
            raise _EntryError(str(key), f"unknown; known keys: {', '.join(sorted(_KEYS))}")
    for key in ("name", "subtype", "pattern"):
        if not isinstance(entry.get(key), str) or not entry[key].strip():
            raise _EntryError(key, "is needed and must be a text")
    name, subtype = entry["name"], entry["subtype"]
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name):
        raise _EntryError("name", "has letters, digits, '_' and '-' only, 64 at most")
    if subtype not in TYPE_OF:
        raise _EntryError("subtype", f"{subtype!r} is unknown; known subtypes: {', '.join(sorted(TYPE_OF))}")
    score, private = entry.get("score", 0.9), entry.get("private", 1.0)
    if not _share(score):
        raise _EntryError("score", "must be a number from 0 to 1")
    if private is not None and not _share(private):
        raise _EntryError("private", "must be a number from 0 to 1, or null")
    if not isinstance(entry.get("ignore_case", False), bool):
        raise _EntryError("ignore_case", "must be true or false")
    regex = _compiled(entry["pattern"], re.IGNORECASE if entry.get("ignore_case") else re.NOFLAG)
    return RuleRecognizer(
        name, (Pattern(regex=regex, subtype=subtype, score=float(score), private=private),), priority=6
    )


def _compiled(pattern: str, flags: re.RegexFlag) -> re.Pattern[str]:
    problem = ""
    try:
        regex = re.compile(pattern, flags)
    except (re.error, RecursionError, OverflowError) as error:
        problem = f"is no regular expression ({error})"
    if problem:
        raise _EntryError("pattern", problem)
    if regex.search("") is not None:
        raise _EntryError("pattern", "matches the empty text")
    if _NESTED.search(pattern):
        raise _EntryError("pattern", "repeats a repetition, such as (a+)+, which can take forever; bound one of them")
    return regex


def _share(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


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
