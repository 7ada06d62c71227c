"""A plugin of pytest: `--quick` runs the tests that load no model and start no program.

No list says which those are: a test is skipped at the moment when it reaches for a model or starts a program, in
whatever thread. Those marked slow are not begun, of a parametrized test the first and the last case are, and properties
are tried on fewer examples.
"""

import subprocess
import sys
from collections.abc import Callable, Generator
from typing import Any, NoReturn

import pytest
from hypothesis import settings

HEAVY = ("torch", "transformers", "presidio_analyzer", "gliner")
"""Packages whose tests are skipped as if they were not installed."""


class Quick:
    """Skips what takes long."""

    def __init__(self) -> None:
        """Put a skip in the place of what loads models and starts programs, before anything takes it from there."""
        import gama.models.shipped

        self._reached: str | None = None
        gama.models.shipped.cpu_session = self._no_model
        self._begin, self._testing = subprocess.Popen.__init__, False
        subprocess.Popen.__init__ = _method(self._program)  # type: ignore[method-assign]
        self._importorskip, pytest.importorskip = pytest.importorskip, self._no_package
        settings.register_profile("quick", deadline=None, derandomize=True, max_examples=8)
        settings.load_profile("quick")

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Leave out what is marked slow, and all cases of a test but the first and the last that are not."""
        cases: dict[str, list[pytest.Item]] = {}
        for item in items:
            if not item.get_closest_marker("slow"):
                cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
        kept = {id(item) for of_one in cases.values() for item in (of_one[0], of_one[-1])}
        config.hook.pytest_deselected(items=[item for item in items if id(item) not in kept])
        items[:] = [item for item in items if id(item) in kept]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self) -> Generator[None, object, object]:
        """Note which programs are started by a test: pytest itself may start some."""
        self._reached, self._testing = None, True
        try:
            return (yield)
        finally:
            self._testing = False

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Take a failure for a skip where the skip was raised in a thread or a task that could not pass it on."""
        report = yield
        if report.failed and self._reached is not None:
            report.outcome, report.longrepr = "skipped", (str(item.path), 0, f"Skipped: {self._reached}")
        return report

    def _no_package(self, modname: str, *rest: Any, **named: Any) -> Any:
        if modname.partition(".")[0] in HEAVY:
            pytest.skip(f"loads {modname}", allow_module_level=True)
        return self._importorskip(modname, *rest, **named)

    def _no_model(self, *_: object, **__: object) -> NoReturn:
        self._reached = "loads a model"
        pytest.skip(self._reached)

    def _program(self, *given: Any, **named: Any) -> None:
        # Libraries ask small programs of the system for its name; a Python of ours is what takes long.
        command = given[1] if len(given) > 1 else named.get("args", ())
        if self._testing and sys.executable in command:
            self._reached = "starts a program"
            pytest.skip(self._reached)
        self._begin(*given, **named)


def _method(function: Callable[..., None]) -> Callable[..., None]:
    """Return a function as one that is bound to the instance it is called on, which a bound method is not."""
    return lambda *given, **named: function(*given, **named)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.addoption("--quick", action="store_true", help="only tests that load no model and start no program")


def pytest_configure(config: pytest.Config) -> None:
    """Be quick where it is asked for."""
    if config.getoption("--quick"):
        config.pluginmanager.register(Quick(), "gama-quick")
