"""Formulas against independent reckoning: a result is right or refused, and nothing else ever happens."""

from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gama.tools.formulas.evaluate import check, evaluate
from gama.tools.formulas.syntax import Formula, FormulaStream, find_formulas
from gama.tools.formulas.values import Context, PrivateValue

MONTHS = {
    "en-GB": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "pl": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
}
DATES = {"en-GB": "{d} {m} {y}", "de": "{d}. {m} {y}", "es": "{d} de {m} de {y}", "pl": "{d} {m} {y}"}
MONEY = {
    "en-GB": ("£{}", ".", ","), "en-US": ("${}", ".", ","), "de": ("{} €", ",", "."), "nl": ("€ {}", ",", "."),
    "fr": ("{} €", ",", " "), "de-CH": ("CHF {}", ".", "'"), "pl": ("{} zł", ",", " "),
}  # fmt: skip
CENTS = st.integers(0, 10**9).map(lambda cents: Decimal(cents) / 100)
DAYS = st.dates(date(1900, 1, 1), date(2100, 12, 31))


def write_money(amount, locale):
    frame, decimal, group = MONEY[locale]
    whole, _, tail = f"{abs(amount):.2f}".partition(".")
    first = len(whole) % 3
    parts = ([whole[:first]] if first else []) + [whole[at : at + 3] for at in range(first, len(whole), 3)]
    return ("-" if amount < 0 else "") + frame.format(group.join(parts) + decimal + tail)


def write_day(day, locale):
    return DATES[locale].format(d=day.day, m=MONTHS[locale].split()[day.month - 1], y=day.year)


def cents(amount):
    return amount.quantize(Decimal("0.01"), ROUND_HALF_UP)


def bare(number):
    return number.replace(",", "").replace(".", "").replace("\u00a0", "").replace(" ", "")


def reckon(formula, locale, **values):
    box = {f"<{name.replace('_', '-')}>": PrivateValue(*value) for name, value in values.items()}
    done = evaluate("{{ " + formula + " }}", box, Context(locale))
    assert check("{{ " + formula + " }}", box, Context(locale)) == []
    return done.text if not done.unresolved else None


@settings(max_examples=60, deadline=None)
@given(CENTS, CENTS, st.sampled_from(sorted(MONEY)), st.integers(1, 400))
def test_sums_of_money(one, two, locale, count):
    values = {"amount_1": (write_money(one, locale), "amount"), "amount_2": (write_money(two, locale), "amount")}
    assert reckon("<amount-1> + <amount-2>", locale, **values) == write_money(one + two, locale)
    assert reckon("<amount-1> - <amount-2>", locale, **values) == write_money(one - two, locale)
    assert reckon("<amount-1> * 19%", locale, **values) == write_money(cents(one * 19 / 100), locale)
    assert reckon(f"<amount-1> / {count}", locale, **values) == write_money(cents(one / count), locale)
    assert reckon("max(<amount-1>, <amount-2>)", locale, **values) == write_money(max(one, two), locale)
    assert reckon('if <amount-1> < <amount-2> then "a" else "b"', locale, **values) == ("a" if one < two else "b")


@settings(max_examples=60, deadline=None)
@given(DAYS, DAYS, st.sampled_from(sorted(MONTHS)), st.integers(-2000, 2000))
def test_dates_in_words(one, two, locale, count):
    values = {"date_1": (write_day(one, locale), "date"), "date_2": (write_day(two, locale), "date")}
    assert bare(reckon("days(<date-1>, <date-2>)", locale, **values)) == str((two - one).days)
    assert reckon(f"<date-1> + {count} days".replace("+ -", "- "), locale, **values) == write_day(
        one + timedelta(days=count), locale
    )
    early, late = sorted((one, two))
    whole = late.year - early.year - ((late.month, late.day) < (early.month, early.day))
    assert reckon("abs(years(<date-1>, <date-2>))", locale, **values) == str(whole)
    names = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
    assert reckon("weekday(<date-1>) | en", locale, **values) == names[one.weekday()]
    assert reckon("<date-2> | iso", locale, **values) == two.isoformat()


