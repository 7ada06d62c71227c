"""`Finders`: what the engine finds and judges with, as the options name it; `look`: what they see in a text."""

import hashlib
import os
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

from gama.models.embedded import UNSETTLED
from gama.privacy import identify as views
from gama.privacy.called import as_called, with_births
from gama.privacy.names import asks_something
from gama.privacy.question import asked_of_nobody, without_halves, without_shorthand
from gama.privacy.relations import of_the_world
from gama.privacy.roles import with_medicines, with_roles, without_mistakes
from gama.privacy.weighing import weigh_names
from gama.state.entities import Span
from gama.state.options import Options
from gama.state.private_text import PrivateText
from gama.tools.recognizers.base import is_plain

if TYPE_CHECKING:
    from gama.models.embedded import Tagger

Complete = Callable[[Sequence[Mapping[str, str | PrivateText]]], PrivateText]
"""A private LLM: takes chat messages (`role`, `content`), returns text."""


class Finder(Protocol):
    """Finds spans in a text."""

    def __call__(self, text: str) -> list[Span]:
        """Return the spans."""


@runtime_checkable
class Rereader(Finder, Protocol):
    """A finder that says where it is unsure (`UNSETTLED` of `gama.models.embedded`), and reads there alone again."""

    def again(self, text: str, wanted: Sequence[tuple[int, int]]) -> list[Span]:
        """Return the spans of the lines in which stretches of a text stand."""


class Selector(Protocol):
    """Tells how probably a query needs what stands in a text."""

    threshold: float
    """From which probability on it is taken for needed."""

    def scores(self, text: str, query: str, stretches: Sequence[tuple[int, int]]) -> list[float]:
        """Return the probability of being needed for each stretch (start, end)."""


def patterns(options: Options) -> Finder:
    """Return the pattern recognizers: the built-in ones, those of plugins, and the user's own file.

    Raises:
        OptionError: the file cannot be used, or a disabled name is unknown.
    """
    if "patterns" not in options.pner:
        return _nothing
    file = options.recognizers
    # A changed file is read anew.
    stamp = os.stat(file).st_mtime_ns if file is not None and os.path.exists(file) else 0
    return _patterns(options.default_region, file, stamp, options.disable)


@lru_cache(maxsize=16)
def _patterns(region: str | None, file: str | None, stamp: int, disabled: tuple[str, ...]) -> Finder:
    from gama.tools.builtin import recognizer
    from gama.tools.recognizers.custom import load_rules
    from gama.tools.recognizers.declared import PatternEngine
    from gama.tools.registry import Registry

    # All recognizers come in by the plugins' door; the one for telephone numbers takes the region.
    found = list(Registry.load(disabled).recognizers())
    if any(one.name == "phone" for one in found):
        found = [one for one in found if one.name != "phone"] + [recognizer("phone", default_region=region)]
    if file is None:
        return PatternEngine(found).find
    rules = load_rules(file)
    engine = PatternEngine([*found, *rules.recognizers])

    def find(text: str) -> list[Span]:
        return rules.keep(text, engine.find(text))

    return find


@dataclass(frozen=True)
class Reader:
    """An embedded tagger as a finder, with its doubts."""

    tagger: "Tagger"

    def __call__(self, text: str) -> list[Span]:
        """Return the spans of a text, and where they are in doubt."""
        return self.tagger.spans(text, doubts=True)

    def again(self, text: str, wanted: Sequence[tuple[int, int]]) -> list[Span]:
        """Return the spans of the lines in which stretches of a text stand."""
        return self.tagger.again(text, wanted)


class ByScript:
    """The small tagger as a finder, and in its place the larger one for a text in a script or language of its own."""

    def __init__(self, small: Reader) -> None:
        """Take the small one; the larger one is loaded with the first text that needs it."""
        self._small = small

    def _reader(self, text: str) -> Reader:
        return _accurate() if _needs_accurate(text) else self._small

    def __call__(self, text: str) -> list[Span]:
        """Return the spans of a text, and where they are in doubt."""
        return self._reader(text)(text)

    def again(self, text: str, wanted: Sequence[tuple[int, int]]) -> list[Span]:
        """Return the spans of the lines in which stretches of a text stand."""
        return self._reader(text).again(text, wanted)


def tagger(options: Options) -> Finder:
    """Return the tagger that the options name: the small one, the larger one, one of a folder; with its doubts.

    Raises:
        OptionError: the larger one is not installed.
        ModelUnreachable: its files are missing or do not fit.
    """
    if options.weights is not None:
        return _own_tagger(options.weights)
    if options.detector == "accurate":
        return _accurate()
    from gama.models.embedded import embedded_tagger

    small = Reader(embedded_tagger())
    return ByScript(small) if options.detector == "auto" else small


