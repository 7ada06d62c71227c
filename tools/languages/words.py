"""The words of a language that is written without spaces, and expressions made of them."""

from collections.abc import Iterable, Mapping

import regex

from gama.tools.tables import table


def told(language: str) -> Mapping[str, tuple[str, ...]]:
    """Return what the table of a language tells, by its keys; an underscore in a word stands for a space."""
    return {
        key: tuple(word.replace("_", " ") for word in given.split())
        for key, given in table("languages", language).items()
    }


def any_of(words: Iterable[str]) -> str:
    """Return an expression for any of some words, longer ones first; it matches nothing where there are none."""
    return "|".join(regex.escape(word) for word in sorted(words, key=len, reverse=True)) or "(?!)"


def is_within(text: str, start: int) -> bool:
    """Return whether a word stands within a sentence, behind another one."""
    return regex.search(r"[\p{Ll},)»”\"'’][ \t]*(?:[—–-] )?$", text[max(0, start - 5) : start]) is not None


def stands_out(text: str, start: int, end: int) -> bool:
    """Return whether a capital marks a name: within a sentence, or where somebody is addressed."""
    begins = regex.search(r"(?:^|[.!?:;…\n\"«„“(–—-])\s*$", text[max(0, start - 4) : start]) is not None
    return not begins or text[end : end + 1] in (",", "!")


def ends_phrase(text: str, end: int) -> bool:
    """Return whether a mark, or nothing, follows what ends at a place."""
    return text[end : end + 2].strip(" ")[:1] in ("", "\n", ",", "،", ".", "۔", "।", ")", "(", ";", "؛", ":", "-")
