"""Names in Korean: a surname of one syllable or two and a given name, with what is joined to a name behind it."""

from collections.abc import Iterator
from functools import cache

import regex

from gama.tools.languages.spaced import Name
from gama.tools.tables import lines

_DOUBLE = "남궁|황보|제갈|사공|선우|서문|독고|동방|망절|어금|강전"
_SINGLE = "김이박최정강조윤장임한오서신권황안송전홍유고문양손배백허남심노하곽성차주우구나민진지엄채원천방공현함변염여추도소석선설마길연위표명기반왕금옥육인맹제모탁국은편용예경봉사부가복태목형두감음빈동온호범좌팽승간상갈류라림량려"
_RARE = frozenset("은사부가복국형두감동호상간온음이지하우구나차주도소선마연위기인제모라여")
# Particles and what else is joined to a name, longest first.
_ENDINGS = (
    "이라고|이랑은|이한테|이에게|이입니다|이에요|이예요|이이고|입니다|이라는|라고|에게서|한테서|에게|한테|께서|께|이랑|이가|이는|이를|이의|이도|이와|이야|이고|예요|이에|으로|부터|까지|보다|처럼|하고|이며|이나|"
    "랑|은|는|이|가|을|를|의|도|와|과|만|야|아|로|님|씨|군|양"
)
_TITLES = (
    "씨|님|고객님|회원님|환자분|환자|군|양|선생님|선생|쌤|교수님|교수|박사님|박사|과장님|과장|부장님|부장|차장님|차장|대리님|대리|사원|주임님|주임|팀장님|팀장|실장님|실장|사장님|사장|이사님|이사|대표님|대표|"
    "원장님|원장|의사|간호사|변호사님|변호사|기사님|기자|목사님|경위|경사|형사|판사|검사|의원|오빠|언니|누나|형|형님|이모|삼촌|할머니|할아버지|아저씨|아줌마|선배님|선배|후배|엄마|아빠|어머니|아버지|학생|귀하|여사님|여사|올림|드림|배상"
)
_CUES = (
    "제 이름은|내 이름은|이름은|이름이|성함은|저는|나는|나|난|저|전|담당자|담당|주치의|환자|고객|의사|변호사|집주인|임대인|임차인|세입자|신청인|신청자|보호자|대리인|배우자|남편|아내|와이프|아들|딸|남동생|여동생|동생|친구|동료|상사|"
    "어머니|아버지|엄마|아빠|형|누나|오빠|언니|선생님|매니저|직원|팀장|과장|부장|대리|사장|원장|작성자|발신|수신|성명|피해자|증인|이웃|옆집|조카|손자|손녀|할머니|할아버지|이모|삼촌|고모"
)
_FIELD = "성명|이름|성함|환자명|환자 성명|보호자|보호자명|신청인|신청자|담당자|담당|수령인|받는 분|받는 사람|보내는 분|보내는 사람|예금주|대표자|작성자|배우자|비상연락처|긴급연락처|부|모|주치의|학생명|고객명|법정대리인|성"
# Given names that are words as well: alone they count only where something announces them.
_ORDINARY = frozenset(
    "고객 회원 손님 부모 선배 후배 지원 대성 영화 동원 정신 상호 성장 수정 미래 소원 자유 기업 유지 정상 인사 영어 주인 수도 사랑 정식 현재 정도 가지 나라 우리 하늘 바다 아름 보람 기쁨 소리 누리 한결 정보 시간 인간 공주 성공 성과 진주 수원 경기 부산 대구 광주 "
    "안성 성남 수지 영주 상주 원주 여주 나주 제주 청주 전주 경주 공부 유리 진실 주변 상태 태양 동양 서양 세계 세상 선생 여사 재정 정부 정치 경제 사회 문화 교육 이상 이하 이제 이번 이후 이전 하나 고려 신라 백제 조선 대한 황제 황후 "
    "왕자 대왕 태자 소녀 소년 대표 대리 부장 과장 교수 회장 사장 상사 보고 보호 진행 신청 신고 처리 주문 주소 전화 번호 은행 계좌 금액 결제 이름 성명 남자 여자 가족 부모 어머 아버 형제 동생 친구 사람 오늘 내일 어제 지금 다음 마지 "
    "중요 필요 가능 사용 확인 예약 이용 안내 문의 접수 등록 변경 취소 완료 발송 배송 도착 출발 시작 종료 명예 동의 승인 수락 인정 기준 기본 기술 과학 수학 의사 환자 병원 학교 회사 정말 진짜 그냥 매우 아주 조금 많이 함께 서로 모두 "
    "선물 연락 상담 수업 시험 방학 졸업 입학 성적 보험 연금 세금 월세 전세 보증 계약 서류 자료 내용 문제 해결 방법 결과 원인 이유 영수 영수증 유정 재미 미안 고마 감사 안녕 수고 사진 동영 영상 음악 노래 미술 체육 운동 경영 관리 준비 지도 지시 도시 지역 시민 국민 주민".split()
)
# Words that begin as a full name does.
_WORDS = frozenset(
    "이번에 이것은 이것이 이제는 그래서 하지만 그러나 전화로 전화는 주소는 신청한 신청하 등록한 등록하 이름은 이름이 정중한 정중히 정도로 한국어 한국의 한국은 이용한 이용해 안녕히 안녕하 오늘은 오늘도 오늘의 내일은 서울에 서울은 부산에 인천에 고객님 회원님 "
    "선생님 부모님 사장님 이사를 이사한 전세금 보증금 계약서 신고서 임대인 임차인 집주인 전입신 주민등 외국인 공무원 회사원 대학생 고등학 중학교 초등학 유치원 어린이 아이들 우리의 우리가 우리는 나라의 성함은 문의는 문의사 안내문 안내를 "
    "이메일 연락처 전화번 우편번 주소지 생년월 성인은 남자친 여자친 남편은 아내가 아들이 이웃집 공동체 상담사 상담을 방문한 방문해 한달에 하루에 이하의 이상의 이외의 진료를 진료한 예산안 예산을 이유로 이유는 동생이 동의서 지난주 지난달 지난해 다음주 가족은 가족이 "
    "명세서 영수증 송금한 입금은 출금은 현금으 기록은 기록을 기한은 기간은 기간이 유효한 유의사 주의사 정기적 정상적 사용한 사용해 최근에 최대한 최소한 최종적 고지서 원인은 원래는 지금은 지금까 구매한 구입한 도착한 도움이 도움을 소득은 소개해 전체의 전문가 전달해 조금만 조금씩 조용히".split()
)


