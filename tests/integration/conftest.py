"""Fixtures of the tests with real servers and real clients."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support import serving


@pytest.fixture
def running(upstream: Any) -> Iterator[serving.Running]:
    """Run a gateway before the scripted upstream."""
    with serving.serving(upstream=upstream.url) as server:
        yield server


@pytest.fixture
def client(running: serving.Running) -> Iterator[Any]:
    """Return the official client of the gateway."""
    import openai

    with openai.OpenAI(base_url=running.v1, api_key="sk-users-own", max_retries=0) as made:
        yield made
