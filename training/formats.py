"""Values that follow a format: codes, dates, sums, measures, in the notations people really use.

Every maker takes the random generator and returns a new surface. No value is anybody's on purpose; numbers that
authorities issue are drawn without regard to their checksums, except payment cards and IBANs,
where only the shape counts
for the tagger anyway.
"""

import string
from collections.abc import Callable
from random import Random

MONTHS = ("January February March April May June July August September October November December").split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
CURRENCIES = ("$", "£", "€", "₹", "¥", "R$", "C$", "kr ", "zł ", "₦")
CURRENCY_WORDS = (
    "USD",
    "EUR",
    "GBP",
    "INR",
    "dollars",
    "euros",
    "pounds",
    "pesos",
    "CHF",
    "SEK",
    "rupees",
    "yen",
    "bucks",
)


def pattern(rng: Random, *shapes: str) -> str:
    """Fill one of the shapes: `#` digit, `9` digit but 0, `@` capital, `?` small, `%` hex, `*` letter or digit."""
    pools = {
        "#": string.digits,
        "9": "123456789",
        "@": string.ascii_uppercase,
        "?": string.ascii_lowercase,
        "%": "0123456789abcdef",
        "*": string.ascii_letters + string.digits,
    }
    return "".join(rng.choice(pools[char]) if char in pools else char for char in rng.choice(shapes))


def phone(rng: Random) -> str:
    """Return a telephone number of some country in some notation."""
    return pattern(
        rng, "(9##) 9##-####", "9##-9##-####", "9##.9##.####", "+1 9## 9## ####", "+44 7### ######", "07### ######",
        "07### ### ###", "+49 17# #######", "+33 6 ## ## ## ##", "06 ## ## ## ##", "+91 9####-#####",
        "+234 80# ### ####",
        "+34 6## ## ## ##", "+61 4## ### ###", "0## ### ####", "+9#-9#########", "9#########", "+1-9##-9##-####",
        "555-01##", "+48 9## ### ###", "00## ## ### ## ##", "+9#9 9## ### ####", "0#### ######", "+55 11 9####-####",
    )  # fmt: skip


def date(rng: Random) -> str:
    """Return a date in some notation, not always complete."""
    day, month, year = rng.randint(1, 28), rng.randint(1, 12), rng.randint(1985, 2026)
    name = MONTHS[month - 1]
    short = name[:3]
    ordinal = f"{day}{'th' if 10 < day < 20 else {1: 'st', 2: 'nd', 3: 'rd'}.get(day % 10, 'th')}"
    return rng.choice((
        f"{year}-{month:02}-{day:02}", f"{day:02}/{month:02}/{year}", f"{month}/{day}/{year}", f"{day}.{month}.{year}",
        f"{name} {day}, {year}", f"{day} {name} {year}", f"{short} {day}", f"{ordinal} of {name}", f"{name} {ordinal}",
        f"{day} {short} {year}", f"{rng.choice(DAYS)}, {name} {day}", f"{rng.choice(DAYS)[:3]} {day}/{month}",
        f"{name} {year}", f"{day:02}-{short}-{year % 100:02}", f"{rng.choice(DAYS)} {day} {name}", str(year),
        rng.choice(DAYS), f"{year}/{month:02}/{day:02}", f"{day:02}.{month:02}.{year % 100:02}",
        f"{ordinal} {name} {year}", f"the {ordinal}", f"the {ordinal} of {name} {year}",
        f"{year} to {year + rng.randint(1, 9)}", f"{day}{rng.choice(('-', '–', ' – ', ' to '))}{day + 3} {name}",
        f"{name} to {MONTHS[month % 12]} {year}", f"{day} {name} {rng.choice('-–')} {day} {MONTHS[month % 12]} {year}",
    ))  # fmt: skip


def birth(rng: Random) -> str:
    """Return a complete date of birth."""
    day, month, year = rng.randint(1, 28), rng.randint(1, 12), rng.randint(1932, 2019)
    name = MONTHS[month - 1]
    return rng.choice((
        f"{year}-{month:02}-{day:02}", f"{day:02}/{month:02}/{year}", f"{month:02}/{day:02}/{year}",
        f"{name} {day}, {year}",
        f"{day} {name} {year}", f"{day:02}.{month:02}.{year}", f"{day:02}-{name[:3]}-{year}",
        f"{day}/{month}/{year % 100:02}",
        f"{day} {name[:3]} {year}",
    ))  # fmt: skip


