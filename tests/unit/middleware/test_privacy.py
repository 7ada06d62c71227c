"""The middleware: the model, checkpoints and callbacks see placeholders; callers and trusted tools the real values."""

import asyncio
import json
from typing import Annotated, Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware, ModelRetryMiddleware, dynamic_prompt
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import InjectedToolCallId, ToolException, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.prebuilt import InjectedState
from langgraph.types import Command, interrupt
from pydantic import BaseModel

from gama import Options, PrivacyMiddleware
from gama.middleware.tools import ToolFailed
from gama.middleware.values import map_answer, map_value
from gama.state.errors import InputError, LeakError, OptionError, SealError
from tests.support.chat import ScriptedChat, call

NAME, IBAN = "Thessaly Quornbeck", "GB29 NWBK 6016 1331 9268 19"
ASK = {"messages": [("user", f"My name is {NAME}. What is my IBAN?")]}
SYSTEM = "You work for Kerensa Holloway, mail k@holloway.example."


def thread(name: str = "t") -> Any:
    return {"configurable": {"thread_id": name}}


@pytest.fixture
def crm():
    """A tool, and what it was called with."""
    got: list[str] = []

    @tool
    def look_up(name: str) -> str:
        """Look a customer up, such as Thessaly Quornbeck."""
        got.append(name)
        return f"{name}: IBAN {IBAN}; my friend Ambrose Tilling vouches for her."

    return look_up, got


def saved(saver: InMemorySaver) -> str:
    return repr(saver.storage) + repr(saver.writes) + repr(saver.blobs)


@pytest.mark.parametrize("way", ["prompt", "message"])
@pytest.mark.parametrize("whose", ["operator", "private"])
def test_a_system_prompt_is_the_operators_unless_told_otherwise(whose, way):
    prompt = f"You answer for Kerensa Holloway of Penzance, {IBAN}, about Falcon, and serve {NAME}."
    model = ScriptedChat(steps=["Yes.", "Yes."])
    privacy = PrivacyMiddleware(Options(system=whose, deny=("Falcon",)))
    agent = privacy.create_agent(model, system_prompt=prompt if way == "prompt" else None)
    given: Any = [SystemMessage(prompt)] if way == "message" else []
    agent.invoke({"messages": [*given, *ASK["messages"]]})
    assert ("Kerensa Holloway of Penzance" in model.seen) == (whose == "operator")
    assert not any(one in model.seen for one in (IBAN, "Falcon", NAME, "Quornbeck"))


@pytest.mark.parametrize("asynchronous", [False, True])
async def test_what_stands_for_nothing_is_told(asynchronous):
    model = ScriptedChat(steps=["Dear <name-1>, and <name-7>, not <iban-3> nor <name-7>.", "Dear <name-1>."])
    agent = PrivacyMiddleware().create_agent(model, checkpointer=InMemorySaver())
    given: Any = {"messages": f"I am {NAME}."}
    answers = [await agent.ainvoke(given, thread()) if asynchronous else agent.invoke(given, thread()) for _ in "ab"]
    told = [answer["messages"][-1].response_metadata.get("unresolved_placeholders") for answer in answers]
    assert told == [["<name-7>", "<iban-3>"], None]
    assert answers[0]["messages"][-1].content == f"Dear {NAME}, and <name-7>, not <iban-3> nor <name-7>."


def test_a_message_of_a_cache_belongs_to_no_conversation():
    shared = AIMessage("Dear <name-7>.")
    agent = PrivacyMiddleware().create_agent(ScriptedChat(steps=[shared]))
    answer = agent.invoke({"messages": f"I am {NAME}."})
    assert answer["messages"][-1].response_metadata["unresolved_placeholders"] == ["<name-7>"]
    assert "unresolved_placeholders" not in shared.response_metadata


def test_a_name_with_quotes_in_the_arguments_of_a_tool(crm):
    name, (look_up, got) = 'Ann "AJ" Lee', crm
    model = ScriptedChat(steps=[call("look_up", name="[Name 1], nurse"), "Dear **Name-1**"])
    privacy = PrivacyMiddleware(Options(deny=[name]), tools={"look_up": "real"})
    agent = privacy.create_agent(model, [look_up], checkpointer=InMemorySaver())
    chunks = list(agent.stream({"messages": f"I am {name}."}, thread(), stream_mode="messages"))
    assert got == [f"{name}, nurse"]
    pieces = [piece for chunk, _ in chunks for piece in getattr(chunk, "tool_call_chunks", ())]
    assert json.loads("".join(piece["args"] or "" for piece in pieces)) == {"name": f"{name}, nurse"}
    assert "".join(chunk.text for chunk, _ in chunks).endswith(f"Dear **{name}**")
    assert agent.get_state(thread()).values["messages"][1].tool_calls[0]["args"] == {"name": f"{name}, nurse"}


