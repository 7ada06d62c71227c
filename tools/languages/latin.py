"""Whether a text in Latin letters is in another language than English, by the small words that every sentence has."""

import re
from functools import cache

_SMALL = {
    "en": "the and to my you with that this are not what how his please would should can from they there your "
    "it she he has be of for i is was we do does if but or at on me our have had will who when where why "
    "which us an as by so about any",
    "de": "und der die das ist ich nicht ein eine einen mit für den dem von zu auf wir sie er es sich haben hat "
    "mein meine mir bitte wie was kann im am bei nach oder aber auch noch wird sind bin wenn dass um uns "
    "unser unsere ihr ihre",
    "fr": "le la les des et est je pour une un dans que qui mon ma mes vous nous il elle avec sur pas du au ce "
    "cette en de ne sont suis ai votre notre son sa se plus mais ou chez merci",
    "es": "el la los las que de y en por una un mi mis con para se no es del al lo le su sus como más pero está "
    "son tengo muy nos usted yo o hay ha he me qué cuánto",
    "it": "il la lo gli le di che e un una per non mi con del della sono è si da ho ha mio mia nel al alla ma "
    "come anche questo più ci i dei delle vorrei quanto",
    "nl": "de het een en ik van is mijn met voor niet op te in dat die heb ben hij zij wij we aan naar bij er "
    "om maar ook mag kan moet hoe wat wanneer je jij u uw zijn heeft",
    "pl": "i w na z się nie do jest że mój moja moje mam dla od po jak czy co ale o za przez to pan pani jestem "
    "mi mnie proszę są był była który która ma go jej jego",
    "pt": "o a os as de que e do da em não um uma para com por meu minha no na dos das é se eu mas como mais "
    "seu sua está são tenho ao à pelo",
    "sv": "och att det är jag en ett på som inte med för av min mitt till den har vi han hon kan ska om från "
    "men hur vad du",
    "da": "og at det er jeg en et på som ikke med for af min mit til den har vi han hun kan skal om fra men "
    "hvor hvad du de",
    "no": "og at det er jeg en et på som ikke med for av min mitt til den har vi han hun kan skal om fra men "
    "hvor hva du de",
    "cs": "a v na se že je to s z do ne pro jsem mám můj moje jak co ale by si o k po má které který jsou byl "
    "byla prosím",
    "ro": "și în la de cu nu este sunt o un pentru mea meu pe că din am are ce cum dar se mi să vă",
    "hu": "a az és hogy nem is van egy meg de kell mert már csak ha én az el le be ki fel ez volt lesz nekem",
    "fi": "ja on ei se että en olen mutta minun hän niin kun jos tai oli ovat voi mitä miten myös kanssa "
    "minulla",
    "id": "dan yang di ke dari untuk saya ini itu tidak dengan ada adalah akan bisa kami kita anda apa pada nya",
}  # fmt: skip
_LONGEST = 4_000
"""Characters that are looked at."""
_LEAST = 2
"""Small words of another language, below which a text is taken for English: a name or a list has none."""
_RARE = 12
"""Of so many words one is a small one, in all languages: logs and lists of names have fewer."""
_WORD = re.compile(r"[^\W\d_]+")


@cache
def _languages() -> dict[str, tuple[str, ...]]:
    """Return for each small word the languages that have it."""
    found: dict[str, tuple[str, ...]] = {}
    for language, words in _SMALL.items():
        for word in set(words.split()):
            found[word] = (*found.get(word, ()), language)
    return found


def latin_language(text: str) -> str:
    """Return the language of a text in Latin letters, as ISO 639-1, where its small words tell; else `en`.

    Example:
        >>> latin_language("ik woon in almere en mijn huur is te hoog"), latin_language("Dear Ann, the rent is due.")
        ('nl', 'en')
    """
    hits = dict.fromkeys(_SMALL, 0)
    known = _languages()
    words = _WORD.findall(text[:_LONGEST])
    for word in words:
        for language in known.get(word.lower(), ()):
            hits[language] += 1
    best = max(hits, key=lambda language: (hits[language], language == "en"))
    told = hits[best] >= max(_LEAST, len(words) / _RARE) and hits[best] > hits["en"]
    return best if told else "en"
