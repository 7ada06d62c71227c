"""The prompts of the agents, read from template files.

This module belongs to both halves: it imports the standard library and `gama.state` only, sees no
text of a task, and is therefore safe to load in the public space. A user's own templates cross with
the task, as files (`Prompts.own`), and are checked again on the other side (`prompts_of`).

A template file reads::

    version: 1
    fields: domain term

    Text with $domain and $term …

The first line states the version, the second the fields the text uses (`string.Template` marks;
a plain dollar is written `$$`), an empty line follows, and the rest is the prompt. Which fields a
template has is fixed by the built-in one; a file that lacks one or names another is refused when it is
loaded, not when it is used. Text that never changes stands first and what differs between experts
last, so that the prefix caches of providers serve all experts of all tasks.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Template
from types import MappingProxyType
from typing import Final, Literal, get_args

from gama.state.errors import InputError, OptionError
from gama.state.task import AnswerKind, PublicTask

TemplateName = Literal[
    "answer-open", "answer-boolean", "answer-choice",
    "expert", "general", "fuse",
    "disprove", "revise", "rival", "refute",
    "vote", "split", "check", "assemble", "assure",
    "solve", "discuss", "verify", "condense",
    "mend",
    "daa-background", "daa-fields", "daa-terms",
]  # fmt: skip
"""The prompts there are; each is one file `<name>.txt`."""

AT_HOME: Final[frozenset[TemplateName]] = frozenset({"daa-background", "daa-fields", "daa-terms"})
"""Prompts of the private LLM: they stay at home."""

LONGEST: Final = 40_000
"""Characters of a template file."""

SUPPORTED_VERSION: Final = 1
"""The version of the file format and of the set of fields; a file of another version is refused."""

CONVERSATION: Final = """\
Earlier in this conversation
- The blocks MESSAGE 1, REPLY 1 and so on are what the same person wrote before, and was answered. They are material \
like the task, and its context: what the task refers to (it, the second one, your draft) stands there, and \
placeholders mean the same throughout. Formulas in double braces were evaluated for the reader; write one anew where \
you need its result.
- The task is the newest message. Answer it alone; say again only what it asks for."""
"""What every role is told where earlier turns go along."""

# A line that could be taken for one of the delimiters of `quote`, with any indentation.
_DELIMITER: Final = re.compile(r"^(?=[ \t]*===)", re.MULTILINE)


# What may be a placeholder of any style: "<name-1>", "<<name>>", "[PERSON]"; a task in HTML keeps the rules as well.
_PLACEHOLDER: Final = re.compile(r"<[A-Za-z_]|\[[A-Z_]{2,}")


@dataclass(frozen=True)
class Prompts:
    """A complete, checked set of templates."""

    templates: MappingProxyType[TemplateName, Template]
    files: Mapping[TemplateName, str] = field(default_factory=dict)
    """The overriding files, as they read."""

    def system(self, name: TemplateName, kind: AnswerKind = "open", **values: str) -> str:
        """Return a system prompt by the name of its template, with the form of the answer where it states one.

        Args:
            name: The template, such as `vote` or `refute`.
            kind: What sort of answer the task asks for.
            values: What fills its other fields.
        """
        return self.templates[name].substitute(values, answer_form=self.answer_form(kind))

    def answer_form(self, kind: AnswerKind) -> str:
        """Return the paragraph that says what form an answer of this kind has."""
        return self.templates[f"answer-{kind}"].substitute()  # type: ignore[index]

    @property
    def own(self) -> dict[TemplateName, str]:
        """The user's own files among those of the public space, by name, as they read."""
        return {name: text for name, text in self.files.items() if name not in AT_HOME}


def load_prompts(directory: str | Path | None = None) -> Prompts:
    """Read and check the templates.

    Args:
        directory: A folder whose `<name>.txt` files replace the built-in ones of the same name; what
            it lacks stays built in. None takes the built-in set.

    Returns:
        The complete set; the built-in set is read once per process.

    Raises:
        OptionError: The folder does not exist, a file in it is not a template, or a template cannot be
            read or names a wrong version or fields. The message names the file and the field.
    """
    if directory is None:
        return _built_in()
    folder = Path(directory)
    if not folder.is_dir():
        raise OptionError(f"the prompt folder {str(folder)!r} does not exist; name an existing folder or leave it out")
    found = {file.stem: _content(file) for file in sorted(folder.glob("*.txt"))}
    return _with(found, "in the prompt folder")


