"""Texts in scripts that the detector has not learnt never leave in silence."""

import pytest

from gama import Anonymizer, Options, PrivacyMiddleware, build_graph
from gama.state.errors import InputError
from gama.tools.languages.parts import unlearnt
from tests.support.chat import ScriptedChat

UNREAD = {
    "Hebrew": "שלום, שמי יעל כהן ואני גרה בחיפה.",
    "Hangul": "제 이름은 김민준이고 서울에 살아요.",
    "Arabic": "اسمي ليلى حداد وأسكن في عمان.",
    "Bengali": "আমার নাম রহিম উদ্দিন।",
    "Devanagari": "मेरा नाम अनन्या शर्मा है।",
    "Han": "我叫王小明,住在杭州。",
    "Thai": "ฉันชื่อสมชาย ใจดี",
    "Hiragana": "わたしのなまえは",
    "Katakana": "タナカ",
    "Georgian": "მე მქვია ნინო",
}


@pytest.mark.parametrize(("script", "text"), UNREAD.items(), ids=UNREAD)
def test_a_script_is_known_and_told(script, text):
    assert script in [told.split()[0] for told in unlearnt(text)]
    view = Anonymizer().anonymize(f"My name is Ada Obi. {text}")
    (note,) = [note for note in view.warnings if "script" in note]
    assert script in note and not any(word in note for word in text.split())


@pytest.mark.parametrize(
    "text",
    [
        "My name is Zoë Łuczak",
        "Меня зовут Анна",
        "Με λένε Ελένη",
        "2 + 2 = 4 😀 → ✓",
        "∑ α β ≤ 中",
        "Straße №5 ﬁne",
        "",
        "Ⅷ ℃ ™",
    ],
)
def test_what_is_read_is_not_told(text):
    assert unlearnt(text) == []


def test_who_does_not_look_is_refused():
    text = UNREAD["Han"]
    refusing = Anonymizer(Options(unknown_scripts="refuse"))
    with pytest.raises(InputError, match="Han") as caught:
        refusing.anonymize(text)
    assert "王" not in str(caught.value)
    assert Anonymizer(Options(unknown_scripts="allow")).anonymize(text).warnings == []
    agent = PrivacyMiddleware().create_agent(ScriptedChat(steps=["Hello"]), [])
    with pytest.raises(InputError, match="Han"):
        agent.invoke({"messages": [("user", text)]})


def test_the_graph_tells_it():
    reply = build_graph().invoke({"question": f"How long is the notice? {UNREAD['Arabic']}"})["reply"]
    assert [note for note in reply["warnings"] if "Arabic" in note]
