"""The harnesses of the fuzzer hold on the inputs that it begins with, and on some by chance."""

import importlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz import run

FUZZ = Path(__file__).parents[1] / "fuzz"


@pytest.fixture(scope="module")
def harnesses():
    return {name: importlib.import_module(f"tests.fuzz.{name}") for name in run.NAMES}


@pytest.mark.parametrize("name", ["mapping", "remapping", "replies", "guarding", "documents", "gateway"])
def test_a_harness_holds(harnesses, name):
    for seed in (b"", *run.SEEDS):
        harnesses[name].one(seed)

    @settings(max_examples=40, deadline=None)
    @given(st.binary(max_size=200))
    def holds(data):
        harnesses[name].one(data)

    holds()


def test_make_fuzz_names_them_all(harnesses):
    line = (FUZZ.parents[1] / "Makefile").read_text("utf-8").split("for name in ")[1].split(";")[0]
    assert set(line.split()) == set(harnesses)
