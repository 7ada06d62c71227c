"""Office Open XML packages (docx, xlsx): a zip of parts, of which the XML is read and changed and the rest copied."""

import io
import re
import zipfile
from collections.abc import Callable, Iterable

from gama.state.errors import InputError
from gama.tools.documents.base import Block, Change, Child, Document, Room, Segment, Unread, unreadable
from gama.tools.documents.escapes import xml_segment
from gama.tools.documents.markup import Mark, check_xml, read_attributes, read_marks

PART = 10
"""Pieces that a part counts as."""
LEVELS = (6, 9, 1, 5, 2, 3, 4, 7, 8)
"""Levels of compression, most usual first."""

Open = Callable[[bytes, str], Document]

PEOPLE = {
    "creator": "full_name", "lastModifiedBy": "full_name", "Manager": "full_name", "Company": "company",
    "author": "full_name", "initials": "initials", "displayName": "full_name", "userName": "full_name",
}  # fmt: skip
"""Elements and attributes that name a person or company, whatever stands in them."""

PROGRAMS = frozenset(
    "openpyxl python-docx xlsxwriter pandas docx4j docxtpl libreoffice openoffice.org onlyoffice wps-office apache-poi "
    "aspose.cells closedxml epplus npoi sheetjs phpspreadsheet phpword pandoc quarto google-docs google-sheets "
    "microsoft-office microsoft-office-user microsoft-excel microsoft-word unknown un-named".split()
)
"""What programs write where an author's name belongs, in small letters with hyphens for spaces: nobody is called so."""

ACCOUNTS = frozenset("userId providerId personId email reviewerId".split())
"""Attributes that hold somebody's account."""

TELLING = frozenset(
    "title descr tooltip alt display displayText prompt promptTitle error errorTitle caption string alias instr "
    "comment".split()
)
"""Attributes that say something to a reader."""

# A picture of one point, for what is taken out.
_BLANK = {
    "png": bytes.fromhex(
        "89504e470d0a1a0a0000000d4948445200000001000000010804000000b51c0c020000000b4944415478da6364f80f0001050101270c1a"
        "ae0000000049454e44ae426082"
    ),
    "gif": bytes.fromhex("47494638396101000100800000ffffff00000021f90401000000002c00000000010001000002024401003b"),
}
_LATIN = "latin-1"
_DATA = frozenset(
    "created modified lastPrinted revision version Application AppVersion TotalTime Pages Words Characters Lines "
    "Paragraphs CharactersWithSpaces DocSecurity".split()
)
"""Properties that programs read: they say nothing of anybody and must keep their form."""
# Names of folders of a person in a path: C:\\Users\\emma\\, /home/emma/.
_HOME = re.compile(r"(?:Users|home|Documents and Settings)[\\/]+([^\\/]+)")


