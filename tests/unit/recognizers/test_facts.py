"""Tables for dates, sums, bodies, places and names."""

from collections.abc import Callable

import pytest

from gama.tools.recognizers.base import Recognizer

Finder = Callable[[str, str], list[tuple[str, str]]]

POSITIVE = [
    ("date", "on 2024-11-05 we", "2024-11-05"),
    ("date", "17.06.2024", "17.06.2024"),
    ("date", "08/22/2025", "08/22/2025"),
    ("date", "Thursday 9 May", "Thursday 9 May"),
    ("date", "the 14th of May 2021", "14th of May 2021"),
    ("date", "June 5th, 2024", "June 5th, 2024"),
    ("date", "le 1er mars 2020", "1er mars 2020"),
    ("date", "am 7. Oktober 2023", "7. Oktober 2023"),
    ("date", "21 de abril de 2020", "21 de abril de 2020"),
    ("date", "3 września 2024", "3 września 2024"),
    ("date", "3.ix.1938", "3.ix.1938"),
    ("date", "2, 9 and 16 February", "2, 9 and 16 February"),
    ("date", "出院2024年3月5日", "2024年3月5日"),
    ("date", "since June 2023", "June 2023"),
    ("date", "since 1998", "1998"),
    ("date", "by Friday", "Friday"),
    ("date_of_birth", "DOB: 09-11-1994", "09-11-1994"),
    ("date_of_birth", "born on 5 May 1988 in", "5 May 1988"),
    ("date_of_birth", "née le 3 août 2003", "3 août 2003"),
    ("date_of_birth", "geboren am 12.03.1975", "12.03.1975"),
    ("date_of_birth", "Date of birth: July 30, 1990", "July 30, 1990"),
    ("date_of_birth", "出生日期：1990年5月1日", "1990年5月1日"),
    ("time", "at 14:02", "14:02"),
    ("time", "22:47:31", "22:47:31"),
    ("time", "4-7 p.m.", "4-7 p.m."),
    ("time", "at 6pm", "6pm"),
    ("time", "17.30 Uhr", "17.30 Uhr"),
    ("time", "half past ten", "half past ten"),
    ("duration", "for 11.5 days", "11.5 days"),
    ("duration", "fifteen years", "fifteen years"),
    ("duration", "took 2h30m", "2h30m"),
    ("money", "£544 a month", "£544 a month"),
    ("money", "CHF 487.30", "CHF 487.30"),
    ("money", "9,800 EUR", "9,800 EUR"),
    ("money", "96 400 euros", "96 400 euros"),
    ("money", "Rs. 4,75,000 gone", "Rs. 4,75,000"),
    ("money", "US$1,204.60", "US$1,204.60"),
    ("money", "raise $12k", "$12k"),
    ("money", "1 240 lv", "1 240 lv"),
    ("money", "1.234,50\u00a0€", "1.234,50\u00a0€"),
    ("money", "¥12000", "¥12000"),
    ("percentage", "our debt ratio is 62.6 %", "62.6 %"),
    ("percentage", "ROI of 41 percent", "41 percent"),
    ("credit_score", "my credit score is 742", "742"),
    ("credit_score", "score: 76.5/100", "76.5/100"),
    ("age", "a 34-year-old", "34-year-old"),
    ("age", "she is 34 years old", "34 years old"),
    ("age", "aged 71,", "71"),
    ("age", "34yo nurse", "34yo"),
    ("age", "34 Jahre alt", "34 Jahre alt"),
    ("height", "I'm 1,74 m tall", "1,74 m"),
    ("height", "181 cm", "181 cm"),
    ("height", "5'11\" tall", "5'11\""),
    ("weight", "she weighs 72 kg", "72 kg"),
    ("weight", "weight: 180 lbs", "180 lbs"),
    ("blood_type", "blood type: AB-", "AB-"),
    ("blood_type", "Blutgruppe 0+", "0+"),
    ("postcode", "Ludlow SY8 1QP", "SY8 1QP"),
    ("postcode", "Tulsa OK 74110", "74110"),
    ("postcode", "apt 6, H2K 4C8", "H2K 4C8"),
    ("postcode", "Postbus 218, 1970 AE", "1970 AE"),
    ("postcode", "Lindenstraße 41, 04103 Leipzig", "04103"),
    ("street_address", "at 11 Mercy Lane, Ludlow", "11 Mercy Lane"),
    ("street_address", "Flat 6, 19 Mafeking Road", "Flat 6, 19 Mafeking Road"),
    ("street_address", "2208 E SORREL DR APT 3", "2208 E SORREL DR APT 3"),
    ("street_address", "wohnt Lindenstraße 41", "Lindenstraße 41"),
    ("street_address", "14 rue Ibn Jazzar", "14 rue Ibn Jazzar"),
    ("street_address", "calle Amor de Dios 19", "calle Amor de Dios 19"),
    ("street_address", "Via dei Glicini 7, interno 4", "Via dei Glicini 7, interno 4"),
    ("street_address", "ul. Długa 5 m. 3", "ul. Długa 5 m. 3"),
    ("street_address", "Prinsengracht 263", "Prinsengracht 263"),
    ("street_address", "rua Augusta 100", "rua Augusta 100"),
    ("street_address", "P.O. Box 1187", "P.O. Box 1187"),
    ("person_title", "Dear Mr. Okafor,", "Okafor"),
    ("person_title", "seen by Dr. Anna van der Berg today", "Anna van der Berg"),
    ("person_title", "Herr Müller kommt", "Müller"),
    ("person_title", "Mrs O'Neill's dog", "O'Neill"),
    ("person_title", "MRS JANE DOE", "JANE DOE"),
    ("person_signature", "Dear Emma Williams,\nhello", "Emma Williams"),
    ("person_signature", "Thanks!\n\nBest regards,\nDaniel Jones", "Daniel Jones"),
    ("person_signature", "Mit freundlichen Grüßen\n\nJürgen Weiß", "Jürgen Weiß"),
    ("person_signature", "Hi, my name is Ana Ruiz and", "Ana Ruiz"),
    ("person_signature", "Je m'appelle Chloé Dupont.", "Chloé Dupont"),
    ("person_signature", "Hola Marta:\n", "Marta"),
    ("person_signature", "Patient name: Tom Becker\n", "Tom Becker"),
]  # fmt: skip

