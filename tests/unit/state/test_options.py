"""Options: bad values are refused by name, quoting nothing; the environment names models."""

import pytest

from gama import Options
from gama.state.errors import OptionError


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"k": 0}, "option 'k'"),
        ({"k": 21}, "option 'k'"),
        ({"alpha": 1.01}, "option 'alpha'"),
        ({"style": "v3"}, "option 'style'.*'v2' or 'v1'"),
        ({"max_rounds": -1}, "option 'max_rounds'"),
        ({"nonsense": 1}, "unknown option 'nonsense'; known options: public_model"),
        ({"default_region": "Germany"}, "option 'default_region'"),
        ({"timeout_s": 0}, "option 'timeout_s'"),
    ],
)
def test_bad_values(given, says):
    with pytest.raises(OptionError, match=says) as caught:
        Options(**given)
    assert caught.value.__cause__ is None and caught.value.__context__ is None


def test_a_bad_value_is_not_quoted():
    with pytest.raises(OptionError) as caught:
        Options(deny="Planted Secret", style="Planted Secret")
    assert "Planted" not in str(caught.value)


def test_frozen_and_equal():
    assert Options() == Options() and hash(Options()) == hash(Options())
    with pytest.raises(Exception, match="frozen"):
        Options().k = 2


def test_environment(monkeypatch):
    monkeypatch.setenv("GAMA_PUBLIC_MODEL", "ollama:x")
    assert Options.from_env().public_model == "ollama:x" and Options().public_model is None
    monkeypatch.setenv("GAMA_MAX_COST", "0.5")
    monkeypatch.setenv("GAMA_RATE_LIMIT_PER_MINUTE", "30")
    assert (Options.from_env().max_cost, Options.from_env(rate_limit_per_minute=9).rate_limit_per_minute) == (0.5, 9)
    assert Options.from_env(public_model="openai:y").public_model == "openai:y"


def test_every_option_is_explained_in_studio():
    schema = Options.model_json_schema()["properties"]
    assert all("title" in field for field in schema.values())
