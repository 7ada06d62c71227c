"""Ages of people."""

import re

from gama.tools.recognizers._patterns import Pattern, PatternRecognizer
from gama.tools.recognizers._text import LEFT, RIGHT


def age_recognizer() -> PatternRecognizer:
    """Return the recognizer of ages. The expressions run on the text in lower case."""
    tens = (
        r"(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ](?:one|two|three|four|five"
        r"|six|seven|eight|nine))?"
    )
    ones = (
        r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen"
        r"|sixteen|seventeen|eighteen|nineteen)"
    )
    number = r"(?:1[01]\d|[1-9]?\d)"
    return PatternRecognizer(
        "age",
        (
            # Accepts: 34 years old, 34-year-old, 34yo, 34 y/o, eleven months old, fifteen-year-old, 34 ans, 34 Jahre
            # alt, 34 años.
            # Refuses: 34 years (a duration), "5 years of experience", "old" alone.
            Pattern(
                re.compile(
                    rf"(?<![\d.,/-])(?P<v>{number}(?:[- ](?:years?|yrs?|months?|weeks?"
                    r"|days?)[- ]old| ?(?:yo|y/o|y\.o\.|yrs? old)"
                    r"| jahre alt| años(?: de edad)| ans(?= [^a-z]|[,.)]|$)| anni(?= [^a-z]|[,.)]"
                    rf"|$)| anos de idade| jaar oud| lat(?= [^a-z]|[,.)]|$)|-jährige[rn]?)){RIGHT}"
                ),
                "age", 0.85, lower=True, number=True,
                needs=("old", "yo", "y/o", "y.o", "alt", "edad", "ans", "anni", "idade", "oud", " lat", "jährig"),
            ),
            Pattern(
                re.compile(rf"{LEFT}(?P<v>(?:{tens}|{ones})[- ](?:years?|yrs?|months?|weeks?)[- ]old){RIGHT}"),
                "age", 0.85, lower=True, needs=(" old", "-old"),
            ),
            # Accepts: aged 34, age: 34, age 7, at the age of 34, turned 40, turns ninety, im 27, i'm 34 and, edad:
            # 34, Alter: 34.
            # Refuses: aged cheddar, page 34, "i'm 100 %", "I'm 5 minutes late".
            Pattern(
                re.compile(
                    rf"{LEFT}(?:aged|age|age of|age:|age =|ages|turned|turning|turns|turn|alter:?"
                    rf"|edad:?|âge:?|età:?|idade:?|leeftijd:?|wiek:?) {{0,2}}"
                    rf"(?P<v>{number}|{tens}|{ones})(?!\d)(?![.,:/%]\d|%|-\d)(?! (?:people|of|per"
                    rf"|percent|minutes|pages)){RIGHT}"
                ),
                "age", 0.75, lower=True, needs=("age", "turn", "alter", "edad", "âge", "età", "idade", "leeftijd",
                "wiek"),
            ),
            Pattern(
                re.compile(
                    rf"{LEFT}(?:i'm|im|i am|she's|he's|she is|he is|shes|hes) (?:only |just |now "
                    rf"|nearly |almost )?(?P<v>[1-9]\d|{tens})(?=[,.;)!?]|$|\n| and | m\b| f\b"
                    r"| yrs?\b| years?\b)"
                    r"(?!\.\d|,\d)"
                ),
                "age", 0.6, lower=True, needs=("i'm", "im ", "i am", "he's", "he is", "hes "),
            ),
            # Accepts: "Maya, 34, ", "Ruiz (52)": a number between commas or in brackets behind a capitalised word.
            # Refuses: dates ("June, 12, "), lists of numbers.
            Pattern(
                re.compile(
                    rf"(?<=[a-zà-ÿ], )(?P<n>{number})(?=[,;.] (?!\d)|[;\n]|$)"
                    rf"|(?<=[a-zà-ÿ] \()(?P<w>{number})(?=\)|, )"),
                "age", 0.5, number=True, check=_behind_name,
            ),
            # Accepts: "(34F", "me 41m". Refuses: 41m anywhere else (metres, minutes, months).
            Pattern(
                re.compile(r"(?P<v>[1-9]\d) ?[/]?[mf](?=[ ,.;)\]]|$)(?![.]\d)"),
                "age", 0.5, lower=True, number=True, check=lambda match: 12 <= int(match["v"]) <= 99 and _forum(match),
            ),
        ),
    )  # fmt: skip


def _behind_name(match: re.Match[str]) -> bool:
    before = match.string[max(0, match.start() - 26) : match.start()]
    word = re.search(r"([^\W\d_][\w'-]*)(?:, | \()$", before)
    months = (
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    )
    return bool(word and word[1][0].isupper() and word[1] not in months and int(match[0]) >= 3)


def _forum(match: re.Match[str]) -> bool:
    """Accept "34F" only where people write so: in brackets, or behind a pronoun."""
    before = match.string[max(0, match.start() - 6) : match.start()]
    return before.endswith(("(", "[")) or bool(re.search(r"\b(?:i|me|my|im|he|she) ?$", before))