def _accurate() -> Reader:
    from gama.models.accurate import accurate_tagger

    return Reader(accurate_tagger())


def _is_accurate(text: str, options: Options) -> bool:
    """Return whether the larger tagger reads a text."""
    return options.weights is None and (
        options.detector == "accurate" or (options.detector == "auto" and _needs_accurate(text))
    )


def _needs_accurate(text: str) -> bool:
    """Return whether the larger tagger is there, and a text is in a script or language that it reads better.

    These are all but English. A text in Latin letters is taken as a whole, by its small words; in others a part of it
    is enough.
    """
    from gama.tools.languages.latin import latin_language

    plain, language = is_plain(text), latin_language(text)
    if plain and language == "en":
        return False
    from gama.models.accurate import accurate_scripts
    from gama.tools.languages.names import READ
    from gama.tools.languages.parts import parts, says

    return bool(accurate_scripts()) and (
        language != "en"
        or any(says(text, part) for part in parts(text) if part.script != "Latin" or part.language in READ)
    )


@lru_cache(maxsize=4)
def _own_tagger(folder: str) -> Finder:
    from pathlib import Path

    from gama.models.embedded import Tagger

    return Reader(Tagger(Path(folder)))


def other_finders(options: Options) -> tuple[Finder, ...]:
    """Return the finders of other makers that the options name.

    Raises:
        OptionError: a package is missing; says which to install.
        ModelUnreachable: a checkpoint cannot be loaded.
    """
    return tuple(_other(name) for name in options.pner if name not in ("patterns", "embedded"))


@lru_cache(maxsize=4)
def _other(name: str) -> Finder:
    engine, _, model = name.partition(":")
    if engine == "huggingface":
        from gama.models.huggingface_ner import TokenClassifier

        return TokenClassifier(model).spans
    if engine == "presidio":
        from gama.models.presidio import PresidioPatterns

        return PresidioPatterns().spans
    from gama.models.gliner import GlinerTagger

    return (GlinerTagger(model) if model else GlinerTagger()).spans


def private_llm(options: Options) -> Complete | None:
    """Return the private LLM, or None where none is named."""
    if options.private_model is None:
        return None
    from gama.models.private import decoding_of, private_model

    return private_model(
        options.private_model,
        base_url=options.private_base_url,
        trusted=options.trust_private_model,
        seed=options.seed,
        decoding=decoding_of(options),
    ).complete


def embedded_selector() -> Selector:
    """Return the shipped selector, loaded once."""
    from gama.models.selector import embedded_selector

    return embedded_selector()


def _nothing(text: str) -> list[Span]:
    return []


@dataclass(frozen=True)
class Finders:
    """What the engine finds and judges with; by default what the options name."""

    patterns: Callable[[Options], Finder] = field(default_factory=lambda: patterns)
    """Gives the pattern recognizers as the options configure them."""
    tagger: Callable[[Options], Finder] = field(default_factory=lambda: tagger)
    """Gives the embedded tagger; its spans tell how probably they are private."""
    llm: Callable[[Options], Complete | None] = field(default_factory=lambda: private_llm)
    """Gives the private LLM, or None where none is configured."""
    more: Callable[[Options], Sequence[Finder]] = field(default_factory=lambda: other_finders)
    """Gives the other finders that the options name."""
    selector: Callable[[], Selector] = field(default_factory=lambda: embedded_selector)
    """Gives the embedded model that tells what a query needs."""


class Look(NamedTuple):
    """What the finders see in a text."""

    spans: list[Span]
    doubts: list[tuple[int, int]] | None
    """Where the tagger would have to read again, in their order; None where it does not say."""


def look(text: str, options: Options, finders: Finders, wanted: Sequence[tuple[int, int]] | None = None) -> Look:
    """Return what the finders find in a text, before names are weighed.

    Args:
        text: the raw text, without halves of characters.
        options: they name the finders.
        finders: what is found with.
        wanted: stretches whose lines the tagger reads, and nothing else; None has it read all.
    """
    tagger = finders.tagger(options)
    rereads = isinstance(tagger, Rereader)
    tagged = tagger.again(text, wanted) if isinstance(tagger, Rereader) and wanted is not None else tagger(text)
    others = (finders.patterns(options), *finders.more(options))
    spans = [*tagged, *(span for find in others for span in find(text))]
    doubts = [(span.start, span.end) for span in spans if span.source == UNSETTLED] if rereads else None
    seen = views.with_bare_dates(text, [span for span in spans if span.source != UNSETTLED])
    if _is_accurate(text, options):
        from gama.privacy.scripts import with_tagger

        seen = with_tagger(text, seen)
    else:
        seen = views.without_unread(text, seen)
    seen = views.with_lengths(views.without_nobodys(seen))
    seen = without_mistakes(text, with_medicines(text, views.with_whole_codes(_without_gaps(text, seen))))
    asks = asks_something(text)
    found = views.with_forenames(text, views.with_companies(text, seen, asks=asks), asks=asks)
    judged = views.without_instructions(text, views.with_judgements(found))
    return Look([*judged, *views.relatives(text, judged)], doubts)


