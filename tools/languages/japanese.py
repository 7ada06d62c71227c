"""Names in Japanese: listed surnames and given names, what stands behind a name, fields of forms, names in katakana."""

from collections.abc import Iterator
from functools import cache

import regex

from gama.tools.languages.spaced import Name
from gama.tools.tables import lines

_BEHIND = (
    "様|さま|さん|サン|くん|クン|君|ちゃん|チャン|氏|先生|殿|せんせい|部長|課長|係長|社長|専務|常務|主任|店長|校長|院長|教授|准教授|医師|看護師|弁護士|選手|先輩|後輩|"
    "监督|監督|議員|刑事|巡査|署長|支店長|工場長|代表|会長|理事長|秘書|記者"
)
_BEFORE = (
    "名前は|氏名は|名字は|私は|僕は|俺は|わたしは|担当の|担当者の|担当は|担当医は|上司の|同僚の|部下の|友人の|友達の|妻の|夫の|息子の|娘の|長男の|長女の|次男の|次女の|父の|母の|兄の|姉の|弟の|妹の|"
    "祖父の|祖母の|彼氏の|彼女の|大家の|隣の|患者の|患者|主治医の|部長の|課長の|社長の|営業の|総務の|経理の|人事の|係の|代理人の|弁護士の|医師の|看護師の|先生の|生徒の|学生の|顧客の|お客様の|"
    "被告人|被告|原告|容疑者の|保護者の|世帯主の|新人の|先輩の|後輩の|同級生の|クラスメイトの|孫の|叔父の|叔母の|従兄の|いとこの|婚約者の"
)
_FIELD = (
    "氏名|お名前|名前|姓|名|フリガナ|ふりがな|フリカナ|カナ|患者氏名|患者名|ご担当者|担当者|担当|申込者|申請者|代表者|受取人|差出人|宛名|送り主|保護者|緊急連絡先|世帯主|名義|口座名義|配偶者|父|母|署名|連絡先氏名"
)
# Surnames that are words as often.
_WORDS = frozenset(
    "東 西 南 北 中 上 下 前 後 森 林 原 島 山 川 谷 星 月 空 海 光 春 夏 秋 冬 花 木 石 水 金 土 火 日 本 田 村 町 市 県 国 大 小 長 高 安 今 角 間 門 堀 岸 浜 池 沢 坂 岩 橋 関 堤 畑 "
    "東京 京都 大阪 神戸 福岡 千葉 山口 長野 宮城 福島 山形 石川 富山 岡山 香川 秋田 奈良 宮崎 長崎 熊本 千代田 中央 新宿 渋谷 目黒 品川 横浜 川崎 名古屋 札幌 仙台 広島 静岡 浜松 "
    "高島 松山 高松 高知 徳島 鳥取 島根 中国 日本 本部 本田 中間 大久保 大森 本間 今日 明日 平和 安全 国分 市場 会田 上野 日野 青梅 立川 町田 三鷹 鎌倉 藤沢 平塚 小田原 川口 大宮 "
    "浦和 越谷 所沢 柏 松戸 船橋 成田 水戸 土浦 前橋 高崎 宇都宮 大津 豊田 岡崎 豊橋 一宮 桑名 堺 吹田 高槻 姫路 尼崎 明石 倉敷 福山 呉 下関 今治 丸亀 別府 大分 佐賀 都城 那覇".split()
)
_NO_GIVEN = frozenset(
    "です ます した こと もの これ それ あれ どれ ここ そこ あそこ いつ なに なぜ だれ みな ある いる する なる よる くる みる はい いや まだ また いま より から まで ただ だけ さえ しか でも けど のに ので きっと もう "
    "とき ところ ため とも ほど なか あと まえ うえ した ひと かた".split()
)


