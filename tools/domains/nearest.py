"""The stand-in for the domain-analysing agent in the published choice: the fields nearest to a text, by Eqs. 7 and 8.

High-order domains are fine-grained fields of knowledge; those nearest to the text in the space of the word vectors are
taken, and in other languages than English those whose words stand in it.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gama.tools.domains.index import DomainIndex, VectorIndex
from gama.tools.domains.memberships import Matrix, Words, stem_hits
from gama.tools.domains.packs import DOMAINS
from gama.tools.tables import lines


def field_names() -> tuple[str, ...]:
    """Return the fields, lower-case."""
    return lines("domains", "fields.txt")


def foreign_fields(text: str, n: int) -> list[tuple[str, float]]:
    """Return the domains that a text in another language than English is about, by the words of theirs in it.

    Args:
        text: the task.
        n: how many at the most.

    Returns:
        Names with their relevance, 1 for the strongest; empty where no domain has a word in it.
    """
    hits = {name: count for name, count in stem_hits(text).items() if count}
    best = sorted(hits, key=lambda name: -hits[name])[:n]
    return [(name.lower(), hits[name] / hits[best[0]]) for name in best]


def is_english(text: str, vectors: Words) -> bool:
    """Return whether a text is English enough for the word vectors: most of its words are known to them."""
    from gama.models.reading import STOPWORDS, words

    found = [word for word in words(text) if word[0].isalpha()]
    known = sum(word in STOPWORDS or vectors.vector(word) is not None for word in found)
    return known >= ENGLISH * len(found)


ENGLISH = 0.7
"""Share of a text's words that are known if it is English: of prose nine in ten are, of other languages about half."""


def nearest_fields(text: str, n: int, words: Words, elm: Matrix, domains: DomainIndex) -> list[tuple[str, float]]:
    """Return the N fields a text is about with their relevance, most relevant first.

    Relevance joins three things: how near the text and its questions are to the field in the space
    of the word vectors; how near everything is to that field (some names are near to all texts);
    and the share of the text's words that are keywords of the field's reference domain (Eq. 8).

    Args:
        text: the task.
        n: how many fields.
        words: the word vectors.
        elm: R_elm of the text, 1×M.
        domains: the domains; the names of those that packs add are fields as well.

    Returns:
        Names with their relevance scaled to (0, 1], below 1 where even the nearest is weak; empty where nothing is
        near: a text without a known word, or one that belongs to no field, as a greeting or a sum to reckon.
    """
    from gama.models.reading import sentences

    fields: _Fields = _fields(words, domains)  # type: ignore[arg-type]  # hashed by identity
    asked = " ".join(sentence.text for sentence in sentences(text) if sentence.asks) or text
    query = (words.embed(text) + words.embed(asked)) / 2
    if not np.any(query):
        return []
    near, found = fields.near.search(query[None].astype(np.float32))
    relevance = {
        int(i): float(cosine) - HUBNESS * float(fields.hub[i]) + KEYWORD_WEIGHT * float(elm[0, fields.domain[i]])
        for cosine, i in zip(near[0], found[0], strict=True)
    }
    best = sorted(relevance, key=lambda i: (-relevance[i], fields.names[i]))[:n]
    top = relevance[best[0]]
    if top <= 0 or (top < LEAST and not elm.any()):
        return []
    return [(fields.names[i], relevance[i] / max(top, SURE)) for i in best if relevance[i] > 0]


LEAST = 0.2
"""Relevance below which no field is near a text without a keyword of any domain, as greetings and sums are."""
SURE = 0.6
"""Relevance from which the nearest field counts in full; most letters lie above it, a puzzle about houses below."""

HUBNESS = 1.0
"""How much of a field's mean nearness to its nearest keywords is taken off."""

KEYWORD_WEIGHT = 3.0
"""How much the share of keywords (Eq. 8) counts beside the cosine.

That share is small, rarely above 0.2, because most words of a letter belong to no discipline; cosines
spread over about 0.5. Both constants were chosen together on letters of many kinds, from a coarse
grid in which neighbouring values do about as well.
"""


class _Fields(NamedTuple):
    """The fields with what can be known of them beforehand."""

    names: tuple[str, ...]
    near: VectorIndex
    """Their vectors; the inner product of unit vectors is the cosine."""
    hub: NDArray[np.float32]
    """How near each is to the 200 keywords nearest to it."""
    domain: NDArray[np.intp]
    """The reference domain each belongs to by Eq. 7."""


@lru_cache(maxsize=8)
def _fields(words: Any, domains: DomainIndex) -> _Fields:
    own = domains.domains[domains.reference :]
    names = (*field_names(), *(domain.name.lower() for domain in own))
    # A pack's own field lies where its keywords lie: its name may say little.
    texts = [*field_names(), *(" ".join((domain.name, *domain.keywords)) for domain in own)]
    vectors = np.stack([words.embed(text) for text in texts]).astype(np.float32)
    keywords = np.stack([words.embed(word) for domain in DOMAINS for word in domain.keywords]).astype(np.float32)
    hub = np.sort(vectors @ keywords.T, axis=1)[:, -200:].mean(axis=1)
    domain = domains.ho(names).argmax(axis=1)
    # Its name may resemble a reference domain's more than itself as a text of several words does.
    domain[len(names) - len(own) :] = range(len(domains.domains) - len(own), len(domains.domains))
    return _Fields(names, VectorIndex(vectors), hub, domain)
