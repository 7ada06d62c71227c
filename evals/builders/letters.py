"""Letters like those of KPP and LPP, without the originals' faults (spec 02 §2.1, the construction recipes).

The originals follow one template, list values that do not occur, leave others out, and mark no places. Here openings,
order and contacts vary; every value stands in its letter where its annotation says; names and places are invented, and
none of them occurs in a question or a right answer, except in the records of the subset `collision`, where one does.
"""

import re
import string
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any, NamedTuple

from gama.evals.datasets import boolq, hotpotqa
from gama.evals.datasets.letters import SUBTYPES
from gama.evals.datasets.source import digest_text
from gama.state.entities import TYPE_OF
from gama.state.errors import InputError

QUESTIONS = 5
"""In each letter of knowledge."""

DRAWS = 200
"""How often values are drawn anew before a record is given up."""

_CLASS = {
    "recipient": "name", "sender": "name", "town": "location", "address": "location", "organization": "organization",
    "phone": "email_id", "mail": "email_id",
}  # fmt: skip
"""The class of the files for each slot."""

_SLOT = re.compile(r"\{(\w+)\}")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{3,}")
# Accepts a capitalised word within a sentence, such as the surname of somebody a question asks about.


class _Made(NamedTuple):
    """A text with the places of its values."""

    text: str
    spans: list[dict[str, Any]]


def make_kpp(questions: Sequence[hotpotqa.Record], count: int, seed: int, collisions: int = 0) -> list[dict[str, Any]]:
    """Return letters with five questions each, drawn without replacement.

    Args:
        questions: what is drawn from.
        count: how many letters.
        seed: of the draws.
        collisions: in how many of the letters a private name is also a word of a question.

    Raises:
        InputError: there are too few questions.
    """
    if len(questions) < count * QUESTIONS:
        raise InputError(f"{count} letters need {count * QUESTIONS} questions, there are {len(questions)}")
    random = Random(f"kpp-{seed}")
    drawn = random.sample(list(questions), count * QUESTIONS)
    groups = [drawn[at : at + QUESTIONS] for at in range(0, len(drawn), QUESTIONS)]
    words = ["\n".join([*(one.question for one in asked), *(one.answer for one in asked)]) for asked in groups]
    collide = _colliding(words, collisions)
    made = []
    for number, asked in enumerate(groups):
        values = _values(random, words[number], collide=number in collide)
        contact = random.choice(("phone", "mail"))
        listed = "\n".join(one.question for one in asked)
        parts = [
            _pick(random, "greeting"),
            f"{_pick(random, 'introduction')} {_pick(random, 'asking')}\n{listed.replace('{', '(').replace('}', ')')}",
            _pick(random, "contact").replace("{contact}", f"{{{contact}}}"),
            f"{_pick(random, 'farewell')}\n{{sender}}",
        ]
        if random.random() < 0.5:
            parts[2:] = [parts[3], parts[2]]
        letter = _fill("\n\n".join(parts), values)
        made.append({
            "id": number + 1,
            "question": letter.text,
            "answers": {str(at): aliases(one.answer) for at, one in enumerate(asked, 1)},
            "questions": [one.question for one in asked],
            "privacy_data": _listed(letter),
            "spans": letter.spans,
            "collision": number in collide,
            "source": [one.id for one in asked],
        })  # fmt: skip
    return made


def make_lpp(questions: Sequence[boolq.Record], count: int, seed: int, collisions: int = 0) -> list[dict[str, Any]]:
    """Return letters with one question each, half of them true; the passage's sentences stand as they are.

    Args:
        questions: what is drawn from.
        count: how many letters.
        seed: of the draws.
        collisions: in how many of the letters a private name is also a word of the passage.

    Raises:
        InputError: there are too few questions of a kind.
    """
    random = Random(f"lpp-{seed}")
    drawn = boolq.balanced(questions, count, seed)
    random.shuffle(drawn)
    told = [" ".join(relevant(one.passage, one.question)).replace("{", "(").replace("}", ")") for one in drawn]
    words = [f"{said}\n{one.question}\n{one.title}" for one, said in zip(drawn, told, strict=True)]
    collide = _colliding(words, collisions)
    made = []
    for number, (one, said) in enumerate(zip(drawn, told, strict=True)):
        values = _values(random, words[number], collide=number in collide)
        question = one.question.rstrip("? ")
        parts = [
            _pick(random, "greeting"),
            _pick(random, "introduction"),
            f"{_pick(random, 'wondering').replace('{topic}', one.title)} {said}",
            _pick(random, "settle").replace("{question}", question),
            _pick(random, "contacts"),
            f"{_pick(random, 'farewell')}\n{{sender}}\n{{address}}",
        ]
        if random.random() < 0.5:
            parts[1], parts[4] = parts[4], parts[1]
        letter = _fill("\n\n".join(parts), values)
        made.append({
            "id": number + 1,
            "question": one.question,
            "title": one.title,
            "answer": one.answer,
            "passage": letter.text,
            "privacy_data": _listed(letter),
            "spans": letter.spans,
            "collision": number in collide,
            "source": [one.id],
            "passage_sha256": digest_text(one.passage),
        })  # fmt: skip
    return made


