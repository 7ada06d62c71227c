"""What a question turns on: it stays in clear wherever a question lets anything stay.

Findings, readings and medicines in a note of a clinic, and in a prompt that something of medicine is asked in; days,
times and sums of a prompt that itself asks, where no formula reckons with them; measures that the question itself says;
the country or state whose law it asks of. Who it is about stays hidden, and so does what somebody is shunned for.
"""

import re
from collections.abc import Sequence, Set
from functools import cache

from gama.guard.folding import fold
from gama.privacy.clinical import is_clinical
from gama.privacy.days import holds_a_name, is_of_the_calendar, names_a_day
from gama.privacy.decide import by_person
from gama.privacy.identify import patterns_in
from gama.privacy.level import facts_of, topics_of
from gama.privacy.names import asks_something
from gama.privacy.request import OWN, Sentence, asking, joined
from gama.privacy.whereabouts import STOPS, VISITED, is_a_city, is_on_the_way, is_visited, line_around
from gama.state.entities import TYPE_OF, Entity, Spread
from gama.tools.knowledge.index import is_surname, look_up, may_be_forename
from gama.tools.tables import late

_LINES = patterns_in("requests.txt")
_GIVEN = frozenset(("medical_condition", "weight", "height", "blood_type"))
"""What a question of medicine turns on."""
# Accepts an age, and a year, by which nobody is singled out: under ninety, and without a day.
_YOUNG = re.compile(r"\D{0,6}[1-8]?\d(?!\d)\D{0,12}")
_YEAR = re.compile(r"(?:19|20)\d\d")
# Accepts the age of a child, which a dose and the law go by: `7`, `15 years`. Refuses other ages, and floors: `2. OG`.
_CHILD = re.compile(r"(?:\d|1[0-7])(?:[ -]?[^\W\d_]{1,12}){0,3}")
_RECKONED = frozenset(one for one, kind in TYPE_OF.items() if kind in ("DATETIME", "QUANTITY")) - {"date_of_birth"}
"""What formulas reckon with."""
_TOLD = frozenset("amount expenses family language degree education_level medical_condition disability".split())
"""What stays in a prompt whose question says it; what somebody earns or owes to a bank is told by other subtypes."""
_PLACES = frozenset(("country", "region"))
"""Whose law holds."""
_MEASURES = frozenset(("duration", "weight", "height"))
_READ = _RECKONED | _GIVEN
"""What has a figure, or a word that the tagger has learnt to read."""
_LIVED = frozenset("occupation degree education_level family marital_status language nationality disability".split())
"""What somebody is, which stays in a prompt about what turns on it: a job in a letter of application."""
_TURNING = _GIVEN | _MEASURES | _PLACES | _RECKONED | _TOLD | _LIVED | {"age", "gender"}
"""What a question may turn on, beside days."""
_MARKED = frozenset(("education_level", "degree", "medical_condition", "disability"))
"""What a bare number may be taken for."""
# Accepts a mark, a reading, or two of them: `71`, `84%`, `58/62`, `22 -> 17`.
_SCORE = re.compile(
    r"[<>≤≥~]? ?\d{1,3}(?:[.,]\d{1,2})?(?: ?%)?(?: ?(?:[-–/:]|->|→|to) ?\d{1,3}(?:[.,]\d{1,2})?(?: ?%)?)?"
)
# Accepts what stands before a name, which a tagger may take for an illness: `Pet: `, `Mrs `.
_NAMED = re.compile(
    r"(?i)(?<!\w)(?:pet|name|patient|pt|owner|dog|cat|horse|pony|child|baby|son|daughter|mrs?|ms|miss|dr|frau|herr|sra?)"
    r"\b[.:]?\s{1,2}[\"'“„«]?$"
)
_JOB = late(re.compile, rf"(?i)(?<!\w)(?:{patterns_in('names.txt')['jobs']})s?$")
# Accepts an illness or a way of life by which one eats: `allergic to egg`.
_DIET = late(re.compile, rf"(?i)(?<!\w)(?:{patterns_in('topics.txt')['diet']})(?!\w)")
# Accepts what a claim is about that illness or injury grounds, at work, with an insurer, with an office.
_CLAIM = late(re.compile, rf"(?i)(?<!\w)(?:{_LINES['claim']})(?!\w)")
# Accepts what asks whether somebody means to deceive, and an address of no person.
_DECEIT = late(re.compile, rf"(?i)(?<!\w)(?:{_LINES['deceit']})(?!\w)")
_NOBODYS_BOX = re.compile(
    r"(?i)(?:alerts?|no-?reply|do-?not-?reply|info|support|service|security|billing|contact|admin|help(?:desk)?|accounts?|team"
    r"|customer\w*|kundenservice|refunds?|verify|verification|notifications?|hello|office|sales|mail|news\w*)[\w.-]{0,12}@.+"
)
_LURES = frozenset(("url", "email"))
"""What tells whether a message is what it says it is."""
_LAWFUL = frozenset(("law", "benefits", "work", "household", "travel"))
"""Topics that a country decides."""
# Accepts what asks to reckon: `how much`, `work out`, `wie viel`.
_RECKONS = re.compile(
    r"(?i)(?<!\w)(?:how (?:much|many|long|far|old|big)|what(?:['’]?s| is| are| will| would)|calculat\w*|work out"
    r"|adds? up|total|average|split|per ?cent|compare|enough|afford|budget|plan|which (?:one|of|rows?|lines?|days?)"
    r"|wie ?(?:viele?|lange|hoch)|(?:be|aus|um|zusammen)rechn\w*|combien|calcul\w*|cuánt[oa]s?|calcula\w*|quant[oiae]"
    r"|hoeveel|bereken|ile|oblicz|quantos?|hur (?:mycket|många)|hversu|hvað|bao nhiêu|mấy|berapa|magkano|kaç|ne kadar"
    r"|mennyi|kolik|koľko|cât[ăe]?|hvor (?:mye|mange|meget)|kuinka|paljonko)(?!\w)"
)
# Accepts a word in letters of Latin script, and a figure, in the signs of Han too: `三年`.
_FIGURE = re.compile(r"[a-z]{3}|\d|[一二三四五六七八九十百千万萬两兩半]", re.IGNORECASE)
# Accepts a dose: `100 mg`, `8 IE`. Refuses what is drunk or baked: `250 ml`.
_DOSED = re.compile(
    r"(?<![\w.,])\d[\d.,]* ?(?:(?:mg|mcg|µg|μg|IE|IU|mmol|мг|мкг|ملغ|مجم|ملجم|میلی‌?گرم|מ[״\"]ג|मि\.?ग्रा)(?![^\W_])"
    r"|毫克|ミリグラム|밀리그램|มก|มิลลิกรัม)"
)
# Accepts what asks for something to be made of the text, which is about all of it.
_MAKES = re.compile(
    r"(?i)(?<!\w)(?:re)?(?:write|draft|word|reply|respond|answer|tidy|tighten|shorten|summar\w+|minutes|table|list|sort|polish"
    r"|improve|split|complain|schreib\w*|formulier\w*|antwort\w*|umschreib\w*|fasse|rédige\w*|écri\w*|répond\w*|redacta\w*|escrib\w*"
    r"|haz\w*|scriv\w*|rispond\w*|schrijf|maak|antwoord|napis\w*|skriv\w*|escrev\w*)(?!\w)"
)
PROMPT = 400
"""Characters of a text up to which all of it is the question."""
ILL = 1_000
"""Characters of a text up to which all that is told of somebody's health is part of a question of medicine in it."""
LONGEST_NOTE = 8_000
"""Characters of a text up to which it may be one note, about one patient, that something of medicine is asked about.

Twice as many where it is written as clinics write.
"""
NOTE = 4_000
"""The same where anything is asked."""
LONGEST_PROMPT = 16_000
"""Characters of a text up to which it is a prompt: lengths of time and days of the week in it are what is asked."""
# Accepts what asks, or asks for something, in languages whose requests are not told apart from what they are about.
_ELSEWHERE = late(
    re.compile,
    rf"{_LINES['anywhere']}|(?<!\w)(?:{_LINES['elsewhere']})(?!\w)|(?<!\w)(?:{_LINES['ends']})(?=\s*(?:[.!:;)]|$))"
    rf"|(?:^|[.!?:,]\s)[^\w\n]{{0,4}}(?:{_LINES['opens']})(?!\w)",
    re.IGNORECASE | re.MULTILINE,
)
# Accepts a line that greets or ends a letter, in the languages of letters: `Dear Ms Holm,`, `Kind regards,`.
_LETTER = late(
    re.compile,
    rf"^[ \t>\"“'„]*(?:(?P<greets>(?:{_LINES['greets']})\b[^,:!?.\n]{{0,70}}(?:\.[^,:!?.\n]{{0,30}})?[,:!，：！])"
    rf"|(?:{_LINES['closes']})[,.!]?[ \t]*)$",
    re.IGNORECASE | re.MULTILINE,
)
MANY = 5
"""So many findings and medicines make a text a note of a clinic, in whatever words."""
LONGEST = 20_000
"""Characters of a text in which a question is looked for."""
_SHAMING = re.compile(
    r"(?i)(?<!\w)(?:hiv|vih|rvd|aids|sida|hep(?:atitis)? ?[bc]|sui[cz]id\w*|self-?harm\w*|dsh|si|overdos\w*|abort\w*"
    r"|termination|rap(?:e|ed)|abus\w*|assault\w*|syphilis|gonorrh\w*|chlamydia|herpes|sti|std|alcohol\w*|etoh|heroin"
    r"|cocaine|cannabis|methadone|addict\w*|schizo\w*|bipolar|eupd|bpd|psychos\w*|anorexi\w*|bulimi\w*|drogen\w*"
    r"|trans(?:gender)?)(?!\w)"
)
"""Illnesses that stay hidden even then."""
_EXPECTS = re.compile(r"(?i)pregnan|schwanger|enceinte|embaraz|incinta|gr[áa]vid|zwanger|ciąż")