def time(rng: Random) -> str:
    """Return a clock time."""
    hour, minute = rng.randint(0, 23), rng.choice((0, 5, 10, 15, 20, 30, 40, 45, 52))
    half = rng.choice((" am", " pm", "am", "pm", " p.m.", " AM", " PM"))
    return rng.choice((
        f"{hour:02}:{minute:02}", f"{hour % 12 + 1}:{minute:02}{half}", f"{hour % 12 + 1}{half}",
        f"{hour:02}:{minute:02}:{rng.randint(0, 59):02}",
        f"{hour:02}.{minute:02}", f"{hour:02}h{minute:02}", "noon", f"half past {hour % 12 + 1}",
        f"{hour:02}{minute:02} hrs", f"{hour % 12 + 1}{rng.choice('-–')}{hour % 12 + 3}{half}",
        f"{hour:02}:{minute:02}{rng.choice(('-', '–', ' to '))}{(hour + 2) % 24:02}:{minute:02}",
    ))  # fmt: skip


def duration(rng: Random) -> str:
    """Return a length of time."""
    count = rng.randint(2, 30)
    unit = rng.choice(("days", "weeks", "months", "years", "hours", "minutes"))
    words = rng.choice(("two", "three", "four", "five", "six", "eight", "ten"))
    return rng.choice(
        (f"{count} {unit}", f"{words} {unit}", f"{count}{unit[0]}", f"over {words} {unit}"[5:], f"{count}-{unit[:-1]}")
    )


def number(rng: Random, low: int, high: int) -> str:
    """Return a whole number with or without thousands marks."""
    value = rng.randint(low, high)
    if rng.random() < 0.5:
        value = round(value, -2 if value > 1000 else -1) or value
    return rng.choice(
        (
            f"{value:,}",
            str(value),
            f"{value:,}.00",
            f"{value:,}.{rng.randint(0, 99):02}",
            f"{value:,}".replace(",", "."),
        )
    )


def money(rng: Random, low: int = 40, high: int = 90_000) -> str:
    """Return a sum with its currency."""
    plain = number(rng, low, high)
    return rng.choice((
        rng.choice(CURRENCIES) + plain, rng.choice(CURRENCIES[:3]) + plain, "$" + plain,
        f"{plain} {rng.choice(CURRENCY_WORDS)}",
        f"{rng.choice(CURRENCY_WORDS[:4])} {plain}", f"{rng.choice('$£€')}{rng.randint(1, 950)}k", f"{plain}€",
    ))  # fmt: skip


def percent(rng: Random) -> str:
    """Return a percentage."""
    return rng.choice(
        (
            f"{rng.randint(1, 60)}%",
            f"{rng.randint(1, 60)}.{rng.randint(0, 99):02}%",
            f"{rng.randint(1, 60)}.{rng.randint(1, 9)} %",
            f"{rng.randint(2, 40)} percent",
        )
    )


def age(rng: Random) -> str:
    """Return an age, with its unit or bare."""
    years = rng.randint(3, 94)
    return rng.choice(
        (f"{years}", f"{years} years old", f"{years}-year-old", f"{years} yrs", f"{years} y/o", f"aged {years}"[5:])
    )


def height(rng: Random) -> str:
    """Return a body height."""
    feet, inches, cm = rng.randint(4, 6), rng.randint(0, 11), rng.randint(145, 204)
    return rng.choice(
        (
            f"{cm} cm",
            f"{cm}cm",
            f"{feet}'{inches}\"",
            f"{feet}ft {inches}in",
            f"1.{cm % 100:02} m",
            f"{feet}'{inches}",
            f"{feet} feet {inches} inches",
        )
    )


def weight(rng: Random) -> str:
    """Return a body weight."""
    kilos = rng.randint(42, 130)
    return rng.choice(
        (
            f"{kilos} kg",
            f"{kilos}kg",
            f"{kilos * 2} lbs",
            f"{kilos * 2} pounds",
            f"{kilos // 6} st {kilos % 13}",
            f"{kilos}.{rng.randint(1, 9)} kg",
        )
    )


def postcode(rng: Random) -> str:
    """Return a postal code of some country."""
    return pattern(
        rng,
        "9####",
        "9####",
        "9####-####",
        "@@9 9@@",
        "@9 9@@",
        "@@9# 9@@",
        "@9@ 9@9",
        "9###",
        "9#-###",
        "9### @@",
        "9#####",
        "### ##",
        "@9# @9##",
    )


