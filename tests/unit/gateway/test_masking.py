"""Masking of bodies: what is read, what is left alone, what is stopped; the same messages give the same."""

import copy
import json

import pytest

from gama.privacy import replace
from gama.privacy.decide import refusing
from gama.privacy.pipeline import Pipeline, Read
from gama.serve.gateway.errors import MediaRefused
from gama.serve.gateway.kept import MadeStrings
from gama.serve.gateway.masking import Masker
from gama.serve.gateway.memory import SpanMemory
from gama.serve.gateway.restoring import Restorer
from gama.state.errors import InputError, LeakError
from gama.state.options import Options
from gama.vault.seal import Vault
from tests.support import serving

NAME = "Thessaly Quornbeck"
IBAN = "GB29 NWBK 6016 1331 9268 19"


@pytest.fixture
def masker(few_names):
    return Masker(Pipeline())


def user(text):
    return {"messages": [{"role": "user", "content": text}]}


def test_known_and_read_anew_give_the_same(masker):
    turns = [NAME, "THESSALY QUORNBECK", "Ambrose Tilling", "thessaly  quornbeck"]
    body = {"messages": [{"role": "user", "content": f"It is {turn}."} for turn in turns]}
    text = json.dumps(body)
    first = masker.mask(json.loads(text), "a")
    again = masker.mask(json.loads(text), "a")
    assert first.body == again.body and first.read == 4 and again.read == 0 and again.remembered == 4
    assert [m["content"] for m in first.body["messages"]] == [
        "It is <name-1>.",
        "It is <name-1b>.",
        "It is <name-2>.",
        "It is <name-1c>.",
    ]
    assert masker.mask(json.loads(text), "b").read == 4, "callers share nothing"


def test_the_beginning_of_a_conversation_keeps_its_placeholders(masker):
    one = masker.mask(user(f"I am {NAME}."), "a")
    longer = masker.mask(
        {"messages": [*user(f"I am {NAME}.")["messages"], {"role": "user", "content": "Ambrose Tilling"}]}, "a"
    )
    assert longer.body["messages"][0] == one.body["messages"][0]


def test_a_value_found_late_is_hidden_early_as_well(masker):
    body = {
        "messages": [
            {"role": "user", "content": "Ask t-h-e-s-s-a-l-y quornbeck"},
            {"role": "user", "content": f"I am {NAME}."},
        ]
    }
    made = masker.mask(body, "a").body["messages"]
    assert "quornbeck" not in made[0]["content"]


def test_json_is_read_as_lines_and_stays_json(masker):
    text = json.dumps({"client": {"name": NAME, "home": "7 Gallows Hill\nMarrowgate"}, "n": 12, NAME: True})
    masked = masker.mask(user(text), "a")
    made = json.loads(masked.body["messages"][0]["content"])
    assert made["client"]["name"] == "<name-1>" and made["n"] == 12 and "<name-1>" in made
    assert "Gallows" not in str(made)
    assert json.loads(Restorer(masked).text(json.dumps(made), as_json=True)) == json.loads(text)


def test_numbers_in_data_and_in_settings(masker):
    body = {
        "messages": [
            {"role": "user", "content": "Call +44 7700 900461 or 447700900461."},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "dial", "input": {"number": 447700900461, "n": 3}}]},
        ],
        "seed": 7,
        "extra": {"num_ctx": 8192},
    }  # fmt: skip
    made = masker.mask(body, "a").body
    assert made["messages"][1]["content"][0]["input"]["number"].startswith("<phone-")
    assert made["messages"][1]["content"][0]["input"]["n"] == 3 and made["extra"] == {"num_ctx": 8192}


def test_what_is_the_protocols_is_left_alone(masker):
    body = {
        "model": "gpt-x",
        "messages": [{"role": "user", "content": "Hello there", "id": "msg_1"}],
        "tool_choice": {"type": "function", "function": {"name": "get_weather"}},
        "reasoning": {"effort": "high", "summary": "auto"},
        "response_format": {"type": "json_schema", "json_schema": {"name": "x", "strict": True, "schema": {"type": "object", "properties": {"a": {"type": "string", "pattern": "^a$"}}, "required": ["a"], "additionalProperties": False}}},
        "stream_options": {"include_usage": True},
        "logit_bias": {"50256": -100},
        "include": ["reasoning.encrypted_content"],
        "stop": None,
    }  # fmt: skip
    text = json.dumps(body)
    assert masker.mask(body, "a").body == json.loads(text)


@pytest.mark.parametrize("kind", ["image_url", "input_audio", "file", "input_image", "image"])
def test_media(masker, kind):
    body = {"messages": [{"role": "user", "content": [{"type": kind, kind: {"url": "x"}}]}]}
    with pytest.raises(MediaRefused, match=kind):
        masker.mask(body, "a")


