"""Mail (RFC 5322, MIME): headers, bodies and attachments, wherever they are encoded; the rest stays to the byte.

The message is read as Latin-1, so that every byte keeps its place. A part whose text changes is encoded again as it
was encoded before (base64, quoted-printable, 8 bit).
"""

import base64
import binascii
import quopri
import re
from collections.abc import Callable
from email import message_from_string
from email.header import Header, decode_header, make_header
from email.message import Message
from email.utils import getaddresses
from functools import partial
from typing import NamedTuple

from gama.state.errors import InputError
from gama.tools.documents.base import Block, Change, Child, Document, Room, Segment, Unread, unreadable
from gama.tools.documents.escapes import plain_segment
from gama.tools.documents.page import MARKED, page_blocks

Open = Callable[[bytes, str], Document]
"""Opens an attachment of a kind."""

ADDRESSES = frozenset(
    "from to cc bcc reply-to sender resent-from resent-to resent-cc disposition-notification-to".split()
)
"""Headers with names of people."""

TRANSPORT = frozenset(
    "received return-path delivered-to envelope-to x-original-to x-originating-ip x-sender x-sender-ip x-forwarded-for "
    "x-forwarded-to x-mailer user-agent x-received x-google-smtp-source arc-seal arc-message-signature "
    "arc-authentication-results authentication-results dkim-signature domainkey-signature received-spf x-spam-report "
    "thread-index x-ms-exchange-organization-authas x-auth-result x-gm-message-state errors-to".split()
)
"""Headers that name hosts, accounts and programs on the way: hidden as a whole."""

# A header field with its folded lines: name, colon, value up to a line end that no space or tab follows.
_FIELD = re.compile(r"^([!-9;-~]+):[ \t]*((?:.*(?:\r\n|\r|\n)[ \t]+)*.*?)[ \t]*(?=\r\n|\r|\n|\Z)", re.MULTILINE)
_IDS = re.compile(r"<[^<>\s]+>")
_KEPT = frozenset("mime-version content-transfer-encoding content-type content-disposition content-id date".split())


PART = 500
"""Pieces that a part counts as: it is a document of its own."""