class Japanese:
    """Japanese."""

    def __init__(self) -> None:
        """Read the lists."""
        marked = lines("languages", "ja.txt.gz")
        self._surnames = frozenset(line[1:] for line in marked if line[0] == "+")
        self._given = frozenset(line[1:] for line in marked if line[0] == "=") - _NO_GIVEN
        word = r"[\p{Script=Han}々ヶヵ]"
        self._run = regex.compile(rf"{word}+")
        self._pair = regex.compile(
            rf"(?P<s>{word}{{1,4}})[ 　・](?P<g>{word}{{1,3}}|\p{{Script=Hiragana}}{{2,5}}|[\p{{Script=Katakana}}ー]{{2,6}})"
            rf"(?!{word})"
        )
        self._called = regex.compile(
            rf"(?P<v>{word}{{1,5}}(?:[ 　]?(?:{word}{{1,3}}|\p{{Script=Hiragana}}{{2,4}}))?|\p{{Script=Hiragana}}{{2,4}}"
            rf"|[\p{{Script=Katakana}}ー・]{{2,16}})[ 　]?(?:{_BEHIND})"
        )
        self._announced = regex.compile(
            rf"(?:{_BEFORE})(?P<v>{word}{{1,4}}[ 　]{word}{{1,3}}|{word}{{2,6}}|[\p{{Script=Katakana}}ー・＝=]{{2,20}}"
            rf"|\p{{Script=Hiragana}}{{2,5}})"
        )
        self._field = regex.compile(
            rf"(?m)(?:^|(?<=[\s（(、|]))(?:{_FIELD})(?:（[^）\n]{{1,8}}）)?[ 　\t]*[:：][ 　\t]*"
            rf"(?P<v>[\p{{Script=Han}}々ヶ\p{{Script=Hiragana}}\p{{Script=Katakana}}ー・]{{1,8}}(?:[ 　][\p{{Script=Han}}々\p{{Script=Hiragana}}\p{{Script=Katakana}}ー]{{1,8}})?)"
        )
        self._foreign = regex.compile(r"[\p{Script=Katakana}ー]{2,10}(?:[・＝][\p{Script=Katakana}ー]{2,10}){1,3}")
        self._line = regex.compile(rf"(?m)^[ 　\t]*(?P<v>{word}{{1,4}}[ 　]{word}{{1,3}}|{word}{{2,6}})[ 　\t]*$")
        # What a surname alone is followed by where it acts: が, は, を, に, の, と, も, へ, から.
        self._acts = regex.compile(r"(?:が|は|を|に|と|も|へ|から|まで|より|、|だ|です|って|の(?:件|担当|方|携帯|電話|自宅|家|車))")

    def names(self, text: str, start: int, end: int) -> Iterator[Name]:
        """Yield the names in a stretch of a text."""
        for match in self._field.finditer(text, start, end):
            yield Name(*match.span("v"), "full_name", True)
        for match in self._pair.finditer(text, start, end):
            if match["s"] in self._surnames or match["g"] in self._given:
                yield Name(*match.span(), "full_name", True)
        for match in self._foreign.finditer(text, start, end):
            yield Name(*match.span(), "full_name", False)
        for match in self._called.finditer(text, start, end):
            if begin := self._begin(match["v"]):
                yield Name(match.start("v") + begin - 1, match.end("v"), "last_name", True)
        for match in self._announced.finditer(text, start, end):
            if count := self._count(match["v"]):
                begin = match.start("v")
                yield Name(begin, begin + count, "full_name" if count > 2 else "last_name", True)
        for match in self._line.finditer(text, start, end):
            if self._split(match["v"]):
                yield Name(*match.span("v"), "full_name", True)
        yield from self._loose(text, start, end)

    def _loose(self, text: str, start: int, end: int) -> Iterator[Name]:
        """Yield surnames with a given name right behind them, and surnames that act, anywhere."""
        for run in self._run.finditer(text, start, end):
            at = run.start()
            while at < run.end():
                size = self._full_at(text, at, run.end(), end)
                if size:
                    yield Name(at, at + size, "full_name", False)
                    at += size
                    continue
                break
            surname = run[0]
            if surname in self._surnames and surname not in _WORDS and len(surname) > 1:
                if self._acts.match(text, run.end(), end):
                    yield Name(*run.span(), "last_name", False)
            elif len(surname) > 1 and surname in self._given and surname not in _WORDS and self._acts.match(text, run.end(), end):
                yield Name(*run.span(), "first_name", False)

    def _full_at(self, text: str, at: int, stop: int, end: int) -> int:
        for first in (3, 2, 1):
            if at + first > stop or text[at : at + first] not in self._surnames:
                continue
            for count in (3, 2):
                given = text[at + first : at + first + count]
                if len(given) == count and given in self._given and (at + first + count >= stop or count == 3 or first > 1):
                    if all("\u3040" <= char <= "\u309f" for char in given) and first == 1:
                        continue
                    return first + count
        return 0

    def _split(self, name: str) -> bool:
        """Return whether a name falls into a listed surname and a listed given name."""
        bare = regex.sub(r"[ 　]", "", name)
        return any(bare[:cut] in self._surnames and bare[cut:] in self._given for cut in range(1, len(bare)))

    def _begin(self, called: str) -> int:
        """Return where in what somebody is called their name begins, counted from 1; 0 where there is none."""
        if self._is_name(called):
            return 1
        for cut in range(1, len(called)):
            if self._is_name(called[cut:]):
                return cut + 1
        return 0

    def _is_name(self, name: str) -> bool:
        bare = regex.sub(r"[ 　・]", "", name)
        if bare in self._surnames or bare in self._given or self._split(name):
            return True
        return len(bare) > 2 and regex.fullmatch(r"[\p{Script=Katakana}ー]+", bare) is not None

    def _count(self, announced: str) -> int:
        """Return how many characters of what was announced are a name."""
        for count in range(len(announced), 0, -1):
            part = announced[:count]
            if self._is_name(part) and (count > 1 or part not in _WORDS) and part[-1] not in " 　":
                return count
        return 0


@cache
def japanese() -> Japanese:
    """Return the reader, made once."""
    return Japanese()
