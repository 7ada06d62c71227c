"""How the larger tagger cuts a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import Unigram
from tokenizers.normalizers import NFKC

from gama.models.embedded import windows
from gama.models.pieces import encode_pieces

_PIECES = ("▁", "▁na", "me", "na", "น้อง", "ฝน", "ไป", "田中", "さん", "は", "지훈", "이가", "▁দ", "ি")


@pytest.fixture(scope="module")
def tokenizer():
    signs = {sign for piece in _PIECES for sign in piece} | set("abcdefghijklmnopqrstuvwxyz0123456789.,:-@")
    scored = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]
    scored += [(piece, -2.0) for piece in _PIECES] + [(sign, -9.0) for sign in sorted(signs - set(_PIECES))]
    made = Tokenizer(Unigram(scored, unk_id=3, byte_fallback=False))
    made.normalizer = NFKC()
    return made


def words_of(text, tokenizer):
    return [text[start:end] for start, end in encode_pieces(text, tokenizer).words]


def test_words_where_spaces_stand_and_pieces_where_none_do(tokenizer):
    assert words_of("name: น้องฝนไป", tokenizer) == ["name", ":", "น้อง", "ฝน", "ไป"]
    assert words_of("田中さんは9:30", tokenizer) == ["田中", "さん", "は", "9", ":", "30"]
    assert words_of("지훈이가 name@b.c", tokenizer) == ["지훈", "이가", "name", "@", "b", ".", "c"]
    assert words_of("দি name", tokenizer) == ["দি", "name"], "a combining mark belongs to its letter"


def test_each_piece_belongs_to_its_word(tokenizer):
    text = "name น้องฝน"
    encoded = encode_pieces(text, tokenizer)
    heads = [encoded.word_of.index(word) for word in range(len(encoded.words))]
    assert heads == sorted(heads)
    assert encoded.word_of == [0, 0, 1, 1, 2], "the space before น้อง is a piece of its own"


@given(st.text(max_size=60))
def test_every_sign_belongs_to_one_word_at_most(tokenizer, text):
    encoded = encode_pieces(text, tokenizer)
    last = 0
    for start, end in encoded.words:
        assert last <= start < end
        assert not text[last:start].strip()
        last = end
    assert not text[last:].strip()
    assert len(encoded.pieces) == len(encoded.shapes) == len(encoded.word_of)
    assert encoded.word_of == sorted(encoded.word_of)
    assert all(word < len(encoded.words) for word in encoded.word_of)
    assert [window.last for window in windows(encoded)][-1:] in ([], [len(encoded.pieces)])
