"""Hardware addresses of network cards."""

import re

from gama.tools.recognizers._patterns import Pattern, PatternRecognizer
from gama.tools.recognizers._text import FIRST


def _is_mac(match: re.Match[str]) -> bool:
    from stdnum import mac

    value = match["v"]
    if len(set(value)) < 4:
        return False
    return "." in value or bool(mac.is_valid(value, validate_manufacturer=False))


def mac_address_recognizer() -> PatternRecognizer:
    """Return the recognizer of MAC addresses (`stdnum.mac`)."""
    # Accepts: 3C:A9:F4:11:0E:7B, 3c-a9-f4-11-0e-7b, 3ca9.f411.0e7b. Refuses: five or seven pairs, mixed separators,
    # 00:00:00:00:00:00.
    pairs = rf"(?P<v>[0-9A-Fa-f]{FIRST}(?<![:-].)[0-9A-Fa-f](?P<s>[:-])(?:[0-9A-Fa-f]{{2}}(?P=s)){{4}}[0-9A-Fa-f]{{2}})"
    dotted = rf"(?P<v>[0-9A-Fa-f]{FIRST}(?<![.].)[0-9A-Fa-f]{{3}}\.[0-9A-Fa-f]{{4}}\.[0-9A-Fa-f]{{4}})"
    return PatternRecognizer(
        "mac_address",
        (
            Pattern(
                re.compile(rf"{pairs}(?![0-9A-Za-z]|[:-][0-9A-Fa-f])"),
                "mac_address", 1.0, private=1.0, check=_is_mac, validated=True,
            ),
            Pattern(
                re.compile(rf"{dotted}(?![0-9A-Za-z.])"),
                "mac_address", 0.85, private=1.0, check=_is_mac,
            ),
        ),
        priority=4,
    )  # fmt: skip
