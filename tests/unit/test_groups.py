"""The plugin that says which groups of tests ran whole."""

from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.groups import GROUPS, Tally, groups_of
from tests.support.rooms import ROOT

LETTER = "tests/integration/test_at_rest.py::test_age_and_retention"


@pytest.mark.parametrize(
    "test, fixtures, reason, groups",
    [
        ("tests/page/test_query.py::test_x", (), None, ["page"]),
        (f"{LETTER}[postgres]", (), None, ["PostgreSQL"]),
        (f"{LETTER}[sqlite]", (), None, []),
        (LETTER, ("tmp_path", "postgres_server"), None, ["PostgreSQL"]),
        ("", (), "Skipped: no PostgreSQL is installed: apt-get install postgresql", ["PostgreSQL"]),
        ("", (), "Skipped: could not import 'gliner': No module named 'gliner'", ["GLiNER"]),
        ("", (), "Skipped: could not import 'pypdf': No module named 'pypdf'", ["other packages"]),
        ("", (), "Skipped: needs the extra `local`", ["local models"]),
        ("", (), "Skipped: training needs the `train` extra", ["training"]),
        ("tests/integration/test_seal_pipeline.py", (), "Skipped: needs the extra `seal`", ["SEAL"]),
        ("", (), "Skipped: needs chromium, such as Debian's package", ["page"]),
        ("", (), "Skipped: file modes of posix", []),
    ],
)
def test_a_test_belongs_to_groups(test, fixtures, reason, groups):
    assert groups_of(test, fixtures, reason) == groups


def report(group: str, skipped: bool = False, reason: str = "", when: str = "call") -> Any:
    properties = [("group", group)] if group else []
    return SimpleNamespace(user_properties=properties, skipped=skipped, when=when, longrepr=("file", 1, reason))


def test_what_ran_and_what_was_skipped_is_counted():
    tally = Tally()
    for _ in range(2):
        tally.pytest_runtest_logreport(report("GLiNER", when="setup"))
        tally.pytest_runtest_logreport(report("GLiNER"))
    tally.pytest_runtest_logreport(report("GLiNER", True, "Skipped: could not import 'gliner'"))
    # Of a group, and skipped for another reason than what the group lacks.
    tally.pytest_runtest_logreport(report("PostgreSQL", True, "Skipped: kill -9"))
    assert tally.lines() == ["GLiNER: 2 ran, 1 skipped (make test)"]
    assert tally.incomplete == [one.name for one in GROUPS if one.name != "other packages"]
    for one in GROUPS[:-1]:
        tally.pytest_runtest_logreport(report(one.name))
    assert tally.incomplete == ["GLiNER"]
    file = SimpleNamespace(skipped=True, nodeid="tests/unit/x.py", longrepr="Skipped: could not import 'zstandard'")
    tally.pytest_collectreport(file)
    assert tally.incomplete == ["GLiNER", "other packages"]


@pytest.mark.parametrize("demanded, code", [("", 0), ("1", 1)])
def test_an_incomplete_run_fails_where_completeness_is_demanded(demanded, code, monkeypatch):
    monkeypatch.setenv("GAMA_TESTS_COMPLETE", demanded)
    session: Any = SimpleNamespace(config=SimpleNamespace(), exitstatus=pytest.ExitCode.OK)
    Tally().pytest_sessionfinish(session)
    assert session.exitstatus == code
    worker: Any = SimpleNamespace(config=SimpleNamespace(workerinput={}), exitstatus=pytest.ExitCode.OK)
    Tally().pytest_sessionfinish(worker)
    assert worker.exitstatus == 0, "whoever has the reports of all workers judges"


@pytest.mark.parametrize("group", [one.name for one in GROUPS[:-1]])
def test_every_group_has_tests(group):
    """A file that was moved is not looked for in vain."""
    names = [path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("test_*.py")]
    assert group == "PostgreSQL" or any(group in groups_of(name) for name in names)
