"""Names in salutations, signatures and self-introductions: weak evidence of a private person."""

import re
from collections.abc import Iterator

from gama.state.entities import Span
from gama.tools.recognizers._text import LEFT, plain
from gama.tools.recognizers.base import hit
from gama.tools.recognizers.person_title import NAME_PART, PARTICLE, cut

_NAME = rf"(?P<v>{NAME_PART}(?: [A-Z]\.)?(?: (?:{PARTICLE})?{NAME_PART}){{0,3}})"

# Accepts, at the start of a line: "Dear Emma Williams,", "Hi Tom -", "Liebe Anna,", "Cher Paul,", "Hola Marta:".
# Refuses: "Dear Sir or Madam", "Hi there", "Dear Customer" (the list of words), a greeting without a mark or line end behind.
_GREETING = re.compile(
    r"^[ \t>]{0,4}(?:Dear|Hi|Hello|Hey|Hiya|Good (?:morning|afternoon|evening)|Greetings|To|Attn:?|Liebe[rs]?|Hallo|Guten Tag|Sehr geehrte[r]?|Moin|Cher|Chère|"
    r"Bonjour|Salut|Querid[oa]|Estimad[oa]|Hola|Car[oa]|Gentile|Ciao|Buongiorno|Prezad[oa]|Olá|Beste|Geachte|Hoi|Drogi|Droga|Szanowny|Cześć|Hej|Kära?|Kære|"
    rf"Дорогой|Дорогая|Здравствуйте|Привет),? (?:(?:Mr|Mrs|Ms|Miss|Dr|Prof|Herr|Frau|Mme|M|Sr|Sra)\.? )?{_NAME}(?=[ \t]{{0,2}}(?:[,:!;-]|$))",
    re.MULTILINE,
)

# Accepts: a closing formula on its own line, then a name on the next (or after a comma): "Best regards,\nDaniel Jones".
# Refuses: closings in running text; lines that go on as a sentence.
_CLOSING = re.compile(
    r"(?:(?:Kind|Best|Warm(?:est)?|Kindest|With (?:kind|best|warm))? ?[Rr]egards|Best(?: wishes)?|All the best|Yours(?: sincerely| faithfully| truly| ever)?|Sincerely(?: yours)?|"
    r"Respectfully(?: yours)?|Cheers|Thanks(?: again| so much| in advance)?|Many thanks|Thank you|Love|With love|Take care|Mit freundlichen Grüßen|Viele Grüße|Liebe Grüße|"
    r"Beste Grüße|Herzliche Grüße|Herzlich|MfG|LG|VG|Cordialement|Bien cordialement|Bien à vous|Sincères salutations|Bises|Amicalement|Atentamente|Saludos(?: cordiales)?|Un saludo|"
    r"Un abrazo|Cordiali saluti|Distinti saluti|Un caro saluto|Saluti|Atenciosamente|Cumprimentos|Abraços|Met vriendelijke groet(?:en)?|Groet(?:jes|en)?|"
    r"Z poważaniem|Pozdrawiam|Med vänliga hälsningar|Vänligen|Mvh|С уважением|Signed|Gezeichnet|gez\.)[ \t]{0,2}[,.!:-]{0,2}"
    rf"[ \t]{{0,2}}(?:\r?\n[ \t>]{{0,4}}){{1,3}}(?:[-–—~] ?)?(?:(?:Mr|Mrs|Ms|Dr|Prof)\.? )?{_NAME}(?=[ \t]{{0,3}}(?:[,.(;|-]|$))",
    re.MULTILINE,
)

# Accepts: "My name is Ana Ruiz", "I am Tom Becker,", "This is Ada Obi from", "Ich heiße …", "Je m'appelle …", "Me llamo …", "Mi chiamo …".
# Refuses: "I am Happy"-like words only by the list; "my name is mud" (no capital).
_INTRODUCTION = re.compile(
    r"(?:[Mm]y (?:full |first |last |maiden )?name is|[Mm]y name's|[Tt]he name is|[Ii]'m called|[Ii] am called|[Cc]all me|[Tt]his is|[Ii]ch heiße|[Mm]ein Name ist|[Jj]e m'appelle|"
    r"[Mm]on nom est|[Mm]e llamo|[Mm]i nombre es|[Mm]i chiamo|[Mm]eu nome é|[Cc]hamo-me|[Mm]ijn naam is|[Ii]k heet|[Nn]azywam się|[Mm]am na imię|[Jj]ag heter|[Jj]eg heter|"
    rf"[Mm]eg heter|[Мм]еня зовут|[Ss]igned,?) {_NAME}"
)
_I_AM = re.compile(rf"{LEFT}(?:I am|I'm|Ich bin|Je suis|Soy|Sono|Sou|Ik ben) {_NAME}(?=,| and I|\.| from| \(|$)")

# Form fields: "Name: Ana Ruiz", "Patient name - …", "Full name = …". Refuses: file name, product name, company name, display of keys.
_FIELD = re.compile(
    r"^[ \t>*\"|-]{0,6}(?:(?:[Ff]ull|[Pp]atient(?:'s)?|[Cc]ustomer(?:'s)?|[Cc]lient|[Ee]mployee|[Ss]tudent|[Cc]ontact|[Aa]pplicant|[Gg]uest|[Tt]enant|[Ll]ast|[Ff]irst|[Cc]hild's|[Aa]ccount) )?"
    r"(?:[Nn]ame|NAME|[Nn]om|[Nn]ombre|[Nn]ome|[Nn]aam|[Ii]mię i nazwisko|[Vv]orname|[Nn]achname|[Aa]pplicant|[Pp]atient|[Ee]mployee|[Tt]enant|[Cc]laimant|[Ff]rom|[Tt]o|[Cc]c|[Aa]uthor)"
    rf"[\"']?[ \t]{{0,3}}[:=][ \t]{{0,6}}[\"']?(?:(?:Mr|Mrs|Ms|Dr|Prof)\.? )?{_NAME}(?=[ \t]{{0,3}}(?:[\",;(<|]|$))",
    re.MULTILINE,
)


class PersonSignatureRecognizer:
    """Finds the people who write, and to whom."""

    name = "person_signature"
    subtypes = ("first_name", "full_name")
    priority = 0

    def find(self, text: str) -> Iterator[Span]:
        """Yield names by place; never validated, because a shape is no proof of a name."""
        body = plain(text)
        for regex, score in ((_GREETING, 0.7), (_CLOSING, 0.75), (_INTRODUCTION, 0.75), (_I_AM, 0.55), (_FIELD, 0.65)):
            for match in regex.finditer(body):
                found = cut(match["v"])
                if found:
                    subtype = "full_name" if " " in found else "first_name"
                    yield hit(
                        match.start("v"), match.start("v") + len(found), subtype, self.name, score=score, private=0.8
                    )


def person_signature_recognizer() -> PersonSignatureRecognizer:
    """Return the recognizer of names in letters' set places."""
    return PersonSignatureRecognizer()
