"""Base64 among words: what a long text says is what it says in short pieces, wherever it is cut."""

import base64
import random

import pytest

from gama.guard import packed
from gama.guard.search import Guard
from gama.state.errors import LeakError

WORDS = "Emma Williams müller 7946 deadlines café because 東京 zoë.m@mail.example details über naïve +44".split()
SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_"


def token(rng: random.Random) -> str:
    said = " ".join(rng.choices(WORDS, k=rng.randrange(1, 4))).encode()
    kind = rng.randrange(5)
    if kind == 0:
        return base64.b64encode(said).decode()
    if kind == 1:
        return base64.urlsafe_b64encode(said).decode().rstrip("=")
    if kind == 2:
        return "".join(rng.choices(SIGNS, k=rng.randrange(4, 14)))
    return base64.b64encode(rng.randbytes(rng.randrange(3, 12))).decode() if kind == 3 else rng.choice(WORDS)


@pytest.mark.parametrize("seed", range(40))
def test_words_are_told_apart_all_at_once_as_one_by_one(monkeypatch, seed):
    rng = random.Random(seed)
    between = rng.choice((" ", "/", "-", ",", "\n", "_"))
    text = between.join(token(rng) for _ in range(rng.randrange(0, 120))).encode()
    monkeypatch.setattr(packed, "_FEW", len(text) + 1)
    one_by_one = packed.encoded(text)
    monkeypatch.setattr(packed, "_FEW", 0)
    assert packed.encoded(text) == one_by_one
    for piece in (7, 64):
        monkeypatch.setattr(packed, "_PIECE", piece)
        assert packed.encoded(text) == one_by_one


def test_a_value_in_base64_is_found_in_a_long_payload_wherever_it_stands():
    guard = Guard(["Emma Williams", "+44 20 7946 0958"])
    filler = "the answer depends on details because deadlines differ between people " * 300
    guard.check(filler)
    for value in ("Emma Williams", "+44 20 7946 0958"):
        hidden = base64.b64encode(value.encode()).decode()
        for at in (0, 9_000, len(filler)):
            with pytest.raises(LeakError):
                guard.check(f"{filler[:at]} {hidden} {filler[at:]}")


@pytest.mark.parametrize("shift", range(64))
def test_digits_for_letters_are_read_in_whole_words(shift):
    guard = Guard(["ears", "Emma Brook"])
    dense = " x1, A2b3 c4D5: e6F7, "
    around = "." * shift + "months, years, hours " + "." * 80
    # Wherever a block begins or ends, it makes no value out of a word.
    assert not guard.search(around + dense * 3 + "." * 64 + " years " * 40)
    assert guard.search(around + dense * 3 + "3mm4 Br00k" + dense) == {1}
