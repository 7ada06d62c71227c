"""The operator's settings."""

import pytest

from gama.serve.http.settings import ServerSettings
from gama.state.errors import OptionError


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"host": "0.0.0.0"}, "API keys"),
        ({"port": 70000}, "port"),
        ({"tls_key": "x"}, "--tls-cert"),
        ({"upstream": "ftp://x"}, "no address"),
        ({"anthropic": "https://u:p@x/v1"}, "password"),
        ({"odd": 1}, "odd"),
        ({"hsot": "::1"}, "unknown option 'hsot'; did you mean 'host'"),
        ({"media": "refsue"}, "option 'media': .*; did you mean 'refuse'"),
        ({"workers": 2, "keep": False}, "--no-store-threads"),
    ],
)
def test_what_is_refused(given, told):
    with pytest.raises(OptionError, match=told):
        ServerSettings(**given)


def test_settings_of_the_environment(monkeypatch):
    monkeypatch.setenv("GAMA_UPSTREAM", "http://localhost:1/v1")
    assert ServerSettings.from_env().upstream == "http://localhost:1/v1" != ServerSettings().upstream
    assert ServerSettings.from_env(upstream="http://x/v1").upstream == "http://x/v1"


def test_names_it_answers_to():
    assert "localhost" in ServerSettings().allowed_hosts
    assert ServerSettings(host="0.0.0.0", open_to_all=True).allowed_hosts == frozenset()
    assert ServerSettings(host="0.0.0.0", open_to_all=True, hosts=("gama.example",)).allowed_hosts == {"gama.example"}


def test_keys_of_upstreams_are_not_shown():
    assert "sk-secret" not in repr(ServerSettings(upstream_key="sk-secret", anthropic_key="sk-secret"))


@pytest.mark.parametrize(
    ("field", "given", "used"),
    [
        ("anthropic", "http://localhost:9000", "http://localhost:9000/v1"),
        ("anthropic", "http://localhost:9000/", "http://localhost:9000/v1"),
        ("anthropic", "http://localhost:9000/v1", "http://localhost:9000/v1"),
        ("anthropic", "http://localhost:9000/v1/", "http://localhost:9000/v1"),
        ("anthropic", "https://llm.example/anthropic", "https://llm.example/anthropic/v1"),
        ("upstream", "http://localhost:11434", "http://localhost:11434/v1"),
        ("upstream", "http://localhost:11434/v1/", "http://localhost:11434/v1"),
        ("upstream", "https://llm.example/api/paas/v4", "https://llm.example/api/paas/v4"),
    ],
)
def test_an_address_is_taken_with_its_version_or_without(field, given, used):
    assert getattr(ServerSettings(**{field: given}), field) == used
