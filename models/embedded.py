"""The embedded tagger: finds spans that may be private, with type, subtype and the odds of being private.

A six-layer MiniLM (start: all-MiniLM-L6-v2, Apache-2.0) with one head per word: boundary (BIOES), subtype and
private/public. It reads case and layout through a small table of word shapes, because its vocabulary is
lower-case. Trained by `training/identify.py`; runs on onnxruntime, with no network. Thresholds and the model
card are in `weights/identify.json`.
"""

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple
from unicodedata import category

import numpy as np
from numpy.typing import NDArray

from gama.models.shipped import LOADING, cpu_session, unloadable
from gama.models.shipped import WEIGHTS as WEIGHTS
from gama.state.entities import TYPE_OF, EntityType, Span, Spread
from gama.state.errors import ModelUnreachable, OptionError

BOUNDARIES = ("O", "B", "I", "E", "S")
"""Outside, begin, inside, end of a span, single word."""

_BY_RULES = frozenset({"circumstance", "result"})
"""Subtypes that no model finds: rules alone find what no corpus has marked, and what a formula gave is known anyway."""
SUBTYPE_NAMES: tuple[str, ...] = tuple(subtype for subtype in TYPE_OF if subtype not in _BY_RULES)
"""Order of the subtype outputs of a model that is trained now; one that was trained before may know fewer."""

WINDOW = 254
"""Pieces read at once (with the two markers: 256)."""
STRIDE = 64
"""Pieces that two neighbouring windows share."""
WORD_PIECES = 12
"""Pieces of one word that are read: a hash or a base64 block is recognised by its beginning."""
SHAPES = 28
"""Rows of the shape table: 0 for the markers, then nine case classes times three kinds of space before."""

_ROUNDING = 8
"""Pieces that a window may be longer than its share, since it ends between words."""
_EXCERPT = 64
"""Pieces of neighbouring lines that are read again at once; of a longer line what is around the doubts is read."""
_AROUND = 32
"""Pieces before and behind a doubt that are read with it."""
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0903"
    "\u093a-\u094f\u0951-\u0957\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u3099"
    "\u309a\ufe00-\ufe0f\ufe20-\ufe2f"
)
_WORD = re.compile(
    r"\d{1,3}(?=[A-Za-z]{1,2}(?![^\W_]))"  # 35M, 6k, 1QP, and the day before the T of a timestamp
    r"|\d{2}(?=T\d{2}:)|(?<=\d)T(?=\d{2}:)"  # the parts of 2024-08-30T07:58:11Z
    r"|[\u3400-\u9fff\uf900-\ufaff]"  # ideographs: no spaces between words, so each stands alone
    rf"|[^\W_](?:[^\W_\u3400-\u9fff\uf900-\ufaff]|[{_MARKS}])*"  # letters and digits with their combining marks
    r"|\S"  # every other sign alone: punctuation, emoji, underscore
)
# Words are the units that are tagged: a span starts and ends with one.

DOUBTED = "doubted"
"""Source of words that the tagger would take for names, were it surer that they are anything."""
_DOUBT, _DOUBT_SMALL = 0.02, 0.06
"""Least probability of being in a span of such a word, with a capital and without."""
_FEW_WORDS = 8
"""Words of a text that has to have as many before it tells that nobody writes capitals."""
_SPELLED = re.compile(r"[^\W\d_]{2,}")
UNSETTLED = "unsettled"
"""Source of words that have to be read again, where nothing else settles them."""
_UNSURE = {"PER": 0.05, "CODE": 0.05}
_UNSURE_ELSE = 0.4
"""Least probability of being in a span of such a word, by the type that it would have."""
_UNREAD = 8.0
"""Score of a word that is not read, for standing outside of all spans."""
_NAMES = frozenset({"full_name", "first_name", "last_name"})

_FIRST, _LAST, _REFUSED = (0, 1, 4), (0, 3, 4), -1e9
"""Labels of a text's first word, of its last, and the score of any other there."""


class Encoded(NamedTuple):
    """A text as the model reads it."""

    words: list[tuple[int, int]]
    """Start and end of each word, in characters."""
    pieces: list[int]
    """Vocabulary ids, without the two markers."""
    shapes: list[int]
    """Shape of the word that each piece belongs to."""
    word_of: list[int]
    """Word that each piece belongs to."""