def test_media_passes_where_it_may(few_names):
    masker = Masker(Pipeline(), media="pass")
    picture = "data:image/png;base64," + "QUJD" * 40
    masked = masker.mask(
        {"input": [{"role": "user", "content": [{"type": "input_image", "image_url": picture, "detail": "low"}]}]}, "a"
    )
    assert masked.opaque == (picture,) and picture in json.dumps(masked.body)


def test_secret_settings_of_a_remote_tool_pass(masker):
    tool = {
        "type": "mcp",
        "server_label": "x",
        "server_url": "https://x.example/sse",
        "authorization": "sk-proj-" + "a1B2" * 12,
        "server_description": f"Of {NAME}",
    }
    made = masker.mask({"tools": [dict(tool)]}, "a").body["tools"][0]
    assert made == tool | {"server_description": "Of <name-1>"}


def test_deny_holds_in_every_part(few_names):
    masker = Masker(Pipeline(Options(deny=("Falcon",))))
    body = {"instructions": "Project FALCON", "tools": [{"type": "function", "name": "falcon_status", "parameters": {"properties": {"falcon": {"type": "string"}}}}], "user": "falcon"}  # fmt: skip
    masked = masker.mask(body, "a")
    assert "falcon" not in json.dumps(masked.body).casefold() and len(masked.names) == 2


def test_nested_too_deeply(masker):
    from gama.serve.http.errors import told

    body: dict = {}
    inner = body
    for _ in range(5000):
        inner["content"] = {}
        inner = inner["content"]
    with pytest.raises(RecursionError) as caught:
        masker.mask({"messages": [body]}, "a")
    assert told(caught.value).status == 400


def test_odd_characters(masker):
    text = f"\ud800 {NAME} \u2028 \U0001f600"
    masked = masker.mask(user(text), "a")
    assert Restorer(masked).text(masked.body["messages"][0]["content"]) == text


def test_the_memory_is_bounded_and_keeps_no_text():
    memory = SpanMemory(most_texts=3, most_spans=5)
    find = serving.few_names(Options())
    from gama.privacy.fuse import fuse, to_entities

    for n in range(10):
        text = f"{NAME} {n} {NAME}"
        spans = find(text)
        memory.put("a", text, Read(to_entities(text, fuse(spans, spans, text, lambda found: found), Options()), []))
    assert len(memory) == 2 and memory.get("a", f"{NAME} 9 {NAME}").found[0].text == NAME
    assert memory.get("a", f"{NAME} 0 {NAME}") is None and memory.get("b", f"{NAME} 9 {NAME}") is None
    assert NAME not in repr(memory.__dict__)


def test_thinking_is_bounded(monkeypatch):
    monkeypatch.setattr("gama.serve.gateway.kept.MOST_AT_HAND", 2)
    vault = Vault.ephemeral()
    kept = MadeStrings(vault)
    for n in range(3):
        kept.put("a", f"s{n}", f"t{n}")
    assert len(kept._at_hand) == 2 and kept.get("b", "s2") is None
    # What is no longer at hand is in the vault, for other processes as well.
    assert [MadeStrings(vault).get("a", f"s{n}") for n in range(4)] == ["t0", "t1", "t2", None]
    assert kept.get("a", "s0") == "t0" and len(kept._at_hand) == 2


def test_references_follow_the_keys_they_name(masker):
    schema = {
        "$defs": {"thessaly_quornbeck": {"type": "string"}},
        "properties": {"a": {"$ref": "#/$defs/thessaly_quornbeck"}},
    }
    body = {"tools": [{"name": "f", "input_schema": schema}], **user(f"I am {NAME}.")}
    made = masker.mask(body, "a").body["tools"][0]["input_schema"]
    (name,) = made["$defs"]
    assert "thessaly" not in name and made["properties"]["a"]["$ref"] == f"#/$defs/{name}"


def test_a_private_number_in_an_unknown_setting_stops_the_request(masker):
    masked = masker.mask({**user("Hello there"), "callback": 447700900461}, "a")
    if masked.box.entries:
        with pytest.raises(LeakError):
            masked.guard.check(json.dumps(masked.body))
    assert masked.body["callback"] == 447700900461
    denied = Masker(Pipeline(Options(deny=("518532741",))))
    masked = denied.mask({**user("Hello there"), "ssn": 518532741, "seed": 518532741}, "a")
    with pytest.raises(LeakError):
        masked.guard.check(json.dumps(masked.body))


