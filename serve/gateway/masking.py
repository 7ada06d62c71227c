"""One box for a conversation: every text of a request is read, replaced, and looked at again.

The box of a conversation is made of its messages in their order, each time anew: the same messages
give the same placeholders, nothing need be kept between turns, and no conversation can get at
another's box. Reading is what costs; what was found in a text is remembered (`memory.py`).
"""

import json
import re
import threading
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from gama.guard.automaton import Automaton
from gama.guard.folding import text_bytes
from gama.guard.search import Guard, is_weak
from gama.privacy.anonymizer import Anonymizer
from gama.privacy.link import Known, link
from gama.privacy.replace import LOOKS, anonymize_text, other_forms, value_guard
from gama.serve.gateway.json_text import Layout, is_json, lay_out, pieces, rebuild
from gama.serve.gateway.memory import SpanMemory
from gama.serve.gateway.vocabulary import NUMBERS, WORDS
from gama.serve.gateway.walk import Leaf, Leaves, Media, walk
from gama.serve.http.relay import ClientGone
from gama.state.box import BRACKETS, PrivacyBox
from gama.state.entities import Entity
from gama.state.errors import LeakError
from gama.tools.placeholders.mapping import map_text, protect_literals

_WORTH_READING = re.compile(r"\w")
_PERSON = "My name is {}."


@dataclass(frozen=True)
class Masked:
    """A request as it may leave, and what restores its answer."""

    body: dict[str, Any]
    box: PrivacyBox = field(repr=False)
    guard: Guard
    names: dict[str, str] = field(repr=False)
    """Names of tools and properties that had to be changed: the safe one, and the user's."""
    opaque: tuple[str, ...] = field(default=(), repr=False)
    """Long strings that pass unread."""
    quoted: tuple[str, ...] = field(default=(), repr=False)
    """What the other side wrote and gets back to the letter, and the name of the model."""
    read: int = 0
    """Texts that were read."""
    remembered: int = 0
    """Texts whose mentions were remembered."""


@dataclass
class _Unit:
    """A text of the request on its way."""

    leaf: Leaf
    text: str
    """What is read and searched: the string itself, or the lines of its JSON."""
    layout: Layout | None = None
    raw: str = ""
    """The JSON text behind the lines."""
    found: list[Entity] = field(default_factory=list)
    mapped: str = ""
    quiet: bool = False
    """Whether the mapped text showed no value of the box, as it was when it was last looked at."""


class _New:
    """What has come into a box since a text was last mapped."""

    def __init__(self, box: PrivacyBox, seen: int) -> None:
        """Take the entries from a number on."""
        entries = box.entries[seen:]
        self._as_written = Automaton([entry.surface for entry in entries])
        self._in_any_form = Guard([e.surface for e in entries if e.kind != "literal"], (), list(box.placeholders()))

    def meets(self, unit: _Unit) -> bool:
        """Return whether any of it stands in a text, so that it has to be mapped anew."""
        return bool(self._as_written.find(text_bytes(unit.text)) or self._in_any_form.find(unit.mapped))


