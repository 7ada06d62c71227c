"""Secrets by file: read once, told by name only when they cannot be."""

import os

import pytest

from gama.serve.cli import SECRETS, main, read_secrets
from gama.state.errors import OptionError


@pytest.mark.parametrize("name", SECRETS)
def test_a_file_takes_the_place_of_a_variable(name, tmp_path, monkeypatch):
    # Set first, so that its absence is what comes back at the end.
    monkeypatch.setenv(name, "")
    monkeypatch.delenv(name)
    file = tmp_path / "secret"
    file.write_text("sk-planted\n")
    monkeypatch.setenv(f"{name}_FILE", str(file))
    read_secrets()
    assert os.environ[name] == "sk-planted" and f"{name}_FILE" not in os.environ


@pytest.mark.parametrize("content", [None, b"", b" \n", b"\xff\xfe", b"a\0b", b"x" * 70_000])
def test_what_cannot_be_used_is_named(content, tmp_path, monkeypatch, capsys):
    file = tmp_path / "secret"
    if content is not None:
        file.write_bytes(content)
    monkeypatch.setenv("GAMA_UPSTREAM_KEY_FILE", str(file))
    with pytest.raises(OptionError, match="GAMA_UPSTREAM_KEY_FILE"):
        read_secrets()
    assert main(["version"]) == 2 and "GAMA_UPSTREAM_KEY_FILE" in capsys.readouterr().err


def test_both_are_one_too_many(tmp_path, monkeypatch):
    monkeypatch.setenv("GAMA_KEY", "one")
    monkeypatch.setenv("GAMA_KEY_FILE", str(tmp_path / "other"))
    with pytest.raises(OptionError, match="both set"):
        read_secrets()


def test_other_variables_are_left_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none"))
    read_secrets()
    assert "SSL_CERT" not in os.environ
