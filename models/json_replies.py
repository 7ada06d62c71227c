"""Reading JSON out of whatever a model wrote: an object of a small schema, or a list.

Takes it whole, in fences, with prose or a model's thinking around it, with single quotes, trailing commas or Python
literals; an object also with comments or an end that is cut off (mended by json-repair). What it finds is then
fitted to the schema: other case of the keys, `"yes"` for true, numbers as text. A reply is data from outside: reading
it ends in bounded time and quotes nothing of it.

A schema has properties of the types `boolean`, `string` and `array` (of texts); two keywords are for reading only and
never sent: `default` fills a key that is missing, `x-aliases` names other keys that are taken for it.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

from gama.models.calls import without_controls, without_thinking

LONGEST_READ = 100_000
"""Characters of a reply in which an object is looked for."""
LONGEST_REPAIR = 4_000
"""Characters of a stretch that is mended: the mending of hostile text takes time that grows with its square."""
MOST_REPAIRS = 3
"""Stretches of one reply that are mended."""


class Found(NamedTuple):
    """What was read: the object, or why it could not be read."""

    data: dict[str, Any] | None
    problem: str = ""
    """What was wrong, in words of the schema; quotes nothing of the reply."""


def read_object(text: str, schema: Mapping[str, Any]) -> Found:
    """Read an object of the schema out of a reply; the last one that fits counts."""
    from json_repair import loads

    text = text[:LONGEST_READ].strip()
    if "think>" in text and not _is_json(text):
        text = without_thinking(text).strip()
    if "{" not in text:
        return Found(None, "there is no JSON object in it")
    found = Found(None, "its JSON cannot be read")
    stretches = [text, *reversed(_stretches(text))]
    broken = list(dict.fromkeys([*stretches[1:], text[text.find("{") :]]))[:MOST_REPAIRS]
    whole = _loaded(stretches, lambda stretch: json.loads(stretch, strict=False))
    for value in chain(whole, _loaded(broken, lambda stretch: loads(stretch[:LONGEST_REPAIR], skip_json_loads=True))):
        # Models like to wrap what they are asked for.
        inner = value if isinstance(value, list) else list(value.values()) if isinstance(value, dict) else []
        fits = [_fit(candidate, schema) for candidate in (value, *inner[:20])]
        found = next((one for one in fits if one.data is not None), fits[0])
        if found.data is not None:
            break
    return found


def _is_json(text: str) -> bool:
    """Return whether a reply is JSON as a whole: then a mark of thinking in it is a part of a string."""
    try:
        json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return False
    return True


def _stretches(text: str) -> list[str]:
    """Return the balanced `{…}` stretches of a text, outermost ones, in the order they stand."""
    found, depth, start, quoted, escaped = [], 0, 0, False, False
    for at, char in enumerate(text):
        if quoted:
            quoted = escaped or char != '"'
            escaped = char == "\\" and not escaped
        elif char == '"' and depth:
            quoted = True
        elif char == "{":
            start = at if depth == 0 else start
            depth += 1
        elif char == "}" and depth:
            depth -= 1
            if depth == 0:
                found.append(text[start : at + 1])
    return found


def _loaded(stretches: list[str], load: Callable[[str], Any]) -> Iterator[Any]:
    for stretch in stretches:
        try:
            yield load(stretch)
        except (ValueError, RecursionError):
            continue


_NOTHING: Any = object()
_TRUTH = {"true": True, "yes": True, "false": False, "no": False}


def _fit(value: Any, schema: Mapping[str, Any]) -> Found:
    """Fit a value to the schema."""
    if not isinstance(value, dict):
        return Found(None, "the object is not of type 'object'")
    given = {_key(key): item for key, item in value.items()}
    out = {}
    for name, about in schema["properties"].items():
        known = (_key(one) for one in (name, *about.get("x-aliases", ())))
        found = next((given[key] for key in known if key in given), _NOTHING)
        if found is not _NOTHING:
            found = _READERS[about["type"]](found)
            if found is None:
                return Found(None, f"the value of {name!r} is not of type {about['type']!r}")
        elif (found := about.get("default", _NOTHING)) is _NOTHING:
            return Found(None, f"the key {name!r} is missing")
        out[name] = found
    return Found(out)


def _as_truth(value: Any) -> bool | None:
    value = _TRUTH.get(value.strip().casefold()) if isinstance(value, str) else value
    return value if isinstance(value, bool) else None


def _as_text(value: Any) -> str | None:
    if not isinstance(value, str | int | float | None) or isinstance(value, bool):
        return None
    # Escapes such as \\u001b have only now become the characters they stand for.
    return "" if value is None else without_controls(str(value))


def _as_texts(value: Any) -> list[str]:
    """Return a list as texts, of items that are none as JSON; anything else is a list of one."""
    items = value if isinstance(value, list) else [value]
    return [json.dumps(item, ensure_ascii=False) if (text := _as_text(item)) is None else text for item in items]


_READERS: dict[str, Callable[[Any], Any]] = {"boolean": _as_truth, "string": _as_text, "array": _as_texts}


def _key(name: object) -> str:
    return re.sub(r"[\s_-]+", "_", str(name).strip().casefold())


def strict_object(text: str) -> dict[str, Any] | None:
    """Read a text that is one JSON object and nothing else, such as the arguments of a tool; None when it is not."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def object_at(text: str, start: int) -> tuple[dict[str, Any] | None, int]:
    """Read the JSON object that begins at a place of a text; return it with its end, or None where it is broken."""
    try:
        found, end = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return None, start
    return (found if isinstance(found, dict) else None), end


