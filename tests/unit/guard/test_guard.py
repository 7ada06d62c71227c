"""The guard finds values of the box in every normal form, and ordinary words in none."""

import base64
import html
import json
import random
import time
import urllib.parse
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gama.evals.audit.forms import FORMS
from gama.guard.folding import IGNORABLE, fold, fold_char, origins
from gama.guard.search import _MOST_CLEAN, SHORTEST_CIPHERED, Guard, is_weak
from gama.state.errors import LeakError

VALUES = ["Emma Williams", "+44 20 7946 0958", "emma.w@mail.example", "Zoë Müller-Ågård", "GB29 NWBK 6016 1331 9268 19"]
GUARD = Guard([*VALUES, "Will", "7", "Ann", "May", "2019"])


@pytest.mark.parametrize(
    "form",
    [
        "Emma Williams", "emma williams", "EMMA\u00a0WILLIAMS", "Emma   Williams", "Emma\nWilliams", "Emma-\nWilliams",
        "Williams, Emma", "Emma Williams's", "E\u200bmma Will\u00adiams", "Ｅｍｍａ　Ｗｉｌｌｉａｍｓ", "Еmmа Williаms",
        "emma_williams", "userEmmaWilliams2", "Emma.Williams", "𝐄𝐦𝐦𝐚 𝐖𝐢𝐥𝐥𝐢𝐚𝐦𝐬", 
        "+44 (20) 7946-0958", "+442079460958", "44.20.7946.0958", "emma.w @ mail.example", "ZOE MULLER AGARD",
        "GB29NWBK60161331926819", "gb29-nwbk-6016-1331-9268-19",
        "Zoe Mueller-Aagaard", "MUELLER-AAGAARD, ZOE", "the Emma Williamses", "Emma Will-\nia\u00adms", "<b-1>Emma Williams",
    ],
)  # fmt: skip
def test_found_in_any_form(form):
    assert GUARD.find(f"so {form} it is"), form
    with pytest.raises(LeakError) as caught:
        GUARD.check(json.dumps({"messages": [{"role": "user", "content": f"so {form} it is"}]}))
    assert "Emma" not in str(caught.value) and "7946" not in str(caught.value)


@pytest.mark.parametrize(
    "encode",
    [
        lambda v: json.dumps(v),
        lambda v: json.dumps(json.dumps(v)),
        lambda v: "".join(f"\\u{ord(c):04x}" for c in v),
        html.escape,
        lambda v: "".join(f"&#{ord(c)};" for c in v),
        urllib.parse.quote,
        urllib.parse.quote_plus,
        lambda v: "".join(f"%{b:02X}" for b in v.encode()),
        lambda v: base64.b64encode(v.encode()).decode(),
        lambda v: base64.urlsafe_b64encode(b"hello " + v.encode()).decode(),
        lambda v: v.encode().hex(),
        lambda v: v.encode().hex(" ").upper(),
        lambda v: "0x" + v.encode().hex(),
        lambda v: v.encode().hex(":"),
        lambda v: "data:text/plain;base64," + base64.b64encode(v.encode()).decode(),
        lambda v: "https://host.example/api/v1/" + base64.urlsafe_b64encode(v.encode()).decode(),
        lambda v: "".join(f"\\x{b:02x}" if b < 128 else f"\\u{b:04x}" for b in v.encode("latin-1", "replace")),
        lambda v: "".join(f"&#x{ord(c):x};" for c in v),
    ],
)
@pytest.mark.parametrize("value", VALUES)
def test_found_when_encoded(encode, value):
    with pytest.raises(LeakError):
        GUARD.check(f'{{"content": "{encode(value)}"}}'.encode())


@pytest.mark.parametrize("value", ["rbell", "ndiaye", "Emma", "Jörg"])
@pytest.mark.parametrize(
    "text",
    [
        "C:\\{}\\x", "one\n{}", "one\n{}\ttwo", "“{}”", "\n“{}”\n", "“a”\n{}“b”", "one\\n{}", "\\\\{}", "\\\n{}", "…\\n{}…",
    ],
)  # fmt: skip
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_an_escape_is_a_space_or_a_backslash_and_a_letter(text, value, depth):
    payload = text.format(value)
    for _ in range(depth):
        payload = json.dumps({"content": payload}, ensure_ascii=depth % 2 == 0)
    guard = Guard(["rbell", "ndiaye", "Emma", "Jörg"])
    assert guard.search(payload.encode()) and guard.search(payload)