class Package:
    """The parts of a package, those that are XML as text."""

    def __init__(self, data: bytes, kind: str, room: Room) -> None:
        """Unzip the parts.

        Raises:
            InputError: the bytes are not a package of the kind, damaged, or encrypted.
            LimitReached: there is no room for it.
        """
        self.kind = kind
        self.data = data
        if data.startswith(b"\xd0\xcf\x11\xe0"):
            raise unreadable(kind, "it is encrypted, or of the old Office format. Save it again without a password.")
        problem = ""
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as file:
                self.infos = file.infolist()
                room.take(kind, PART * len(self.infos))
                room.unpack(kind, sum(info.file_size for info in self.infos))
                self.raw = {info.filename: file.read(info) for info in self.infos}
        except (zipfile.BadZipFile, zipfile.LargeZipFile, RuntimeError, OSError, EOFError, ValueError) as error:
            problem = f"it is no sound zip file ({type(error).__name__})."
        if not problem and "[Content_Types].xml" not in self.raw:
            problem = "it is a zip file, but none of Office."
        if problem:
            raise unreadable(kind, problem)
        room.take(kind, sum(body.count(b"<") for name, body in self.raw.items() if is_xml(name)))
        self.parts: dict[str, str] = {}
        self.encodings: dict[str, str] = {}
        for name, body in self.raw.items():
            if is_xml(name):
                check_xml(body, kind, name)
                self.encodings[name] = _encoding(body)
                self.parts[name] = body.decode(self.encodings[name])
            else:
                self.encodings[name] = _LATIN
                self.parts[name] = body.decode(_LATIN)
        self._level: int | None = None

    def pack(self, parts: dict[str, str]) -> bytes:
        """Zip the parts again, each as it was zipped: name, order, time and attributes stay."""
        bodies = {name: parts[name].encode(self.encodings[name]) for name in parts}
        if self._level is None:
            # The level that gives the very bytes again, if there is one.
            self._level = next((level for level in LEVELS if self._zipped({}, level) == self.data), LEVELS[0])
        return self._zipped(bodies, self._level)

    def _zipped(self, bodies: dict[str, bytes], level: int) -> bytes:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as file:
            for info in self.infos:
                copied = zipfile.ZipInfo(info.filename, info.date_time)
                for name in ("compress_type", "comment", "extra", "create_system", "external_attr", "internal_attr"):
                    setattr(copied, name, getattr(info, name))
                file.writestr(copied, bodies.get(info.filename, self.raw[info.filename]), compresslevel=level)
        return out.getvalue()

    def unread(self) -> list[Unread]:
        """Return the parts that cannot be looked into."""
        found = []
        for name, body in self.parts.items():
            if (
                is_xml(name)
                or not body
                or name.endswith("/")
                or _is_thumbnail(name)
                or _suffix(name) in ("docx", "xlsx")
            ):
                continue
            told = "a picture" if "/media/" in name else f"the part {name.rpartition('/')[2]!r}"
            found.append(Unread(told, name, Change(0, len(body), _BLANK.get(_suffix(name), b"").decode(_LATIN))))
        return found

    def covered(self) -> list[tuple[str, Change]]:
        """Return what takes the small picture of the first page out."""
        return [(name, Change(0, len(body), "")) for name, body in self.parts.items() if _is_thumbnail(name) and body]

    def children(self, open_inner: Open) -> list[Child]:
        """Open embedded documents."""
        found = []
        for name, body in self.parts.items():
            if _suffix(name) in ("docx", "xlsx"):
                inner = open_inner(self.raw[name], _suffix(name))
                found.append(Child(inner, name, 0, len(body), lambda data: data.decode(_LATIN)))
        return found


def open_package(
    data: bytes,
    kind: str,
    open_inner: Open,
    read: "Callable[[Package], tuple[list[Block], set[tuple[str, int]]]]",
    room: Room,
) -> Document:
    """Open a package.

    Args:
        data: its bytes.
        kind: `docx` or `xlsx`.
        open_inner: opens embedded documents.
        read: gives the blocks of the format, and the places (part, start) of the segments they are made of.
        room: what reading it may take.

    Raises:
        InputError: it cannot be read.
        LimitReached: there is no room for it.
    """
    package = Package(data, kind, room)
    blocks, taken = read(package)
    found, others = general_blocks(package, taken)
    try:
        children = package.children(open_inner)
    except InputError:
        raise unreadable(kind, "a document that is embedded in it is damaged.") from None
    return Document(
        kind,
        package.parts,
        [*blocks, *found],
        package.pack,
        children=children,
        covered=package.covered(),
        others=others,
        unread=package.unread(),
        marked=frozenset(name for name in package.parts if is_xml(name)),
    )


