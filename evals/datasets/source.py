"""Where the data sets come from: files, official homes, licences, and what is known of the published files."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeGuard

from gama.state.errors import InputError

ITEMS = Path(__file__).parents[1] / "data" / "tasks"
"""A few items of each data set, or of the same shape, that ship with the package (see the README there)."""


_GITHUB = "https://raw.githubusercontent.com"


class Source(NamedTuple):
    """A file of a data set as published."""

    file: str
    """Its name at its home; items that ship have the same name."""
    home: str
    """Where `gama eval fetch` gets it; empty where its home asks for consent or gives it in another form."""
    licence: str
    sha256: str = ""
    """Of the published file; empty where it was not at hand."""
    records: int = 0
    """How many records the published file has; 0 where it was not at hand."""

    @property
    def fixed(self) -> bool:
        """Whether its address names one version of the file: another content is then not what was published."""
        return self.home.startswith(_GITHUB)

    @property
    def shipped(self) -> Path:
        """The items that ship."""
        return ITEMS / self.file


_SPP = f"{_GITHUB}/MikeWangWZHL/Solo-Performance-Prompting/619c8a0ff4205bfd39e33f0867647b40e1703b94/data"
_GAMA = f"{_GITHUB}/AGI-FBHC/GAMA/fbfd35969f0b8e5cab8277623c60af15b2903773"
_LENS = f"{_GITHUB}/SALT-NLP/PrivacyLens/9c2ee07b080dc54ed4924af11d9751e81753c94d"
_PAPILLON = f"{_GITHUB}/Columbia-NLP-Lab/PAPILLON/6cb527b4e75047010cc434f9fb8dfaf4dfb693cb"

SOURCES: Mapping[str, Source] = MappingProxyType({
    "tcw5": Source(
        "trivia_creative_writing_100_n_5.jsonl",
        f"{_SPP}/trivia_creative_writing/trivia_creative_writing_100_n_5.jsonl",
        "none given (questions of TriviaQA): evaluate only",
        "0b87d6f9d4e7fee3d4d5ce8fa774e2255d486346692f7e8a451d544f233e3c1c", 100,
    ),
    "tcw10": Source(
        "trivia_creative_writing_100_n_10.jsonl",
        f"{_SPP}/trivia_creative_writing/trivia_creative_writing_100_n_10.jsonl",
        "none given (questions of TriviaQA): evaluate only",
        "052ede3dfff067bbce8ac0314764555e781f7d1993f0e38626a511d58890a3f4", 100,
    ),
    "lgp": Source(
        "logic_grid_puzzle_200.jsonl",
        f"{_SPP}/logic_grid_puzzle/logic_grid_puzzle_200.jsonl",
        "none given (puzzles of BIG-bench, Apache-2.0): evaluate only",
        "5e796a1e6b983ee44bdddee122cfcbcfe454a2e96eb59d031abbe890cefeff37", 200,
    ),
    "kpp": Source(
        "emails.json",
        f"{_GAMA}/emails.json",
        "BSD-2-Clause; questions of HotpotQA, CC BY-SA 4.0",
        "20dca6c9f8d529873ee365c990afa065fc5fd3fa8ce94ff502a13b2b8ee94544", 100,
    ),
    "lpp": Source(
        "reasoning_pp.json",
        f"{_GAMA}/reasoning_pp.json",
        "BSD-2-Clause; text of BoolQ, CC BY-SA 3.0; some addresses are real: never publish it",
        "56c0c37d54d734195978d636939bfe0ab8d9a9f05fba3e3029b99c0d46a2f16a", 150,
    ),
    "plens": Source(
        "main_data.json",
        f"{_LENS}/data/main_data.json",
        "MIT",
        "2a8b3bfa470ffa9e50b12866857b17d62b422a2fea926b1249220a0244991941", 493,
    ),
    "boolq": Source(
        "dev.jsonl",
        "https://storage.googleapis.com/boolq/dev.jsonl",
        "CC BY-SA 3.0",
        "ebc29ea3808c5c611672384b3de56e83349fe38fc1fe876fd29b674d81d0a80a", 3270,
    ),
    "hotpotqa": Source(
        "hotpot_dev_distractor_v1.json",
        "http://curtis.ml.cmu.edu/datasets/hotpot/hotpot_dev_distractor_v1.json",
        "CC BY-SA 4.0",
        "", 7405,
    ),
    "pupa": Source(
        "PUPA_New.csv",
        f"{_PAPILLON}/pupa/PUPA_New.csv",
        "MIT; questions of WildChat's users: see its terms",
        "72d7659c717706bc987f0d296d9714f63db5e75c6645376ec75380e6638b8f91", 664,
    ),
    "synthpai": Source(
        "synthpai.jsonl",
        "",
        "CC BY-NC-SA 4.0: non-commercial evaluation only",
    ),
})  # fmt: skip
"""By the names of the data sets."""

ALSO: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "hotpotqa": ("hotpot_dev_fullwiki_v1.json", "hotpot_dev_v1_simplified.json"),
    "pupa": ("PUPA_TNB.csv",),
})  # fmt: skip
"""Other files that the reader of a data set takes."""


def locate(name: str, folder: Path) -> Path:
    """Return the file of a data set in a folder, however deep; of several the first by path.

    Raises:
        InputError: there is none; names the file that was looked for.
    """
    for file in (SOURCES[name].file, *ALSO.get(name, ())):
        if found := sorted(folder.rglob(file)):
            return found[0]
    raise InputError(
        f"data set {name!r}: no file {SOURCES[name].file!r} in {str(folder)!r}; get it by `gama eval fetch {name}`"
    )


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def digest_text(text: str) -> str:
    """Return the SHA-256 of a text."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def differences(name: str, path: Path, records: int) -> list[str]:
    """Return in which ways a file is not the published one: none is needed to use it, all of it to compare figures."""
    source = SOURCES[name]
    found = []
    if source.sha256 and digest(path) != source.sha256:
        found.append("its content is not that of the published file")
    if source.records and records != source.records:
        found.append(f"it has {records:,} records, the published file {source.records:,}")
    return found