def as_asked(text: str, found: list[Entity], *, reckoned: bool = False) -> list[Entity]:
    """Return mentions in which what the text's own question turns on is not private, as the level `auto` has it.

    Args:
        text: the raw text.
        found: its mentions.
        reckoned: whether formulas reckon with the sums that are hidden.
    """
    kinds = [one.subtype for one in found if one.private and _may_stay(text, one)]
    if not kinds or len(text) > LONGEST:
        return found
    if len(text) > LONGEST_PROMPT and not (asks_something(text) or is_clinical(text)):
        return found
    request = asking(text)
    asked = " ".join(text[start:end] for start, end in joined(text, request))
    if not asked and len(text) <= LONGEST_PROMPT:
        asked = _asked_above(text) or asked_elsewhere(text)
    if not asked and not is_clinical(text):
        return found
    topics = topics_of(asked, text, kinds)
    prompt = bool(asked) and len(text) <= LONGEST_PROMPT and not _is_letter(text, asked, request)
    shown = {id(one) for one in turns_on(text, asked, found, topics, prompt=prompt, reckoned=reckoned)}
    return [one.model_copy(update={"private": False, "asked": True}) if id(one) in shown else one for one in found]


def _asked_above(text: str) -> str:
    """Return the first paragraph of a text if it asks for something to be done with what stands below it."""
    first, _, rest = text.strip().partition("\n\n")
    asks = rest.strip() and len(first) <= ABOVE and (_MAKES.search(first) or _PLEASE.search(first))
    return "" if not asks or _ADDRESSED.match(first) else first


