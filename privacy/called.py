"""What a name stands beside: laws of nature and of states, titles, the famous among their like, the day of a birth.

And what is called by a name and is nobody: zones, workloads, goods, plants, games, figures of speech.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence, Set
from datetime import UTC, datetime
from functools import cache
from operator import itemgetter

from gama.privacy.identify import PRIVATE, patterns_in
from gama.privacy.names import asks_something
from gama.state.entities import Span
from gama.tools.knowledge.index import is_famous, look_up, may_be_forename
from gama.tools.recognizers.base import plain
from gama.tools.tables import late

PUBLIC = 0.0
"""The probability of being private of what is judged public here."""
COMPANY = 3
"""Names of people whom the world knows, from which on a text that names hardly anybody else is about the world."""
SURE = 0.9
"""Probability of being private from which on company changes nothing."""

# Accepts what is called after somebody, behind the name: `'s law`. Refuses what people have: `'s model`.
_OWNED = re.compile(
    r"(?:['’]s?)? (?:laws?|theorems?|equations?|constants?|paradox|conjecture|lemma|inequality|postulates?|principles?"
    r"|cage|numbers|razor|dilemma|pyramid of needs|hierarchy of needs)(?!\w)"
)
# Accepts what bears a name as its own: ` filters`.
_BEARS = re.compile(
    r" (?:filters?|transforms?|distributions?|algorithms?|effect|matrix|matrices|series|integrals?|bridge|diagrams?"
    r"|coefficients?|sequence|notation|machine|test|cipher|curve|engine|cycle|scale|space|motors?|coil|tubes?"
    r"|equilibrium|multiplier|index|rotation|regression|sampling|chains?|criterion|kinetics|plots?)(?!\w)"
)
# Accepts what is somebody's who made or found it, before the name: `segunda ley de `, `Toccata de `.
_MADE = (
    r"(?i)(?<!\w)(?:ley(?:es)?|lois?|legg[ei]|leis?|teorema|théorème|princip(?:io|e)|ecuación|équation|equazione"
    r"|equação|canon|toccata|ave maria|r[eé]quiem|sinfon[ií]a|symphonie|sonat[ae]|concert?o|nocturne?|pr[eé]lude|suite"
    r"|messe?|misa|messa|ópera|opéra|gesetz|satz|sinfonie|oper|roman|novela|romanzo|poemas?|poème|film|cuadro|tableau)"
    r"(?: n[º°o.]{1,2} ?\d+)? (?:de|del|di|du|da|do|von|d['’]) ?"
)
_OF, _OF_WHOLE = re.compile(f"{_MADE}$"), re.compile(_MADE)
# Accepts the name of an act of a parliament, whole: `Equal Pay Act`, `Crofters (Scotland) Act 1993`.
_ACT = re.compile(
    r"(?<![\w-])(?:(?:[A-Z][\w’'-]{1,30}|\([A-Z][\w ]{1,30}\)|of|and|to|for|the|&)[ ,]{1,2}){1,8}"
    r"(?:Act|Regulations?|Directive|Code)"
    r"(?: (?:of )?\d{4})?(?!\w)"
)
# Accepts a law of the European Union by its number, and forms of tax, work and immigration: `EU 261/2004`, `1099-NEC`.
_NUMBERED = re.compile(
    r"(?<![\w/])(?:(?:EU|EC|EG|CE|UE|EWG|EEC|[Rr]egulation|Verordnung|[Rr]èglement|[Rr]eglamento|[Rr]egolamento|Directive"
    r"|Richtlinie|VO)(?: \((?:EU|EC|EG|CE|UE)\))?,? ?(?:No\.? |Nr\.? |n[°º] ?)?\d{1,4}/\d{2,4}(?:/(?:EU|EC|EG|CE|UE))?"
    r"|1099(?:-[A-Z]{1,4})?|W-[248](?:BEN(?:-E)?)?|1040(?:-[A-Z]{1,3})?|1095-[ABC]|CP\d{2,4}[A-Z]?"
    r"|I-(?:9|20|94|1(?:29|30|31|40)|485|539|751|765|864)|H-?1B|H-?4(?: EAD)?|L-?1[AB]|EB-?[1-5]|B-[12]"
    r"|DS-(?:160|260|11)|N-400|P(?:45|60|11D|800)|SA(?:100|302)|V5C?|MAT B1|RDL? \d{1,2}/\d{4})(?![\w/])"
)
# Accepts what stands before somebody famous who is not the one that is told of: `no relation to `, `not the `.
_LIKENED = re.compile(
    r"(?i)\b(?:not|isn['’]t|no relation to|named after|called after|in the style of|impression of|quotes? (?:by|from)"
    r"|(?:big|huge|massive) fan of|nicht (?:verwandt )?mit|rien à voir avec|no es)(?: the(?: real)?)? [\"“'‘„]?$"
)
# Accepts what stands before somebody of whom it is asked who that is: `who is `. Refuses it in a sentence's midst.
_WHO = re.compile(
    r"(?i)(?:^|[.!?:\n] ?|\band )"
    r"(?:who(?:['’]?s| is| was)|wer (?:ist|war)|qui (?:est|était)|quién (?:es|fue)|chi è)(?: the)? $"
)
# Accepts what tells others from whoever is famous by their name, behind it: `, who lives next door`, ` in our team`.
_OTHER = re.compile(r"(?i),? (?:who|whom|from|in|at|of|on|with|near|living)\b|, (?!and |und |et |y )|\s?\(")
# Accepts what stands before a firm whose customer one is, in a complaint: `Dear `, `a refund from `.
_SERVES = re.compile(
    r"(?i)\b(?:dear|complain(?:t|ing|ed)? (?:to|about|against)|claim (?:against|with)|customer (?:of|with)|gekocht bij"
    r"|(?:refund|compensation|reply|response|parcel|delivery|order|invoice|bill|bought|ordered)(?: it| them)? from"
    r"|bought (?:it |them )?(?:at|on|in)|(?:flew|booked|flying|flight|contract|insured|account|subscription) with"
    r"|reclamo (?:via \w+ )?(?:a|contro)|reclamación (?:a|contra)|réclamation (?:à|auprès de|contre)|queja (?:a|contra)"
    r"|reclamação (?:à|ao|contra)|klacht (?:bij|tegen)|skarg[aęi] (?:do|na)|reklamacj\w+ (?:do|w)|ticket for"
    r"|beschwerde an|bestellt bei|gekauft bei|vertrag mit|acheté chez|commandé chez|comprado en|comprato da) $"
)
# Accepts a title before who wrote it: `My Brilliant Friend (`, `"Othello" by `; and behind a title, who did.
_TITLE_WORD = r"(?<!\w)[A-Z][\w'’-]* (?:(?:of|the|and|in|a|to|for) ){0,2}"
_BY = re.compile(
    rf"(?:(?:{_TITLE_WORD}){{1,5}}(?<!\w)[A-Z][\w'’-]*(?<!ed)|[\"”»’'*_]),? by $"
    rf"|(?:(?:{_TITLE_WORD}){{2,5}}(?<!\w)[A-Z][\w'’-]*|[\"”»’'*_]) \($"
)
_WRITTEN = re.compile(r"[\"”»’'*_]? (?:by |\()((?:[A-Z][\w'’.-]+ ?){2,4})")
# Accepts a year in which nobody lived who is alive: `10 December 1815`.
_LONG_AGO = re.compile(r"(?<![\d.,/-])(?:1[0-7]\d\d|18[0-8]\d)(?![\d])")
# Accepts whoever stands for nobody by agreement, without spaces. Cards for trying payments are none of these: whoever
# tries out what leaves does so with them.
_SAMPLE = re.compile(r"J(?:ohn|ane)Doe|(?:Max|Erika)Mustermann|Muster(?:straße|str\.)\d{0,3}[a-z]?")
_CODES = frozenset(("CODE", "DEM", "QUANTITY", "DATETIME"))
_ACTS = ("Act", "Regulation", "Directive", "Code")
_ENDS = tuple(f" {act}" for act in _ACTS)
_TITLE = re.compile(r"《[^《》\n]{1,60}》|〈[^〈〉\n]{1,60}〉|『[^『』\n]{1,60}』")
_NAMES = frozenset(("PER", "ORG", "LOC"))
_REACHING = frozenset(("email", "phone", "iban", "street_address", "ssn", "credit_card"))


# Accepts the name of a workload of Kubernetes: `mercury-api-6c9f7d-x2x7q`.
_POD = re.compile(r"(?<![\w-])[a-z][a-z0-9]*(?:-[a-z0-9]+)*-[a-f0-9]{5,10}-[a-z0-9]{5}(?![\w-])")
# Accepts what everybody calls so, wherever it stands: `America/Denver`, `CVE-2024-3094`, `KB5044284`, `-p 5433`.
_SHARED = late(re.compile, rf"(?<![\w/])(?:{patterns_in('bodies.txt')['shared']})(?![\w/])")
# Accepts a word, to be looked for among the goods.
_WORD = re.compile(r"[^\W\d_]+")
# Accepts the beginning of an element of markup.
_ELEMENT = re.compile(r"</?(?P<name>[A-Za-z_][\w.:-]{0,60})(?=[\s/>])")


def fixed_in(text: str) -> list[tuple[int, int]]:
    """Return the stretches of a text that are nobody's by their form, in their order: workloads, goods, elements."""
    found = [*(one.span() for form in (_POD, _SHARED) for one in form.finditer(text)), *_goods_in(text)]
    elements = list(_ELEMENT.finditer(text)) if "</" in text else []
    closed = {one["name"] for one in elements if one[0].startswith("</") and not may_be_forename(one["name"])}
    return sorted(found + [one.span("name") for one in elements if one["name"] in closed])


