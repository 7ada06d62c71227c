"""The built-in recognizers: reads what `data/` declares of one, checks what rules cannot say, and runs all over a text.

A file `data/<name>.yaml` declares a recognizer; what begins with `_` is shared, `_shared` by all. It holds, if wanted:

    priority, needs_digit   as `RuleRecognizer` takes them
    uses                    another file whose parts, words and expressions may be named too
    parts                   pieces of expressions by name; `(?&name)` in an expression stands for its text
    words                   lists of words by name; `(?&name)` stands for any of them
    expressions             regular expressions by name; line breaks in them mean nothing
    patterns, labels        the rules: the fields of `Pattern` and `Label`; `check` and `proof` name a function of
                            this file, or modules of python-stdnum; lists of words may be named
    all_labels              fields that every label has
    code, subtypes          `module.function` of this folder that finds what no rule can say, and what it reports

A check of a pattern takes the match, a check of a label and a proof take the value.
"""

import hashlib
import re
import warnings
from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from importlib import import_module
from itertools import pairwise
from typing import Any

from gama.guard.folding import text_bytes
from gama.guard.search import Automaton
from gama.state.entities import Span
from gama.tools.recognizers.base import Recognizer, digits, hit, plain, word_char
from gama.tools.recognizers.rules import Label, Near, Pattern, RuleRecognizer
from gama.tools.tables import late, table

_PART = re.compile(r"\(\?&(\w+)\)")


class _Compiled(dict[str, re.Pattern[str]]):
    """The named expressions of a file, each compiled when first asked for."""

    def __init__(self, compiled: Callable[[str], re.Pattern[str]]) -> None:
        self._compiled = compiled

    def __missing__(self, name: str) -> re.Pattern[str]:
        return self.setdefault(name, self._compiled(name))


