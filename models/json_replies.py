"""Reading JSON out of whatever a model wrote: an object of a small schema, or a list.

Takes it whole, in fences, with prose or a model's thinking around it, with single quotes, trailing commas or Python
literals; an object also with comments or an end that is cut off (mended by json-repair). What it finds is then
fitted to the schema: other case of the keys, `"yes"` for true, numbers as text. A reply is data from outside: reading
it ends in bounded time and quotes nothing of it.

Of JSON schema it knows `type`, `properties`, `required`, `items` and `enum`; two keywords are for reading only and
never sent: `default` fills a key that is missing, `x-aliases` names other keys that are taken for it.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from gama.models.calls import without_controls, without_thinking

LONGEST_READ = 100_000
"""Characters of a reply in which an object is looked for."""
LONGEST_REPAIR = 4_000
"""Characters of a stretch that is mended: the mending of hostile text takes time that grows with its square."""
MOST_REPAIRS = 3
"""Stretches of one reply that are mended."""


class Reading(NamedTuple):
    """What was read: the object, or why it could not be read."""

    data: dict[str, Any] | None
    problem: str = ""
    """What was wrong, in words of the schema; quotes nothing of the reply."""


def read_object(text: str, schema: Mapping[str, Any]) -> Reading:
    """Read an object of the schema out of a reply; the last one that fits counts."""
    text = without_thinking(text[:LONGEST_READ]).strip()
    if "{" not in text:
        return Reading(None, "there is no JSON object in it")
    problem = "its JSON cannot be read"
    stretches = [text, *reversed(_stretches(text))]
    for value in _loaded(stretches):
        fitted = _fit(value, schema)
        if fitted.data is not None:
            return fitted
        problem = fitted.problem
    for value in _mended([*stretches[1:], text[text.find("{") :]]):
        fitted = _fit(value, schema)
        if fitted.data is not None:
            return fitted
        problem = fitted.problem
    return Reading(None, problem)


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


def _loaded(stretches: list[str]) -> Iterator[Any]:
    for stretch in stretches:
        try:
            yield json.loads(stretch, strict=False)
        except (ValueError, RecursionError):
            continue


def _mended(stretches: list[str]) -> Iterator[Any]:
    from json_repair import loads

    for stretch in list(dict.fromkeys(stretches))[:MOST_REPAIRS]:
        try:
            yield loads(stretch[:LONGEST_REPAIR], skip_json_loads=True)
        except (ValueError, RecursionError):
            continue


class _Unfit(Exception):
    """A value does not fit the schema; the text says where, in words of the schema."""


def _fit(value: Any, schema: Mapping[str, Any]) -> Reading:
    """Fit a value to the schema, or else an object directly inside it: models like to wrap what they are asked for."""
    problem = ""
    inner = value if isinstance(value, list) else list(value.values()) if isinstance(value, dict) else []
    for candidate in (value, *inner[:20]):
        try:
            fitted = _fitted(candidate, {**schema, "type": "object"}, "the object")
        except _Unfit as unfit:
            problem = problem or str(unfit)
        except RecursionError:
            problem = problem or "it is nested too deep"
        else:
            return Reading(fitted)
    return Reading(None, problem)


def _fitted(value: Any, schema: Mapping[str, Any], where: str) -> Any:
    if (choices := schema.get("enum")) is not None:
        return _choice(value, list(choices), where)
    kinds = schema.get("type")
    for kind in kinds if isinstance(kinds, list) else [kinds]:
        if (fitted := _as(kind, value, schema, where)) is not _NOTHING:
            return fitted
    raise _Unfit(f"{where} is not of type {kinds!r}")


_NOTHING: Any = object()

_TRUTH = {"true": True, "yes": True, "false": False, "no": False}


def _as(kind: str | None, value: Any, schema: Mapping[str, Any], where: str) -> Any:
    """Return the value as one of a JSON type, or `_NOTHING`."""
    if kind == "object":
        return _object(value, schema) if isinstance(value, dict) else _NOTHING
    if kind == "array":
        items = schema.get("items", {})
        return [_fitted(v, items, f"an item of {where}") for v in value] if isinstance(value, list) else _NOTHING
    if kind == "boolean":
        if isinstance(value, str):
            value = _TRUTH.get(value.strip().casefold())
        return value if isinstance(value, bool) else _NOTHING
    if kind == "string":
        plain = isinstance(value, str | int | float) and not isinstance(value, bool)
        # Escapes such as \\u001b have only now become the characters they stand for.
        return without_controls(str(value)) if plain else "" if value is None else _NOTHING
    if kind in ("integer", "number"):
        return _number(value, whole=kind == "integer")
    if kind == "null":
        return None if value is None else _NOTHING
    return value


def _object(value: dict[Any, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    given = {_key(key): item for key, item in value.items()}
    out = {}
    for name, inner in schema.get("properties", {}).items():
        names = (name, *inner.get("x-aliases", ()))
        found = next((given[_key(n)] for n in names if _key(n) in given), _NOTHING)
        if found is not _NOTHING:
            out[name] = _fitted(found, inner, f"the value of {name!r}")
        elif "default" in inner:
            out[name] = inner["default"]
        elif name in schema.get("required", ()):
            raise _Unfit(f"the key {name!r} is missing")
    return out


def _key(name: object) -> str:
    return re.sub(r"[\s_-]+", "_", str(name).strip().casefold())


def _choice(value: Any, choices: list[Any], where: str) -> Any:
    if value in choices and not isinstance(value, bool):
        return value
    loose = {str(choice).strip().casefold(): choice for choice in choices}
    if isinstance(value, str | int | float | bool) and (said := str(value).strip().casefold()) in loose:
        return loose[said]
    raise _Unfit(f"{where} is none of the choices")


def _number(value: Any, *, whole: bool) -> Any:
    if isinstance(value, str):
        try:
            value = float(value.strip())
        except ValueError:
            return _NOTHING
    try:
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            return _NOTHING
    except OverflowError:
        return _NOTHING
    if whole:
        return int(value) if value == int(value) else _NOTHING
    return value


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


def _list_at(reply: str, start: int, effort: int) -> tuple[list[Any] | None, int]:
    """Read the list that begins at a place; return it, or None, and how far was looked."""
    pieces: list[str] = []
    depth, at = 0, start
    while at - start < effort and (token := _TOKEN.match(reply, at)):
        at = token.end()
        kind, text = token.lastgroup, token[token.lastgroup or 0]
        if kind == "sign":
            depth += (text in "[{") - (text in "]}")
            if depth > _DEEPEST:
                return None, at
            if text in "]}" and pieces[-1] == ",":
                pieces.pop()
            pieces.append(text)
            if depth == 0:
                break
        else:
            pieces.append(_PYTHON.get(text, text) if kind == "word" else json.dumps(_unescaped(text)))
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
