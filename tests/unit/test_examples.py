"""Tests of the examples in the docstrings of the public names."""

import doctest
import importlib
import inspect

import pytest

import gama

NAMES = [name for name in gama.__all__ if name not in ("LeakError", "PrivacyMiddleware")]
"""What is raised and what wraps an agent is shown on the pages of the documentation, which run too."""


@pytest.mark.parametrize("name", NAMES)
def test_the_example_runs_as_it_is_written(name):
    named = getattr(gama, name)
    home = importlib.import_module(named.__module__)
    found = doctest.DocTestFinder(recurse=False).find(named, name, module=home, globs=vars(home).copy())
    examples = [example for test in found for example in test.examples]
    assert examples, f"{name} has no example: {inspect.getsourcefile(named)}"
    for test in found:
        assert doctest.DocTestRunner().run(test).failed == 0
