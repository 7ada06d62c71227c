"""Identifiers of devices: IMEI (checksum), serial numbers, UUIDs, advertising and host identifiers beside labels."""

import re
from collections.abc import Iterator

from gama.state.entities import Span
from gama.tools.recognizers._labels import Label, LabelRecognizer
from gama.tools.recognizers._text import LEFT, RIGHT, digits, plain
from gama.tools.recognizers.base import hit
from gama.tools.recognizers.document_id import CODE, long_code

# Accepts: 356938035643809, 35-209900-176148-1, 35 209900 176148 1. Refuses: other lengths; the checksum decides.
_IMEI = re.compile(rf"(?P<v>[0-9]{{2}}[- ]?[0-9]{{6}}[- ]?[0-9]{{6}}[- ]?[0-9]){RIGHT}")
_IMEI_WORDS = ("imei", "imei1", "imei2", "imei no", "imei number", "handset imei", "meid")

# Accepts one run of 5 to 24 letters, digits and dashes with a digit: C02XL0GZJGH6, LNX-2209-44K7.
_SERIAL = re.compile(rf"(?P<v>(?=[A-Za-z-]{{0,12}}[0-9])[0-9A-Za-z]+(?:[ -][0-9A-Z]+){{0,4}}){RIGHT}")
_SERIAL_WORDS = (
    "serial", "serial no", "serial number", "serial_number", "s/n", "sn", "asset", "asset tag", "device id",
    "device_id", "deviceid",
    "device no", "udid", "android id", "idfa", "gaid", "hostname", "iccid", "sim serial", "seriennummer",
    "numéro de série",
    "número de serie", "numero di serie", "serienummer", "numer seryjny", "序列号",
)  # fmt: skip

# A UUID (RFC 9562).
_UUID = re.compile(
    rf"{LEFT}[0-9a-fA-F]{{8}}-[0-9a-fA-F]{{4}}-[0-9a-fA-F]{{4}}-[0-9a-fA-F]{{4}}-[0-9a-fA-F]{{12}}{RIGHT}"
)


def _serial(value: str) -> bool:
    return len(value) >= 5 and sum(char.isdigit() for char in value) >= 2 and long_code(value + "00")


class DeviceIdRecognizer:
    """Finds identifiers of devices."""

    name = "device_id"
    subtypes = ("device_id",)
    priority = 1

    def __init__(self) -> None:
        """Prepare the labels."""
        self._imei = LabelRecognizer(self.name, (Label(_IMEI_WORDS, _IMEI, "device_id", 0.9),))
        self._serial = LabelRecognizer(
            self.name,
            (
                Label(_SERIAL_WORDS, _SERIAL, "device_id", 0.8, check=_serial),
                Label(_SERIAL_WORDS, CODE, "device_id", 0.75, check=long_code),
            ),
        )

    def find(self, text: str) -> Iterator[Span]:
        """Yield identifiers; an IMEI with a right checksum is validated."""
        body = plain(text)
        if not body.has_digit:
            return
        from stdnum import imei

        for span in self._imei.find(body):
            proved = bool(imei.is_valid(digits(body[span.start : span.end])))
            yield span._replace(validated=proved, score=1.0 if proved else span.score)
        yield from self._serial.find(body)
        if body.count("-") >= 4:
            for match in _UUID.finditer(body):
                yield hit(*match.span(), "device_id", self.name, score=0.6)


def device_id_recognizer() -> DeviceIdRecognizer:
    """Return the recognizer of device identifiers."""
    return DeviceIdRecognizer()
