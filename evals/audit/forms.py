"""`FORMS`: the normal forms in which the guard finds a value, each by name and with a writer of an example.

What is written in one of them is found on the wire. The table in docs/security.md, the tests and the audit follow this
list; what is promised of none stands in `NOT_SEARCHED`, with the reason.
"""

import base64
import codecs
import html
import json
import quopri
from collections.abc import Callable
from functools import reduce
from urllib.parse import quote

from gama.guard.folding import fold
from gama.guard.search import SHORTEST_CIPHERED

Writer = Callable[[str], str]

_BINARY = b"\x89\x00\xff\x1a\x07"


def _b64(value: str | bytes) -> str:
    return base64.b64encode(value if isinstance(value, bytes) else value.encode()).decode()


def _cut(text: str, size: int, between: str) -> str:
    return between.join(text[at : at + size] for at in range(0, len(text), size))


def _nested(write: Writer, times: int) -> Writer:
    return lambda value: reduce(lambda text, _: write(text), range(times), value)


def _in_shapes(value: str, first: int) -> str:
    return "".join(chr(first + ord(c.upper()) - 65) if c.isascii() and c.isalpha() else c for c in value)


_OTHER_FORMS = str.maketrans("abcdefghijklmnoprstuvwyz", "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ")


def _dump(value: str) -> str:
    raw = value.encode()
    lines = (raw[at : at + 16] for at in range(0, len(raw), 16))
    return "\n".join(
        f"{number * 16:08x}: {_cut(line.hex(), 4, ' '):<39}  {''.join(chr(b) if 32 <= b < 127 else '.' for b in line)}"
        for number, line in enumerate(lines)
    )


