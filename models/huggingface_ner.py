"""Any token-classification checkpoint of Hugging Face as a finder of spans.

Runs on this machine; needs the packages of the extra `local`. Labels are read by the table in `data/ner_labels.txt`,
without case and separators, so that `FIRST_NAME`, `FirstName` and `first-name` are one. Where a label is coarser than
our subtypes, the most frequent subtype of it stands for all: the type is right, the subtype may not be. Label sets that
are covered: CoNLL-2003, OntoNotes 5, WNUT 2017, MultiNERD and WikiNEuRal, i2b2 2014 (de-identification), the ai4privacy
sets, Presidio's entity names, and the usual names of personal data.
"""

import hashlib
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from gama.models.embedded import most_context, split_words
from gama.state.entities import TYPE_OF, Span
from gama.state.errors import ModelUnreachable, OptionError

WINDOW = 512
"""Most pieces read at once, markers included: what encoders of this kind were trained on."""
OVERLAP = 64
"""Pieces that two neighbouring windows share."""

_SURROGATE = re.compile("[\ud800-\udfff]")

# Accepts the prefix of one label of a scheme: B, I, E, S (BIOES), L, U (BILOU), M (middle); then hyphen or underscore.
_PREFIX = re.compile(r"([BIESLUM])[-_](.+)", re.IGNORECASE | re.DOTALL)
_STARTS = re.compile(r"[BI][-_].", re.IGNORECASE)


LEFT_OUT = "-"
"""What stands in the table for labels that are known and of no type here."""


@cache
def known_labels() -> Mapping[str, str]:
    """Return the subtype, or `LEFT_OUT`, that each known label stands for, in the form in which labels are compared."""
    lines = files("gama.models").joinpath("data", "ner_labels.txt").read_text(encoding="utf-8").splitlines()
    rows = (line.partition(": ") for line in lines if not line.startswith("#"))
    return {label: subtype for subtype, _, labels in rows for label in labels.split()}


def label_key(label: str) -> str:
    """Return a label as it is compared: upper case, without separators."""
    return re.sub(r"[^A-Z0-9]", "", label.upper())


def subtype_of(label: str) -> str | None:
    """Return the subtype that a label stands for; None for one that is left out or unknown."""
    subtype = known_labels().get(label_key(label))
    return None if subtype == LEFT_OUT else subtype


class Label(NamedTuple):
    """A label of a checkpoint, read."""

    place: str
    """B, I, E or S; I where the scheme tells no places. Empty outside and for what is left out."""
    kind: str
    """The label without its prefix."""
    subtype: str
    """What it stands for; empty outside and for what is left out."""


OUTSIDE = Label("", "", "")


def read_labels(names: Sequence[str]) -> list[Label]:
    """Read the labels of a checkpoint: BIO, BIOES, BILOU, or plain kinds.

    Only where some label begins with `B-` or `I-` is a first letter a prefix: `E-MAIL` may be a kind.
    """
    scheme = any(_STARTS.match(name) for name in names)
    labels = []
    for name in names:
        match = _PREFIX.fullmatch(name) if scheme else None
        place, kind = (match[1].upper(), match[2]) if match else ("I", name)
        place = {"L": "E", "U": "S", "M": "I"}.get(place, place)
        subtype = subtype_of(kind)
        labels.append(Label(place, kind, subtype) if subtype else OUTSIDE)
    return labels