@pytest.mark.parametrize("policy", ["real", "placeholders"])
def test_one_turn_with_a_tool(crm, hits, spy, policy):
    look_up, got = crm
    model = ScriptedChat(steps=[call("look_up", name="<name-1>"), "It is <iban-1>, dear <name-1>; Mr <last_name-3>?"])
    saver = InMemorySaver()
    privacy = PrivacyMiddleware(Options(system="private"), tools={"look_up": policy})
    agent = privacy.create_agent(model, [look_up], system_prompt=SYSTEM, checkpointer=saver)
    config = thread() | {"callbacks": [spy], "metadata": {"who": NAME}, "tags": [NAME]}
    messages = agent.invoke(ASK, config)["messages"]
    assert got == ([NAME] if policy == "real" else ["<name-1>"])
    assert messages[0].content == ASK["messages"][0][1]
    assert messages[1].tool_calls[0]["args"] == {"name": NAME}
    assert messages[2].content.startswith(f"{NAME}: IBAN {IBAN}")
    assert messages[3].content.startswith(f"It is {IBAN}, dear {NAME}")
    assert hits(model.seen) == [] and "<name-1>" in model.seen and "such as <name-1>" in model.seen
    assert hits(saved(saver)) == []
    assert spy.seen and hits(spy.seen) == []
    assert list(agent.get_state(thread()).values) == ["messages"]


async def test_the_conversation_has_one_box(crm, hits):
    look_up, _ = crm
    model = ScriptedChat(steps=["Hello <name-1>.", "Yes, <name-1> and <name-2>."])
    saver = InMemorySaver()
    agent = PrivacyMiddleware().create_agent(model, [look_up], checkpointer=saver)
    await agent.ainvoke(ASK, thread())
    # Another process: the box comes from the checkpoint, its key from the home folder.
    again = PrivacyMiddleware().create_agent(model, [look_up], checkpointer=saver)
    out = await again.ainvoke(
        {"messages": [HumanMessage(f"Do {NAME} and Ambrose Tilling, my friend, agree?")]}, thread()
    )
    assert [message.content for message in out["messages"]][1::2] == [
        f"Hello {NAME}.",
        f"Yes, {NAME} and Ambrose Tilling.",
    ]
    assert hits(model.seen, saved(saver)) == []
    other = (
        await PrivacyMiddleware().create_agent(model).ainvoke({"messages": "What does <name-1> mean?"}, thread("other"))
    )
    assert other["messages"][0].content == "What does <name-1> mean?"
    assert NAME not in other["messages"][1].content, "no other thread's values"


def test_every_role_and_form_of_a_message(hits):
    model = ScriptedChat(steps=["Fine, <name-1>."])
    agent = PrivacyMiddleware().create_agent(model)
    history = [
        SystemMessage(f"The user is {NAME}."),
        HumanMessage([{"type": "text", "text": f"I am {NAME}."}, f"My IBAN is {IBAN}."], name="Thessaly"),
        AIMessage(f"Hello {NAME}.", tool_calls=[{"name": "f", "args": {"id": IBAN, "of": [NAME]}, "id": "1"}]),
        AIMessage(
            [{"type": "tool_use", "id": "2", "name": "f", "input": {"id": IBAN, "name": NAME}}],
            additional_kwargs={
                "tool_calls": [
                    {"id": "2", "type": "function", "function": {"name": "f", "arguments": f'{{"a": "{NAME}"}}'}}
                ],
                "custom": {"name": NAME},
            },
        ),
        ToolMessage(f"{NAME} has {IBAN}", tool_call_id="1", artifact={"who": NAME}),
        {"role": "user", "content": f"So who am I? {NAME}"},
    ]
    out = agent.invoke({"messages": history})
    assert hits(model.seen) == [] and "<iban-1>" in model.seen
    shown = out["messages"]
    assert shown[1].content == history[1].content and shown[2].tool_calls[0]["args"] == {"id": IBAN, "of": [NAME]}
    assert shown[3].content == history[3].content and shown[3].additional_kwargs == history[3].additional_kwargs
    assert shown[4].artifact == {"who": NAME} and shown[-1].content == f"Fine, {NAME}."


