"""What a bad option is answered with: its name, what it accepts, and what was probably meant."""

import re
from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches

from pydantic import ValidationError

from gama.state.errors import OptionError


def nearest(given: str, known: Collection[str]) -> str | None:
    """Return the known name that was probably meant, or None.

    Args:
        given: what was written.
        known: the names there are.
    """
    if given in known:
        return given
    begun = sorted((name for name in known if len(given) > 2 and name.startswith(given)), key=len)
    return next(iter(begun or get_close_matches(given, list(known), 1, 0.7)), None)


def did_you_mean(given: object, known: Collection[str]) -> str:
    """Return `; did you mean 'x'?`, or nothing where no known name is near; what was given is not quoted."""
    meant = nearest(given, known) if isinstance(given, str) else None
    return f"; did you mean {meant!r}?" if meant else ""


def known_ones(given: object, known: Collection[str], shown: str = "") -> str:
    """Return `; did you mean 'x'? Known: …`, or `; known: …` where no known name is near.

    Args:
        given: what was written; it is not quoted.
        known: the names there are.
        shown: tells them in fewer words; by default all are named.
    """
    near = did_you_mean(given, known)
    return (f"{near} Known: " if near else "; known: ") + (shown or ", ".join(known))


def explain(error: ValidationError, names: Mapping[str, str]) -> str:
    """Return what is wrong with options, quoting no value.

    Args:
        error: what pydantic found.
        names: the option for each name that people give it: its own, and the one on the command line.
    """
    problems = []
    for item in error.errors(include_url=False, include_context=False):
        name = ".".join(str(part) for part in item["loc"] if not isinstance(part, int))
        told = item["msg"].removeprefix("Value error, ")
        if item["type"] == "extra_forbidden":
            meant = names.get(nearest(name, names) or "")
            problems.append(
                f"unknown option {name!r}; " + (f"did you mean {meant!r}?" if meant else "docs/options.md has the list")
            )
        elif not name:
            problems.append(told)
        else:
            known = re.findall(r"'([^']+)'", told) if item["type"] == "literal_error" else ()
            problems.append(f"option {name!r}: {told}{did_you_mean(item['input'], known)}")
    return "; ".join(problems)


def check(flag: str, given: str | Iterable[str], known: Collection[str]) -> None:
    """Refuse what is none of the known values of an option.

    Raises:
        OptionError: it is not known; names the known ones.
    """
    for one in (given,) if isinstance(given, str) else given:
        if one not in known:
            raise OptionError(f"option {flag}: {one!r} is none of {', '.join(known)}{did_you_mean(one, known)}")