class Korean:
    """Korean."""

    def __init__(self) -> None:
        """Read the given names."""
        self._given = frozenset(lines("languages", "ko.txt.gz"))
        surname = f"(?:{_DOUBLE}|[{_SINGLE}])"
        behind = rf"(?={_ENDINGS}|\P{{Script=Hangul}}|$)"
        self._surname = regex.compile(surname)
        self._word = regex.compile(r"\p{Script=Hangul}+")
        self._full = regex.compile(rf"(?P<s>{surname})(?P<g>\p{{Script=Hangul}}{{1,2}})(?:{_ENDINGS})?(?!\p{{Script=Hangul}})")
        self._titled = regex.compile(
            rf"(?<!\p{{Script=Hangul}})(?P<v>(?P<n>\p{{Script=Hangul}}{{1,5}}?) ?(?:{_TITLES})(?:{_ENDINGS}|에|한)?(?!\p{{Script=Hangul}}))"
        )
        self._cue = regex.compile(rf"(?<!\p{{Script=Hangul}})(?:{_CUES})(?:\([^)\n]{{1,8}}\))?[ \t]*[:：]?[ \t]+(?P<v>\p{{Script=Hangul}}{{2,8}})")
        self._field = regex.compile(rf"(?m)(?:^|(?<=[\s(|,]))(?:{_FIELD})[ \t]*[:：][ \t]*(?P<v>\p{{Script=Hangul}}{{2,5}}(?: \p{{Script=Hangul}}{{2,3}})?)(?!\p{{Script=Hangul}})")
        self._of_name = regex.compile(rf"(?P<g>\p{{Script=Hangul}}{{2}})(?P<e>이랑|이한테|이가|이는|이도|이를|이의|이야|이네|이와|이에게|이|랑|한테|에게|야|아|가|는|도|와|하고|은|을|를|의){behind}(?!\p{{Script=Hangul}})")
        self._is = regex.compile(r"(?P<v>\p{Script=Hangul}{3,7}?)(?:이라고|라고|입니다|이에요|예요|이고|이며|인데|이랑|이)(?!\p{Script=Hangul})")

    def names(self, text: str, start: int, end: int) -> Iterator[Name]:
        """Yield the names in a stretch of a text."""
        for match in self._field.finditer(text, start, end):
            yield Name(*match.span("v"), "full_name", True)
        for match in self._titled.finditer(text, start, end):
            name = match["n"]
            if self._is_called(name):
                kind = "full_name" if len(name) > 2 else "last_name" if len(name) == 1 else "first_name"
                # A surname alone is told by its title: both are hidden.
                begin, stop = match.span("v") if len(name) == 1 else match.span("n")
                yield Name(begin, stop, kind, True)
        for match in self._cue.finditer(text, start, end):
            if count := self._count(match["v"], announced=True):
                yield Name(match.start("v"), match.start("v") + count, "full_name", True)
        for word in self._word.finditer(text, start, end):
            if count := self._count(word[0], announced=False):
                yield Name(word.start(), word.start() + count, "full_name", False)
            elif match := self._of_name.fullmatch(word[0]):
                given, ending = match["g"], match["e"]
                if given in self._given and given not in _ORDINARY and (ending[0] in "이랑한야아하" or ending == "에게"):
                    yield Name(word.start(), word.start() + 2, "first_name", False)
            elif len(word[0]) == 2 and word[0] in self._given and word[0] not in _ORDINARY and self._stands_alone(text, *word.span()):
                yield Name(*word.span(), "first_name", False)

    def _is_called(self, name: str) -> bool:
        if len(name) == 1:
            return name in _SINGLE and name not in _RARE
        if len(name) == 2:
            if name in self._given and name not in _ORDINARY:
                return True
            return name[0] in _SINGLE and name[0] not in _RARE and name not in _ORDINARY and name + "한" not in _WORDS
        return name not in _WORDS and self._count(name, announced=True) == len(name)

    def _count(self, word: str, *, announced: bool) -> int:
        """Return how many syllables of a word are a full name."""
        if word[:3] in _WORDS:
            return 0
        match = self._full.fullmatch(word)
        if match is None:
            return self._longer(word) if announced else 0
        surname, given = match["s"], match["g"]
        if len(given) == 2 and given not in self._given and self._ends(word, len(surname) + 1) and not announced:
            return 0
        if len(given) == 2 and (given in self._given or announced):
            return 0 if given in _ORDINARY and not announced else len(surname) + 2
        if len(given) == 1 and (announced or len(surname) == 2) and (surname not in _RARE):
            return len(surname) + 1
        return 0

    def _longer(self, word: str) -> int:
        """Return how many syllables a foreign name has that is announced and carries an ending."""
        match = self._is.fullmatch(word)
        return len(match["v"]) if match else 0

    @staticmethod
    def _ends(word: str, at: int) -> bool:
        return regex.fullmatch(_ENDINGS, word[at:]) is not None

    @staticmethod
    def _stands_alone(text: str, start: int, end: int) -> bool:
        return text[end : end + 1] in (",", "(", "!", "~") or (start == 0 or text[start - 1] == "\n") and text[end : end + 1] == " "


@cache
def korean() -> Korean:
    """Return the reader, made once."""
    return Korean()
