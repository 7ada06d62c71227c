"""Telephone numbers of all regions (phonenumbers), in international and national form."""

import re
from collections.abc import Iterator
from functools import partial

from gama.state.entities import Span
from gama.tools.recognizers._labels import label_ends
from gama.tools.recognizers._text import PlainText, digits, plain
from gama.tools.recognizers.base import hit

# A candidate: 6 to 17 digits in groups parted by at most three of space . - / ( ), perhaps with + or ( before.
# Accepts: +44 (0)20 7946 0958, (555) 000-0000, 0161/496-0000, 1.800.555.0110, 07700900177, 0 15 1/ 555 208 61.
# Refuses: a digit run inside a word or a longer number, decimals.
_CANDIDATE = re.compile(
    r"[0-9+(](?<![0-9A-Za-z_@#$€£./=&*+-].)(?:(?<=[0-9])|(?<=\+) ?[0-9]"
    r"|(?<=\()\+?[0-9])(?:[ ./()-]{0,3}[0-9]){5,16}(?![0-9A-Za-z_@]|[.,/:-][0-9]|\.[A-Za-z0-9])"
)
# The same behind a label or in a URL's place, where "=" and ":" may stand right before.
_EXTENSION = re.compile(
    r"(?:,? ?(?:ext|extn|extension|ext\.|x|durchwahl|dw|poste|int\.?|interno"
    r"|doorkiesnr)[.:]? ?)(?P<v>[0-9]{1,6})(?![0-9])",
    re.IGNORECASE,
)
_LONE_EXTENSION = re.compile(
    r"(?<![a-z])(?:ext|extn|extension)(?:\.|:)? ?(?P<v>[0-9]{2,6})(?![0-9.,/-]?[0-9])"
    r"|(?<![0-9a-z])(?P<w>x[0-9]{4,5})(?![0-9a-z])"
)

# Spoken numbers: six or more digit words in a row. Accepts: "oh one four one, five five five, oh two three four".
_SPOKEN = re.compile(
    r"(?<![a-z-])(?:(?:oh|o|zero|nought|one|two|three|four|five|six|seven|eight|nine|ten|double"
    r"|triple|hundred)[ ,-]{1,3}){5,18}"
    r"(?:oh|zero|nought|one|two|three|four|five|six|seven|eight|nine|hundred)(?![a-z])"
)

_WORDS = (
    "phone", "phones", "telephone", "tel", "tél", "tél.", "tel.", "mobile", "mob", "cell", "cellphone", "fax", "hp",
    "sms", "whatsapp", "signal", "call",
    "calls", "called", "ring", "rang", "ringing", "phoned", "text", "texted", "txt", "dial", "hotline", "helpline",
    "voicemail", "landline", "handset", "ph",
    "contact", "reach", "reached", "callback", "number", "handy", "mobil", "telefon", "telefoon", "telefono",
    "teléfono", "telefone", "téléphone", "móvil",
    "celular", "cellulare", "portable", "gsm", "rufen", "anrufen", "erreichbar", "appelez", "llame", "llamar",
    "chiamare", "ligue", "bel", "zadzwoń",
    "komórka", "puhelin", "телефон", "тел", "звоните", "电话", "手机", "電話", "携帯", "전화", "هاتف",
    "t:", "m:", "p:", "line",
)  # fmt: skip
_WEAK = frozenset({"number", "contact", "reach", "line", "reached", "signal"})

# What makes a digit group something else: these words stand right before it.
_OTHER = re.compile(
    r"(?:isbn|issn|doi|ean|upc|sku|order|invoice|ref(?:erence)?|case|ticket|claim|policy|account"
    r"|acct|a/c|iban|bsb|sort code|routing|serial|imei|passport|"
    r"licen[cs]e|tracking|version|ver|patient|nhs|member(?:ship)?|id|ssn|vat|tax|tin|utr|zip"
    r"|postcode|lat|lon|bib|chip|konto|blz|siret|siren|card|chart|file|"
    r"student|employee|staff|flight|model|part|item|build|error|page|pp|vol|rfc|cve|gtin|lot|batch"
    r"|folio|meter|barcode|microchip|pesel|bsn|dni|cpf|npi|"
    r"cnic|aadhaar|hash|commit|code|docket|booking|confirmation|receipt|transaction|npi|insurance"
    r"|reg|record|matricule|number \(ssn\)|steuer-id)"
    r"(?:[ _-]?(?:no|nr|num|number|id|code|#|is))?\.?['\"]?\s?[:#=(]?\s?[\"'#(]?$"
)

_DATE = re.compile(
    r"(?:\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./ ]\d{1,2}[-./ ](?:19|20)\d\d|(?:19"
    r"|20)\d\d ?- ?(?:19|20)\d\d|(?:19|20)\d{6}|\d{1,2}[./]\d{1,2}[./]\d{2})(?:[ -]\d{1,4})?"
)

# North American, shown as such: (555) 000-0000, 555-000-0000, 555.000.0000, 1-800-555-0110.
_NANP = re.compile(r"(?:\+?1[ .-]?)?(?:\([2-9]\d\d\) ?|[2-9]\d\d[.-])\d{3}[ .-]\d{4}")
# A national form with its trunk zero and at least two groups: 0161 496 0331, (07) 5550 1843, 0351 555 4410,
# 082-555-0146.
_TRUNK = re.compile(r"\(?0\d{1,4}\)?(?:[ ./-]{1,2}\d{2,8}){1,5}|07\d{9}|0 ?[67](?: ?\d\d){4}")