@given(st.text(min_size=4, max_size=9), st.binary(max_size=3), st.sampled_from("\n ,.:"))
def test_short_tokens_of_base64_are_read_as_long_ones_are(value, before, between):
    guard = Guard([value])
    token = base64.b64encode(value.encode("utf-8", "surrogatepass")).decode()
    blocks = between.join(["the", "answer", token, token.rstrip("="), "question", before.hex()])
    assert guard.search(value) == guard.search(blocks) or not value.isprintable()


@pytest.mark.parametrize(
    "harmless",
    [
        "you will see in may what 7 people can do", "an annex", "1997, 27, 17", "the year 2019 on the wire",
        "<name-1> and <first_name-2>", "Emmas Williamson", "harts and minds of emmawilliamsport", "gemma williamson" , "emmanuel", "20 7946", "", "\x00\ud800", "a" * 10_000,
    ],
)  # fmt: skip
def test_ordinary_text_passes(harmless):
    GUARD.check(harmless)


def test_weak_values_are_found_as_written_in_the_task():
    assert [(h.start, h.end) for h in GUARD.find("Will came; you will. ANN at 7.")] == [(0, 4), (21, 24), (28, 29)]
    with pytest.raises(LeakError):
        GUARD.check_text("meet at 7", "The task")
    GUARD.check("meet at 7")


@pytest.mark.parametrize(
    ("value", "weak"),
    [
        ("Ann", True),
        ("7", True),
        ("2019", True),
        ("20190", False),
        ("Will", True),
        ("Emma", False),
        ("Li", True),
        ("email", True),
    ],
)
def test_weakness(value, weak):
    assert is_weak(value) is weak


def test_found_between_tags():
    with pytest.raises(LeakError):
        GUARD.check("<p>Dear <b>Emma</b> Williams</p>")


def test_what_the_other_side_said_may_be_quoted():
    GUARD.check("The answer was: Emma Williams", quoted=["I think of Emma  Williams"])
    with pytest.raises(LeakError):
        GUARD.check("Emma Williams, +44 20 7946 0958", quoted=["Emma Williams"])


def test_fixed_prompts_are_no_leak():
    guard = Guard(["Medicine", "Oslo Clinic"], fixed=["You are an expert in Medicine."])
    guard.check("You are an expert in Medicine.")
    with pytest.raises(LeakError):
        guard.check("Oslo Clinic")
    with pytest.raises(LeakError):
        guard.check_text("my file at Medicine", "The task")


@given(st.text(max_size=80), st.text(max_size=80))
def test_no_text_breaks_it(before, after):
    GUARD.find(before)
    with pytest.raises(LeakError):
        GUARD.check(f"{before} Emma Williams {after}")


def test_empty_guard_lets_pass():
    Guard([]).check(b"anything")
    assert Guard([]).find("anything") == []


def test_placeholders_are_no_values():
    guard = Guard(["3", "Emma Williams"], placeholders=["<name-3>", "<name-1>"])
    assert guard.find("<name-3> and <name-1>") == []
    assert len(guard.find("<name-3> has 3")) == 1
    assert guard.find("Emma <name-1> Williams") == [], "what stands on both sides of a placeholder is not joined"
    assert len(guard.find("<name-4> 3")) == 1
    guard.check('{"a": "\\u003cname-3\\u003e"}')


def test_letters_with_a_stroke():
    guard = Guard(["Jørgen Łukasz", "Ægir Đorđe"])
    assert guard.find("JORGEN LUKASZ") and guard.find("aegir dorde")


@pytest.mark.slow
@pytest.mark.parametrize(
    "hostile",
    ["/Ag" * 60_000, "\\" * 200_000, "&" * 200_000, "<a " * 60_000, "%4" * 80_000, "ab " * 60_000, "4 " * 90_000, "\u0130" * 90_000,
     "W/" * 90_000, "<name-" * 40_000, "ＷＷ" * 60_000],
)  # fmt: skip
def test_hostile_payloads_pass_through(hostile):
    """A quadratic step would take hours here."""
    GUARD.check(hostile)
    with pytest.raises(LeakError):
        GUARD.check(hostile + " Emma Williams")


