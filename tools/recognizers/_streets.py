"""Expression parts of street addresses in nine languages."""

NUMBER = r"[0-9]{1,5}(?: [A-Z](?![A-Za-z])|[A-Za-z](?![A-Za-z])|[/-][0-9]{1,4}[A-Za-z]?)?"
"""A house number: 12, 12a, 12 B, 17/3."""

CAPITAL = r"[A-ZÀ-ÞĀ-Ž][\w'.-]{0,24}"
"""A word with a capital."""

PARTICLE = r"(?:of|the|and|de|la|le|les|des|du|del|der|den|di|da|do|dos|das|van|von|zum|zur|am|an|al|el|y|e)"

UNIT = (
    r"(?:,? {1,2}(?:apt|apartment|flat|unit|suite|ste|room|rm|floor|fl|bldg|building|interno|int"
    r"|piso|puerta|app|appt|bus|m|lok|wohnung|top|"
    r"stiege|lgh|dept|depto|#)\.? {0,2}#? ?[0-9A-Z]{1,5}(?![0-9A-Za-z]))?"
)
"""A flat within the house, with its leading comma."""

ENGLISH = (
    r"(?:street|str|st|road|rd|avenue|ave|av|lane|ln|drive|dr|boulevard|blvd|court|ct|close|cl|way"
    r"|place|pl|square|sq|terrace|ter|crescent|"
    r"cres|gardens|gdns|grove|row|mews|hill|rise|walk|parade|highway|hwy|parkway|pkwy|circle|cir"
    r"|trail|trl|alley|yard|wharf|quay|quarry|green|"
    r"park|view|vale|mount|brae|track|loop|plaza|pike|crossing|gate|wynd|path|race|end|drift)"
)
"""What English streets end in."""

SUFFIXES = (
    "straße", "strasse", "str.", "gasse", "weg", "platz", "allee", "ring", "ufer", "damm", "chaussee", "steig",
    "graben", "gürtel", "markt",
    "hof", "straat", "laan", "plein", "gracht", "kade", "dijk", "singel", "steeg", "gatan", "vägen", "gata", "gate",
    "gaten", "veien", "vei",
    "vej", "gade", "katu", "tie", "polku", "stræde", " pst", " iela", "ská", " tänav", " utca", " út", " ulica", "gt.",
)  # fmt: skip
"""What German, Dutch, Nordic, Baltic, Czech, Hungarian street names end in, before the number."""

LEADING = (
    "rue", "avenue", "av.", "boulevard", "bd", "place", "allée", "chemin", "impasse", "quai", "cours", "route",
    "passage", "square", "calle",
    "c/", "avenida", "avda", "avda.", "plaza", "paseo", "carrer", "camino", "ronda", "travesía", "via", "viale",
    "piazza", "corso", "vicolo",
    "largo", "strada", "rua", "rúa", "travessa", "praça", "alameda", "estrada", "ulica", "ul.", "aleja", "al.",
    "plac", "pl.", "osiedle", "os.",
    "ulitsa", "jalan", "jl.", "jl", "gali no.", "soi", "str.", "bulevardul", "quartier",
)  # fmt: skip
"""What Romance, Slavic and other street names begin with."""
