"""A plugin of pytest: `--quick` runs the tests that load no model and start nothing.

No list says which those are: a test that reaches for the embedded models is skipped at that moment, and those that are
marked slow are not begun.
"""

from typing import NoReturn

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.addoption("--quick", action="store_true", help="only tests that load no model and start nothing")


def pytest_configure(config: pytest.Config) -> None:
    """Put a skip in the place of what loads a model, before anything takes it from there."""
    if config.getoption("--quick"):
        import gama.models.shipped

        gama.models.shipped.cpu_session = _skip


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is marked slow."""
    if config.getoption("--quick"):
        slow = [item for item in items if item.get_closest_marker("slow")]
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if not item.get_closest_marker("slow")]


def _skip(*_: object, **__: object) -> NoReturn:
    pytest.skip("loads a model")
