"""Planted values: made-up private data of many kinds and cultures, different for every text.

Nobody is meant: names are put together by chance, numbers have the checksums of their kind, addresses of mail and web
end in `.example`, telephone numbers lie in ranges that are kept for stories where a country has one.
"""

from collections.abc import Callable
from random import Random
from typing import NamedTuple


class Canary(NamedTuple):
    """One planted value."""

    value: str
    kind: str
    origin: str
    """Language or country it belongs to."""


NAMES: dict[str, tuple[str, str]] = {
    "English": ("Thessaly Ottilie Barnaby Clementine Ambrose Rosalind",
                "Quornbeck Tilling Brackenbury Hartwell Oakshott"),
    "German": ("Jürgen Annegret Käthe Götz Friederike Sönke", "Müllenbach Gärtner-Loh Weißhaupt Übelacker Strößner"),
    "French": ("Éloïse Gaël Océane Thibault Maëlys Hélène", "Lefèvre Dubois-Crépin d'Aubigny Gaçon Beaufrère"),
    "Spanish": ("Íñigo María Begoña Joaquín Núria Xavier", "Ibáñez Peña Goicoechea Núñez Zubizarreta"),
    "Polish": ("Łukasz Małgorzata Grzegorz Żaneta Wojciech", "Wróblewski Kołodziejczyk Świątek Żurawska Dąbrowa"),
    "Nordic": ("Åsa Bjørn Sólveig Jørgen Þórunn Märta", "Ågård Østergaard Lindqvist Guðmundsdóttir Kjær"),
    "Turkish": ("Emre Gülşen Çağlar İpek Oğuzhan", "Yıldırım Şahin Özgür Kılıç Demirtaş"),
    "Vietnamese": ("Nguyễn Trần Phạm Đặng Lý", "Thị-Hương Văn-Dũng Minh-Châu Quốc-Bảo Thùy-Linh"),
    "Yoruba": ("Adébáyọ̀ Olúwaṣeun Títílayọ̀ Ọmọlará", "Adéwálé Ògúnlẹ́yẹ Balógun Ayọ̀délé"),
    "Indian": ("Lakshmi Raghunath Priyanka Venkatesh Anjali", "Subramaniam Chattopadhyay Iyengar Deshmukh Kulkarni"),
    "Russian": ("Владимир Анастасия Фёдор Людмила Тимофей", "Кузнецов Воробьёва Ильинский Щербакова Чайковский"),
    "Greek": ("Νίκος Ελευθερία Σταύρος Χρυσάνθη", "Παπαδόπουλος Γεωργίου Καραγιάννης Οικονόμου"),
    "Arabic": ("محمد فاطمة يوسف زينب عمر", "الفاسي الحداد القرشي المنصوري الشريف"),
    "Hebrew": ("יוסף רבקה אברהם נעמי שלמה", "כהן לוי מזרחי פרידמן ברקוביץ"),
    "Chinese": ("王 李 欧阳 张 陈", "小明 婷婷 伟强 思远 美玲"),
    "Japanese": ("山田 佐藤 長谷川 渡辺", "太郎 花子 健一郎 美咲"),
    "Korean": ("김 이 박 최 정", "민수 서연 지훈 하은"),
    "Thai": ("สมชาย กัญญา วรเทพ นภัสสร", "ใจดี ศรีสุข ทองแท้ วงศ์ไทย"),
    "Hindi": ("राजेश सुनीता अमिताभ प्रियंका", "शर्मा वर्मा चतुर्वेदी मिश्रा"),
}  # fmt: skip
"""Given and family names, in the order in which they are written."""

_JOINED = frozenset({"Chinese", "Japanese", "Korean"})
STREETS = ("Quarry Lane", "Rosenweg", "Rue des Lilas", "Calle del Olmo", "Ulica Lipowa", "Elm Street", "Via dei Mille")
TOWNS = ("Brackley Heath", "Oberlinden", "Saint-Aubin", "Villanueva del Río", "Nowa Wieś", "Westerham", "Kirkholm")
COMPANIES = ("Tilling & Vane Ltd", "Oberlinden Maschinenbau GmbH", "Lefèvre Frères SARL", "Quornbeck Holdings plc")


def name(rng: Random, origin: str | None = None) -> Canary:
    """Return a full name."""
    origin = origin or rng.choice(sorted(NAMES))
    first, last = (rng.choice(words.split()) for words in NAMES[origin])
    return Canary(first + last if origin in _JOINED else f"{first} {last}", "name", origin)


