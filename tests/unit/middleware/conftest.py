"""Agents behind the middleware, and spies on everything that is not their caller."""

import pytest
from langchain_core.callbacks import BaseCallbackHandler

SECRETS = ("thessaly", "quornbeck", "nwbk", "tilling", "holloway", "t.quornbeck")


@pytest.fixture
def hits():
    def search(*things) -> list[str]:
        text = " ".join(
            thing.decode("utf-8", "replace") if isinstance(thing, bytes) else repr(thing) for thing in things
        )
        return [secret for secret in SECRETS if secret in text.casefold()]

    return search


class Spy(BaseCallbackHandler):
    """Writes down all that callbacks are told."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def __getattribute__(self, name):
        if name.startswith("on_"):

            def note(*args, **kwargs):
                self.seen.append(f"{name} {args!r} {kwargs!r}")

            return note
        return super().__getattribute__(name)


@pytest.fixture
def spy() -> Spy:
    return Spy()
