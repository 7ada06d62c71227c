"""The two views of multi-view privacy identification (GAMA Eqs. 1 and 2, spec 01 §1.3).

View 1 (PNER) finds what is a name, a code, a place …: patterns and tagger. View 2 (PIA) finds
what is private in its context: by the private LLM where there is one, else by the tagger's own
judgement of the context.

Instructions are nobody's: the language one asks for and the role one gives the model (`Translate my CV into German`,
`You are a clerk.`) tell nothing of a person.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import pairwise

from gama.models.embedded import DOUBTED
from gama.models.shipped import word_vectors
from gama.state.entities import TYPE_OF, Span, Spread, meets
from gama.state.options import Options
from gama.tools.knowledge.index import (
    is_famous,
    is_forename,
    is_known,
    is_surname,
    look_up,
    may_be_forename,
)
from gama.tools.recognizers.base import is_plain
from gama.tools.tables import late

PRIVATE = 0.6
"""From this probability on a span counts as private."""


def first_view(spans: Sequence[Span], options: Options) -> list[Span]:
    """Return view 1 (PNER): what the named finders found, without overlap; a validated pattern beats everything."""
    embedded = "embedded" in options.pner
    return without_overlap([span for span in spans if embedded or span.source != "embedded"])


def embedded_view(spans: Sequence[Span], options: Options) -> list[Span]:
    """Return view 2 (PIA) without an LLM: what tagger or pattern hold for private where it stands."""
    nobodys = [span for span in spans if _is_nobodys(span)]
    found = [
        span
        for span in spans
        if (span.private or 0) >= threshold(span, options) and not any(_same_place(span, one) for one in nobodys)
    ]
    return [span._replace(view="pia") for span in without_overlap(found)]


def with_judgements(spans: Sequence[Span]) -> list[Span]:
    """Return spans of which those of patterns take the judgement of a longer one of the same type that holds them.

    Where the tagger sees a private address in "2207, 6 Kiln Row" and a pattern a code in "2207", the code would win the
    whole, and the address that another pattern sees in "6 Kiln Row" be nobody's.
    """
    judged = sorted(span for span in spans if span.private is not None and span.view != "regex")
    starts = [span.start for span in judged]
    out = []
    for span in spans:
        if span.private is None:
            at = bisect_right(starts, span.start) - 1
            if at >= 0 and judged[at].type == span.type and _holds(judged[at], span):
                span = span._replace(private=judged[at].private)
        out.append(span)
    return out


# Letters of scripts that put no space between words: the tagger takes a whole line of them for one word.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u0f00-\u0fff]{8}")
_BY_SCRIPT = frozenset(
    {"person_script", "number_script", "chinese_names", "japanese_names", "russian_names", "thai_names"}
)


def with_whole_codes(spans: Sequence[Span]) -> list[Span]:
    """Return spans in which a code of the tagger's is as long as the pattern of its kind sees it: no digit is left."""
    patterns = Spread([span for span in spans if span.type == "CODE" and span.source != "embedded"])
    out = []
    for span in spans:
        if span.type == "CODE" and span.source == "embedded":
            for whole in patterns.met(span.start, span.end):
                if whole.subtype == span.subtype and whole.start <= span.start and span.end <= whole.end:
                    span = span._replace(start=whole.start, end=whole.end)
        out.append(span)
    return out


