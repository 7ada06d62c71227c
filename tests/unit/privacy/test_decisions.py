"""A person's decisions: they govern what leaves, in the anonymizer, the graph, the guard and the airlock."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gama.graph.client import Gama
from gama.guard.search import Guard
from gama.privacy.anonymizer import Anonymizer
from gama.privacy.decide import cut
from gama.state.decisions import read_decisions
from gama.state.entities import Entity
from gama.state.errors import InputError, LeakError, ReviewOutdated
from gama.state.options import Options

NAME = "Thessaly Quornbeck"
TEXT = f"😀 {NAME} met Ambrose Tilling in Marrowgate. Thessaly saw {NAME} twice. When did they meet?"

pytestmark = pytest.mark.usefixtures("few_names")


def on(words, private, text=TEXT, **more):
    start = text.index(words)
    return {"start": start, "end": start + len(words), "private": private, **more}


def anonymized(*decisions, text=TEXT, options=None, box=None):
    return Anonymizer(options or Options()).anonymize(text, box=box, decisions=decisions)


def test_what_is_kept_leaves_whole_and_everywhere():
    view = anonymized(on(NAME, False))
    assert view.text == (
        f"😀 {NAME} met <name-1> in <location-1>. <first_name-2> saw {NAME} twice. When did they meet?"
    )
    assert [(e.private, "user" in e.views) for e in view.entities if e.text == NAME] == [(False, True)] * 2
    assert view.warnings == ["Left in clear because you said so: 2 full name."]
    assert Anonymizer().restore(view.text, view.box).text == TEXT


def test_what_is_hidden_is_hidden_everywhere_and_comes_back():
    view = anonymized(on("met", True), on("twice", True, subtype="duration", subject="C"))
    assert " met " not in view.text and "twice" not in view.text and "<duration-1>" in view.text
    assert Anonymizer().restore(view.text, view.box).text == TEXT
    hidden = {e.text: e for e in view.entities if "user" in e.views}
    assert hidden["met"].subtype == "other_id" and hidden["twice"].subject == "C"
    twice = "Falcon, Falcon and falcons"
    view = anonymized(on("Falcon", True, twice), text=twice)
    assert view.text == "<id_number-1>, <id_number-1> and falcons", "a part of another word is not the value"
    assert [(e.start, e.views) for e in view.entities] == [(0, ("user",)), (8, ("user",))]


def test_a_type_and_an_owner_are_changed():
    view = anonymized(on("Ambrose Tilling", True, subtype="company", subject="-"))
    (entity,) = [e for e in view.entities if e.text == "Ambrose Tilling"]
    assert (entity.type, entity.subtype, entity.subject, entity.views) == (
        "ORG",
        "company",
        None,
        ("pner", "pia", "user"),
    )
    assert "<organization-1>" in view.text


def test_what_is_left_of_a_private_mention_stays_private():
    view = anonymized(on("Thessaly", False))
    assert view.text.startswith("😀 Thessaly <") and "Quornbeck" not in view.text
    view = anonymized(on("Quornbeck met", True))
    assert "Quornbeck" not in view.text and "Thessaly" not in view.text


def test_a_kept_text_of_an_earlier_turn_leaves_now_and_not_later():
    first = anonymized()
    assert NAME not in first.text
    second = anonymized(on(NAME, False), box=first.box)
    assert NAME in second.text and "<first_name-1>" in second.text, "the placeholders of the conversation go on"
    third = anonymized(box=second.box)
    assert third.text == first.text


def test_one_value_both_hidden_and_kept_is_hidden():
    text = f"{NAME} and {NAME.upper()}"
    view = anonymized(on(NAME, True, text), on(NAME.upper(), False, text), text=text)
    assert "QUORNBECK" not in view.text and "Quornbeck" not in view.text


def test_what_the_operator_always_hides_stays_hidden_and_that_is_told():
    options = Options(deny=("Marrowgate",))
    view = anonymized(on("Marrowgate", False), options=options)
    assert "Marrowgate" not in view.text
    assert view.warnings[-1].startswith("1 text that you wanted to keep did not leave whole")
    assert "Marrowgate" not in " ".join(view.warnings)


@pytest.mark.parametrize(
    ("decisions", "told"),
    [
        ([{"start": 0, "end": 500, "private": True}], "outside"),
        ([{"start": 5, "end": 5, "private": True}], "outside"),
        ([{"start": 1, "end": 2, "private": True}], "nothing but space"),
        ([{"start": 0, "end": 5, "private": True}, {"start": 3, "end": 9, "private": False}], "overlap"),
        ([{"start": 0, "end": 5}], "not as it should be"),
        ([{"start": 0, "end": 5, "private": True, "subtype": "planet"}], "not as it should be"),
        ([{"start": 0, "end": 5, "private": True, "note": "x"}], "not as it should be"),
        (["x"], "not as it should be"),
        ([{"start": at, "end": at + 1, "private": True} for at in range(5_001)], "more than 5,000"),
    ],
)
def test_decisions_that_cannot_be_used_are_refused(decisions, told):
    text = TEXT if len(decisions) < 5_000 else "x" * 6_000
    with pytest.raises(InputError, match=told) as error:
        read_decisions(decisions, text)
    assert NAME not in str(error.value)


def test_the_graph_lets_leave_what_was_kept_and_nothing_else(loopback, home, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    loopback.reply = lambda request: "True, says <name-1>."
    options = Options(public_model="openai:loop-1", public_base_url=loopback.url, k=2)
    decisions = [on(NAME, False), on("twice", True, subtype="duration")]
    look = anonymized(*decisions)
    with_look = {"question": TEXT, "decisions": decisions, "reviewed": look.text}
    reply = Gama(options, home=home).invoke(with_look)
    assert reply["anonymized"] == look.text and NAME in look.text
    assert NAME.encode() in loopback.received and "Left in clear because you said so: 2 full name." in reply["warnings"]
    for secret in ("Ambrose Tilling", "Marrowgate", "twice"):
        assert secret.encode() not in loopback.received, secret
    (place,) = reply["restored"]
    assert reply["answer"][place["start"] : place["end"]] == "Ambrose Tilling" and place["placeholder"] == "<name-1>"


def test_a_text_that_nobody_has_looked_at_does_not_leave(loopback, home, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    options = Options(public_model="openai:loop-1", public_base_url=loopback.url)
    with pytest.raises(ReviewOutdated, match="Look at it again"):
        Gama(options, home=home).invoke({"question": TEXT, "reviewed": anonymized(on(NAME, False)).text})
    with pytest.raises(InputError, match="decisions"):
        Gama(options, home=home).invoke({"question": TEXT, "decisions": [on("twice", True) | {"end": 10_000}]})
    assert loopback.received == b""


def test_a_resumed_run_still_knows_the_decisions(loopback, home, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    options = Options(public_model="openai:loop-1", public_base_url=loopback.url, k=1, disprove="off")
    gama = Gama(options, home=home)
    graph = gama.graph
    config = {"configurable": {"thread_id": "t"}}
    task = {"question": TEXT, "decisions": [on(NAME, False), on("twice", True)]}
    graph.invoke(task, config, interrupt_before=["fuse_views"], durability="sync")
    assert graph.get_state(config).next == ("fuse_views",)
    reply = graph.invoke(None, config)["reply"]
    assert NAME in reply["anonymized"] and "twice" not in reply["anonymized"]
    # The next turn of the thread begins without them.
    assert NAME not in graph.invoke({"question": TEXT}, config)["reply"]["anonymized"]
    gama.close()


def test_the_guard_excuses_a_value_inside_a_kept_text_and_nowhere_else():
    guard = Guard(["Springfield", "Thessaly"], kept=['Springfield "General" Hospital'])
    guard.check_text('I work at Springfield "General" Hospital.', "The task")
    guard.check('{"text": "I work at Springfield \\"General\\" Hospital."}')
    for text in ('I live in Springfield, near Springfield "General" Hospital.', "xSpringfield", "Thessaly"):
        with pytest.raises(LeakError):
            guard.check_text(f'Springfield "General" Hospital, {text.replace("xS", "S")}', "The task")
    with pytest.raises(LeakError):
        guard.check('{"text": "springfield"}')


def test_the_second_look_masks_what_it_finds_beside_a_kept_text():
    entity = Entity(text="in Marrowgate Lane 5", start=10, end=30, type="LOC", subtype="street_address")
    assert [(p.text, p.start, p.end) for p in cut(entity, [(13, 23)])] == [("in", 10, 12), ("Lane 5", 24, 30)]
    assert list(cut(entity, [(0, 100)])) == []
    assert [p.text for p in cut(entity, [])] == [entity.text]


WORDS = st.sampled_from([NAME, "Thessaly", "Ambrose Tilling", "Marrowgate", "met", "😀", "saw", "twice"])


@given(st.lists(WORDS, min_size=1, max_size=8), st.data())
def test_any_decisions_restore_and_hide_what_is_hidden(words, data):
    text = " ".join(words) + "."
    decisions, at = [], 0
    for word in words:
        if data.draw(st.booleans()):
            decisions.append({"start": at, "end": at + len(word), "private": data.draw(st.booleans())})
        at += len(word) + 1
    view = Anonymizer().anonymize(text, decisions=decisions)
    assert Anonymizer().restore(view.text, view.box).text == text
    hidden = {text[d["start"] : d["end"]] for d in decisions if d["private"]}
    kept = [text[d["start"] : d["end"]] for d in decisions if not d["private"]]
    for word in hidden - {"😀"}:
        if not any(word in other for other in kept):
            assert word not in view.text.replace("<", " <").split(), (word, view.text)