def asked_elsewhere(text: str) -> str:
    """Return the lines that ask, of a text in a language whose requests are not told apart; of a letter its head."""
    letter = _LETTER.search(text)
    head = text if letter is None else text[: min(letter.start(), ABOVE)]
    return "\n".join(line for line in head.splitlines() if _ELSEWHERE.search(line))


ABOVE = 300
"""Characters of a paragraph that asks above what was pasted."""
# Accepts what asks politely, and who is greeted by name: `Hi Anna, `.
_PLEASE = re.compile(
    r"(?i)(?<!\w)(?:please|pls|plz|kindly|svp|stp|s['’]il (?:te|vous) pla[iî]t|bitte|por favor|porfa|per favore|pf"
    r"|prosím|proszę|alstublieft|aub|tack|snälla|lütfen|explain|translate|übersetz\w*|expli(?:que|ca)\w*|tradui[st]\w*"
    r"|traduc\w*|spiega\w*|přelož\w*|wytłumacz\w*|przetłumacz\w*|vertaal|leg uit)(?!\w)"
)
_ADDRESSED = late(re.compile, rf"(?i:{_LINES['greets']})[ ,]+(?-i:[A-ZÀ-Þ])[^\W\d_]+ ?[^\W\d_]* ?,")


def turns_on(
    text: str, query: str, found: Sequence[Entity], topics: Set[str], *, prompt: bool = False, reckoned: bool = True
) -> list[Entity]:
    """Return the private mentions that a question turns on.

    Args:
        text: the raw text.
        query: what is asked about it, or in it.
        found: its mentions; those on which a person has decided stay as they are.
        topics: what the query is about, see `level.topics_of`.
        prompt: whether the text itself asks: then days of the week and lengths of time in it are part of that.
        reckoned: whether formulas reckon with the sums that are hidden; otherwise those of a prompt are part of it.
    """
    short = len(text) <= PROMPT
    clinical = is_clinical(text)
    claimed = prompt and not topics.isdisjoint(("law", "benefits", "work")) and _CLAIM.search(text) is not None
    ill = claimed or _is_about_health(text, query, found, topics, clinical)
    deceived = prompt and _DECEIT.search(query) is not None
    noted = ill and clinical
    lawful = not _LAWFUL.isdisjoint(topics)
    lived = _LIVED & facts_of(topics) if prompt else frozenset()
    diets = {id(one) for one in found if one.subtype == "medical_condition" and _DIET.search(one.text)}
    fed = diets if prompt and diets and "food" in topics_of(text) else frozenset()
    asked = text if short and _RECKONS.search(text) else query
    hidden = Spread([other for other in found if other.private])
    people = [other for other in hidden.items if other.type == "PER"]
    named = {other.end for other in people}
    homes = [other.end for other in found if other.subtype in ("street_address", "postcode")]
    near = [place for other in people for place in (other.start, other.end)]

    def stays(one: Entity) -> bool:
        if ill and one.subtype in _GIVEN:
            return not (_NAMED.search(text, max(0, one.start - 16), one.start) or _could_be_a_name(one.text))
        if id(one) in fed:
            return not _could_be_a_name(one.text)
        if noted and (_YOUNG if one.subtype == "age" else _YEAR).fullmatch(_plain(one.text)):
            return True
        if noted and (one.subtype in ("duration", "time") or is_of_the_calendar(one)):
            return not _is_somebodys(text, one)
        if prompt and not reckoned and one.subtype in _RECKONED and not _is_somebodys(text, one):
            return _born().search(text, max(0, one.start - 24), one.start) is None
        if one.subtype == "date" and _is_of_a_record(text, one, hidden):
            return False
        if one.subtype == "gender":
            # `me (31f)`; a dose and a diagnosis go by it, too.
            return prompt and (ill or text[max(0, one.start - 1) : one.start].isdigit())
        if one.subtype in STOPS:
            told = lawful or one.text in query
            return prompt and (
                is_on_the_way(text, one, homes, planned="travel" in topics)
                or is_a_city(text, one, [*homes, *near], told=told)
            )
        if one.subtype in _LURES:
            return deceived and (one.subtype == "url" or _NOBODYS_BOX.fullmatch(one.text) is not None)
        if one.subtype == "occupation" and prompt and one.text in query and _is_ours(text, one, near):
            return True
        if one.subtype in VISITED:
            return prompt and is_visited(text, one, planned="travel" in topics)
        if one.subtype in lived:
            return _JOB.search(one.text) is not None or not _could_be_a_name(one.text)
        if prompt and one.subtype in _MARKED and _SCORE.fullmatch(one.text):
            return True
        if prompt and one.subtype in _TOLD:
            return one.text in query and not text.startswith(("'s", "’s"), one.end)
        if prompt and (one.subtype == "duration" or is_of_the_calendar(one)):
            return not _is_somebodys(text, one)
        if one.subtype == "age":
            told = any(one.start - gap in named for gap in (1, 2, 3)) and not ill  # `Anna Ruiz, 34`
            if prompt and not reckoned and (lawful or (not told and _YOUNG.fullmatch(_plain(one.text)))):
                return True
            return (ill or lawful) and short and _CHILD.fullmatch(one.text) is not None
        placed = lawful and one.subtype in _PLACES
        if prompt and placed:
            return True
        said = placed or one.subtype in _MEASURES
        return said and re.search(rf"(?<!\w){re.escape(one.text)}(?!\w)", asked) is not None

    return [one for one in found if one.private and not by_person(one) and _may_stay(text, one) and stays(one)]


