"""Tests of dates that move by whole weeks: what leaves, what comes back, what stays."""

import itertools
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gama import Anonymizer, Options, PrivacyBox
from gama.privacy.pipeline import Pipeline
from gama.state.box import Shift
from gama.state.entities import Entity
from gama.state.restoring import Restoring
from gama.tools.formulas.values import Day
from gama.tools.placeholders import dates
from gama.tools.placeholders.mapping import map_text, place
from gama.tools.placeholders.remapping import remap_text
from gama.tools.placeholders.shifted import keep_clear
from gama.tools.styles.shift import FEWEST, MOST, draw
from gama.tools.styles.writer import write_by_options

MOVING = Options(strategies={"DATETIME": "shift"})
LETTER = (
    "Dear Emma Williams, your appointment on Monday, 12 May 2025 is moved to 26 May 2025. You were born on 3 July 1984. "
    "The course is from 12 to 16 May 2025. Since the law of 1 January 2020 I pay more."
)
WRITTEN = {
    "en": ("{d} {MMMM} {y}", "{MMMM} {d}, {y}", "{EEEE}, {d} {MMMM} {y}", "{d~th} of {MMMM} {y}", "{y}-{MM}-{dd}"),
    "de": ("{d}. {MMMM} {y}", "{dd}.{MM}.{y}", "{EEEE}, den {d}. {MMMM} {y}", "{d}.{M}.{y}"),
    "fr": ("{d} {MMMM} {y}", "{EEEE} {d} {MMMM} {y}", "{dd}/{MM}/{y}"),
    "es": ("{EEEE} {d} de {MMMM} de {y}", "{d} de {MMMM} de {y}"),
    "it": ("{d} {MMMM} {y}",),
    "pl": ("{d} {MMMM} {y}", "{d} {R} {y}"),
}
NOTATIONS = [(language, look) for language, looks in WRITTEN.items() for look in looks]
DAYS = st.dates(date(1930, 1, 1), date(2060, 12, 31))


def say(day: date, language: str, look: str) -> str:
    """Write a date in a notation."""
    return dates._write(dates.Read(Day(day, "day", look), language), look, day)


def boxed(texts: list[str], *, weeks: int = -30, clear: list[str] = [], locale: str = "en") -> PrivacyBox:  # noqa: B006
    """Return a box in which dates have moved by a known number of weeks."""
    box = PrivacyBox(shift=Shift(weeks=weeks, locale=locale, clear=clear))
    write_by_options(box, " ; ".join([*texts, *clear]), MOVING)
    for text in texts:
        box.add(text, "date_of_birth" if "1984" in text else "date")
    return box


def in_pieces(box: PrivacyBox, reply: str, size: int) -> tuple[str, tuple[str, ...]]:
    """Restore a reply that comes in chunks of a size."""
    stream = box.restorer(Restoring())
    out = [stream.feed(reply[at : at + size]) for at in range(0, len(reply), size)]
    return "".join([*out, stream.close()]), tuple(stream.unresolved)


