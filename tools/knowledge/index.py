"""The public-knowledge index: places, companies and institutions that the world knows, beside its people.

Like a famous person's name, a known place or company may still be private where it stands (somebody's home,
somebody's employer). The index only says that a name *can* be meant as public knowledge; what is on no list
can hardly be. Sources and licences stand in the first line of each list.
"""

import re

from gama.guard.folding import fold
from gama.state.entities import EntityType
from gama.tools.knowledge.lists import known_names
from gama.tools.knowledge.people import is_famous

_LISTS = ("LOC", "ORG")


def is_known(name: str, kind: EntityType) -> bool:
    """Return whether a name of a type is public knowledge all over the world; case, accents and spacing do not matter.

    Args:
        name: The name as it stands in a text.
        kind: PER, LOC or ORG; a body may stand for a place and the other way round, so both lists are asked
            for either. Any other type is never known.
    """
    if kind == "PER":
        return is_famous(name)
    if kind not in _LISTS:
        return False
    forms = {fold(name), fold(re.sub(r"^the\s+", "", name, flags=re.IGNORECASE))}
    return any(not forms.isdisjoint(known_names(one)) for one in _LISTS)
