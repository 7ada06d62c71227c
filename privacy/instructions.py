"""Instructions: the language one asks for and the role one gives the model are nobody's private facts.

`Translate my CV into German` and `You are a clerk.` tell nothing of a person, although a language and an occupation
stand in them.
"""

import re
from collections.abc import Sequence

from gama.state.entities import Span

# Accepts what stands before the language of an answer, in the same sentence: a verb that asks for words to be made, at
# most 80 characters behind it, and the preposition at the end: `Translate my CV into `, `Antworte bitte auf `. Refuses
# what is told of somebody (`she speaks `, `I write in `) by asking for a command: the verb begins the text, the line or
# the sentence, or stands behind `please`, `to`, `can you` and the like.
_ASKED = (
    r"translat\w*|write|answer|reply|respond|greet|speak|talk|say|explain|summari[sz]e|draft|rewrite|rephrase|put|convert"
    r"|give|tell|describe|list|make|create|compose|read|correct|proofread|continue|keep|show|render|return|output|generate"
    r"|übersetz\w*|schreib\w*|antwort\w*|sprich|sprechen|erklär\w*|fass\w*|formulier\w*|begrüß\w*|sag\w*"
    r"|tradui[st]\w*|écri[st]\w*|répond\w*|expliqu\w*|résum\w*|parl\w*|dis|salue\w*"
    r"|traduc\w*|tradu[zc]\w*|escrib\w*|escrev\w*|respond\w*|explic\w*|resum\w*|habl\w*|fal[ae]\w*"
    r"|tradu[cr]\w*|scriv\w*|rispond\w*|spieg\w*|riassum\w*|vertaal\w*|schrijf|antwoord\w*|leg uit|vat"
    r"|przetłumacz\w*|napisz\w*|odpowiedz\w*|wyjaśnij\w*|översätt\w*|skriv\w*|svara\w*|förklara\w*"
)
_LANGUAGE = re.compile(
    r"(?:^|[.!?:;\n]\s*|\b(?:please|pls|kindly|bitte|por favor|s['’]il (?:te|vous) pla[iî]t|per favore|proszę"
    r"|(?:can|could|would|will|should) you|you (?:should|must|will|shall)|always|only|to|und|and|then)\s+)"
    rf"(?:{_ASKED})\b[^.!?\n]{{0,80}}?"
    r"\b(?:in(?:to)?|to|from|auf|ins?|aus|en|au|a[ln]?|na|på|till|naar|uit|het|do|em|para o|para|de|po|z|z języka)"
    r"\s+(?:the\s+|simple\s+|plain\s+|formal\s+|good\s+|proper\s+|einfachem\s+|język\s+)?$",
    re.IGNORECASE,
)
# Accepts what stands before the role that a model is given: `You are a `, at the start of the text only, since a letter
# may tell its reader what they are; `Act as an experienced ` and its kin anywhere.
_ROLE = re.compile(
    r"(?:^\W*(?:you are|you['’]re|du bist|sie sind|tu es|vous êtes|eres|usted es|tu sei|lei è|você é|je bent|u bent"
    r"|jesteś|du är)"
    r"|\b(?:act (?:as|like)|pretend (?:to be|you are|you['’]re)|imagine (?:that )?you are|play the (?:role|part) of"
    r"|behave (?:as|like)|take the role of|in the style of|assume the role of|speak as|answer as|as if you were"
    r"|agis comme|actúa como|agisci come|handle als))"
    r"\s+(?:(?:a|an|the|my|our|ein|eine|einen|der|die|un|une|una|uno|le|la|il|um|uma|een|en|ett)\s+)?"
    r"(?:[\w-]+\s+){0,4}$",
    re.IGNORECASE,
)
# Accepts the name of a language, in some languages and forms: a tagger that has not learnt them takes it for a person.
_NAME = re.compile(
    r"english|englisch\w*|anglais|inglés|inglese|inglês|engels|angielsk\w*|engelska"
    r"|german|deutsch\w*|allemand|alemán|tedesco|alemão|duits|niemieck\w*|tyska"
    r"|french|französisch\w*|français|francés|francese|francês|frans|francusk\w*|franska"
    r"|spanish|spanisch\w*|espagnol|español|castellano|spagnolo|espanhol|spaans|hiszpańsk\w*|spanska"
    r"|italian\w*|italienisch\w*|italien|portugu\w+|polish|polnisch\w*|polonais|polaco|polsk\w*|dutch|nederlands"
    r"|swedish|svenska|chinese|mandarin|japanese|korean|arabic|hindi|russian|turkish|ukrainian|greek|hebrew|latin",
    re.IGNORECASE,
)
_VERB = re.compile(_ASKED, re.IGNORECASE)
_BEGINS = re.compile(r"(?:^|[.!?:\n]\s*)$")
_BEFORE = 200
"""Characters before a span that are looked at."""
_OF_A_ROLE = frozenset({"occupation", "nationality", "education_level", "degree", "gender", "age", "religion"})


def without_instructions(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return spans with those judged not private that only say how an answer is wanted, or what the model is to be.

    What a tagger took for a person's name there is no name at all, and left out.
    """
    out = []
    for span in spans:
        if not _is_instruction(text, span):
            out.append(span)
        elif span.type != "PER":
            out.append(span._replace(private=0.0))
    return out


def _is_instruction(text: str, span: Span) -> bool:
    if not span.private:
        return False
    before = text[max(0, span.start - _BEFORE) : span.start]
    surface = text[span.start : span.end]
    is_language = span.subtype in ("language", "nationality") or _NAME.fullmatch(surface) is not None
    if is_language and _LANGUAGE.search(before):
        return True
    if span.type == "PER" and _VERB.fullmatch(surface) and _BEGINS.search(before):
        return True
    return span.subtype in _OF_A_ROLE and bool(_ROLE.search(before))