class TestWhatLeaves:
    """The dates of a letter, moved."""

    @pytest.mark.parametrize(
        ("text", "moved"),
        [
            ("12 May 2025", "14 October 2024"),
            ("12.05.2025", "14.10.2024"),
            ("May 12th, 2025", "October 14th, 2024"),
            ("1st of March 2025", "3rd of August 2024"),
            ("2025-05-12", "2024-10-14"),
            ("2025-05-12T14:30", "2024-10-14T14:30"),
            ("lunes 12 de mayo de 2025", "lunes 14 de octubre de 2024"),
            ("12 MAY 2025", "14 OCTOBER 2024"),
            ("monday 12 may 2025", "monday 14 october 2024"),
            ("12 mai 2025", "14 octobre 2024"),
            ("Sept. 3, 2025", "Feb. 5, 2025"),
            ("12 to 16 May 2025", "14 to 18 October 2024"),
            ("28 May to 2 June 2025", "30 October to 4 November 2024"),
            ("May 12–16, 2025", "October 14–18, 2024"),
            ("26 to 30 May 2025", "28 October 2024 to 1 November 2024"),
            ("28.07.–03.08.2025", "30.12.2024–05.01.2025"),
            ("12, 19 and 26 May 2025", "14, 21 and 28 October 2024"),
            ("30 December 2025 – 2 January 2026", "3 June 2025 – 6 June 2025"),
            ("Monday 12 to Friday 16 May 2025", "Monday 14 to Friday 18 October 2024"),
        ],
    )
    def test_in_the_notation_of_the_letter(self, text, moved):
        assert dates.moved(text, dates.notation([text], "en"), -30) == moved

    @pytest.mark.parametrize(
        "text",
        ["03/04/2026", "12 May", "May 2025", "2025", "Monday", "Monday 13 May 2025", "twelfth of May 2025", "31 April 2025",
         "12 or so May 2025", "a.d. 2025-13-40", "12 May 1500"],
    )  # fmt: skip
    def test_what_cannot_be_read_with_certainty_keeps_its_tag(self, text):
        assert boxed([text]).placeholder(text) == "<date-1>"

    def test_the_notation_of_the_letter_tells_day_from_month(self):
        known = dates.notation(["03/04/2026", "on 25/04/2026"], "en")
        assert dates.moved("03/04/2026", known, -52) == "04/04/2025"

    def test_a_birth_in_two_digits_keeps_its_tag(self):
        assert dates.moved("12.05.31", dates.notation([], "de"), -30, birth=True) is None

    @given(DAYS, DAYS, st.sampled_from(NOTATIONS), st.sampled_from(NOTATIONS), st.integers(-MOST, -FEWEST))
    def test_intervals_order_and_weekdays_hold(self, one, two, here, there, weeks):
        known = dates.Notation(here[0], True)
        seen = []
        for day, (language, look) in ((one, here), (two, there)):
            text = dates.moved(say(day, language, look), known, weeks)
            assert text is not None
            (found,) = dates.full_days(text, known)
            assert found.weekday() == day.weekday()
            seen.append(found)
        assert seen[1] - seen[0] == two - one
        assert seen[0] - one == timedelta(weeks=weeks)

    def test_the_number_is_drawn_so_that_no_day_becomes_another(self):
        first = date(2025, 5, 12)
        days = {first - timedelta(weeks=weeks) for weeks in range(MOST + 1) if weeks != 77}
        assert {draw(days | {first}) for _ in range(20)} <= set(range(-MOST, -FEWEST + 1))
        few = {first, first - timedelta(weeks=20)}
        drawn = {draw(few) for _ in range(400)}
        assert -20 not in drawn
        assert 0 not in drawn
        assert len(drawn) > 50

    def test_a_letter(self):
        view = Anonymizer(MOVING).anonymize(LETTER)
        assert "<date" not in view.text
        assert "1 January 2020" in view.text
        for real in ("12 May 2025", "26 May 2025", "3 July 1984", "12 to 16", "May 2025"):
            assert real not in view.text
        assert Anonymizer(MOVING).restore(view.text, view.box).text == LETTER

    def test_a_day_that_the_finders_miss_in_another_notation_is_hidden_too(self):
        text = f"{LETTER} Ref: 2025-05-12T14:30, also 12.05.2025, again 2025/05/12 and on 12 May."
        view = Anonymizer(MOVING).anonymize(text)
        for real in ("2025-05-12", "12.05.2025", "2025/05/12", "12 May"):
            assert real not in view.text
        assert Anonymizer(MOVING).restore(view.text, view.box).text == text


