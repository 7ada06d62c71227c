"""Fixtures of all tests: isolated home, quiet environment, the loopback server, and a PostgreSQL server."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.support import postgres as installed
from tests.support import serving
from tests.support.loopback import Loopback
from tests.support.upstream import Upstream

# What an example may take depends on the machine, not on the code. The same examples in every run, so that a commit is
# judged by its own change; new ones are drawn by `make fuzz` and by `pytest --hypothesis-profile=explore`.
settings.register_profile("gama", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, max_examples=2000)
settings.load_profile("gama")

pytest_plugins = ["tests.support.groups", "tests.support.quick"]

OURS = ("GAMA_", "LANGSMITH_", "LANGCHAIN_", "OPENAI_", "ANTHROPIC_", "OLLAMA_")
"""How the variables begin that the product and its providers read."""


def _ours() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name.startswith(OURS)}


@pytest.fixture(autouse=True)
def environment() -> Iterator[None]:
    """Fail the test that leaves the environment changed, not the ones after it."""
    before = _ours()
    yield
    after = _ours()
    for name in after:
        del os.environ[name]
    os.environ.update(before)
    changed = {name for name, _ in before.items() ^ after.items()}
    assert not changed, f"left changed in the environment: {', '.join(sorted(changed))}"


@pytest.fixture(autouse=True)
def home(environment: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give every test a home folder of its own and none of the developer's models, keys and traces."""
    folder = tmp_path / "home"
    for name in _ours():
        monkeypatch.delenv(name)
    monkeypatch.setenv("GAMA_HOME", str(folder))
    return folder


@pytest.fixture
def loopback() -> Iterator[Any]:
    """Start a loopback server that speaks the OpenAI protocol."""
    server = Loopback()
    yield server
    server.close()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Any]:
    """Start a PostgreSQL server, once; skip where none is installed. Nothing private is written to it in clear."""
    yield from _postgres_server()


@pytest.fixture(scope="session")
def spoiled_server() -> Iterator[Any]:
    """Start another PostgreSQL server, for what is in clear: its log and its files keep it."""
    yield from _postgres_server()


def _postgres_server() -> Iterator[Any]:
    programs = installed.programs()
    if programs is None:
        pytest.skip("no PostgreSQL is installed: apt-get install postgresql, or put initdb on PATH")
    server = installed.Server(programs)
    yield server
    server.close()


@pytest.fixture
def postgres(postgres_server: Any) -> str:
    """Return the URL of an empty PostgreSQL database."""
    url: str = postgres_server.database()
    return url


@pytest.fixture
def upstream() -> Iterator[Any]:
    """Start a scripted upstream that records every byte."""
    server = Upstream()
    yield server
    server.close()


@pytest.fixture
def few_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a tagger that knows a few names in the place of the embedded one."""
    monkeypatch.setattr("gama.privacy.finders.tagger", serving.few_names)


@pytest.fixture
def chosen(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Put a selector that needs one place in the place of the embedded one, and return it."""
    made = serving.Chosen()
    monkeypatch.setattr("gama.models.selector.embedded_selector", lambda: made)
    return made
