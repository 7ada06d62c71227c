"""The prompts of the public experts, read from template files.

This module belongs to both halves: it imports the standard library and `gama.state` only, sees no
text of a task, and is therefore safe to load in the public space.

A template file reads::

    version: 1
    fields: domain term

    Text with $domain and $term …

The first line states the version, the second the fields the text uses (`string.Template` marks;
a plain dollar is written `$$`), an empty line follows, and the rest is the prompt. Which fields a
template has is fixed here (`FIELDS`); a file that lacks one or names another is refused when it is
loaded, not when it is used. Text that never changes stands first and what differs between experts
last, so that the prefix caches of providers serve all experts of all tasks.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Template
from types import MappingProxyType
from typing import Final, Literal, get_args

from gama.state.errors import OptionError
from gama.state.task import AnswerKind, Term

TemplateName = Literal["expert", "fuse", "disprove", "revise", "answer-open", "answer-boolean", "answer-choice"]
"""The prompts there are; each is one file `<name>.txt`."""

FIELDS: Final[dict[TemplateName, frozenset[str]]] = {
    "expert": frozenset({"domain", "description", "term", "answer_form"}),
    "fuse": frozenset({"answer_form"}),
    "disprove": frozenset(),
    "revise": frozenset({"answer_form"}),
    "answer-open": frozenset(),
    "answer-boolean": frozenset(),
    "answer-choice": frozenset(),
}
"""The fields each template must use, all of them and no other."""

SUPPORTED_VERSION: Final = 1
"""The version of the file format and of the set of fields; a file of another version is refused."""

# A line that could be taken for one of the delimiters of `quote`, with any indentation.
_DELIMITER: Final = re.compile(r"^(?=[ \t]*===)", re.MULTILINE)


@dataclass(frozen=True)
class Prompts:
    """A complete, checked set of templates."""

    templates: MappingProxyType[TemplateName, Template]
    source: str
    """Where overriding files came from; empty for the built-in set."""

    def answer_form(self, kind: AnswerKind) -> str:
        """Return the paragraph that says what form an answer of this kind has."""
        return self._fill(f"answer-{kind}")  # type: ignore[arg-type]

    def expert(self, *, domain: str, description: str, term: Term, kind: AnswerKind) -> str:
        """Return the system prompt of one domain's expert (THEN-part of Eq. 10).

        Args:
            domain: Name of the reference domain.
            description: One sentence that says what the domain covers.
            term: How strongly the task belongs to the domain.
            kind: What sort of answer the task asks for.
        """
        return self._fill(
            "expert", domain=domain, description=description, term=term, answer_form=self.answer_form(kind)
        )

    def fuse(self, kind: AnswerKind) -> str:
        """Return the system prompt of the fusing agent; the user part is `quote("TASK", …)` and the answers."""
        return self._fill("fuse", answer_form=self.answer_form(kind))

    def disprove(self) -> str:
        """Return the system prompt of the assistant that hunts a contradiction (Algorithm 1)."""
        return self._fill("disprove")

    def revise(self, kind: AnswerKind) -> str:
        """Return the system prompt under which the expert answers again, knowing the contradictions."""
        return self._fill("revise", answer_form=self.answer_form(kind))

    def _fill(self, name: TemplateName, **values: str) -> str:
        return self.templates[name].substitute(values)


def load_prompts(directory: str | Path | None = None) -> Prompts:
    """Read and check the templates.

    Args:
        directory: A folder whose `<name>.txt` files replace the built-in ones of the same name; what
            it lacks stays built in. None takes the built-in set.

    Returns:
        The complete set; the built-in set is read once per process.

    Raises:
        OptionError: The folder does not exist, a file in it is no template, or a template cannot be
            read or names a wrong version or fields. The message names the file and the field.
    """
    if directory is None:
        return _built_in()
    folder = Path(directory)
    if not folder.is_dir():
        raise OptionError(f"the prompt folder {str(folder)!r} does not exist; name an existing folder or leave it out")
    known = sorted(get_args(TemplateName))
    for file in sorted(folder.glob("*.txt")):
        if file.stem not in known:
            raise OptionError(f"{file.name} in the prompt folder is no known template; known: {', '.join(known)}")
    templates = dict(_built_in().templates)
    for name in get_args(TemplateName):
        file = folder / f"{name}.txt"
        if file.is_file():
            templates[name] = _read(name, file)
    return Prompts(MappingProxyType(templates), source=str(folder))


def quote(label: str, text: str) -> str:
    r"""Delimit a text for the user part of a prompt so that nothing in it can close the block.

    Lines of the text that start with `===` are moved behind a `> `, because only they could be read
    as a delimiter; everything else stays as it is, placeholders included.

    Args:
        label: What the block is, such as `TASK`, `ANSWER` or `CONTRADICTION 2`; one line.
        text: The material.

    Returns:
        `=== LABEL ===`, the text and `=== END LABEL ===`, each on lines of its own.

    Raises:
        OptionError: The label is empty or longer than a line.
    """
    if not label.strip() or len(label.splitlines()) != 1:
        raise OptionError("a quotation needs a label of one line")
    # Every kind of line break becomes "\n" first: a delimiter after a lone "\r" would be one as well.
    lines = "\n".join(text.splitlines())
    return f"=== {label} ===\n{_DELIMITER.sub('> ', lines)}\n=== END {label} ==="


@lru_cache(maxsize=1)
def _built_in() -> Prompts:
    folder = files("gama.tools.domains") / "data" / "prompts"
    templates: dict[TemplateName, Template] = {
        name: _read(name, folder / f"{name}.txt") for name in get_args(TemplateName)
    }
    return Prompts(MappingProxyType(templates), source="")


def _read(name: TemplateName, file: Traversable) -> Template:
    """Read one template file and check its header and its fields."""
    try:
        content = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise OptionError(f"the prompt template {file.name} cannot be read as UTF-8 text") from error
    head, _, body = content.replace("\r\n", "\n").partition("\n\n")
    header = dict(_header_line(file.name, line) for line in head.splitlines())
    if set(header) != {"version", "fields"}:
        raise OptionError(f"{file.name}: the first two lines must be 'version: …' and 'fields: …', then an empty line")
    if header["version"] != str(SUPPORTED_VERSION):
        raise OptionError(
            f"{file.name}: version {header['version']!r} is not supported; write the template for 'version: "
            f"{SUPPORTED_VERSION}'"
        )
    template = Template(body.strip())
    if not template.template:
        raise OptionError(f"{file.name}: the template has no text")
    if not template.is_valid():
        raise OptionError(f"{file.name}: a '$' is followed by no field name; write '$$' for a plain dollar")
    _check_fields(file.name, "its text", frozenset(template.get_identifiers()), FIELDS[name])
    _check_fields(file.name, "the line 'fields:'", frozenset(header["fields"].split()), FIELDS[name])
    return template


def _header_line(file: str, line: str) -> tuple[str, str]:
    key, colon, value = line.partition(":")
    if not colon:
        raise OptionError(f"{file}: the header line {line[:40]!r} is not 'name: value'")
    return key.strip(), value.strip()


def _check_fields(file: str, where: str, found: frozenset[str], wanted: frozenset[str]) -> None:
    for field in sorted(found - wanted):
        raise OptionError(f"{file}: {where} names the unknown field {field!r}; known: {', '.join(sorted(wanted))}")
    for field in sorted(wanted - found):
        raise OptionError(f"{file}: {where} lacks the field {field!r}")