class Window(NamedTuple):
    """A stretch of a text's pieces that is read at once."""

    first: int
    last: int


def split_words(text: str) -> list[tuple[int, int]]:
    """Return the stretches of a text that are tagged as units."""
    return [match.span() for match in _WORD.finditer(text)]


def shape(text: str, start: int, end: int) -> int:
    """Return the row of the shape table for one word: its case, and whether space or a line break precedes it."""
    word = text[start:end]
    # Most words are letters alone: only of the others each sign is looked at.
    letters = word.isalpha()
    digits = not letters and any(map(str.isdigit, word))
    letters = letters or any(map(str.isalpha, word))
    if digits:
        case = 7 if letters else 6
    elif not letters:
        case = 0
    elif word.lower() == word.upper():
        case = 8
    elif word.islower():
        case = 1
    elif word.isupper():
        case = 3 if len(word) > 1 else 4
    else:
        case = 2 if word[0].isupper() and word[1:] == word[1:].lower() else 5
    before = text[start - 1] if start else "\n"
    space = 2 if before in "\r\n" else 1 if before.isspace() else 0
    return 1 + case * 3 + space


def encode(text: str, tokenizer: Any) -> Encoded:
    """Cut a text into words and those into pieces."""
    words = split_words(text)
    encoding = tokenizer.encode(
        [text[start:end] for start, end in words], is_pretokenized=True, add_special_tokens=False
    )
    shapes = [shape(text, start, end) for start, end in words]
    pieces: list[int] = []
    word_of: list[int] = []
    seen, previous = 0, -1
    for piece, word in zip(encoding.ids, encoding.word_ids, strict=True):
        seen = seen + 1 if word == previous else 1
        previous = word
        if seen <= WORD_PIECES:
            pieces.append(piece)
            word_of.append(word)
    return Encoded(words, pieces, [shapes[word] for word in word_of], word_of)


