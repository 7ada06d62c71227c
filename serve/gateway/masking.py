"""One box for a conversation: every text of a request is read, replaced, and looked at again.

The box of a conversation is made of its messages in their order, each time anew: the same messages
give the same placeholders, nothing need be kept between turns, and no conversation can get at
another's box. Reading is what costs; what was found in a text is remembered (`memory.py`).
"""

import json
import re
import threading
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from gama.guard.search import Guard, is_weak
from gama.privacy.box import PrivacyBox
from gama.privacy.pipeline import Pipeline, Read
from gama.privacy.question import without_halves
from gama.privacy.replace import Passage
from gama.privacy.request import find_request
from gama.privacy.select import as_told, marked, selection_notes
from gama.serve.gateway.errors import FieldRefused
from gama.serve.gateway.formulas import Results, Tell, braces_of
from gama.serve.gateway.json_text import Layout, Piece, is_json, lay_out, pieces, rebuild
from gama.serve.gateway.memory import SpanMemory
from gama.serve.gateway.vocabulary import NUMBERS, WORDS
from gama.serve.gateway.walk import Leaf, Leaves, Media, Word, walk
from gama.serve.gateway.words import counts, find_named, listed, readings, spaced
from gama.serve.http.relay import ClientGone
from gama.state.box import BRACKETS, BoxEntry, Shift
from gama.state.entities import Entity
from gama.state.errors import LeakError
from gama.state.options import Options
from gama.tools.styles.writer import write_by_options

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
    told: str = ""
    """What the model is told of formulas."""
    read: int = 0
    """Texts that were read."""
    remembered: int = 0
    """Texts whose mentions were remembered."""
    shown: tuple[str, ...] = ()
    """Notes on what leaves in clear, or is told roughly, since the query needs it: by kind, never by value."""


@dataclass
class _Unit(Passage):
    """A text of the request on its way; read and searched is the string itself, or the lines of its JSON."""

    leaf: Leaf = field(kw_only=True)
    layout: Layout | None = None
    raw: str = ""
    """The JSON text behind the lines."""