# Accepts a whole day on which somebody may have been born who is grown up: `1988-11-23`, `23.11.1988`.
_LONG_SINCE = re.compile(r"(?:19[2-9]\d|200\d)[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.](?:19[2-9]\d|200\d)")


def _is_of_a_record(text: str, one: Entity, hidden: Spread[Entity]) -> bool:
    """Return whether a day long since stands in a line with a private name and a private address or number."""
    if not _LONG_SINCE.fullmatch(one.text):
        return False
    first, last = line_around(text, one)
    return {other.type for other in hidden.met(first, last) if other.start >= first} >= {"PER", "CODE"}


# Accepts what stands before what somebody is to the writer: `my `.
_OURS = late(re.compile, rf"(?i)(?<!\w)(?:{patterns_in('names.txt')['mine']}) (?:[\w-]+ )?$")


def _is_ours(text: str, one: Entity, near: Sequence[int]) -> bool:
    """Return whether a job is that of somebody of the writer's, and no private name right beside: `our driver`."""
    if any(0 <= one.start - place <= 3 or 0 <= place - one.end <= 3 for place in near):
        return False
    return _OURS.search(text, max(0, one.start - 40), one.start) is not None


def _is_letter(text: str, query: str, request: Sequence[Sentence]) -> bool:
    """Return whether a text is a letter: it is greeted with, or closed as one, and nothing is asked outside of it."""
    marks = list(_LETTER.finditer(text))
    if not marks or (len(marks) == 1 and _GREETED.fullmatch(marks[0][0])):
        return False
    first, last = marks[0], marks[-1]
    asked = text.find(query[:FIRST])
    if text[: first.start()].strip() and 0 <= asked < (first.start() if first["greets"] else FIRST):
        return False
    if any(one.layer == OWN for one in request):
        return False
    ends = last["greets"] is None or last[0].lstrip().startswith(">")
    return asked < last.end() or not ends or last is first


