"""The 20 reference domains, in the paper's order (spec 01 §1.5), and packs: domains that users add.

A pack comes by a plugin or by a folder with a `pack.yaml`::

    beekeeping/
      pack.yaml          name, description, keywords; if wanted prompt, documents
      documents/         text and Markdown files that the domain's expert may search

A single YAML file does as well. Everything in a pack is data for the public side: its expert's prompt shows name,
description and prompt, and its expert searches the documents. Put nothing private into one.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from gama.state.errors import OptionError
from gama.state.task import DomainSet
from gama.tools.tables import lines


@dataclass(frozen=True)
class Domain:
    """One reference domain."""

    name: str
    description: str
    """One sentence: what the discipline covers; it ends the expert's prompt."""

    of: str = ""
    """Which of the twenty it is by another name; empty for one of these."""

    @property
    def keywords(self) -> tuple[str, ...]:
        """The discipline's vocabulary, lower-case."""
        return lines("domains", f"keywords/{(self.of or self.name).lower()}.txt")


DOMAINS: tuple[Domain, ...] = tuple(Domain(*line.split(": ", 1)) for line in lines("domains", "domains.txt"))

NAMES: tuple[str, ...] = tuple(domain.name for domain in DOMAINS)

_TEN = {
    "Entertainment": "Entertainment", "financial": "Finance", "History": "History", "legal": "Law",
    "Literature": "Literature", "medical": "Medicine", "Politics": "Politics", "Sports": "Sports",
    "technology": "Technology", "science": "Science",
}  # fmt: skip
# By the names that the code gives them, of which Eq. 7 takes the vectors.

SETS: Mapping[DomainSet, tuple[Domain, ...]] = MappingProxyType({
    "twenty": DOMAINS,
    "ten": tuple(Domain(name, DOMAINS[NAMES.index(of)].description, of) for name, of in _TEN.items()),
})  # fmt: skip
"""The sets of reference domains by name."""

EVERY_NAME = frozenset(domain.name for domains in SETS.values() for domain in domains)
"""The names of all of them."""


ENDINGS = (".md", ".txt", ".markdown", ".rst")
"""Files that are read as documents."""
MOST_KEYWORDS = 2_000
MOST_DOCUMENTS = 2_000
LONGEST_PROMPT = 4_000
LARGEST_BYTES = 20 * 2**20
"""Size of all documents of a pack."""

# A name that may stand in a prompt and in a reply: words of letters and digits with the signs that names have.
_NAME = re.compile(r"[^\W_](?:[\w '&/.+-]{0,58}[^\W_])?")
_FIELDS = frozenset({"name", "description", "keywords", "prompt", "documents"})


class Document(NamedTuple):
    """A text that an expert may search."""

    title: str
    text: str


@dataclass(frozen=True)
class Pack:
    """A domain of one's own; see `gama.tools.contract.DomainPack`.

    Raises:
        OptionError: a field is invalid; names the pack and the field.
    """

    name: str
    description: str
    """One sentence that says what the domain covers; it ends the expert's prompt."""
    keywords: tuple[str, ...]
    """The discipline's vocabulary; brought to lower case."""
    prompt: str = ""
    """Further words for the domain's expert, after the built-in prompt."""
    documents: tuple[Document, ...] = ()

    def __post_init__(self) -> None:
        """Check the fields."""
        name = self.name if isinstance(self.name, str) else ""
        if not _NAME.fullmatch(name):
            raise OptionError(f"domain pack {str(self.name)[:60]!r}: 'name' is one line of at most 60 letters")
        if name.casefold() in {known.casefold() for known in EVERY_NAME}:
            raise OptionError(f"domain pack {name!r}: 'name' is that of a built-in domain; choose another")
        if not _one_line(self.description, 300):
            raise OptionError(f"domain pack {name!r}: 'description' is one line of at most 300 characters")
        keywords = tuple(dict.fromkeys(" ".join(word.lower().split()) for word in _texts(self.keywords)))
        if not 1 <= len(keywords) <= MOST_KEYWORDS or not all(_one_line(word, 60) for word in keywords):
            raise OptionError(f"domain pack {name!r}: 'keywords' is a list of 1 to {MOST_KEYWORDS} short terms")
        if not isinstance(self.prompt, str) or len(self.prompt) > LONGEST_PROMPT:
            raise OptionError(f"domain pack {name!r}: 'prompt' is a text of at most {LONGEST_PROMPT} characters")
        documents = tuple(self.documents)
        if len(documents) > MOST_DOCUMENTS or not all(_is_document(document) for document in documents):
            raise OptionError(f"domain pack {name!r}: 'documents' are at most {MOST_DOCUMENTS} pairs of title and text")
        if sum(len(text) for _, text in documents) > LARGEST_BYTES:
            raise OptionError(f"domain pack {name!r}: its documents are larger than {LARGEST_BYTES >> 20} MiB")
        object.__setattr__(self, "description", self.description.strip())
        object.__setattr__(self, "keywords", keywords)
        object.__setattr__(self, "prompt", self.prompt.strip())
        object.__setattr__(self, "documents", tuple(Document(*document) for document in documents))

    @classmethod
    def of(cls, given: Any) -> "Pack":
        """Return what a plugin made as a pack.

        Raises:
            OptionError: a field is invalid.
        """
        if isinstance(given, cls):
            return given
        return cls(
            given.name,
            given.description,
            tuple(given.keywords),
            getattr(given, "prompt", ""),
            tuple(getattr(given, "documents", ())),
        )

    @property
    def shown(self) -> str:
        """What its expert's prompt shows of it."""
        return f"{self.name}\n{self.description}\n{self.prompt}"


