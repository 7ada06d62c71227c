"""What is called by somebody's name and is nobody stays; whoever is famous stays where it is asked who that is."""

import pytest

from gama import Anonymizer
from gama.privacy.called import _goods, fixed_in
from gama.tools.knowledge.index import is_famous

GOODS = [one for phrases in _goods().values() for one in phrases]


@pytest.fixture(scope="module")
def anonymizer():
    return Anonymizer()


def test_every_entry_is_found_whole_in_any_case_and_in_the_plural():
    assert len(GOODS) > 500 and len(set(GOODS)) == len(GOODS)
    for one in GOODS:
        for text in (one, one.title(), f"{one.removesuffix('s')}s"):
            assert fixed_in(f"Where is {text}, please?") == [(9, 9 + len(text))], one
        assert not is_famous(one), one


@pytest.mark.parametrize(
    "text",
    [
        "Sort by aisle: milk, Dr Pepper, Earl Grey, Granny Smith apples, Mars bars, Uncle Ben’s rice.",
        "Is beef Wellington or eggs Benedict the better brunch?",
        "How do I prune a black-eyed Susan and sweet Williams?",
        "When did the A406 open, and why is there always traffic on M25?",
        "who is jordan peterson and why does my son watch him all day",
        "Sayın Yetkili, bulaşık makinesi bozuldu.",
    ],
)
def test_nobody_is_hidden(anonymizer, text):
    assert anonymizer.anonymize(text).text == text


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Card for Granny Smithson and for Earl Greyling, please.", "Greyling"),
        ("Who is Michael Jackson, who lives next door?", "Michael Jackson"),
        ("Who is Taylor Swift in our payroll?", "Taylor Swift"),
        ("Who is Jordan Peterson, who works with me?", "Jordan Peterson"),
    ],
)
def test_whoever_is_called_so_is_hidden(anonymizer, text, name):
    assert name not in anonymizer.anonymize(text).text