def _goods_in(text: str) -> Iterator[tuple[int, int]]:
    """Yield where a text names goods, plants, games or figures of speech that are called by somebody's name."""
    low = plain(text).low
    goods, last = _goods(), 0
    for word in _WORD.finditer(low):
        beginning = goods.get(word[0], ()) or goods.get(word[0].removesuffix("s"), ())
        for phrase in beginning if word.start() >= last else ():
            end = word.start() + len(phrase)
            if low.startswith(phrase, word.start()) and not low[end : end + 2].removeprefix("s")[:1].isalnum():
                last = end + low.startswith("s", end)
                yield word.start(), last
                break


@cache
def _goods() -> Mapping[str, tuple[str, ...]]:
    """Return the names of goods by their first word, the longest first."""
    found: dict[str, list[str]] = {}
    for phrase in re.split(r", |\|", patterns_in("goods.txt")["goods"]):
        found.setdefault(_WORD.findall(phrase)[0], []).append(phrase)
    return {first: tuple(sorted(phrases, key=len, reverse=True)) for first, phrases in found.items()}


def lies_in(span: Span, stretches: Sequence[tuple[int, int]]) -> bool:
    """Return whether a span that is no secret lies in one of stretches apart from each other, in their order."""
    if span.validated or span.subtype == "password":
        return False
    at = bisect_right(stretches, span.start, key=itemgetter(0)) - 1
    return at >= 0 and span.end <= stretches[at][1]


