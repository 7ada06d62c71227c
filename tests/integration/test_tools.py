"""Tools and packs in the whole graph: chosen where it is built, seen by no private value, and by no run's context."""

import json

import pytest

from gama import Gama, Options, build_graph
from gama.graph.public_graph import public
from gama.state.errors import OptionError
from gama.state.task import DomainRule, PublicLimits, PublicTask
from tests.support import letters

BEES = """\
name: Beekeeping
description: bees, hives, honey, swarms and the diseases of bees.
keywords: [bee, hive, honey, swarm, beekeeper, queen bee, brood, varroa, apiary, wax]
"""
LETTER = (
    "Dear Ms Quornbeck, the swarm has left my hive and there is no brood. Should the beekeeper take the honey? "
    "My IBAN is GB29 NWBK 6016 1331 9268 19. Thessaly Obuasi"
)


@pytest.fixture
def pack(tmp_path):
    home = tmp_path / "bees"
    (home / "documents").mkdir(parents=True)
    (home / "pack.yaml").write_text(BEES, encoding="utf-8")
    (home / "documents" / "swarms.md").write_text(
        "# Swarms\n\nAfter a swarm wait for brood; treat with formic acid, then harvest no honey that year.",
        encoding="utf-8",
    )
    return home


def calling(loopback, name, arguments):
    """Let experts with tools call one; gives the requests that had tools."""
    with_tools = []

    def reply(request):
        if not request.get("tools"):
            return "fused" if len(request["messages"]) > 1 else "fine"
        with_tools.append(request)
        results = [m["content"] for m in request["messages"] if m["role"] == "tool"]
        if results:
            return "The tool says: " + results[0]
        function = {"name": name, "arguments": json.dumps(arguments)}
        return {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c", "type": "function", "function": function}],
        }

    loopback.reply = reply
    return with_tools


def test_a_letter_is_answered_with_a_calculator(loopback):
    calling(loopback, "calculator", {"expressions": ["2600 * 12"]})
    options = Options(public_model="openai:loop", public_base_url=loopback.url, max_rounds=0, tools=("calculator",))
    reply = Gama(options, keep=False).invoke({"question": letters.PLANTED})
    assert [e["answer"] for e in reply["experts"]] == ["The tool says: 2600 * 12 = 31200"] * len(reply["experts"])
    assert reply["usage"]["tool.calls"] == len(reply["experts"])
    assert letters.hits(loopback.received) == []


def test_a_pack_brings_its_expert_and_its_documents(loopback, pack):
    seen = calling(loopback, "documents", {"query": "formic acid"})
    options = Options(public_model="openai:loop", public_base_url=loopback.url, max_rounds=0, domain_packs=(str(pack),))
    reply = Gama(options, keep=False).invoke({"question": LETTER})
    assert reply["domains"][0]["domain"] == "Beekeeping" and len(seen) == 2
    assert "formic acid" in seen[0]["messages"][1]["content"] and "formic acid" in reply["experts"][0]["answer"]
    assert b"Quornbeck" not in loopback.received and b"GB29" not in loopback.received


def test_a_pack_that_names_a_private_value_is_left_out_of_that_task(loopback, pack):
    (pack / "pack.yaml").write_text(BEES.replace("bees, hives", "bees of Thessaly Obuasi, hives"), encoding="utf-8")
    options = Options(public_model="openai:loop", public_base_url=loopback.url, max_rounds=0, domain_packs=(str(pack),))
    gama = Gama(options, keep=False)
    reply = gama.invoke({"question": LETTER})
    assert "Beekeeping" not in [d["domain"] for d in reply["domains"]]
    assert any("A domain pack was left out" in warning for warning in reply["warnings"])
    assert b"Obuasi" not in loopback.received
    other = gama.invoke({"question": "The swarm has left my hive. Should the beekeeper take the honey?"})
    assert "Beekeeping" in [d["domain"] for d in other["domains"]]


@pytest.mark.parametrize(
    "change",
    [{"mcp": ("touch /tmp/planted",)}, {"domain_packs": ("/etc",)}, {"tools": ("calculator",)}, {"tool_calls": 9}],
)
def test_a_runs_context_starts_no_program_and_reads_no_file(change):
    graph = build_graph(Options())
    with pytest.raises(OptionError, match=f"option '{next(iter(change))}': it is set where the graph is built"):
        graph.invoke({"question": LETTER}, context=Options(**change))
    # What a server sends of its defaults is no wish.
    defaults = {name: Options.model_fields[name].default for name in change}
    assert graph.invoke({"question": LETTER}, context=Options(k=1, **defaults))["reply"]["answer"]


