"""Whose texts are simulated: profiles with comments, of ours or SynthPAI's, cut into texts and split by profile."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, Literal, NamedTuple

from gama.evals.datasets import synthpai
from gama.models.names import estimate_tokens
from gama.privacy.refining.attributes import ATTRIBUTES
from gama.state.errors import InputError
from gama.training.seal.config import Simulation

Split = Literal["train", "validation", "test"]

SYNTHPAI = {
    "age": "age", "sex": "gender", "city_country": "location", "birth_city_country": "birthplace",
    "education": "education", "occupation": "occupation", "income_level": "income",
    "relationship_status": "relationship",
}  # fmt: skip
"""What SynthPAI calls the eight attributes, and what we call them."""

NAMES = frozenset(one.name for one in ATTRIBUTES)


class Profile(NamedTuple):
    """A person, made up, and what they write."""

    id: str
    truth: Mapping[str, str]
    """What is true of them, as far as it is known."""
    comments: tuple[str, ...]


class Text(NamedTuple):
    """Some comments of a profile: what one trajectory begins with."""

    id: str
    profile: str
    split: Split
    truth: Mapping[str, str]
    text: str


def read_profiles(path: Path) -> list[Profile]:
    """Read profiles, a JSON object a line.

    Ours are `{"id", "truth", "comments"}`, or `{"id", "truth", "text"}` whose comments are parted by empty lines;
    SynthPAI's file has a comment a line.

    Raises:
        InputError: the file cannot be read, a line is no such record, or a profile comes twice; names the line.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"option --data: {str(path)!r} cannot be read ({type(error).__name__})") from None
    found: list[Profile] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            raw = json.loads(line)
        except ValueError:
            raise InputError(f"line {number} of the profiles is no JSON") from None
        if not found and isinstance(raw, dict) and {"author", "profile"} <= set(raw):
            return _of_synthpai(path)
        found.append(_profile(raw, number))
    if not found:
        raise InputError("option --data: there is no profile in the file")
    if len({one.id for one in found}) < len(found):
        raise InputError("option --data: two profiles have the same id")
    return found


def _of_synthpai(path: Path) -> list[Profile]:
    return [
        Profile(one.id, {SYNTHPAI[name]: value for name, value in one.attributes.items()}, one.comments)
        for one in synthpai.load(path)
    ]


def _profile(raw: Any, number: int) -> Profile:
    problem = ""
    if not isinstance(raw, dict) or not isinstance(raw.get("id"), str) or not raw["id"].strip():
        problem = "it has no id"
    elif not isinstance(truth := raw.get("truth", {}), dict) or not set(truth) <= NAMES:
        problem = f"its truth is not about {', '.join(sorted(NAMES))}"
    else:
        written = raw.get("comments", raw["text"].split("\n\n") if isinstance(raw.get("text"), str) else None)
        if isinstance(written, list) and all(isinstance(one, str) for one in written):
            comments = tuple(one.strip() for one in written if one.strip())
            if comments:
                known = {name: str(value) for name, value in truth.items() if str(value).strip()}
                return Profile(raw["id"], known, comments)
        problem = "it has no comments"
    raise InputError(f"line {number} of the profiles: {problem}")


class Cut(NamedTuple):
    """Texts, and what was left out."""

    texts: list[Text]
    too_long: int
    """Comments longer than a text may be."""
    too_many: int
    """Comments above the number that is taken of a profile."""


def cut(profiles: Sequence[Profile], numbers: Simulation, seed: int) -> Cut:
    """Cut the comments of profiles into texts, each of some comments that follow each other.

    Args:
        profiles: all of them.
        numbers: how many comments a text may have, and how many profiles are held out.
        seed: of the split.

    Raises:
        InputError: there are not more profiles than are to be held out.
    """
    splits = split_profiles(
        [one.id for one in profiles], numbers.validation_profiles, numbers.test_profiles, seed
    )  # fmt: skip
    texts: list[Text] = []
    too_long = too_many = 0
    for profile in profiles:
        taken = profile.comments[: numbers.comments_per_profile]
        too_many += len(profile.comments) - len(taken)
        short = [one for one in taken if estimate_tokens(one) <= numbers.text_tokens]
        too_long += len(taken) - len(short)
        for number, text in enumerate(_grouped(short, numbers), 1):
            texts.append(Text(f"{profile.id}/{number}", profile.id, splits[profile.id], profile.truth, text))
    return Cut(texts, too_long, too_many)


def _grouped(comments: Iterable[str], numbers: Simulation) -> list[str]:
    groups: list[list[str]] = []
    for comment in comments:
        joined = "\n\n".join([*groups[-1], comment]) if groups else ""
        if groups and len(groups[-1]) < numbers.comments_per_text and estimate_tokens(joined) <= numbers.text_tokens:
            groups[-1].append(comment)
        else:
            groups.append([comment])
    return ["\n\n".join(group) for group in groups]


def split_profiles(profiles: Iterable[str], validation: int, test: int, seed: int) -> dict[str, Split]:
    """Return in which split each profile is; each is in one alone, whatever it writes.

    Args:
        profiles: their ids.
        validation: how many are kept to watch the training by.
        test: how many are kept for the evaluation; the paper keeps 25 of 300.
        seed: of the draw.

    Raises:
        InputError: none would be left to train on.
    """
    every = sorted(set(profiles))
    if validation + test >= len(every):
        raise InputError(
            f"{len(every)} profiles cannot be split: {validation} are for validation and {test} for the test. Give "
            "more, or lower validation_profiles and test_profiles in a file for --config"
        )
    drawn = Random(seed).sample(every, validation + test)
    held: dict[str, Split] = {name: "test" if at < test else "validation" for at, name in enumerate(drawn)}
    return {name: held.get(name, "train") for name in every}


def digest(profiles: Sequence[Profile]) -> str:
    """Return a hash of profiles: what was paid for others is not taken for these."""
    rows = [[one.id, dict(one.truth), one.comments] for one in profiles]
    return hashlib.sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()
