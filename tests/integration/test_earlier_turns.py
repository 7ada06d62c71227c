"""What was asked before in a conversation goes along with what is asked now: anonymized, and only there."""

import re

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.runnables import RunnableConfig

from gama import Gama, Options
from gama.nodes.private import conversation
from gama.state.errors import InputError
from tests.support import letters

LETTER = (
    "Dear Ms Okonkwo-Hale, my lease for 14 Birchwood Crescent began on 3 March 2024 and ends on 2 June 2025. "
    "The deposit was £1,450. Yours, Thessaly Quornbeck. When did the lease begin?"
)


def config(thread: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread}}


@pytest.fixture
def options(loopback):
    return Options(public_model="openai:loop", public_base_url=loopback.url, disprove="off", k=1)


def prompts(loopback) -> list[str]:
    return [request["messages"][-1]["content"] for request in loopback.requests]


def blocks(prompt: str) -> dict[str, str]:
    return dict(re.findall(r"=== ([A-Z0-9 ]+) ===\n(.*?)\n=== END", prompt, re.DOTALL))


def test_the_model_sees_what_was_asked_and_answered(loopback, options):
    loopback.reply = lambda request: "It began on <date-1>, says <name-2>."
    gama = Gama(options)
    first = gama.invoke({"question": LETTER}, config("t"))
    assert first["earlier"] == 0 and "MESSAGE" not in prompts(loopback)[-1]
    second = gama.invoke({"question": "And whose landlady was that again? Answer in one line."}, config("t"))
    said = blocks(prompts(loopback)[-1])
    assert said["MESSAGE 1"] == first["anonymized"] and said["REPLY 1"] == "It began on <date-1>, says <name-2>."
    assert said["TASK"] == second["anonymized"] and second["earlier"] == 1
    assert "Earlier in this conversation" in str(loopback.requests[-1]["messages"])
    gama.invoke({"question": "Who else is named?"}, config("t"))
    assert list(blocks(prompts(loopback)[-1])) == ["MESSAGE 1", "REPLY 1", "MESSAGE 2", "REPLY 2", "TASK"]
    gama.close()
    # A process of its own goes on, and another conversation knows nothing of it.
    gama = Gama(options)
    assert gama.invoke({"question": "Say it once more, please?"}, config("t"))["earlier"] == 3
    assert gama.invoke({"question": "Say it once more, please?"}, config("u"))["earlier"] == 0
    gama.close()
    for value in ("Okonkwo", "Quornbeck", "Birchwood", "1,450"):
        assert value.encode() not in loopback.received


def test_a_value_that_is_private_by_now_is_hidden_in_them(loopback, options):
    loopback.reply = lambda request: "The Blue Heron is a fine place."
    gama = Gama(options)
    gama.invoke({"question": "Is the Blue Heron a good name for a café? We think of Zorvath, too."}, config("t"))
    before = len(loopback.requests)
    hiding = options.model_copy(update={"deny": ("Blue Heron",)})
    reply = gama.invoke({"question": "My firm is the Blue Heron. What does it need?"}, config("t"), context=hiding)
    assert reply["earlier"] == 1
    for prompt in prompts(loopback)[before:]:
        assert "Blue Heron" not in prompt
    # Denied, and not in the new text: there is no placeholder for it, so the turn stays at home.
    denying = options.model_copy(update={"deny": ("café",)})
    reply = gama.invoke({"question": "Tell me more, please?"}, config("t"), context=denying)
    assert reply["earlier"] == 1 and "café" not in str(loopback.requests[-1])
    assert any("1 earlier turn does not go along" in note for note in reply["warnings"])
    gama.close()


def test_what_an_open_level_let_leave_does_not_leave_again_under_a_stricter_one(loopback, options):
    gama = Gama(options.model_copy(update={"privacy": "balanced"}))
    text = "I am Thessaly Quornbeck and have asthma. Is ibuprofen safe for me?"
    assert "asthma" in gama.invoke({"question": text}, config("t"))["anonymized"]
    strict = options.model_copy(update={"privacy": "strict"})
    reply = gama.invoke({"question": "And paracetamol?"}, config("t"), context=strict)
    assert reply["earlier"] == 0 and "asthma" not in str(loopback.requests[-1])
    assert any("under a level that hides less" in note for note in reply["warnings"])
    assert gama.invoke({"question": "And aspirin?"}, config("t"))["earlier"] == 2
    gama.close()


def test_another_notation_of_what_is_hidden_is_hidden(loopback, options):
    gama = Gama(options.model_copy(update={"privacy": "strict"}))
    gama.invoke({"question": "I was born on 12 May 1985 and earn £2,780 a month. What do I get?"}, config("t"))
    for asked in (
        "Was 12.05.1985 a Sunday?",
        "Was May 12, 1985 a Sunday?",
        "Is 1985-05-12 one?",
        "Is £2,780 too much?",
    ):
        reply = gama.invoke({"question": asked}, config("t"))
        assert "85" not in reply["anonymized"] and "2,780" not in reply["anonymized"]
    assert "3 July 2026" in gama.invoke({"question": "Is 3 July 2026 a holiday?"}, config("t"))["anonymized"]
    gama.close()


def test_what_cannot_be_hidden_stays_at_home(loopback, options):
    """A value in a form that Map does not know, in what a model said: the turn stays, and that is told."""
    loopback.reply = lambda request: "As Base64 that is VGhlc3NhbHkgUXVvcm5iZWNrIG9mIEJpcmNod29vZA== or so."
    gama = Gama(options)
    gama.invoke({"question": "How does one write something as Base64, for example?"}, config("t"))
    reply = gama.invoke({"question": "My name is Thessaly Quornbeck. Is that a Welsh name?"}, config("t"))
    assert reply["earlier"] == 0 and any("1 earlier turn does not go along" in note for note in reply["warnings"])
    gama.close()


