"""What people type to an assistant: a question about nothing private leaves as it is."""

import pytest

from gama import Anonymizer


@pytest.fixture(scope="module")
def anonymizer():
    return Anonymizer()


@pytest.mark.parametrize(
    "text",
    [
        "How do I configure nginx to listen on port 8080 and proxy to 127.0.0.1:3000?",
        "bind to 0.0.0.0, net mask 255.255.255.0",
        "What did Angela Merkel say about Putin in 2014?",
        "Solve 3x + 5 = 20. Then compute 15% of 230.",
        "How long should I boil eggs, 6 minutes or 10?",
        "Was ist der Unterschied zwischen Kündigung und Aufhebungsvertrag?",
        "The café closes at five.",
        "What did Elon Musk say about OpenAI last week?",
        "Compare Sherlock Holmes and Hercule Poirot.",
        "Wie hat Olaf Scholz auf Selenskyj reagiert?",
    ],
)
def test_what_is_nobodys_stays(anonymizer, text):
    assert anonymizer.anonymize(text).text == text


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Is Lena Fischer married to Kofi Mensah?", ["Lena Fischer", "Kofi Mensah"]),
        ("John Meyer met Sarah Lindqvist at the station.", ["Meyer", "Lindqvist"]),
        ("Peter Novak called. Anna Schmidt did not.", ["Novak", "Schmidt"]),
        ("Ambrose Tilling wrote to Thessaly Quornbeck.", ["Ambrose Tilling", "Thessaly Quornbeck"]),
        ("My neighbour Paul Federer, 44, lives in Leeds. What would Federer do?", ["Federer", "Leeds", "44"]),
        ("Roger Federer's cousin Paul Federer lives next door.", ["Paul Federer"]),
        ("i've worked there 6 years as a welder, what's my notice period", ["welder"]),
    ],
)
def test_what_is_somebodys_is_hidden(anonymizer, text, values):
    """A name that no index knows is somebody's, unless its context is very sure that it is public."""
    out = anonymizer.anonymize(text).text
    assert not [value for value in values if value in out], out