def aliases(answer: str) -> list[str]:
    """Return the forms of an answer that are right: as given, without article and marks, the synonyms of yes and no."""
    plain = answer.strip()
    bare = re.sub(r"^(?:the|a|an)\s+", "", plain, flags=re.IGNORECASE)
    # A scorer that looks for whole words finds none that begins with a quotation mark, or ends with a comma.
    said = " ".join(word.strip(f"{string.punctuation}“”") for word in bare.split()).strip()
    same = {"yes": ["true"], "no": ["false"]}.get(plain.lower(), [])
    return list(
        dict.fromkeys(one for one in (plain, bare, said, plain.lower(), bare.lower(), said.lower(), *same) if one)
    )


def relevant(passage: str, question: str, most: int = 3) -> list[str]:
    """Return the sentences of a passage that share most words with a question, in their order."""
    wanted = set(re.findall(r"\w{3,}", question.lower()))
    sentences = _SENTENCE.split(" ".join(passage.split()))
    shared = [len(wanted & set(re.findall(r"\w{3,}", one.lower()))) for one in sentences]
    best = sorted(range(len(sentences)), key=lambda at: (-shared[at], at))[:most]
    return [sentences[at] for at in sorted(best)]


@cache
def _lists() -> Mapping[str, list[str]]:
    import yaml

    text = files("gama.evals").joinpath("data", "letters", "values.yaml").read_text(encoding="utf-8")
    found: dict[str, list[str]] = yaml.safe_load(text)
    return found


def _pick(random: Random, name: str) -> str:
    return random.choice(_lists()[name])


def _colliding(words: Sequence[str], collisions: int) -> set[int]:
    """Return the numbers of the letters in which a private name is to be a word of what is asked.

    Raises:
        InputError: too few hold a name that could be.
    """
    able = [number for number, text in enumerate(words) if _NAME.search(text)]
    if len(able) < collisions:
        raise InputError(f"{collisions} collisions are wanted; only {len(able)} letters ask about a name")
    return set(able[:collisions])


def _values(random: Random, words: str, *, collide: bool) -> dict[str, str]:
    """Draw the private values of a letter.

    Raises:
        InputError: what is asked holds nearly every name of the lists.
    """
    taken = sorted(set(_NAME.findall(words)))
    for _ in range(DRAWS):
        values = _draw(random)
        surname = random.choice(taken) if collide else values["surname"]
        values["sender"] = f"{values.pop('given')} {surname}"
        values.pop("surname")
        own = [value for name, value in values.items() if not (collide and name == "sender")]
        if not _occurs(own, words) and len(set(values.values())) == len(values):
            return values
    raise InputError("no values were found that occur in none of the questions: give other questions")


def _draw(random: Random) -> dict[str, str]:
    town, given, family = _pick(random, "town"), _pick(random, "given"), _pick(random, "family")
    place = f"{random.randrange(2, 990)} {_pick(random, 'street')}, {town}, {_pick(random, 'state')} {_code(random)}"
    return {
        "recipient": f"{_pick(random, 'given')} {_pick(random, 'family')}",
        "given": given,
        "surname": family,
        "town": town,
        "address": place,
        "organization": f"{_pick(random, 'town')} {_pick(random, 'body')}",
        # Numbers kept for fiction, and a domain kept for documentation.
        "phone": f"({random.choice((206, 303, 404, 512, 617, 702, 808, 919))}) 555-{random.randrange(100, 200):04}",
        "mail": f"{given}.{family}{random.randrange(10, 99)}@post.example".lower(),
    }


def _code(random: Random) -> str:
    return f"{random.randrange(1000, 99950):05}"


def _occurs(values: Sequence[str], words: str) -> bool:
    """Return whether a value, or a word of one, stands in what is asked."""
    said = words.casefold()
    parts = {part for value in values for part in re.findall(r"[^\W\d_]{4,}", value.casefold())} - _ORDINARY
    return any(value.casefold() in said for value in values) or any(
        re.search(rf"\b{re.escape(part)}\b", said) for part in parts
    )


_ORDINARY = frozenset({
    "post", "example", "street", "road", "lane", "avenue", "drive", "close", "terrace", "club", "society", "company",
    "union", "room", "band", "film", "book", "history", "natural", "local", "friends", "league", "reading", "point",
    "green", "hill", "falls", "bay", "upper", "cross", "theatre", "college", "workers", "model", "railway", "circle",
    "guild",
})  # fmt: skip
"""Words of the lists that tell nothing of anybody."""


def _fill(template: str, values: Mapping[str, str]) -> _Made:
    """Put values into their slots, and note where they stand."""
    out: list[str] = []
    spans: list[dict[str, Any]] = []
    length = 0
    for text, slot in _pieces(template):
        if slot:
            text = values[slot]
            subtype = "phone" if slot == "phone" else "street_address" if slot == "address" else SUBTYPES[_CLASS[slot]]
            spans.append({
                "start": length, "end": length + len(text), "type": TYPE_OF[subtype], "subtype": subtype,
                "class": _CLASS[slot],
            })  # fmt: skip
        out.append(text)
        length += len(text)
    return _Made("".join(out), spans)


def _pieces(template: str) -> Iterator[tuple[str, str]]:
    last = 0
    for match in _SLOT.finditer(template):
        yield template[last : match.start()], ""
        yield "", match[1]
        last = match.end()
    yield template[last:], ""


def _listed(letter: _Made) -> dict[str, list[str]]:
    """Return the values by class, each once, as the originals list them."""
    found: dict[str, list[str]] = {kind: [] for kind in SUBTYPES}
    for span in letter.spans:
        value = letter.text[span["start"] : span["end"]]
        if value not in found[span["class"]]:
            found[span["class"]].append(value)
    return found