def test_media_are_refused_unless_they_may_pass(hits):
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    ask = {"messages": [HumanMessage([{"type": "text", "text": f"I am {NAME}."}, picture])]}
    model = ScriptedChat(steps=["Nice."])
    with pytest.raises(InputError, match="picture, sound or file"):
        PrivacyMiddleware().create_agent(model).invoke(ask)
    assert model.seen == ""
    out = PrivacyMiddleware(media="pass").create_agent(model).invoke(ask)
    assert out["messages"][0].content[1] == picture and "base64,AAAA" in model.seen and hits(model.seen) == []


def test_an_agent_that_is_not_sealed_is_refused():
    model = ScriptedChat(steps=["x"])
    agent = create_agent(model, middleware=[PrivacyMiddleware()])
    with pytest.raises(OptionError, match="not sealed.*privacy.seal"):
        agent.invoke(ASK)
    assert model.seen == ""


def test_files_of_a_checkpointer_hold_nothing(crm, hits, tmp_path, home):
    look_up, _ = crm
    model = ScriptedChat(steps=[call("look_up", name="<name-1>"), "It is <iban-1>."])
    privacy = PrivacyMiddleware(tools={"look_up": "real"})
    with SqliteSaver.from_conn_string(str(tmp_path / "agent.sqlite")) as saver:
        agent = privacy.create_agent(model, [look_up], checkpointer=saver)
        agent.invoke(ASK, thread() | {"configurable": {"thread_id": "t", "user_email": "t.quornbeck@planted.example"}})
        blob = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
        assert len(blob) > 4096 and hits(blob) == []
        assert privacy.forget("t")
        with pytest.raises(SealError):
            agent.get_state(thread())


def test_state_and_history_are_shown_to_the_caller_and_updates_are_sealed(hits):
    model = ScriptedChat(steps=["Hello <name-1>.", "Bye <name-1>, <name-2>."])
    saver = InMemorySaver()
    agent = PrivacyMiddleware().create_agent(model, checkpointer=saver)
    agent.invoke(ASK, thread())
    assert agent.get_state(thread()).values["messages"][-1].content == f"Hello {NAME}."
    assert any(NAME in repr(one.values) for one in agent.get_state_history(thread()))
    agent.update_state(thread(), {"messages": [HumanMessage("My friend Ambrose Tilling says hello.")]})
    assert hits(saved(saver)) == []
    assert "Ambrose Tilling" in agent.get_state(thread()).values["messages"][-1].content
    out = agent.invoke({"messages": "Who?"}, thread())
    assert out["messages"][-1].content == f"Bye {NAME}, Ambrose Tilling." and hits(model.seen) == []


class Account(BaseModel):
    """An account."""

    owner: str
    iban: str


def test_structured_answers(hits):
    model = ScriptedChat(steps=[call("Account", owner="<name-1>", iban="none")])
    out = PrivacyMiddleware().create_agent(model, response_format=Account).invoke(ASK)
    assert out["structured_response"] == Account(owner=NAME, iban="none") and hits(model.seen) == []


class Leaky(BaseModel):
    """What Thessaly Quornbeck, whose IBAN is GB29 NWBK 6016 1331 9268 19, owns."""

    sum: int


def test_a_response_format_that_tells_is_stopped():
    model = ScriptedChat(steps=["x"])
    with pytest.raises(LeakError, match="Nothing was sent"):
        PrivacyMiddleware().create_agent(model, response_format=Leaky).invoke(ASK)
    assert model.seen == ""


