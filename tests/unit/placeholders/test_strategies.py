"""Placeholder strategies: no two collide, restoring works, surrogates are no real values, classes are reported."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gama import Anonymizer, Options
from gama.guard.folding import fold
from gama.privacy.box import PrivacyBox
from gama.privacy.finders import Finders
from gama.privacy.pipeline import Pipeline
from gama.state.entities import SUBTYPES, TYPE_OF, Entity
from gama.state.errors import OptionError
from gama.tools.placeholders.remapping import remap_text
from gama.tools.placeholders.stream import restore_stream

REAL = {
    "full_name": [
        "Emma Williams",
        "EMMA WILLIAMS",
        "Jan van der Berg",
        "Williams, Emma",
        "José Núñez",
        "Li Na",
        "田中花子",
    ],
    "first_name": ["Emma", "emma", "Olivia", "Jan"],
    "last_name": ["Williams", "Bennett", "O'Neil", "Smith-Jones"],
    "phone": ["+44 7911 123456", "020 7946 0958", "112"],
    "email": ["emma@corp.example", "x@y.z"],
    "iban": ["GB29 NWBK 6016 1331 9268 19", "DE89370400440532013000"],
    "credit_card": ["4111 1111 1111 1111"],
    "ssn": ["536-22-1234", "12345"],
    "city": ["Leeds", "Kraków", "Paris"],
    "street_address": ["12 Baker Street", "Hauptstr. 5"],
    "company": ["Acme Ltd", "Bennett Group"],
    "age": ["40", "7"],
    "date": ["12 March 2024", "2024-03-12", "03/04/2021", "May"],
    "income": ["€42,000", "$1"],
    "religion": ["Quaker"],
}
WORDS = [
    " ",
    "\n",
    ", ",
    ".",
    "x",
    "the ",
    "'s",
    "-",
    "<",
    ">",
    "<name-1>",
    "<name>",
    "Bennett",
    "Street",
    "40",
    "Olivia",
]
STYLES = ["tag", "enriched", "surrogate"]


@st.composite
def letters(draw: st.DrawFn) -> tuple[str, list[Entity]]:
    text, found = "", []
    for _ in range(draw(st.integers(1, 9))):
        text += "".join(draw(st.lists(st.sampled_from(WORDS), max_size=2)))
        subtype = draw(st.sampled_from(sorted(REAL)))
        surface = draw(st.sampled_from(REAL[subtype]))
        start = len(text)
        text += surface
        if draw(st.booleans()) or draw(st.booleans()):
            found.append(
                Entity(
                    text=surface,
                    start=start,
                    end=len(text),
                    type=TYPE_OF[subtype],
                    subtype=subtype,
                    subject=draw(st.sampled_from(["A", "B", None])),
                )  # fmt: skip
            )
    return text + draw(st.sampled_from(WORDS)), found


def nothing(text: str) -> list:
    return []


def hide(text: str, found: list[Entity], options: Options, box: PrivacyBox | None = None):
    engine = Pipeline(options, Finders(lambda o: nothing, lambda o: nothing))
    return engine.replace(text, found, PrivacyBox(style=options.style) if box is None else box)


choices = st.one_of(
    st.sampled_from(STYLES),
    st.dictionaries(st.sampled_from([*SUBTYPES, *REAL, "all"]), st.sampled_from(STYLES), max_size=5),
)


@pytest.mark.slow
@settings(max_examples=150)
@given(letters(), letters(), choices, st.sampled_from(["v1", "v2"]), st.integers(0, 3))
def test_no_two_collide_and_all_come_back(first, second, strategies, style, seed):
    options = Options(strategies=strategies, style=style, seed=seed)
    one = hide(*first, options)
    two = hide(*second, options, one.box.model_copy(deep=True))
    kept = PrivacyBox.model_validate_json(two.box.model_dump_json())
    for out, (text, _) in ((one, first), (two, second)):
        for mode in ("tolerant", "strict"):
            assert remap_text(out.text, out.box, mode).text == text
        assert remap_text(out.text, out.box if out is one else kept).text == text
        chunks = [out.text[at : at + 3] for at in range(0, len(out.text), 3)]
        assert "".join(restore_stream(chunks, out.box)) == text
    entries = two.box.entries
    assert len({e.placeholder for e in entries}) == len(entries) == len({e.surface for e in entries})
    assert len({e.tag or e.placeholder for e in entries}) == len(entries)
    for n, entry in enumerate(entries):
        if not entry.surrogate:
            continue
        # Another spelling of a value may have another spelling of its surrogate; nothing else comes near.
        twins = [e for e in entries[:n] if e.surrogate and fold(e.placeholder) == fold(entry.placeholder)]
        assert all(fold(e.surface) == fold(entry.surface) for e in twins)
    for entry in one.box.entries:
        if entry.surrogate:
            assert entry.placeholder not in first[0]
            assert entry.placeholder not in {e.surface for e in one.box.entries}


@pytest.mark.slow
@settings(max_examples=60)
@given(letters(), st.sampled_from(["PER", "CODE", "all"]))
def test_irreversible_ones_stay_away_and_the_rest_comes_back(case, kind):
    text, found = case
    options = Options(strategies={"all": "surrogate", kind: "irreversible"})
    out = hide(text, found, options)
    kept = PrivacyBox.model_validate_json(out.box.model_dump_json())
    lost = [e for e in kept.entries if not e.reversible]
    restored = remap_text(out.text, kept).text
    assert (restored == text) == (not any(e.placeholder in out.text for e in lost))
    for entry in lost:
        assert entry.placeholder == f"<{entry.kind}>"


def test_an_irreversible_value_is_reported_and_not_in_the_file(tmp_path):
    anonymizer = Anonymizer(Options(strategies={"credit_card": "irreversible"}))
    view = anonymizer.anonymize("I am Thessaly Quornbeck, card 4111 1111 1111 1111.")
    assert view.text == "I am <name-1>, card <credit_card>."
    assert view.warnings == ["Irreversible by choice, no restoring brings these values back: 1 as <credit_card>."]
    view.box.save(tmp_path / "box", encrypt=False)
    assert b"4111" not in (tmp_path / "box").read_bytes() and b"Quornbeck" in (tmp_path / "box").read_bytes()
    assert anonymizer.restore(view.text, view.box).text == "I am Thessaly Quornbeck, card <credit_card>."


@pytest.mark.slow
def test_facts_of_enriched_tags():
    box = PrivacyBox()
    text = "Kraków; Emma; 12 March 2024; 43; GB29 NWBK 6016 1331 9268 19; 4111 1111 1111 1111; Poland; €42,000"
    kinds = ["city", "first_name", "date", "age", "iban", "credit_card", "country", "income"]
    found, at = [], 0
    for surface, sub in zip(text.split("; "), kinds, strict=True):
        at = text.index(surface, at)
        found.append(Entity(text=surface, start=at, end=at + len(surface), type=TYPE_OF[sub], subtype=sub))
    out = hide(text, found, Options(strategies="enriched"), box)
    assert out.text == (
        "<location-1 kind=city country=PL>; <first_name-1 gender=f>; <date-1 year=2024>; <age-1 group=40-49>; "
        "<iban-1 country=GB>; <credit_card-1 network=visa>; <location-2 kind=country continent=EU>; "
        "<amount-1 currency=EUR digits=5>"
    )
    for mangled in (
        "<Location-1 country = PL>",
        "[location-1, country: 'PL']",
        "&lt;location-1 country=PL&gt;",
        "<location-1>",
    ):
        assert remap_text(f"in {mangled}!", box).text == "in Kraków!"


def test_a_fact_that_is_a_value_is_left_out():
    text = "PL: Kraków"
    found = [
        Entity(text="PL", start=0, end=2, type="CODE", subtype="other_id"),
        Entity(text="Kraków", start=4, end=10, type="LOC", subtype="city"),
    ]
    assert hide(text, found, Options(strategies={"city": "enriched"})).text == "<id_number-1>: <location-1 kind=city>"


def test_surrogates_keep_gender_culture_and_validity():
    from stdnum import iban, luhn

    from gama.tools.styles.names import culture_of, surrogate_name

    anonymizer = Anonymizer(Options(strategies="surrogate"))
    text = (
        "Emma Williams (card 4111 1111 1111 1111, IBAN DE89 3704 0044 0532 0130 00, phone +44 7911 123456) met "
        "Giuseppe Esposito. Emma was glad. EMMA WILLIAMS signed."
    )
    view = anonymizer.anonymize(text)
    other = {entry.surface: entry.placeholder for entry in view.box.entries}
    assert culture_of(other["Emma Williams"]).gender == "f"
    assert culture_of(surrogate_name("Giuseppe Esposito", "full_name", {}, Random(1))) == ("it_IT", "m")
    first, last = other["Emma Williams"].split()
    assert other["Emma"] == first and other["EMMA WILLIAMS"] == f"{first} {last}".upper()
    assert luhn.is_valid(other["4111 1111 1111 1111"].replace(" ", ""))
    assert iban.is_valid(other["DE89 3704 0044 0532 0130 00"]) and other["+44 7911 123456"].startswith("+44 7")
    reply = f"Dear Ms {last}, {first.upper()} and {first}'s card are fine."
    assert anonymizer.restore(reply, view.box).text == "Dear Ms Williams, EMMA and Emma's card are fine."
    assert anonymizer.anonymize(text).text == view.text, "the same input gives the same surrogates"


def test_a_card_in_full_width_digits_keeps_its_tag():
    anonymizer = Anonymizer(Options(strategies="surrogate"))
    view = anonymizer.anonymize("My card is ４１１１ １１１１ １１１１ １１１１.")
    assert view.text == "My card is <credit_card-1>."
    assert anonymizer.restore(view.text, view.box).text == "My card is ４１１１ １１１１ １１１１ １１１１."


def test_a_surrogate_that_becomes_real_later_gives_way_to_its_tag():
    anonymizer = Anonymizer(Options(strategies="surrogate"))
    one = anonymizer.anonymize("My name is Emma Williams.")
    name = one.box.placeholder("Emma Williams")
    two = anonymizer.anonymize(f"My friend {name} wrote to Emma Williams. {name.split()[0]}!", box=one.box)
    assert "<name-1>" in two.text and name not in two.text
    assert anonymizer.restore(two.text, two.box).text == f"My friend {name} wrote to Emma Williams. {name.split()[0]}!"


def test_a_style_of_a_plugin_sees_kinds_only(monkeypatch):
    from gama.tools import registry
    from gama.tools.contract import style_plugin
    from gama.tools.styles import writer

    class Room:
        name, reversible = "room", True

        def write(self, mention):
            assert mention.surface is None and mention.words == {}
            return f"⟦{mention.kind.upper()} {mention.number}⟧"

    load = registry.Registry.load.__func__

    def offered(cls, disabled=()):
        made = load(cls, disabled)
        made.add(style_plugin("room", Room))
        return made

    monkeypatch.setattr(registry.Registry, "load", classmethod(offered))
    writer.styles_named.cache_clear()
    anonymizer = Anonymizer(Options(strategies={"PER": "room"}))
    view = anonymizer.anonymize("My name is Thessaly Quornbeck, mail t@q.example.")
    assert view.text == "My name is ⟦NAME 1⟧, mail <email-1>."
    assert anonymizer.restore("Dear ⟦name 1⟧,", view.box).text == "Dear Thessaly Quornbeck,"
    writer.styles_named.cache_clear()


def test_unknown_names_are_told():
    with pytest.raises(
        OptionError,
        match="unknown style 'nice'; known names: enriched, generalised, irreversible, shift, surrogate, tag",
    ):
        Anonymizer(Options(strategies="nice")).anonymize("I am Thessaly Quornbeck.")
    with pytest.raises(OptionError, match="unknown type 'NOPE'"):
        Options(strategies={"NOPE": "tag"})


async def test_the_whole_graph_with_surrogates(home):
    from gama import Gama
    from tests.support import letters

    reply = await Gama(Options(strategies="surrogate"), keep=False).ainvoke(letters.PLANTED)
    assert not letters.hits(reply["anonymized"].encode()) and "<" not in reply["anonymized"].replace("<amount", "")
    assert "three months" in reply["answer"]
