"""Names, weighed once more than the tagger does, by what tells of them whether they are private (`privacy/names.py`).

A famous name that signs, is greeted, called a friend or stands beside a telephone number is its bearer's own; one that
nobody knows, in a question about the world, is public. `training/names.py` trains the weights.
"""

import math
import re
from collections.abc import Mapping, Sequence

from gama.models.shipped import name_weights
from gama.privacy.identify import CHORES, PRIVATE, patterns_in
from gama.privacy.names import CUES, Names, asks_something
from gama.state.entities import Span
from gama.tools.knowledge.index import is_asked_about, is_borne, is_famous, is_forename, look_up

EVIDENT = 0.99
"""From this probability of being private on the tagger's judgement of a name stands."""
_EVIDENT = {"LOC": 0.997, "ORG": 0.997}
"""The same for types of which it is surer than right: schools that are compared."""

_AROUND = patterns_in("names.txt")

LENIENCE = 1.0
"""By so much, as a logit, a name is more public where the world is asked about: there leaks are rarer than the weights,
which hold for all names, reckon with."""


_OF_ONE = frozenset(
    ("relation", "title", "greeting", "closing", "own", "kin", "deals", "age", "by a code", "near a code")
)
"""Features of names of people whom the writer knows, or speaks to."""


def _is_asked_of_the_world(span: Span, features: Mapping[str, float]) -> bool:
    """Return whether the world knows a name, or what is asked beside it is asked of the world."""
    if not features.keys().isdisjoint(_OF_ONE):
        return False
    asked = not features.keys().isdisjoint(("asked", "told", "question far0"))
    if span.type != "PER":
        return asked and span.subtype in ("school", "healthcare", "government")
    if features.get("fame", 0.0) > 0 and span.subtype in ("full_name", "last_name"):
        return True
    made = "wrote" in features and "mine" not in features
    company = features.get("beside least", 0.0) < -1 and features.get("beside most", 1.0) < 0.7
    return asked and (made or company)


PASTE = 600
"""Characters from which on a text that asks is one that was pasted: whom it tells of is not whom it asks about."""


_STRANGER = 0.05
"""Below this the tagger is sure that somebody of whom the world does not know is none of the writer's people."""


def _is_told(text: str, span: Span, features: Mapping[str, float]) -> bool:
    """Return whether somebody is told of whom the world does not know, or by a forename of which nothing is asked."""
    name = text[span.start : span.end]
    if span.type != "PER" or span.score < 0.8 or (span.private or 0.0) < _STRANGER:
        return False
    if span.subtype == "full_name":
        return look_up(name) is None and is_borne(name.split()[0])
    if not features.keys().isdisjoint(("asked", "told")):
        return False
    return span.subtype == "first_name" and (span.private or 0.0) >= 0.9 and is_borne(name)


def weigh_names(text: str, spans: Sequence[Span], weights: Mapping[str, float] | None = None) -> list[Span]:
    """Return spans with the names' probabilities of being private weighed by public knowledge and context.

    What the tagger is sure of stands, and in a text that asks nothing a name only becomes more private.

    Args:
        text: The text.
        spans: What was found in it.
        weights: The model; None takes the shipped one.
    """
    known = name_weights() if weights is None else weights
    asks = asks_something(text)
    found = dict[Span, float]()
    parts = list[Span]()
    for span, features in Names(text, spans).features():
        odds = sum(known.get(feature, 0.0) * much for feature, much in features.items())
        if asks and _is_asked_of_the_world(span, features):
            odds -= LENIENCE
        found[span] = 1 / (1 + math.exp(-odds))
        evident = (span.private or 0.0) >= _EVIDENT.get(span.type, EVIDENT)
        # Of a drug in a question no tagger is sure: it takes every one for the writer's.
        about = span.type == "PER" and is_asked_about(text, span.start, span.end)
        elsewhere = "no place" in features and "own" not in features and not is_borne(text[span.start : span.end])
        if about or (asks and not evident and (elsewhere or _is_guessed(text, span))):
            found[span] = min(found[span], _GUESSED)
        public = about or (asks and span.type == "DEM" and features.keys() & {"asked", "told"})
        if (not asks or evident) and not public:
            found[span] = max(found[span], span.private or 0.0)
        elif not public and len(text) > PASTE and _is_told(text, span, features):
            found[span] = max(found[span], PRIVATE)
        elif not evident and span.type == "PER" and features.keys().isdisjoint(_OF_ONE):
            parts.append(span)
    found |= _parts_of_the_famous(text, parts, found)
    found |= _among_others(text, found)
    return [span._replace(private=found[span]) if span in found else span for span in spans]


