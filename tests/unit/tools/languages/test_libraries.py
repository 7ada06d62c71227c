"""Names by libraries made for a language; where one is not installed its reader finds nothing."""

import pytest

from gama.tools.languages import libraries
from gama.tools.languages.libraries import READERS, ChineseNames, JapaneseNames, RussianNames, ThaiNames

# Reader, text, the names in it.
WRITTEN = [
    (ChineseNames, "报销单由钟丽华审核，转给财务的丁磊。", ["钟丽华", "丁磊"]),
    (ChineseNames, "合同抄送尹伟，今天天气很好。", ["尹伟"]),
    (JapaneseNames, "結衣から聞いた？小鳥遊 颯太とトーマスが来るって。\n長友は欠席。", ["結衣", "小鳥遊 颯太", "トーマス", "長友"]),
    (JapaneseNames, "夏目漱石と森鴎外の違いを説明してください。", []),
    (JapaneseNames, "太陽光発電の仕組みをわかりやすく説明してください。", []),
    (RussianNames, "Вчера Ринат и Светлана Черненко говорили с Тимофеем о заказе.", ["Ринат", "Светлана Черненко", "Тимофеем"]),
    (RussianNames, "привет, это лена, вера в лучшее", ["лена"]),
    (RussianNames, "Когда родился Лев Толстой?", []),
    (RussianNames, "Пойдёшь с Кариной и Тимофеем?", ["Кариной", "Тимофеем"]),
    (RussianNames, "Курьер привёз заказ в Вологду и уехал.", []),
    (ThaiNames, "เมื่อวานสุรชัยมาที่บ้าน ส่วนสมหมายหยุดงาน", ["สุรชัย", "สมหมาย"]),
    (ThaiNames, "วันนี้อากาศดีมาก เราไปตลาดกัน ซื้อกล้วยได้กำไร", []),
]  # fmt: skip


@pytest.mark.parametrize(("made", "text", "wanted"), WRITTEN)
def test_names_are_found(made, text, wanted):
    pytest.importorskip(made.library, reason=f"needs the extra `languages` ({made.library})")
    assert [text[start:end] for start, end, _ in made().names(text)] == wanted


@pytest.mark.parametrize("made", READERS.values())
def test_without_its_library_nothing_is_found_and_nothing_breaks(made, monkeypatch):
    monkeypatch.setattr(libraries, "find_spec", lambda name: None)
    assert made().names("王阿姨 Ринат สุรชัย") == []


@pytest.mark.parametrize("made", READERS.values())
def test_a_text_in_another_language_loads_nothing(made):
    reader = made()
    assert [*reader.names("My name is Ana Ruiz."), *reader.names("שלום לכולם")] == []
    assert reader._loaded is None
