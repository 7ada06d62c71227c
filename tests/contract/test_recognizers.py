"""What every recognizer must do, whoever wrote it."""

import string
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gama.state.entities import SUBTYPES, TYPE_OF
from gama.tools.languages.libraries import READERS
from gama.tools.recognizers.base import Recognizer
from gama.tools.registry import Registry

RECOGNIZERS = Registry.load().recognizers()

SAMPLE = """Dear Mr. Okafor, this is Ana Ruiz (34 years old, 1.74 m, 72 kg, blood type AB-), @ana_r, born 3 August 1990.
Call +44 20 7946 0958 or mail ana@mail.example, https://user:pw@host.example/u/ana
from 203.0.113.7, 3C:A9:F4:11:0E:7B at 14:02.
Card 4111 1111 1111 1111, IBAN DE89 3704 0044 0532 0130 00, SSN 574-02-1186, passport E11804427,
case no. CB/0913/24, IMEI 490154203237518.
password: Hunter2!, token=rt_9ZkQ2mV77aLpX, 5f4dcc3b5aa765d61d8327deb882cf99,
1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa, 45.9871 N, 7.7013 E.
14 Mercy Lane, Ludlow SY8 1QP, plate BV12 KLO, £544 a month for 3 years,
ROI of 41 percent, my credit score is 742, on 2024-11-05.
She is HIV +ve; I was in prison with nguyen thi lan, and the PIN is four eight zero two. O l u m i d e   A d e y e m i works at Durand Fils SARL.
Best regards,
Ana Ruiz

Адрес: ул. Лесная, 14
Номер договора 77-118, его подписала Светлана Черненко.
钟丽华和丁磊已经签字。เมื่อวานสุรชัยมาที่บ้าน
昨日、渡辺美咲が来た。
"""

# Text that looks like the values, so that the expressions get far: words they know, digits, separators, odd scripts.
FRAGMENTS = st.sampled_from(
    [
        "passport no. ", "born on ", "call ", "card ", "IBAN ", "€", "$", "£", "@", "://", "www.", "password: ",
        "I was ", "in prison ", "pregnant ", "four ", "twenty-seven ", "one ", "nguyen ", "thi ", "lan ", "#", "Tom", "Hale",
        "Dr. ", "Dear ", "Regards,\n", "May ",
        "street", "Road", " rue ", "flat ", "kg", " cm", "%", "am", "+44", "(0)", "DE89", "::", "0x", "eyJ", "AKIA",
        "İ", "１２", "中", "é", "\u200d", "👩", "\u202f",
        "\x00", "\r\n", "'s", "'", '"', "-", "–", "/", ".", ",", ":", "#", "°", "id", "no", "u/", "Äß", "\ud7ff", 
        "電話", "电话：", "先生", "王", "कुमार ", "رقم ", "السيد ", "ชื่อ", "씨", "김", "さん", "カタカナ・", "г-н ", "Η κ. ",
    ]
)  # fmt: skip
TEXT = st.one_of(
    st.text(),
    st.lists(
        st.one_of(FRAGMENTS, st.text(alphabet=string.digits + " .-", min_size=1, max_size=9), st.text(max_size=4)),
        max_size=40,
    ).map("".join),
)


@pytest.fixture(params=RECOGNIZERS, ids=lambda one: one.name)
def recognizer(request: pytest.FixtureRequest) -> Recognizer:
    found: Recognizer = request.param
    return found


def test_declares_itself(recognizer: Recognizer) -> None:
    assert isinstance(recognizer, Recognizer)
    assert recognizer.name == recognizer.name.lower()
    assert recognizer.subtypes
    assert set(recognizer.subtypes) <= set(TYPE_OF)


def test_finds_something_in_the_sample(recognizer: Recognizer) -> None:
    if recognizer.name in READERS:
        library = READERS[recognizer.name].library
        pytest.importorskip(library, reason=f"needs the extra `languages` ({library})")
    assert list(recognizer.find(SAMPLE))


def test_empty_text(recognizer: Recognizer) -> None:
    assert list(recognizer.find("")) == []


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=TEXT)
def test_spans_are_sound_on_any_text(recognizer: Recognizer, text: str) -> None:
    spans = list(recognizer.find(text))
    for span in spans:
        assert 0 <= span.start < span.end <= len(text)
        assert text[span.start : span.end].strip()
        assert span.subtype in recognizer.subtypes
        assert span.subtype in SUBTYPES[span.type]
        assert span.view == "regex"
        assert span.source == recognizer.name
        assert 0 <= span.score <= 1
        assert span.private is None or 0 <= span.private <= 1
        assert span.validated or span.score < 1
    assert list(recognizer.find(text)) == spans


def test_surfaces_do_not_depend_on_what_stands_far_around(recognizer: Recognizer) -> None:
    far = "\n\nzzz zzz.\n\n"
    alone = {SAMPLE[span.start : span.end] for span in recognizer.find(SAMPLE)}
    moved = far + SAMPLE + far
    assert {moved[span.start : span.end] for span in recognizer.find(moved)} == alone


def test_serves_threads(recognizer: Recognizer) -> None:
    expected = list(recognizer.find(SAMPLE))
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: list(recognizer.find(SAMPLE)), range(32)))
    assert all(result == expected for result in results)