# Accepts what parts two columns; or two lines, which a name may be broken over.
_COLUMNS = re.compile(r" {3,}| *\t\s*")
_LINES = re.compile(rf"{_COLUMNS.pattern}|\s*\n\s*")
_PARTED = {"PER": _COLUMNS, "LOC": _COLUMNS, "ORG": _COLUMNS, "CODE": _LINES, "DATETIME": _LINES, "QUANTITY": _LINES}
# Accepts a number that is neither sum nor year: `8800417723`, `4871`.
_SERIAL = re.compile(r"\W*(?!(?:1\d|20)\d\d\W*$)\d{4,}\W*")

_SUM = re.compile(r"[-+]?\d[\d.,' ]*[.,]\d\d ?[-+]?")


def _without_gaps(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return spans in which nothing that the tagger sees reaches over columns, nor a code, date or sum over lines.

    A number in a column before a sum, or below a date, is none: it counts as a code; a sum behind a code as a sum.
    """
    out = []
    for span in spans:
        parted = _PARTED.get(span.type) if span.source == "embedded" else None
        gaps = [match.span() for match in parted.finditer(text, span.start, span.end)] if parted else []
        if not gaps:
            out.append(_as_sum(span) if _is_sum(text, span) else span)
            continue
        starts, ends = [span.start, *(end for _, end in gaps)], [*(start for start, _ in gaps), span.end]
        for start, end in zip(starts, ends, strict=True):
            one = span._replace(start=start, end=end)
            if span.type in ("DATETIME", "QUANTITY") and _SERIAL.fullmatch(text, start, end):
                one = one._replace(type="CODE", subtype="other_id")
            elif span.type == "CODE" and _SUM.fullmatch(text, start, end):
                one = _as_sum(one)
            if start < end:
                out.append(one)
    return out


def _as_sum(span: Span) -> Span:
    return span._replace(type="QUANTITY", subtype="amount")


def _is_sum(text: str, span: Span) -> bool:
    """Return whether what a tagger takes for a code is a sum at the end of a line: `   -51.03`."""
    if span.type != "CODE" or span.source != "embedded" or not _SUM.fullmatch(text, span.start, span.end):
        return False
    ends = text[span.end : span.end + 1] in ("", "\n")
    return ends and span.start > 0 and text[span.start - 1] in "-+ \t"


TEXTS_KEPT, SPANS_KEPT = 128, 50_000
"""How many of the last texts are remembered, and how many of their spans."""


@dataclass(frozen=True)
class Seen:
    """The last texts that were looked at. It holds a digest of each and offsets, no text. Safe between threads.

    What is forgotten is looked at again, with the same outcome: many texts at once cost time alone.
    """

    _looks: OrderedDict[str, Look] = field(default_factory=OrderedDict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def look(
        self, text: str, options: Options, finders: Finders, wanted: Sequence[tuple[int, int]] | None = None
    ) -> Look:
        """Return what the finders find in a text, its names weighed, and what is the world's or nobody's judged so."""
        key = _key(text, options, wanted)
        with self._lock:
            if (known := self._looks.get(key)) is not None:
                self._looks.move_to_end(key)
                return known
        sound = without_halves(text)
        found = look(sound, options, finders, wanted)
        weighed = weigh_names(sound, found.spans)
        if _is_accurate(sound, options):
            from gama.privacy.scripts import with_public

            weighed = with_public(sound, found.spans, weighed)
        named = views.without_titles(sound, views.with_companions(sound, weighed))
        public = without_shorthand(sound, asked_of_nobody(sound, of_the_world(sound, named)))
        public = as_called(sound, public)
        found = found._replace(spans=with_births(sound, with_roles(sound, public)))
        with self._lock:
            self._looks[key] = found
            while len(self._looks) > 1 and (
                len(self._looks) > TEXTS_KEPT or sum(len(one.spans) for one in self._looks.values()) > SPANS_KEPT
            ):
                self._looks.popitem(last=False)
        return found


def _key(text: str, options: Options, wanted: Sequence[tuple[int, int]] | None = None) -> str:
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    finding = (
        options.pner,
        options.detector,
        options.weights,
        options.recognizers,
        options.disable,
        options.default_region,
    )
    return ":".join(map(repr, (digest, wanted, *finding)))
