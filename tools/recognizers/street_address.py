"""Street addresses in the forms of nine languages, post boxes and flats."""

import re

from gama.tools.recognizers._patterns import Pattern, PatternRecognizer
from gama.tools.recognizers._text import LEFT, RIGHT

_NUM = r"[0-9]{1,5}(?: ?[A-Za-z](?![A-Za-z])|[/-][0-9]{1,4}[A-Za-z]?)?"
_CAP = r"[A-ZÀ-ÞĀ-Ž][\w'.-]{0,24}"
_SMALL = r"(?:of|the|and|de|la|le|les|des|du|del|der|den|di|da|do|dos|das|van|von|zum|zur|am|an|al|el|y|e|d'|l')"
_UNIT = (
    r"(?:,? {1,2}(?:apt|apartment|flat|unit|suite|ste|room|rm|floor|fl|bldg|building|interno|int|piso|puerta|app|appt|bus|m|lok|wohnung|top|"
    r"stiege|lgh|dept|depto|#)\.? {0,2}#? ?[0-9A-Z]{1,5}(?![0-9A-Za-z]))?"
)

_EN = (
    r"(?:street|str|st|road|rd|avenue|ave|av|lane|ln|drive|dr|boulevard|blvd|court|ct|close|cl|way|place|pl|square|sq|terrace|ter|crescent|"
    r"cres|gardens|gdns|grove|row|mews|hill|rise|walk|parade|highway|hwy|parkway|pkwy|circle|cir|trail|trl|alley|yard|wharf|quay|quarry|green|"
    r"park|view|vale|mount|brae|track|loop|plaza|pike|crossing|gate|wynd|path|race|end)"
)
_GERMANIC = (
    r"(?:straße|strasse|str\.|gasse|weg|platz|allee|ring|ufer|damm|chaussee|steig|graben|gürtel|markt|hof|straat|laan|plein|gracht|kade|dijk|"
    r"singel|steeg|gatan|vägen|gata|gate|gaten|veien|vei|vej|gade|katu|tie|polku|stræde)"
)
_BEFORE = (
    r"(?:rue|avenue|av\.|boulevard|bd|place|allée|chemin|impasse|quai|cours|route|passage|square|calle|c/|avenida|avda\.?|plaza|paseo|carrer|"
    r"camino|ronda|travesía|via|viale|piazza|corso|vicolo|largo|strada|rua|travessa|praça|alameda|estrada|ulica|ul\.|aleja|al\.|plac|pl\.|"
    r"osiedle|os\.|ulitsa|ul|jalan|jl\.?|sokak|cadde|gali|soi|đường|str\.|strada|bulevardul|chaussée|quartier)"
)


