"""API keys: whose request it is, and limits by the minute and at once."""

import pytest

from gama.serve.http.keys import Caller, KeyRing
from gama.serve.http.limits import Bound, LocalLimits, TooMuch
from gama.state.errors import OptionError

ALICE = {"alice": {"key": "alice-has-a-long-key"}}


def test_who_calls():
    ring = KeyRing(ALICE)
    assert ring.caller({}) is None and ring.caller({"authorization": "Bearer sk-else"}) is None
    assert ring.caller({"authorization": "bearer alice-has-a-long-key"}) == Caller("alice", own_key=False)
    assert ring.caller({"x-api-key": "alice-has-a-long-key"}) == Caller("alice", own_key=False)
    both = {"x-gama-key": "alice-has-a-long-key", "authorization": "Bearer sk-else"}
    assert ring.caller(both) == Caller("alice", own_key=True)
    assert ring.caller({"x-gama-key": "wrong", "authorization": "Bearer alice-has-a-long-key"}) is None
    twice = {"x-gama-key": "alice-has-a-long-key", "authorization": "Bearer alice-has-a-long-key"}
    assert ring.caller(twice) == Caller("alice", own_key=False), "a key of ours never goes on"
    assert KeyRing().caller({}) == Caller("", own_key=True)


async def test_limits_by_the_minute():
    now = [100.0]
    limits = LocalLimits(clock=lambda: now[0])
    ring = KeyRing({"a": {"key": "k" * 16, "requests_per_minute": 2}}, limits=limits)
    for _ in range(2):
        async with ring.turn("a"):
            pass
    with pytest.raises(TooMuch) as caught:
        async with ring.turn("a"):
            pass
    assert caught.value.wait_s == pytest.approx(30)
    now[0] += 30
    async with ring.turn("a"):
        pass


async def test_limits_at_once_and_in_general():
    ring = KeyRing(bound=Bound(at_once=1))
    async with ring.turn(""):
        with pytest.raises(TooMuch):
            async with ring.turn(""):
                pass
    async with ring.turn(""):
        pass
    ring.close()


@pytest.mark.parametrize("entry", [{}, {"key": "short"}, {"sha256": "12"}, {"key": "k" * 16, "concurrent": 0}, 5])
def test_bad_entries(entry):
    with pytest.raises(OptionError, match="API key 'a'"):
        KeyRing({"a": entry})


@pytest.mark.parametrize("name", ["a:b", ":", "", " a", "a\n", "x" * 65, "anyone", "gateway", "thinking", "response"])
def test_a_name_that_would_reach_into_others_is_refused(name):
    with pytest.raises(OptionError, match="API key"):
        KeyRing({name: {"key": "k" * 16}})


@pytest.mark.parametrize("name", ["a", "Team A", "emma@firm.example", "Zoë", "x" * 64])
def test_other_names_are_taken(name):
    ring = KeyRing({name: {"key": "k" * 16}})
    assert ring.caller({"x-api-key": "k" * 16}) == Caller(name, own_key=False)


def test_files(tmp_path):
    file = tmp_path / "keys.toml"
    with pytest.raises(OptionError, match="no keys"):
        KeyRing.load(file)
    file.write_text("[keys")
    with pytest.raises(OptionError, match="no keys"):
        KeyRing.load(file)
    file.write_text('[keys.a]\nkey = "0123456789abcdef"')
    assert KeyRing.load(file).required and not KeyRing.load(None).required
