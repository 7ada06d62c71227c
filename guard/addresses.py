"""Addresses: which of them are on this machine or in its own network."""

import ipaddress
from urllib.parse import urlsplit


def is_local_address(url: str) -> bool:
    """Return whether a URL names this machine or a private network."""
    host = (urlsplit(url).hostname or "").lower()
    if host == "localhost" or host.endswith((".localhost", ".local", ".internal")):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_private
