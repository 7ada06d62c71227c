"""How placeholders are turned back into values."""

from collections.abc import Mapping
from typing import Literal, NamedTuple, get_args

from gama.state.errors import OptionError, known_ones

Mode = Literal["tolerant", "strict"]
Unknown = Literal["keep", "drop", "repair"]
ToolPolicy = Literal["real", "placeholders", "ask"]
"""What a tool that the model calls gets: the real values; the placeholders, as the model wrote them; or these until
somebody has said that it may get the values."""
Place = Literal["auto", "plain", "json", "xml", "html", "csv", "tsv", "url"]


def check_policies(policies: Mapping[str, str], where: str) -> None:
    """Check the words for what tools get.

    Raises:
        OptionError: one is unknown.
    """
    words = get_args(ToolPolicy)
    for name, policy in policies.items():
        if policy not in words:
            raise OptionError(f"{where}, policy of {name!r}: {policy!r} is unknown{known_ones(policy, words)}")


class Restoring(NamedTuple):
    """How placeholders are turned back into values."""

    mode: Mode = "tolerant"
    """`tolerant` also restores placeholders that a model has changed; `strict` restores exact ones only."""
    place: Place = "auto"
    """What the whole answer is, so that a value is escaped for where it lands. `auto` escapes where that is certain: in
    the strings of an answer that is JSON, an XML or HTML document, fenced code of a known language, URLs. `plain`
    never escapes."""
    unknown: Unknown = "keep"
    """What becomes of half placeholders and of those that are none of the box's: `keep` leaves them, `drop` takes them
    out, `repair` puts `[unknown name]` in their place. All are reported."""
    grammar: bool = True
    """Whether a doubled possessive is undone and a common noun that begins a sentence gets its capital."""
    hosts: frozenset[str] | None = None
    """To which hosts, besides those that the conversation has named, addresses with values in them may lead. A value
    that would land in any other address stays a placeholder. None: all addresses get values."""
