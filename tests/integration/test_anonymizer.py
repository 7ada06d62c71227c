"""The private half by itself, on the hundred varied texts: round trip, streams, continuing boxes."""

import pytest

from gama import Anonymizer, Options
from gama.state.errors import InputError, LeakError, LimitReached
from tests.support import letters


@pytest.fixture(scope="module")
def anonymizer():
    return Anonymizer()


def test_round_trip_of_a_hundred_texts(anonymizer):
    for letter in letters.hundred():
        view = anonymizer.anonymize(letter.text)
        assert anonymizer.restore(view.text, view.box).text == letter.text, letter.id
        chunks = [view.text[at : at + 7] for at in range(0, len(view.text), 7)]
        assert "".join(anonymizer.restore_stream(chunks, view.box)) == letter.text, letter.id
        for entity in view.entities:
            assert letter.text[entity.start : entity.end] == entity.text


def test_most_of_what_is_private_is_hidden(anonymizer):
    """A floor, not a figure: the figures stand in the model card."""
    total = left = 0
    for letter in letters.hundred():
        view = anonymizer.anonymize(letter.text)
        total += len(letter.private)
        left += sum(surface in view.text and len(surface) > 3 for surface in letter.private)
    assert left / total < 0.2


def test_one_box_over_several_texts(anonymizer):
    one = anonymizer.anonymize("My name is Thessaly Quornbeck.")
    two = anonymizer.anonymize("Thessaly Quornbeck met my friend Ambrose Tilling.", box=one.box)
    assert "<name-1>" in one.text and two.text.startswith("<name-1>")
    assert len(one.box) < len(two.box), "the earlier box is not changed"


def test_deny_and_allow():
    made = Anonymizer(Options(deny=("Falcon",), allow=("Thessaly Quornbeck",)))
    view = made.anonymize("My name is Thessaly Quornbeck, project Falcon.")
    assert "Thessaly Quornbeck" in view.text and "Falcon" not in view.text


def test_other_forms_of_a_value_are_hidden_too(anonymizer):
    text = "My name is Thessaly Quornbeck. THESSALY QUORNBECK; quornbeck, thessaly; t-h-e-s-s-a-l-y? Thessaly\u200b Quornbeck"
    view = anonymizer.anonymize(text)
    assert "quornbeck" not in view.text.casefold()
    assert anonymizer.restore(view.text, view.box).text == text


@pytest.mark.parametrize(
    ("bad", "error"),
    [("", InputError), (" \n", InputError), ("a\x00b", InputError), (5, InputError), ("x" * 200_001, LimitReached)],
)
def test_bad_input(anonymizer, bad, error):
    with pytest.raises(error):
        anonymizer.anonymize(bad)


@pytest.mark.parametrize(
    "text",
    [
        "<name-1>",
        "[name 1] &lt;date-2&gt;",
        "\U0001f600" * 50,
        "a",
        "\ud800 lone",
        "𝐄𝐦𝐦𝐚",
        "\u202eabc",
        "x\r\ny\r\n",
        "<<<>>>",
        "%3Cname-1%3E",
    ],
)
def test_odd_texts_survive(anonymizer, text):
    view = anonymizer.anonymize(text)
    assert anonymizer.restore(view.text, view.box).text == text


def test_stop_policy_raises_without_a_quote():
    from gama.privacy.finders import Finders
    from gama.privacy.pipeline import Pipeline
    from gama.state.entities import Span

    def late(text):
        """A tagger that finds the name only when there is nothing else left to find."""
        at = text.find("Quornbeck")
        return [Span(at, at + 9, "PER", "last_name", 0.9, "pner", 0.9)] if at >= 0 else []

    for policy in ("mask", "stop"):
        options = Options(recheck=policy)
        engine = Pipeline(options, Finders(lambda o: lambda t: [], lambda o: late))
        if policy == "mask":
            out = engine.replace("It is Quornbeck.", [], engine.new_box())
            assert out.text == "It is <last_name-1>." and len(out.entities) == 1
        else:
            with pytest.raises(LeakError) as caught:
                engine.replace("It is Quornbeck.", [], engine.new_box())
            assert "Quornbeck" not in str(caught.value)


def test_a_long_text_of_many_parts(anonymizer):
    """Sixty texts in one: every look finds a little more, and it comes to an end."""
    text = "\n\n".join(letter.text for letter in letters.hundred()[:60])
    view = anonymizer.anonymize(text)
    assert anonymizer.restore(view.text, view.box).text == text
