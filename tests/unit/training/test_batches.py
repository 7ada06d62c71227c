from random import Random

import numpy as np
import pytest
from tokenizers import Tokenizer

from gama.evals.datasets.corpus import Example, Mark, parse
from gama.models.embedded import BOUNDARIES, WEIGHTS, WINDOW, encode
from gama.training.batches import IGNORED, Cutting, Sets, batches, label


@pytest.fixture(scope="module")
def tokenizer():
    found = Tokenizer.from_file(str(WEIGHTS / "tokenizer.json"))
    found.no_truncation()
    found.no_padding()
    return found


def words(piece):
    return [BOUNDARIES[at] if at != IGNORED else "-" for at in piece.boundary]


def test_each_word_is_labelled_at_its_first_piece(tokenizer):
    sets = Sets()
    example = parse("⟦Zbigniew Wrzosek|PER.full_name|A⟧ likes ⟦Oslo|LOC.city|-|public⟧")
    (piece,) = label(example, Cutting(lambda text: encode(text, tokenizer), (1, 2)), sets)
    assert [mark for mark in words(piece) if mark != "-"] == ["B", "E", "O", "S"]
    assert words(piece)[0] == words(piece)[-1] == "-"
    assert [int(at) for at in piece.private if at != IGNORED] == [1, 1, 0]
    rows = [int(at) for at in piece.allowed if at != IGNORED]
    assert rows[0] == rows[1] != rows[2]
    assert sets.table()[rows[0]].sum() == 1
    assert sets.table()[piece.annotated].all()


def test_nothing_is_learnt_from_a_mark_without_subtypes(tokenizer):
    example = Example("see Big Ben now", (Mark(4, 11, ()),), frozenset({"city"}), "x")
    (piece,) = label(example, Cutting(lambda text: encode(text, tokenizer), (1, 2)), Sets())
    assert [mark for mark in words(piece)[1:-1]] == ["O", "-", "-", "O"]


def test_a_mark_that_ends_inside_a_word_takes_the_word(tokenizer):
    (piece,) = label(
        parse("this is ⟦kjartan|PER.first_name|A⟧s"), Cutting(lambda text: encode(text, tokenizer), (1, 2)), Sets()
    )
    assert [mark for mark in words(piece) if mark != "-"] == ["O", "O", "S"]


def test_batches_hold_every_window_once_within_their_size(tokenizer):
    sets = Sets()
    examples = [parse("word " * count + "⟦Ida|PER.first_name|A⟧") for count in range(1, 400, 7)]
    pieces = [
        piece
        for example in examples
        for piece in label(example, Cutting(lambda text: encode(text, tokenizer), (1, 2)), sets)
    ]
    made = batches(pieces, 2048, Random(0))
    assert sum(len(batch.ids) for batch in made) == len(pieces)
    assert sum(int(batch.mask.sum()) for batch in made) == sum(len(piece.ids) for piece in pieces)
    for batch in made:
        assert batch.ids.size <= 2048
        assert batch.ids.shape[1] <= WINDOW + 2
        assert np.all(batch.boundary[batch.mask == 0] == IGNORED)


def test_nothing_is_learnt_from_a_mark_that_no_model_finds(tokenizer):
    example = Example("it is 42 euros now", (Mark(6, 8, ("result",)),), frozenset({"result"}), "x")
    (piece,) = label(example, Cutting(lambda text: encode(text, tokenizer), (1, 2)), Sets())
    assert [mark for mark in words(piece)[1:-1]] == ["O", "O", "-", "O", "O"]