class TokenClassifier:
    """Finds spans with a token classifier. It judges no context: `private` is None. Calls take turns."""

    def __init__(self, name: str, revision: str | None = None) -> None:
        """Load a checkpoint.

        Args:
            name: a name on the hub, or a folder with model and tokenizer.
            revision: commit, tag or branch on the hub; by default the newest.

        Raises:
            OptionError: torch or transformers is missing.
            ModelUnreachable: it cannot be loaded, is not a token classifier, or has no known label.
        """
        try:
            import torch
            from transformers import AutoConfig, AutoModelForTokenClassification, AutoTokenizer
        except ImportError:
            told = "token classifiers of Hugging Face need more packages: pip install 'gama-privacy[local]'"
            raise OptionError(told) from None
        problem = ""
        try:
            config = AutoConfig.from_pretrained(name, revision=revision)
            heads = list(getattr(config, "architectures", None) or [])
            if heads and not any(head.endswith("ForTokenClassification") for head in heads):
                problem = f"it is a {heads[0]}, not a token classifier"
            else:
                tokenizer: Any = AutoTokenizer.from_pretrained(name, revision=revision)
                model, report = AutoModelForTokenClassification.from_pretrained(
                    name, revision=revision, output_loading_info=True
                )
                if report["missing_keys"]:
                    problem = "it has no trained head for labels: it is no token classifier"
                elif not getattr(tokenizer, "is_fast", False):
                    problem = "its tokenizer cannot tell where a piece stands (it is no fast tokenizer)"
        except Exception as error:  # the loaders raise anything, from OSError to errors of the formats
            problem = (
                f"{type(error).__name__}. Give a folder with a saved model and tokenizer, or a hub name that can be "
                "reached or is in the cache"
            )
        if problem:
            raise ModelUnreachable(f"The checkpoint {name!r} cannot be used: {problem}.")
        names = [str(label) for _, label in sorted(config.id2label.items())]
        self._labels = read_labels(names)
        if set(self._labels) == {OUTSIDE}:
            raise ModelUnreachable(
                f"The checkpoint {name!r} cannot be used: none of its labels ({_some(names)}) names personal data. "
                "The labels that are known are listed in models/data/ner_labels.txt."
            )
        _warn_of_unknown(name, names)
        self.name = name
        self.device: str = "cuda" if torch.cuda.is_available() else "cpu"
        """Where it runs."""
        self.revision: str = str(getattr(config, "_commit_hash", None) or "") or folder_hash(Path(name))
        """The commit on the hub, or the hash of a folder's weights."""
        self._lock = Lock()  # a fast tokenizer cannot be used from two threads at once
        self._tokenizer = tokenizer
        self._model = model.to(self.device)
        self._model.train(False)
        self._before, self._after = _markers(tokenizer)
        self._room = _room(config, tokenizer) - len(self._before) - len(self._after)

    def spans(self, text: str) -> list[Span]:
        """Find the spans of a text.

        A word has the label of its first piece, as these models are trained; neighbouring words of one kind are one
        span unless the label says that a new one begins. Offsets count characters of `text`.

        Returns:
            Spans sorted by start, not overlapping. They do not tell what is private.
        """
        sound = _SURROGATE.sub("\ufffd", text)
        with self._lock:
            encoded = self._tokenizer(sound, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
            best = self._read(list(encoded["input_ids"]))
        places = [(int(start), int(end)) for start, end in encoded["offset_mapping"]]
        return self._decode(sound, places, best)

    def _read(self, ids: Sequence[int]) -> list[tuple[int, float]]:
        """Return the best label of each piece with its probability, from the window that shows most around it."""
        if not ids:
            return []
        import torch

        read = []
        for first, last in self._windows(len(ids)):
            row = [*self._before, *ids[first:last], *self._after]
            given = torch.tensor([row], device=self.device)
            with torch.inference_mode():
                logits = self._model(input_ids=given, attention_mask=torch.ones_like(given)).logits[0]
            scores, labels = logits.float().softmax(dim=-1).max(dim=-1)
            begin = len(self._before)
            both = torch.stack([labels.float(), scores], dim=1)[begin : begin + last - first]
            read.append((first, last, both.cpu().numpy()))
        return [(int(label), float(score)) for label, score in most_context(read, len(ids))]

    def _windows(self, total: int) -> Iterator[tuple[int, int]]:
        room = max(2, self._room)
        step = room - min(OVERLAP, room // 2)
        first = 0
        while first + room < total:
            yield first, first + room
            first += step
        yield first, total

    def _decode(self, text: str, places: Sequence[tuple[int, int]], best: Sequence[tuple[int, float]]) -> list[Span]:
        runs: list[_Run] = []
        open_run = False
        piece = 0
        for start, end in split_words(text):
            while piece < len(places) and places[piece][1] <= start:
                piece += 1
            if piece == len(places) or places[piece][0] >= end:
                # No piece stands here, as for a sign the tokenizer drops: the word is in a span only if both sides are.
                continue
            label, score = self._labels[best[piece][0]], best[piece][1]
            if not label.subtype:
                open_run = False
                continue
            # A piece may hold several words ("U.S."): they are of one span, whatever its label says of places.
            same_piece = bool(runs) and runs[-1].piece == piece
            goes_on = open_run and label.place not in "BS" and runs[-1].kind == label.kind
            if same_piece or goes_on:
                runs[-1] = runs[-1].longer(end, piece, score)
            else:
                runs.append(_Run(start, end, label.kind, label.subtype, piece, (score,)))
            # What follows the end of a span begins another one.
            open_run = label.place not in "ES"
        return [
            Span(
                run.start,
                run.end,
                TYPE_OF[run.subtype],
                run.subtype,
                score=round(sum(run.scores) / len(run.scores), 4),
                view="pner",
                source=f"huggingface:{self.name}",
            )
            for run in runs
        ]


class _Run(NamedTuple):
    """Words that make one span."""

    start: int
    end: int
    kind: str
    subtype: str
    piece: int
    scores: tuple[float, ...]

    def longer(self, end: int, piece: int, score: float) -> "_Run":
        return self._replace(end=end, piece=piece, scores=(*self.scores, score))


def _markers(tokenizer: Any) -> tuple[list[int], list[int]]:
    """Return the ids a tokenizer puts before and after a text."""
    probe = tokenizer("a", return_special_tokens_mask=True)
    ids, special = list(probe["input_ids"]), list(probe["special_tokens_mask"])
    inner = [at for at, mark in enumerate(special) if not mark] or [len(ids)]
    return ids[: inner[0]], ids[inner[-1] + 1 :]


def _room(config: Any, tokenizer: Any) -> int:
    """Return how many pieces the model takes at once."""
    limits = [WINDOW]
    positions = getattr(config, "max_position_embeddings", None)
    if isinstance(positions, int) and positions > 0:
        kind = str(getattr(config, "model_type", ""))
        # RoBERTa and its kin count positions from after the padding's.
        shifted = "roberta" in kind or kind in ("camembert", "longformer", "data2vec-text")
        limits.append(positions - (int(config.pad_token_id or 0) + 1 if shifted else 0))
    if 0 < tokenizer.model_max_length < 1_000_000:
        limits.append(int(tokenizer.model_max_length))
    return min(limits)


def folder_hash(folder: Path) -> str:
    """Return the SHA-256 of a folder's weights; empty where there are none."""
    found = sorted([*folder.glob("*.safetensors"), *folder.glob("pytorch_model*.bin")])
    if not found:
        return ""
    whole = hashlib.sha256()
    for path in found:
        with path.open("rb") as file:
            whole.update(hashlib.file_digest(file, "sha256").digest())
    return whole.hexdigest()


def _warn_of_unknown(name: str, names: Sequence[str]) -> None:
    kinds = {match[2] if (match := _PREFIX.fullmatch(label)) else label for label in names}
    unknown = sorted(kind for kind in kinds if label_key(kind) not in known_labels() and not _outside(kind))
    if unknown:
        warnings.warn(f"labels of {name!r} that stand for no type here are left out: {_some(unknown)}", stacklevel=3)


def _outside(kind: str) -> bool:
    return kind.upper() in ("O", "OUT", "OUTSIDE", "PAD", "[PAD]", "<PAD>", "X")


def _some(names: Sequence[str], most: int = 8) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
