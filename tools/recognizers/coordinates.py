"""Geographic coordinates."""

import re

from gama.tools.recognizers._patterns import Pattern, PatternRecognizer
from gama.tools.recognizers._text import LEFT, RIGHT


def _on_earth(match: re.Match[str]) -> bool:
    return abs(float(match["lat"].replace(" ", ""))) <= 90 and abs(float(match["lon"].replace(" ", ""))) <= 180


def coordinates_recognizer() -> PatternRecognizer:
    """Return the recognizer of coordinates in decimal degrees and in degrees, minutes, seconds."""
    lat, lon = r"(?P<lat>[+-]?[0-9]{1,2}\.[0-9]{2,8})", r"(?P<lon>[+-]?[0-9]{1,3}\.[0-9]{2,8})"
    angle = r"[0-9]{1,3} ?[°º] ?(?:[0-9]{1,2}(?:\.[0-9]{1,6})? ?['m] ?)?(?:[0-9]{1,2}(?:\.[0-9]{1,6})? ?(?:\"|''|s) ?)?"
    return PatternRecognizer(
        "coordinates",
        (
            # Accepts: 45.9871 N, 7.7013 E; 44.8176°N 20.4569°E; 45.98 N / 7.70 E. Refuses: pairs off the globe.
            Pattern(
                re.compile(rf"{LEFT}{lat} ?°? ?[NS]?[,;/ ]{{1,3}}(?:[EWO] ?)?{lon} ?°? ?[EWO]{RIGHT}"),
                "coordinates", 0.95, private=1.0, check=_on_earth, needs=(".",),
            ),
            # Accepts: 38.2466, 21.7346 (four decimals or more on both sides). Refuses: 3.14, 2.72; prices; thousands.
            Pattern(
                re.compile(
                    rf"(?<![0-9.,])(?P<lat>[+-]?[0-9]{{1,2}}\.[0-9]{{4,8}})[,;] ?"
                    rf"(?P<lon>[+-]?[0-9]{{1,3}}\.[0-9]{{4,8}})(?![0-9.]?[0-9]){RIGHT}"
                ),
                "coordinates", 0.85, private=1.0, check=_on_earth, needs=(".",),
            ),
            # Accepts: 12°26'N 043°24'E, 48° 51' 24" N, 2° 21' 3" E. Refuses: 20 °C, angles without a letter.
            Pattern(
                re.compile(rf"{angle}[NS][,; ]{{0,3}}{angle}[EWO]{RIGHT}"),
                "coordinates", 0.95, private=1.0, needs=("°", "º"), number=True,
            ),
            # Accepts: geo:48.2,16.3. The URI scheme of RFC 5870.
            Pattern(
                re.compile(r"geo:(?P<v>-?[0-9]{1,2}\.[0-9]{1,8},-?[0-9]{1,3}\.[0-9]{1,8})"),
                "coordinates", 0.95, private=1.0, needs=("geo:",),
            ),
        ),
        priority=3,
    )  # fmt: skip