@given(
    st.lists(st.sampled_from([*VALUES, "Emma", "Will", "<name-1>", " ", "é", "\ue000", "x", "\U0001f600", "\ud800"]))
)
def test_offsets_of_hits_fit_the_text(parts):
    text = "".join(parts)
    for hit in GUARD.find(text):
        assert 0 <= hit.start < hit.end <= len(text)
        assert fold(text[hit.start : hit.end])


@given(st.text(max_size=60))
def test_origins_and_folding_agree(text):
    folded = fold(text)
    assert folded == "".join(fold_char(char) for char in text)
    assert len(origins(text)) == len(folded)
    assert all(char in fold_char(text[at]) for char, at in zip(folded, origins(text), strict=True))


def test_many_values_of_every_length():
    values = [f"Person{number} Name{number * 7}" for number in range(3_000)] + ["x" * 5_000, "y" * 500_000]
    guard = Guard(values)
    assert [hit.value for hit in guard.find("we met person1234 name8638 there")] == [1234]
    assert guard.find("and " + "Y" * 500_000)


WORLD = [
    "王小明",
    "김민수",
    "山田太郎",
    "محمد الفاسي",
    "יוסף כהן",
    "Νίκος Παπαδόπουλος",
    "Владимир Кузнецов",
    "สมชาย ใจดี",
]


@pytest.mark.parametrize("value", WORLD)
@pytest.mark.parametrize("frame", ["我叫{}。", "{}は", "“{}”", "{}", "so {} it is", "제이름은{}입니다"])
def test_names_of_every_script_are_found_where_they_stand(value, frame):
    text = frame.format(value)
    if value in ("王小明", "山田太郎", "สมชาย ใจดี", "김민수") or not frame[:1].isalpha() or frame.startswith("so"):
        assert Guard([value]).find(text), text
        with pytest.raises(LeakError):
            Guard([value]).check(json.dumps({"content": text}))


@pytest.mark.parametrize(
    ("value", "form"),
    [
        ("محمد الفاسي", "ومحمد الفاسي"), ("محمد الفاسي", "لمحمد الفاسي"), ("יוסף כהן", "ליוסף כהן"),
        ("Владимир Кузнецов", "Владимир Кузнецова"), ("Кузнецов", "с Кузнецовым"), ("4417720", "٤٤١٧٧٢٠"),
        ("4417720", "４４１７７２０"), ("4417720", "४४१७७२०"), ("Emma Williams", "".join(chr(0xE0000 + ord(c)) for c in "Emma Williams")),
        ("Emma Williams", "".join(chr(0xE0100 + ord(c) - 16) for c in "Emma Williams")),
    ],
)  # fmt: skip
def test_inflections_digits_and_smuggled_letters(value, form):
    with pytest.raises(LeakError):
        Guard([value]).check(f"so {form} it is")


@pytest.mark.parametrize("harmless", ["بمحمدية الفاسية", "Кузнецовский завод", "小明的书", "王", "山田"])
def test_other_words_of_other_scripts_pass(harmless):
    Guard(["محمد الفاسي", "Кузнецов", "王小明", "山田太郎"]).check(harmless)


def layers():
    import quopri

    def lines(value):
        written = base64.b64encode(
            f"Dear Sir or Madam, this is a mail about {value} and so on and on".encode()
        ).decode()
        return "\r\n".join(written[at : at + 64] for at in range(0, len(written), 64))

    return {
        "json": json.dumps,
        "every letter, long escape": lambda v: "".join(f"\\U{ord(c):08x}" for c in v),
        "bytes of python": lambda v: "".join(f"\\x{b:02x}" for b in v.encode()),
        "bytes in octal": lambda v: "".join(f"\\{b:03o}" for b in v.encode()),
        "bytes in a list": lambda v: ", ".join(f"0x{b:02x}" for b in v.encode()),
        "quoted-printable": lambda v: quopri.encodestring(v.encode()).decode(),
        "old scripts": lambda v: "".join(f"%u{ord(c):04x}" for c in v),
        "url twice": lambda v: urllib.parse.quote(urllib.parse.quote(v)),
        "html twice": lambda v: html.escape("".join(f"&#{ord(c)};" for c in v)),
        "base64 twice": lambda v: base64.b64encode(base64.b64encode(v.encode())).decode(),
        "json in base64": lambda v: base64.b64encode(json.dumps({"name": v}).encode()).decode(),
        "base64 in a url": lambda v: urllib.parse.quote(base64.b64encode(v.encode()).decode(), safe=""),
        "html in json in base64": lambda v: base64.b64encode(json.dumps("".join(f"&#x{ord(c):x};" for c in v)).encode()).decode(),
        "lines of base64": lines,
    }  # fmt: skip