FORMS: dict[str, dict[str, Writer]] = {
    "written otherwise": {
        "as written": str,
        "other case": str.swapcase,
        "spaces of other kinds": lambda v: v.replace(" ", "\u00a0\u2009"),
        "no spaces": lambda v: v.replace(" ", ""),
        "underscores": lambda v: v.replace(" ", "_"),
        "hyphenated across lines": lambda v: f"{v[:4]}-\n{v[4:]}",
        "full width": lambda v: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in v),
        "circled letters": lambda v: _in_shapes(v, 0x24B6),
        "negative circled letters": lambda v: _in_shapes(v, 0x1F150),
        "negative squared letters": lambda v: _in_shapes(v, 0x1F170),
        "regional indicators": lambda v: _in_shapes(v, 0x1F1E6),
        "small capitals and other forms of letters": lambda v: v.translate(_OTHER_FORMS),
    },
    "invisible characters": {
        "zero-width signs between": "\u200b".join,
        "soft hyphens between": "\u00ad".join,
        "invisible letters between": "\u3164\uffa0\u1160\u115f".join,
        "tags as letters": lambda v: "".join(chr(0xE0000 + ord(c)) if ord(c) < 127 else c for c in v),
        "variation selectors as bytes": lambda v: "".join(
            chr(0xFE00 + b if b < 16 else 0xE0100 + b - 16) for b in v.encode()
        ),
    },
    "escapes": {
        "JSON": json.dumps,
        "JSON twice": _nested(json.dumps, 2),
        "escapes of JSON": lambda v: "".join(f"\\u{ord(c):04x}" for c in v if ord(c) < 65536),
        "escapes of bytes": lambda v: "".join(f"\\x{b:02x}" for b in v.encode()),
        "escapes in octal": lambda v: "".join(f"\\{b:03o}" for b in v.encode()),
        "HTML": lambda v: "".join(f"&#{ord(c)};" for c in v),
        "HTML without semicolons": lambda v: "".join(f"&#{ord(c)}\u200b" for c in v),
        "HTML tags between": "<b></b>".join,
        "HTML comments between": "<!-- x -->".join,
        "HTML breaks between": "<wbr>".join,
        "quoted-printable": lambda v: quopri.encodestring(v.encode(), quotetabs=True).decode(),
        "URL": lambda v: quote(v, safe=""),
        "URL, four times": _nested(lambda v: quote(v, safe=""), 4),
        "URL, every byte, four times": _nested(lambda v: "".join(f"%{b:02X}" for b in v.encode()), 4),
        "escapes of JSON in URL": lambda v: quote("".join(f"\\u{ord(c):04x}" for c in v if ord(c) < 65536), safe=""),
    },
    "base64": {
        "base64": _b64,
        "base64 for URLs": lambda v: base64.urlsafe_b64encode(v.encode()).decode(),
        "base64 with more around": lambda v: _b64(f"user: {v}; end"),
        "base64, four times": _nested(_b64, 4),
        "base64 behind binary": lambda v: _b64(_BINARY + v.encode() + _BINARY),
        "base64 in lines of 5": lambda v: _cut(_b64(v), 5, "\r\n"),
        "base64 in lines of 1": lambda v: _cut(_b64(v), 1, "\n"),
        "base64 with hyphens": lambda v: _cut(_b64(v), 4, "-"),
        "base64 with commas": lambda v: _cut(_b64(v), 6, ","),
        "base64 with colons": lambda v: _cut(_b64(v), 4, ":"),
        "base64 with spaces": lambda v: _cut(_b64(v), 3, " "),
        "base64 of UTF-16": lambda v: _b64(v.encode("utf-16-le")),
        "base64 of UTF-16, the other order": lambda v: _b64(v.encode("utf-16-be")),
        "HTML in JSON in base64": lambda v: _b64(json.dumps(html.escape(v))),
    },
    "hexadecimal and numbers": {
        "hexadecimal": lambda v: v.encode().hex(),
        "hexadecimal behind binary": lambda v: (_BINARY + v.encode() + _BINARY).hex(),
        "hexadecimal in lines of 7": lambda v: _cut(v.encode().hex(), 7, "\n"),
        "hexadecimal of UTF-16": lambda v: v.encode("utf-16-le").hex(),
        "hexadecimal in pairs": lambda v: v.encode().hex(" "),
        "hexadecimal with hyphens": lambda v: v.encode().hex("-").upper(),
        "hexadecimal with commas": lambda v: v.encode().hex(","),
        "hexadecimal with colons": lambda v: v.encode().hex(":"),
        "hexadecimal as a list": lambda v: ", ".join(f"0x{b:02x}" for b in v.encode()),
        "a dump of pairs": lambda v: _cut(v.encode().hex(), 4, " "),
        "a dump with offsets and text": _dump,
        "a list of bytes": lambda v: json.dumps(list(v.encode())),
        "binary": lambda v: " ".join(f"{b:08b}" for b in v.encode()),
        "base32": lambda v: base64.b32encode(v.encode()).decode(),
        "base32 in lines of 8": lambda v: _cut(base64.b32encode(v.encode()).decode(), 8, "\n"),
    },
    "ciphers of children": {
        "rot13": lambda v: codecs.encode(v, "rot13"),
        "reversed": lambda v: v[::-1],
        "leet": lambda v: v.translate(str.maketrans("oieastOIEAST", "013457013457")) if fold(v).isalpha() else v,
        "glued to little words": lambda v: f"the{fold(v)}account" if fold(v).isalpha() else v,
    },
}  # fmt: skip
"""By group: name, and what writes a value so. The ciphers are searched from `SHORTEST_CIPHERED` letters on."""

_EVERY_VALUE = ("written otherwise", "invisible characters", "escapes")
_WHOLE = ("base64", "base64 for URLs", "base64 with more around", "HTML in JSON in base64", "hexadecimal")
_LONG = 11


def is_searched(group: str, name: str, value: str) -> bool:
    """Return whether a value is long enough, and has letters that allow, for a form to be promised of it."""
    if group in _EVERY_VALUE or name in _WHOLE:
        return True
    folded = fold(value)
    letters = sum(map(str.isalpha, folded))
    return len(folded) >= _LONG and letters >= SHORTEST_CIPHERED and all(ord(char) < 0x1000 for char in value)
