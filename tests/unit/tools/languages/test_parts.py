"""Which script and language each part of a text is in."""

import pytest

from gama.tools.languages.names import bounds
from gama.tools.languages.parts import OTHER, parts, unlearnt
from gama.tools.recognizers.base import is_plain

MIXED = {
    "Dear Ana, это письмо от Павла. 谢谢": [("Latin", ""), ("Cyrillic", "ru"), ("Han", "zh")],
    "Її звати Соломія": [("Cyrillic", "uk")],
    "العقد رقم ٤٤٧ بتاريخ اليوم، والفاتورة مرفقة": [("Arabic", "ar")],
    "قرارداد را امروز می‌فرستم، گزارش پیوست است": [("Arabic", "fa")],
    "یہ خط آپ کے لیے ہے، ٹھیک ہے": [("Arabic", "ur")],
    "שלום OK": [("Hebrew", "he"), ("Latin", "")],
    "私はアニルです": [("Han", "ja"), ("Hiragana", "ja"), ("Katakana", "ja"), ("Hiragana", "ja")],
    "コーヒー": [("Katakana", "ja")],
    "제 이름은 李": [("Hangul", "ko"), ("Han", "zh")],
    "Xin chào, tôi muốn hỏi về hợp đồng thuê nhà của mình": [("Latin", "vi")],
    "Merhaba, bu akşam görüşmek için uygun musunuz, ağabeyim de gelecek mı": [("Latin", "tr")],
    "Dear Mr Özdoğan, thank you for the letter": [("Latin", "")],
    "12 + 3 = 15 😀": [],
    "": [],
    "ⵜⴰⵎⴰⵣⵉⵖⵜ": [(OTHER, "")],
}


@pytest.mark.parametrize("text", MIXED)
def test_parts_are_known(text):
    found = parts(text)
    assert [(part.script, part.language) for part in found] == MIXED[text]
    # They follow on each other to the end of the text.
    assert [part.start for part in found[1:]] == [part.end for part in found[:-1]]
    assert not found or found[-1].end == len(text)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("My name is Zoë Łuczak №5", True),
        ("Göran", True),
        ("Özdoğan", False),
        ("Việt", False),
        ("Анна", False),
        ("李", False),
    ],
)
def test_what_needs_no_further_look(text, plain):
    assert is_plain(text) is plain


def test_the_language_is_told_with_the_script():
    assert unlearnt("این نامه از طرف پریسا است، گزارش") == ["Arabic (Persian)"]
    assert unlearnt("שלום לכולם") == ["Hebrew"]
    assert unlearnt("我们明天见") == ["Han (Chinese)"]


def test_chinese_beside_japanese_is_told_apart():
    text = "钟丽华和丁磊已经签字。\n昨日、渡辺美咲が来た。\n住所：東京都港区芝公園"
    assert [part.language for part in parts(text) if part.script == "Han"] == ["zh", "ja", "ja"]
    assert bounds(text) == {"zh": (0, len(text)), "ja": (0, len(text))}


def test_time_grows_with_the_text_alone():
    # Ten times the text in ten times as many parts: none is looked at twice.
    text = "Привет 你好 hello ทดสอบ שלום "
    assert len(parts(text * 500)) == 5 * 500