@settings(max_examples=80, deadline=None)
@given(DAYS, st.sampled_from(["en", "en-GB", "en-US", "de", "fr"]), st.sampled_from("/-."), st.booleans())
def test_dates_in_digits_are_right_or_refused(day, locale, mark, padded):
    """The letter's order is that of its country; without one, only a date that reads one way is read."""
    american = locale == "en-US" and mark != "."
    order = (day.month, day.day) if american else (day.day, day.month)
    text = mark.join(f"{number:02}" if padded else str(number) for number in order) + f"{mark}{day.year}"
    found = reckon_or_refuse("<date-1> | iso", locale, date_1=(text, "date"))
    assert found in (None, day.isoformat())
    if locale != "en":
        assert found is not None
    elif mark != "." and day.day <= 12 and day.day != day.month:
        assert found is None


def reckon_or_refuse(formula, locale, **values):
    box = {f"<{name.replace('_', '-')}>": PrivateValue(*value) for name, value in values.items()}
    done = evaluate("{{ " + formula + " }}", box, Context(locale))
    return done.text if not done.unresolved else None


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 1439), st.integers(0, 1439))
def test_times(one, two):
    values = {f"time_{n}": (f"{t // 60:02}:{t % 60:02}", "time") for n, t in ((1, one), (2, two))}
    gap = (two - one) % 1440
    assert reckon("minutes(<time-1>, <time-2>)", "de", **values) == str(gap)
    later = (one + 95) % 1440
    assert reckon("<time-1> + 95 minutes", "de", **values) == f"{later // 60:02}:{later % 60:02}"


@settings(max_examples=80, deadline=None)
@given(st.decimals(0, 10**7, places=3), st.sampled_from(["en-GB", "de", "fr", "es"]), st.sampled_from(".,"))
def test_three_digits_after_a_mark_are_right_or_refused(number, locale, mark):
    """Thousands or decimals: a number is never read in the other sense."""
    text = f"{number:.3f}".replace(".", mark)
    found = reckon_or_refuse("<amount-1> * 1 | iso", locale, amount_1=(text, "amount"))
    as_decimals, as_thousands = number, Decimal(text.replace(mark, ""))
    wanted = as_thousands if (mark == ",") == (locale == "en-GB") else as_decimals
    whole = text.partition(mark)[0]
    if found is not None:
        wanted = as_decimals if len(whole) > 3 or whole == "0" else wanted
        assert Decimal(found) == wanted.quantize(Decimal(found), ROUND_HALF_UP)


VALUES = st.one_of(
    st.text(max_size=30),
    st.text(alphabet="0123456789.,:-/ €$£%kmh", max_size=14),
    st.sampled_from(
        ["12 May", "half past ten", "22:10 and 05:40", "two weeks", "€3", "19%", "34", "May 2025", "Anna", "Paris"]
    ),
)
KINDS = st.sampled_from(
    ["date", "date_of_birth", "time", "duration", "age", "amount", "weight", "name", "location", "iban"]
)
PARTS = st.sampled_from(
    "<a-1> <date-1> <amount-1> <name-1> + - * / ^ ( ) [ ] , | ; => = == < > if then else let x in not and or 2 14 days 3% EUR "
    'years( days( weekday( hours( sum( sort( filter( max( start( end( convert( country( surname( "t" "{{ <a-1> }}" otherwise: '
    "long es 2025-01-31 22:10 round( instalment( next_working_day( join( percentage( yearly( first( iso( date(".split(
        " "
    )
)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(
    st.lists(PARTS, max_size=14),
    st.lists(st.tuples(VALUES, KINDS), min_size=3, max_size=3),
    st.sampled_from(["en", "de", "fr"]),
)
def test_nothing_else_ever_happens(parts, values, locale):
    names = ("<date-1>", "<amount-1>", "<name-1>")
    box = {name: PrivateValue(*value) for name, value in zip(names, values, strict=True)}
    text = "a {{ " + " ".join(parts) + " }} b"
    done = evaluate(text, box, Context(locale))
    assert done.text.startswith("a ") and done.text.endswith(" b")
    found = find_formulas(text, box)
    assert len(done.results) + len(done.unresolved) >= bool(found) or '"' in text
    check(text, box, Context(locale))