def _among_others(text: str, found: Mapping[Span, float]) -> dict[Span, float]:
    """Return the probabilities of people of whom the world does not know, beside others who are private.

    Where their odds are even, as many are somebody's as are in a story; that somebody leaves is worse.
    """
    people = {span: much for span, much in found.items() if span.type == "PER"}
    if not any(much >= _OTHERS for much in people.values()):
        return {}
    whole = {span.start for span, much in people.items() if much >= PRIVATE and span.subtype == "full_name"}

    def is_one(span: Span, much: float) -> bool:
        name = text[span.start : span.end]
        if not is_borne(name.split()[0]):
            return False
        if span.subtype == "full_name":
            return much >= _UNHEARD and look_up(name) is None
        if span.subtype != "first_name":
            return False
        coupled = (joined := _COUPLED.match(text, span.end)) is not None and joined.end() in whole
        return coupled or (much >= _CALLED and (span.private or 0.0) >= PRIVATE)

    return {span: PRIVATE for span, much in people.items() if much < PRIVATE and is_one(span, much)}


# Accepts what joins two who bear one surname: `Harold and Bernadine Holm`.
_COUPLED = re.compile(r" (?:and|&|\+|und|et|y|e|i|en|och|og) ")
_OTHERS, _UNHEARD, _CALLED = 0.8, 0.25, 0.3
"""From which probabilities of being private on there are others, and a full name or a forename is one of theirs."""


def _parts_of_the_famous(text: str, parts: Sequence[Span], found: Mapping[Span, float]) -> dict[Span, float]:
    """Return the probabilities of surnames that only somebody famous bears whose full name stands in the text."""
    whole = [(text[span.start : span.end], much) for span, much in found.items() if span.subtype == "full_name"]
    famous = {word for name, much in whole if much < PRIVATE and is_famous(name) for word in name.split()}
    others = {word for name, much in whole if much >= PRIVATE for word in name.split()}
    return {
        span: min(found[span], _GUESSED)
        for span in parts
        if (word := text[span.start : span.end]) in famous and word not in others and not is_forename(word)
    }


# Accepts what stands before an answer that is guessed: `who wrote the book, `, `Who found it, was it `, `who was the
# chemist `.
_ASKED_WHO = re.compile(
    rf"(?<!\w)(?:{_AROUND['who']})\s+(?:\w+\s+)?(?:{_AROUND['made']}|{_AROUND['found']})(?!\w)"
    r"[^.?!;\n]{0,60},\s+(?:was it\s+)?$"
    rf"|(?<!\w)(?:{_AROUND['who']})\s+(?:{_AROUND['is']})\s+(?:the|der|die|el|la|il|le|o|a)\s+(?:\w+\s+){{1,2}}$",
    re.IGNORECASE,
)
_GUESSED = 0.2
"""The most that a guessed answer is private, or somebody famous whose life or work is asked about."""
_GUESS = re.compile(r"\s*(?:[?,)]|(?:or|and|oder|ou|y|o|of|czy|eller)\s)")


def _is_guessed(text: str, span: Span) -> bool:
    """Return whether a name is the answer that is guessed to a question after who made or found something."""
    single = span.type == "ORG" or (span.subtype != "full_name" and is_borne(text[span.start : span.end]))
    if single or not _GUESS.match(text, span.end):
        return False
    asked = _ASKED_WHO.search(text, max(0, span.start - 120), span.start)
    return asked is not None and not any(
        cue.search(asked[0]) for cue in (CUES["mine"], CUES["kin"], CUES["deals"], CHORES)
    )
