"""Tables for contact data, addresses of machines, and secrets."""

from collections.abc import Callable

import pytest

from gama.tools.recognizers.base import Recognizer

Finder = Callable[[str, str], list[tuple[str, str]]]

POSITIVE = {
    "email": [
        ("write to ada.obi+bills@mail.example.com today", "ada.obi+bills@mail.example.com"),
        ("mailto:tom@host.example", "tom@host.example"),
        ("邮箱是li@例子.公司。", "li@例子.公司"),
        ("é.dupont@société.fr", "é.dupont@société.fr"),
        ("ann [at] host [dot] example", "ann [at] host [dot] example"),
        ("oyunaa(at)degraaf.example", "oyunaa(at)degraaf.example"),
        ("l***7@mailbox.example", "l***7@mailbox.example"),
        ("(a@b.co)", "a@b.co"),
    ],
    "phone": [
        ("call +44 20 7946 0958 now", "+44 20 7946 0958"),
        ("(555) 000-0000", "(555) 000-0000"),
        ("1-800-555-0142", "1-800-555-0142"),
        ("ring me: 07700 900 412", "07700 900 412"),
        ("07700 900 412 is mine", "07700 900 412"),
        ("Tel.: 01 42 68 53 00", "01 42 68 53 00"),
        ("电话13800138000", "13800138000"),
        ("+1 415 555 2671 ext. 12", "+1 415 555 2671 ext. 12"),
        ("office, ext. 4417", "4417"),
        ("+33\u202f6\u00a012\u00a034\u00a056\u00a078", "+33\u202f6\u00a012\u00a034\u00a056\u00a078"),
        ("phone ０３-１２３４-５６７８", "０３-１２３４-５６７８"),
        ("ice, call mum (07700900177 no answer)", "07700900177"),
        ("call me on oh one four one five five five oh two three four",
            "oh one four one five five five oh two three four"),
    ],
    "ip_address": [
        ("from 203.0.113.88 - -", "203.0.113.88"),
        ("addr=2001:db8::8a2e:370:7334;", "2001:db8::8a2e:370:7334"),
        ("[fe80::1]:80 up", "fe80::1"),
        ("subnet 10.12.0.0/16", "10.12.0.0/16"),
        ("服务器192.168.1.77上", "192.168.1.77"),
    ],
    "mac_address": [("MAC 3C:A9:F4:11:0E:7B", "3C:A9:F4:11:0E:7B"), ("00-1b-44-11-3a-b7", "00-1b-44-11-3a-b7")],
    "url": [
        ("see https://host.example/a?b=c.", "https://host.example/a?b=c"),
        ("(www.site.example/page)", "www.site.example/page"),
        ("my site lorelei-makes.example!", "lorelei-makes.example"),
        ("https://en.example/wiki/Foo_(bar)", "https://en.example/wiki/Foo_(bar)"),
        ("postgres://bob:pw@db.example/x", "postgres://bob:pw@db.example/x"),
    ],
    "api_key": [
        ("AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE"),
        ("export T=ghp_16C7e42F292c6912E7710c838347Ae178B4a", "ghp_16C7e42F292c6912E7710c838347Ae178B4a"),
        ("key sk-proj-abcDEF1234567890abcdEF12", "sk-proj-abcDEF1234567890abcdEF12"),
        ("sk_" "live_T51xRq0PzW8uEJ4nB", "sk_" "live_T51xRq0PzW8uEJ4nB"),
        ("Authorization: Bearer 9fK2mQ7pLx4Vb8Zt", "9fK2mQ7pLx4Vb8Zt"),
        ("POST /reset?token=rt_9ZkQ2mV77aLpX", "rt_9ZkQ2mV77aLpX"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"),
    ],
    "password": [
        ("password: Hunter2!", "Hunter2!"),
        ("pwd=abcd1234", "abcd1234"),
        ('the password is "blue heron"', "blue heron"),
        ("my PIN is 4921.", "4921"),
        ("Passwort: Vlinder!7-kaas", "Vlinder!7-kaas"),
        ("door code 2580*", "2580*"),
        ("密码：abc123xyz", "abc123xyz"),
        ("DB_PASSWORD=s3cret", "s3cret"),
    ],
    "password_hash": [
        ("a" * 3 + "b1c2d3e4f5" * 6 + "9", "a" * 3 + "b1c2d3e4f5" * 6 + "9"),
        ("hash 5f4dcc3b5aa765d61d8327deb882cf99", "5f4dcc3b5aa765d61d8327deb882cf99"),
    ],
    "handle": [
        ("follow @tokyo_drifter_jp please", "@tokyo_drifter_jp"),
        ("thanks u/ledgerlizard!", "u/ledgerlizard"),
        ("username: dash_monty", "dash_monty"),
        ("joy_lifts: hi\nbob: yo\njoy_lifts: bye", "joy_lifts"),
    ],
    "crypto_wallet": [
        ("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"),
        ("to bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"),
        ("0x7aF3b19C0e6D52f8A41bE93dC07752e1F0a8B6c4", "0x7aF3b19C0e6D52f8A41bE93dC07752e1F0a8B6c4"),
    ],
    "coordinates": [
        ("at 45.9871 N, 7.7013 E.", "45.9871 N, 7.7013 E"),
        ("12°26'N 043°24'E", "12°26'N 043°24'E"),
        ("-33.8688, 151.2093", "-33.8688, 151.2093"),
    ],
    "device_id": [
        ("IMEI 356938035643809", "356938035643809"),
        ("laptop serial C02XL0GZJGH6", "C02XL0GZJGH6"),
        ("id 123e4567-e89b-12d3-a456-426614174000", "123e4567-e89b-12d3-a456-426614174000"),
    ],
    "vehicle_plate": [
        ("plate BV12 KLO", "BV12 KLO"),
        ("Kennzeichen: OL-WH 60H", "OL-WH 60H"),
        ("red corsa BV12 KLO left", "BV12 KLO"),
    ],
}  # fmt: skip

NEGATIVE = {
    "email": ["@handle only", "a@b", "git@github:x/y", "https://user:secret@host.example/x", "meet at noon dot",
    "x@.com"],
    "phone": [
        "ISBN 978-3-16-148410-0", "order 1234567890", "version 10.0.19045.3803", "192.168.100.200", "2024-11-05 08:52",
        "05.11.2024", "1.500.000", "1999-2004", "12/11/2024", "case 20240117", "SKU 4006381333931",
    ],
    "ip_address": ["version 1.2.3.4", "v10.0.0.1", "300.1.1.1", "1.2.3", "1.2.3.4.5", "12:34:56", "12:34",
    "std::vector"],
    "mac_address": ["00:00:00:00:00:00", "3C:A9:F4:11:0E", "12:34:56"],
    "url": ["setup.py and notes.md", "e.g. this", "end.It begins", "a@host.example", "3.com5", "i.e."],
    "api_key": ["the key to success", "token economy", "a secret garden", "press any key to continue",
    "key results 2024"],
    "password": ["reset your password here", "password policy", "PIN number", "passwords must be long",
    "Pinterest 2024"],
    "password_hash": ["commit 9fceb02d0ae598e95dc970b74767f19372d61af8", "9fceb02", "f" * 64, "1" * 40],
    "handle": ["mail a@b.co", "@property\ndef x(self):", '@app.get("/")', "@everyone", "npm i @types/node",
    "user: hello"],
    "crypto_wallet": ["1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb", "0x1234", "bc1", "LloremIpsumDolorSitAmetConsectetur"],
    "coordinates": ["3.14, 2.72", "95.12345, 10.12345", "20 °C", "12.50, 13.50"],
    "device_id": ["serial killer", "the serial is broken", "asset management"],
    "vehicle_plate": ["the plate is full", "registration is open", "car 4", "PLATE"],
}  # fmt: skip


@pytest.mark.parametrize(("name", "text", "value"), [(n, t, v) for n, rows in POSITIVE.items() for t, v in rows])
def test_found(find: Finder, name: str, text: str, value: str) -> None:
    assert value in [found for found, _ in find(name, text)]


@pytest.mark.parametrize(("name", "text"), [(n, t) for n, rows in NEGATIVE.items() for t in rows])
def test_left_alone(find: Finder, name: str, text: str) -> None:
    assert find(name, text) == []


def test_pem_block(find: Finder) -> None:
    block = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA7\nabc=\n-----END RSA PRIVATE KEY-----"
    assert find("api_key", f"x\n{block}\ny") == [(block, "api_key")]
    assert find("api_key", "-----BEGIN PUBLIC KEY-----\nMIIE\n-----END PUBLIC KEY-----") == []


@pytest.mark.parametrize(
    ("text", "private"),
    [
        ("https://www.linkedin.com/in/ana-ruiz", 1.0),
        ("https://bob:pw@host.example/", 1.0),
        ("https://host.example/?email=a%40b.co", 1.0),
        ("https://host.example/users/42", 1.0),
        ("https://www.linkedin.com/company/acme", None),
        ("https://docs.example.org/guide", None),
    ],
)
def test_links_are_private_where_they_tell_of_a_user(
    built: dict[str, Recognizer], text: str, private: float | None
) -> None:
    [span] = built["url"].find(text)
    assert span.private == private


def test_public_and_own_addresses_differ(built: dict[str, Recognizer]) -> None:
    [other] = built["ip_address"].find("198.51.100.7")
    assert other.private == 1.0 and other.validated
    for nobody in ("127.0.0.1", "0.0.0.0", "255.255.255.0", "224.0.0.1"):
        [loop] = built["ip_address"].find(nobody)
        assert loop.private == 0.0 and not loop.validated


def test_default_region() -> None:
    from gama.tools.recognizers.phone import phone_recognizer

    text = "das war 0351 4416789 glaube ich"
    [span] = phone_recognizer("DE").find(text)
    assert text[span.start : span.end] == "0351 4416789"
    assert span.validated
