"""A public graph on a machine of its own: which model serves a task, and what the task is told."""

import pytest

from gama.graph.public_graph import public
from gama.graph.public_server import PublicContext, served
from gama.guard.egress import EGRESS
from gama.state.errors import ModelUnknown


@pytest.mark.parametrize(
    ("wanted", "environment", "serves"),
    [
        ("", {}, None),
        ("openai:a", {}, "openai:a"),
        ("", {"GAMA_PUBLIC_MODEL": "openai:own"}, "openai:own"),
        ("openai:a", {"GAMA_PUBLIC_MODEL": "openai:own"}, "openai:own"),
        ("openai:own", {"GAMA_PUBLIC_MODEL": "openai:own"}, "openai:own"),
        ("openai:a", {"GAMA_PUBLIC_MODEL": "openai:own", "GAMA_PUBLIC_MODELS": "openai:b, openai:a"}, "openai:a"),
        ("openai:c", {"GAMA_PUBLIC_MODEL": "openai:own", "GAMA_PUBLIC_MODELS": "openai:b, openai:a"}, "openai:own"),
        ("openai:c", {"GAMA_PUBLIC_MODELS": "openai:b"}, None),
        ("openai:c", {"GAMA_PUBLIC_MODELS": ""}, None),
        ("openai:c", {"GAMA_PUBLIC_MODEL": "openai:own", "GAMA_PUBLIC_MODELS": "*"}, "openai:c"),
        ("", {"GAMA_PUBLIC_MODELS": "*"}, None),
    ],
)
def test_the_operator_decides(wanted, environment, serves):
    assert served(wanted, environment) == serves


@pytest.fixture
def run(make_task, loopback, monkeypatch):
    monkeypatch.setenv("GAMA_PUBLIC_BASE_URL", loopback.url)

    def go(wanted, **context):
        EGRESS.set(None)
        task = make_task(text="The shop opens at nine. When does the shop open?", disprove="off", model=wanted)
        return public().invoke({"task": task}, context=PublicContext(**context))

    return go


def test_the_tasks_model_is_asked_for(run, loopback):
    out = run("openai:wanted")
    assert {request["model"] for request in loopback.requests} == {"wanted"} and out["warnings"] == []


def test_another_model_answers_and_the_task_is_told(run, loopback, monkeypatch):
    monkeypatch.setenv("GAMA_PUBLIC_MODEL", "openai:own")
    out = run("openai:wanted")
    assert {request["model"] for request in loopback.requests} == {"own"}
    assert out["warnings"] == [
        "The task asked for the public model 'openai:wanted'; this machine answers with 'openai:own'."
    ]
    monkeypatch.setenv("GAMA_PUBLIC_MODELS", "openai:wanted")
    assert run("openai:wanted")["warnings"] == [] and loopback.requests[-1]["model"] == "wanted"


def test_the_runs_context_goes_first(run, loopback, monkeypatch):
    out = run("openai:wanted", model="openai:chosen")
    assert {request["model"] for request in loopback.requests} == {"chosen"} and "'openai:wanted'" in out["warnings"][0]


def test_the_stand_in_says_both(run, monkeypatch):
    monkeypatch.delenv("GAMA_PUBLIC_BASE_URL")
    monkeypatch.setenv("GAMA_PUBLIC_MODELS", "")
    out = run("openai:wanted")
    assert (
        "nine" in out["answer"] and "'stand-in reader'" in out["warnings"][0] and "can only quote" in out["warnings"][0]
    )


def test_a_model_nobody_knows_is_a_clear_error(run):
    with pytest.raises(ModelUnknown, match="Known providers"):
        run("nobody:x")


async def test_async(run, loopback, make_task):
    EGRESS.set(None)
    task = make_task(disprove="off", model="openai:wanted")
    await public().ainvoke({"task": task}, context=PublicContext())
    assert {request["model"] for request in loopback.requests} == {"wanted"}