def windows(encoded: Encoded) -> Iterator[Window]:
    """Cut the pieces into overlapping windows that begin and end between words.

    They are about as long as each other: none has little context, and a batch of them little padding.
    """
    total, first = len(encoded.pieces), 0
    count = max(1, -(-(total - STRIDE) // (WINDOW - STRIDE)))
    size = min(WINDOW, -(-(total + (count - 1) * STRIDE) // count) + _ROUNDING)
    while first < total:
        last = min(first + size, total)
        while last < total and encoded.word_of[last] == encoded.word_of[last - 1]:
            last -= 1
        yield Window(first, last)
        if last == total:
            return
        back = last - STRIDE
        while encoded.word_of[back] == encoded.word_of[back - 1]:
            back -= 1
        first = back


def excerpts(text: str, encoded: Encoded, wanted: Sequence[tuple[int, int]]) -> Iterator[Window]:
    """Cut out the lines in which wanted stretches stand, with their neighbours; none reaches over an end of a line.

    Args:
        text: The text.
        encoded: The same, cut into pieces.
        wanted: Start and end of stretches in characters, in their order.
    """
    total, word_of = len(encoded.pieces), encoded.word_of
    breaks = [text.count("\n", end, start) for (_, end), (start, _) in pairwise(encoded.words)]
    bounds = [at for at in range(1, total) if any(breaks[word_of[at - 1] : word_of[at]])]
    packed: list[Window] = []
    for first, last in pairwise([0, *bounds, total]):
        if packed and last - packed[-1].first <= _EXCERPT:
            packed[-1] = Window(packed[-1].first, last)
        elif first < last:
            packed.append(Window(first, last))
    ends = [end for _, end in wanted]
    for first, last in packed:
        start, end = encoded.words[word_of[first]][0], encoded.words[word_of[last - 1]][1]
        at = bisect_right(ends, start)
        if at == len(wanted) or wanted[at][0] >= end:
            continue
        inside = wanted[at : bisect_left(wanted, (end, 0), at)]
        for head, tail in _near(encoded, Window(first, last), inside) if last - first > _EXCERPT else [(first, last)]:
            part = encoded._replace(pieces=encoded.pieces[head:tail], word_of=word_of[head:tail])
            yield from (Window(head + window.first, head + window.last) for window in windows(part))


def _near(encoded: Encoded, line: Window, wanted: Sequence[tuple[int, int]]) -> list[Window]:
    """Return what of a long line stands around wanted stretches in it, cut between words; all of it if that is most."""
    word_of, words, near = encoded.word_of, encoded.words, list[Window]()
    for start, end in wanted:
        first = max(line.first, bisect_left(word_of, bisect_right(words, (start, len(words))) - 1) - _AROUND)
        last = min(line.last, bisect_right(word_of, bisect_left(words, (end, 0)) - 1) + _AROUND)
        while first > line.first and word_of[first] == word_of[first - 1]:
            first -= 1
        while last < line.last and word_of[last] == word_of[last - 1]:
            last += 1
        if near and first - near[-1].last < _AROUND:
            near[-1] = Window(near[-1].first, max(last, near[-1].last))
        else:
            near.append(Window(first, last))
    read = sum(last - first for first, last in near)
    return near if 4 * read < 3 * (line.last - line.first) else [line]


def most_context(read: Iterable[tuple[int, int, NDArray[np.float32]]], total: int) -> NDArray[np.float32]:
    """Join what was read of overlapping windows: each piece's row from the window that shows most around it.

    Args:
        read: First piece of each window, the piece after its last, and one row for each between them.
        total: Pieces of the text; every one is in some window.
    """
    joined: NDArray[np.float32] | None = None
    margin = np.full(total, -1, dtype=np.int64)
    for first, last, rows in read:
        joined = np.zeros((total, *rows.shape[1:]), dtype=np.float32) if joined is None else joined
        places = np.arange(first, last)
        left = places - first if first else np.full(len(places), total)
        right = last - places if last < total else np.full(len(places), total)
        room = np.minimum(left, right)
        better = room > margin[first:last]
        joined[places[better]], margin[places[better]] = rows[better], room[better]
    return np.zeros(0, dtype=np.float32) if joined is None else joined


def decode_boundaries(scores: NDArray[np.float32]) -> list[int]:
    """Return the best sequence of boundary labels in which every span is whole (Viterbi).

    Args:
        scores: Log-probabilities, one row per word, columns as in `BOUNDARIES`.
    """
    rows = scores.tolist()
    if not rows:
        return []
    none, begun, inside, ended, single = (score if label in _FIRST else _REFUSED for label, score in enumerate(rows[0]))
    came: list[tuple[int, int]] = []
    for to_none, to_begun, to_inside, to_ended, to_single in rows[1:]:
        # `I` and `E` go on with a span; before all else none goes on. Of several equally good ways the first is taken.
        within, on = (1, begun) if begun >= inside else (2, inside)
        before, off = (3, ended) if ended > none else (0, none)
        before, off = (4, single) if single > off else (before, off)
        came.append((before, within))
        none, begun, inside, ended, single = (
            off + to_none, off + to_begun, on + to_inside, on + to_ended, off + to_single,
        )  # fmt: skip
    label = max(_LAST, key=(none, begun, inside, ended, single).__getitem__)
    labels = [label]
    for step in reversed(came):
        label = step[label in (2, 3)]
        labels.append(label)
    return labels[::-1]


def trim(text: str, start: int, end: int, kind: EntityType) -> tuple[int, int]:
    """Take off what never belongs to a span: closing punctuation, lone brackets and quotes, a name's possessive.

    Codes keep their signs, since a password may end in any. The result may be empty.
    """
    if kind == "CODE":
        return start, end
    pairs = {")": "(", "]": "[", "}": "{", "”": "“", "»": "«", ">": "<"}
    closing = {left: right for right, left in pairs.items()}
    while start < end:
        inner, first, last = text[start:end], text[start], text[end - 1]
        if last.isspace() or last in ",;:!?" or (last in pairs and pairs[last] not in inner):
            end -= 1
        elif last in "\"'" and inner.count(last) % 2 and not (kind == "DEM" and inner[-2:-1].isdigit()):
            end -= 1  # but the inches of 5'11" stay
        elif first.isspace() or first in ",;:!?" or (first in closing and closing[first] not in inner):
            start += 1
        elif first in "\"'" and inner.count(first) % 2 and kind != "QUANTITY" and kind != "DATETIME":
            start += 1
        elif kind == "PER" and len(inner) > 2 and inner[-2:] in ("'s", "’s", "'S", "’S"):
            end -= 2
        elif kind == "PER" and "\n" in inner:
            # A name stands in one line: what is before a comma and a line break is a greeting or a closing.
            cut = inner.index("\n")
            start, end = (start + cut, end) if inner[:cut].rstrip().endswith(",") else (start, start + cut)
        elif category(first) == "So" or category(last) == "So":  # emoji and other pictures
            start, end = (start + 1, end) if category(first) == "So" else (start, end - 1)
        else:
            break
    return start, end


_OF_LETTERS = frozenset("full_name first_name last_name nickname initials city region country landmark".split())
_LABELS = frozenset("address bic dob email e-mail fax iban id mobile name phone pin ssn swift tel vat".split())


def may_be(surface: str, subtype: str) -> bool:
    """Return whether a stretch can be what it was taken for: a name has a letter, and is not a field's own label."""
    if surface.lower() in _LABELS:
        return False
    if subtype == "facility":
        # A room may be a number, but not a decimal fraction.
        return surface.isdigit() or any(char.isalpha() for char in surface)
    if subtype not in _OF_LETTERS:
        return True
    return any(char.isalpha() for char in surface)


def load_tokenizer(folder: Path) -> Any:
    """Load the tokenizer of a folder of weights, which neither cuts nor fills."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def encoder_of(card: Mapping[str, Any]) -> Callable[[str, Any], Encoded]:
    """Return what cuts a text for the model of a card, given the text and the model's tokenizer."""
    if card.get("cut") != "pieces":
        return encode
    from gama.models.pieces import encode_pieces

    return encode_pieces


class Tagger:
    """Finds spans in texts. Instances are immutable and may be shared between threads."""

    def __init__(self, folder: Path = WEIGHTS) -> None:
        """Load a trained model.

        Args:
            folder: Holds `identify.onnx`, `tokenizer.json` and `identify.json`.

        Raises:
            ModelUnreachable: A file is missing or does not fit the others, or names a label that is unknown here.
        """
        try:
            card: dict[str, Any] = json.loads((folder / "identify.json").read_text(encoding="utf-8"))
            self._tokenizer = load_tokenizer(folder)
            self._session = cpu_session(folder / "identify.onnx")
            width = self._session.get_outputs()[0].shape[-1]
        except Exception as error:
            raise unloadable(f"the embedded tagger in {folder.name!r}", error, "identify") from error
        self._subtypes: tuple[str, ...] = tuple(card["subtypes"])
        """What its outputs stand for, by name: a subtype that is not among them is never predicted."""
        if unknown := [name for name in self._subtypes if name not in TYPE_OF]:
            raise ModelUnreachable(
                f"the embedded tagger was trained for subtypes that are unknown here ({', '.join(map(repr, unknown))}):"
                " name them in gama.state.entities, or train it again"
            )
        if tuple(card["boundaries"]) != BOUNDARIES or width != len(BOUNDARIES) + len(self._subtypes) + 1:
            raise ModelUnreachable("the embedded tagger has other labels than its card says: train it again")
        self._encode = encoder_of(card)
        self._ends: tuple[int, int] = (int(card["cls"]), int(card["sep"]))
        self.card: Mapping[str, Any] = card
        """Labels, thresholds, training data and measured figures."""
        kinds = card["thresholds"].get("types", {})
        self._least: Mapping[str, float] = {str(kind): float(least) for kind, least in kinds.items()}

    def spans(self, text: str, threshold: float | None = None, *, doubts: bool = False) -> list[Span]:
        """Find the spans of one text.

        Args:
            text: Any text.
            threshold: Least probability of being in a span, in (0, 1); None takes the model card's, which may ask
                more of some types.
            doubts: Whether words outside of all spans come too that are names if they are anything, with `DOUBTED`
                for their source: somebody else has to know them for names. And, with `UNSETTLED` for their source,
                all words that may well be in a span, those of spans too.

        Returns:
            Spans sorted by start, not overlapping, public knowledge included (with a low `private`); then what is
            unsettled.
        """
        return self.spans_batch([text], threshold, doubts=doubts)[0]

    def spans_batch(
        self, texts: Sequence[str], threshold: float | None = None, *, doubts: bool = False
    ) -> list[list[Span]]:
        """Find the spans of several texts, each as if it were alone; see `spans`.

        Raises:
            OptionError: The threshold is not between 0 and 1.
        """
        least = float(self.card["thresholds"]["span"]) if threshold is None else threshold
        if not 0.0 < least < 1.0:
            raise OptionError(f"threshold {least!r} must lie between 0 and 1")
        found = []
        for text in texts:
            encoded = self._encode(text, self._tokenizer)
            rows = self._read(encoded, windows(encoded))
            spans = self._spans(text, encoded, rows, threshold)
            if doubts:
                spans = sorted([*spans, *self._doubted(text, encoded, rows, spans)])
                spans += self._unsettled(encoded, rows)
            found.append(spans)
        return found

    def again(self, text: str, wanted: Sequence[tuple[int, int]]) -> list[Span]:
        """Find spans, and doubts, in the lines where wanted stretches stand; the rest of the text is not read.

        Args:
            text: Any text.
            wanted: Start and end of each stretch, in their order.
        """
        if not wanted:
            return []
        encoded = self._encode(text, self._tokenizer)
        rows = self._read(encoded, excerpts(text, encoded, wanted))
        spans = self._spans(text, encoded, rows)
        return sorted([*spans, *self._doubted(text, encoded, rows, spans)])

    def _spans(
        self, text: str, encoded: Encoded, rows: NDArray[np.float32], threshold: float | None = None
    ) -> list[Span]:
        least = float(self.card["thresholds"]["span"]) if threshold is None else threshold
        if not 0.0 < least < 1.0:
            raise OptionError(f"threshold {least!r} must lie between 0 and 1")
        spans = self._decode(text, encoded, rows, least)
        return spans if threshold is not None else [s for s in spans if s.score >= self._least.get(s.type, 0.0)]

    def _read(self, encoded: Encoded, chosen: Iterable[Window]) -> NDArray[np.float32]:
        """Run the model on windows and return one row of logits per word: that of its first piece."""
        rows = np.zeros((len(encoded.words), len(BOUNDARIES) + len(self._subtypes) + 1), dtype=np.float32)
        rows[:, BOUNDARIES.index("O")] = _UNREAD
        read: list[tuple[int, int, NDArray[np.float32]]] = []
        known: dict[tuple[tuple[int, ...], ...], NDArray[np.float32]] = {}
        for window in chosen:
            first, last = window
            key = (tuple(encoded.pieces[first:last]), tuple(encoded.shapes[first:last]))
            if key not in known:
                known[key] = self.run(self.feed(encoded, window))[0]
            read.append((first, last, known[key][1 : last - first + 1]))
            inside = slice(encoded.word_of[first], encoded.word_of[last - 1] + 1)
            # A word without pieces (a zero-width sign, a control character) may stand inside a span, never at its edge.
            for label in "OI":
                rows[inside, BOUNDARIES.index(label)] = 3.0
        if read:
            seen = np.zeros(len(encoded.pieces), dtype=bool)
            for first, last, _ in read:
                seen[first:last] = True
            words, first_pieces = np.unique(encoded.word_of, return_index=True)
            rows[words[seen[first_pieces]]] = most_context(read, len(seen))[first_pieces[seen[first_pieces]]]
        return rows

    def feed(self, encoded: Encoded, window: Window) -> dict[str, NDArray[Any]]:
        """Return what the model is given of a window.

        Each is read by itself: int8 activations share one scale per batch, so that what is found in one would
        otherwise depend, a little, on the others, and be less.
        """
        first, last = window
        before, after = self._ends
        return {
            "ids": np.asarray([[before, *encoded.pieces[first:last], after]], dtype=np.int64),
            "shapes": np.asarray([[0, *encoded.shapes[first:last], 0]], dtype=np.int64),
            "mask": np.ones((1, last - first + 2), dtype=np.float32),
        }

    def run(self, feed: Mapping[str, NDArray[Any]]) -> NDArray[np.float32]:
        """Run the model alone, on one window or several."""
        return np.asarray(self._session.run(None, feed)[0], dtype=np.float32)

    def _doubted(self, text: str, encoded: Encoded, rows: NDArray[np.float32], spans: Sequence[Span]) -> Iterator[Span]:
        """Yield words outside of spans that are somebody's name if they are anything: those with a capital.

        Where nobody writes capitals, the others too, from a little more on.
        """
        edge = len(BOUNDARIES)
        inside = 1.0 - np.exp(_log_softmax(rows[:, :edge])[:, 0])
        likeliest = rows[:, edge:-1].argmax(axis=1) if len(rows) else np.zeros(0, dtype=np.intp)
        private = 1.0 / (1.0 + np.exp(-np.clip(rows[:, -1], -30, 30)))
        named = [at for at, name in enumerate(self._subtypes) if name in _NAMES]
        taken, small = Spread(spans), _is_small(text)
        for at in np.flatnonzero((inside >= _DOUBT) & np.isin(likeliest, named)):
            start, end = encoded.words[at]
            word = text[start:end]
            may_be = word.istitle() or (small and inside[at] >= _DOUBT_SMALL and word.islower() and len(word) > 3)
            if may_be and not taken.met(start, end):
                score, odds = round(float(inside[at]), 4), round(float(private[at]), 4)
                subtype = self._subtypes[int(likeliest[at])]
                yield Span(start, end, "PER", subtype, score, view="pner", private=odds, source=DOUBTED)

    def _unsettled(self, encoded: Encoded, rows: NDArray[np.float32]) -> Iterator[Span]:
        """Yield the words that may well be in a span."""
        edge = len(BOUNDARIES)
        inside = 1.0 - np.exp(_log_softmax(rows[:, :edge])[:, 0])
        for at in np.flatnonzero(inside >= min(_UNSURE_ELSE, *_UNSURE.values())):
            subtype = self._subtypes[int(rows[at, edge:-1].argmax())]
            kind = TYPE_OF[subtype]
            if inside[at] >= _UNSURE.get(kind, _UNSURE_ELSE):
                yield Span(*encoded.words[at], kind, subtype, float(inside[at]), view="pner", source=UNSETTLED)

    def _decode(self, text: str, encoded: Encoded, rows: NDArray[np.float32], least: float) -> list[Span]:
        edge = len(BOUNDARIES)
        boundary = _log_softmax(rows[:, :edge])
        kinds = _log_softmax(rows[:, edge:-1])
        private = 1.0 / (1.0 + np.exp(-np.clip(rows[:, -1], -30, 30)))
        inside = 1.0 - np.exp(boundary[:, 0])
        scores = boundary.copy()
        scores[:, 0] += np.log(least / (1.0 - least))
        labels = decode_boundaries(scores)
        spans: list[Span] = []
        first = 0
        for at, label in enumerate(labels):
            name = BOUNDARIES[label]
            if name in "BS":
                first = at
            if name not in "ES":
                continue
            mean = kinds[first : at + 1].mean(axis=0)
            subtype = self._subtypes[int(mean.argmax())]
            kind = TYPE_OF[subtype]
            start, end = trim(text, encoded.words[first][0], encoded.words[at][1], kind)
            if start < end and may_be(text[start:end], subtype):
                spans.append(
                    Span(
                        start,
                        end,
                        kind,
                        subtype,
                        score=round(float(inside[first : at + 1].mean()), 4),
                        view="pner",
                        private=round(float(private[first : at + 1].mean()), 4),
                        source="embedded",
                    )
                )
        return spans


def _is_small(text: str) -> bool:
    """Return whether a text is written without capitals, one word in fifty aside."""
    words = _SPELLED.findall(text, 0, 4_000)
    return len(words) >= _FEW_WORDS and 50 * sum(word.istitle() for word in words) <= len(words)


def _log_softmax(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    shifted = scores - scores.max(axis=1, keepdims=True, initial=-np.inf)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)), dtype=np.float32)


def embedded_tagger() -> Tagger:
    """Return the shipped tagger, loaded once, however many threads ask first.

    Raises:
        ModelUnreachable: Its weights are missing or damaged.
    """
    with LOADING:
        return _shipped_tagger()


@cache
def _shipped_tagger() -> Tagger:
    return Tagger()
