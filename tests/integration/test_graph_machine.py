"""The whole graph under any order of doings: turns, edits, branches, failures, resuming, restarts, forgetting."""

import shutil
import tempfile
import uuid
import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
)

from gama import Gama, Options
from gama.evals.audit.egress import answer_with_placeholders
from gama.privacy.box import PrivacyBox
from gama.state.errors import InputError
from tests.support import loopback, serving

PEOPLE = ["Thessaly Quornbeck", "Ambrose Tilling", "Ludmila Vance", "Renée Ødegård"]
TURNS = st.lists(st.sampled_from(PEOPLE), min_size=1, max_size=3, unique=True)


class Point:
    """A finished turn: where it lies, and the box it left."""

    def __init__(self, thread: str, checkpoint: str, known: dict[str, str]) -> None:
        self.thread, self.checkpoint, self.known = thread, checkpoint, known


class Conversations(RuleBasedStateMachine):
    """On every branch a value keeps its placeholder; no answer has another branch's value; no value crosses."""

    points = Bundle("points")

    @initialize()
    def begin(self):
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr("gama.privacy.finders.tagger", serving.few_names)
        self.home = Path(tempfile.mkdtemp())
        self.server = loopback.Loopback(answer_with_placeholders)
        self.gone: set[str] = set()
        self.start()

    def start(self):
        options = Options(public_model="openai:loop", public_base_url=self.server.url, k=1, disprove="off")
        self.gama = Gama(options, home=self.home)

    def teardown(self):
        if hasattr(self, "home"):
            self.gama.close()
            self.server.close()
            self.patch.undo()
            shutil.rmtree(self.home, ignore_errors=True)

    def ask(self, people, config):
        question = f"My names are {' and '.join(people)}. Who am I?"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self.gama.graph.invoke({"question": question}, config, durability="sync")["reply"]

    def point(self, thread, before, reply, people):
        config = {"configurable": {"thread_id": thread}}
        state = self.gama.graph.get_state(config)
        box = PrivacyBox.model_validate_json(self.gama.graph.vault.open(thread, state.values["sealed_box"]))
        known = {entry.surface: entry.placeholder for entry in box.entries}
        assert before.items() <= known.items()
        assert all(name in reply["answer"] for name in people)
        assert not any(name in reply["answer"] for name in PEOPLE if name not in known)
        assert not any(name in reply["anonymized"] for name in PEOPLE)
        return Point(thread, state.config["configurable"]["checkpoint_id"], known)

    @rule(target=points, people=TURNS)
    def begin_a_conversation(self, people):
        thread = uuid.uuid4().hex
        return self.point(thread, {}, self.ask(people, {"configurable": {"thread_id": thread}}), people)

    @rule(target=points, point=points, people=TURNS)
    def go_on_from(self, point, people):
        """Take another turn behind any earlier one: the last, or, as time travel, one before it."""
        config = {"configurable": {"thread_id": point.thread, "checkpoint_ns": "", "checkpoint_id": point.checkpoint}}
        if point.thread in self.gone:
            return multiple()
        return self.point(point.thread, point.known, self.ask(people, config), people)

    @rule(target=points, point=points, people=TURNS)
    def edit(self, point, people):
        """Change the question of an earlier turn, and run from there."""
        if point.thread in self.gone:
            return multiple()
        config = {"configurable": {"thread_id": point.thread, "checkpoint_ns": "", "checkpoint_id": point.checkpoint}}
        question = f"Rather: {' and '.join(people)}. Who am I?"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            changed = self.gama.graph.update_state(config, {"question": question}, as_node="__start__")
            reply = self.gama.graph.invoke(None, changed, durability="sync")["reply"]
        return self.point(point.thread, point.known, reply, people)

    @rule(target=points, people=TURNS, steps=st.integers(1, 9))
    def leave_and_resume(self, people, steps):
        """Leave a run behind after some steps, begin the program anew, and take it up."""
        thread = uuid.uuid4().hex
        config = {"configurable": {"thread_id": thread}}
        question = f"My names are {' and '.join(people)}. Who am I?"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run = self.gama.graph.stream({"question": question}, config, stream_mode="updates", durability="sync")
            for _ in range(steps):
                next(run, None)
            run.close()
            self.restart()
            done = self.gama.graph.get_state(config)
            asked = len(self.server.requests)
            reply = (
                self.gama.graph.invoke(None, config, durability="sync")["reply"]
                if done.tasks
                else self.gama.reply(thread)
            )
        assert len(self.server.requests) <= asked + 2
        return self.point(thread, {}, reply, people)

    @rule()
    def restart(self):
        self.gama.close()
        self.start()

    @rule(point=consumes(points))
    def forget(self, point):
        assert self.gama.forget(point.thread) is (point.thread not in self.gone)
        self.gone.add(point.thread)
        with pytest.raises(InputError):
            self.gama.reply(point.thread)

    @precondition(lambda self: hasattr(self, "server"))
    @invariant()
    def nothing_crossed(self):
        received = self.server.received.decode()
        assert not any(name in received for name in PEOPLE)
        assert not set(self.gama.threads()) & self.gone


TestConversations = Conversations.TestCase
TestConversations.settings = settings(
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    max_examples=8,
    stateful_step_count=8,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
TestConversations = pytest.mark.slow(TestConversations)
