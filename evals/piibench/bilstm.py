"""A BiLSTM-CRF over words: PII-Bench's baseline without a language model (spec 03 §3.7). Needs torch (extra `local`).

Words are those of the embedded tagger, with their shapes beside them; labels tell beginning, inside, end and single
word of each of the seven types, and a conditional random field lets no sequence pass in which a span is not whole. The
paper's settings are the defaults: Adam 1e-3, batches of 32, 50 epochs. It says nothing of the sizes of the network and
of what it was trained on; here it is made sets of our own, 80 parts for training, 10 to choose the epoch, 10 to test.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, get_args

import torch
from torch import Tensor, nn

from gama.evals.datasets.corpus import Record, gold
from gama.evals.datasets.taxonomy import FIRST_SUBTYPE
from gama.evals.metrics.spans import Counts
from gama.models.embedded import BOUNDARIES, SHAPES, shape, split_words, trim
from gama.state.entities import EntityType, Span
from gama.state.errors import InputError, ModelUnreachable

TYPES: tuple[EntityType, ...] = get_args(EntityType)
LABELS = ("O", *(f"{boundary}-{kind}" for kind in TYPES for boundary in BOUNDARIES[1:]))
LONGEST = 60
"""Words of a piece of a text that is read at once; it ends after a sentence where one ends in it."""
_PAD, _UNKNOWN = 0, 1


@dataclass(frozen=True)
class Settings:
    """How it is trained."""

    rate: float = 1e-3
    batch: int = 32
    epochs: int = 50
    words: int = 100
    """Components of a word's vector (ours)."""
    shapes: int = 16
    """Components of a shape's vector (ours)."""
    hidden: int = 128
    """Of each direction (ours)."""
    dropout: float = 0.5
    seed: int = 1


class Piece(NamedTuple):
    """A stretch of a text, as the network reads it."""

    text: str
    places: list[tuple[int, int]]
    """Start and end of each word."""
    labels: list[int]


def pieces(text: str, marks: Sequence[tuple[int, int, str]] = ()) -> Iterator[Piece]:
    """Cut a text into pieces; a span that does not begin and end with words is no label."""
    places = split_words(text)
    first = {start: at for at, (start, _) in enumerate(places)}
    last = {end: at for at, (_, end) in enumerate(places)}
    labels = [0] * len(places)
    for start, end, kind in sorted(set(marks), key=lambda one: (one[0] - one[1], one[0])):
        one, other = first.get(start), last.get(end)
        if one is None or other is None or any(labels[one : other + 1]):
            continue
        for at in range(one, other + 1):
            boundary = "S" if one == other else "B" if at == one else "E" if at == other else "I"
            labels[at] = LABELS.index(f"{boundary}-{kind}")
    at = 0
    while at < len(places):
        end = min(at + LONGEST, len(places))
        if end < len(places):
            stops = [n + 1 for n in range(at, end) if text[places[n][0]] in ".!?\n" and labels[n] == 0]
            end = stops[-1] if stops else end
        yield Piece(text, places[at:end], labels[at:end])
        at = end


class Crf(nn.Module):
    """A linear chain over labels in which only whole spans may be."""

    allowed: Tensor
    first: Tensor
    last: Tensor

    def __init__(self, labels: Sequence[str] = LABELS) -> None:
        """Take the labels."""
        super().__init__()
        count = len(labels)
        self.transitions = nn.Parameter(torch.zeros(count, count))
        ends, begins = [one[0] in "OES" for one in labels], [one[0] in "OBS" for one in labels]
        within = [
            [
                (ends[i] and begins[j]) or (one[0] in "BI" and other[0] in "IE" and one[2:] == other[2:])
                for j, other in enumerate(labels)
            ]
            for i, one in enumerate(labels)
        ]
        self.register_buffer("allowed", torch.tensor(within), persistent=False)
        self.register_buffer("first", torch.tensor(begins), persistent=False)
        self.register_buffer("last", torch.tensor(ends), persistent=False)

    def _scores(self) -> tuple[Tensor, Tensor, Tensor]:
        refused = torch.tensor(-1e4)
        zero = torch.zeros(())
        steps = torch.where(self.allowed, self.transitions, refused)
        return steps, torch.where(self.first, zero, refused), torch.where(self.last, zero, refused)

    def loss(self, emissions: Tensor, labels: Tensor, mask: Tensor) -> Tensor:
        """Return how unlikely the labels are: the mean over sequences of the negative log-likelihood.

        Args:
            emissions: Sequences × words × labels.
            labels: Sequences × words.
            mask: Which words there are; the first of each sequence is.
        """
        steps, start, stop = self._scores()
        rows = torch.arange(len(labels))
        right = emissions.gather(2, labels[:, :, None])[:, :, 0] * mask
        moves = steps[labels[:, :-1], labels[:, 1:]] * mask[:, 1:]
        ends = labels[rows, mask.sum(1).long() - 1]
        path = right.sum(1) + moves.sum(1) + start[labels[:, 0]] + stop[ends]
        alpha = start + emissions[:, 0]
        for at in range(1, emissions.shape[1]):
            new = torch.logsumexp(alpha[:, :, None] + steps, 1) + emissions[:, at]
            alpha = torch.where(mask[:, at, None].bool(), new, alpha)
        whole = torch.logsumexp(alpha + stop, 1)
        return (whole - path).mean()

    def best(self, emissions: Tensor, mask: Tensor) -> list[list[int]]:
        """Return the likeliest labels of each sequence (Viterbi)."""
        steps, start, stop = self._scores()
        alpha = start + emissions[:, 0]
        came: list[Tensor] = []
        for at in range(1, emissions.shape[1]):
            paths = alpha[:, :, None] + steps
            best, where = paths.max(1)
            keep = mask[:, at, None].bool()
            came.append(torch.where(keep, where, torch.arange(where.shape[1])))
            alpha = torch.where(keep, best + emissions[:, at], alpha)
        ends = (alpha + stop).argmax(1)
        out = []
        for row, length in enumerate(mask.sum(1).long().tolist()):
            label = int(ends[row])
            found = [label]
            for step in reversed(came[: length - 1]):
                label = int(step[row, label])
                found.append(label)
            out.append(found[::-1])
        return out