class Masker:
    """Anonymizes the bodies of requests. Does CPU work: call it on a thread."""

    def __init__(
        self,
        pipeline: Pipeline,
        memory: SpanMemory | None = None,
        media: Media = "refuse",
        made: Callable[[str, str], str | None] = lambda caller, opaque: None,
        results: Results | None = None,
        digest: Callable[[str, str], bytes] = lambda caller, text: b"",
    ) -> None:
        """Take what finds and what remembers.

        Args:
            pipeline: what finds and replaces.
            memory: what was found in texts.
            media: whether pictures, sounds and files pass unread.
            made: gives, for an opaque string that the upstream has made for a caller, the thinking that it signs.
            results: where callers were given what formulas gave.
            digest: gives for a caller's text bytes that nobody else can work out, the same at any time.
        """
        self.pipeline = pipeline
        self._memory = SpanMemory() if memory is None else memory
        self.results = Results() if results is None else results
        self._media: Media = media
        self._made = made
        self._digest = digest

    def under(self, options: Options) -> "Masker":
        """Return the same under other options."""
        return Masker(self.pipeline.under(options), self._memory, self._media, self._made, self.results, self._digest)

    def mask(
        self,
        body: dict[str, Any],
        caller: str,
        box: PrivacyBox | None = None,
        stop: threading.Event | None = None,
        query: str = "",
    ) -> Masked:
        """Anonymize a body in place.

        Args:
            body: the parsed body of a request.
            caller: whose request it is: what is remembered is his alone.
            box: the box of an earlier part of the conversation that the upstream keeps; it is copied.
            stop: set when nobody waits for it any more.
            query: what the conversation asks, where the level of privacy lets what that needs leave.

        Raises:
            ClientGone: nobody does.
            LeakError: something private would remain.
            MediaRefused: it has a picture, a sound or a file, and the policy refuses them.
            FieldRefused: a field holds something private in which nothing can be replaced.
            OpaqueRefused: a string that cannot be read did not come from the upstream.
            LimitReached: a text is longer than `max_chars`.
        """
        leaves = walk(body, self._media, partial(self._made, caller))
        box = box.model_copy(deep=True) if box is not None else self.pipeline.new_box()
        units = [unit for leaf in leaves.values if (unit := _unit(leaf)) is not None]
        self._keep_shift(units, caller, box)
        write_by_options(box, "\n".join(unit.text for unit in units), self.pipeline.options)
        read = 0
        for unit in units:
            if stop is not None and stop.is_set():
                raise ClientGone
            read += self._read(unit, caller)
        need = self.pipeline.need([(unit.text, unit.found) for unit in units], query, [])
        for unit in units:
            unit.found = marked(self.pipeline.link(unit.text, unit.found, box), need)
            unit.enter(box)
        private = self._read_words(leaves.words, caller, box)
        guard, size = self.pipeline.settle(units, box, (WORDS,)), len(box)
        for unit in units:
            _write(unit, box, self.pipeline.options)
        names = _rename(leaves, box, private)
        # What was changed above has entries of its own.
        guard = guard if len(box) == size else box.guard((WORDS,))
        numbers = {key: body[key] for key in NUMBERS if isinstance(body.get(key), int | float)}
        quoted = (str(body.get("model", "")), json.dumps(numbers), *leaves.quoted)
        told = as_told([entity for unit in units for entity in unit.found], box, self.pipeline.options)
        return Masked(
            body, box, guard, names, tuple(leaves.opaque), quoted,
            read=read, remembered=len(units) - read, shown=tuple(selection_notes(told)),
        )  # fmt: skip

    def tell(self, masked: Masked, tell: Tell | None, texts: Sequence[str]) -> Masked:
        """Return a request whose model is told of formulas, if it is to be and can reckon with anything.

        Args:
            masked: the request, anonymized.
            tell: puts the lines into it; None where formulas are not evaluated.
            texts: what the user says in it, whose language is that of the values.
        """
        masked.box.formulas = False
        if tell is None:
            return masked
        masked.box.braces |= braces_of(masked.body)
        told = self.pipeline.tell("\n".join(texts), masked.box)
        if not told:
            return masked
        tell(masked.body, told)
        return replace(masked, guard=masked.box.guard((WORDS, told)), told=told)

    def _keep_shift(self, units: Sequence[_Unit], caller: str, box: PrivacyBox) -> None:
        """Move the dates of a conversation by the same number of weeks at each turn: its first message tells which."""
        if box.shift is not None or "shift" not in dict(self.pipeline.options.strategies).values():
            return
        from gama.tools.formulas.language import context_of
        from gama.tools.styles.shift import weeks_of

        first = next((unit.text for unit in units if not unit.leaf.system), "")
        if secret := self._digest(caller, first):
            locale = context_of(first, self.pipeline.options.default_region).locale
            box.shift = Shift(weeks=weeks_of(secret), locale=locale)

    def _read(self, unit: _Unit, caller: str) -> bool:
        """Find what is private in a unit; tells whether the text had to be read."""
        text = unit.text
        if not _WORTH_READING.search(text):
            return False
        # Levels and formulas differ by request, and with them what a text that asks something lets leave.
        options = self.pipeline.options
        kind = f"{unit.leaf.kind}{unit.leaf.system}{options.privacy}{options.formulas}"
        known = self._memory.get(f"{kind}\0{caller}", text)
        if fresh := known is None:
            if unit.leaf.kind == "id":
                known = Read(find_named(self.pipeline, text), [])
            else:
                known = self.pipeline.read(text, system=unit.leaf.system)
            if unit.leaf.kind == "extra" and unit.layout is not None:
                known = self._with_keys(known, unit.layout, unit.raw)
            self._memory.put(f"{kind}\0{caller}", text, known)
        within = unit.within or list
        unit.found = self.results.added(within(known.found), caller, text, unit.layout, unit.raw)
        unit.late = within(known.late)
        return fresh

    def _with_keys(self, read: Read, layout: Layout, raw: str) -> Read:
        """Return the mentions of unknown data with those in its keys found as in names: `num_ctx` is nobody's."""
        keys = [place for place, piece in zip(layout.places, pieces(raw), strict=True) if piece.kind == "key"]
        if not keys:
            return read
        found, late = (
            [one for one in some if not any(start < one.end and one.start < end for start, end in keys)]
            for some in read
        )
        names = lay_out([Piece(spaced(layout.text[start:end]), "text") for start, end in keys])
        ends = [end for _, end in names.places]
        for entity in _within(find_named(self.pipeline, names.text), names):
            start, end = keys[bisect_left(ends, entity.end)]
            if not any(one.start == start for one in found):
                whole = {"text": layout.text[start:end], "start": start, "end": end}
                found.append(entity.model_copy(update=whole))
        return Read(sorted(found, key=lambda one: one.start), late)

    def check_words(self, words: Sequence[Word], caller: str, box: PrivacyBox) -> None:
        """Refuse words outside of a body, such as headers, in which there is something private.

        Raises:
            FieldRefused: there is.
        """
        assert all(word.fixed for word in words), "nothing of them enters the box"
        self._read_words({"": words}, caller, box)

    def _read_words(self, groups: Mapping[str, Sequence[Word]], caller: str, box: PrivacyBox) -> frozenset[str]:
        """Read what stands beside the texts, enter what is private in it into the box, and return those words.

        Raises:
            FieldRefused: something private stands where nothing can be replaced.
        """
        private: set[str] = set()
        for words in (part for group in groups.values() for part in listed(group)):
            pairs = [(word, one) for word in words for one in readings(word.text)]
            layout = lay_out([Piece(one, "text") for _, one in pairs])
            known = self._memory.get(f"words\0{caller}", layout.text)
            if known is None:
                known = Read(find_named(self.pipeline, layout.text), [])
                self._memory.put(f"words\0{caller}", layout.text, known)
            ends = [end for _, end in layout.places]
            found = []
            for entity in _within(known.found, layout):
                word, _ = pairs[bisect_left(ends, entity.end)]
                if not counts(entity, word.level):
                    continue
                if word.fixed:
                    raise FieldRefused(word.field)
                private.add(word.text)
                found.append(entity)
            if found:
                box.register(self.pipeline.link(layout.text, found, box))
        fixed = [word for group in groups.values() for word in group if word.fixed and word.level != "code"]
        guard = Guard(value for value in box.values() if fixed and not is_weak(value))
        for word in fixed:
            if any(guard.find(one) for one in (word.text, *readings(word.text))):
                raise FieldRefused(word.field)
        return frozenset(private)


