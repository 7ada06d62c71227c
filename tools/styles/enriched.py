"""Enriched tags: `<location-1 country=PL>`. The tag with facts that help an expert and point at nobody.

A fact is left out where it cannot be told, or would tell too much: the country of a place in a country of few
cities, or a fact that is itself a private value of the conversation (the writer sees to that).
"""

from gama.tools.contract import Mention
from gama.tools.styles.facts import facts_of

MOST_FACTS = 3


class EnrichedStyle:
    """Writes the tag with harmless facts."""

    name = "enriched"
    reversible = True

    def write(self, mention: Mention) -> str | None:
        """Return the tag with its facts; the bare tag where there are none."""
        if mention.surface is None:
            return None
        facts = facts_of(mention.surface, mention.subtype)
        told = "".join(f" {name}={value}" for name, value in list(facts.items())[:MOST_FACTS])
        stem = mention.tag.rstrip(">")
        return f"{stem}{told}{mention.tag[len(stem) :]}"
