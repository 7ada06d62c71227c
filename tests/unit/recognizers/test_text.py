"""The one spelling of a text that patterns read."""

from hypothesis import given
from hypothesis import strategies as st

from gama.tools.recognizers.base import digits, label_ends, plain


@given(st.text())
def test_every_character_becomes_one(text: str) -> None:
    body = plain(text)
    assert len(body) == len(text) == len(body.low)
    assert plain(body) is body


def test_spelling() -> None:
    assert plain("１２३\u00a0−\u2009٤५“x”’") == '123 - 45"x"\''
    assert plain("İA").low == "İa"
    assert digits("a1-2 3") == "123"


def test_numbers_begin_where_no_word_runs_on() -> None:
    assert plain("12 a3 4.5 中6").numbers == [0, 6, 8, 11]


def test_labels_are_whole_words() -> None:
    text = plain("pin, Pinot, spin, PIN: db_pin 密码123")
    assert [text[end - 3 : end] for end in label_ends(text, ("pin",))] == ["pin", "PIN", "pin"]
    assert list(label_ends(text, ("密码",))) == [len(text) - 3]
