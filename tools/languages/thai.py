"""Names in Thai, which puts no space between words: behind titles, and where a listed name stands."""

from collections.abc import Iterator
from functools import cache

import regex

from gama.tools.languages.spaced import Name
from gama.tools.tables import lines

_TITLES = (
    "นางสาว|น\\.ส\\.|นาง|นาย|คุณหมอ|คุณครู|คุณ|เด็กชาย|เด็กหญิง|ด\\.ช\\.|ด\\.ญ\\.|นพ\\.|พญ\\.|ทพ\\.|ทพญ\\.|ดร\\.|ผศ\\.|รศ\\.|ศ\\.|อาจารย์|อ\\.(?=[ก-ฮเ-ไ]{4})|ครู|นายแพทย์|แพทย์หญิง|พ\\.ต\\.ท\\.|พ\\.ต\\.อ\\.|ร\\.ต\\.ต\\.|"
    "พี่|น้อง|ป้า|ลุง|น้า|เจ๊|เฮีย|หมอ|ช่าง|หลวงพ่อ"
)
# Of these only what is clearly a title at a place where a word may begin.
_WEAK = frozenset({"ช่าง", "น้า", "หมอ", "ครู", "พี่", "น้อง", "คุณ", "นาง", "นาย"})
_CUES = "ชื่อว่า|ชื่อจริง|ชื่อเล่น|ชื่อ|ฉันคือ|ผมคือ|ดิฉันคือ|นี่คือ|ลงชื่อ|ผู้รับ|ผู้ส่ง|เรียก|นามว่า|หัวหน้า|เพื่อน|ลูกชาย|ลูกสาว|สามี|ภรรยา|แฟน|แม่|พ่อ|พี่ชาย|พี่สาว|น้องชาย|น้องสาว|เจ้าของบ้าน|เพื่อนบ้าน|ผู้จัดการ|ผู้ป่วย|คนไข้|ลูกค้า|ผู้ติดต่อ|ผู้ค้ำ|ผู้เช่า"
# Words that a name is followed by without a space.
_NEXT = (
    "จะ|มา|ไป|ได้|เป็น|บอก|ให้|ที่|อยู่|นะ|ครับ|ค่ะ|คะ|จ้า|จ้ะ|และ|กับ|ด้วย|แล้ว|ไม่|ว่า|คือ|หรือ|ของ|เพื่อ|เขา|เธอ|กำลัง|เคย|ต้อง|อยาก|ขอ|รับ|ส่ง|ดูแล|ติดต่อ|ตรวจ|ทำ|มี|ใน|จาก|โดย|โทร|เบอร์|อายุ|ช่วย|พา|เอา|ยัง|ก็|ลา|ฝาก|เซ็น|นำ|"
    "ถูก|ซึ่ง|ใช้|เข้า|ออก|กลับ|พูด|ถาม|ตอบ|เจ้าของ|ผู้|ตาม|ถึง|สอบ|ประชุม|รายงาน|เสนอ|จัด|ทราบ|แจ้ง|ป่วย|หยุด|ชื่อ|หน่อย|สิ|ล่ะ|เลย|บ้าน|โอน|จ่าย|ซื้อ|ขาย|เดิน|เรียน|สอน|ทำงาน"
)
_NO_NAMES = ("ฉุกเฉิน", "จริง", "เล่น", "เดิม", "นาม", "บริษัท", "โรงเรียน", "หนังสือ", "เรื่อง", "ผู้", "ไฟล์", "สินค้า", "โครงการ", "ร้าน")
_LETTER = "[ก-ฮะ-ูเ-๎]"


class Thai:
    """Thai."""

    def __init__(self) -> None:
        """Read the list."""
        self._listed = frozenset(line[1:] for line in lines("languages", "th.txt.gz"))
        piece = rf"{_LETTER}{{2,24}}?(?=(?:{_NEXT})|(?!{_LETTER}))"
        name = rf"(?P<v>(?P<g>{piece})(?: (?P<s>{_LETTER}{{3,24}}?(?=(?:{_NEXT})|(?!{_LETTER}))))?)"
        self._titled = regex.compile(rf"(?P<t>{_TITLES}) ?{name}")
        self._cue = regex.compile(rf"(?:{_CUES})(?:-?(?:นามสกุล|สกุล))?[ \t]*[:：]?[ \t]*(?:(?:{_TITLES}) ?)?{name}")
        self._field = regex.compile(
            rf"(?m)(?:ชื่อ(?:[-–/ ]*(?:นามสกุล|สกุล|เล่น|จริง|ผู้[ก-๎]+|บิดา|มารดา|คู่สมรส))*|ผู้ติดต่อ[ก-๎]*|ผู้รับ[ก-๎]*|ผู้ส่ง|ลงชื่อ|บิดา|มารดา|สามี|ภรรยา|ผู้ปกครอง|แพทย์[ก-๎]*|นามสกุล)"
            rf"[ \t]*[:：][ \t]*(?:(?:{_TITLES}) ?)?(?P<v>{_LETTER}{{2,24}}(?: {_LETTER}{{2,24}})?)"
        )
        some = "|".join(sorted((word for word in self._listed if len(word) > 3), key=len, reverse=True))
        self._some = regex.compile(rf"(?<!{_LETTER})(?P<v>(?:{some})(?: (?P<s>{_LETTER}{{3,24}}))?)|(?P<v>(?:{some}) (?P<s>{_LETTER}{{3,24}}?)(?=(?:{_NEXT})|(?!{_LETTER})))")

    def names(self, text: str, start: int, end: int) -> Iterator[Name]:
        """Yield the names in a stretch of a text."""
        for match in self._field.finditer(text, start, end):
            yield Name(*match.span("v"), "full_name", True)
        for pattern in (self._titled, self._cue):
            for match in pattern.finditer(text, start, end):
                found = match.groupdict()
                if found.get("t") in _WEAK and not self._begins(text, match.start(), match["g"]):
                    continue
                if pattern is self._cue and not self._is_likely(match["g"], found["s"]):
                    continue
                yield self._name(match)
        for match in self._some.finditer(text, start, end):
            yield self._name(match)

    def _begins(self, text: str, at: int, name: str) -> bool:
        """Return whether a short title stands where a word may begin, before something that may be a name."""
        before = text[at - 1 : at]
        opens = not before or not regex.match(_LETTER, before) or regex.search(rf"(?:{_NEXT}|ให้|กับ|ถึง|และ|เรียน|คือ)$", text[max(0, at - 8) : at])
        return bool(opens) and len(name) > 1 and regex.match(_NEXT, name) is None

    def _is_likely(self, given: str, surname: str | None) -> bool:
        if given.startswith(_NO_NAMES):
            return False
        return given in self._listed or surname is not None or regex.match(_NEXT, given) is None

    @staticmethod
    def _name(match: "regex.Match[str]") -> Name:
        surname = match.groupdict().get("s")
        return Name(*match.span("v"), "full_name" if surname else "first_name", True)


@cache
def thai() -> Thai:
    """Return the reader, made once."""
    return Thai()