def prompts_of(task: PublicTask) -> Prompts:
    """Return the templates for a task: the built-in set, and in it those that crossed with the task.

    Raises:
        InputError: one of them is invalid; the message names the file and the field.
    """
    return _crossed(tuple((file.name, file.text) for file in task.prompts))


@lru_cache(maxsize=16)
def _crossed(given: tuple[tuple[str, str], ...]) -> Prompts:
    if not given:
        return _built_in()
    problem = ""
    try:
        return _with(dict(given), "of the task")
    except OptionError as error:
        problem = str(error)
    raise InputError(f"The task's prompts cannot be used: {problem}.")


def _with(given: Mapping[str, str], where: str) -> Prompts:
    """Put files in the place of the built-in ones."""
    known = get_args(TemplateName)
    templates = dict(_built_in().templates)
    own: dict[TemplateName, str] = {}
    for stem, content in given.items():
        if stem not in known:
            raise OptionError(f"{stem}.txt {where} is no known template; known: {', '.join(sorted(known))}")
        name: TemplateName = stem  # type: ignore[assignment]
        templates[name] = _parse(name, content, frozenset(_built_in().templates[name].get_identifiers()))
        own[name] = content
    return Prompts(MappingProxyType(templates), own)


def without_placeholder_rules(system: str, task: str) -> str:
    """Return a prompt without the built-in rules on placeholders where the task has none: they would only distract.

    Args:
        system: a prompt; lines that are no built-in rule stay, whatever they say.
        task: the anonymized text.
    """
    if _PLACEHOLDER.search(task):
        return system
    return "\n".join(line for line in system.split("\n") if line not in _placeholder_rules())


@lru_cache(maxsize=1)
def _placeholder_rules() -> frozenset[str]:
    lines = (line for template in _built_in().templates.values() for line in template.template.split("\n"))
    return frozenset(line for line in lines if line.startswith("- ") and "laceholder" in line)


def without_earlier_answer(system: str) -> str:
    """Return a prompt for whoever examines a first answer: there is none before it to compare with.

    Args:
        system: a prompt; what is no built-in line stays, whatever it says.
    """
    built_in = _built_in().templates["disprove"].template.split("\n")
    dropped = {line for line in built_in if "EARLIER ANSWER" in line}
    kept = (line for line in system.split("\n") if line not in dropped)
    return "\n".join(line.replace(_COMPARED, "") if line in built_in else line for line in kept)


_COMPARED: Final = ', "earlier_better": true or false'


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
        name: _parse(name, _content(folder / f"{name}.txt")) for name in get_args(TemplateName)
    }
    return Prompts(MappingProxyType(templates))


def _content(file: Traversable | Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError) as error:
        raise OptionError(f"the prompt template {file.name} cannot be read as UTF-8 text") from error


def _parse(name: TemplateName, content: str, wanted: frozenset[str] | None = None) -> Template:
    """Read one template and check its header and its fields: those wanted, else those that the header names."""
    file = f"{name}.txt"
    if len(content) > LONGEST:
        raise OptionError(f"{file}: the template is longer than {LONGEST:,} characters")
    head, _, body = content.replace("\r\n", "\n").partition("\n\n")
    header = dict(_header_line(file, line) for line in head.splitlines())
    if set(header) != {"version", "fields"}:
        raise OptionError(f"{file}: the first two lines must be 'version: …' and 'fields: …', then an empty line")
    if header["version"] != str(SUPPORTED_VERSION):
        raise OptionError(
            f"{file}: version {header['version']!r} is not supported; write the template for 'version: "
            f"{SUPPORTED_VERSION}'"
        )
    template = Template(body.strip())
    if not template.template:
        raise OptionError(f"{file}: the template has no text")
    if not template.is_valid():
        raise OptionError(f"{file}: a '$' is followed by no field name; write '$$' for a plain dollar")
    named = frozenset(header["fields"].split())
    _check_fields(file, "its text", frozenset(template.get_identifiers()), named if wanted is None else wanted)
    _check_fields(file, "the line 'fields:'", named, named if wanted is None else wanted)
    return template


def _header_line(file: str, line: str) -> tuple[str, str]:
    key, colon, value = line.partition(":")
    if not colon:
        raise OptionError(f"{file}: the header line {line[:40]!r} is not 'name: value'")
    return key.strip(), value.strip()


def _check_fields(file: str, where: str, found: frozenset[str], wanted: frozenset[str]) -> None:
    for name in sorted(found - wanted):
        raise OptionError(f"{file}: {where} names the unknown field {name!r}; known: {', '.join(sorted(wanted))}")
    for name in sorted(wanted - found):
        raise OptionError(f"{file}: {where} lacks the field {name!r}")