class _Reader:
    """Collects the blocks of one message."""

    def __init__(self, raw: str, kind: str, open_inner: Open, room: Room) -> None:
        self.raw = raw
        self.room = room
        self.kind = kind
        self.open_inner = open_inner
        self.blocks: list[Block] = []
        self.others: list[Block] = []
        self.children: list[Child] = []
        self.unread: list[Unread] = []

    def read(self, start: int, end: int, depth: int = 0) -> None:
        """Read a message or part between two places."""
        if depth > 20:
            raise unreadable(self.kind, "its parts lie in one another more than twenty times.")
        body = _body_start(self.raw, start, end)
        part = message_from_string(self.raw[start:body])
        self._headers(start, body)
        kind = part.get_content_type()
        if part.get_content_maintype() == "multipart":
            for place in _parts(self.raw, body, end, str(part.get_boundary() or ""), self._count):
                self.read(*place, depth + 1)
        elif kind == "message/rfc822" and _encoding(part) not in ("base64", "quoted-printable"):
            self.read(body, end, depth + 1)
        elif part.get_content_maintype() == "text" and part.get_content_disposition() != "attachment":
            self._text(part, body, end)
        else:
            self._attachment(part, body, end)

    def _count(self) -> None:
        self.room.take(self.kind, PART)

    def _headers(self, start: int, end: int) -> None:
        self.room.take(self.kind, self.raw.count("\n", start, end))
        for match in _FIELD.finditer(self.raw, start, end):
            name = match[1].casefold()
            place = (match.start(2), match.end(2))
            if place[0] >= place[1]:
                continue
            if name in ("message-id", "in-reply-to", "references", "resent-message-id"):
                for one in _IDS.finditer(self.raw, *place):
                    inner = plain_segment(self.raw, one.start() + 1, one.end() - 1)
                    self.blocks.append(Block("", (inner,), subtype="other_id"))
            elif name in TRANSPORT or name.startswith(("x-ms-", "x-google-", "x-microsoft-")):
                self.blocks.append(Block("", (_whole(self.raw, *place),), subtype="other_id"))
            elif name in ("content-type", "content-disposition"):
                self._file_names(*place)
            elif name in ADDRESSES:
                self._addresses(match[1], *place)
            elif name not in _KEPT:
                self.blocks.append(Block("", (_whole(self.raw, *place),), label=f"{match[1]}: "))

    def _addresses(self, name: str, start: int, end: int) -> None:
        segment = _whole(self.raw, start, end)
        self.blocks.append(Block("", (segment,), label=f"{name}: "))
        # The display name is a person's whatever it looks like.
        for shown, _ in getaddresses([segment.text]):
            if shown and shown in segment.text:
                self.blocks.append(Block("", (shown,), subtype="full_name", label=f"{name}: "))

    def _file_names(self, start: int, end: int) -> None:
        for match in re.finditer(
            r"(?:file)?name\*?\d*\*?=\s*(?:\"([^\"]*)\"|([^\s;]+))", self.raw[start:end], re.IGNORECASE
        ):
            group = 1 if match[1] is not None else 2
            place = (start + match.start(group), start + match.end(group))
            self.blocks.append(Block("", (_file_name(self.raw, *place),)))

    def _text(self, part: Message, start: int, end: int) -> None:
        encoded = _Encoded.of(part, self.raw, start, end)
        text = encoded.text(part, self.kind)
        if part.get_content_type() == "text/html":
            blocks, others = page_blocks(text)
            marked = MARKED
        else:
            marked = frozenset()
            blocks, others = [Block("", (plain_segment(text, 0, len(text)),))], []
        inner = Document("text", {"": text}, blocks, partial(_packed, encoded, text), others=others, marked=marked)
        self.children.append(Child(inner, "", start, end, lambda data: data.decode("latin-1")))

    def _attachment(self, part: Message, start: int, end: int) -> None:
        name = part.get_filename() or ""
        kind = _KIND_OF_TYPE.get(part.get_content_type()) or name.rpartition(".")[2].casefold()
        encoded = _Encoded.of(part, self.raw, start, end)
        if part.get_content_type() == "message/rfc822":
            kind = "eml"
        try:
            inner = self.open_inner(encoded.data(self.kind), kind)
        except InputError:
            told = f"an attachment ({part.get_content_type()})"
            self.unread.append(Unread(told, "", Change(start, end, encoded.encode(b"").decode("latin-1"))))
            return
        self.children.append(Child(inner, "", start, end, lambda data: encoded.encode(data).decode("latin-1")))


def open_mail(data: bytes, kind: str, open_inner: Open, room: Room) -> Document:
    """Open a message.

    Args:
        data: its bytes.
        kind: `eml`.
        open_inner: opens its attachments; raises `InputError` for what it does not know.
        room: what reading it may take.

    Raises:
        InputError: the bytes are not a message.
        LimitReached: there is no room for it.
    """
    raw = data.decode("latin-1")
    if not _FIELD.match(raw) or "\x00" in raw:
        raise unreadable(kind, "it does not begin with the headers of a message.")
    reader = _Reader(raw, kind, open_inner, room)
    reader.read(0, len(raw))
    return Document(
        kind,
        {"": raw},
        reader.blocks,
        lambda parts: parts.get("", raw).encode("latin-1"),
        children=reader.children,
        others=reader.others,
        unread=reader.unread,
    )


class _Encoded(NamedTuple):
    """The encoded body of a part."""

    raw: str
    encoding: str
    charset: str
    newline: str

    @classmethod
    def of(cls, part: Message, raw: str, start: int, end: int) -> "_Encoded":
        stretch = raw[start:end]
        newline = "\r\n" if "\r\n" in raw else "\n"
        return cls(stretch, _encoding(part), part.get_content_charset() or "utf-8", newline)

    def data(self, kind: str) -> bytes:
        """Undo the transfer encoding."""
        body = self.raw.encode("latin-1")
        if self.encoding == "quoted-printable":
            return quopri.decodestring(body)
        if self.encoding != "base64":
            return body
        try:
            return base64.b64decode(re.sub(rb"[^A-Za-z0-9+/=]", b"", body))
        except binascii.Error:
            pass
        raise unreadable(kind, "the base64 of one of its parts is damaged.")

    def text(self, part: Message, kind: str) -> str:
        """Undo the transfer encoding and the character set."""
        try:
            return self.data(kind).decode(self.charset)
        except (LookupError, UnicodeError):
            pass
        raise unreadable(kind, f"the text of a part ({part.get_content_type()}) is not in the encoding it names.")

    def encode(self, data: bytes) -> bytes:
        """Encode as it was encoded."""
        tail = re.search(r"\s*\Z", self.raw)
        end = tail[0].encode("latin-1") if tail else b""
        if self.encoding == "base64":
            lines = [data[at : at + 57] for at in range(0, len(data), 57)]
            return self.newline.encode().join(base64.b64encode(line) for line in lines) + end
        if self.encoding == "quoted-printable":
            # Lines are encoded one by one: their ends stay what they were.
            return b"".join(_quoted_line(line) for line in data.splitlines(keepends=True))
        return data


