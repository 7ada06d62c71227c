"""IP addresses, version 4 and 6."""

import ipaddress
import re
from collections.abc import Iterator

from gama.state.entities import Span
from gama.tools.recognizers.base import hit, plain
from gama.tools.recognizers.declared import declaration

_DECLARED = declaration("ip_address")
_V4 = _DECLARED.expression("v4")
_V6 = _DECLARED.expression("v6")
_NOT_ADDRESS = _DECLARED.expression("not_address")


class IpAddressRecognizer:
    """Finds addresses that the standard library's `ipaddress` accepts."""

    name = "ip_address"
    subtypes = ("ip_address",)
    priority = 3

    def find(self, text: str) -> Iterator[Span]:
        """Yield addresses; loopback, unspecified, multicast and reserved ones (net masks) are nobody's."""
        body = plain(text)
        if not body.has_digit:
            return
        for regex in (_V4, _V6):
            for match in regex.finditer(body):
                yield from self._judge(match, body.low)

    def _judge(self, match: re.Match[str], low: str) -> Iterator[Span]:
        value, start, end = match[0], match.start(), match.end()
        if value.endswith(":") and not value.endswith("::"):
            value, end = value[:-1], end - 1
        try:
            address = ipaddress.ip_interface(value)
        except ValueError:
            return
        if ":" in value and (len(value) < 4 or not any(char.isdigit() for char in value) or value.count(":") < 2):
            return
        before = low[max(0, start - 16) : start]
        if ":" not in value and _NOT_ADDRESS.search(before):
            return
        ip = address.ip
        if ip.is_loopback or ip.is_unspecified or ip.is_multicast or (ip.version == 4 and ip.is_reserved):
            yield hit(start, end, "ip_address", self.name, score=0.9, private=0.0)
            return
        if ":" not in value:
            octets = [int(part) for part in value.split("/")[0].split(".")]
            if octets[0] == 0 and any(octets):
                return
            # 2.1.0.3 may as well be a version: reported, but not as proved.
            if (
                max(octets) < 20
                and octets[0] != 10
                and not before.rstrip(" :=\"'").endswith(("ip", "host", "address", "server", "from"))
            ):
                yield hit(start, end, "ip_address", self.name, score=0.4)
                return
        yield hit(start, end, "ip_address", self.name, score=1.0, private=1.0, validated=True)