# Accepts a greeting that names nobody, as an assistant is greeted: `Bonjour,`.
_GREETED = re.compile(r"\s*[^\W\d_]+(?: [^\W\d_]+)?[,!]\s*")
FIRST = 40
"""Characters of a text in which its question begins, where what is pasted below it may be greeted and closed."""


def _is_about_health(text: str, query: str, found: Sequence[Entity], topics: Set[str], clinical: bool) -> bool:
    """Return whether what a text tells of somebody's health is what is asked about."""
    told = {fold(one.text) for one in found if one.subtype == "medical_condition"}
    asked = fold(query)
    if "medicine" in topics and len(text) <= ILL:
        return True
    if len(text) <= PROMPT and any(len(one) > 2 and one in asked for one in told):
        return True
    if told and len(text) <= ILL and _DOSED.search(text):
        return True
    if told and len(text) <= PROMPT:
        from gama.privacy.medicine import is_substance

        if any(map(is_substance, told)):
            return True
    longest = LONGEST_NOTE if "medicine" in topics else NOTE
    return (len(text) <= longest and len(told) >= MANY) or (len(text) <= 2 * longest and clinical)


def _could_be_a_name(value: str) -> bool:
    """Return whether what a tagger takes for an illness is written as names are, and is no illness that is known."""
    words = [word for word in re.findall(r"[^\W\d_]+", value) if word.istitle() and len(word) > 2]
    words += [word for word in re.findall(r"[^\W\d_]{5,}", value) if word.isupper()]
    if not words or value.count(" ") > 1 or not any(may_be_forename(word) or is_surname(word) for word in words):
        return False
    from gama.privacy.medicine import is_medicine
    from gama.tools.styles.generalised import is_illness

    known = look_up(value)
    return not (is_medicine(value) or is_illness(value) or (known is not None and "thing" in known.kinds))


# Accepts what has a number or a handle of somebody's in it: `8800417723`, `RT0127745`, `sofi.59k`.
_NUMBERED = re.compile(r"\d{6,}|[A-Za-z]{1,4}-?\d{5,}|[^\W\d_]{3,}[._]\w*\d|\d[^\W\d_]+[._]\w")
# Accepts a sum of six figures or more with its cents, and a time of a calendar: `104820.00`, `20240415T081500`.
_COUNTED = re.compile(r"\d{6,9}[.,]\d\d|20\d{6}T\d{4,6}Z?")