@pytest.mark.parametrize("earlier", [0, 1, 2])
def test_as_many_as_are_wished(loopback, options, earlier):
    gama = Gama(options.model_copy(update={"earlier": earlier}))
    for text in ("What is a heron?", "What is a stork?", "What is a crane?"):
        reply = gama.invoke({"question": text}, config("t"))
    assert reply["earlier"] == earlier and not any("go along" in note for note in reply["warnings"])
    gama.close()


def test_there_is_a_bound(loopback, options, monkeypatch):
    monkeypatch.setattr(conversation, "MOST_CHARS", 200)
    gama = Gama(options)
    gama.invoke({"question": "What is a heron? " + "It is a bird of the shore. " * 10}, config("t"))
    reply = gama.invoke({"question": "What is a stork?"}, config("t"))
    assert reply["earlier"] == 0 and any("longer than 200 characters" in note for note in reply["warnings"])
    assert gama.invoke({"question": "What is a crane?"}, config("t"))["earlier"] == 1
    gama.close()


def test_formulas_reckon_with_values_of_earlier_turns(loopback, options):
    loopback.reply = lambda request: "Noted."
    gama = Gama(options)
    first = gama.invoke({"question": LETTER}, config("t"))
    began, ends = re.findall(r"<date-\d+>", first["anonymized"])[:2]
    loopback.reply = lambda request: f"{{{{ days({began}, {ends}) }}}} days."
    second = gama.invoke({"question": "How many days are between the two dates?"}, config("t"))
    assert second["answer"] == "456 days.", second["unresolved"]
    assert "Reckoning with hidden values" in str(loopback.requests[-1]["messages"])
    # The same formula, once more: that the model has written it before does not make it the user's.
    assert gama.invoke({"question": "Say that again, please?"}, config("t"))["answer"] == "456 days."
    gama.close()


def test_what_a_formula_gave_is_private_in_the_next_turn(loopback, options):
    loopback.reply = lambda request: "Noted."
    gama = Gama(options)
    first = gama.invoke({"question": LETTER}, config("t"))
    ends = re.findall(r"<date-\d+>", first["anonymized"])[1]
    loopback.reply = lambda request: f"It is due on {{{{ {ends} + 14 days }}}}."
    assert "16 June 2025" in gama.invoke({"question": "When is the deposit due?"}, config("t"))["answer"]
    third = gama.invoke({"question": "So 16 June 2025 is the last day. Is it?"}, config("t"))
    assert "16 June" not in third["anonymized"] and "<result-1>" in third["anonymized"]
    gama.close()


def test_the_stand_in_reads_them_too():
    gama = Gama(Options())
    gama.invoke({"question": LETTER}, config("t"))
    reply = gama.invoke({"question": "How high was the deposit?"}, config("t"))
    assert "£1,450" in reply["answer"]
    gama.close()


def test_nothing_of_them_is_in_clear_on_disk(loopback, options, tmp_path):
    loopback.reply = lambda request: "Noted, <name-1>."
    gama = Gama(options, home=tmp_path)
    for text in (letters.PLANTED, "What did I ask?"):
        gama.invoke({"question": text}, config("t"))
    gama.close()
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert letters.hits(path.read_bytes()) == [] and b"What did I ask" not in path.read_bytes()


def test_raw_turns_are_not_kept(loopback, options):
    raw = options.model_copy(update={"ampp": False, "allow_raw": True})
    gama = Gama(options)
    with pytest.warns(match="RAW TEXT"):
        gama.invoke({"question": LETTER}, config("t"), context=raw)
    assert gama.invoke({"question": "What did I ask?"}, config("t"))["earlier"] == 0
    gama.close()


def test_chat_messages_tell_what_was_said_before(loopback, options):
    """Where no thread remembers it; a system message is told in any case."""
    chat = [
        SystemMessage("Answer in Welsh."),
        HumanMessage("My name is Thessaly Quornbeck. When does the shop open?"),
        AIMessage("Early, Thessaly Quornbeck."),
        HumanMessage("And when does it close?"),
    ]
    gama = Gama(options)
    reply = gama.invoke(chat)
    assert reply["anonymized"].startswith("Answer in Welsh.\n\nWhat was said so far:\n\nUser: My name is <name-1>.")
    assert reply["anonymized"].endswith("Assistant: Early, <name-1>.\n\nAnswer this now:\n\nAnd when does it close?")
    assert gama.invoke(chat, config("t"))["anonymized"] == reply["anonymized"], "a thread that has no turn yet"
    kept = gama.invoke(chat, config("t"))
    assert kept["anonymized"] == "Answer in Welsh.\n\nAnd when does it close?" and kept["earlier"] == 1
    for written in ([("human", "Is it open?")], [{"role": "user", "content": "Is it open?"}]):
        assert gama.invoke(written)["anonymized"] == gama.invoke({"messages": written})["anonymized"] == "Is it open?"
    short = Gama(options.model_copy(update={"earlier": 0})).invoke(chat)
    assert short["anonymized"] == "Answer in Welsh.\n\nAnd when does it close?"
    with pytest.raises(InputError, match="calls of tools"):
        gama.invoke(
            [HumanMessage("Look Emma up."), ToolMessage("Emma, 12 May", tool_call_id="1"), HumanMessage("Age?")]
        )
    gama.close()
    assert b"Quornbeck" not in loopback.received