def read_pack(path: str | Path) -> Pack:
    """Read a pack from a folder with a `pack.yaml`, or from a YAML file.

    Documents are the files of `documents/`, or those that the YAML lists: paths below its own folder, or
    inline as `{title, text}`.

    Raises:
        OptionError: the pack is missing or invalid; names the file and the field.
    """
    return _read(str(Path(path).expanduser().resolve()))


@lru_cache(maxsize=32)
def _read(path: str) -> Pack:
    place = Path(path)
    file = place
    if place.is_dir():
        file = next((f for f in (place / "pack.yaml", place / "pack.yml") if f.is_file()), place / "pack.yaml")
    if not file.is_file():
        raise OptionError(f"there is no domain pack at {path!r}: name a folder with a pack.yaml, or a YAML file")
    fields = _fields(file)
    documents = fields.get("documents", "documents" if (file.parent / "documents").is_dir() else [])
    try:
        return Pack(
            fields.get("name", ""),
            fields.get("description", ""),
            _texts(fields.get("keywords")),
            fields.get("prompt") or "",
            tuple(_documents(file, [documents] if isinstance(documents, str) else documents)),
        )
    except OptionError as error:
        problem = str(error)
    raise OptionError(f"{file}: {problem}")


def join_packs(*groups: Iterable[Pack]) -> tuple[Pack, ...]:
    """Join packs from several sources.

    Raises:
        OptionError: two of them share a name.
    """
    packs: dict[str, Pack] = {}
    for pack in (pack for group in groups for pack in group):
        if packs.setdefault(pack.name.casefold(), pack) is not pack:
            raise OptionError(f"two domain packs are called {pack.name!r}; rename one")
    return tuple(packs.values())


def _fields(file: Path) -> Mapping[str, Any]:
    import yaml

    problem = "it is no YAML object with the fields name, description and keywords"
    try:
        found = yaml.safe_load(file.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        found = None
    if isinstance(found, dict):
        unknown = sorted(str(key) for key in found.keys() - _FIELDS)
        if not unknown:
            return found
        problem = f"unknown field {unknown[0]!r}; known: {', '.join(sorted(_FIELDS))}"
    raise OptionError(f"{file}: {problem}")


def _documents(file: Path, listed: Any) -> Iterable[Document]:
    if not isinstance(listed, list):
        raise OptionError("'documents' is a path, or a list of paths and of {title, text}")
    size = 0
    for item in listed:
        if isinstance(item, dict) and item.keys() == {"title", "text"}:
            yield Document(str(item["title"]), str(item["text"]))
            continue
        place = (file.parent / str(item)).resolve()
        # What a pack of somebody else's names must not reach the user's other files.
        if not isinstance(item, str) or not place.is_relative_to(file.parent.resolve()) or not place.exists():
            raise OptionError(f"'documents' names {str(item)[:80]!r}, which is nothing below the pack's own folder")
        found = sorted(p for p in place.rglob("*") if p.suffix.lower() in ENDINGS) if place.is_dir() else [place]
        for path in found:
            if not path.resolve().is_relative_to(file.parent.resolve()) or not path.is_file():
                continue
            size += path.stat().st_size
            if size > LARGEST_BYTES:
                raise OptionError(f"its documents are larger than {LARGEST_BYTES >> 20} MiB")
            yield _document(path, file.parent)


def _document(path: Path, home: Path) -> Document:
    text = None
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        pass
    if text is None or "\x00" in text:
        raise OptionError(f"the document {path.name!r} cannot be read as UTF-8 text")
    heading = re.match(r"\s*#\s+(\S.{0,100})", text)
    return Document(heading[1].strip() if heading else path.relative_to(home.resolve()).stem, text)


def _texts(given: Any) -> tuple[str, ...]:
    if isinstance(given, str) or not isinstance(given, Sequence) or not all(isinstance(item, str) for item in given):
        return ()
    return tuple(given)


def _one_line(text: object, most: int) -> bool:
    return isinstance(text, str) and 0 < len(text.strip()) <= most and len(text.strip().splitlines()) == 1


def _is_document(given: object) -> bool:
    return isinstance(given, tuple) and len(given) == 2 and all(isinstance(part, str) for part in given)