def read_list(reply: str) -> list[Any] | None:
    """Read the last JSON list of a reply, as small models write it; None when there is none.

    Thoughts in `<think>` are passed over, those that were begun or ended only as well. Single quotes, trailing
    commas, Python's `None` and `True`, and a quote that nobody escaped (`5'11"`) are taken. A reply that takes more
    than `_EFFORT` to read is a hostile one, and has no list.
    """
    return next(reversed(read_lists(reply)), None)


def read_lists(reply: str) -> list[list[Any]]:
    """Read all JSON lists of a reply, in the order they stand; see `read_list`."""
    reply = without_thinking(reply)
    found: list[list[Any]] = []
    left = _EFFORT
    at = reply.find("[")
    while at >= 0:
        value, end = _list_at(reply, at, left)
        if (left := left - (end - at)) <= 0:
            return []
        found += [] if value is None else [value]
        at = reply.find("[", at + 1 if value is None else end)
    return found


def read_cut_list(reply: str) -> list[Any] | None:
    """Return the whole items of the list that a reply breaks off in; None where there is none.

    Of `[{"a": 1}, {"a": 2}, {"a` these are the first two.
    """
    reply = without_thinking(reply)
    left, at = _EFFORT, reply.find("[")
    while at >= 0 and left > 0:
        value, end = _list_at(reply, at, left, cut=True)
        if value is not None:
            return value
        left -= end - at
        at = reply.find("[", at + 1)
    return None


_EFFORT = 400_000
"""Characters looked at in one reply, those looked at twice counted twice."""
_DEEPEST = 6
"""Brackets within brackets; no list that is asked for has more than two."""
_LONGEST = 1_000
"""Characters of a string, as `_TOKEN` has it."""

# Each accepts white space, then a sign; or a string in double or in single quotes whose closing quote has a separator
# behind it; or a short string with loose quotes in it (`5'11"`), which holds no bracket, comma or new line, lest prose
# between two lists be taken for an item; or a number or a constant. Any other word is refused: `[see above]` is no
# list. What repeats gives nothing back, or is short: no reply takes more than its length times a constant.
_TOKEN = re.compile(
    r"""\s*+(?:(?P<sign>[\[\]{},:])
    |"(?P<double>(?:[^"\\]|\\.){0,1000}+)"(?=\s*[,\]}:])
    |'(?P<single>(?:[^'\\]|\\.){0,1000}+)'(?=\s*[,\]}:])
    |"(?P<loose_double>[^\[\]{},\\\n]{0,200}?)"(?=\s*[,\]}:])
    |'(?P<loose_single>[^\[\]{},\\\n]{0,200}?)'(?=\s*[,\]}:])
    |(?P<word>-?[0-9]++(?:\.[0-9]++)?+(?:[eE][-+]?[0-9]++)?+|true|false|null|True|False|None)(?=\s*[,\]}]))""",
    re.VERBOSE | re.DOTALL,
)
_PYTHON = {"None": "null", "True": "true", "False": "false"}


def _list_at(reply: str, start: int, effort: int, *, cut: bool = False) -> tuple[list[Any] | None, int]:
    """Read the list that begins at a place; return it, or None, and how far was looked.

    Args:
        reply: the reply.
        start: where the list begins.
        effort: how many characters are looked at.
        cut: whether the whole items of a list that never ends are taken for it.
    """
    pieces: list[str] = []
    depth, at, whole = 0, start, 0
    while at - start < effort and (token := _TOKEN.match(reply, at)):
        at = token.end()
        kind, text = token.lastgroup, token[token.lastgroup or 0]
        if kind == "sign":
            depth += (text in "[{") - (text in "]}")
            if depth > _DEEPEST:
                return None, at
            if text in "]}" and pieces[-1] == ",":
                pieces.pop()
            if text == "," and depth == 1:
                whole = len(pieces)
            pieces.append(text)
            if depth == 1 and text in "]}":
                whole = len(pieces)
            if depth == 0:
                break
        else:
            pieces.append(_PYTHON.get(text, text) if kind == "word" else json.dumps(_unescaped(text)))
    if depth and cut and whole:
        pieces, depth = [*pieces[:whole], "]"], 0
    if depth:
        # A quote that nothing closes has been looked for as far as a string may reach.
        return None, at + (_LONGEST if reply[at : at + 2].lstrip()[:1] in ("'", '"') else 1)
    try:
        value: list[Any] = json.loads("".join(pieces))
    except ValueError:
        return None, at
    return value, at


def _unescaped(text: str) -> str:
    try:
        return str(json.loads(f'"{text}"', strict=False))
    except ValueError:
        return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)