class Declaration:
    """What one file declares."""

    def __init__(self, name: str) -> None:
        """Read the file."""
        self.tree: Mapping[str, Any] = table("recognizers", name)
        used: list[Declaration] = [] if name == "_shared" else [declaration(self.tree.get("uses", "_shared"))]
        self.name = name
        self.hit = partial(hit, source=name)
        # Long lists of single words are written as text.
        words = {key: tuple(v.split() if isinstance(v, str) else v) for key, v in self.tree.get("words", {}).items()}
        self.words: ChainMap[str, tuple[str, ...]] = ChainMap(words, *(one.words for one in used))
        self._parts: ChainMap[str, str] = ChainMap(self.tree.get("parts", {}), *(one._parts for one in used))
        self._expressions: ChainMap[str, str] = ChainMap(
            self.tree.get("expressions", {}), *(one._expressions for one in used)
        )
        self.regex = _Compiled(lambda key: self.compiled(self._expressions[key]))

    def compiled(self, expression: str) -> re.Pattern[str]:
        """Return an expression with its parts in their places, compiled when it is first tried."""
        return late(re.compile, self._expanded(expression))

    def recognizer(self, **given: Any) -> RuleRecognizer:
        """Return the recognizer that the rules make; what is given goes to its code."""
        code = None
        if "code" in self.tree:
            module, function = self.tree["code"].split(".")
            code = partial(getattr(import_module(f"gama.tools.recognizers.{module}"), function), told=self, **given)
        labels = ({**self.tree.get("all_labels", {}), **fields} for fields in self.tree.get("labels", ()))
        rules: tuple[Pattern | Label, ...] = (
            *(Pattern(**self._fields(fields)) for fields in self.tree.get("patterns", ())),
            *(Label(between=self.regex, **self._fields(fields)) for fields in labels),
        )
        subtypes = tuple(sorted({*self.tree.get("subtypes", ()), *(rule.subtype for rule in rules)}))
        priority, needs_digit = self.tree.get("priority", 0), self.tree.get("needs_digit", True)
        words = {word for rule in rules for word in (*rule.needs, *(rule.words if isinstance(rule, Label) else ()))}
        if code is not None:
            words.update(*self.words.values())
        sought = frozenset(word for word in words if word == word.lower())
        return RuleRecognizer(self.name, rules, subtypes, priority, needs_digit, code, sought)

    def _expanded(self, text: str) -> str:
        return _PART.sub(lambda found: self._part(found[1]), text.replace("\n", ""))

    def _part(self, name: str) -> str:
        if name in self._parts:
            return self._expanded(self._parts[name])
        words = sorted(set(self.words[name]), key=lambda word: (-len(word), word))
        return f"(?:{'|'.join(words)})"

    def _fields(self, written: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields of a rule, or of its surroundings, as they are written."""
        return {key: self._field(key, given) for key, given in written.items() if given is not None or key == "private"}

    def _field(self, key: str, given: Any) -> Any:
        if key in ("check", "proof"):
            return named(given)
        if key in ("regex", "refuse"):
            return self.compiled(given)
        if key in ("words", "needs"):
            return self.words[given] if isinstance(given, str) else tuple(given)
        return Near(**self._fields(given)) if key == "near" else self.regex[given] if key == "value" else given


@cache
def declaration(name: str) -> Declaration:
    """Return what the file of a recognizer declares, read once."""
    return Declaration(name)


class PatternEngine:
    """The pattern view of a text (spec 01 §1.3.1: hits count as tagger output with view `regex`).

    Stateless between calls, so one engine serves many threads.
    """

    def __init__(self, recognizers: Iterable[Recognizer]) -> None:
        """Take the recognizers to run."""
        self.recognizers = tuple(recognizers)
        self._priority = {one.name: int(getattr(one, "priority", 0)) for one in self.recognizers}
        ruled = (one.words for one in self.recognizers if isinstance(one, RuleRecognizer))
        self._words = frozenset[str]().union(*ruled)
        self._numbered = tuple(filter(None, self._words))
        self._automaton = Automaton(self._numbered)

    def find(self, text: str) -> list[Span]:
        """Return the hits of all recognizers, sorted by place and free of overlaps.

        Where two overlap, a validated one wins over one that is not, then the longer, then the one of the
        recognizer with the higher priority, then the higher score, then the earlier. A recognizer that fails is
        left out for this text, with a warning that names it and quotes nothing.
        """
        body = plain(text)
        there = self._automaton.which(text_bytes(body.low))
        body.missing = self._words.difference(self._numbered[number] for number in there)
        hits: list[Span] = []
        for recognizer in self.recognizers:
            failure = ""
            try:
                hits += [_without_stop(span, body) for span in recognizer.find(body)]
            except Exception as error:  # A plugin may raise anything; its message may quote the text.
                failure = type(error).__name__
            if failure:
                warnings.warn(
                    f"recognizer {recognizer.name!r} failed with {failure}: left out for this text",
                    RuntimeWarning,
                    stacklevel=2,
                )
        return self._settle(hits, len(text))

    def _settle(self, hits: Sequence[Span], size: int) -> list[Span]:
        sound = (span for span in hits if 0 <= span.start < span.end <= size)
        order = sorted(
            sound,
            key=lambda span: (
                not span.validated,
                span.start - span.end,
                -self._priority.get(span.source, 0),
                -span.score,
                span.start,
                span.subtype,
            ),
        )
        taken = bytearray(size)
        kept: list[Span] = []
        for span in order:
            # No earlier hit is shorter unless validated, so both ends and the middle may be taken: look at all.
            if not any(taken[span.start : span.end]):
                taken[span.start : span.end] = b"\x01" * (span.end - span.start)
                kept.append(span)
        return sorted(kept, key=lambda span: span.start)


def _without_stop(span: Span, text: str) -> Span:
    """Leave the stop that ends a sentence out of a hit; codes, and abbreviations such as `p.m.`, keep theirs."""
    end = span.end
    if span.type != "CODE" and text[span.start : end].endswith(".") and not text[span.start : end].endswith(".m."):
        end -= 1
    return span if end == span.end or end <= span.start else span._replace(end=end)


_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_DATE = re.compile(r"\d{1,2}[./-]\d{1,2}[./-](?:\d{2}|\d{4})|(?:19|20)\d{2}[./-]\d{1,2}[./-]\d{1,2}|(?:19|20)\d{2}")
_MONTHS = frozenset("January February March April May June July August September October November December".split())

# Issuer ranges: Visa, Mastercard (51-55, 2221-2720), Amex, Discover, Diners, JCB, UnionPay, Maestro, Mir.
_ISSUERS = re.compile(
    r"4\d{12}(?:\d{3})?(?:\d{3})?|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|"
    r"6(?:011|5\d\d|4[4-9]\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|35(?:2[89]|[3-8]\d)\d{12}|62\d{14,17}|"
    r"(?:50|5[6-9]|6[0-9])\d{10,17}|220[0-4]\d{12}"
)


@cache
def _stdnum(module: str) -> Any:
    return import_module(f"stdnum.{module}")


def confirmed(value: str, module: str) -> bool:
    """Return whether python-stdnum's `module` accepts a value; False where it cannot even read it."""
    try:
        return bool(_stdnum(module).is_valid(value))
    except (ValueError, IndexError, KeyError, TypeError):
        return False


def named(given: str | Sequence[str]) -> Callable[[Any], bool]:
    """Return a function of this module by its name, or the proof by any of some modules of python-stdnum."""
    found: Callable[[Any], bool] = globals()[given] if isinstance(given, str) else partial(_any_confirms, given)
    return found


def _any_confirms(modules: Sequence[str], value: str) -> bool:
    return any(confirmed(value, module) for module in modules)


def card_number(value: str) -> bool:
    """Return whether a number lies in an issuer's range and passes the Luhn check."""
    number = digits(value)
    return bool(_ISSUERS.fullmatch(number)) and len(set(number)) > 1 and confirmed(number, "luhn")


def base58check(value: str) -> bool:
    """Return whether the four checksum bytes of a base58check string are right (double SHA-256)."""
    number = 0
    for char in value:
        number = number * 58 + _BASE58.index(char)
    raw = number.to_bytes(max(25, (number.bit_length() + 7) // 8), "big")
    return hashlib.sha256(hashlib.sha256(raw[:-4]).digest()).digest()[:4] == raw[-4:]


def mixed_base58(match: re.Match[str]) -> bool:
    """Return whether a string without a right checksum has letters of both cases and two digits."""
    value = match[0]
    return any(c.islower() for c in value) and any(c.isupper() for c in value) and sum(c.isdigit() for c in value) >= 2


def mac(value: str) -> bool:
    """Return whether a hardware address is written as one, in pairs."""
    return bool(_stdnum("mac").is_valid(value, validate_manufacturer=False))


def several_signs(match: re.Match[str]) -> bool:
    """Return whether a hardware address has four different characters."""
    return len(set(match["v"])) >= 4


def behind_name(match: re.Match[str]) -> bool:
    """Return whether a number of three or more stands behind a word with a capital that is not a month."""
    before = match.string[max(0, match.start() - 26) : match.start()]
    word = re.search(r"([^\W\d_][\w'-]*)(?:, | \()$", before)
    return bool(word and word[1][0].isupper() and word[1] not in _MONTHS and int(match[0]) >= 3)


def forum_age(match: re.Match[str]) -> bool:
    """Return whether "34F" stands where people write so: in brackets, or behind a pronoun."""
    before = match.string[max(0, match.start() - 6) : match.start()]
    personal = before.endswith(("(", "[")) or bool(re.search(r"\b(?:i|me|my|im|he|she) ?$", before))
    return 12 <= int(match["v"]) <= 99 and personal


def on_earth(match: re.Match[str]) -> bool:
    """Return whether a pair of degrees is a place on the globe."""
    return abs(float(match["lat"].replace(" ", ""))) <= 90 and abs(float(match["lon"].replace(" ", ""))) <= 180


def human_height(match: re.Match[str]) -> bool:
    """Return whether somebody may be so many metres tall."""
    return 130 <= int(re.sub(r"[^0-9]", "", match["v"])[:3]) <= 225


def spread(match: re.Match[str]) -> bool:
    """Return whether a hash has many different signs: all digits, or one repeated, is an identifier or padding."""
    value = match["v"]
    return len(set(value.lower())) > 6 and not value.isdigit()


def no_commit(match: re.Match[str]) -> bool:
    """Return whether a hash is one, and not named as a commit."""
    before = match.string[max(0, match.start() - 20) : match.start()].lower()
    named = any(word in before for word in ("commit", "revision", "sha:", "git ", "tree", "merge"))
    return spread(match) and not named


def _has_digits(value: str, least: int) -> bool:
    return sum(char.isdigit() or char in "*•" for char in value) >= least and not _DATE.fullmatch(value)


def long_code(value: str) -> bool:
    """Return whether a value has at least four digits and is not a date or year."""
    return _has_digits(value, 4)


def stands_alone(match: re.Match[str]) -> bool:
    """Return whether nothing is joined to a match on its left.

    An expression that begins with an assertion for it is searched several times slower.
    """
    return match.start() == 0 or not (word_char(before := match.string[match.start() - 1]) or before in ".&/")


def no_counting(match: re.Match[str]) -> bool:
    """Return whether numbers in words stand alone and are no counting up or down, as children's rhymes have it."""
    words = re.findall(r"[^\W\d_]+", match["v"])
    row = max(_FIGURES, key=lambda figures: sum(word in figures for word in words))
    places = [row.index(word) for word in words if word in row]
    steps = {after - before for before, after in pairwise(places)}
    return stands_alone(match) and (len(places) < len(words) or not (steps <= {1} or steps <= {-1}))


_FIGURES = tuple(
    row.split()
    for row in (
        "zero one two three four five six seven eight nine",
        "cero uno dos tres cuatro cinco seis siete ocho nueve",
        "zéro un deux trois quatre cinq six sept huit neuf",
        "null eins zwei drei vier fünf sechs sieben acht neun",
        "zero uno due tre quattro cinque sei sette otto nove",
        "zero um dois três quatro cinco seis sete oito nove",
        "nul een twee drie vier vijf zes zeven acht negen",
        "zero jeden dwa trzy cztery pięć sześć siedem osiem dziewięć",
        "sıfır bir iki üç dört beş altı yedi sekiz dokuz",
    )
)


def no_word(value: str) -> bool:
    """Return whether a value is none of the words that everybody uses."""
    from gama.models.shipped import word_vectors

    return value.lower() not in word_vectors()


def nicknamed(match: re.Match[str]) -> bool:
    """Return whether nothing is joined to a match on its left, and no everyday word follows: `auntie said`."""
    from gama.tools.knowledge.index import may_be_forename

    word = match["w"]
    return stands_alone(match) and (word is None or word[0].isupper() or no_word(word) or may_be_forename(word))


def forename_alone(match: re.Match[str]) -> bool:
    """Return whether the value of a match is a forename."""
    from gama.tools.knowledge.index import is_forename

    return is_forename(match["v"])


def somebodys_forename(match: re.Match[str]) -> bool:
    """Return whether the value of a match may be a forename, a rare one too, or begins with one."""
    from gama.tools.knowledge.index import may_be_forename

    return may_be_forename(match["v"].split()[0])


def rare_forename(match: re.Match[str]) -> bool:
    """Return whether the value of a match is a forename and no word that everybody uses."""
    from gama.tools.knowledge.index import may_be_forename

    return no_word(match["v"]) and may_be_forename(match["v"].title())


def surname_behind_an_initial(match: re.Match[str]) -> bool:
    """Return whether the value of a match is a surname behind one letter, as accounts are called: `hkowalczyk`."""
    from gama.tools.knowledge.index import is_surname

    return is_surname(match["v"][1:].title()) and not is_surname(match["v"].title())


def very_long_code(value: str) -> bool:
    """Return whether a value has at least five digits and is not a date."""
    return _has_digits(value, 5)


def serial(value: str) -> bool:
    """Return whether a value may be the serial number of a device."""
    return len(value) >= 5 and sum(char.isdigit() for char in value) >= 2 and long_code(value + "00")


def reference(value: str) -> bool:
    """Return whether a value has three digits, or a booking's mix of capitals and digits.

    A word before the first digit ("Case Study 2024") and decimals are refused.
    """
    head = re.split(r"\d", value, maxsplit=1)[0]
    if re.search(r"[A-Z][a-z]{2,}|[a-z]{4,}", head) or re.search(r"\d[.,]\d{1,2}$", value):
        return False
    count = sum(char.isdigit() for char in value)
    booking = 5 <= len(value) <= 10 and count >= 1 and value == value.upper() and any(char.isalpha() for char in value)
    return booking or (count >= 3 and (long_code(value) or not re.fullmatch(r"\d{3}", value)))


def plate(value: str) -> bool:
    """Return whether a value has a number plate's capitals and digits."""
    bare = re.sub(r"[ ·.-]", "", value)
    letters = sum(char.isalpha() for char in bare)
    return value == value.upper() and 4 <= len(bare) <= 11 and 1 <= letters <= 6 and len(bare) - letters >= 1


def plausible_number(value: str) -> bool:
    """Return whether a value may be a national number: five to twenty digits, not all the same, and no date."""
    count = sum(char.isdigit() or char == "*" for char in value)
    is_date = re.fullmatch(r"\d{1,2}[./-]\d{1,2}[./-]\d{2,4}", value)
    return 5 <= count <= 20 and len(set(digits(value))) > 1 and not is_date
