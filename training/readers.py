"""Readers of the named-entity sets: each yields examples that say how much their annotation covers.

Wikipedia, tweets and web genres mark people, places and organizations only, so an unmarked word there may
still be a date or an occupation: `Example.annotated` keeps the learner from taking it as ordinary.
Sources and licences: wikigold, WNUT-17, Broad Twitter Corpus, GUM, SEC filings: CC BY 3.0 or 4.0.
"""

import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from gama.evals.datasets.corpus import Example, Mark
from gama.state.entities import SUBTYPES

Token = tuple[str, str]
"""A token and its tag (`O`, `B-x`, `I-x`)."""

NAMES = ("full_name", "first_name", "last_name", "nickname", "initials")
SINGLE_NAMES = ("first_name", "last_name", "nickname", "initials")
PLACES = tuple(sub for sub in SUBTYPES["LOC"] if sub not in ("postcode", "coordinates"))
BODIES = SUBTYPES["ORG"]
MARKED = frozenset(NAMES) | frozenset(PLACES) | frozenset(BODIES)
"""What sets of the CoNLL kind mark completely."""

TITLES = frozenset(
    "mr mrs ms miss dr prof professor sir lord lady dame president senator governor judge justice king queen prince "
    "princess pope saint captain colonel general mayor minister chancellor coach aunt uncle father sister".split()
)
"""Honorifics, which our spans leave out."""

_NO_SPACE_BEFORE = re.compile(r"^(?:[.,;:!?)\]}%…’”]|'s|'S|’s|n't|'re|'ve|'ll|'d|'m)$")
_NO_SPACE_AFTER = re.compile(r"^[(\[{$£€#“‘@]$")


def names(words: Sequence[str]) -> tuple[str, ...]:
    """Return what a person's mention may be, by its number of words."""
    if len(words) == 1:
        return ("handle",) if words[0].startswith("@") else SINGLE_NAMES
    return ("handle",) if words[0] == "@" else ("full_name", "nickname")


def join(tokens: Sequence[Token], spaces: Sequence[bool] | None = None) -> tuple[str, list[tuple[int, int]]]:
    """Write tokens as running text, punctuation closed up.

    Args:
        tokens: Tokens with tags.
        spaces: Whether a space follows each token, where the source says so.

    Returns:
        The text, and start and end of every token in it.
    """
    text, places = "", []
    for at, (token, _) in enumerate(tokens):
        if at:
            before = tokens[at - 1][0]
            gap = (
                not (_NO_SPACE_BEFORE.match(token) or _NO_SPACE_AFTER.match(before))
                if spaces is None
                else spaces[at - 1]
            )
            text += " " if gap else ""
        places.append((len(text), len(text) + len(token)))
        text += token
    return text, places


def chunks(tokens: Sequence[Token]) -> Iterator[tuple[int, int, str]]:
    """Yield first token, one past the last, and kind of every mention, in B/I as in I-only tagging."""
    start, kind = 0, ""
    for at, (_, tag) in enumerate([*tokens, ("", "O")]):
        begins, name = tag[:1], tag[2:]
        if kind and (begins != "I" or name != kind):
            yield start, at, kind
            kind = ""
        if begins in "BI" and not kind:
            start, kind = at, name


def example(
    tokens: Sequence[Token],
    kinds: dict[str, tuple[str, ...] | None],
    private: bool | None,
    source: str,
    spaces: Sequence[bool] | None = None,
) -> Example:
    """Turn tagged tokens into an example.

    Args:
        tokens: One or more sentences.
        kinds: Per tag of the source, the subtypes it may be. An empty tuple teaches nothing about the
            mention; None says that it is an ordinary word to us; `NAMES` is narrowed by the number of words.
        private: What is known of all its mentions.
        source: Name for the model card.
        spaces: See `join`.
    """
    text, places = join(tokens, spaces)
    marks = []
    for first, last, kind in chunks(tokens):
        subtypes = kinds.get(kind, ())
        if subtypes is None:
            continue
        if subtypes is NAMES:
            while first < last - 1 and tokens[first][0].lower().rstrip(".") in TITLES:
                first += 1
            subtypes = names([token for token, _ in tokens[first:last]])
        elif tokens[first][0].startswith("@"):
            subtypes = ("handle",)
        marks.append(Mark(places[first][0], places[last - 1][1], subtypes, private))
    return Example(text, tuple(marks), MARKED, source)


