"""The policy: what becomes of each type of value, in one file; the options `strategies`, `keep` and `select_never`."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from gama.state.entities import TYPE_OF
from gama.state.errors import known_ones
from gama.state.option_table import Treatment, kinds_of

TREATMENTS: tuple[str, ...] = get_args(Treatment)
STYLES = {"generalise": "generalised", "shift": "shift", "surrogate": "surrogate"}
"""The placeholder style by which a treatment is done."""
DATES = ("date", "date_of_birth")
PROTECTED = frozenset(sub for sub, kind in TYPE_OF.items() if kind in ("PER", "CODE")) | {
    "street_address",
    "postcode",
    "coordinates",
}
"""Names, codes, contacts and addresses: shown only where the policy names the very subtype."""


def read_policy(given: Any) -> tuple[tuple[str, str], ...]:
    """Return a policy as pairs of a word and a treatment.

    Args:
        given: the path of a YAML file, a mapping, or pairs.

    Raises:
        ValueError: it cannot be read, or says what cannot be; names the line and what to do.
    """
    if isinstance(given, str | Path):
        return _of_file(Path(given))
    pairs = given.items() if isinstance(given, Mapping) else given
    return tuple(_checked(word, treatment, "") for word, treatment in pairs)


def derived(
    policy: tuple[tuple[str, str], ...], strategies: tuple[tuple[str, str], ...], never: tuple[str, ...]
) -> dict[str, Any]:
    """Return the options that a policy stands for; what is chosen for itself goes before it.

    Args:
        policy: the policy.
        strategies: the styles that are chosen for themselves.
        never: what is never left in clear besides.
    """
    treatments = by_subtype(policy)
    chosen = {kind for word, _ in strategies for kind in _covered(word)}
    styles = {sub: STYLES[told] for sub, told in treatments.items() if told in STYLES and sub not in chosen}
    return {
        "keep": tuple(sub for sub, told in treatments.items() if told == "show"),
        "select_never": (*never, *(sub for sub, told in treatments.items() if told != "show")),
        "strategies": (*strategies, *styles.items()),
    }


def by_subtype(policy: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """Return the treatment of each subtype that a policy says something of; the most specific word wins."""
    given, out = dict(policy), dict[str, str]()
    for subtype, kind in TYPE_OF.items():
        words = (word for word in given if word not in ("all", kind, subtype) and subtype in kinds_of(word))
        told = given.get(subtype) or next((given[word] for word in words), None) or given.get(kind) or given.get("all")
        if told and not (told == "show" and subtype in PROTECTED and subtype not in given):
            out[subtype] = told
    return out


def shown_by_name(policy: tuple[tuple[str, str], ...]) -> list[str]:
    """Return the subtypes of names, codes, contacts and addresses that a policy shows."""
    return [word for word, treatment in policy if treatment == "show" and word in PROTECTED]


def _covered(word: str) -> tuple[str, ...]:
    if word == "all":
        return tuple(TYPE_OF)
    return tuple(sub for sub, kind in TYPE_OF.items() if kind in kinds_of(word)) or kinds_of(word)


def _checked(word: Any, treatment: Any, where: str) -> tuple[str, str]:
    if not isinstance(word, str) or not re.fullmatch(r"[A-Za-z_]{1,40}", word):
        raise ValueError(f"{where}each entry is TYPE: TREATMENT, such as date: shift")
    if treatment not in TREATMENTS:
        known = known_ones(treatment, TREATMENTS)
        raise ValueError(f"{where}the treatment of {word!r} is unknown{known}")
    try:
        subtypes = _covered(word)
    except ValueError as error:
        raise ValueError(f"{where}{error}") from None
    if treatment == "shift" and word not in (*DATES, "DATETIME"):
        raise ValueError(f"{where}{word!r} is no date: shift is for date, date_of_birth and DATETIME")
    if treatment == "show" and word not in PROTECTED and PROTECTED.issuperset(subtypes):
        raise ValueError(
            f"{where}names, codes, contacts and addresses are shown by their own subtype alone: for {word!r} "
            f"write {', '.join(subtypes)}"
        )
    return word, treatment


def _of_file(path: Path) -> tuple[tuple[str, str], ...]:
    import yaml

    try:
        tree = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    except OSError as error:
        raise ValueError(f"the file cannot be read: {error.strerror or 'no such file'}; name a YAML file") from None
    except UnicodeDecodeError:
        raise ValueError("the file is no text in UTF-8; save it as UTF-8") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark else ""
        raise ValueError(f"{where}the file is not YAML; write a line TYPE: TREATMENT for each type") from None
    if not isinstance(tree, yaml.MappingNode):
        raise ValueError("line 1: the file has no entries; write a line TYPE: TREATMENT for each type")
    out: dict[str, str] = {}
    for key, value in tree.value:
        where = f"line {key.start_mark.line + 1}: "
        word, treatment = _checked(key.value, value.value, where)
        if word in out:
            raise ValueError(f"{where}{word!r} has a treatment already; write one")
        out[word] = treatment
    return tuple(out.items())
