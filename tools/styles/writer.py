"""The writer of a box: asks the style that the options name for each type, and refuses what is not safe."""

import re
from collections.abc import Mapping
from functools import cached_property, lru_cache
from random import Random
from typing import cast

from gama.guard.folding import fold
from gama.guard.search import Guard
from gama.state.box import Bijection, Draft, Written
from gama.state.entities import TYPE_OF
from gama.state.options import Options
from gama.tools.contract import Mention, PlaceholderStyle
from gama.tools.placeholders.grammar import find_tokens
from gama.tools.placeholders.surrogates import paired_words, telling
from gama.tools.styles.generalised import WORDED

ATTEMPTS = 60
"""How often a style is asked for one mention."""
LONGEST = 80
"""Longest placeholder, in characters."""

GENERALISED = "generalised"
"""The style of values that are roughly told, where no other is named for them."""

# A fact of an enriched tag: ` country=PL`.
_FACT = re.compile(r" [a-z]{2,20}=([\w.+-]+)")


def write_by_options(box: Bijection, text: str, options: Options) -> None:
    """Have the box write the placeholders of a text as the options say.

    Raises:
        OptionError: they name an unknown style; lists the known ones.
    """
    named = {name for _, name in options.strategies} - {"tag"}
    if named:
        styles_named(frozenset(named), options.disable)
    box.write_with(Writer(box, text, options) if named or options.privacy == "balanced" else None)


class Writer:
    """Writes the placeholders of one text."""

    def __init__(self, box: Bijection, text: str, options: Options) -> None:
        """Keep what is needed; most texts have nothing written but tags."""
        self._by_type: Mapping[str, str] = dict(options.strategies)
        self._disabled = options.disable
        self._box = box
        self._raw = text
        self._seed = options.seed
        self._calendar = None
        named = styles_named(frozenset(self._by_type.values()), self._disabled) if self._by_type else {}
        if any(getattr(style, "moves", False) for style, _ in named.values()):
            from gama.tools.styles.shift import Calendar

            self._calendar = Calendar.of(box, text, options.default_region)

    @cached_property
    def _folded(self) -> str:
        return fold(self._raw)

    @cached_property
    def _text(self) -> str:
        return self._raw.casefold()

    def __call__(self, draft: Draft) -> Written | None:
        """Write a placeholder; None leaves the tag."""
        name = strategy_of(draft.subtype, self._by_type) or (GENERALISED if draft.generalised else "tag")
        if name == "tag":
            return None
        style, sees_values = styles_named(frozenset((*self._by_type.values(), name)), self._disabled)[name]
        if self._calendar is not None and getattr(style, "moves", False):
            return self._move(style, draft)
        words, slot = self._words(), draft.slot
        real = Guard([draft.surface, *self._box.values()])
        for attempt in range(ATTEMPTS):
            # Not of the value: what is drawn must tell nothing of it.
            random = Random(f"{self._seed}:{draft.tag}:{attempt}")
            surface, others = (draft.surface, words) if sees_values else (None, {})
            text = style.write(
                Mention(draft.kind, draft.subtype, slot.number, slot.letter, draft.tag, surface, others, random)
            )
            if text is None:
                return None
            if not style.reversible:
                return Written(text, reversible=False)
            if text.startswith(draft.tag.rstrip(">")):
                text = _FACT.sub(lambda fact: _safe_fact(fact, real, draft.surface), text)
            if text == draft.tag or self._fits(text, draft, words, real):
                return Written(text)
        return None

    def _move(self, style: PlaceholderStyle, draft: Draft) -> Written | None:
        """Have a style write a moved date; None leaves the tag, where it would be taken for another date."""
        assert self._calendar is not None
        slot, random = draft.slot, Random(f"{self._seed}:{draft.tag}")
        moved = self._calendar.moved(draft.surface, draft.subtype)
        text = style.write(
            Mention(draft.kind, draft.subtype, slot.number, slot.letter, draft.tag, draft.surface, {}, random, moved)
        )
        fits = text is not None and text == text.strip() and len(text) <= LONGEST and "\n" not in text
        if text is None or not fits or Guard(telling(self._box)).find(text) or self._calendar.names(text):
            return None
        return Written(text)

    def _words(self) -> dict[str, str]:
        """Return the words of real names in lower case with what stands for them."""
        words: dict[str, str] = {}
        for entry in self._box.entries:
            if entry.surrogate and TYPE_OF.get(entry.subtype) == "PER":
                for real, other in paired_words(entry.surface, entry.placeholder):
                    words.setdefault(real.casefold(), other if not other.isupper() else other.capitalize())
        return words

    def _fits(self, text: str, draft: Draft, words: Mapping[str, str], real: Guard) -> bool:
        if not text.strip() or text != text.strip() or len(text) > LONGEST or "\n" in text:
            return False
        if tokens := [token for token in find_tokens(text) if token.bracketed or token.joined]:
            # A tag with facts must read as the mention's own.
            return len(tokens) == 1 and (tokens[0].start, tokens[0].end, tokens[0].slot) == (0, len(text), draft.slot)
        pairs = [(one.casefold(), other) for one, other in paired_words(draft.surface, text)]
        if TYPE_OF.get(draft.subtype) != "PER" or not pairs:
            return not self._is_taken(text, real, names=False)
        mapped = {fold(other): one for one, other in words.items()}
        fresh = [other for one, other in pairs if one not in words or fold(words[one]) != fold(other)]
        known = all(mapped.get(fold(other), one) == one for one, other in pairs)
        return known and not any(self._is_taken(word, real, names=True) for word in fresh)

    def _is_taken(self, text: str, real: Guard, *, names: bool) -> bool:
        """Return whether a text is in the letter, holds a real value, or would be confused with another surrogate."""
        folded = fold(text)
        if not folded or real.find(text) or text.casefold() in self._text:
            return True
        if (len(folded) > 4 or not folded.isdigit()) and folded in self._folded:
            return True
        for entry in self._box.entries:
            other = fold(entry.placeholder) if entry.surrogate else fold(entry.surface)
            if other and (folded in other or (len(other) > 2 and other in folded and not names)):
                return True
        return False


def _safe_fact(fact: "re.Match[str]", real: Guard, surface: str) -> str:
    """Return a fact of a tag; in words, or not at all, where it is a real value itself."""
    for value in (fact[1], WORDED.get(fact[1], "")):
        if value and value != surface and not real.find(value):
            return fact[0].replace(fact[1], value)
    return ""


@lru_cache(maxsize=16)
def styles_named(names: frozenset[str], disabled: tuple[str, ...]) -> dict[str, tuple[PlaceholderStyle, bool]]:
    """Return the styles of these names, each with whether it sees the values."""
    from gama.tools.registry import Registry

    registry = Registry.load(disabled)
    return {
        name: (cast(PlaceholderStyle, registry.get("style", name)), registry.plugin("style", name).sees == "raw_text")
        for name in names
    }


def strategy_of(subtype: str, by_type: Mapping[str, str]) -> str | None:
    """Return the style that is named for a subtype: its own, else its type's, else the one for all."""
    return by_type.get(subtype) or by_type.get(TYPE_OF.get(subtype, "")) or by_type.get("all")