@pytest.mark.parametrize("name", layers())
@pytest.mark.parametrize("value", ["Zoë Müller-Ågård", "Jürgen Rübeaddo", *WORLD[:6]])
def test_found_in_encodings_of_encodings(name, value):
    for payload in (layers()[name](value), json.dumps({"content": f"so {layers()[name](value)} it is"})):
        with pytest.raises(LeakError):
            Guard([value]).check(payload)


def test_an_escape_has_four_digits_though_more_could_follow():
    """`\\u00fcbe` is `übe`: read as one sign of six digits the name is lost."""
    with pytest.raises(LeakError):
        Guard(["Jürgen Rübeaddo"]).check(json.dumps("Jürgen Rübeaddo"))


ALL_FORMS = [(group, name) for group, forms in FORMS.items() for name in forms]
LETTERS = ["Emma Williams", "Zoë Müller-Ågård", "Jürgen Rübeaddo", "Владимир Кузнецов", "محمد الفاسي", "สมชาย ใจดี"]


@pytest.mark.parametrize(("group", "name"), ALL_FORMS)
@pytest.mark.parametrize("value", [*VALUES, *LETTERS[2:]])
def test_every_normal_form_is_found(group, name, value):
    form = FORMS[group][name](value)
    guard = Guard([value])
    for payload in (
        f"so {form} it is",
        json.dumps({"messages": [{"role": "user", "content": f"so {form} it is"}]}, ensure_ascii=False).encode(),
        json.dumps({"content": form}).encode(),
    ):
        assert guard.search(payload), payload


def test_the_docs_name_every_normal_form():
    docs = (Path(__file__).parents[3] / "docs" / "security.md").read_text("utf-8")
    for group, forms in FORMS.items():
        row = next((line for line in docs.splitlines() if line.startswith(f"| {group} |")), "")
        assert row.split("|")[2].strip() == "; ".join(forms), f"docs/security.md: the row of {group!r}"


def test_short_values_are_not_searched_in_ciphers():
    """Backwards and in rot13 they are other words: `Leon` and `Noel`, `Green` and `terra`."""
    guard = Guard(["Leon", "Terra"])
    assert not guard.search("Noel saw the green hills") and SHORTEST_CIPHERED > 5


def test_the_invisible_characters_are_unicodes():
    regex = pytest.importorskip("regex")
    known = regex.compile(r"\p{Default_Ignorable_Code_Point}")
    assert {code for code in range(0x110000) if not 0xD800 <= code < 0xE000 and known.match(chr(code))} == IGNORABLE


def test_no_invisible_character_hides_a_value():
    guard = Guard(["Emma Williams"])
    for code in sorted(IGNORABLE):
        hidden = chr(code).join("Emma Williams")
        assert guard.find(f"so {hidden} it is"), hex(code)
        assert not guard.find(f"so {chr(code).join('Emma Willson')} it is"), hex(code)


@pytest.mark.parametrize("write", ["tags as letters", "variation selectors as bytes"])
@pytest.mark.parametrize("frame", ["{}", "\U0001f600{}", "\u2764\ufe0f and {} \u2764\ufe0f", "\x1f{}"])
def test_what_invisible_characters_carry_is_read(write, frame):
    form = frame.format(FORMS["invisible characters"][write]("Emma Williams"))
    for payload in (form, json.dumps({"content": form}).encode(), json.dumps(form, ensure_ascii=False).encode()):
        assert Guard(["Emma Williams"]).search(payload)
    between = "".join(f"h{sign}" for sign in form)
    assert Guard(["Emma Williams"]).search(between), "between the letters of another text"


