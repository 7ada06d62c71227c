"""Courts that have no name, and what courts have decided: known to the world, whoever else is called so."""

import re

from gama.tools.knowledge.index import look_up

COURT = re.compile(
    r"(?:family|crown|county|magistrates['’]?|small claims|high|district|supreme|juvenile|probate|employment|labour"
    r"|housing) (?:court|tribunal)s?"
)
"""A court without a name: `the family court`."""
_CASE = re.compile(r"(?<!\w)([A-Z][\w’'-]+(?: [A-Z][\w’'-]+)*) vs?\.? ([A-Z][\w’'-]+(?: [A-Z][\w’'-]+)*)")


def cases(text: str) -> list[tuple[int, int]]:
    """Return where cases stand that courts have decided, if one of them is known: beside it others are such, too."""
    found = list(_CASE.finditer(text))
    return [match.span() for match in found] if any(map(_is_known, found)) else []


def _is_known(match: "re.Match[str]") -> bool:
    # The first party may have words of the sentence before it: `Summarise Roe`.
    words = match[1].split()
    return any(look_up(f"{' '.join(words[at:])} v. {match[2]}") for at in range(len(words)))