def as_called(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return spans, those judged public that are a part of what is called so, or famous among the famous."""
    spans = [span for span in spans if not _SAMPLE.fullmatch(text[span.start : span.end].replace(" ", ""))]
    titles = [title.span() for title in _TITLE.finditer(text)]
    acts = [act.span() for act in _ACT.finditer(text)] if any(word in text for word in _ACTS) else []
    numbers = [one.span() for one in _NUMBERED.finditer(text)] if any(span.type in _CODES for span in spans) else []

    def is_nobodys(span: Span) -> bool:
        if span.validated:
            return False
        if span.type == "DATETIME" and _LONG_AGO.search(text, span.start, span.end):
            return True
        if span.type in _CODES:
            return lies_in(span, numbers)
        named = span.type in _NAMES
        if span.type == "PER" and (_is_likened(text, span) or _has_made(text, span)):
            return True
        if (span.type in ("LOC", "ORG") and _is_made(text, span)) or (named and _serves(text, span)):
            return True
        return named and (lies_in(span, titles) or _is_after(text, span) or _is_act(text, span, acts))

    return _in_company(text, [span._replace(private=PUBLIC) if is_nobodys(span) else span for span in spans])


def _is_after(text: str, span: Span) -> bool:
    surface = text[span.start : span.end]
    if (made := _OF_WHOLE.match(surface)) is not None:
        return look_up(surface[made.end() :].strip()) is not None
    if span.type == "PER" and _OF.search(text, max(0, span.start - 40), span.start):
        known = look_up(surface.rpartition(" ")[2])
        return is_famous(surface) or (known is not None and known.fame > 0 and not may_be_forename(surface))
    if span.type != "PER" or " " in surface:
        return False
    return bool(_BEARS.match(text, span.end) or (_OWNED.match(text, span.end) and not may_be_forename(surface)))


def _is_act(text: str, span: Span, acts: Sequence[tuple[int, int]]) -> bool:
    """Return whether a span is a word of an act's name, or all of it; whoever stands before it is not."""
    surface = text[span.start : span.end]
    named = span.type == "PER" and " " in surface
    # What a name is told with, and an act that begins with words which nobody is called: `Oranga Tamariki Act`.
    whole = named and not may_be_forename(surface.split()[0]) and text.startswith(_ENDS, span.end)
    return (not named or whole) and lies_in(span, acts)


def _is_likened(text: str, span: Span) -> bool:
    """Return whether somebody known to the world is named and not told of: likened to, or asked who that is."""
    name, before = text[span.start : span.end], max(0, span.start - 40)
    if " " not in name:
        return False
    if _LIKENED.search(text, before, span.start):
        return is_famous(name)
    asked = _WHO.search(text, before, span.start) and not _OTHER.match(text, span.end)
    known = look_up(name) if asked else None
    return known is not None and known.fame > 0 and "person" in known.kinds


def _has_made(text: str, span: Span) -> bool:
    """Return whether somebody famous is named behind the title of a work, as who made it."""
    name = text[span.start : span.end]
    return " " in name and is_famous(name) and _BY.search(text, max(0, span.start - 80), span.start) is not None


def _is_made(text: str, span: Span) -> bool:
    """Return whether what is taken for a place or a body stands before somebody famous who made it."""
    made = _WRITTEN.match(text, span.end)
    return made is not None and is_famous(made[1].strip())


def _serves(text: str, span: Span) -> bool:
    """Return whether a span is a firm that the world knows: one's customer writes to it, or it employs nobody here."""
    name = text[span.start : span.end].removesuffix("’s").removesuffix("'s")
    found = look_up(name) if span.subtype in _TAKEN else None
    if found is None or not found.kinds <= {"body", "topic", "place"} or (found.fame < 2 and "body" not in found.kinds):
        return False
    if span.type == "PER" and (" " in name or not found.fame or not found.is_firm or _has_forename(name)):
        return False
    before = text[max(0, span.start - 60) : span.start]
    if found.fame > 0 and _SERVES.search(before):
        return True
    known = found.is_firm or found.fame > 1
    if not known or not asks_something(text) or EMPLOYS.search(before) or _EMPLOYED.match(text, span.end):
        return False
    # What has a line of its own may be where somebody writes from.
    led, behind = before.rpartition("\n")[2], text[span.end : span.end + 20].partition("\n")[0]
    return bool(led.strip(" >*-•") or behind.strip(" .,;"))


def _has_forename(name: str) -> bool:
    return any(map(may_be_forename, re.split(r"[\s-]", name)))


_TAKEN = frozenset(("company", "other_org", "government", "ngo", "first_name", "last_name"))
"""As what a tagger takes firms."""
# Accepts what stands before the name of an employer, a school or a firm of somebody's: `worked for `, `nurse at `,
# `ex-`, `2015-2018: `, a name with a comma; and behind it: ` employees`. Refuses what is bought there: `bought at `.
EMPLOYS = re.compile(
    r"(?:\b(?i:work\w*|employ\w*|hired|jobs?|shifts?|position|role|intern\w*|placement|career|joined|left|laid off"
    r"|fired|sacked|trained|colleagues?|boss|manager|director|founder|owner|partner|team|salary|wage|payroll|gehalt|lohn"
    r"|arbeit\w*|angestellt|beschäftigt|chef\w*|kolleg\w*|travaill\w*|employé\w*|trabaj\w*|lavor\w*|werk\w*|prac\w*"
    r"|jobb\w*|apply\w*|application|interview\w*)\b[^.!?;\n]{0,40}|(?<!bought )(?<!ordered )(?<!shop )(?<!cheaper )"
    r"(?<!account )(?<!booked )(?<!sold )(?<!available )\bat (?:the )?|\b(?i:my|our|ex)[ -](?:old |current |former )?"
    r"|\d{4} ?(?:[-–]|to|bis|à) ?(?:\d{4}|now|today|heute|present)[:,]? ?"
    r"|[A-ZÀ-Ž][\w'’-]+ [A-ZÀ-Ž][\w'’-]+(?:,| \(| -| –) ?)$"
)
_EMPLOYED = re.compile(
    r"(?i)['’]?s? (?:employees?|staff|colleagues?|office|branch|team|hr|manager|payroll|canteen|warehouse|plant)(?!\w)"
)


def _in_company(text: str, spans: list[Span]) -> list[Span]:
    """Return spans, the famous in a text about them public: three of them, hardly anybody else, no way to anybody.

    Whom a finder is sure of stays: `our cleaner Ana Ivanović`.
    """
    people = [span for span in spans if span.type == "PER" and " " in text[span.start : span.end].strip()]
    if len(people) < COMPANY or any(span.subtype in _REACHING and span.private != PUBLIC for span in spans):
        return spans
    named = {text[span.start : span.end]: span for span in people}
    known = {name for name in named if _is_famous(name)}
    public = {name for name in known if (named[name].private or 0.0) < 0.5}
    if len(known) < COMPANY or not public or len(named) - len(known) > len(known) // COMPANY:
        return spans
    words = {word for name in known for word in name.split() if len(word) > 3}

    def is_theirs(span: Span) -> bool:
        surface = text[span.start : span.end]
        if (span.private or 0.0) >= SURE:
            return False
        if span.type == "PER":
            return surface in known or surface in words
        found = look_up(surface) if span.type in ("ORG", "LOC") and span.subtype != "street_address" else None
        return found is not None and found.fame > 1

    return [span._replace(private=PUBLIC) if not span.validated and is_theirs(span) else span for span in spans]


def _is_famous(name: str) -> bool:
    found = look_up(name)
    return found is not None and "person" in found.kinds and found.fame > 0


# Accepts a day with its year: `11/11/2011`, `6 Jan '12`, `14.05.52`, `May 2, 1990`.
_DAY = re.compile(
    r"\W*(?:(?P<iso>(?:19|20)\d\d)[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}(?:[-/.] ?\d{1,2}[-/.] ?|\.? [^\W\d_]{3,10}\.?,? '?)"
    r"(?P<year>(?:19|20)?\d\d)|[^\W\d_]{3,10}\.? \d{1,2}(?:st|nd|rd|th)?,? (?P<last>(?:19|20)\d\d))\W*"
)
# Accepts what stands between a name and the day on which its bearer was born.
_BORN = re.compile(
    r" |, | \(| [–-] |; |,? \(?\d{1,2}\)?(?: ?(?:yo|y/o|yrs?|years?|Jahre|ans|años|anni|jaar|lat|år))?,? \(?"
)
GROWN = 4
"""Years ago: a day right behind a name that is longer past is taken for that of a birth."""


def with_births(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return spans in which a day right behind somebody's name, and years ago, is that of their birth."""
    names = {span.end for span in spans if span.type == "PER" and (span.private or 0.0) >= PRIVATE}
    if not names:
        return list(spans)
    born = {span.start: span.end for span in spans if span.type == "DATETIME" and _is_birth(text, span, names)}
    # One finder may see a part of the day.
    return [
        span._replace(end=born[span.start], subtype="date_of_birth", private=max(span.private or 0.0, PRIVATE))
        if span.type == "DATETIME" and span.start in born and span.end <= born[span.start]
        else span
        for span in spans
    ]


def _is_birth(text: str, span: Span, names: Set[int]) -> bool:
    day = _DAY.fullmatch(text, span.start, span.end)
    if day is None:
        return False
    gaps = (span.start - gap for gap in range(1, 14))
    if not any(at in names and _BORN.fullmatch(text, at, span.start) for at in gaps):
        return False
    year, now = int(day["iso"] or day["year"] or day["last"]), datetime.now(UTC).year
    if year < 100:
        year += 2000 if year <= now % 100 else 1900
    return year <= now - GROWN
