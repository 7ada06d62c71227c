"""The guard: searches anything without failing, and finds a value however it is wrapped."""

import base64
import html
import json
from collections.abc import Callable
from urllib.parse import quote

from gama.guard.search import Guard
from gama.state.errors import LeakError
from tests.fuzz.cutting import Cutter

VALUE = "Emma Williams"
FORMS: tuple[Callable[[str], str], ...] = (
    str, str.upper, json.dumps, html.escape, lambda v: quote(v, safe=""), lambda v: base64.b64encode(v.encode()).decode(),
    lambda v: v.encode().hex(), lambda v: json.dumps(json.dumps(v)), lambda v: "\u200b".join(v),
    lambda v: "".join(f"&#{ord(c)};" for c in v), lambda v: "".join(f"\\u{ord(c):04x}" for c in v),
)  # fmt: skip


def one(data: bytes) -> None:
    cut = Cutter(data)
    guard = Guard([VALUE, cut.text(5)])
    form = cut.one_of(FORMS)
    raw = cut.raw()
    for payload in (raw, raw.decode("utf-8", "surrogateescape"), cut.text(30)):
        try:
            guard.check(payload)
        except LeakError as error:
            assert VALUE not in str(error)
    before, after = cut.text(10), cut.text(10)
    # Set off by lines: what stands directly beside an encoded value belongs to its encoding.
    assert 0 in guard.search(f"{before}\n\n{form(VALUE)}\n\n{after}")