def read_json(path: Path, what: str) -> list[Any]:
    """Read a file that holds one list of records.

    Raises:
        InputError: it is missing, or is not such a file.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        problem = error.strerror or type(error).__name__
    except (ValueError, RecursionError):
        problem = "it is not JSON"
    else:
        if isinstance(found, list) and found:
            return found
        problem = "it is not a list of records"
    raise InputError(f"the {what} file {str(path)!r} cannot be used: {problem}")


def read_lines(path: Path, what: str) -> list[Any]:
    """Read a file of one JSON object a line.

    Raises:
        InputError: it is missing or empty, or a line is not JSON; names the line.
    """
    found = []
    try:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if line.strip():
                try:
                    found.append(json.loads(line))
                except (ValueError, RecursionError):
                    raise InputError(f"line {number} of the {what} file {str(path)!r} is not JSON") from None
    except (OSError, UnicodeError) as error:
        problem = getattr(error, "strerror", None) or "it is not UTF-8"
    else:
        if found:
            return found
        problem = "it has no record"
    raise InputError(f"the {what} file {str(path)!r} cannot be used: {problem}")


def invalid(what: str, number: int, problem: str) -> InputError:
    """Return the error of a record that cannot be used."""
    return InputError(f"record {number} of the {what} file cannot be used: {problem}")


def is_text(value: Any) -> TypeGuard[str]:
    """Return whether a value is a text that is not blank."""
    return isinstance(value, str) and bool(value.strip())


def are_texts(value: Any) -> TypeGuard[list[str]]:
    """Return whether a value is a list of texts, at least one, none of them blank."""
    return isinstance(value, list) and bool(value) and all(map(is_text, value))