def test_a_signed_thought_goes_back_to_the_letter(few_names):
    thinking = MadeStrings(Vault.ephemeral())
    masker = Masker(Pipeline(), made=thinking.get)
    thinking.put("a", "s" * 70, "So <name-1> asks")
    block = {"type": "thinking", "thinking": f"So {NAME} asks", "signature": "s" * 70, "note": f"of {NAME}"}
    masked = masker.mask({"messages": [{"role": "assistant", "content": [block]}]}, "a")
    made = masked.body["messages"][0]["content"][0]
    assert (
        made["thinking"] == "So <name-1> asks" and made["note"] == "of <name-1>" and "So <name-1> asks" in masked.quoted
    )


def test_a_long_conversation_is_masked_the_same_with_and_without_short_cuts(masker, monkeypatch):
    """What need not be mapped again is not; the outcome is that of mapping everything each time."""
    from tests.support import letters

    texts = [letter.text for letter in letters.hundred()[:24]]
    # Forms that no detector finds by itself: they come into the box late, and one of them stands in an earlier text.
    texts += [f"It is {NAME}.", "Nothing to see.", "It is thessaly  quornbeck.", "Dr. thessaly  quornbeck", "QUORNBECK"]
    texts += ["It is Ambrose Tilling.", "ambrose\u00a0tilling and <name-1>", "Nothing here."]

    def masked():
        return masker.mask({"messages": [{"role": "user", "content": text} for text in texts]}, "a")

    first, again = masked(), masked()
    met = []
    with monkeypatch.context() as patched:
        usual = replace._New.meets
        patched.setattr(replace._New, "meets", lambda self, unit: met.append(usual(self, unit)) or met[-1])
        masked()
    assert False in met, "nothing was spared"
    with monkeypatch.context() as patched:
        patched.setattr(replace._New, "meets", lambda self, unit: True)
        whole = masked()
    assert first.body == again.body == whole.body and again.read == 0
    assert first.box == again.box == whole.box


def test_a_script_that_nobody_reads_is_refused():
    body = {"messages": [{"role": "user", "content": "Ada Obi lives here: 我叫王小明,住在杭州。"}]}
    engine = Pipeline(Options(detector="embedded"))
    with pytest.raises(InputError, match="Han") as caught:
        Masker(engine.under(refusing(engine.options))).mask(body, "a")
    assert "王" not in str(caught.value)


SYSTEM = f"You answer for Ambrose Tilling, {IBAN}, about Falcon, and serve {NAME}."


@pytest.mark.parametrize("whose", ["operator", "private"])
@pytest.mark.parametrize(
    "body",
    [
        {"messages": [{"role": "system", "content": SYSTEM}, *user(f"I am {NAME}.")["messages"]]},
        {"messages": [{"role": "developer", "content": [{"type": "text", "text": SYSTEM}]}, *user(NAME)["messages"]]},
        {"instructions": SYSTEM, "input": f"I am {NAME}."},
        {"input": [{"role": "system", "content": SYSTEM}, {"role": "user", "content": f"I am {NAME}."}]},
        {"system": SYSTEM, "messages": user(f"I am {NAME}.")["messages"]},
        {"system": [{"type": "text", "text": SYSTEM}], "messages": user(f"I am {NAME}.")["messages"]},
    ],
)
def test_a_system_prompt_is_the_operators_unless_told_otherwise(few_names, body, whose):
    masker = Masker(Pipeline(Options(system=whose, deny=("Falcon",))))
    sent = json.dumps(masker.mask(copy.deepcopy(body), "a").body)
    assert ("Ambrose Tilling" in sent) == (whose == "operator")
    assert not any(one in sent for one in (IBAN, "Falcon", NAME, "Quornbeck"))


def test_what_is_the_operators_in_a_prompt_is_the_users_in_a_message(few_names):
    masker = Masker(Pipeline())
    body = {"system": "Ask Ambrose Tilling.", "messages": user("Ask Ambrose Tilling.")["messages"]}
    made = masker.mask(copy.deepcopy(body), "a").body
    assert made["system"] == made["messages"][0]["content"] == "Ask <name-1>.", "a value of the box is hidden in both"
    alone = masker.mask({"system": "Ask Ambrose Tilling.", **user("Hello")}, "a").body
    assert alone["system"] == "Ask Ambrose Tilling."


def test_names_without_a_letter_are_names(masker):
    body = {**user("Hello"), "///": {"": 1, "_": {"-": "x"}}, "user": "___", "tools": [{"name": "--", "parameters": {"properties": {"": {}, "$": {}}, "pattern": "^$"}}]}  # fmt: skip
    text = json.dumps(body)
    assert masker.mask(body, "a").body == json.loads(text)