CALLS = ["<date-1> + 14 days", "days(<date-1>, <date-2>)", "weekday(<date-1>)", "<amount-1> + <amount-2>", "1 / <amount-1>",
         "if <amount-1> > 500 then 1 / 0 else nope(<amount-2>)", "sum(filter([<amount-1>, <amount-2>], x => x > 500))",
         "date(2025, floor(<age-1>), 1)", "surname(<name-1>)", "country(<location-1>)", "10 ^ <age-1>", "female(<name-1>)"]  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
@settings(max_examples=25, deadline=None)
@given(DAYS, DAYS, CENTS, st.integers(0, 120))
def test_the_model_learns_nothing_of_values(call, one, two, amount, age):
    """What the trial tells is the same for all values of the same kinds."""

    def told(day, other, money, years, name, place):
        box = {
            "<date-1>": PrivateValue(write_day(day, "en-GB"), "date"), "<date-2>": PrivateValue(write_day(other, "en-GB"), "date"),
            "<amount-1>": PrivateValue(write_money(money, "en-GB"), "amount"), "<amount-2>": PrivateValue("£3.00", "amount"),
            "<age-1>": PrivateValue(str(years), "age"), "<name-1>": PrivateValue(name, "name"),
            "<location-1>": PrivateValue(place, "location"),
        }  # fmt: skip
        return check("{{ " + call + " }}", box, Context("en-GB"))

    assert told(one, two, amount, age, "Anna Smith", "Paris") == told(
        date(2020, 1, 1), date(2021, 1, 1), Decimal("9.00"), 40, "Robin", "Nowhere"
    )


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(["{{", "}}", "{", "}", '"', "'", "<name-1>", " ", "x", "\\", "max(1)", "+", "“", "”", "$"]),
        max_size=25,
    ),
    st.integers(1, 9),
)
def test_streams_and_whole_texts_agree(parts, size):
    text, held = "".join(parts), FormulaStream(["<name-1>"])
    pieces = [piece for at in range(0, len(text), size) for piece in held.feed(text[at : at + size])] + list(
        held.close()
    )
    assert "".join(piece.source if isinstance(piece, Formula) else piece for piece in pieces) == text
    assert [piece.source for piece in pieces if isinstance(piece, Formula)] == [
        one.source for one in find_formulas(text, ["<name-1>"])
    ]


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 10**6), st.integers(1, 10**6), st.integers(1, 60), st.sampled_from(["", "month", "year"]))
def test_a_rate_is_a_sum_only_where_that_is_certain(one, two, times, per):
    rate, other = Decimal(one) / 100, Decimal(two) / 100
    values = {
        "amount_1": (f"{write_money(rate, 'en-GB')} a month", "amount"),
        "amount_2": (write_money(other, "en-GB") + (f" a {per}" if per else ""), "amount"),
    }
    box = {f"<{name.replace('_', '-')}>": PrivateValue(*value) for name, value in values.items()}
    done = evaluate("{{ " + f"{times} * <amount-1> - <amount-2>" + " }}", box, Context("en-GB"))
    certain = per == "month" or (per == "" and times >= 5) or (per == "year" and times in (12, 13, 14))
    assert bool(done.unresolved) is not certain
    if certain:
        assert bare(done.text) == bare(write_money(times * rate - other, "en-GB"))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**4), st.integers(0, 10**4), st.sampled_from([", ", ",", " , "]), st.booleans())
def test_a_comma_stands_between_arguments_or_before_decimals_and_is_never_guessed(one, two, comma, inside):
    number = f"{one}{comma}{two}"
    source = f"max({number}, <amount-1>)" if inside else f"<amount-1> + {number}"
    done = evaluate("{{ " + source + " }}", {"<amount-1>": PrivateValue("1", "amount")}, Context("en"))
    if inside and comma != ",":
        assert bare(done.text) == str(max(one, two, 1))
    elif not inside and comma == "," and (len(str(two)) != 3 or one > 999):
        assert Decimal(done.text.replace(",", "") or 0) == pytest.approx(
            Decimal(f"{one}.{two}") + 1, abs=Decimal("0.01")
        )
    else:
        assert done.unresolved