def coordinates(rng: Random) -> str:
    """Return a place on the globe."""
    north, east = rng.uniform(-60, 60), rng.uniform(-180, 180)
    minutes = [rng.randint(0, 59) for _ in range(4)]
    return rng.choice((
        f"{north:.4f}, {east:.4f}",
        f"{abs(north):.4f}° {'N' if north > 0 else 'S'}, {abs(east):.4f}° {'E' if east > 0 else 'W'}",
        f"{north:.6f},{east:.6f}",
        f"{int(abs(north))}°{minutes[0]}'{minutes[1]}\"N {int(abs(east))}°{minutes[2]}'{minutes[3]}\"W",
    ))  # fmt: skip


def password(rng: Random) -> str:
    """Return a password or PIN as people choose them."""
    word = rng.choice(
        "sunshine Dragon tiger monkey Winter summer Coffee hunter guitar pickle Banana river Shadow purple".split()
    )
    return rng.choice((
        f"{word}{rng.randint(1, 9999)}", f"{word.title()}!{rng.randint(10, 2026)}",
        pattern(rng, "####", "######", "********", "**********!", "@?#?@##$?", "****-****-****"),
        f"{word.title()}_{rng.choice(('Moon', 'Star', 'Cat'))}#{rng.randint(1, 99)}",
        f"{word}-{rng.choice(('lamp', 'horse', 'staple'))}-{rng.randint(1, 99)}",
    ))  # fmt: skip


def email(rng: Random, first: str, last: str) -> str:
    """Return an e-mail address built on a name, at a reserved or invented domain."""
    first = "".join(char for char in first.lower() if char.isascii() and char.isalnum()) or "info"
    last = "".join(char for char in last.lower() if char.isascii() and char.isalnum()) or "desk"
    user = rng.choice(
        (
            f"{first}.{last}",
            f"{first[0]}{last}",
            f"{first}{rng.randint(1, 99)}",
            f"{last}_{first}",
            f"{first}.{last[0]}",
            f"{first}-{last}{rng.randint(60, 99)}",
            f"{last}{first[0]}",
        )
    )
    return (
        user
        + "@"
        + rng.choice(
            (
                "example.com",
                "example.org",
                "mail.example",
                "gmail.com",
                "outlook.com",
                f"{last}.example",
                "corp.example.net",
                "yahoo.co.uk",
                "uni.example.edu",
                "proton.me",
                "web.de",
            )
        )
    )


def handle(rng: Random, first: str) -> str:
    """Return a user name."""
    base = "".join(char for char in first.lower() if char.isalnum()) or "user"
    tail = rng.choice(
        (
            "",
            "_x",
            str(rng.randint(1, 2010)),
            ".bakes",
            "_official",
            "writes",
            "_" + str(rng.randint(1, 99)),
            "TheGreat",
        )
    )
    return rng.choice(("@", "@", "u/", "", "@the")) + base + (tail or "_of_" + rng.choice("oak sea sky mars".split()))


