"""A plugin of pytest: which groups of tests ran, and which were skipped for want of a package or a program.

A skipped test is easily overlooked. The groups here need something that a bare installation lacks; the end of every run
says what became of each. With `GAMA_TESTS_COMPLETE=1` a run fails unless every group ran whole: so does `.ci/run`.
"""

import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import pytest

COMPLETE = "GAMA_TESTS_COMPLETE"
"""The variable that makes an incomplete group a failure."""


class Group(NamedTuple):
    """Tests that need the same thing."""

    name: str
    tests: str
    """A regular expression that finds the group's tests: in node ids, and in the names of their fixtures."""
    reasons: str
    """A regular expression that finds what the group lacks in the reason of a skip, wherever the test lies."""
    cure: str
    """How to get what it needs."""


OTHERS = Group("other packages", "(?!)", "could not import|needs opentelemetry", "make test")
"""Whatever else is skipped for want of a package."""
GROUPS = (
    Group("page", "^tests/page/", "playwright|chromium|axe", "make test; without root: install chromium"),
    Group("PostgreSQL", "postgres|spoiled_server", "PostgreSQL|psycopg", "make test; without root: install postgresql"),
    Group("local models", "test_local_llm|test_huggingface_ner", "`local`|torch|transformers|huggingface", "make test"),
    Group("training", "^tests/unit/training/", "`train`|'onnx|onnxscript", "make test"),
    Group("SEAL", "test_seal_pipeline", "`seal`|'trl'|'peft'", "make test"),
    Group("Presidio", "test_presidio", "presidio", "make test"),
    Group("GLiNER", "test_gliner", "gliner", "make test"),
    Group("languages", "test_libraries", "`languages`|jieba|pymorphy3|pythainlp|sudachipy", "make test"),
    Group("MCP", r"^tests/unit/mcp/|test_servers\.py|\[mcp_", "'mcp'", "make test"),
    Group("Studio", "test_studio|test_devserver", "langgraph_api", "make test"),
    OTHERS,
)  # fmt: skip


def groups_of(test: str, fixtures: Iterable[str] = (), reason: str | None = None) -> list[str]:
    """Return the names of the groups that a test belongs to.

    Args:
        test: Its node id.
        fixtures: The fixtures that it asks for.
        reason: Why it was skipped; None if it was not.
    """
    given = [test, *fixtures]
    found = [one.name for one in GROUPS if any(re.search(one.tests, text) for text in given)]
    if reason is not None:
        found += [one.name for one in GROUPS if one.name not in found and re.search(one.reasons, reason)]
    # The last group is for what no other one names.
    return [name for name in found if name != OTHERS.name or len(found) == 1]


class Tally:
    """Counts how the tests of each group went."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.ran: Counter[str] = Counter()
        self.skipped: Counter[str] = Counter()

    @property
    def incomplete(self) -> list[str]:
        """The names of the groups of which a test was skipped or none ran."""
        return [
            one.name for one in GROUPS if self.skipped[one.name] or (not self.ran[one.name] and one.name != OTHERS.name)
        ]

    def lines(self) -> list[str]:
        """Return a line for each group that was seen."""
        told = []
        for one in GROUPS:
            ran, skipped = self.ran[one.name], self.skipped[one.name]
            if skipped:
                told.append(f"{one.name}: {ran} ran, {skipped} skipped ({one.cure})")
            elif ran:
                told.append(f"{one.name}: {ran} ran")
        return told

    def pytest_collection_modifyitems(self, items: Sequence[pytest.Item]) -> None:
        """Note each test's groups where its reports carry them, from one process to another too."""
        for item in items:
            found = groups_of(item.nodeid, getattr(item, "fixturenames", ()))
            item.user_properties += [("group", name) for name in found]

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Count a file that is skipped whole as one test."""
        if report.skipped:
            self.skipped.update(groups_of(report.nodeid, reason=_reason(report)))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a test when it has been skipped, or has been called."""
        noted = [str(value) for name, value in report.user_properties if name == "group"]
        if report.skipped:
            # A test of a group may be skipped for another reason, such as a foreign system: that is not a lack.
            found = groups_of("", reason=_reason(report))
            self.skipped.update(set(noted) & set(found) or found)
        elif report.when == "call":
            self.ran.update(noted)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Fail a run that should have been complete and was not."""
        if self._demanded(session.config) and self.incomplete and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what became of the groups."""
        lines = self.lines()
        if self._demanded(terminalreporter.config) and self.incomplete:
            lines.append(f"{COMPLETE} is set, and these did not run whole: {', '.join(self.incomplete)}")
        if lines:
            terminalreporter.section("groups that need more than a bare installation")
            for line in lines:
                terminalreporter.write_line(line)

    @staticmethod
    def _demanded(config: pytest.Config) -> bool:
        # A worker sees a part of the tests; whoever collects the reports judges.
        return bool(os.environ.get(COMPLETE)) and not hasattr(config, "workerinput")


def _reason(report: pytest.CollectReport | pytest.TestReport) -> str:
    return str(report.longrepr[2]) if isinstance(report.longrepr, tuple) else str(report.longrepr)


def pytest_configure(config: pytest.Config) -> None:
    """Count in every process; the one that prints has the reports of all."""
    config.pluginmanager.register(Tally(), "gama-groups")