def test_a_disabled_plugin_is_no_tool_and_no_pack():
    with pytest.raises(OptionError, match="there is no expert tool 'calculator'; known: documents, puzzle"):
        build_graph(Options(tools=("calculator",), disable=("calculator",)))
    assert build_graph(Options(tools=("puzzle",), disable=("calculator",))).tools is not None


@pytest.mark.parametrize("route", ["both", "knowledge", "auto"])
def test_a_packs_expert_is_asked_on_every_route_with_experts(loopback, pack, route):
    questions = ["Should the beekeeper take the honey of the hive after the swarm?"]
    says = {
        "You decide how": "yes",
        "You take a task": json.dumps(questions),
        "You check the": '{"correct": true, "replacement": ""}',
        "You are the last": '{"approved": true, "answer": ""}',
    }
    loopback.reply = lambda r: next((t for w, t in says.items() if r["messages"][0]["content"].startswith(w)), "fine")
    options = Options(
        public_model="openai:loop", public_base_url=loopback.url, max_rounds=0, route=route, domain_packs=(str(pack),)
    )
    reply = Gama(options, keep=False).invoke({"question": LETTER})
    parts = reply["questions"]
    asked = [d["domain"] for d in (parts[0]["domains"] if parts else reply["domains"])]
    assert "Beekeeping" in asked and b"formic acid" in loopback.received
    assert b"Quornbeck" not in loopback.received and b"GB29" not in loopback.received


def test_what_cannot_be_offered_is_told_when_the_graph_is_built():
    with pytest.raises(OptionError, match="there is no expert tool 'abacus'; known: calculator, documents, puzzle"):
        build_graph(Options(tools=("abacus",)))
    with pytest.raises(OptionError, match="no domain pack at"):
        build_graph(Options(domain_packs=("/nowhere",)))


def test_the_same_warning_of_all_experts_is_shown_once(loopback):
    none = '{"contradiction": false, "reason": ""}'
    loopback.reply = lambda request: none if "response_format" in request else "It is so."
    options = Options(tools=("calculator",), public_model="openai:x", public_base_url=loopback.url, max_calls=8)
    reply = Gama(options, keep=False).invoke({"question": LETTER})
    assert len(reply["experts"]) > 1 and sum("left no room for tools" in warning for warning in reply["warnings"]) == 1


def test_the_stand_in_says_that_it_was_offered_no_tools():
    reply = Gama(Options(tools=("calculator",)), keep=False).invoke({"question": LETTER})
    assert sum("offered no tools" in warning for warning in reply["warnings"]) == 1


def test_explain_counts_calls_of_tools_apart(loopback, capsys):
    from gama.serve.cli import main

    calling(loopback, "calculator", {"expressions": ["1+1"]})
    arguments = ["--tool", "calculator", "--public", "openai:x", "--base-url", loopback.url, "--rounds", "0"]
    assert main(["ask", LETTER, "--json", "--explain", *arguments]) == 0
    told = json.loads(capsys.readouterr().out)
    stages = {stage["stage"]: stage for stage in told["explanation"]["stages"]}
    experts = len(told["experts"])
    assert stages["experts"]["calls"] == 2 * experts and stages[f"tools ({experts} calls)"]["calls"] is None
    names = list(stages)
    assert names.index(f"tools ({experts} calls)") == names.index("experts") + 1
    assert main(["ask", LETTER, "--explain", *arguments]) == 0
    assert f"tools ({experts} calls)" in capsys.readouterr().out


def test_the_command_line_names_tools_servers_and_packs(pack, capsys):
    from gama.serve.cli import main

    assert main(["ask", LETTER, "--json", "--pack", str(pack), "--tool", "calculator", "--tool", "documents"]) == 0
    reply = json.loads(capsys.readouterr().out)
    assert "Beekeeping" in [d["domain"] for d in reply["domains"]]
    assert main(["ask", LETTER, "--mcp", "'unclosed"]) == 2
    assert "option 'mcp'" in capsys.readouterr().err


def test_the_operator_of_a_public_graph_names_its_tools_in_the_environment(loopback, pack, monkeypatch):
    monkeypatch.setenv("GAMA_PUBLIC_MODEL", "openai:loop")
    monkeypatch.setenv("GAMA_PUBLIC_BASE_URL", loopback.url)
    monkeypatch.setenv("GAMA_TOOLS", "calculator; puzzle")
    monkeypatch.setenv("GAMA_DOMAIN_PACKS", str(pack))
    seen = calling(loopback, "documents", {"query": "formic acid"})
    rule = DomainRule(domain="Beekeeping", term="High", score=0.5, prompt="You know bees.")
    task = PublicTask(text="What to do about varroa?", rules=(rule,), limits=PublicLimits(max_rounds=0))
    out = public().invoke({"task": task})
    assert "formic acid" in out["answers"][0].text
    assert [t["function"]["name"] for t in seen[0]["tools"]] == ["documents", "calculator", "puzzle"]
