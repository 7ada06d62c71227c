"""Names behind an honorific: Dr. X, Mrs Y Z, Herr Müller, Mme Dupont."""

import re
from collections.abc import Iterator

from gama.state.entities import Span
from gama.tools.recognizers._text import LEFT, plain
from gama.tools.recognizers.base import hit

NAME_PART = (
    r"(?:(?:O'|D'|Mc|Mac|al-|Al-|El-|el-|ibn |Ibn |bin "
    r"|bint )?[A-ZÀ-ÞĀ-ŽΑ-ΩА-Я][a-zß-ÿāăąćčďđęěğįķłńňőœřśşšťůűźżžά-ώа-яё'’-]{1,24}"
    r"(?:-[A-ZÀ-ÞĀ-Ž][a-zà-ÿ]{1,20})?)"
)
"""One part of a name: Emma, O'Neill, al-Sayed, Smith-Jones, Müller; Latin, Greek or Cyrillic. Refuses ALL CAPS."""

PARTICLE = (
    r"(?:van der |van den |van de |van |von der |von |zu |de la |de los |de |del |della |di |da |dos "
    r"|do |du |le |la |ter |ten |ben |y )"
)
"""A particle before a surname."""

_TITLE = (
    r"(?:Mr|Mrs|Ms|Miss|Mx|Mister|Dr|Prof|Professor|Sir|Dame|Lady|Lord|Rev|Reverend|Fr|Capt"
    r"|Captain|Sgt|Sergeant|Lt|Lieutenant|Col|Maj|Officer|"
    r"Judge|Justice|Nurse|Sister|Brother|Uncle|Aunt|Auntie|Herrn?|Frau|Doktor|M\.|Mme|Mlle"
    r"|Monsieur|Madame|Mademoiselle|Maître|Me|Señora?|Sra?|"
    r"Srta|Don|Doña|Dña|Signora?|Sig|Sig\.ra|Dott|Dott\.ssa|Avv|Ing|Dra|Senhora?|Dhr|Mevr|Mevrouw"
    r"|Meneer|Pan|Panią?|Pana|Shri|Smt|Sri|Sheikh|Haji|"
    r"Imam|Rabbi|Fru|Hr|Ο κ|κ|Г-н|Г-жа|Господин|Госпожа)"
)

# Accepts: Dr. Osei, Mrs Anna de la Cruz, Prof. Dr. Jürgen Weiß, Mr. J. R. Bell, Herr Müller. Refuses: "Dr Pepper"-like
# brands cannot be told apart; "Miss you", "Me too" (no capitalised name behind), sentence starts ("Don The").
_TITLED = re.compile(
    rf"{LEFT}{_TITLE}\.? (?:(?:Dr|Prof|med|jur|Dipl|Ing|Mag|h\. ?c)\.? ){{0,2}}"
    rf"(?P<v>(?P<first>(?:[A-ZÀ-Þ]\.[ -]?){{0,3}}(?:{PARTICLE})?{NAME_PART})(?P<rest>(?: [A-Z]\.)?"
    rf"(?: (?:{PARTICLE})?{NAME_PART}){{0,2}}))(?!\.\w)"
)

# ALL CAPS forms: MR JOHN SMITH. Refuses: single capitals.
_CAPS = re.compile(
    rf"{LEFT}(?:MR|MRS|MS|MISS|DR|PROF|HERR|FRAU|SR|SRA"
    rf"|MME)\.? (?P<v>[A-ZÀ-Þ][A-ZÀ-Þ'-]{{1,24}}(?: [A-ZÀ-Þ][A-ZÀ-Þ'-]{{1,24}}){{0,2}})(?![A-Za-z])"
)

# Words with a capital that are no names, though one may stand behind a title or open the next sentence.
NOT_NAMES = frozenset(
    "The A An I It He She We They You Your My Our His Her Their This That These Those Who What"
    " When Where Why How And But Or If In On At To For From With "
    "By As Is Are Was Were Has Have Had Will Would Can Could Should May Might Must Do Does Did"
    " Not No Yes Please Thanks Thank Hello Hi Dear Sir Madam "
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April June"
    " July August September October November December "
    "President Minister Chair Chairman Director Manager Team Sirs Customer Client Colleague"
    " Colleagues All Everyone Committee Board Members Friends Family "
    "Mayor Governor Speaker Secretary Ambassador Judge General Damen Herren Kolleginnen Kollegen"
    " Recruiter Hiring Editor Support Landlord Tenant Neighbour "
    "Neighbor Neighbours Parents Student Students Applicant Doctor Mum Mom Dad Grandma Grandpa"
    " Aunt Uncle Diary Lord God Santa Valued Homeowner Reader "
    "Department Office Service Services Group Ltd Inc Sent Editors Partners Sellers Buyers"
    " Archivist Shareholders Residents Volunteers Investors Tenants Guests Readers Subscriber"
    " Principal Headteacher Regards Best Kind Warm Sincerely Yours Cheers Love Tel Phone Email"
    " Mobile Re Subject Date".split()
)


class PersonTitleRecognizer:
    """Finds names by the honorific before them, which stays outside the span."""

    name = "person_title"
    subtypes = ("full_name", "last_name")
    priority = 0

    def find(self, text: str) -> Iterator[Span]:
        """Yield names: one part is a surname, more are a full name. Context decides: Dr. Freud is not private."""
        body = plain(text)
        for regex, score in ((_TITLED, 0.75), (_CAPS, 0.6)):
            for match in regex.finditer(body):
                found = cut(match["v"])
                if found:
                    subtype = "full_name" if " " in found else "last_name"
                    yield hit(match.start("v"), match.start("v") + len(found), subtype, self.name, score=score)


def cut(name: str) -> str:
    """Cut a shape off before the first word that is no name: "Bell The" → "Bell"; possessives too."""
    words: list[str] = []
    for word in name.split(" "):
        if word.strip(".") in NOT_NAMES:
            break
        words.append(word)
    kept = " ".join(words)
    for ending in ("'s", "'", "-"):
        kept = kept.removesuffix(ending)
    return kept if any(char.isupper() for char in kept) and len(kept) > 1 else ""


def person_title_recognizer() -> PersonTitleRecognizer:
    """Return the recognizer of titled names."""
    return PersonTitleRecognizer()
