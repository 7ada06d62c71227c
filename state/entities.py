"""What can be found in a text: types, subtypes, spans and entities.

Types and categories follow PII-Bench (7 types, 55 categories, spec 03 §3.2) with the extensions
of the project's annotated corpus. `Span` carries offsets only and is safe to print; `Entity`
carries the text itself and lives in the private space.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import Annotated, Any, Generic, Literal, NamedTuple, Protocol, Self, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, ValidationInfo

EntityType = Literal["PER", "CODE", "LOC", "ORG", "DEM", "DATETIME", "QUANTITY"]

View = Literal["pner", "regex", "pia", "fusion", "user"]
"""Who found an entity: the tagger, a validated pattern, the agent of private context, the fusion, the user."""

SUBTYPES: dict[EntityType, tuple[str, ...]] = {
    "PER": ("full_name", "first_name", "last_name", "nickname", "handle", "initials"),
    "CODE": (
        "ssn", "drivers_license", "bank_account", "iban", "credit_card", "phone", "ip_address", "mac_address",
        "email", "password", "password_hash", "api_key", "passport", "tax_id", "employee_id", "student_id",
        "patient_id", "case_number", "order_number", "vehicle_plate", "url", "crypto_wallet", "device_id", "other_id",
    ),
    "LOC": (
        "street_address", "postcode", "city", "region", "country", "landmark", "coordinates", "facility",
    ),
    "ORG": ("company", "school", "government", "ngo", "healthcare", "other_org"),
    "DEM": (
        "occupation", "age", "gender", "height", "weight", "blood_type", "sexual_orientation", "nationality",
        "ethnicity", "race", "religion", "political_affiliation", "education_level", "degree", "physical_feature",
        "medical_condition", "disability", "marital_status", "family", "language", "circumstance",
    ),
    "DATETIME": ("date", "date_of_birth", "time", "duration"),
    "QUANTITY": (
        "income", "expenses", "balance", "loan", "bonus", "credit_limit", "social_security_payment", "tax_payment",
        "debt_ratio", "investment_return", "roi", "credit_score", "amount", "result",
    ),
}  # fmt: skip

TYPE_OF: dict[str, EntityType] = {sub: kind for kind, subs in SUBTYPES.items() for sub in subs}
"""The type that a subtype belongs to."""

_KINDS: dict[str, str] = {
    "full_name": "name", "first_name": "first_name", "last_name": "last_name", "nickname": "nickname",
    "handle": "handle", "initials": "initials",
    "street_address": "address",
    "password": "secret", "password_hash": "secret", "api_key": "secret",
    "drivers_license": "id_number", "passport": "id_number", "tax_id": "id_number", "employee_id": "id_number",
    "student_id": "id_number", "bank_account": "id_number", "other_id": "id_number", "device_id": "id_number",
    "patient_id": "medical_record",
    "result": "result",
}  # fmt: skip

_KIND_OF_TYPE: dict[str, str] = {"LOC": "location", "ORG": "organization", "QUANTITY": "amount"}


def placeholder_kind(subtype: str) -> str:
    """Return the word a placeholder shows for a subtype (the bridge of spec 03 §3.2).

    Names of places and organizations share one word each; codes, dates and demographic facts
    keep a word that lets an expert reason about them (`<date-1>`, `<age-2>`).
    """
    return _KINDS.get(subtype) or _KIND_OF_TYPE.get(TYPE_OF.get(subtype, ""), subtype)


PLACEHOLDER_KINDS: frozenset[str] = frozenset(placeholder_kind(sub) for sub in TYPE_OF) | {"literal"}
"""Every word a placeholder may show; `literal` protects text that already looked like a placeholder."""


class Span(NamedTuple):
    """A found stretch of a text, without the text: safe to print.

    Offsets count characters of the original string; `end` is exclusive.
    """

    start: int
    end: int
    type: EntityType
    subtype: str
    score: float
    """Confidence in [0, 1]."""
    view: View
    private: float | None = None
    """Probability that the span is private in its context; None where the finder does not judge that."""
    validated: bool = False
    """True when a library's checksum or grammar confirmed the value: such a span is never voted away."""
    source: str = ""
    """The recognizer or model that found it."""


class Placed(Protocol):
    """What stands at a stretch of a text."""

    @property
    def start(self) -> int:
        """First character."""

    @property
    def end(self) -> int:
        """One past the last character."""