def without_unread(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return spans without those that the tagger sees where it reads badly and rules of the script have a name.

    A longer name of the tagger's that holds all of it stays; so do codes.
    """
    if is_plain(text):
        return list(spans)
    named = [span for span in spans if span.source in _BY_SCRIPT]
    return [
        span
        for span in spans
        if span.source not in ("embedded", DOUBTED)
        or span.type == "CODE"
        or not (
            _UNSPACED.search(text, span.start, span.end)
            or _is_language(text, span)
            or any(meets(span, name) and not (span.type == "PER" and _holds(span, name)) for name in named)
        )
    ]


def with_companies(text: str, spans: Sequence[Span], *, asks: bool = False) -> list[Span]:
    """Return spans in which a company with its legal form is one name, whatever the tagger sees in a part of it.

    Where nothing is asked, one that the world does not know is private: the tagger takes a debtor or a customer for
    somebody in the news.

    Args:
        text: The text.
        spans: What was found in it.
        asks: Whether it asks something.
    """
    formed = [span for span in spans if span.source == _FORMED]
    if not formed:
        return list(spans)
    out = []
    for span in spans:
        if span.source == _FORMED:
            seen = [one for one in spans if one.type == "ORG" and one is not span and meets(one, span)]
            private = max((one.private or 0.0 for one in seen), default=0.0)
            if not asks and not _is_known_company(text[span.start : span.end]):
                private = max(private, _UNKNOWN)
            # What the tagger sees in more than the name is taken at that length.
            if not any(_holds(one, span) for one in seen):
                out.append(span._replace(start=min([span.start, *(one.start for one in seen)]), private=private))
        elif span.type == "CODE" or not any(meets(span, one) for one in formed):
            out.append(span)
        elif any(_holds(span, one) for one in formed):
            led = max((one.end for one in formed if one.start == span.start), default=0)
            if led and span.type == "LOC" and (address := _ADDRESS.match(text, led, span.end)):
                span = span._replace(start=address.end())
            known = asks or _is_known_company(text[span.start : span.end])
            out.append(span if known else span._replace(private=max(span.private or 0.0, _UNKNOWN)))
    return out


# Accepts what stands between a firm and its address: `Oyelaran & Sons Ltd, 14 Quay Road`.
_ADDRESS = re.compile(r"\s*[,;\n]\s*(?=\w)")
_FORMED = "company"
"""The recognizer of legal forms."""
_UNKNOWN = 0.75
"""How private a company is that the world does not know."""


def _is_known_company(name: str) -> bool:
    """Return whether the world knows a company, with its legal form or without; a surname is nobody's alone."""
    bare = name.rstrip(".").rsplit(" ", 1)[0].rstrip(",")
    return is_known(name, "ORG") or (is_known(bare, "ORG") and not is_surname(bare))


def with_bare_dates(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return spans in which a date of the tagger's begins where a rule has it begin: `cita del martes 14 de abril`.

    Only small words without figures are cut off.
    """
    starts = {span.end: span.start for span in spans if span.source == "date"}

    def bare(span: Span) -> Span:
        start = starts.get(span.end, span.start)
        ahead = text[span.start : start]
        cut = span.source == "embedded" and span.type == "DATETIME" and ahead.replace(" ", "").isalpha()
        return span._replace(start=start) if cut and ahead == ahead.lower() else span

    return [bare(span) for span in spans]


_WHOLE = frozenset({"sensitive_fact", "person_small", "person_spaced", "number_spoken", "address_by_shape"})
"""Rules that have the whole of what the tagger sees a part of."""


def without_nobodys(spans: Sequence[Span]) -> list[Span]:
    """Return spans without what the tagger sees in a hashtag that names nobody, or in what a rule has whole.

    That may be a word that is nobody's name where it stands (`to be frank`), or a length of time, which is no family.
    """
    lengths = {(span.start, span.end) for span in spans if span.source == "duration"}
    nobodys = [span for span in spans if span.subtype == "handle" and _is_nobodys(span)]
    facts = [span for span in spans if span.source in _WHOLE]
    return [
        span
        for span in spans
        if not (span.type == "PER" and _is_nobodys(span))
        and (
            span.source not in ("embedded", DOUBTED)
            or not (
                any(meets(span, one) for one in nobodys)
                or any(_holds(one, span) for one in facts)
                or (span.subtype == "family" and (span.start, span.end) in lengths)
            )
        )
    ]


_SURELY = 0.7
"""Score of the rule for lengths of time from which on what it finds is no time of a day."""


def with_lengths(spans: Sequence[Span]) -> list[Span]:
    """Return spans, with times of a day that a rule has as lengths of time told as those: `acht uur van tevoren`."""
    lengths = {(span.start, span.end) for span in spans if span.source == "duration" and span.score >= _SURELY}
    return [
        span._replace(subtype="duration") if span.subtype == "time" and (span.start, span.end) in lengths else span
        for span in spans
    ]


def _is_language(text: str, span: Span) -> bool:
    """Return whether a span only says which language is wanted, in a script or language without rules for that.

    Whoever writes in a script tells by it what a word for a language would tell.
    """
    surface = text[span.start : span.end]
    if span.subtype == "language" and _OTHER_SCRIPT.search(surface):
        return True
    return span.type in ("PER", "DEM", "LOC") and _LANGUAGES.fullmatch(surface) is not None


def _is_nobodys(span: Span) -> bool:
    """Return whether a pattern knows a code for nobody's: no judgement of the context changes that."""
    return span.view == "regex" and span.private == 0.0


def threshold(span: Span, options: Options) -> float:
    """Return the least probability at which a span of this kind counts as private."""
    chosen = dict(options.thresholds)
    return chosen.get(span.subtype, chosen.get(span.type, PRIVATE))


def without_overlap(spans: Sequence[Span]) -> list[Span]:
    """Resolve overlaps: validated codes first, then other codes of patterns, the tagger, weak patterns; longer, surer.

    Of two finders that agree on a stretch, the stronger judgement of its privacy is kept. A code
    that the tagger sees as part of a longer one (`NNU 4417720`) is taken at that length, and so is a height (`5 ft 2
    in`).
    """
    starts: list[int] = []
    kept: list[tuple[int, Span]] = []
    """By place, each with its rank; none meets another."""
    for rank, span in enumerate(sorted(spans, key=_rank)):
        first = max(0, bisect_right(starts, span.start) - 1)
        first += first < len(kept) and kept[first][1].end <= span.start
        last = bisect_left(starts, span.end, first)
        if first == last:
            starts.insert(first, span.start)
            kept.insert(first, (rank, span))
            continue
        at = min(range(first, last), key=lambda place: kept[place][0])
        held, rival = kept[at]
        better = rival
        judged = span.private is not None and not _is_nobodys(rival)
        if judged and (rival.private or 0) < (span.private or 0) and _same_place(rival, span):
            better = better._replace(private=span.private)
        if last - first == 1 and _is_part(rival, span):
            better = better._replace(start=span.start, end=span.end)
        starts[at], kept[at] = better.start, (held, better)
    return sorted(span for _, span in kept)


def _is_part(inner: Span, outer: Span) -> bool:
    alike = inner.type == outer.type == "CODE" or inner.subtype == outer.subtype == "height"
    return alike and _holds(outer, inner)


def _rank(span: Span) -> tuple[bool, bool, bool, int, float]:
    pattern = span.view == "regex"
    return (
        not span.validated,
        not (pattern and span.type == "CODE"),
        pattern,
        span.start - span.end,
        -span.score,
    )


def _holds(outer: Span, inner: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _same_place(one: Span, other: Span) -> bool:
    shared = min(one.end, other.end) - max(one.start, other.start)
    return 2 * shared >= max(one.end - one.start, other.end - other.start)


@cache
def patterns_in(name: str) -> Mapping[str, str]:
    """Return the regular expressions of a file of words, by name; those of several rows are joined."""
    lines = files("gama.privacy").joinpath("data", name).read_text(encoding="utf-8").splitlines()
    found: dict[str, str] = {}
    for kind, _, words in (line.partition(": ") for line in lines if not line.startswith("#")):
        found[kind] = f"{found[kind]}|{words}" if kind in found else words
    return found


_SAID = patterns_in("instructions.txt")
# Accepts what stands before the language of an answer, in the same sentence: a verb that asks for words to be made, at
# most 80 characters behind it, and the preposition at the end: `Translate my CV into `, `Antworte bitte auf `. Refuses
# what is told of somebody (`she speaks `, `I write in `) by asking for a command: the verb begins the text, the line or
# the sentence, or stands behind `please`, `to`, `can you` and the like.
_LANGUAGE = late(
    re.compile,
    rf"(?:^|[.!?:;\n]\s*|\b(?:{_SAID['please']})\s+)(?:(?:also|auch|aussi|también|anche|ook)\s+)?"
    rf"(?:{_SAID['asked']}|{_SAID['sends']})\b(?:[^.!?\n]|\.(?=\w)|(?<=\b[DM]r)\.|(?<=\bMrs)\.){{0,80}}?"
    rf"\b(?:{_SAID['into']})\s+(?:(?:{_SAID['manner']})\s+)?$",
    re.IGNORECASE,
)
# Accepts what stands before the language that something is taught or put in: `taught in `, `Please set this in `.
_TAUGHT = late(re.compile, rf"\b(?:{_SAID['taught']})\s+$", re.IGNORECASE)
# Accepts what stands before the role that a model is given: `You are a `, at the start of the text only, since a letter
# may tell its reader what they are; `Act as an experienced ` and its kin anywhere.
_ROLE = late(
    re.compile,
    rf"(?:^\W*(?:{_SAID['you_are']})|\b(?:{_SAID['act_as']}))\s+(?:(?:{_SAID['article']})\s+)?(?:[\w-]+\s+){{0,4}}$",
    re.IGNORECASE,
)
# Accepts the name of a language: a tagger that has not learnt them takes it for a person.
_NAME = late(re.compile, _SAID["language"], re.IGNORECASE)
_VERB = late(re.compile, _SAID["asked"], re.IGNORECASE)
_LANGUAGES = late(re.compile, rf"(?:(?:{_SAID['please']}|{_SAID['language']})\s*)+", re.IGNORECASE)
_OTHER_SCRIPT = re.compile("[\u0590-\u1cff\u3040-\ua71f\uac00-\ud7ff\uf900-\ufdff\ufe70-\ufefe]")
_BEGINS = re.compile(r"(?:^|[.!?:\n]\s*)$")
_BEFORE = 200
"""Characters before a span that are looked at."""
_OF_A_ROLE = frozenset("occupation language nationality education_level degree gender age religion".split())


def without_instructions(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return spans with those judged not private that only say how an answer is wanted, or what the model is to be.

    What a tagger took for a person's name there is no name at all, and left out.
    """
    out = []
    for span in (_without_order(text, _without_kin(text, span)) for span in spans):
        if not _is_instruction(text, span):
            out.append(span)
        elif span.type != "PER":
            out.append(span._replace(private=0.0))
    return out


_ORDERED = late(re.compile, rf"(?:{_SAID['asked']}|{_SAID['orders']}) ", re.IGNORECASE)


# Accepts a name in the genitive, and what somebody is to its bearer: `Goethes Mutter`.
_KIN_OF_ONE = re.compile(
    r"(?P<v>[A-ZÄÖÜ][^\W\d_]+s) (?:(?:Groß|Stief|Schwieger|Ur)?(?:[Mm]utter|[Vv]ater|[Ss]ohn|[Tt]ochter|[Ee]ltern)"
    r"|Bruder|Schwester|Frau|Mann|Witwe|Onkel|Tante|Freund|Freundin|Neffe|Nichte|Enkel|Enkelin)"
)


def _without_kin(text: str, span: Span) -> Span:
    """Return a name without the word behind it for what somebody is to its bearer."""
    kin = _KIN_OF_ONE.fullmatch(text, span.start, span.end) if span.type == "PER" else None
    return span if kin is None else span._replace(end=kin.end("v"), subtype="last_name")


def _without_order(text: str, span: Span) -> Span:
    """Return a name without the order that it stands behind where a sentence begins: `Vergleiche Kant`."""
    if span.type != "PER" or " " not in text[span.start : span.end]:
        return span
    if not _BEGINS.search(text, max(0, span.start - 8), span.start):
        return span
    order = _ORDERED.match(text, span.start, span.end)
    return span if order is None or is_forename(order[0].strip()) else span._replace(start=order.end())


_VERDICT = re.compile(rf"(?:{_SAID['verdict']})", re.IGNORECASE)
_WANTED = re.compile(rf"\b(?:{_SAID['wanted']})\s+(?:only\s+|nur\s+)?[\"'“‘«]?$", re.IGNORECASE)
"""What stands before the word of a closed answer: `the single word `, `answer only `, `Yes or `."""


def _is_instruction(text: str, span: Span) -> bool:
    if not span.private:
        return False
    before = text[max(0, span.start - _BEFORE) : span.start]
    surface = text[span.start : span.end]
    is_language = span.subtype in ("language", "nationality") or _NAME.fullmatch(surface) is not None
    if is_language and (_LANGUAGE.search(before) or _TAUGHT.search(before)):
        return True
    if span.type == "PER" and _VERDICT.fullmatch(surface) and _WANTED.search(before):
        return True
    if span.type == "PER" and _VERB.fullmatch(surface) and _BEGINS.search(before):
        return True
    return span.subtype in _OF_A_ROLE and bool(_ROLE.search(before))


_AROUND = patterns_in("names.txt")
CHORES = late(re.compile, rf"(?<!\w)(?:{_AROUND['chores']})(?!\w)")
"""What one does for people one knows. Case counts: Rent is a musical."""
_NO_NAME = late(
    re.compile,
    "|".join(
        _AROUND[kind] for kind in ("kin", "title", "greets", "closes", "mine", "asks", "respect", "rank", "pronoun")
    )
    + "|the|she|der|die|das|les|los|las",
    re.IGNORECASE,
)
_UNLISTED = 0.2
"""From this score on a word in the midst of a sentence is taken for a name although no list of forenames has it."""
_MIDST = re.compile(r"[\w,;] $")
# Accepts the surname behind a forename that has a particle: " van den Akkerveen", " de la Cruz".
_SURNAME = re.compile(
    r"(?: (?:van|von|de|der|den|la|le|di|da|do|dos|del|zu|af|al|bin|ben|ter|ten|'t)){1,3} [A-ZÀ-ÖØ-Þ][\w’'-]+"
)


def with_forenames(text: str, spans: Sequence[Span], *, asks: bool = False) -> list[Span]:
    """Return spans with those words that the tagger doubted to be names and that are forenames; other doubts go.

    Two of them side by side are one full name, and a particle brings its surname along.

    Args:
        text: The text.
        spans: What was found in it.
        asks: Whether it asks something: then a forename that the tagger holds for public is none of the writer's.
    """
    out: list[Span] = []
    for span in spans:
        last = out[-1] if out else None
        if span.source == "embedded" and span.type in ("LOC", "PER"):
            # Of what one is told to have done, German nouns look like names: `Hat Uwe die Kaution bezahlt?`
            if not CHORES.fullmatch(text, span.start, span.end):
                out.append(_as_forename(text, span) if span.type == "LOC" else _without_work(text, span))
        elif span.source != DOUBTED:
            out.append(_as_person(text, span))
        elif last and last.subtype == "first_name" and text[last.end : span.start] == " ":
            out[-1] = last._replace(end=span.end, subtype="full_name")
        elif _is_name(text, span) and (not asks or (span.private or 0.0) >= 0.5):
            surname = _SURNAME.match(text, span.end)
            end, subtype = (surname.end(), "full_name") if surname else (span.end, "first_name")
            out.append(span._replace(end=end, subtype=subtype, source="embedded"))
    return out


def _as_forename(text: str, span: Span) -> Span:
    """Return a place as somebody's forename where it is one and no place is known to be called so."""
    word = text[span.start : span.end]
    if not word.istitle() or not word.isalpha() or not may_be_forename(word):
        return span
    known = look_up(word)
    return span if known and "place" in known.kinds else span._replace(type="PER", subtype="first_name")


# Accepts a common word with the forename of whose it is, of which a tagger makes a body: `cruciverba di Nunzia`.
_WHOSE = re.compile(
    r"[a-zß-öø-ÿ]+ (?:di|de|du|do|da|von|van|av|of|for|för|pour|per|para|für|voor|dla) (?P<one>[A-ZÀ-ÖØ-ÞŁŚŻ][\w-]+)"
)


# Accepts what stands before who signs for a firm: `i.V. `, `ppa. `.
_FOR_THE_FIRM = re.compile(r".{0,5}?(?<!\w)(?:i\. ?[VA]\.|ppa\.|gez\.|p\.p\.) (?=[A-ZÀ-ÖØ-Þ])")
_SURE_FIRM = 0.9
"""Score below which a body of one word that no list has, and people are called so, is somebody."""


def _is_alone(text: str, span: Span) -> bool:
    """Return whether a span is one word that may be a forename and that the world knows nothing by."""
    word = text[span.start : span.end]
    return word.istitle() and word.isalpha() and may_be_forename(word) and look_up(word) is None


def _as_person(text: str, span: Span) -> Span:
    """Return a body that no list has as a person's name where it is made as those are: `at Marcus Thwaite's`."""
    if span.type != "ORG" or span.source != "embedded":
        return span
    if (signs := _FOR_THE_FIRM.match(text, max(0, span.start - 5), span.end)) and span.end - signs.end() > 4:
        subtype = "full_name" if " " in text[signs.end() : span.end] else "last_name"
        return span._replace(start=signs.end(), type="PER", subtype=subtype)
    if span.score < _SURE_FIRM and _is_alone(text, span):
        return span._replace(type="PER", subtype="first_name")
    whose = _WHOSE.fullmatch(text, span.start, span.end)
    if whose and (is_forename(whose["one"]) or may_be_forename(whose["one"])):
        return span._replace(start=whose.start("one"), type="PER", subtype="first_name")
    name = text[span.start : span.end].removesuffix("'s").removesuffix("’s")
    first, _, last = name.partition(" ")
    borne = is_forename(first) and (is_surname(last) or (span.start + len(name) < span.end and last.istitle()))
    if not borne or " " in last or look_up(name):
        return span
    return span._replace(end=span.start + len(name), type="PER", subtype="full_name")


# Accepts what joins a work to who made it: `Amarcord di Federico Fellini`; a work with an article behind who
# made it: ` De aardappeleters`. Refuses a surname there: ` De Vries`.
_MADE_BY = re.compile(r" (?:by|di|von|de|do|door|van|av|af|par) ")
_WORK = re.compile(r" (?:The|De|Het|Der|Die|Das|La|Le|Les|El|Los|Las|Il|Lo|I|O|Os|As) [a-zß-öø-ÿ]{3,}")


def _without_work(text: str, span: Span) -> Span:
    """Return a person's name without the work that a tagger has joined to it, where somebody famous made that."""
    for made in _MADE_BY.finditer(text, span.start, span.end):
        name = text[span.start : made.start()]
        known = None if may_be_forename(name.split()[0]) else look_up(name)
        if known and known.fame and is_famous(text[made.end() : span.end]):
            return span._replace(start=made.end())
    work = _WORK.search(text, span.start, span.end)
    return span._replace(end=work.start()) if work and is_famous(text[span.start : work.start()]) else span


_KINDS = frozenset(word for subtype in TYPE_OF for word in subtype.split("_"))
"""What kinds of data are called: `iban` in a list of fields is nobody's, though some are called Ibán."""


def _is_name(text: str, span: Span) -> bool:
    word = text[span.start : span.end]
    if len(word) < 3 or _NO_NAME.fullmatch(word) or (word.islower() and (word in word_vectors() or word in _KINDS)):
        return False
    led = text[max(0, span.start - 8) : span.start].rstrip()
    if (not led or led[-1] in ".!?:;") and word.lower() in word_vectors() and not is_forename(word):
        return False  # `Mean?` asks for one.
    midst = _MIDST.search(text, max(0, span.start - 2), span.start)
    return may_be_forename(word) or (span.score >= _UNLISTED and midst is not None)


_WORDS = re.compile(r"[^\W_][\w’'-]*")
_OF_TITLES = frozenset({"DATETIME", "DEM", "PER", "QUANTITY"})
_LEAST, _MOST = 3, 6
"""Words of a title that is looked up: shorter ones are too often something else."""
_SHORT = 3
_TITLE = re.compile(r"(?:[^\W\d_]['’-]?)+(?: (?:[^\W\d_]['’-]?)+)+")
# Accepts the Latin name of a species: `Ailanthus altissima`. Its first word is looked up.
_SPECIES = re.compile(r"([A-Z][a-z]{3,}) [a-z]{3,}(?:us|um|ii|ensis|oides|alis|iana|ifolia|issima|atea)\b")


def without_titles(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return spans with those judged not private that are a part of a title, of the name of a species or of a law.

    A tagger sees a duration in `One Hundred Years of Solitude`, and a complaint in `Heracleum mantegazzianum`. What
    was taken for the name of the writer, or of one of theirs, is none, and left out: `My Name Is Red`, `a Sev 1`.
    """
    rules = (_is_titled, _is_made, _is_maker, _is_law)
    titled = {span for span in spans if any(rule(text, span) for rule in rules)}
    ranks = [match.span() for match in _SEVERITY.finditer(text)]
    return [
        span._replace(private=0.0) if span in titled else span
        for span in spans
        if not (span in titled and span.type == "PER" and _OF_MINE.search(text, max(0, span.start - 80), span.start))
        and not any(start <= span.start and span.end <= end for start, end in ranks)
    ]


# Accepts how grave an incident is: `a Sev 1`, `SEV-2`.
_SEVERITY = re.compile(r"\b(?:Sev|SEV)[ -]?[0-5]\b(?!\.\d)")
# Accepts what stands before a work of which the maker or the year is asked, up to three words of its title:
# `who wrote `, `quem escreveu My Name Is `. Refuses `Who wrote to `: what follows begins with a capital.
_MADE = re.compile(
    rf"(?<!\w)(?i:(?:{_AROUND['who']})\s+(?:\w+\s+)?(?:{_AROUND['made']})|(?:{_AROUND['year']})\s+(?:{_AROUND['appeared']}))"
    r"\s+[\"'‘“«„]?(?P<title>(?:[A-ZÀ-ÖØ-ÞŁŚŻ][\w'’-]*\s(?:\w{1,3}\s)?){0,3})$"
)
# Refuses what is nobody's work: `Who wrote Anna a reference?`, `Who painted Anna's door?`.
_FOR_ONE = re.compile(
    r"['’]s?\b|\s+(?:an?|the|this|that|these|those|her|his|my|your|our|back|to|into|out|off|up|down)\b"
)


def _is_made(text: str, span: Span) -> bool:
    """Return whether it is asked who made what bears a name, or when it came out: it is a work.

    So is a title that the world knows behind what one does with works: `I just play Baldur's Gate 3`.
    """
    if span.type != "PER" and _ENJOYED.search(text, max(0, span.start - 20), span.start):
        known = look_up(_NUMBER.sub("", text[span.start : span.end]))
        if known is not None and known.fame > 0 and not known.kinds.isdisjoint(("work", "topic")):
            return True
    if span.type in ("DATETIME", "DEM", "QUANTITY") and _READS.search(text, max(0, span.start - 40), span.start):
        return span.source == "embedded" and text[span.start].isupper()
    if (span.source != "embedded" and span.type != "PER") or span.subtype in _NO_WORKS or span.type == "CODE":
        return False
    if _TITLED.search(text, max(0, span.start - 40), span.start) and text[span.start].isupper():
        listed = span.subtype not in ("full_name", "last_name") or look_up(text[span.start : span.end])
        return bool(listed) and not _FOR_ONE.match(text, span.end)
    made = _MADE.search(text, max(0, span.start - 80), span.start)
    if made and (made["title"] or text[span.start].isupper()):
        return not _FOR_ONE.match(text, span.end)
    return False


_ENJOYED = re.compile(
    rf"(?<!\w)(?:{_AROUND['enjoys']}|{_AROUND['reads']})\s+(?:{_AROUND['now']})?[\"“«„]?$", re.IGNORECASE
)
_READS = re.compile(rf"(?<!\w)(?:{_AROUND['reads']})\s+(?:{_AROUND['now']})?[\"“«„]?$", re.IGNORECASE)
"""What stands before what is read: a title, whatever a tagger takes it for."""
_TITLED = re.compile(rf"(?<!\w)(?:{_AROUND['titled']})\s+(?:\w{{1,2}}['’])?[\"“«„]?$", re.IGNORECASE)
"""What stands before a title alone: `a copy of `, `a film called `."""
_NUMBER = re.compile(r" (?:\d|[IVX]+)$")


_WORK_OF = late(
    re.compile,
    rf"(?<!\w)(?:{patterns_in('world.txt')['work']})\s+(?:by|of|d[eiao]s?|del|von|van|av)\s+$",
    re.IGNORECASE,
)


def _is_maker(text: str, span: Span) -> bool:
    """Return whether somebody famous stands behind a work and what says whose it is: `o disco da Amália Rodrigues`."""
    made = span.type == "PER" and _WORK_OF.search(text, max(0, span.start - 40), span.start)
    return bool(made) and is_famous(text[span.start : span.end])


_NO_WORKS = frozenset({"street_address", "postcode", "coordinates", "handle", "age", "medical_condition"})
# Accepts the name of a law in nine languages, whole.
_LAW = re.compile(_AROUND["law"])
# Accepts what stands before whom a law is called after, `la loi `, and before its day, `loi du `.
_CALLED_LAW = re.compile(rf"(?<!\w)(?:{_AROUND['called_law']})\s+$")
_DATED_LAW = re.compile(rf"(?<!\w)(?:{_AROUND['dated_law']})\s+$")


def _is_law(text: str, span: Span) -> bool:
    """Return whether a span is a law's name, its day or its paragraph: `loi Veil`, `loi du 6 juillet`, `§ 536 BGB`."""
    if span.validated or span.type == "QUANTITY":
        return False
    before = text[max(0, span.start - 40) : span.start]
    if span.type == "CODE":
        return span.source == "embedded" and (before.rstrip().endswith("§") or text.startswith("§", span.start))
    if span.type == "DATETIME":
        return _DATED_LAW.search(before) is not None
    # `Mi legge Anna la favola`: she reads it.
    if _CALLED_LAW.search(before) and not (
        span.subtype == "first_name" and may_be_forename(text[span.start : span.end])
    ):
        return True
    cited = span.type == "ORG" and text.startswith("§", span.start)
    return cited or (span.type != "PER" and _LAW.fullmatch(text, span.start, span.end) is not None)


# Accepts what stands before a part of a title that begins with the writer: `My Neighbor `, `My Name Is `.
_OF_MINE = re.compile(r"\bMy (?:[A-Z][a-z]+ ){1,3}$")


def _is_titled(text: str, span: Span) -> bool:
    if span.type not in _OF_TITLES or not span.private or (span.source != "embedded" and span.type != "PER"):
        return False
    surface = text[span.start : span.end]
    if not any(char.isupper() for char in surface) or any(char.isdigit() for char in surface):
        return False
    species = _SPECIES.match(text, span.start)
    if species and span.type in ("DEM", "PER") and (genus := look_up(species[1])) and "thing" in genus.kinds:
        return True
    return is_in_title(text, span)


def is_in_title(text: str, span: Span) -> bool:
    """Return whether a span is a part of a title that the world knows: `The Master and Margarita`."""
    surface = text[span.start : span.end]
    starts = [
        span.start,
        *(word.start() for word in reversed(list(_WORDS.finditer(text, max(0, span.start - 40), span.start)))),
    ]
    ends = [span.end, *(word.end() for word in _WORDS.finditer(text, span.end, span.end + 40))]
    words = len(_WORDS.findall(surface))
    # The index takes one name in 256 for a listed one: a whole name must be in a title that many know.
    fame = _NAMED if span.type == "PER" and words > 1 else 1
    return any(
        _LEAST <= words + left + right <= _MOST and text[start].isupper() and _is_title(text[start:end], fame)
        for left, start in enumerate(starts[:_MOST])
        for right, end in enumerate(ends[:_MOST])
    )


_NAMED = 2
"""From this fame on a title has a whole name in it."""


def _is_title(name: str, fame: int) -> bool:
    """Return whether a stretch is written as titles are, and listed as one of a fame: of words, one of them short."""
    words = name.split(" ")
    if not words[-1][:1].isupper() or min(map(len, words)) > _SHORT or not _TITLE.fullmatch(name):
        return False
    known = look_up(name)
    return known is not None and known.fame >= fame and known.kinds <= {"work", "topic"}


_JUDGED = 0.1
"""Below this probability of being private the tagger has seen a name whole, and it is public."""
_COMPANION = 0.2
"""From this probability on a forename beside a private one is private, too."""
_NAME_PART = r"[^\W\d_a-zß-öø-ÿ][^\W\d_]{1,24}(?:-[^\W\d_]{2,24})?"
_AND = re.compile(
    rf"\s(?:and|und|et|y|e|en|i|och|og|&)\s({_NAME_PART}(?:\s(?:(?:van|von|de|der|den|la|di|da|do|dos)\s){{0,2}}{_NAME_PART}){{1,2}})"
    r"(?![\w’'])"
)
# Accepts " und Samira Thiede", " and Ana de la Cruz". Refuses one word alone: " and Microsoft".


_HOME = re.compile(r"(?: (?:from|aus|uit|från|in|à|em|en)|,) $")
_JOINED = re.compile(r"(?: (?:and|or|und|oder|et|ou|y|o|e|en|of|och|eller|i|lub)|,) ")


def _is_strange_city(text: str, span: Span) -> bool:
    """Return whether a tagger takes one word that no list of places has for a city: `Ben or Folasade`."""
    word = text[span.start : span.end]
    return span.subtype == "city" and word.isalpha() and not is_known(word, "LOC")


def _is_nobody_famous(text: str, span: Span) -> bool:
    return span.subtype == "full_name" and not is_famous(text[span.start : span.end])


def with_companions(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return spans with the names that stand joined to a private person's: "Jan Brix und Samira Thiede".

    Of two forenames (`Orlando and Thisbe may share a desk`) none is somebody famous where the other is private, and so
    is the city behind a private person (`Gottfried from Ulm`).
    """
    out = list(spans)
    single = sorted(
        (span.start, span.end, at)
        for at, span in enumerate(spans)
        if span.source == "embedded"
        if span.subtype == "first_name" or _is_strange_city(text, span) or _is_nobody_famous(text, span)
    )
    # Who is private anywhere in the text is so here.
    known = dict[str, float]()
    for start, end, at in single:
        known[text[start:end]] = max(known.get(text[start:end], 0.0), spans[at].private or 0.0)
    for left, right in pairwise(single):
        if _JOINED.fullmatch(text, left[1], right[0]):
            odds = [known[text[start:end]] for start, end, _ in (left, right)]
            at = (left, right)[odds.index(min(odds))][2]
            if max(odds) >= PRIVATE > min(odds) and (spans[at].type == "LOC" or min(odds) >= _COMPANION):
                out[at] = out[at]._replace(private=PRIVATE)
    people = {span.end for span in out if span.type == "PER" and (span.private or 0) >= PRIVATE}
    for at, span in enumerate(out):
        if span.subtype == "city" and span.source == "embedded" and (span.private or 0) < PRIVATE:
            home = _HOME.search(text, max(0, span.start - 6), span.start)
            if home and home.start() in people:
                out[at] = span._replace(private=PRIVATE)
    spans, taken = list(out), Spread([span for span in out if span.type in ("PER", "ORG", "LOC")])
    for span in spans:
        if span.type == "PER" and (span.private or 0) >= PRIVATE and (match := _AND.match(text, span.end)):
            start, end = match.span(1)
            if not taken.met(start, end):
                found = Span(
                    start, end, "PER", "full_name", span.score / 2, "pner", private=PRIVATE, source="companion"
                )
                taken.add(found)
                out.append(found)
    return out


# Accepts a capitalised word behind a word for a relation (`my husband Ambros`), one that is addressed before all else
# (`Ama, have the papers come?`) or says where it is (`Solveig här från`), one of the writer's circle (`Bram uit mijn
# klas`), one that begins what is quoted (`: « Clémence arrivera`), and a word of respect with what follows it (`Baba
# Ade`).
_CALLED = late(
    re.compile,
    rf"(?<!\w)(?:(?i:{_AROUND['mine']})\s+(?i:{_AROUND['kin']})|(?i:{_AROUND['beside']}))\s+(?P<one>[A-ZÀ-ÖØ-ÞŁŚŻ][^\W\d_A-Z]+)(?!\w)"
    rf"|\A(?!(?i:{_AROUND['greets']})\b)(?P<first>[A-ZÀ-ÖØ-ÞŁŚŻ][^\W\d_A-Z]+)(?=,\s)"
    rf"|\A(?P<here>[A-ZÀ-ÖØ-ÞŁŚŻ][^\W\d_A-Z]+)(?=\s(?:{_AROUND['here']})\s)"
    rf"|(?<!\w)(?P<ours>[A-ZÀ-ÖØ-ÞŁŚŻ][^\W\d_A-Z]+)(?=,?\s(?:{_AROUND['of_ours']}|{_AROUND['says']})[\s,])"
    rf"|[:«„“\"`]\s?(?P<quoted>[A-ZÀ-ÖØ-ÞŁŚŻ][^\W\d_A-Z]+)(?=\s[a-zß-ÿ]|`)"
    rf"|(?<!\w)(?P<both>(?:{_AROUND['respect']})\s+[A-ZÀ-ÖØ-ÞŁŚŻ][^\W\d_A-Z]+)(?!\w)",
)


def relatives(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return the names behind words for relations that no finder has found, but for those that the world knows."""
    found, titles = [], _AROUND["title"].split("|")
    spread = Spread(spans)
    for match in _CALLED.finditer(text):
        start, end = match.span(match.lastgroup or 0)
        surface = text[start:end]
        known = look_up(surface)
        if match["one"] and surface.lower() in titles:
            continue
        if match["here"] or match["ours"]:
            listed = is_forename(surface) or may_be_forename(surface)
            if not listed or _NO_NAME.fullmatch(surface) or (known is not None and known.fame > 2):
                continue
        # Of what opens a quotation a word that everybody uses is more often no name: `“Will you come`.
        if match["quoted"] and not (may_be_forename(surface) and surface.lower() not in word_vectors()):
            continue
        if match["first"] and not is_forename(surface) and (not known or known.kinds & {"work", "thing"}):
            continue
        # An ordinary word before a comma is no greeting: `Toast, draft`.
        if match["first"] and not may_be_forename(surface) and surface.lower() in word_vectors():
            continue
        met = spread.met(start, end)
        # Of `Don Chema` a finder may have seen the second word.
        within = match["both"] and all(start <= span.start and span.end == end for span in met)
        # A finder that has seen the whole has judged it: `founded by Don Stephens`.
        within = within and not any(span.start == start and (span.private or 0.0) < _JUDGED for span in met)
        if (within or not met) and (match["both"] is None or known is None or not known.fame):
            subtype = "nickname" if match["both"] else "first_name"
            found.append(Span(start, end, "PER", subtype, 0.9, "pner", PRIVATE, source="relation"))
    return found