NEGATIVE = [
    ("date", "24/7"), ("date", "version 1.2.3.4"), ("date", "he may go"), ("date", "a march of 3"), ("date",
        "20-20-20"),
    ("date", "the 3rd party"), ("date", "the 19th century"), ("date", "room 2019"), ("date", "9/10 stars"),
    ("date_of_birth", "born in Lima"), ("date_of_birth", "a born leader"), ("date_of_birth", "12.03.1975"),
    ("time", "ratio 16:9"), ("time", "scale 1:25,000"), ("time", "3 ampere"), ("time", "4.5 per cent"),
    ("duration", "5 years old"), ("duration", "5-year-old"),
    ("money", "$HOME"), ("money", "12 people"), ("money", 'echo "$1"'), ("money", "Q1 results"), ("money", "K9 unit"),
    ("percentage", "20 % of voters"), ("percentage", "hotel%20name returns"),
    ("credit_score", "the score was 3-2"), ("credit_score", "scored 742"),
    ("age", "page 34"), ("age", "34 years of work"), ("age", "aged cheddar"), ("age", "I'm 100% sure"),
    ("height", "a 300 cm beam"), ("height", "2.50 m x 1.20 m"), ("height", "2'30\" lap"),
    ("weight", "2 kg of apples"), ("weight", "a 5kg bag"),
    ("blood_type", "I got an A+ in maths"), ("blood_type", "vitamin B"),
    ("postcode", "year 2024 AD"), ("postcode", "12345"), ("postcode", "1000 EUR"), ("postcode", "L-0031 part"),
    ("street_address", "3 people in the street"), ("street_address", "send it via e-mail"), ("street_address",
        "place 3 bets"),
    ("street_address", "2 close calls"),
    ("person_title", "Miss you lots"), ("person_title", "Dr. The"), ("person_title", "Don't go"),
    ("person_signature", "Dear Sir or Madam,"), ("person_signature", "Hi there,"), ("person_signature",
        "Dear Customer,"),
    ("person_signature", "my name is mud"), ("person_signature", "give my regards to the team"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "value"), POSITIVE)
def test_found(find: Finder, name: str, text: str, value: str) -> None:
    assert value in [found for found, _ in find(name, text)]


@pytest.mark.parametrize(("name", "text"), NEGATIVE)
def test_left_alone(find: Finder, name: str, text: str) -> None:
    assert find(name, text) == []


@pytest.mark.parametrize(
    ("text", "subtype"),
    [
        ("my salary is £3,000", "income"),
        ("the rent is £900", "expenses"),
        ("a mortgage of €200,000", "loan"),
        ("the balance is $40.20", "balance"),
        ("a bonus of $3,100", "bonus"),
        ("the credit limit is $18k", "credit_limit"),
        ("I sold it for £20", "amount"),
    ],
)
def test_sums_take_their_kind_from_the_words_around(find: Finder, text: str, subtype: str) -> None:
    assert [kind for _, kind in find("money", text)] == [subtype]


@pytest.mark.parametrize("name", ["date", "time", "money", "percentage", "duration", "person_title"])
def test_context_decides(built: dict[str, Recognizer], name: str) -> None:
    text = "Dr. Osei said on 2024-11-05 at 14:02 for 3 days: €20, a debt ratio of 41 %."
    spans = list(built[name].find(text))
    assert spans
    assert all(span.private is None and not span.validated for span in spans)
