"""Codes that no rule settles: keys drawn at random, account and national numbers, numbers in other scripts."""

import math
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from gama.state.entities import Span
from gama.tools.recognizers.base import PlainText, digits
from gama.tools.recognizers.declared import Declaration, confirmed, declaration

if TYPE_CHECKING:
    import regex

_NUMBER = re.compile("[0-9]+")


def secrets(body: PlainText, told: Declaration) -> Iterator[Span]:
    """Yield random strings behind a word for a secret."""
    for at in _secret_words(body.low, told) if body.has_digit else ():
        if match := told.regex["beside"].match(body.low, at):
            start, end = match.span("v")
            value = body[start:end].rstrip("._-/")
            if _random(value):
                yield told.hit(start, start + len(value), "api_key", score=0.85, private=1.0)


def _secret_words(low: str, told: Declaration) -> Iterator[int]:
    # A plain search for the words is many times quicker than an expression that may begin anywhere.
    for word in told.words["secret_words"]:
        at = low.find(word)
        while at >= 0:
            yield at
            at = low.find(word, at + len(word))


def _random(value: str) -> bool:
    """Return whether a string looks drawn at random: classes of characters mixed, and high entropy."""
    body = value.strip("=._-/")
    if len(body) < 8 or not any(char.isdigit() for char in body) or not any(char.isalpha() for char in body):
        return False
    counts = Counter(body)
    entropy = -sum(n / len(body) * math.log2(n / len(body)) for n in counts.values())
    # Bits per character: words of a language stay near 3 at these lengths, drawn strings near log2 of their length.
    return entropy >= min(3.2, 0.8 * math.log2(len(body)))


def ibans(body: PlainText, told: Declaration) -> Iterator[Span]:
    """Yield account numbers by checksum, the longest valid reading of each, or by country and shape."""
    for match in told.regex["iban"].finditer(body) if body.has_digit else ():
        start = match.start()
        if end := _valid_end(match[0]):
            yield told.hit(start, start + end, "iban", score=1.0, private=1.0, validated=True)
        elif (shape := told.regex["shape"].match(body, start)) and " " in shape[0] and _has_country(shape[0]):
            yield told.hit(*shape.span(), "iban", score=0.85, private=1.0)


def _has_country(value: str) -> bool:
    from stdnum import numdb

    return bool(numdb.get("iban").info(value[:4].upper())[0][1])


def _valid_end(value: str) -> int:
    """Return where an account number ends: words may follow it ("… 3000 please")."""
    from stdnum import iban

    for end in range(len(value), 14, -1) if _has_country(value) else ():
        cut = value[end - 1] not in " -" and not value[end : end + 1].isalnum()
        if cut and iban.is_valid(value[:end], check_country=False):
            return end
    return 0


@cache
def _national_forms() -> tuple[re.Pattern[str], list[tuple[str, re.Pattern[str], str]]]:
    """Return the forms of `national_id.yaml`, and one expression that tells quickly where none can begin."""
    told = declaration("national_id")
    edges = "(?&left)(?<![0-9][ .-]){}(?&right)(?![ .-]?[0-9])"
    forms = [
        (module, told.compiled(edges.replace("{}", regex)), subtype) for module, regex, subtype in told.tree["forms"]
    ]
    return re.compile("|".join(regex.pattern for _, regex, _ in forms)), forms


def national_numbers(body: PlainText, told: Declaration) -> Iterator[Span]:
    """Yield national numbers by a form that is their country's own and a right checksum."""
    some, forms = _national_forms()
    for at in _starts(body, told) if body.has_digit else ():
        for module, regex, subtype in forms if some.match(body, at) else ():
            match = regex.match(body, at)
            if match and len(set(digits(match[0]))) > 1 and confirmed(match[0], module):
                yield told.hit(*match.span(), subtype, score=1.0, private=1.0, validated=True)


def _starts(body: PlainText, told: Declaration) -> Iterator[int]:
    yield from body.numbers
    for number in _NUMBER.finditer(body):
        at = number.start()
        if at and (body[at - 1] in " -&" or body[at - 1].isalpha()):
            floor = max(0, at - 9)
            if letters := told.regex["letters"].search(body[floor:at]):
                yield floor + letters.start()


_LABELLED = (
    "phone passport ssn bank_account patient_id case_number order_number employee_id student_id vehicle_plate other_id"
).split()


_BEYOND = 80
"""Characters behind such a stretch into which a number may reach that is announced in it."""


_NEAR = 24
"""Characters behind such a stretch in which a label may stand: some have Latin letters (HN)."""


@cache
def _script_labels() -> list[tuple[str, "regex.Pattern[str]"]]:
    """Return for each subtype what announces a number of it in other scripts, and the number behind it."""
    import regex

    told = declaration("number_script")
    value = told.regex["value"].pattern
    found = []
    for subtype in _LABELLED:
        words = sorted({word.replace("_", " ") for word in told.words[subtype]}, key=len, reverse=True)
        said = "|".join(map(regex.escape, words))
        # Scripts that put no spaces between words let a label stand anywhere; so do prefixes of one letter.
        behind = (
            rf"(?<![\p{{Latin}}\p{{Greek}}\p{{Cyrillic}}])(?i:{said})[\p{{Ll}}\p{{Lo}}\p{{M}}'’]{{0,4}}\.?"
            r"(?:[ \t]+[\p{L}\p{M}]{1,12}){0,3}?[ \t]*(?:№|No|no|no\.|#|nº)?[ \t]*[:.,=(\-]{0,2}[ \t]*(?:\n[ \t]*)?"
        )
        found.append((subtype, regex.compile(behind + value)))
    return found


def in_scripts(body: PlainText, told: Declaration) -> Iterator[Span]:
    """Yield numbers beside a label in another script, and long ones in such a stretch whatever stands beside them."""
    if not body.is_foreign:
        return
    from gama.tools.languages.names import stretches

    for start, end in stretches(body):
        for subtype, labelled in _script_labels():
            for match in labelled.finditer(body, start, end + _BEYOND):
                first, last = match.span("v")
                last = first + len(body[first:last].rstrip(" .-/"))
                if (
                    match.start() < end + _NEAR
                    and len(digits(body[first:last])) > 2
                    and not _is_no_code(body, first, last, told)
                ):
                    score = 0.6 if subtype == "other_id" else 0.7
                    yield told.hit(first, last, subtype, score=score, private=1.0)
        for named, subtype in (("handle", "handle"), ("plate", "vehicle_plate"), ("car", "vehicle_plate")):
            for found in told.regex[named].finditer(body, start, end + _BEYOND):
                yield told.hit(*found.span("v"), subtype, score=0.9, private=1.0)
        for found in told.regex["long"].finditer(body, start, end + _BEYOND):
            first, last = found.span("v")
            if first < end and not _is_no_code(body, first, last, told):
                yield told.hit(first, last, "other_id", score=0.5, private=1.0)


def _is_no_code(body: PlainText, start: int, end: int, told: Declaration) -> bool:
    value = body[start:end]
    return bool(
        told.regex["thousands"].fullmatch(value)
        or told.regex["date"].fullmatch(value)
        or told.regex["sum"].match(body, end)
        or body[start - 1 : start] in ("$", "€", "₽", "₹", "¥", "₩", "฿", "৳")
    )