def sentences(path: Path, column: int = -1) -> Iterator[list[Token]]:
    """Yield the sentences of a column file: token first, tag in `column`, an empty line between."""
    found: list[Token] = []
    with path.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            cells = line.split()
            if not cells or cells[0] == "-DOCSTART-":
                if found:
                    yield found
                found = []
            elif len(cells) > 1:
                found.append((cells[0], cells[column]))
    if found:
        yield found


def grouped(items: Iterator[list[Token]], rng: random.Random, most: int) -> Iterator[list[Token]]:
    """Put one to `most` neighbouring sentences together, so that lengths vary as in real texts."""
    held: list[Token] = []
    left = rng.randint(1, most)
    for item in items:
        held += item
        left -= 1
        if not left:
            yield held
            held, left = [], rng.randint(1, most)
    if held:
        yield held


def read_wikigold(root: Path, rng: random.Random) -> Iterator[Example]:
    """Wikipedia sentences: encyclopaedic, hence public knowledge."""
    kinds: dict[str, tuple[str, ...] | None] = {"PER": NAMES, "LOC": PLACES, "ORG": BODIES, "MISC": ()}
    for tokens in grouped(sentences(root / "wikigold" / "wikigold.conll.txt"), rng, 5):
        yield example(tokens, kinds, False, "wikigold")


def read_wnut17(root: Path, rng: random.Random) -> Iterator[Example]:
    """Noisy user text; products and works are ordinary words to us."""
    kinds: dict[str, tuple[str, ...] | None] = {
        "person": NAMES,
        "location": PLACES,
        "corporation": ("company",),
        "group": BODIES,
        "product": None,
        "creative-work": None,
    }
    for tokens in grouped(sentences(root / "wnut17" / "wnut17train.conll"), rng, 3):
        yield example(tokens, kinds, None, "wnut17")


def read_btc(root: Path, rng: random.Random) -> Iterator[Example]:
    """Tweets of many regions; handles count as whoever they name."""
    kinds: dict[str, tuple[str, ...] | None] = {"PER": NAMES, "LOC": PLACES, "ORG": BODIES}
    for tokens in grouped(sentences(root / "btc" / "btc.train"), rng, 2):
        yield example(tokens, kinds, None, "btc")


def read_gum(root: Path, rng: random.Random) -> Iterator[Example]:
    """Many genres; of the nested mentions, those of people, places and bodies made of proper nouns."""
    kinds: dict[str, tuple[str, ...] | None] = {"person": NAMES, "place": PLACES, "organization": BODIES}
    for path in sorted((root / "gum").glob("*.conllu")):
        held: list[Token] = []
        spaces: list[bool] = []
        left = rng.randint(1, 6)
        for tokens, gaps in _gum_sentences(path):
            held, spaces, left = held + tokens, spaces + gaps, left - 1
            if not left:
                yield example(held, kinds, None, "gum", spaces)
                held, spaces, left = [], [], rng.randint(1, 6)
        if held:
            yield example(held, kinds, None, "gum", spaces)


