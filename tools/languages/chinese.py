"""Names in Chinese: a surname and one or two characters that no word claims, titles, pet names, form fields."""

from collections.abc import Iterator
from functools import cache

import regex

from gama.tools.languages.spaced import Name
from gama.tools.tables import lines

_DOUBLE = (
    "欧阳 歐陽 上官 司马 司馬 诸葛 諸葛 夏侯 皇甫 尉迟 尉遲 公孙 公孫 慕容 长孙 長孫 宇文 司徒 令狐 东方 東方 独孤 獨孤 南宫 南宮 端木 "
    "轩辕 百里 呼延 闻人 赫连 澹台 申屠 太史 淳于 钟离 西门 司空 范姜 张简"
).split()
_SINGLE = (
    "王李张張刘劉陈陳杨楊黄黃赵趙吴吳周徐孙孫马馬朱胡郭何高林罗羅郑鄭梁谢謝宋唐许許韩韓冯馮邓鄧曹彭曾肖萧蕭田董潘袁蔡蒋蔣余于杜叶葉程魏苏"
    "蘇吕呂丁任卢盧姚沈钟鐘鍾姜崔谭譚陆陸范汪廖石金韦韋贾賈夏付傅方邹鄒熊白孟秦邱江尹薛闫阎閻段雷侯龙龍史陶黎贺賀顾顧毛郝龚龔邵万萬钱錢严"
    "嚴赖賴覃洪武莫孔汤湯向常温溫康施文牛樊葛邢安齐齊易乔喬伍庞龐颜顏倪庄莊聂聶章鲁魯岳翟殷詹申欧歐耿关關兰蘭焦俞左柳甘祝包宁寧尚符舒阮柯纪"
    "紀梅童凌毕畢单單季裴霍涂成苗谷盛曲翁冉骆駱蓝藍路游辛靳管柴蒙鲍鮑华華喻祁蒲房滕屈饶饒解牟艾尤时時穆农農司卓古吉缪简簡车車项項连連芦麦"
    "麥褚娄戚岑景党宫宮费費卜冷晏席卫衛米柏宗瞿桂全佟应應臧闵苟邬边邊卞姬师師和仇栾隋商刁沙荣巫寇桑郎甄丛仲虞敖巩明佘池查麻苑迟迟邝"
)
# Function words and verbs that stand right behind a name, never in one.
_NEVER = frozenset(
    "的了是在不我你他她它们這这那有和与與及或也都就还還要会會能可以去来來说說让讓把被给給对對将將从從到向跟很最吗嗎呢吧啊，。、问問请請"
    "已因于於而但并並为為之其所以个個没沒名负負责責做找叫带帶住买買卖賣收发發送取至该該应應需先女男岁歲月日年号號元万"
)
_PLACES = tuple("区區市县縣省镇鎮乡鄉村路街巷州")
"""What a name of a place ends in."""
_TITLES = (
    "先生|女士|小姐|太太|夫人|老师|老師|医生|醫生|大夫|医师|醫師|护士|經理|经理|主任|总监|老板|师傅|師傅|教授|博士|律师|律師|同学|同學|同志|阿姨|叔叔|"
    "爷爷|奶奶|大爷|大妈|大姐|大哥|校长|校長|院长|院長|局长|处长|科长|部长|书记|队长|会计|法官|警官|哥|姐|总|總|姨|叔|伯|工|董|嫂"
)
# What stands before a name that it announces.
_CUES = (
    "我叫|名叫|叫做|我是|本人|姓名|患者|病人|联系人|聯絡人|联络人|收件人|寄件人|申请人|申請人|投诉人|被告|原告|当事人|负责人|法人|客户|顾客|用户|经理|主任|医师|医生|"
    "老师|同事|同学|朋友|室友|邻居|鄰居|房东|房東|房客|租客|父亲|母亲|爸爸|妈妈|丈夫|妻子|老公|老婆|儿子|女儿|哥哥|姐姐|弟弟|妹妹|男友|女友|其子|其女|其妻|其夫|其父|其母|"
    "爷爷|奶奶|孩子|学生|員工|员工|职员|司机|保姆|律师|法定代表人|监护人|家属|签名|署名|致|给|姓名为|名字是|名字叫|真名|曾用名|户主|持卡人|户名|戶名|乘客|嫌疑人|被保险人|投保人|受益人|代理人|证人"
)


