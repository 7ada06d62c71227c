"""`gama train domains`: the shipped weights come from the tasks that are there, and lines that cannot be read are named."""

import numpy as np
import pytest

from gama.models.shipped import word_vectors
from gama.state.errors import InputError
from gama.tools.domains.memberships import WEIGHTS, Learned
from gama.tools.domains.packs import NAMES
from gama.training.domains import main, read_tasks


def test_every_domain_and_none_have_tasks_in_every_language():
    from gama.training.domains import TASKS

    for file in TASKS.glob("*.txt"):
        named = {line.partition(": ")[0] for line in file.read_text(encoding="utf-8").splitlines()}
        assert {"none", *NAMES} <= {name for labels in named for name in labels.split(",")}, file.name
    assert len(list(TASKS.glob("*.txt"))) == 9 and WEIGHTS.stat().st_size < 100_000


def test_no_task_stands_in_the_set_that_measures():
    from gama.evals.fields import load

    measured = {" ".join(task.text.split()).casefold() for task in load()}
    assert not measured & {" ".join(task.text.split()).casefold() for task in read_tasks()}


def test_what_is_trained_now_judges_as_what_is_shipped(tmp_path, capsys):
    assert main(["--out", str(tmp_path)]) == 0 and "left out" in capsys.readouterr().out
    text = "My landlord keeps the deposit. Which deadline must I set? I have <medical_condition-1>."
    new, shipped = (
        one.membership(text, word_vectors()) for one in (Learned.load(tmp_path / WEIGHTS.name), Learned.load())
    )
    np.testing.assert_allclose(new.domains, shipped.domains, atol=0.02)
    assert abs(new.none - shipped.none) < 0.02 and NAMES[int(new.domains.argmax())] == "Law"


def test_the_kind_of_a_placeholder_is_a_hint():
    learned = Learned.load()
    medicine = NAMES.index("Medicine")
    hinted, plain = (
        learned.membership(f"What should I mind with {what}?", word_vectors())
        for what in ("<medical_condition-1>", "<thing-1>")
    )
    assert hinted.domains[medicine] > plain.domains[medicine]


@pytest.mark.parametrize("line", ["Cooking: soup", "Law,none: what?", "no label at all"])
def test_a_line_without_a_known_domain_is_named(tmp_path, line):
    (tmp_path / "x.txt").write_text(f"Law: a lease\n{line}\n")
    with pytest.raises(InputError, match=r"x\.txt, line 2"):
        list(read_tasks(tmp_path))


def test_a_folder_without_tasks_is_refused(tmp_path):
    with pytest.raises(InputError, match="no tasks"):
        list(read_tasks(tmp_path))
