"""Names in salutations, signatures and self-introductions: weak evidence of a private person."""

import re
from collections.abc import Iterator

from gama.state.entities import Span
from gama.tools.recognizers._labels import label_ends
from gama.tools.recognizers._text import PlainText, plain
from gama.tools.recognizers.base import hit
from gama.tools.recognizers.person_title import NAME_PART, PARTICLE, cut

_NAME = rf"(?P<v>{NAME_PART}(?: [A-Z]\.)?(?: (?:{PARTICLE})?{NAME_PART}){{0,3}})"

_TITLE = r"(?:(?:Mr|Mrs|Ms|Miss|Dr|Prof|Herr|Frau|Mme|M|Sr|Sra)\.? )?"

# Accepts, at the start of a line: "Dear Emma Williams,", "Hi Tom -", "Liebe Anna,", "Cher Paul,", "Hola Marta:".
# Refuses: "Dear Sir or Madam", "Hi there", "Dear Customer" (the list of words), a greeting without a mark or line end
# behind.
_GREETING = re.compile(
    r"[ \t>]{0,4}(?:Dear|Hi|Hello|Hey|Hiya|Good (?:morning|afternoon|evening)|Greetings|To|Attn:?"
    r"|Liebe[rs]?|Hallo|Guten Tag|Sehr geehrter?|Moin|Cher|Chère|"
    r"Bonjour|Salut|Querid[oa]|Estimad[oa]|Hola|Car[oa]|Gentile|Ciao|Buongiorno|Prezad[oa]|Olá"
    r"|Beste|Geachte|Hoi|Drogi|Droga|Szanowny|Cześć|Hej|Kära?|Kære|"
    rf"Дорогой|Дорогая|Здравствуйте|Привет),? {_TITLE}{_NAME}(?=[ \t]{{0,2}}(?:[,:!;-]|\r?$|\r?\n))"
)

# A line that is a name and little else: "Daniel Jones", "- Emma", "Daniel Jones, (555) 000-0000".
_NAME_LINE = re.compile(rf"[ \t>]{{0,4}}(?:[-–—~] ?)?{_TITLE}{_NAME}(?=[ \t]{{0,3}}(?:[,.(;|-]|\r?$|\r?\n))")

# The end of the line before it: a closing formula. Accepts: "Best regards,", "… help. Thanks,", "Mit freundlichen
# Grüßen".
# Refuses: a sentence that only holds such words ("give my regards to the team and").
_CLOSING = re.compile(
    r"(?<![a-zà-ÿ])(?:regards|best|(?:best|warm) wishes|all the best|yours(?: sincerely"
    r"| faithfully| truly| ever)?|sincerely(?: yours)?|"
    r"respectfully(?: yours)?|cheers|thanks(?: again| so much| in advance)?|many thanks|thank you"
    r"|love|with love|take care|mit freundlichen grüßen|"
    r"grüße|herzlich|mfg|lg|vg|cordialement|bien à vous|salutations|bises|amicalement|atentamente"
    r"|saludos(?: cordiales)?|un saludo|un abrazo|"
    r"saluti|atenciosamente|cumprimentos|abraços|groet(?:en|jes)?|z poważaniem|pozdrawiam"
    r"|hälsningar|vänligen|mvh|с уважением|signed|gezeichnet|gez\.)"
    r"[ \t]{0,2}[,.!:-]{0,2}[ \t\r]{0,3}$"
)

# Form fields: "Name: Ana Ruiz", "Patient name = …". Refuses: file name, product name, company name (another word
# before).
_FIELD = re.compile(
    r"[ \t>*\"|-]{0,6}(?:(?:[Ff]ull|[Pp]atient(?:'s)?|[Cc]ustomer(?:'s)?|[Cc]lient|[Ee]mployee"
    r"|[Ss]tudent|[Cc]ontact|[Aa]pplicant|[Gg]uest|[Tt]enant|[Ll]ast|[Ff]irst|[Cc]hild's|"
    r"[Aa]ccount) )?(?:[Nn]ame|NAME|[Nn]om|[Nn]ombre|[Nn]ome|[Nn]aam|[Ii]mię i nazwisko|[Vv]orname"
    r"|[Nn]achname|[Aa]pplicant|[Pp]atient|[Ee]mployee|[Tt]enant|"
    rf"[Cc]laimant|[Ff]rom|[Tt]o|[Cc]c|[Aa]uthor)[\"']?[ \t]{{0,3}}[:=]["
    rf" \t]{{0,6}}[\"']?{_TITLE}{_NAME}(?=[ \t]{{0,3}}(?:[\",;(<|]|\r?$|\r?\n))"
)

# What a person says before the own name. Refuses: "my name is mud" (no capital).
_SELF = (
    "my name is", "my full name is", "my first name is", "my last name is", "my name's", "the name is", "i'm called",
    "i am called", "call me",
    "this is", "ich heiße", "mein name ist", "je m'appelle", "mon nom est", "me llamo", "mi nombre es", "mi chiamo",
    "meu nome é", "chamo-me",
    "mijn naam is", "ik heet", "nazywam się", "mam na imię", "jag heter", "jeg heter", "jeg hedder", "меня зовут",
    "signed", "signed,",
)  # fmt: skip
# Weaker, so that a mark must stand behind the name: "I am Tom Becker,", "I'm Ana and I". Refuses: "I am Happy to …".
_I_AM = ("i am", "i'm", "ich bin", "je suis", "soy", "sono", "sou", "ik ben")
_SAID = re.compile(rf" {_NAME}")
_STOP = re.compile(r",| and I|\.| from| \(|\r?$|\r?\n")


class PersonSignatureRecognizer:
    """Finds the people who write, and to whom."""

    name = "person_signature"
    subtypes = ("first_name", "full_name")
    priority = 0

    def find(self, text: str) -> Iterator[Span]:
        """Yield names by place; never validated, because a shape is no proof of a name."""
        body = plain(text)
        for match, score in (*_in_lines(body), *_in_speech(body)):
            found = cut(match["v"])
            if found:
                start = match.start("v")
                subtype = "full_name" if " " in found else "first_name"
                yield hit(start, start + len(found), subtype, self.name, score=score, private=0.8)


def _in_lines(body: PlainText) -> Iterator[tuple[re.Match[str], float]]:
    at, closed = 0, False
    for line in body.split("\n"):
        if match := _GREETING.match(body, at):
            yield match, 0.7
        elif match := _FIELD.match(body, at):
            yield match, 0.65
        elif closed and (match := _NAME_LINE.match(body, at)):
            yield match, 0.75
        if line.strip():
            closed = bool(_CLOSING.search(line[-48:].lower()))
        at += len(line) + 1


def _in_speech(body: PlainText) -> Iterator[tuple[re.Match[str], float]]:
    for end in label_ends(body, _SELF):
        if match := _SAID.match(body, end):
            yield match, 0.75
    for end in label_ends(body, _I_AM):
        match = _SAID.match(body, end)
        if match and _STOP.match(body, match.end()):
            yield match, 0.55


def person_signature_recognizer() -> PersonSignatureRecognizer:
    """Return the recognizer of names in letters' set places."""
    return PersonSignatureRecognizer()
