"""Table for the recognizer `url`: what it finds and what it leaves alone."""

from collections.abc import Callable

import pytest

from gama.tools.recognizers.base import Recognizer

Finder = Callable[[str, str], list[tuple[str, str]]]

FOUND = [
    ("see https://host.example/a?b=c.", "https://host.example/a?b=c"),
    ("(www.site.example/page)", "www.site.example/page"),
    ("my site lorelei-makes.example!", "lorelei-makes.example"),
    ("https://en.example/wiki/Foo_(bar)", "https://en.example/wiki/Foo_(bar)"),
    ("postgres://bob:pw@db.example/x", "postgres://bob:pw@db.example/x"),
    ("on host db-prod-03.acme.internal (10.2.14.7)", "db-prod-03.acme.internal"),
    ("ping nas01.local works", "nas01.local"),
]

LEFT_ALONE = [
    "setup.py and notes.md",
    "e.g. this",
    "end.It begins",
    "a@host.example",
    "3.com5",
    "i.e.",
    "x = threading.local()",
    "import com.sun.internal.misc",
]


@pytest.mark.parametrize(("text", "value"), FOUND)
def test_found(find: Finder, text: str, value: str) -> None:
    assert value in [found for found, _ in find("url", text)]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(find: Finder, text: str) -> None:
    assert find("url", text) == []


@pytest.mark.parametrize(
    ("text", "private"),
    [
        ("https://www.linkedin.com/in/ana-ruiz", 1.0),
        ("https://bob:pw@host.example/", 1.0),
        ("https://host.example/?email=a%40b.co", 1.0),
        ("https://host.example/users/42", 1.0),
        ("db-prod-03.acme.internal", 1.0),
        ("http://jenkins.ops.corp:8080/job", 1.0),
        ("http://host.docker.internal:11434/v1", None),
        ("https://www.linkedin.com/company/acme", None),
        ("https://docs.example.org/guide", None),
    ],
)
def test_links_are_private_where_they_tell_of_a_user(
    built: dict[str, Recognizer], text: str, private: float | None
) -> None:
    [span] = built["url"].find(text)
    assert span.private == private
