"""Routes, both variants of disproof, own prompts and ablations through `Gama` and a server that records every byte."""

import json
import re
import warnings

import pytest

from gama import Gama, Options
from gama.state.errors import LeakError, OptionError, RawTextWarning
from gama.state.public import Counterfactual, Part
from gama.tools.domains.prompts import AT_HOME, load_prompts
from tests.support import letters

QUESTIONS = ["How long is the notice period of the lease of <name-1>?", "What does the law say about it?"]
TEMPLATES = load_prompts().templates
NAMES = [name for name in TEMPLATES if name not in AT_HOME and not name.startswith("answer-")]
BEGINNINGS = {TEMPLATES[name].template[:30]: name for name in NAMES}


def role(request) -> str:
    """Tell which template a request was written from."""
    system = request["messages"][0]["content"]
    own = re.search(r"OWN-([a-z]+)", system)
    return own[1] if own else BEGINNINGS[system[:30]]


def play(request) -> str:
    """Play every agent: contradict once, agree with the rest, use the placeholders."""
    return {
        "vote": "yes",
        "split": json.dumps(QUESTIONS),
        "check": '{"correct": true}',
        "assure": '{"approved": true}',
        "discuss": '{"agree": true, "objection": ""}',
        "disprove": '{"contradiction": false, "reason": ""}',
        "verify": '{"contradiction": false, "reason": ""}',
        "refute": '{"contradiction": true, "reason": "<name-1> says three months"}',
        "rival": "Six months, <name-1>.",
    }.get(role(request), "Three months, <name-1>.")


ROUTES = {
    "both": {"expert", "fuse", "disprove"},
    "both v2": {"expert", "fuse", "rival", "refute"},
    "knowledge": {"split", "expert", "fuse", "check", "assemble", "assure"},
    "logic": {"solve", "discuss", "verify"},
    "auto": {"vote", "split", "expert", "fuse", "check", "assemble", "assure"},
}


def options(loopback, **fields) -> Options:
    loopback.reply = play
    # The published choice fires several rules for any text: there is something to fuse.
    return Options(public_model="openai:loop", public_base_url=loopback.url, topk_mode="paper", **fields)


def chosen(name: str) -> dict:
    route, _, disprove = name.partition(" ")
    return {"route": route} | ({"disprove": disprove} if disprove else {})


@pytest.mark.parametrize("name", ROUTES)
def test_every_route_end_to_end_with_nothing_private_on_the_wire(loopback, home, name):
    gama = Gama(options(loopback, **chosen(name)))
    reply = gama.invoke({"question": letters.PLANTED}, {"configurable": {"thread_id": "t"}})
    outcome = gama.graph.get_state({"configurable": {"thread_id": "t"}}).values["outcome"]
    gama.close()
    # What is kept is read back in its own types: a resumed run builds its reply of them.
    assert all(isinstance(part, Part) for part in outcome["parts"])
    assert all(isinstance(tested, Counterfactual) for tested in outcome["counterfactuals"])
    assert {role(request) for request in loopback.requests} == ROUTES[name]
    assert reply["answer"] == f"Three months, {letters.SECRETS[0]}." and reply["verdict"] == "converged"
    assert letters.hits(loopback.received) == []
    assert letters.hits(b"".join(p.read_bytes() for p in home.rglob("*") if p.is_file())) == []
    assert reply["usage"]["calls"] == len(loopback.requests)
    assert [item["question"] for item in reply["questions"]] == (QUESTIONS if name in ("knowledge", "auto") else [])
    if name == "both v2":
        assert reply["counterfactuals"] == [
            {
                "round": 1, "against": "Three months, <name-1>.", "text": "Six months, <name-1>.", "contradicted": True,
                "reason": "<name-1> says three months",
            }
        ]  # fmt: skip
    if name == "logic":
        assert reply["domains"] == reply["experts"] == []
    else:
        assert reply["domains"] and all(item["answer"] for item in reply["experts"])


@pytest.mark.parametrize("name", ROUTES)
async def test_every_route_async(loopback, name):
    gama = Gama(options(loopback, **chosen(name)), keep=False)
    reply = await gama.ainvoke({"question": letters.PLANTED})
    assert reply["answer"] == f"Three months, {letters.SECRETS[0]}." and letters.hits(loopback.received) == []


def test_steps_inside_a_sub_question_are_reported(loopback):
    gama = Gama(options(loopback, route="knowledge"), keep=False)
    stages = [step.stage for step in gama.watch(letters.PLANTED)]
    assert stages.count("public.check") == 2 and stages.count("public.answer_part") == 2
    assert stages.count("public.expert") >= 2 and stages[-1] == "done"


def own_prompts(folder, names=tuple(TEMPLATES)):
    for name in names:
        fields = sorted(TEMPLATES[name].get_identifiers())
        marks = " ".join(f"${field}" for field in fields)
        text = f"version: 1\nfields: {' '.join(fields)}\n\nOWN-{name}: placeholders such as <name-1>. {marks}\n"
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    return str(folder)


@pytest.mark.parametrize("name", ROUTES)
def test_own_prompts_reach_every_agent(loopback, tmp_path, name):
    reply = Gama(options(loopback, prompts=own_prompts(tmp_path), **chosen(name)), keep=False).invoke(letters.PLANTED)
    assert {role(request) for request in loopback.requests} == ROUTES[name]
    assert all(r["messages"][0]["content"].startswith("OWN-") for r in loopback.requests)
    assert reply["answer"] == f"Three months, {letters.SECRETS[0]}."