def email(rng: Random) -> Canary:
    """Return an address of mail."""
    first, last = (rng.choice(words.split()).lower() for words in NAMES["English"])
    return Canary(f"{first[0]}.{last}{rng.randrange(10, 99)}@planted.example", "email", "English")


def phone(rng: Random) -> Canary:
    """Return a telephone number."""
    written, origin = rng.choice((
        ("+44 7700 900{:03d}", "British"), ("+49 1522 5{:06d}", "German"), ("+33 6 39 98 {:02d} 11", "French"),
        ("(212) 555-0{:03d}", "American"), ("+34 612 34{:04d}", "Spanish"), ("+91 98765 4{:04d}", "Indian"),
    ))  # fmt: skip
    width = int(written.partition(":0")[2][0])
    return Canary(written.format(rng.randrange(10 ** (width - 1), 10**width)), "phone", origin)


def iban(rng: Random) -> Canary:
    """Return an account number whose check digits are right."""
    country, bank, size = rng.choice((("GB", "NWBK", 14), ("DE", "", 18), ("NL", "ABNA", 10)))
    body = bank + "".join(str(rng.randrange(10)) for _ in range(size))
    check = 98 - int("".join(str(int(char, 36)) for char in body + country + "00")) % 97
    whole = f"{country}{check:02d}{body}"
    return Canary(" ".join(whole[at : at + 4] for at in range(0, len(whole), 4)), "iban", country)


def card(rng: Random) -> Canary:
    """Return the number of a credit card, with its check digit."""
    digits = [4, *(rng.randrange(10) for _ in range(14))]
    total = sum(sum(divmod(2 * digit, 10)) if place % 2 == 0 else digit for place, digit in enumerate(digits))
    whole = "".join(map(str, [*digits, -total % 10]))
    return Canary(" ".join(whole[at : at + 4] for at in range(0, 16, 4)), "card", "international")


def national_id(rng: Random) -> Canary:
    """Return the number of a person in a country, with its check digit."""
    if rng.random() < 0.5:
        number = rng.randrange(10_000_000, 99_999_999)
        return Canary(f"{number}{'TRWAGMYFPDXBNJZSQVHLCKE'[number % 23]}", "national id", "Spanish")
    digits = [rng.randrange(10) for _ in range(9)]
    for _ in range(2):
        size = len(digits) + 1
        left = sum(digit * (size - place) for place, digit in enumerate(digits)) * 10 % 11
        digits.append(left % 10)
    text = "".join(map(str, digits))
    return Canary(f"{text[:3]}.{text[3:6]}.{text[6:9]}-{text[9:]}", "national id", "Brazilian")


def address(rng: Random) -> Canary:
    """Return a street with its number."""
    return Canary(f"{rng.randrange(11, 199)} {rng.choice(STREETS)}, {rng.choice(TOWNS)}", "address", "mixed")


def birth(rng: Random) -> Canary:
    """Return a day of birth."""
    day, year = rng.randrange(1, 28), rng.randrange(1941, 1999)
    months = "January February March April May June July August September October November December".split()
    return Canary(f"{day} {rng.choice(months)} {year}", "day of birth", "English")


def net(rng: Random) -> Canary:
    """Return an address of a machine, or a page that names a person."""
    if rng.random() < 0.5:
        return Canary(f"203.0.113.{rng.randrange(10, 250)}", "IP address", "international")
    return Canary(f"https://people.planted.example/u/{rng.randrange(10**5, 10**6)}", "URL", "international")


def secret(rng: Random) -> Canary:
    """Return a key of a service."""
    letters = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
    return Canary("sk-proj-" + "".join(rng.choice(letters) for _ in range(40)), "API key", "international")


def reference(rng: Random) -> Canary:
    """Return the number of a customer or patient."""
    return Canary(f"{rng.choice(('KX', 'PAT', 'CUST'))}-{rng.randrange(10**6, 10**7)}", "reference", "international")


def company(rng: Random) -> Canary:
    """Return an employer."""
    return Canary(rng.choice(COMPANIES), "employer", "mixed")


MAKERS: tuple[Callable[[Random], Canary], ...] = (
    name, email, phone, iban, card, national_id, address, birth, net, secret, reference, company,
)  # fmt: skip
"""One for each kind."""