# Where a number with a trunk zero and no hint is tried: the regions whose national form begins so, largest first.
_TRUNK_REGIONS = ("GB", "DE", "FR", "IT", "NL", "AU", "BE", "CH", "AT", "SE", "JP", "ZA", "IE")


class PhoneRecognizer:
    """Finds telephone numbers.

    Policy: a number with + or 00 is asked of `phonenumbers`; a national form counts if (1) it is valid in the
    default region or in a region that another number of the text names, or (2) a word for telephoning stands
    within forty characters before it, or (3) its form is a telephone's own (North American groups; a trunk zero
    with groups, valid in a large region). `PhoneNumberMatcher` is not used: over long texts it is slow and worse
    than linear, so candidates are cut out first and parsed one by one.
    """

    name = "phone"
    subtypes = ("phone",)
    priority = 2

    def __init__(self, default_region: str | None = None) -> None:
        """Take the region (ISO 3166, such as DE) in whose national form numbers may stand."""
        self.default_region = default_region

    def find(self, text: str) -> Iterator[Span]:
        """Yield numbers with their extensions; valid ones are validated."""
        body = plain(text)
        if body.has_digit:
            yield from self._written(body)
            for match in _LONE_EXTENSION.finditer(body.low):
                group = "v" if match["v"] else "w"
                yield hit(*match.span(group), "phone", self.name, score=0.7, private=1.0)
        if "double" in body.low or "oh" in body.low or "zero" in body.low or "nought" in body.low:
            for match in _SPOKEN.finditer(body.low):
                yield hit(*match.span(), "phone", self.name, score=0.7, private=1.0)

    def _written(self, body: PlainText) -> Iterator[Span]:
        candidates = [match.span() for match in _CANDIDATE.finditer(body)]
        if not candidates:
            return
        labels = sorted((end, body[start:end].lower() in _WEAK) for start, end in _label_spans(body))
        regions = self._regions(body, candidates)
        at = 0
        for start, end in candidates:
            end = start + len(body[start:end].rstrip(" ./(-"))
            if body[start] == "(" and ")" not in body[start:end]:
                start += 1  # The bracket opens a remark, not an area code.
            while at < len(labels) and labels[at][0] < start - 40:
                at += 1
            near = [
                weak
                for stop, weak in labels[at : at + 12]
                if start - 40 <= stop <= start and "\n\n" not in body[stop:start]
            ]
            verdict = self._judge(body, start, end, near, regions)
            if verdict:
                score, validated = verdict
                extension = _EXTENSION.match(body, end)
                yield hit(
                    start,
                    extension.end() if extension else end,
                    "phone",
                    self.name,
                    score=score,
                    private=1.0,
                    validated=validated,
                )

    def _regions(self, body: PlainText, candidates: list[tuple[int, int]]) -> tuple[str, ...]:
        found = [self.default_region] if self.default_region else []
        for start, end in candidates[:50]:
            if body[start] == "+":
                region = _region(body[start:end])
                if region and region not in found:
                    found.append(region)
        return tuple(found[:4])

    def _judge(
        self, body: PlainText, start: int, end: int, near: list[bool], regions: tuple[str, ...]
    ) -> tuple[float, bool] | None:
        value = body[start:end]
        number = digits(value)
        if len(number) < 6 or len(set(number)) == 1 or value.count("(") != value.count(")"):
            return None
        before = body.low[max(0, start - 28) : start]
        if value[0] == "+" or number.startswith("00"):
            international = "+" + number.removeprefix("00") if value[0] != "+" else value
            if _valid(international, None):
                return 1.0, True
            return (0.85, False) if 8 <= len(number) <= 15 and value[0] == "+" else ((0.7, False) if near else None)
        if _DATE.fullmatch(value) or _OTHER.search(before):
            return None
        valid = partial(_valid, value)
        if any(valid(region) for region in regions):
            grouped = any(char in " .-/(" for char in value)
            return (1.0, True) if near or grouped or number[0] == "0" else (0.6, False)
        if _NANP.fullmatch(value):
            return 0.9, False
        if near and 7 <= len(number) <= 13 and (not all(near) or len(number) >= 8) and not _sum_like(value):
            return 0.8, False
        if _TRUNK.fullmatch(value) and 9 <= len(number) <= 12 and any(valid(region) for region in _TRUNK_REGIONS):
            return 0.7, False
        return None


def _label_spans(body: PlainText) -> Iterator[tuple[int, int]]:
    for word in _WORDS:
        for end in label_ends(body, (word,)):
            yield end - len(word), end


def _sum_like(value: str) -> bool:
    # "1.500.000" and "12 000 000": groups of three behind a short head, as thousands are written.
    return bool(re.fullmatch(r"\d{1,3}(?:\.000){1,3}|\d{1,3}(?: 000){2,3}", value))


def _valid(value: str, region: str | None) -> bool:
    import phonenumbers

    try:
        parsed = phonenumbers.parse(value, region)
    except phonenumbers.NumberParseException:
        return False
    return phonenumbers.is_valid_number(parsed)


def _region(value: str) -> str | None:
    import phonenumbers

    try:
        parsed = phonenumbers.parse(value, None)
    except phonenumbers.NumberParseException:
        return None
    return phonenumbers.region_code_for_country_code(parsed.country_code or 0)


def phone_recognizer(default_region: str | None = None) -> PhoneRecognizer:
    """Return the recognizer of telephone numbers."""
    return PhoneRecognizer(default_region)