def test_own_prompts_without_domain_rules(loopback, tmp_path):
    folder = own_prompts(tmp_path, ["general"])
    Gama(options(loopback, prompts=folder, drke=False), keep=False).invoke(letters.PLANTED)
    assert [role(request) for request in loopback.requests] == ["general", "disprove"]


def test_own_prompts_reach_the_private_llm(loopback, tmp_path):
    asked = []

    def reply(request):
        asked.append(request["messages"][0]["content"].split(":")[0])
        return {"OWN-daa-background": "tenancy", "OWN-daa-fields": "law: High", "OWN-daa-terms": "Law: High"}.get(
            asked[-1], "[]" if not asked[-1].startswith("OWN") else play(request)
        )

    made = options(loopback, prompts=own_prompts(tmp_path), private_model="openai:home", private_base_url=loopback.url)
    loopback.reply = reply
    out = Gama(made, keep=False).invoke(letters.PLANTED)
    assert [a for a in asked if a.startswith("OWN-daa")] == ["OWN-daa-background", "OWN-daa-fields", "OWN-daa-terms"]
    assert out["domains"][0]["domain"] == "Law" and out["domains"][0]["term"] == "High"


def test_a_private_value_in_an_own_prompt_stops_the_run(loopback, tmp_path):
    (tmp_path / "refute.txt").write_text(f"version: 1\nfields:\n\nYou work for {letters.SECRETS[0].upper()}.", "utf-8")
    with pytest.raises(LeakError, match="template refute.txt was stopped") as caught:
        Gama(options(loopback, prompts=str(tmp_path)), keep=False).invoke(letters.PLANTED)
    assert loopback.record == [] and letters.hits(str(caught.value).encode()) == []


def test_a_wrong_prompt_is_a_clear_error_before_anything_is_sent(loopback, tmp_path):
    (tmp_path / "fuse.txt").write_text("version: 1\nfields: answer_form\n\nFuse.", "utf-8")
    with pytest.raises(OptionError, match="fuse.txt: its text lacks the field 'answer_form'"):
        Gama(options(loopback, prompts=str(tmp_path)), keep=False).invoke(letters.PLANTED)
    assert loopback.record == []


class TestAblation:
    def ask(self, loopback, **switches):
        gama = Gama(options(loopback, **switches), keep=False)
        return gama.invoke(letters.PLANTED), [role(request) for request in loopback.requests]

    def test_without_drke_one_generic_expert_is_asked(self, loopback):
        reply, roles = self.ask(loopback, drke=False)
        assert roles == ["general", "disprove"] and reply["usage"]["calls"] == 2
        assert [d["domain"] for d in reply["domains"]] == ["General"] and letters.hits(loopback.received) == []
        assert reply["switches"] == {"ampp": True, "drke": False, "dle": True}

    @pytest.mark.parametrize(
        ("route", "asked"),
        [("both", ["expert", "fuse"]), ("logic", ["solve"]), ("knowledge", ["assemble", "assure", "expert", "fuse", "split"])],
    )  # fmt: skip
    def test_without_dle_the_first_answer_is_final(self, loopback, route, asked):
        reply, roles = self.ask(loopback, dle=False, route=route, disprove="v2")
        assert sorted(set(roles)) == asked and reply["verdict"] == "off"

    def test_without_both_a_single_call_is_made(self, loopback):
        reply, roles = self.ask(loopback, drke=False, dle=False)
        assert roles == ["general"] and letters.hits(loopback.received) == []

    def test_without_ampp_nothing_runs_without_consent(self, loopback):
        with pytest.raises(OptionError, match="allow_raw"):
            self.ask(loopback, ampp=False)
        graph = Gama(options(loopback), keep=False).graph
        with pytest.raises(OptionError, match="allow_raw"):
            graph.invoke({"question": letters.PLANTED}, context={"ampp": False})
        assert loopback.record == []

    def test_without_ampp_the_raw_text_leaves_and_it_is_said_loudly(self, loopback):
        with pytest.warns(RawTextWarning, match="RAW TEXT.*private mentions"):
            reply, roles = self.ask(loopback, ampp=False, allow_raw=True)
        assert set(letters.SECRETS) <= set(letters.hits(loopback.received))
        assert reply["anonymized"] == letters.PLANTED and reply["warnings"][0].startswith("RAW TEXT")
        # What would have been hidden is shown as found, and not as replaced.
        private = [entity for entity in reply["entities"] if entity["private"]]
        assert private and all(entity["placeholder"] is None for entity in private)
        assert reply["answer"] == "Three months, <name-1>.", "nothing was replaced, nothing is put back"
        assert set(roles) == {"expert", "disprove"}

    def test_cumulative_rows_need_the_consent_too(self, loopback):
        with pytest.raises(OptionError, match="allow_raw"):
            self.ask(loopback, dle=False, ablation_mode="cumulative")
        with pytest.warns(RawTextWarning):
            reply, roles = self.ask(loopback, dle=False, ablation_mode="cumulative", allow_raw=True)
        assert roles == ["general"] and set(reply["switches"].values()) == {False}

    def test_with_ampp_nobody_is_warned(self, loopback):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.ask(loopback, drke=False, dle=False, allow_raw=True)
        assert letters.hits(loopback.received) == [], "the consent alone lets nothing out"