SHORT = 400
"""Characters up to which a message is what is asked, and not also what it is asked about."""


def last_asked(body: dict[str, Any]) -> str:
    """Return what the last message of the user asks: what is found in it as a question, or a short one after others."""
    said = body.get("messages") or body.get("input")
    turns = [one for one in said if isinstance(one, dict)] if isinstance(said, list) else []
    asked = [one.get("content") for one in turns if one.get("role") == "user"] or [said]
    content = asked[-1]
    several = [one.get("text") for one in content if isinstance(one, dict)] if isinstance(content, list) else []
    parts = [content] if isinstance(content, str) else several
    text = without_halves("\n\n".join(part for part in parts if isinstance(part, str)).strip())
    if found := find_request(text).text:
        return found
    return "" if len(asked) < 2 or len(text) > SHORT or "\n\n" in text else text


def _unit(leaf: Leaf) -> _Unit | None:
    value = leaf.holder[leaf.key]
    if leaf.kind in ("person", "id"):
        # A name alone tells a detector little.
        text = spaced(value)
        return _Unit(_PERSON.format(text) if leaf.kind == "person" else text, leaf=leaf)
    if leaf.kind == "text" and not is_json(value):
        return _Unit(value, leaf=leaf) if value.strip() else None
    raw = value if leaf.kind == "text" else json.dumps(value, ensure_ascii=False)
    layout = lay_out(list(pieces(raw)))
    within = partial(_within, layout=layout)
    return _Unit(layout.text, within=within, leaf=leaf, layout=layout, raw=raw) if layout.text.strip() else None


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