class Masker:
    """Anonymizes the bodies of requests. Does CPU work: call it on a thread."""

    def __init__(
        self,
        anonymizer: Anonymizer,
        memory: SpanMemory | None = None,
        media: Media = "refuse",
        signed: Callable[[str, str], str | None] = lambda caller, signature: None,
    ) -> None:
        """Take what finds and what remembers.

        Args:
            anonymizer: what finds.
            memory: what was found in texts.
            media: whether pictures, sounds and files pass unread.
            signed: gives the thinking behind a signature that a caller was given, where it is remembered.
        """
        self._anonymizer = anonymizer
        self._memory = memory or SpanMemory()
        self._media: Media = media
        self._signed = signed

    def new_box(self) -> PrivacyBox:
        """Start a conversation's box."""
        options = self._anonymizer.options
        return PrivacyBox(style=options.style, order=options.index_order, seed=options.seed)

    def mask(
        self, body: dict[str, Any], caller: str, box: PrivacyBox | None = None, stop: threading.Event | None = None
    ) -> Masked:
        """Anonymize a body in place.

        Args:
            body: the parsed body of a request.
            caller: whose request it is: what is remembered is his alone.
            box: the box of an earlier part of the conversation that the upstream keeps; it is copied.
            stop: set when nobody waits for it any more.

        Raises:
            ClientGone: nobody does.
            LeakError: something private would remain.
            MediaRefused: it has a picture, a sound or a file, and the policy refuses them.
            LimitReached: a text is longer than `max_chars`.
        """
        leaves = walk(body, self._media, partial(self._signed, caller))
        box = box.model_copy(deep=True) if box is not None else self.new_box()
        units = [unit for leaf in leaves.values if (unit := _unit(leaf)) is not None]
        read, known = 0, Known()
        for unit in units:
            if stop is not None and stop.is_set():
                raise ClientGone
            read += self._read(unit, caller, box, known)
        guard, size = self._settle(units, box), len(box)
        for unit in units:
            _write(unit, box)
        names = _rename(leaves, box)
        # What was changed above has entries of its own.
        guard = guard if len(box) == size else value_guard(box, (WORDS,))
        numbers = {key: body[key] for key in NUMBERS if isinstance(body.get(key), int | float)}
        quoted = (str(body.get("model", "")), json.dumps(numbers), *leaves.quoted)
        return Masked(
            body, box, guard, names, tuple(leaves.opaque), quoted, read, len(units) - read
        )  # fmt: skip

    def _read(self, unit: _Unit, caller: str, box: PrivacyBox, met: Known) -> bool:
        """Find what is private in a unit and enter it into the box; tells whether the text had to be read."""
        text = unit.text
        if not _WORTH_READING.search(text):
            return False
        known = self._memory.get(caller, text)
        if fresh := known is None:
            # A box of its own: what is found in a text depends on nothing but the text.
            found = link(text, self._anonymizer.identify(text))
            space, options = self._anonymizer.space, self._anonymizer.options
            known = anonymize_text(text, found, self.new_box(), space, options).entities
            self._memory.put(caller, text, known)
        if unit.layout is not None:
            known = _within(known, unit.layout)
        protect_literals(text, box, [entity for entity in known if entity.private])
        unit.found = link(text, known, met.after(box.entries))
        box.register([entity for entity in unit.found if entity.private])
        return fresh

    def _settle(self, units: Sequence[_Unit], box: PrivacyBox) -> Guard:
        """Map all texts with the whole box, until none shows a value of another text in another form.

        Returns:
            The guard of the box as it is then.
        """
        ignore_case = self._anonymizer.options.ignore_case
        seen = 0
        for _ in range(LOOKS):
            guard, size, quiet = value_guard(box, (WORDS,)), len(box), True
            new = _New(box, seen) if seen and not ignore_case else None
            seen = size
            for unit in units:
                if unit.quiet and new is not None and not new.meets(unit):
                    continue
                spans = [(entity.start, entity.end) for entity in unit.found if entity.private]
                unit.mapped = map_text(unit.text, box, spans, ignore_case=ignore_case).text
                more = other_forms(unit.text, unit.mapped, box, unit.found, guard)
                if unit.layout is not None:
                    more = _within(more, unit.layout)
                unit.quiet = not more
                if more:
                    unit.found = [*(e for e in unit.found if e.private or not _meets(e, more)), *more]
                    box.register(more)
                    quiet = False
            if quiet:
                return guard if len(box) == size else value_guard(box, (WORDS,))
        raise LeakError(
            f"After {LOOKS} looks the request still had private values in it. Nothing was sent. "
            "Name them with the option deny, or shorten the conversation."
        )


def _unit(leaf: Leaf) -> _Unit | None:
    value = leaf.holder[leaf.key]
    if leaf.kind == "person":
        # A name alone tells a detector little.
        return _Unit(leaf, _PERSON.format(value.replace("_", " ")))
    if leaf.kind == "text" and not is_json(value):
        return _Unit(leaf, value) if value.strip() else None
    raw = value if leaf.kind == "text" else json.dumps(value, ensure_ascii=False)
    layout = lay_out(list(pieces(raw)))
    return _Unit(leaf, layout.text, layout, raw) if layout.text.strip() else None


def _within(entities: Sequence[Entity], layout: Layout) -> list[Entity]:
    """Cut mentions at the edges of the pieces of a JSON text: a value never reaches over two of them."""
    ends = [end for _, end in layout.places]
    out = []
    for entity in entities:
        for start, end in layout.places[bisect_right(ends, entity.start) :]:
            if start >= entity.end:
                break
            low, high = max(start, entity.start), min(end, entity.end)
            if low < high:
                text = entity.text[low - entity.start : high - entity.start]
                out.append(entity.model_copy(update={"text": text, "start": low, "end": high}))
    return out