class Chinese:
    """Chinese, in both kinds of characters."""

    def __init__(self) -> None:
        """Read the characters of given names and the words that are no names."""
        marked = lines("languages", "zh.txt.gz")
        self._given = frozenset(line[1:] for line in marked if line[0] == "+")
        self._words = frozenset(line for line in marked if line[0] != "+")
        surname = f"(?:{'|'.join(_DOUBLE)}|[{_SINGLE}])"
        self._surname = regex.compile(surname)
        self._titled = regex.compile(rf"(?P<v>{surname}\p{{Script=Han}}{{0,2}}?)(?:{_TITLES})(?!\p{{Script=Han}}?[作人])")
        self._cue = regex.compile(rf"(?:{_CUES})(?:[（(][^）)\n]{{1,8}}[）)])?[ \t]*[:：是为叫,，]?[ \t]*")
        self._pet = regex.compile(rf"(?<![\p{{Script=Han}}大])?(?P<v>[小老阿][{_SINGLE}强明华英芳丽军伟红燕梅兰珍玲宝贝毛胖虎龙]\b?)")
        self._field = regex.compile(r"(?m)(?:姓名|名字|联系人|聯絡人|收件人|申请人|患者|病人|户名|签名|乘客|经办人|主治医师)[^\n:：]{0,6}[:：][ \t]*(?P<v>[\p{Script=Han}·]{2,8})")

    def names(self, text: str, start: int, end: int) -> Iterator[Name]:
        """Yield the names in a stretch of a text."""
        for match in self._field.finditer(text, start, end):
            if match["v"] not in self._words:
                yield Name(*match.span("v"), "full_name", True)
        for match in self._titled.finditer(text, start, end, overlapped=True):
            begin, stop = match.span("v")
            cut = self._length(text, begin, end) if stop - begin > 1 else 0
            if stop - begin == 1 and text[begin : match.end()] in self._words:
                continue
            if stop - begin == 1 or (cut and begin + cut == stop) or self._is_given(text[begin + 1 : stop]):
                if not self._within_word(text, begin, match.end()):
                    alone = stop - begin == 1
                    yield Name(begin, match.end() if alone else stop, "nickname" if alone else "full_name", True)
        for match in self._cue.finditer(text, start, end):
            begin = match.end()
            surname = self._surname.match(text, begin, end)
            if surname and (count := self._length(text, begin, end, announced=True)):
                yield Name(begin, begin + count, "full_name", True)
        for match in self._pet.finditer(text, start, end):
            begin, stop = match.span("v")
            if text[begin:stop] not in self._words and not self._within_word(text, begin, stop):
                yield Name(begin, stop, "nickname", False)
        yield from self._loose(text, start, end)

    def _loose(self, text: str, start: int, end: int) -> Iterator[Name]:
        """Yield a surname with a given name where the longest words around leave them over."""
        at = start
        while at < end:
            size = self._word_at(text, at, end)
            surname = self._surname.match(text, at, end)
            if surname and (size <= 1 or surname[0] in _DOUBLE):
                count = self._length(text, at, end)
                if count:
                    yield Name(at, at + count, "full_name", False)
                    at += count
                    continue
            at += max(size, 1)

    def _word_at(self, text: str, at: int, end: int) -> int:
        return next((size for size in (4, 3, 2) if at + size <= end and text[at : at + size] in self._words), 1)

    def _within_word(self, text: str, start: int, end: int) -> bool:
        """Return whether a word that begins before a stretch reaches into it: "让周末" has no "周末"."""
        return any(
            text[begin : begin + size] in self._words
            for begin in range(max(0, start - 3), start)
            for size in (2, 3, 4)
            if start < begin + size < end
        )

    def _length(self, text: str, at: int, end: int, *, announced: bool = False) -> int:
        """Return how many characters a full name has that begins with the surname at a place; 0 where none does."""
        surname = self._surname.match(text, at, end)
        if not surname:
            return 0
        first = len(surname[0])
        if text[at + first : at + first + 1] in _PLACES or text[at + first + 1 : at + first + 2] in _PLACES:
            return 0
        run = regex.match(r"\p{Script=Han}*", text, pos=at + first, endpos=min(end, at + first + 4))
        left = run[0] if run else ""
        for count in (2, 1):
            given = left[:count]
            if len(given) < count or not self._is_given(given):
                continue
            if count == 2 and not announced and text[at : at + first + 2] in self._words:
                continue
            # Two characters that are a word of their own are a given name only where one is announced.
            if count == 2 and given in self._words and not announced and not self._ends(text, at + first + 2, end):
                continue
            if count == 2 and self._word_at(text, at + first + 1, end) > 1 and not self._ends(text, at + first + 2, end):
                continue
            if count == 1 and (text[at : at + first + 1] in self._words and not announced):
                continue
            if count == 1 and not announced and not self._ends(text, at + first + 1, end) and first == 1:
                # One character more is as likely a verb: a word has to begin behind it.
                if self._word_at(text, at + first + 1, end) < 2 and left[1:2] not in _NEVER:
                    continue
            return first + count
        return 0

    def _is_given(self, given: str) -> bool:
        return bool(given) and all(char in self._given and char not in _NEVER for char in given)

    @staticmethod
    def _ends(text: str, at: int, end: int) -> bool:
        return at >= end or not text[at].isalpha() or text[at] in _NEVER


@cache
def chinese() -> Chinese:
    """Return the reader, made once."""
    return Chinese()