def _gum_sentences(path: Path) -> Iterator[tuple[list[Token], list[bool]]]:
    opened: dict[str, tuple[int, str]] = {}
    words: list[str] = []
    proper: list[bool] = []
    gaps: list[bool] = []
    found: list[tuple[int, int, str]] = []
    for line in path.read_text(encoding="utf-8").splitlines() + [""]:
        cells = line.split("\t")
        if not line.strip() and words:
            tags = ["O"] * len(words)
            for first, last, kind in sorted(found, key=lambda item: item[0] - item[1]):
                if all(proper[first:last]) and set(tags[first:last]) == {"O"}:
                    tags[first:last] = [f"B-{kind}"] + [f"I-{kind}"] * (last - first - 1)
            # A proper noun outside every such mention (a work, an event, a nationality) teaches nothing.
            tags = ["B-other" if tag == "O" and noun else tag for tag, noun in zip(tags, proper, strict=True)]
            yield list(zip(words, tags, strict=True)), gaps
            words, proper, gaps, found, opened = [], [], [], [], {}
        elif len(cells) == 10 and cells[0].isdigit():
            at = len(words)
            words.append(cells[1])
            proper.append(cells[3] == "PROPN")
            gaps.append("SpaceAfter=No" not in cells[9])
            entity = next((item[7:] for item in cells[9].split("|") if item.startswith("Entity=")), "")
            for part in re.findall(r"\([^()]+\)?|[^()]+\)", entity):
                number = part.strip("()").split("-")[0]
                if part.startswith("("):
                    fields = part.strip("()").split("-")
                    opened[number] = (at, fields[1] if len(fields) > 1 else "")
                if part.endswith(")") and number in opened:
                    first, kind = opened.pop(number)
                    if kind in ("person", "place", "organization"):
                        found.append((first, at + 1, kind))


def read_sec_filings(root: Path, rng: random.Random) -> Iterator[Example]:
    """Loan contracts. Roles such as `the Lender` are tagged as names there; they teach nothing."""
    kinds: dict[str, tuple[str, ...] | None] = {"PER": NAMES, "LOC": PLACES, "ORG": BODIES, "MISC": ()}
    for tokens in grouped(sentences(root / "sec_filings" / "FIN5.txt"), rng, 3):
        tagged = list(tokens)
        for first, last, kind in chunks(tokens):
            if kind in ("ORG", "PER") and last - first == 1:
                tagged[first] = (tokens[first][0], "B-MISC")
        yield example(tagged, kinds, None, "sec_filings")


_CROSSNER: dict[str, tuple[str, ...] | None] = {
    **dict.fromkeys(("person", "scientist", "politician", "writer", "musicalartist", "researcher"), NAMES),
    **dict.fromkeys(("location",), PLACES),
    **dict.fromkeys(("country",), ("country",)),
    **dict.fromkeys(("organisation", "band", "politicalparty", "university"), BODIES),
    **dict.fromkeys(
        (
            "product", "album", "song", "book", "poem", "magazine", "award", "musicgenre", "literarygenre", "field",
            "task", "algorithm", "metrics", "programlang", "conference", "protein", "chemicalcompound", "enzyme",
            "chemicalelement", "astronomicalobject", "discipline", "theory", "election", "musicalinstrument",
        ),
        None,
    ),
}  # fmt: skip
_UNER: dict[str, tuple[str, ...] | None] = {"PER": NAMES, "LOC": PLACES, "ORG": BODIES}


def read_share_alike(root: Path, rng: random.Random) -> dict[str, list[Example]]:
    """Read the sets under CC BY-SA 4.0 by name: CrossNER, and Universal NER (EWT dev, PUD).

    They are read only where a run asks for them (`share_alike`): the shipped weights never saw them.

    Args:
        root: Holds `crossner/` and `uner_ewt/`, `uner_pud/`.
        rng: Groups sentences.

    Raises:
        OSError: A set is missing.
    """
    crossner = [
        example(tokens, _CROSSNER, False, "crossner")
        for domain in sorted(path for path in (root / "crossner").iterdir() if path.is_dir())
        for part in ("train", "dev")
        for tokens in grouped(sentences(domain / f"{part}.txt"), rng, 3)
    ]
    found = {"crossner": crossner}
    for name, file in (("uner_ewt", "en_ewt-ud-dev.iob2"), ("uner_pud", "en_pud-ud-test.iob2")):
        found[name] = [
            example(tokens, _UNER, False if name == "uner_pud" else None, name)
            for tokens in grouped(_rows(root / name / file), rng, 4)
        ]
    return found


def _rows(path: Path) -> Iterator[list[Token]]:
    held: list[Token] = []
    for line in [*path.read_text(encoding="utf-8").splitlines(), ""]:
        cells = line.split("\t")
        if line.startswith("#"):
            continue
        if len(cells) > 2 and cells[0].isdigit():
            held.append((cells[1], cells[2]))
        elif not line.strip() and held:
            yield held
            held = []