class TestWhatComesBack:
    """Dates in answers."""

    @pytest.mark.parametrize(
        ("reply", "restored", "reported"),
        [
            ("It is on 14 October 2024.", "It is on 12 May 2025.", ()),
            ("It is on Monday, October 14th, 2024.", "It is on Monday, May 12th, 2025.", ()),
            ("Es ist der 14.10.2024.", "Es ist der 12.05.2025.", ()),
            ("C'est le lundi 14 octobre 2024.", "C'est le lundi 12 mai 2025.", ()),
            ("From 2024-10-14 on", "From 2025-05-12 on", ()),
            ("By 14 October you", "By 12 May you", ()),
            ("By Monday, 14 October, you", "By Monday, 12 May, you", ()),
            ("Pay by 28 October 2024.", "Pay by 26 May 2025.", ()),
            ("Pay by 28 October!", "Pay by 26 May!", ()),
            ("from 14 to 28 October 2024", "from 12 to 26 May 2025", ()),
            ("from 14 October to 4 November 2024", "from 12 May to 2 June 2025", ()),
            ("on 14, 21 and 28 October 2024", "on 12, 19 and 26 May 2025", ()),
            ("28 October 2024 or 4 November 2024", "26 May 2025 or 2 June 2025", ()),
            ("in twenty years, on 14 October 2044", "in twenty years, on 12 May 2045", ()),
            ("The law of 1 January 2020 holds.", "The law of 1 January 2020 holds.", ()),
            ("The French Revolution began on 14 July 1789.", "The French Revolution began on 14 July 1789.",
             ("14 July 1789",)),
            ("On 2 February 2025 it ends.", "On 2 February 2025 it ends.", ("2 February 2025",)),
            ("In October 2024 you", "In October 2024 you", ("October 2024",)),
            ("In 2024 you", "In 2024 you", ("2024",)),
            ("On 10/11/2024 you", "On 10/11/2024 you", ("10/11/2024",)),
            ("You may 2 times, 3 of them in 2019 for 14 days", "You may 2 times, 3 of them in 2019 for 14 days", ()),
        ],
    )  # fmt: skip
    def test_whole_and_in_pieces(self, reply, restored, reported):
        box = boxed(["12 May 2025", "3 July 1984"], clear=["1 January 2020", "2 February 2025"])
        whole = remap_text(reply, box)
        assert (whole.text, whole.unresolved) == (restored, reported)
        for size in (1, 2, 3, 5, 8, 13):
            assert in_pieces(box, reply, size) == (restored, reported)

    def test_what_was_reckoned_is_told(self):
        told = remap_text("Pay by 28 October 2024, <name-9>.", boxed(["12 May 2025"]))
        assert told.mended == ("28 October 2024",)
        assert told.unused == ("14 October 2024",)

    def test_another_notation_means_the_entry(self):
        assert remap_text("2024-10-14", boxed(["12 May 2025"])).unused == ()

    def test_strict_restores_exact_ones_alone(self):
        box = boxed(["12 May 2025"])
        told = remap_text("14 October 2024, 2024-10-14, 10 to 14 October 2024", box, "strict")
        assert told.text == "12 May 2025, 2024-10-14, 10 to 14 October 2024"
        assert told.unresolved == ("2024-10-14", "10 to 14 October 2024")

    def test_formulas_reckon_with_the_real_dates(self):
        box = boxed(["12 May 2025"])
        reply = (
            "It ends on {{ max(2024-10-14, 2024-10-28) }}, {{ days(2024-10-14, 2024-10-28) }} later: {{ 2024-10-28 }}."
        )
        done = Pipeline(MOVING).reckon(reply, box, LETTER, "")
        assert done.unresolved == ()
        assert done.box.restore(done.text).text == ("It ends on May 26, 2025, 14 later: {{ 2025-05-26 }}.")

    def test_values_of_other_styles_are_not_moved(self):
        options = Options(strategies={"date": "tag", "date_of_birth": "shift"})
        box = PrivacyBox(shift=Shift(weeks=-30))
        write_by_options(box, "12 May 2025, 3 July 1984", options)
        assert box.add("12 May 2025", "date") == "<date-1>"
        assert box.add("3 July 1984", "date_of_birth") == "6 December 1983"
        assert remap_text("<date-1>, 6 December 1983, 14 October 2024", box).text == (
            "12 May 2025, 3 July 1984, 14 October 2024"
        )

    @given(
        st.lists(st.tuples(DAYS, st.sampled_from(NOTATIONS), st.booleans()), min_size=1, max_size=5),
        st.integers(-MOST, -FEWEST),
        st.lists(st.sampled_from([" ", ", ", " and ", " to ", "; then by ", ".\n", " – "]), min_size=6, max_size=6),
    )
    def test_every_text_comes_back(self, told, weeks, joints):
        text, entities = "Dear Ann,", []
        for (day, (language, look), private), joint in zip(told, joints, strict=False):
            text += joint
            shown = say(day, language, look)
            if private:
                entities.append(Entity.at(text + shown, len(text), len(text) + len(shown), "date"))
            text += shown
        box = PrivacyBox(shift=Shift(weeks=weeks))
        write_by_options(box, text, MOVING)
        box.register(entities)
        mapped = map_text(text, box, [(entity.start, entity.end) for entity in entities])
        keep_clear(box, mapped.text, mapped.placed)
        mapped = place(text, mapped, box)
        assert remap_text(mapped.text, box).text == text
        again = PrivacyBox.model_validate_json(box.model_dump_json())
        for size in (1, 4, 9):
            assert in_pieces(again, mapped.text, size)[0] == text

    @given(
        st.lists(
            st.sampled_from(
                ["14 October 2024", "14", "28", "October", "Oct", " ", ", ", "and", " to ", "–", "-", "2024", "/", ".", "May",
                 "th", "Monday", "the", "\n", "a", "2024-10-14", "14.10.2024", "<date-1>", "1 January 2020", "de", "I"]
            ),
            max_size=40,
        ).map("".join),
        st.integers(1, 12),
    )  # fmt: skip
    def test_a_stream_gives_what_the_whole_gives(self, reply, size):
        box = boxed(["12 May 2025", "12 May"], clear=["1 January 2020"])
        whole = remap_text(reply, box)
        assert in_pieces(box, reply, size) == (whole.text, whole.unresolved)