def _meets(entity: Entity, others: Sequence[Entity]) -> bool:
    return any(entity.start < other.end and other.start < entity.end for other in others)


def _write(unit: _Unit, box: PrivacyBox) -> None:
    """Put the anonymized text in its place."""
    holder, key, kind = unit.leaf
    if kind == "person":
        if unit.mapped != unit.text:
            holder[key] = _safe_name(holder[key], box, _first(unit.found))
        return
    if unit.layout is None:
        holder[key] = unit.mapped
        return
    private = sorted((e.start, e.end) for e in unit.found if e.private)
    starts = [start for start, _ in private]
    values = []
    for (start, end), piece in zip(unit.layout.places, pieces(unit.raw), strict=True):
        inside = private[bisect_left(starts, start) : bisect_left(starts, end)]
        spans = [(low - start, high - start) for low, high in inside]
        if piece.kind == "number":
            hidden = kind != "extra" and (spans == [(0, end - start)] or not is_weak(piece.value))
            values.append((box.placeholder(piece.value) if hidden else None) or piece.value)
        else:
            values.append(map_text(piece.value, box, spans).text)
    new = rebuild(unit.raw, iter(values))
    holder[key] = new if kind == "text" else json.loads(new)


def _first(found: Sequence[Entity]) -> Entity | None:
    return next((entity for entity in found if entity.private), None)


def _rename(leaves: Leaves, box: PrivacyBox) -> dict[str, str]:
    """Give names of tools and properties with a private value in them a safe one; returns the way back."""
    if not leaves.names and not leaves.keys:
        return {}
    # A short or ordinary value is in many names by chance.
    guard = Guard(entry.surface for entry in box.entries if entry.kind != "literal" and not is_weak(entry.surface))
    names: dict[str, str] = {}

    def safe(name: str) -> str:
        if not guard.find(name.replace("_", " ")):
            return name
        new = _safe_name(name, box, None)
        names[new] = name
        return new

    for holder, key, _ in leaves.names:
        holder[key] = safe(holder[key])
    for keys in leaves.keys:
        changed = {safe(key): value for key, value in keys.holder.items()}
        if list(changed) != list(keys.holder):
            keys.holder.clear()
            keys.holder.update(changed)
    new = {name: safe_name for safe_name, name in names.items()}
    for holder, key, _ in leaves.refs:
        holder[key] = "/".join(new.get(part, part) for part in holder[key].split("/"))
    return names


def names_of(box: PrivacyBox) -> dict[str, str]:
    """Return the names of tools and properties in a kept box: the safe one, and the user's."""
    width = len(BRACKETS[box.style][0])
    entries = [entry for entry in box.entries if entry.subtype == "other_id" and entry.surface.isidentifier()]
    return {entry.placeholder[width:-width]: entry.surface for entry in entries}


def kept(box: PrivacyBox) -> Masked:
    """Return what restores an answer to a request whose body is not here any more."""
    return Masked({}, box, value_guard(box, (WORDS,)), names_of(box))


def _safe_name(name: str, box: PrivacyBox, entity: Entity | None) -> str:
    """Return a placeholder for a name that may have letters, digits, hyphens and underscores only."""
    placeholder = box.add(name, entity.subtype if entity else "other_id", entity.subject if entity else None)
    left, right = BRACKETS[box.style]
    return placeholder[len(left) : -len(right)]


def merged(rest: Masked, parts: Sequence[Masked], field_name: str, *, many: bool) -> Masked:
    """Join bodies that were anonymized one by one, each with a box of its own.

    What is private in one of them may be public in another: each is searched for its own values here, and what is
    joined for the values of all, but for such words.

    Raises:
        LeakError: a private value is left in one.
    """
    values = [part.body[field_name] for part in parts]
    surfaces = [e.surface for one in (rest, *parts) for e in one.box.entries if e.kind != "literal"]
    placeholders = [e.placeholder for one in (rest, *parts) for e in one.box.entries]
    guard = Guard(surfaces, (WORDS,), placeholders)
    public = []
    for part, value in zip(parts, values, strict=True):
        part.guard.check(value)
        try:
            guard.check(value)
        except LeakError:
            public.append(value)
    body = {**rest.body, field_name: values if many else values[0]}
    return replace(rest, body=body, guard=guard, box=PrivacyBox(style=rest.box.style), quoted=(*rest.quoted, *public))