def general_blocks(package: Package, taken: set[tuple[str, int]]) -> tuple[list[Block], list[Block]]:
    """Return the texts and attributes that the format has not taken: those that say something, and the others."""
    blocks: list[Block] = []
    others: list[Block] = []
    for name, raw in package.parts.items():
        if not is_xml(name):
            continue
        told = name.startswith(("docProps/", "customXml/")) or "/charts/" in name
        element = ""
        for mark in read_marks(raw):
            if mark.kind in ("open", "empty"):
                element = mark.name if mark.kind == "open" else element
                found, more = _attributes(name, raw, mark)
                blocks += found
                others += more
            elif mark.kind == "text" and (name, mark.start) not in taken and raw[mark.start : mark.end].strip():
                segment = xml_segment(raw, mark.start, mark.end)
                subtype = PEOPLE.get(element)
                if element in _DATA:
                    continue
                if subtype and _is_program(segment.text):
                    others.append(Block(name, (segment,)))
                    continue
                if subtype or (told and any(char.isalpha() for char in segment.text)):
                    blocks.append(Block(name, (segment,), label=f"{element}: ", subtype=subtype))
                else:
                    others.append(Block(name, (segment,)))
            elif mark.kind in ("comment", "cdata") and (name, mark.start) not in taken:
                blocks.append(Block(name, (Segment(mark.start, mark.end, raw[mark.start : mark.end], _no_marks),)))
    return blocks, others


def _is_program(name: str) -> bool:
    """Return whether an author is a program: `openpyxl`, `Apache POI 5.2`."""
    words = re.sub(r"[\s/_]+v?\d[\w.]*$", "", name.strip().lower())
    return "-".join(words.split()) in PROGRAMS


def _attributes(part: str, raw: str, mark: Mark) -> tuple[list[Block], list[Block]]:
    blocks: list[Block] = []
    others: list[Block] = []
    for name, segment in read_attributes(raw, mark):
        if not _says(segment.text):
            continue
        if name in PEOPLE:
            if _is_program(segment.text):
                others.append(Block(part, (segment,)))
            else:
                blocks.append(Block(part, (segment,), subtype=PEOPLE[name]))
        elif name in ACCOUNTS:
            blocks.append(Block(part, (segment,), subtype="other_id"))
        elif name in TELLING or (name == "name" and mark.name in ("sheet", "property", "docPr", "cNvPr", "table")):
            blocks.append(Block(part, (segment,)))
        elif name in ("val", "value") and mark.name in (
            "docVar",
            "alias",
            "tag",
            "listItem",
            "placeholder",
            "result",
            "default",
        ):
            blocks.append(Block(part, (segment,)))
        elif name in ("Target", "url", "uri"):
            blocks += _target(part, segment)
        else:
            others.append(Block(part, (segment,)))
    return blocks, others


def _target(part: str, segment: Segment) -> Iterable[Block]:
    """Return the blocks of an address: of a page, a mailbox, or a file in somebody's folder; none for a part."""
    if not re.match(r"[A-Za-z]{2,}:|\\\\|[A-Za-z]:", segment.text):
        return
    yield Block(part, (segment,))
    for owner in _HOME.findall(segment.text):
        # The folder bears its owner's name: registered, so that it is replaced in the address.
        yield Block(part, (owner,), subtype="handle")


def is_xml(name: str) -> bool:
    """Return whether a part is XML by its name."""
    return name.endswith((".xml", ".rels", ".vml", ".svg"))


def _says(text: str) -> bool:
    return any(char.isalpha() for char in text) or sum(char.isdigit() for char in text) > 4


def _no_marks(text: str) -> str:
    """Write a text into a comment or CDATA section, where signs of the end may not stand."""
    return text.replace("--", "- -").replace("]]>", "]] >")


def _suffix(name: str) -> str:
    return name.rpartition(".")[2].casefold()


def _is_thumbnail(name: str) -> bool:
    return name.startswith("docProps/thumbnail")


def _encoding(body: bytes) -> str:
    if body[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16"
    found = re.match(rb"<\?xml[^>]*encoding\s*=\s*[\"']([\w.-]+)", body)
    name = found[1].decode("ascii") if found else "utf-8"
    return "utf-8" if name.casefold() == "utf-8" else name