def street_address_recognizer() -> PatternRecognizer:
    """Return the recognizer of street addresses; context decides whether one is private."""
    word = rf"(?:{_CAP}|{_SMALL}|[0-9]{{1,3}}(?:st|nd|rd|th))"
    flags = re.IGNORECASE
    expressions: tuple[tuple[str, float, re.RegexFlag], ...] = (
        # English: 12 Mill Race, 2208 E Sorrel Dr Apt 3, Flat 6, 19 Mafeking Road, 221B Baker St. Case as in prose or ALL CAPS.
        # Refuses: "5 Star Way" is accepted; "3 people in the street", "2 close calls" (no capitals).
        (
            rf"{LEFT}(?P<v>(?:(?:flat|apt|apartment|unit|suite|plot|villa|lot|Flat|Apt|Apartment|Unit|Suite|Plot|Villa|Lot|FLAT|APT|UNIT|SUITE|PLOT|VILLA|LOT)\.? "
            rf"?[0-9]{{1,5}}[A-Za-z]?,? )?{_NUM},? (?:(?:N|S|E|W|NE|NW|SE|SW|North|South|East|West)\.? )?{_CAP}(?: {word}){{0,3}} (?i:{_EN})(?:\.(?= ?[,\n]))?"
            rf"(?: (?:N|S|E|W|NE|NW|SE|SW|North|South|East|West)(?![A-Za-z]))?(?i:{_UNIT})){RIGHT}",
            0.8,
            re.NOFLAG,
        ),
        # Lower-case English of chats: 27 larkspur cl, 14 mill road: a short list of unmistakable street words.
        (
            rf"{LEFT}(?P<v>[0-9]{{1,5}}[a-z]? [a-z']{{3,16}}(?: [a-z']{{3,16}})? (?:street|road|rd|avenue|ave|lane|drive|boulevard|blvd|crescent|terrace|cl|ct)){RIGHT}(?! (?:trip|map|test|accident|rage))",
            0.5,
            re.NOFLAG,
        ),
        # A street without its number: Mill Road, Marigold Street, Bishop's Lane. Weak. Refuses: Wall Street-like public names cannot be told apart.
        (
            rf"{LEFT}(?P<v>(?:{_CAP} ){{1,2}}(?:Street|Road|Avenue|Lane|Crescent|Terrace|Rd|Ave|Boulevard|Close|Mews|Drive|STREET|ROAD|AVENUE|LANE)){RIGHT}",
            0.4,
            re.NOFLAG,
        ),
        # German, Dutch, Nordic: Lindenstraße 41, Neustiftgasse 12/4, Vaasankatu 22 A 7, Storgata 14B, Am Alten Siel 2, Zur Alten Ziegelei 4c.
        # Refuses: "Umweg 3 km", words without a number.
        (
            rf"{LEFT}(?P<v>(?:{_CAP}[ -]){{0,2}}[A-ZÀ-ÞĀ-Ž][\w'.-]{{0,24}}(?:(?<=\w)|[ -](?=[A-Z])){_GERMANIC} [0-9]{{1,4}} ?[a-zA-Z]?(?![A-Za-zÀ-ÿ])(?:[/-][0-9]{{1,4}}){{0,3}}"
            rf"(?: [A-Z](?: [0-9]{{1,3}})?(?![0-9A-Za-z]))?{_UNIT})(?! ?(?:km|m|uhr|%|€|min)\b){RIGHT}",
            0.8,
            flags,
        ),
        (
            rf"{LEFT}(?P<v>(?:Am|An der|An den|Auf der|Auf dem|Im|In der|In den|Zur|Zum|Unter den|Hinter der|Bei der|Op de|Aan de) (?:[A-ZÄÖÜ][\wäöüß-]{{2,20}} ?){{1,3}}[0-9]{{1,3}} ?[a-z]?)(?![0-9A-Za-z.:%])(?! ?(?:Uhr|Jahre|Tage|Prozent|Euro|km|m)\b)",
            0.55,
            re.NOFLAG,
        ),
        # Romance, Slavic and others: 14 rue Ibn Jazzar, calle Amor de Dios 19, Via dei Glicini 7, interno 4, ul. Długa 5 m. 3, C/ Mayor, 4.
        # Refuses: "via e-mail", "place 3", "route to" (a capital must follow).
        (
            rf"{LEFT}(?P<v>(?:{_NUM}(?: ?(?:bis|ter))?,? )?(?i:{_BEFORE}) (?:(?:de la|de l'|de los|de las|des|du|de|del|della|dei|degli|delle|di|da|do|dos|das|la|le|les|el|l') ?)?(?!E-|Email)"
            rf"[A-ZÀ-ÞĀ-Ž0-9](?<!\d{{2}})[\w'.-]{{0,24}}(?: (?:(?:de|la|del|di|da|do|des|du|y|e|i|et) )?[A-ZÀ-ÞĀ-Ž][\w'.-]{{1,24}}){{0,3}}(?:,? (?:n[º°.] ?)?{_NUM})?(?i:{_UNIT})(?:(?i: m\. ?[0-9]{{1,3}}))?){RIGHT}",
            0.65,
            re.NOFLAG,
        ),
        # Post boxes: P.O. Box 1187, Postfach 12 34, Postbus 218, BP 45, Apartado 12, Casella postale 3, Skrytka 7.
        (
            rf"{LEFT}(?P<v>(?:p\.? ?o\.? ?box|post office box|postfach|postbus|postboks|postlåda|boîte postale|b\.p\.|apartado(?: postal| de correos)?|casella postale|caixa postal|skrytka pocztowa) ?(?:no\.? ?)?[0-9]{{1,6}}(?: [0-9]{{2,3}})?){RIGHT}",
            0.85,
            flags,
        ),
        # Flats and rooms of a home: flat 12, apt 4B, Flat 3/2, unit 7. Refuses: "flat 4 %", "unit 3 of the course".
        (
            rf"{LEFT}(?P<v>(?:flat|apartment|apt\.?|villa|plot) (?:no\.? ?)?#?[0-9]{{1,4}}[A-Za-z]?(?:[/-][0-9A-Za-z]{{1,3}})?(?:, street [0-9]{{1,3}}[A-Z]?)?)(?! ?(?:%|percent|of|and)){RIGHT}",
            0.5,
            flags,
        ),
    )
    return PatternRecognizer(
        "street_address",
        tuple(
            Pattern(re.compile(regex, mode), "street_address", score, needs=needs)
            for (regex, score, mode), needs in zip(expressions, _NEEDS, strict=True)
        ),
    )


_NEEDS: tuple[tuple[str, ...], ...] = (
    (), (), (), (),
    ("am ", "an ", "auf ", "im ", "in ", "zur ", "zum ", "unter ", "hinter ", "bei ", "op de", "aan de"),
    (),
    ("box", "postf", "postb", "postl", "boîte", "b.p.", "apartado", "casella", "caixa", "skrytka"),
    ("flat", "apartment", "apt", "villa", "plot"),
)  # fmt: skip