def _may_stay(text: str, one: Entity) -> bool:
    if one.views and not {"pner", "regex"}.intersection(one.views):
        return False  # A private LLM alone says so, which may be a weak one.
    if (one.type == "DATETIME" or one.subtype == "age") and holds_a_name(one):
        return False
    if one.subtype in _TURNING and _NUMBERED.search(one.text) and not _COUNTED.fullmatch(one.text):
        return False
    if one.subtype in _READ and not (_FIGURE.search(one.text) or names_a_day(one.text) or _is_ill_abroad(text, one)):
        return False  # A name in a script that the tagger reads badly.
    asked = one.subtype in _TURNING | STOPS | VISITED | _LURES or is_of_the_calendar(one)
    told = _told_of().search(one.text) and not _EXPECTS.search(one.text)
    return asked and not (_SHAMING.search(one.text) or told)


@cache
def _told_of() -> "re.Pattern[str]":
    """Return what accepts what life has done to somebody, in plain words."""
    from gama.tools.recognizers.declared import declaration

    rows = declaration("sensitive_fact").regex
    kinds = ("medical_condition", "circumstance", "social_security_payment")
    return re.compile("|".join(rows[kind].pattern for kind in kinds), re.IGNORECASE)


@cache
def _born() -> "re.Pattern[str]":
    """Return what accepts what announces a birth, before its day."""
    from gama.tools.recognizers.declared import declaration

    words = "|".join(map(re.escape, sorted(declaration("date_of_birth").words["words"], key=len, reverse=True)))
    turns = r"turn(?:s|ed|ing)? \d{1,3}|wird \d{1,3}|cumple \d{1,3}"
    return re.compile(rf"(?i)(?<!\w)(?:{words}|{turns})[ .:,]{{0,3}}(?:(?:am|on|in|le|el|il|the|den)[ ])?$")


def _is_ill_abroad(text: str, one: Entity) -> bool:
    """Return whether words in another script are an illness, or have a dose or a reading behind them: `टेल्मा 40`."""
    from gama.privacy.medicine import is_illness_abroad

    if one.subtype != "medical_condition":
        return False
    return is_illness_abroad(one.text) or _AMOUNT.match(text, one.end) is not None


# Accepts how much of it is taken or was measured, behind a medicine or what is measured: ` 40`, `：1.1`.
_AMOUNT = re.compile(r"[ :：=]{0,2}\d{1,4}(?:[.,/٫]\d{1,4})?(?![\d/.-])")


def _plain(value: str) -> str:
    """Return a value with its figures as they are in Latin script: `63` for `٦٣`."""
    return "".join(str(int(char)) if char.isdecimal() else char for char in value)


def _is_somebodys(text: str, one: Entity) -> bool:
    """Return whether a word of the calendar stands as a name does: `Uncle Sunday Ekpo`, `(june)`."""
    words = one.text.split()
    called = " ".join(words[:1] if len(words) == 2 and one.text.istitle() else words).title()
    if any(map(str.isdigit, one.text)) or not may_be_forename(called):
        return False
    near = text[max(0, one.start - 80) : one.start], text[one.end : one.end + 80]
    if _WEEKDAY.fullmatch(one.text) and any(map(_WEEKDAY.search, near)):
        return False
    led = _WHEN.search(text, max(0, one.start - 12), one.start)
    return led is None or _SURNAME.match(text, one.end) is not None


# Accepts a day of the week in three letters, some of which are names: `Mon`, `Thu`.
_WEEKDAY = re.compile(r"(?<!\w)(?:Mon|Tues?|Wed|Thu(?:rs)?|Fri|Sat|Sun)(?!\w)", re.IGNORECASE)
# Accepts what stands before a day or a month, and a surname behind a word.
_WHEN = re.compile(
    r"(?i)(?<!\w)(?:in|on|by|of|due|next|last|this|since|until|till|from|every|early|late|mid|for|im|am|en|em"
    r"|el|le|w)[ -]$"
)
_SURNAME = re.compile(r" [A-Z][^\W\d_]")