def test_tags_between_letters_hide_nothing():
    tags = "".join(chr(0xE0000 + ord(c)) for c in "quietlyquiet")
    assert Guard(["Emma Williams"]).search("".join(a + b for a, b in zip("Emma Williams", tags, strict=False)) + "s")


@pytest.mark.parametrize("seed", range(3))
def test_random_bytes_hold_no_name(seed):
    """A picture in base64 is half a million chances to look like text."""
    rng = random.Random(seed)
    guard = Guard(["Emma Williams", "Thomas", "Quornbeck", "+44 20 7946 0958", "Владимир", "19.07.1984"])
    raw = rng.randbytes(300_000)
    for written in (base64.b64encode(raw).decode(), raw.hex(), base64.b32encode(raw[:100_000]).decode()):
        assert not guard.search(json.dumps({"image": written}).encode())


@pytest.mark.slow
@pytest.mark.parametrize(
    "hostile",
    ["<!--" * 60_000, "&#" * 100_000, "%25" * 80_000, "=20" * 80_000, "-A" * 100_000, "A1" * 120_000, "00000000: " * 30_000,
     "69, " * 60_000, "\U000e0041" * 60_000, "\ufe0f" * 80_000, "01" * 120_000, "QQ==" * 60_000, "\\u0041" * 40_000, "Zz" * 120_000],
)  # fmt: skip
def test_hostile_payloads_take_time_in_proportion(hostile):
    guard = Guard(["Emma Williams"])
    half, whole = (min(_spent(guard, text) for _ in range(2)) for text in (hostile[: len(hostile) // 2], hostile))
    assert whole < 4 * half + 0.5
    with pytest.raises(LeakError):
        guard.check(hostile + " Emma Williams")


def _spent(guard, text):
    began = time.thread_time()
    assert not guard.search(text)
    return time.thread_time() - began


def test_a_whole_name_that_may_leave_is_excused_after_a_line_end_of_json_and_its_parts_where_the_model_said_it():
    guard = Guard(["Marie Kendrick", "Marie"], kept=["Marie Curie"])
    whole = json.dumps({"task": "poster\nMarie Curie won"})
    for payload in (whole, whole.encode()):
        guard.check(payload)
    said = json.dumps({"answer": "Marie said so"})
    guard.check(said, quoted=["Marie Curie won two prizes."])
    for payload in (said, json.dumps({"task": "poster\nMarie Kendrick"}), json.dumps({"task": "xMarie Curie, Marie"})):
        with pytest.raises(LeakError):
            guard.check(payload)


def searches_of(guard: Guard, payload: str | bytes) -> int:
    """Return how often a payload is searched when it is checked once more."""
    with patch.object(Guard, "_forms_in", autospec=True, side_effect=Guard._forms_in) as searched:
        guard.check(payload)
    return searched.call_count


def test_the_same_payload_is_searched_once_for_the_same_values():
    guard = Guard(["Emma Williams"], placeholders=["<name-1>"])
    assert [searches_of(guard, "POST /v1/chat <name-1>") for _ in range(3)] == [1, 0, 0]
    # As bytes it is read otherwise, and another text is another.
    assert [searches_of(guard, one) for one in (b"POST /v1/chat <name-1>", "POST /v1/chat <name-2>")] == [1, 1]


def test_what_was_clean_is_searched_for_values_that_come_and_where_less_is_excused():
    text = "a letter to Emma Williams, and from Zoe Lindqvist"
    kept = Guard(["Emma Williams"], kept=["Emma Williams"])
    kept.check(text)
    for guard in (kept.with_more(["Zoe Lindqvist"]), kept.excusing((), (), ())):
        for _ in range(2):
            with pytest.raises(LeakError):
                guard.check(text)
    kept.check(text)


def test_what_was_said_elsewhere_is_searched_each_time():
    guard = Guard(["Emma Williams"])
    for _ in range(2):
        guard.check("so Emma Williams says", quoted=["Emma Williams"])
        with pytest.raises(LeakError):
            guard.check("so Emma Williams says")


def test_a_guard_remembers_a_bounded_number_of_payloads():
    guard = Guard(["Emma Williams"])
    for number in range(3 * _MOST_CLEAN):
        guard.check(f"text {number}")
    assert len(guard._clean) <= _MOST_CLEAN