_SHAPES: dict[str, tuple[str, ...]] = {
    "ssn": (
        "9##-##-####", "9##-##-####", "9########", "9## ## ####", "@@ ## ## ## @", "###.###.###-##",
        "9#### #### ####", "######-####", "XXX-XX-####",
    ),
    "drivers_license": (
        "@########", "@#######", "@###-####-####", "#######", "@@######", "@@@@@######@@9@@", "DL-@#######",
    ),
    "bank_account": (
        "##########", "###########", "############", "########", "####-####-##", "####-######-#", "### ### ###",
        "**** ####", "## ## ## ########",
    ),
    "iban": (
        "DE## #### #### #### #### ##", "GB##@@@@##############", "FR## #### #### #### #### #### ###",
        "ES######################", "NL##@@@@##########", "IT##@##########************",
    ),
    "credit_card": (
        "4### #### #### ####", "5###-####-####-####", "4###############", "37## ###### #####", "5### #### #### ####",
        "**** **** **** ####", "xxxx-####", "6011 #### #### ####",
    ),
    "ip_address": (
        "9#.9#.1##.9#", "192.168.9.##", "10.9#.##.9", "203.0.113.9#", "2001:db8:%%%%:%%::%%%", "fe80::%%%:%%%%:%%%%",
        "198.51.100.##", "172.16.9#.1##",
    ),
    "mac_address": ("%%:%%:%%:%%:%%:%%", "%%-%%-%%-%%-%%-%%", "%%%%.%%%%.%%%%"),
    "password_hash": (
        "%" * 64, "%" * 32, "%" * 40, "$2b$12$" + "*" * 53, "$argon2id$v=19$m=65536$" + "*" * 22,
        "sha256:" + "%" * 64,
    ),
    "api_key": (
        "sk-" + "*" * 32, "AKIA@@@@@@@@@@@@@@@@", "ghp_" + "*" * 36, "pk_live_" + "*" * 24, "*" * 40,
        "xoxb-############-" + "*" * 24, "%" * 32, "AIza" + "*" * 35,
    ),
    "passport": ("@########", "@#######", "#########", "@@#######", "@@# ######", "######### "),
    "tax_id": (
        "#########", "9#-#######", "### ### ####", "DE#########", "GB ### #### ##", "###-###-##-##", "9##########",
        "@@@@@####@",
    ),
    "employee_id": ("@@######", "E-#####", "EMP-####", "#####", "EMP######", "staff ####", "@@-####", "P-####/##"),
    "student_id": ("########", "S########", "STU-#####", "s#######", "20######", "@##-####-##", "M#######"),
    "patient_id": (
        "MRN ########", "########", "PT-######", "MRN-#####", "P######", "NHS ### ### ####", "H##-#####", "@@####-##",
    ),
    "case_number": (
        "#:##-cv-#####", "CR-20##-####", "20##/#####", "CASE-######", "INC#######", "CL-##-####", "## @ ####/##",
        "TKT-#####", "@@-20##-@@-####",
    ),
    "order_number": (
        "#######", "ORD-#####", "###-#######-#######", "#@@-#####", "INV-20##-###", "PO######", "W#########",
        "20##-####",
    ),
    "vehicle_plate": (
        "@@## @@@", "###-@@@", "@@@ ####", "@-@@ ####", "#@@@###", "@@ ## @ ####", "@@-###-@@", "@@@-####",
        "## @@@ ##",
    ),
    "crypto_wallet": ("0x" + "%" * 40, "bc1q" + "?" * 34, "1" + "*" * 33, "3" + "*" * 33, "r" + "*" * 33),
    "device_id": (
        "@@@-@@-####", "############### ", "SN-@@#######", "LAPTOP-*******", "@#@#######@@",
        "%%%%%%%%-%%%%-%%%%-%%%%-%%%%%%%%%%%%",
    ),
    "other_id": (
        "@@@######", "POL-#######", "##-###-####", "ID ########", "@#####", "@@ ### ###", "LIC-#####", "REF/####/@@",
        "M-######", "GRP####",
    ),
    "url": (
        "https://www.example.com/profile/?????????##", "http://?????.example.org/~????",
        "linkedin.com/in/??????-?????", "https://?????????.example/cv", "github.com/?????##", "www.??????-??????.com",
    ),
    "credit_score": ("7##", "6##", "5##", "8##", "4##", "7##/850"),
}  # fmt: skip

_MAKERS: dict[str, Callable[[Random], str]] = {
    "phone": phone,
    "date": date,
    "date_of_birth": birth,
    "time": time,
    "duration": duration,
    "age": age,
    "height": height,
    "weight": weight,
    "postcode": postcode,
    "coordinates": coordinates,
    "password": password,
    "debt_ratio": percent,
    "investment_return": percent,
    "roi": percent,
    "income": lambda rng: (
        money(rng, 600, 180_000)
        + rng.choice(("", "", " a month", "/month", " per year", " a year", "/yr", " per month"))
    ),  # fmt: skip
    "expenses": lambda rng: money(rng, 100, 6_000) + rng.choice(("", "", " a month", "/month", " per month")),
    "balance": money,
    "loan": lambda rng: money(rng, 1_000, 900_000),
    "bonus": lambda rng: money(rng, 300, 60_000),
    "credit_limit": lambda rng: money(rng, 500, 50_000),
    "social_security_payment": lambda rng: money(rng, 200, 4_000),
    "tax_payment": lambda rng: money(rng, 100, 40_000),
    "amount": money,
}


def formatted(subtype: str, rng: Random) -> str | None:
    """Return a new value of a subtype that follows a format, or None for one that comes from lists."""
    if subtype in _MAKERS:
        return _MAKERS[subtype](rng).strip()
    if subtype in _SHAPES:
        return pattern(rng, *_SHAPES[subtype]).strip()
    return None


def reshape(surface: str, rng: Random) -> str:
    """Return the same shape with other digits and, in codes, other letters next to digits.

    Words stay as they are, so `order #LX-55082` becomes `order #QD-90317` and not noise.
    """
    has_word = any(part.isalpha() and len(part) > 3 for part in surface.replace("-", " ").split())
    result = []
    for at, char in enumerate(surface):
        if char.isdigit() and char.isascii():
            result.append(rng.choice("123456789" if at == 0 or not surface[at - 1].isdigit() else string.digits))
        elif char.isascii() and char.isalpha() and not has_word:
            pool = string.ascii_uppercase if char.isupper() else string.ascii_lowercase
            result.append(rng.choice(pool))
        else:
            result.append(char)
    return "".join(result)
