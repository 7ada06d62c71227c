"""Table for the recognizer `password`: what it finds and what it leaves alone."""

from collections.abc import Callable

import pytest

Finder = Callable[[str, str], list[tuple[str, str]]]

FOUND = [
    ("password: Hunter2!", "Hunter2!"),
    ("pwd=abcd1234", "abcd1234"),
    ('the password is "blue heron"', "blue heron"),
    ("my PIN is 4921.", "4921"),
    ("Passwort: Vlinder!7-kaas", "Vlinder!7-kaas"),
    ("door code 2580*", "2580*"),
    ("密码：abc123xyz", "abc123xyz"),
    ("DB_PASSWORD=s3cret", "s3cret"),
    ("padlock code was 5093, change it", "5093"),
    ("Il codice del portone è 2580.", "2580"),
    ("quello dell'allarme 7719", "7719"),
    ("Code du portail : 2841", "2841"),
    ("Le digicode c'est 48A12", "48A12"),
    ("el código de la alarma es 9035", "9035"),
    ("el código del portal es 3391B", "3391B"),
    ("caja fuerte es 18-36-07", "18-36-07"),
    ("o código da porta é 7305", "7305"),
    ("De code van de fietskluis is 6620", "6620"),
    ("Kod do domofonu 2580", "2580"),
    ("Der Code fürs Gartentor ist 2580", "2580"),
    ("A senha do wifi é gato-preto-77", "gato-preto-77"),
    ("le mot de passe du wifi Soleil83! marche pas", "Soleil83!"),
    ("the router was still admin / SaintHugh1200, changed since", "SaintHugh1200"),
    ("new code word is pavlova if i say that ring", "pavlova"),
]

LEFT_ALONE = [
    "dkim=pass header.i=@sendwell.net header.s=sw1",
    "TTY=pts/0 ; PWD=/home/tobiasr/x ; USER=root",
    "reset your password here",
    "password policy",
    "PIN number",
    "passwords must be long",
    "Pinterest 2024",
    "the code word is not agreed yet",
    "the user / password fields",
    "open admin / settings",
]


@pytest.mark.parametrize(("text", "value"), FOUND)
def test_found(find: Finder, text: str, value: str) -> None:
    assert value in [found for found, _ in find("password", text)]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(find: Finder, text: str) -> None:
    assert find("password", text) == []