def test_tools_that_answer_directly_at_once_and_by_command(hits):
    @tool(return_direct=True)
    def direct(name: str) -> str:
        """Answer at once."""
        return f"{name} owns {IBAN}"

    @tool
    def note(name: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> Command:
        """Take a note."""
        return Command(update={"messages": [ToolMessage(f"noted {name}, {IBAN}", tool_call_id=tool_call_id)]})

    saver = InMemorySaver()
    privacy = PrivacyMiddleware(other_tools="real")
    agent = privacy.create_agent(ScriptedChat(steps=[call("direct", name="<name-1>")]), [direct], checkpointer=saver)
    assert agent.invoke(ASK, thread())["messages"][-1].content == f"{NAME} owns {IBAN}"
    two = AIMessage(
        "", tool_calls=[*call("note", "a", name="<name-1>").tool_calls, *call("note", "b", name="x").tool_calls]
    )
    model = ScriptedChat(steps=[two, "<iban-1>"])
    out = privacy.create_agent(model, [note], checkpointer=saver).invoke(ASK, thread("2"))
    assert [m.content for m in out["messages"][2:]] == [f"noted {NAME}, {IBAN}", f"noted x, {IBAN}", IBAN]
    assert hits(model.seen, saved(saver)) == []


def test_what_is_injected_follows_the_policy():
    seen: dict[str, Any] = {}

    @tool
    def peek(state: Annotated[dict, InjectedState]) -> str:
        """Look at the state."""
        seen["first"] = state["messages"][0].content
        return "ok"

    for policy, expected in (("real", NAME), ("placeholders", "<name-1>")):
        agent = PrivacyMiddleware(other_tools=policy).create_agent(ScriptedChat(steps=[call("peek"), "done"]), [peek])
        agent.invoke(ASK)
        assert expected in seen["first"]


class Locked(Exception):
    pass


def test_failures_of_tools_tell_nothing(hits, spy):
    @tool
    def breaks(name: str) -> str:
        """Break."""
        raise kinds[0](f"no row for {name}")

    @tool
    def refuses(name: str) -> str:
        """Refuse."""
        raise ToolException(f"{name} is locked")

    refuses.handle_tool_error = True
    privacy = PrivacyMiddleware(other_tools="real")
    kinds: list[Any] = []
    for kind, error in ((TimeoutError, TimeoutError), (Locked, ToolFailed), (KeyError, KeyError)):
        kinds[:] = [kind]
        saver = InMemorySaver()
        agent = privacy.create_agent(
            ScriptedChat(steps=[call("breaks", name="<name-1>")]), [breaks], checkpointer=saver
        )
        with pytest.raises(error, match="The tool 'breaks' failed") as caught:
            agent.invoke(ASK, thread() | {"callbacks": [spy]})
        assert hits(saved(saver), spy.seen, caught.value, caught.value.__context__) == []
    model = ScriptedChat(steps=[call("refuses", name="<name-1>"), "Sorry <name-1>."])
    out = privacy.create_agent(model, [refuses]).invoke(ASK)
    assert out["messages"][2].content == f"{NAME} is locked" and out["messages"][2].status == "error"
    assert hits(model.seen) == []
    wrong = ScriptedChat(steps=[call("refuses", nome="<name-1>"), "Sorry."])
    out = privacy.create_agent(wrong, [refuses]).invoke(ASK)
    assert "refused its arguments" in out["messages"][2].content and hits(wrong.seen) == []


def test_a_person_in_the_loop_sees_and_edits_real_values(crm, hits):
    look_up, got = crm
    saver = InMemorySaver()
    model = ScriptedChat(steps=[call("look_up", name="<name-1>"), "It is <iban-1>, <name-2>."])
    privacy = PrivacyMiddleware(tools={"look_up": "real"})
    agent = privacy.create_agent(
        model, [look_up], middleware=[HumanInTheLoopMiddleware(interrupt_on={"look_up": True})], checkpointer=saver
    )
    asked = agent.invoke(ASK, thread())["__interrupt__"][0].value
    assert asked["action_requests"][0]["args"] == {"name": NAME}
    edited = {"name": "look_up", "args": {"name": "my friend Ambrose Tilling"}}
    answer = Command(resume={"decisions": [{"type": "edit", "edited_action": edited}]})
    out = agent.invoke(answer, thread())
    assert got == ["my friend Ambrose Tilling"] and out["messages"][-1].content.startswith(f"It is {IBAN}")
    assert hits(model.seen, saved(saver)) == []


def test_an_answer_to_an_interrupt_keeps_the_names_of_tools():
    answer = {"decisions": [{"type": "edit", "edited_action": {"name": "look_up", "args": {"name": "Ana"}}}]}
    assert map_answer(answer, str.upper) == {
        "decisions": [{"type": "EDIT", "edited_action": {"name": "look_up", "args": {"name": "ANA"}}}]
    }
    for other in ({"name": "ana"}, {"name": "ana", "args": "kos"}, {"name": "ana kos", "args": {}}):
        assert map_answer(other, str.upper) == map_value(other, str.upper)


def test_an_interrupt_inside_a_tool(hits):
    @tool
    def ask_person(name: str) -> str:
        """Ask."""
        return f"{name} is " + str(interrupt(f"May {name} do that?"))

    saver = InMemorySaver()
    agent = PrivacyMiddleware(other_tools="real").create_agent(
        ScriptedChat(steps=[call("ask_person", name="<name-1>"), "Done, <name-1>."]), [ask_person], checkpointer=saver
    )
    assert agent.invoke(ASK, thread())["__interrupt__"][0].value == f"May {NAME} do that?"
    out = agent.invoke(Command(resume="allowed"), thread())
    assert out["messages"][2].content == f"{NAME} is allowed" and hits(saved(saver)) == []


def test_other_middleware_cannot_bring_values_in(hits):
    @dynamic_prompt
    def profile(request):
        return f"The user is {NAME}, IBAN {IBAN}."

    model = ScriptedChat(steps=["Hello <name-1>."])
    agent = PrivacyMiddleware().create_agent(model, middleware=[profile, ModelRetryMiddleware()])
    assert agent.invoke(ASK)["messages"][-1].content == f"Hello {NAME}."
    assert hits(model.seen) == [] and "The user is <name-1>" in model.seen


def test_strategies_hold_in_agents(hits):
    model = ScriptedChat(steps=[lambda messages: f"Dear {messages[-1].content.split('name is ')[1].split('.')[0]}!"])
    privacy = PrivacyMiddleware(Options(strategies={"PER": "surrogate"}))
    out = privacy.create_agent(model).invoke(ASK)
    assert out["messages"][-1].content == f"Dear {NAME}!" and hits(model.seen) == []
    assert "placeholders such as" not in model.seen


def test_sealed_strings_of_others_are_text_like_any_other(hits):
    model = ScriptedChat(steps=["ok"])
    agent = PrivacyMiddleware().create_agent(model)
    forged = "[sealed:QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFB] from the net"
    assert agent.invoke({"messages": forged})["messages"][0].content == forged


async def test_many_runs_at_once_do_not_mix(hits):
    names = [
        f"{first} {last}" for first in ("Ambrose", "Kerensa", "Demelza") for last in ("Tilling", "Holloway", "Pascoe")
    ]

    def greet(messages: Any) -> str:
        return "Hello <name-1>."

    model = ScriptedChat(steps=[greet])
    agent = PrivacyMiddleware().create_agent(model, checkpointer=InMemorySaver())
    runs = [agent.ainvoke({"messages": f"My name is {name}."}, thread(name)) for name in names]
    for name, out in zip(names, await asyncio.gather(*runs), strict=True):
        assert out["messages"][-1].content == f"Hello {name}."
    assert agent.door.sessions == {}


@pytest.mark.parametrize("asynchronous", [False, True])
def test_as_a_node_of_another_graph(hits, asynchronous):
    from langgraph.graph import END, START, MessagesState, StateGraph

    model = ScriptedChat(steps=["Dear <name-1>, hello."])
    builder = StateGraph(MessagesState)
    builder.add_node("agent", PrivacyMiddleware().create_agent(model))
    builder.add_edge(START, "agent")
    builder.add_edge("agent", END)
    saver = InMemorySaver()
    office = builder.compile(checkpointer=saver)
    options: Any = {"stream_mode": ["messages", "updates", "values"], "subgraphs": True}

    async def collect():
        return [item async for item in office.astream(ASK, thread(), **options)]

    items = asyncio.run(collect()) if asynchronous else list(office.stream(ASK, thread(), **options))
    assert "<name-1>" not in repr(items) and "[sealed:" not in repr(items)
    assert items[-1][2]["messages"][-1].content == f"Dear {NAME}, hello."
    inner = [value for key, value in saver.blobs.items() if key[1]]
    assert inner and hits(inner) == [], "the agent's own checkpoints"
    assert hits(model.seen) == []
    again = office.invoke({"messages": [("user", "And my friend Ambrose Tilling?")]}, thread())
    assert again["messages"][-1].content == f"Dear {NAME}, hello." and hits(model.seen) == []


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"tools": {"crm": "reall"}}, "did you mean 'real'"),
        ({"other_tools": "foo"}, "placeholders"),
        ({"media": "hide"}, "refuse, pass"),
    ],
)
def test_a_misspelt_policy_is_an_error(wrong, told):
    with pytest.raises(OptionError, match=told):
        PrivacyMiddleware(**wrong)


def test_a_policy_for_a_tool_that_is_not_there_is_an_error(crm):
    look_up, _ = crm
    privacy = PrivacyMiddleware(tools={f"{look_up.name}s": "real"})
    with pytest.raises(OptionError, match=f"did you mean '{look_up.name}'"):
        privacy.create_agent(ScriptedChat(steps=["Hello"]), [look_up])
