"""Number plates of vehicles."""

import re

from gama.tools.recognizers._labels import Label, LabelRecognizer
from gama.tools.recognizers._text import RIGHT

# Accepts 4 to 11 capitals and digits in up to four groups, both present: BV12 KLO, OL-WH 60H, 34 FTZ 118, 4AB 71-06,
# 191-WX-2286, TX KLT-8804, KQB882. Refuses: words, numbers, lower-case prose (the check).
_PLATE = re.compile(rf"(?P<v>[A-Z0-9]{{1,7}}(?:[ ·.-][A-Z0-9]{{1,7}}(?![a-z])){{0,4}}){RIGHT}")

_WORDS = (
    "plate", "plates", "plate no", "plate number", "number plate", "license plate", "licence plate", "registration",
    "registration number",
    "reg", "reg no", "rego", "vehicle reg", "vrm", "kennzeichen", "nummernschild", "immatriculation", "plaque",
    "matrícula", "placa",
    "targa", "kenteken", "rejestracja", "numer rejestracyjny", "registreringsnummer", "車牌", "车牌", "车牌号",
    "ナンバープレート",
    "tag number",
)  # fmt: skip

# A word for a vehicle: weaker than one for a plate, so the form must be a real plate's.
_VEHICLES = ("car", "van", "truck", "bike", "motorbike", "scooter", "trailer", "taxi", "corsa", "golf", "skoda",
    "škoda", "fiat", "volvo",
             "toyota", "ford", "bmw", "audi", "honda", "vehicle")  # fmt: skip

# British (BV12 KLO), German (OL-WH 60H), French and Italian (AB-123-CD), Dutch (XP-40-19, GHJ-41-K), Spanish (1234
# BCD),
# Polish and generic three letters + three or four digits.
_FORM = re.compile(
    r"(?P<v>[A-Z]{2}[0-9]{2} ?[A-Z]{3}|[A-ZÄÖÜ]{1,3}-[A-Z]{1,2} ?[0-9]{1,4}[EH]?"
    r"|[A-Z]{2}[ -]?[0-9]{3}[ -]?[A-Z]{2}|[0-9]{4} ?[A-Z]{3}|[0-9]-[A-Z]{3}-[0-9]{3}"
    r"|[0-9][A-Z]{2} [0-9]{2}-[0-9]{2}|"
    rf"[A-Z]{{2,3}}[ -]?[0-9]{{3,5}}|[0-9]{{2}} ?[A-Z]{{1,3}} ?[0-9]{{2,4}}){RIGHT}"
)


def _plate(value: str) -> bool:
    bare = re.sub(r"[ ·.-]", "", value)
    letters = sum(char.isalpha() for char in bare)
    return (
        value == value.upper() and 4 <= len(bare) <= 11 and letters >= 1 and len(bare) - letters >= 1 and letters <= 6
    )


def vehicle_plate_recognizer() -> LabelRecognizer:
    """Return the recognizer of number plates; they count only beside a word for a plate or a vehicle."""
    return LabelRecognizer(
        "vehicle_plate",
        (
            Label(_WORDS, _PLATE, "vehicle_plate", 0.85, check=_plate),
            Label(_VEHICLES, _FORM, "vehicle_plate", 0.75),
        ),
        priority=1,
    )