class Network(nn.Module):
    """Words and shapes through an LSTM in both directions, into the chain."""

    def __init__(self, vocabulary: int, settings: Settings) -> None:
        """Make it, not trained."""
        super().__init__()
        self.words = nn.Embedding(vocabulary, settings.words, padding_idx=_PAD)
        self.shapes = nn.Embedding(SHAPES, settings.shapes)
        self.lstm = nn.LSTM(settings.words + settings.shapes, settings.hidden, batch_first=True, bidirectional=True)
        self.dropout = nn.Dropout(settings.dropout)
        self.out = nn.Linear(2 * settings.hidden, len(LABELS))
        self.crf = Crf()

    def emissions(self, words: Tensor, shapes: Tensor, mask: Tensor) -> Tensor:
        """Return the scores of the labels of each word."""
        read = self.dropout(torch.cat([self.words(words), self.shapes(shapes)], 2))
        packed = nn.utils.rnn.pack_padded_sequence(read, mask.sum(1).long(), batch_first=True, enforce_sorted=False)
        states, _ = nn.utils.rnn.pad_packed_sequence(
            self.lstm(packed)[0], batch_first=True, total_length=words.shape[1]
        )
        return torch.as_tensor(self.out(self.dropout(states)))


class BiLstmCrf:
    """A trained network with its words. It finds spans with types and says nothing of whose they are."""

    def __init__(self, network: Network, vocabulary: Sequence[str], card: dict[str, Any]) -> None:
        """Take the parts."""
        self.network, self.card = network, card
        self.vocabulary = list(vocabulary)
        self._row = {word: row for row, word in enumerate(vocabulary, _UNKNOWN + 1)}

    def batch(self, some: Sequence[Piece]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return words, shapes, mask and labels of pieces, filled to the longest."""
        longest = max(len(one.places) for one in some)
        tables: list[list[list[int]]] = [[], [], [], []]
        for one in some:
            words = [self._row.get(one.text[start:end].lower(), _UNKNOWN) for start, end in one.places]
            shapes = [shape(one.text, *place) for place in one.places]
            for table, row in zip(tables, (words, shapes, [1] * len(words), one.labels), strict=True):
                table.append(row + [0] * (longest - len(row)))
        filled = [torch.tensor(table) for table in tables]
        return filled[0], filled[1], filled[2].float(), filled[3]

    def labels(self, some: Sequence[Piece]) -> list[list[int]]:
        """Return the labels of pieces."""
        self.network.train(False)
        with torch.inference_mode():
            words, shapes, mask, _ = self.batch(some)
            return self.network.crf.best(self.network.emissions(words, shapes, mask), mask)

    def spans(self, text: str) -> list[Span]:
        """Return the spans of a text, in their order."""
        cut = list(pieces(text))
        found = []
        for piece, labels in zip(cut, self.labels(cut) if cut else [], strict=True):
            for first, last, kind in runs(labels):
                start, end = trim(text, piece.places[first][0], piece.places[last][1], kind)
                if start < end:
                    found.append(Span(start, end, kind, FIRST_SUBTYPE[kind], 1.0, "pner", source="bilstm"))
        return found

    def save(self, folder: Path) -> None:
        """Write `bilstm.pt` and `bilstm.json`."""
        folder.mkdir(exist_ok=True)
        torch.save(self.network.state_dict(), folder / "bilstm.pt")
        card = self.card | {"vocabulary": self.vocabulary}
        (folder / "bilstm.json").write_text(json.dumps(card, ensure_ascii=False) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> "BiLstmCrf":
        """Read what `save` wrote.

        Raises:
            ModelUnreachable: A file is missing or does not fit the other.
        """
        problem = ""
        try:
            card = json.loads((folder / "bilstm.json").read_text(encoding="utf-8"))
            vocabulary = card.pop("vocabulary")
            network = Network(len(vocabulary) + _UNKNOWN + 1, Settings(**card["settings"]))
            network.load_state_dict(torch.load(folder / "bilstm.pt", weights_only=True))
        except Exception as error:  # torch raises many kinds for a file that is not its own
            problem = type(error).__name__
        if problem:
            raise ModelUnreachable(
                f"the BiLSTM-CRF in {folder.name!r} cannot be loaded ({problem}): make it with `gama eval train-bilstm`"
            )
        return cls(network, vocabulary, card)


def runs(labels: Sequence[int]) -> Iterator[tuple[int, int, EntityType]]:
    """Yield the spans of a sequence of labels: first and last word, and the type."""
    first = 0
    for at, label in enumerate(labels):
        boundary, _, kind = LABELS[label].partition("-")
        if boundary in "BS":
            first = at
        if boundary in "ES":
            yield first, at, kind  # type: ignore[misc]  # a label's type is one of the seven


class Parts(NamedTuple):
    """The texts of each part, by their places."""

    train: list[int]
    choose: list[int]
    test: list[int]


def split(count: int, seed: int) -> Parts:
    """Return 80, 10 and 10 of a hundred, drawn by a seed; at least one to choose by and one to test."""
    order = list(range(count))
    Random(f"{seed}/bilstm").shuffle(order)
    tenth = max(1, count // 10)
    return Parts(sorted(order[2 * tenth :]), sorted(order[tenth : 2 * tenth]), sorted(order[:tenth]))


def train(records: Sequence[Record], settings: Settings, step: Callable[[str], None]) -> BiLstmCrf:
    """Train on annotated texts; the epoch whose typed F1 on the second part is best is kept.

    Args:
        records: Annotated texts; of equal ones the first counts, since parts that share texts would flatter.
        settings: How.
        step: Told after each epoch.

    Raises:
        InputError: There are fewer than ten different texts.
    """
    texts = {one.example.text: one for one in reversed(records)}
    different = [texts[text] for text in dict.fromkeys(one.example.text for one in records)]
    if len(different) < 10:
        raise InputError(f"training needs ten different texts at least, and there are {len(different)}")
    cut = [
        list(pieces(one.example.text, [mark[:3] for mark in gold(one.example) if mark.private])) for one in different
    ]
    parts = split(len(cut), settings.seed)
    torch.manual_seed(settings.seed)
    own = [piece for at in parts.train for piece in cut[at]]
    counted = Counter(one.text[start:end].lower() for one in own for start, end in one.places)
    # A word seen once stands for those never seen.
    vocabulary = sorted(word for word, count in counted.items() if count > 1)
    model = BiLstmCrf(Network(len(vocabulary) + _UNKNOWN + 1, settings), vocabulary, {})
    optimizer = torch.optim.Adam(model.network.parameters(), lr=settings.rate)
    rng, best, kept, chosen = Random(settings.seed), -1.0, {}, 0
    for epoch in range(1, settings.epochs + 1):
        model.network.train(True)
        rng.shuffle(own)
        for at in range(0, len(own), settings.batch):
            words, shapes, mask, labels = model.batch(own[at : at + settings.batch])
            loss = model.network.crf.loss(model.network.emissions(words, shapes, mask), labels, mask)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call, unused-ignore]
            nn.utils.clip_grad_norm_(model.network.parameters(), 5.0)
            optimizer.step()
        now = f1(model, [piece for at in parts.choose for piece in cut[at]])
        if now > best:
            best, chosen = now, epoch
            kept = {name: value.clone() for name, value in model.network.state_dict().items()}
        step(f"epoch {epoch}")
    model.network.load_state_dict(kept)
    digest = hashlib.sha256("\0".join(one.example.text for one in different).encode("utf-8", "surrogatepass"))
    tested = f1(model, [piece for at in parts.test for piece in cut[at]])
    model.card = {
        "settings": asdict(settings), "labels": list(LABELS), "data_sha256": digest.hexdigest(),
        "texts": {name: len(places) for name, places in parts._asdict().items()},
        "epoch": chosen, "typed_f1": {"choose": round(best, 4), "test": round(tested, 4)},
        "test_ids": [different[at].id for at in parts.test],
    }  # fmt: skip
    return model


def f1(model: BiLstmCrf, some: Sequence[Piece]) -> float:
    """Return the F1 of spans with their types, over pieces together."""
    counts = Counts()
    for at in range(0, len(some), 64):
        batch = some[at : at + 64]
        for piece, labels in zip(batch, model.labels(batch), strict=True):
            found, right = set(runs(labels)), set(runs(piece.labels))
            counts = counts.plus(Counts(len(found & right), len(found), len(right)))
    return counts.f1