P = TypeVar("P", bound=Placed)


def meets(one: Placed, other: Placed) -> bool:
    """Return whether two stretches share a character."""
    return one.start < other.end and other.start < one.end


class Spread(Generic[P]):
    """What stands in a text, asked which of it meets a stretch: as quickly in a long text as in a short one."""

    def __init__(self, items: Iterable[P] = ()) -> None:
        """Take the items, in any order."""
        self.items = sorted(items, key=_start)
        self._starts = [item.start for item in self.items]
        self._longest = max((item.end - item.start for item in self.items), default=0)

    def add(self, item: P) -> None:
        """Take one more, behind those that begin where it does."""
        at = bisect_right(self._starts, item.start)
        self.items.insert(at, item)
        self._starts.insert(at, item.start)
        self._longest = max(self._longest, item.end - item.start)

    def met(self, start: int, end: int) -> list[P]:
        """Return those that share a character with a stretch, in the order of their places."""
        first = bisect_left(self._starts, start - self._longest)
        last = bisect_left(self._starts, end)
        return [item for item in self.items[first:last] if item.start < end and start < item.end]

    def within(self, start: int, end: int) -> list[P]:
        """Return those that stand in a stretch, in the order of their places."""
        first, last = bisect_left(self._starts, start), bisect_right(self._starts, end)
        return [item for item in self.items[first:last] if item.end <= end]


def _start(item: Placed) -> int:
    return item.start


def apart(items: Iterable[P], kept: Iterable[P] = ()) -> list[P]:
    """Return those that meet none before them, nor any of `kept`, which come too, in the order of their places."""
    out = Spread(kept)
    for item in items:
        if not out.met(item.start, item.end):
            out.add(item)
    return out.items


_ESCAPED = "\ue000"
"""Stands before a text that is kept as the hexadecimal digits of its bytes, as one is that begins with this sign."""
_LONE = re.compile("[\ud800-\udfff]")


def _keep(text: str) -> str:
    if not text.startswith(_ESCAPED) and not _LONE.search(text):
        return text
    return _ESCAPED + text.encode("utf-8", "surrogatepass").hex()


def _kept(value: Any, info: ValidationInfo) -> Any:
    if info.mode == "json" and isinstance(value, str) and value.startswith(_ESCAPED):
        return bytes.fromhex(value.removeprefix(_ESCAPED)).decode("utf-8", "surrogatepass")
    return value


Whole = Annotated[str, PlainSerializer(_keep, when_used="json"), BeforeValidator(_kept)]
"""A text that keeps every character in JSON, halves of characters (lone surrogates) included: no encoding has them."""


class Entity(BaseModel):
    """One mention of something that may be private.

    Repeated mentions are separate entities; `subject` links those of one person (`A`, `B`, …).

    Example:
        >>> Entity(text="Emma", start=5, end=9, type="PER", subtype="first_name").private
        True
    """

    model_config = ConfigDict(frozen=True)

    text: Whole = Field(repr=False)
    """The surface, exactly as in the original text."""
    start: int
    """First character, counted in characters of the original text."""
    end: int
    """One past the last character."""
    type: EntityType
    subtype: str
    subject: str | None = None
    """The person it belongs to, as a letter, or None when it belongs to nobody in particular."""
    views: tuple[View, ...] = ()
    score: float = 1.0
    private: bool = True
    """Whether it is private: then it is replaced before the text leaves, unless it is needed."""
    needed: bool = False
    """Whether the query needs it as it stands (query-aware masking); False as long as no query is given."""
    asked: bool = False
    """Whether it would be private if the text itself did not ask about it (the level `auto`)."""
    generalised: str = ""
    """What its placeholder tells of it, such as `band=30-39`, since the query needs to know it roughly."""

    @classmethod
    def at(cls, text: str, start: int, end: int, subtype: str, **more: Any) -> Self:
        """Return the mention at a place of a text, of the type that the subtype belongs to."""
        return cls(text=text[start:end], start=start, end=end, type=TYPE_OF[subtype], subtype=subtype, **more)

    @property
    def hidden(self) -> bool:
        """Whether it is replaced before the text leaves."""
        return self.private and not self.needed

    def __str__(self) -> str:
        """Name the kind and place, never the text."""
        return f"{self.type}.{self.subtype}[{self.start}:{self.end}]"