def _write(unit: _Unit, box: PrivacyBox, options: Options) -> None:
    """Put the anonymized text in its place."""
    holder, key, kind, _ = unit.leaf
    if kind in ("person", "id"):
        if unit.mapped.text != unit.text:
            first = _first(unit.found)
            safe = _safe_name(holder[key], box, first)
            holder[key] = safe if kind == "person" else box.placeholder(holder[key])
        return
    if unit.layout is None:
        holder[key] = unit.mapped.text
        return
    hidden = sorted((e for e in unit.found if e.hidden), key=lambda entity: entity.start)
    starts = [entity.start for entity in hidden]
    values = []
    for (start, end), piece in zip(unit.layout.places, pieces(unit.raw), strict=True):
        inside = hidden[bisect_left(starts, start) : bisect_left(starts, end)]
        if piece.kind == "number":
            whole = [(entity.start, entity.end) for entity in inside] == [(start, end)]
            replaced = kind != "extra" and (whole or not is_weak(piece.value))
            values.append((box.placeholder(piece.value) if replaced else None) or piece.value)
        else:
            moved = [one.model_copy(update={"start": one.start - start, "end": one.end - start}) for one in inside]
            part = Passage(piece.value, moved)
            part.map(box, options)
            values.append(part.mapped.text)
    new = rebuild(unit.raw, iter(values))
    holder[key] = new if kind == "text" else json.loads(new)


def _first(found: Sequence[Entity]) -> Entity | None:
    return next((entity for entity in found if entity.hidden), None)


def _rename(leaves: Leaves, box: PrivacyBox, private: Collection[str]) -> dict[str, str]:
    """Give names of tools and properties with a private value in them a safe one; returns the way back.

    Args:
        leaves: the names, the properties, and what refers to them.
        box: the box, which grows.
        private: names in which something private was found.
    """
    if not leaves.names and not leaves.keys:
        return {}
    # A short or ordinary value is in many names by chance.
    guard = Guard(value for value in box.values() if not is_weak(value))
    names: dict[str, str] = {}

    def safe(name: str) -> str:
        if name not in private and not guard.find(spaced(name)):
            return name
        new = _safe_name(name, box, None)
        names[new] = name
        return new

    for holder, key, *_ in leaves.names:
        holder[key] = safe(holder[key])
    for keys in leaves.keys:
        changed = {safe(key): value for key, value in keys.holder.items()}
        if list(changed) != list(keys.holder):
            keys.holder.clear()
            keys.holder.update(changed)
    new = {name: safe_name for safe_name, name in names.items()}
    for holder, key, *_ in leaves.refs:
        holder[key] = "/".join(new.get(part, part) for part in holder[key].split("/"))
    return names


def names_of(box: PrivacyBox) -> dict[str, str]:
    """Return the names of tools and properties in a kept box: the safe one, and the user's."""
    entries = [entry for entry in box.entries if entry.subtype == "other_id" and entry.surface.isidentifier()]
    return {_unbracketed(entry, box): entry.surface for entry in entries}


def kept(box: PrivacyBox) -> Masked:
    """Return what restores an answer to a request whose body is not here any more."""
    return Masked({}, box, box.guard((WORDS,)), names_of(box))


def _safe_name(name: str, box: PrivacyBox, entity: Entity | None) -> str:
    """Return a placeholder for a name that may have letters, digits, hyphens and underscores only."""
    box.add(name, entity.subtype if entity else "other_id", entity.subject if entity else None)
    entry = box.entry(name)
    assert entry is not None
    return _unbracketed(entry, box)


def _unbracketed(entry: BoxEntry, box: PrivacyBox) -> str:
    """Return the tag of an entry without its brackets: what a style has written may be no name."""
    width = len(BRACKETS[box.style][0])
    return (entry.tag or entry.placeholder)[width:-width]


def merged(rest: Masked, parts: Sequence[Masked], field_name: str, *, many: bool) -> Masked:
    """Join bodies that were anonymized one by one, each with a box of its own.

    What is private in one of them may be public in another: each is searched for its own values here, and what is
    joined for the values of all, but for such words.

    Raises:
        LeakError: a private value is left in one.
    """
    values = [part.body[field_name] for part in parts]
    surfaces = [value for one in (rest, *parts) for value in one.box.values()]
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