def _quoted_line(line: bytes) -> bytes:
    body = line.rstrip(b"\r\n")
    out = quopri.encodestring(body).replace(b"\n", line[len(body) :] or b"\r\n")
    return out + line[len(body) :]


def _packed(encoded: _Encoded, old: str, parts: dict[str, str]) -> bytes:
    text = parts.get("", old)
    try:
        data = text.encode(encoded.charset)
    except UnicodeError:
        data = text.encode(encoded.charset, "xmlcharrefreplace")
    return encoded.encode(data)


def _encoding(part: Message) -> str:
    return str(part.get("Content-Transfer-Encoding") or "7bit").strip().casefold()


def _body_start(raw: str, start: int, end: int) -> int:
    """Return where the body begins, behind the first empty line."""
    if match := re.compile(r"\r\n|\r|\n").match(raw, start):
        return match.end()
    match = re.compile(r"(?:\r\n\r\n|\n\n|\r\r)").search(raw, start, end)
    return match.end() if match else end


def _parts(raw: str, start: int, end: int, boundary: str, count: Callable[[], None]) -> list[tuple[int, int]]:
    """Return where the parts of a multipart body lie; each is counted as it is met."""
    if not boundary:
        return []
    line = re.compile(rf"(?:^|(?<=\n)|(?<=\r))--{re.escape(boundary)}(--)?[ \t]*(?:\r\n|\r|\n|\Z)", re.MULTILINE)
    found = []
    for match in line.finditer(raw, start, end):
        count()
        found.append(match)
    places = []
    for one, other in zip(found, [*found[1:], None], strict=True):
        if one[1]:
            break
        stop = other.start() if other else end
        # The line end before a boundary belongs to the boundary.
        if other and raw[stop - 2 : stop] == "\r\n":
            stop -= 2
        elif other and raw[stop - 1 : stop] in ("\r", "\n"):
            stop -= 1
        places.append((one.end(), max(one.end(), stop)))
    return places


def _whole(raw: str, start: int, end: int) -> Segment:
    """Return the segment of a header's value, unfolded, with encoded words undone."""
    folded = raw[start:end]
    unfolded = re.sub(r"(?:\r\n|\r|\n)(?=[ \t])", "", folded)
    try:
        text = str(make_header(decode_header(unfolded)))
    except (LookupError, UnicodeError, binascii.Error, ValueError):
        text = unfolded
    if text == folded:
        return plain_segment(raw, start, end, _header_text)
    return Segment(start, end, text, _header_text)


def _header_text(text: str) -> str:
    return text if text.isascii() else Header(text, "utf-8", maxlinelen=900).encode()


def _file_name(raw: str, start: int, end: int) -> Segment:
    """Return the segment of a file name, written as RFC 2231 or as encoded words where it is."""
    from urllib.parse import quote, unquote

    stretch = raw[start:end]
    extended = re.match(r"[\w-]+'[\w-]*'", stretch)
    if extended:
        at = start + extended.end()
        return Segment(at, end, unquote(raw[at:end]), lambda text: quote(text, safe=""))
    return _whole(raw, start, end)


_KIND_OF_TYPE = {
    "text/plain": "txt",
    "text/markdown": "md",
    "text/html": "html",
    "text/csv": "csv",
    "text/tab-separated-values": "tsv",
    "application/json": "json",
    "application/x-ndjson": "jsonl",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
}