class TestConversations:
    """One number for all turns."""

    def test_the_number_is_kept_over_turns_and_files(self, tmp_path):
        anonymizer = Anonymizer(MOVING)
        first = anonymizer.anonymize(
            "Dear Emma Williams, your appointment is on 12 May 2025. You were born on 3 July 1984."
        )
        weeks = first.box.shift.weeks
        assert -MOST <= weeks <= -FEWEST
        first.box.save(tmp_path / "letter.box", home=tmp_path)
        box = PrivacyBox.load(tmp_path / "letter.box", home=tmp_path)
        second = anonymizer.anonymize("My next appointment is on 9 June 2025.", box=box)
        assert second.box.shift.weeks == weeks
        (moved,) = dates.full_days(second.text, dates.Notation("en", None))
        assert moved - date(2025, 6, 9) == timedelta(weeks=weeks)
        assert str(weeks) not in repr(second.box)

    def test_two_conversations_have_numbers_of_their_own(self):
        drawn = {Anonymizer(MOVING).anonymize("I was born on 3 July 1984.").box.shift.weeks for _ in range(8)}
        assert len(drawn) > 1

    def test_without_the_style_no_number_is_drawn(self):
        assert Anonymizer().anonymize(LETTER).box.shift is None

    def test_a_later_text_with_a_day_to_which_another_moved(self):
        box = boxed(["12 May 2025"])
        text = "I was born on 14 October 2024 in Leeds."
        view = Anonymizer(MOVING).anonymize(text, box=box)
        assert "14 October 2024" not in view.text
        assert view.box.restore(view.text).text == text


@pytest.mark.slow
def test_pieces_of_all_sizes_are_bounded():
    """A flood of what dates are made of takes a time that grows with the length alone, and holds a stream back a little."""
    box = boxed(["12 May 2025"])
    for flood in ("12, ", "12 May to ", "May ", "Monday, ", "2024 "):
        stream = box.restorer(Restoring())
        held = 0
        for piece in itertools.repeat(flood, 300):
            stream.feed(piece)
            held = max(held, len(stream.held))
        assert held <= 3 * dates.LONGEST
