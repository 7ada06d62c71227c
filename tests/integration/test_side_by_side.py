"""LangChain's PIIMiddleware and ours on the same conversation, measured; the table of docs/middleware.md is the outcome."""

import re
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import PIIMiddleware
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from gama import PrivacyMiddleware
from tests.support.chat import ScriptedChat, call

PAGE = Path(__file__).parents[2] / "docs" / "middleware.md"
NAME, IBAN, MAIL, PHONE = (
    "Thessaly Quornbeck",
    "GB29 NWBK 6016 1331 9268 19",
    "t.quornbeck@planted.example",
    "+44 7911 123456",
)
BOSS = "boss@holloway.example"


class Spy(BaseCallbackHandler):
    """What a tracer would be told."""

    def __init__(self) -> None:
        self.seen = ""

    def __getattribute__(self, name):
        if name.startswith("on_"):

            def note(*args, **kwargs):
                self.seen += f"{args!r} {kwargs!r}"

            return note
        return super().__getattribute__(name)


def measure(make: Any, placeholder: str) -> dict[str, bool]:
    """Run one conversation and tell what was seen where.

    Args:
        make: makes the agent of a model, tools and a checkpointer.
        placeholder: what the model writes when it means the mail address.
    """
    got: list[str] = []

    @tool
    def send(to: str) -> str:
        """Send a mail, for example to boss@holloway.example."""
        got.append(to)
        return f"sent; {NAME} also has {MAIL}"

    model = ScriptedChat(steps=[call("send", to=placeholder), f"Done, I wrote to {placeholder}."])
    saver, spy = InMemorySaver(), Spy()
    agent = make(model, [send], saver)
    given = [
        ("user", f"My mail is {MAIL}."),
        ("assistant", f"I see, {MAIL}."),
        ("user", f"My name is {NAME}, IBAN {IBAN}, phone {PHONE}. Write to me at {MAIL}."),
    ]
    config: Any = {"configurable": {"thread_id": "t"}, "callbacks": [spy]}
    out = agent.invoke({"messages": given}, config)
    stored = repr(saver.storage) + repr(saver.writes) + repr(saver.blobs)
    first, *_ = model._seen
    return {
        "mail address in the last message hidden from the model": MAIL not in _last(first),
        "mail address in earlier messages hidden": MAIL not in first.replace(_last(first), ""),
        "names hidden": NAME not in model.seen,
        "IBAN hidden": IBAN not in model.seen,
        "telephone number hidden": PHONE not in model.seen,
        "system prompt covered": BOSS not in first.split("'type': 'human'")[0],
        "tool definitions covered": BOSS not in first.split('"tools"')[-1],
        "tool results covered": MAIL not in _last(model._seen[1]),
        "tool gets the real value": got == [MAIL],
        "answer restored for the caller": MAIL in out["messages"][-1].content,
        "nothing in clear in checkpoints": MAIL not in stored and NAME not in stored,
        "nothing in clear in callbacks and traces": MAIL not in spy.seen and NAME not in spy.seen,
        "same value, same placeholder, told apart from others": "<email-1>" in model.seen and "<email-2>" in model.seen,
    }


def _last(seen: str) -> str:
    return seen.split("'content': ")[-1]


SYSTEM = f"You work for {BOSS}."


def langchain_default(model: Any, tools: Any, saver: Any) -> Any:
    return create_agent(model, tools, system_prompt=SYSTEM, checkpointer=saver, middleware=[PIIMiddleware("email")])


def langchain_full(model: Any, tools: Any, saver: Any) -> Any:
    every = [
        PIIMiddleware(kind, apply_to_output=True, apply_to_tool_results=True)
        for kind in ("email", "credit_card", "ip", "mac_address", "url")
    ]
    return create_agent(model, tools, system_prompt=SYSTEM, checkpointer=saver, middleware=every)


def ours(model: Any, tools: Any, saver: Any) -> Any:
    privacy = PrivacyMiddleware(tools={"send": "real"})
    return privacy.create_agent(model, tools, system_prompt=SYSTEM, checkpointer=saver)


@pytest.fixture(scope="module")
def measured():
    return {
        "default": measure(langchain_default, "[REDACTED_EMAIL]"),
        "full": measure(langchain_full, "[REDACTED_EMAIL]"),
        "ours": measure(ours, "<email-1>"),
    }


def test_ours_does_all_of_it(measured):
    assert all(measured["ours"].values()), measured["ours"]


def test_the_table_of_the_page_is_what_was_measured(measured):
    rows = re.findall(
        r"^\| ([^|]+) \| (yes|no) \| (yes|no) \| (yes|no) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    words = {True: "yes", False: "no"}
    expected = [
        (fact, words[measured["default"][fact]], words[measured["full"][fact]], words[measured["ours"][fact]])
        for fact in measured["ours"]
    ]
    assert rows == expected, "\n".join(f"| {' | '.join(row)} |" for row in expected)
