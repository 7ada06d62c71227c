"""Fixtures of all tests: isolated home, quiet environment, and the loopback server."""

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# What an example may take depends on the machine, not on the code.
settings.register_profile("gama", deadline=None)
settings.load_profile("gama")

HERE = Path(__file__).parent


def load(name: str) -> Any:
    """Import a helper module that lies beside the tests."""
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
        assert spec and spec.loader
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


load("loopback")
load("letters")
load("upstream")
load("serving")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give every test a home folder of its own and none of the developer's models, keys and traces."""
    import os

    folder = tmp_path / "home"
    for name in list(os.environ):
        if name.startswith(("GAMA_", "LANGSMITH_", "LANGCHAIN_", "OPENAI_", "OLLAMA_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("GAMA_HOME", str(folder))
    return folder


@pytest.fixture
def loopback() -> Iterator[Any]:
    """Start a loopback server that speaks the OpenAI protocol."""
    server = load("loopback").Loopback()
    yield server
    server.close()


@pytest.fixture
def upstream() -> Iterator[Any]:
    """Start a scripted upstream that records every byte."""
    server = load("upstream").Upstream()
    yield server
    server.close()


@pytest.fixture
def few_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a tagger that knows a few names in the place of the embedded one."""
    monkeypatch.setattr("gama.graph.finders.tagger", load("serving").few_names)
