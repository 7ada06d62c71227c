"""Texts in scripts that the detector has not learnt never leave in silence."""

import pytest

from gama import Anonymizer, Options, PrivacyMiddleware, build_graph
from gama.models import accurate
from gama.state.errors import InputError, OptionError
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


SMALL = Options(detector="embedded")


@pytest.mark.parametrize(("script", "text"), UNREAD.items(), ids=UNREAD)
def test_a_script_is_known_and_told(script, text):
    assert script in [told.split()[0] for told in unlearnt(text)]
    view = Anonymizer(SMALL).anonymize(f"My name is Ada Obi. {text}")
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
    refusing = Anonymizer(Options(unknown_scripts="refuse", detector="embedded"))
    with pytest.raises(InputError, match="Han") as caught:
        refusing.anonymize(text)
    assert "王" not in str(caught.value)
    assert Anonymizer(Options(unknown_scripts="allow", detector="embedded")).anonymize(text).warnings == []
    agent = PrivacyMiddleware(SMALL).create_agent(ScriptedChat(steps=["Hello"]), [])
    with pytest.raises(InputError, match="Han"):
        agent.invoke({"messages": [("user", text)]})


def test_the_graph_tells_it():
    reply = build_graph(SMALL).invoke({"question": f"How long is the notice? {UNREAD['Arabic']}"})["reply"]
    assert [note for note in reply["warnings"] if "Arabic" in note]


@pytest.mark.parametrize(
    "text",
    [
        "请用中文写，语气礼貌一点。",
        "把下面这段话翻译成英文：今天天气很好。",
        "日本語で答えてください。",
        "次の文章を英語に翻訳してください。",
        "한국어로 써 주세요.",
        "اكتب الجواب باللغة العربية من فضلك.",
        "ענה לי בעברית בבקשה.",
        "कृपया हिंदी में उत्तर दें।",
        "Ответь на русском языке, пожалуйста.",
        "Hãy trả lời bằng tiếng Việt.",
        "ตอบเป็นภาษาไทย",
    ],
)
@pytest.mark.parametrize("detector", ["embedded", "auto"])
def test_which_language_is_wanted_is_not_hidden(text, detector):
    assert Anonymizer(Options(unknown_scripts="allow", detector=detector)).anonymize(text).text == text


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("我叫王小明，电话 138 5550 1847。", ["王小明", "138 5550 1847"]),
        ("اسمي ليلى حداد ورقم هويتي ٢٠١٨٨٤٣٣١٧.", ["ليلى حداد", "٢٠١٨٨٤٣٣١٧"]),
        ("제 이름은 김민준이고 전화는 010-5555-1847입니다.", ["김민준", "010-5555-1847"]),
        ("ผมชื่อวิชัย มั่นคง โทร 081-555-1847", ["วิชัย มั่นคง", "081-555-1847"]),
    ],
)
@pytest.mark.parametrize("detector", ["embedded", "auto"])
def test_what_is_found_leaves_as_placeholders_and_comes_back(text, values, detector):
    anonymizer = Anonymizer(Options(detector=detector))
    view = anonymizer.anonymize(text)
    assert not any(value in view.text for value in values)
    assert anonymizer.restore(view.text, view.box).text == text


@pytest.mark.parametrize(
    "text",
    [
        "דור, תגידי לנועה שאני אאחר. אבנר",
        "小芳说她明天去接浩然",
        "ฝนกับบอลไปหาหมอเมื่อวาน",
        "지훈이가 서연이한테 전화했대",
        "মিঠু আর টুকি কাল আসবে না",
    ],
)
def test_the_larger_detector_reads_them_and_says_nothing(text):
    anonymizer = Anonymizer(Options(unknown_scripts="refuse"))
    view = anonymizer.anonymize(text)
    assert not [note for note in view.warnings if "script" in note]
    assert any(entity.type == "PER" for entity in view.entities)
    assert anonymizer.restore(view.text, view.box).text == text


def test_a_text_in_a_known_language_is_the_small_ones(monkeypatch):
    def loaded():
        raise AssertionError("the larger one is loaded")

    monkeypatch.setattr("gama.models.accurate.accurate_tagger", loaded)
    view = Anonymizer().anonymize("Sehr geehrter Herr Łuczak, Grüße von Zoë Obi")
    assert "Obi" not in view.text


def test_where_it_is_not_installed(monkeypatch):
    monkeypatch.setattr("gama.models.accurate.accurate_folder", lambda: None)
    accurate._loaded.cache_clear()
    accurate.accurate_scripts.cache_clear()
    try:
        with pytest.raises(OptionError, match="gama-privacy-accurate"):
            Anonymizer(Options(detector="accurate")).anonymize("Ada Obi")
        (note,) = [note for note in Anonymizer().anonymize(UNREAD["Hebrew"]).warnings if "script" in note]
        assert "Hebrew" in note
        assert "gama-privacy-accurate" in note
    finally:
        accurate._loaded.cache_clear()
        accurate.accurate_scripts.cache_clear()
