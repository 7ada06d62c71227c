"""The calculator: exact values, dates, and refusals that say why."""

import pytest

from gama.state.errors import ToolError
from gama.tools.experts.calculator import LONGEST, MOST, Calculator, work_out, written


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1200 * 1.5%", "18"),
        ("0.1 + 0.2", "0.3"),
        ("1/3", "0.3333333333333333333333333333"),
        ("2**0.5", "1.414213562373095048801688724"),
        ("200 + 15%", "200.15"),
        ("15% of 200", "30"),
        ("(10+5)% * 200", "30"),
        ("-7 // 2", "-4"),
        ("2^10", "1024"),
        ("3 × 4 ÷ 5 =", "2.4"),
        ("1200 * (1 + 3%) ** 10", "1612.699655212946304588"),
        ("1e5 * 3", "300000"),
        ("1_000 * 2", "2000"),
        ("round(2.675, 2)", "2.68"),
        ("round(-2.5)", "-3"),
        ("floor(-2.5)", "-3"),
        ("min([3, 1, 2]) + max(4, 5)", "6"),
        ("mean(1, 2, 3, 4)", "2.5"),
        ("median(4, 1, 3)", "3"),
        ("sum(0.1, 0.1, 0.1)", "0.3"),
        ("factorial(25)", "15511210043330985984000000"),
        ("comb(49, 6)", "13983816"),
        ("lcm(4, 6) - gcd(12, 18)", "6"),
        ("sqrt(2) ** 2 < 2.0000001", "true"),
        ("1 < 2 < 2", "false"),
        ("log(1000)", "3"),
        ("-0.0", "0"),
        # Dates and durations
        ("2024-01-31 + months(1)", "2024-02-29 (Thursday)"),
        ("2024-02-29 + years(1)", "2025-02-28 (Friday)"),
        ("2024-03-31 - days(31)", "2024-02-29 (Thursday)"),
        ("2024-03-01 - 2024-02-01", "29 days"),
        ("2023-03-01 - 2023-03-11", "minus 10 days"),
        ("days(2024-03-01, 2024-02-01)", "29"),
        ("days(2024-03-01, 2024-02-01) / 7 > 4", "true"),
        ("months(2024-02-29, 2024-01-31)", "1"),
        ("months(2024-02-28, 2024-01-31)", "0"),
        ("months(2023-12-31, 2024-02-29)", "-2"),
        ("workdays(2024-03-01, 2024-03-31)", "21"),
        ("workdays(2024-03-02, 2024-03-03)", "0"),
        ("weekday(2024-03-31)", "7"),
        ("2024-03-31T22:30 + hours(12)", "2024-04-01T10:30"),
        ("2024-03-31T22:30 - 2024-03-31T21:00", "1 hour, 30 minutes"),
        ("2024-03-01 + hours(30)", "2024-03-02T06:00"),
        ("weeks(2) / days(1)", "14"),
        ("days(30) * 50%", "15 days"),
        ("years(1) + months(3) + days(2)", "1 year, 3 months, 2 days"),
        ("2024-01-01 < 2024-02-01", "true"),
        ("days(40) > weeks(5)", "true"),
        ("days(35) >= weeks(5)", "true"),
        ("months(13) <= years(1)", "false"),
    ],
)
def test_values(expression, value):
    assert written(work_out(expression)) == value


@pytest.mark.parametrize(
    ("expression", "says"),
    [
        ("__import__('os').system('true')", "no arithmetic"),
        ("(1).__class__", "no arithmetic"),
        ("[x for x in (1, 2)]", "no arithmetic"),
        ("lambda: 1", "no arithmetic"),
        ("open(1)", "no function 'open'; there are abs"),
        ("'a' * 10", "no arithmetic"),
        ("f'{1}'", "no arithmetic"),
        ("x + 1", "'x' has no value"),
        ("0x10", "no arithmetic"),
        ("1 if 2 else 3", "no arithmetic"),
        ("10 % 3", "no arithmetic"),
        ("1 & 2", "no arithmetic"),
        ("", "no arithmetic"),
        ("(" * 199 + "1" + ")" * 198, "no arithmetic"),
        ("1,234.50 * 2", "no thousands separators"),
        ("<amount-1> * 2", "placeholder has no value"),
        ("<<amount-1>> / 3", "placeholder has no value"),
        ("1/0", "division by zero"),
        ("1 // 0", "division by zero"),
        ("sqrt(-1)", "no value"),
        ("ln(0 - 1)", "no value"),
        ("2 ** 100000", "an exponent is at most 1000"),
        ("(10 ** 1000) ** 1000", "too large"),
        ("exp(10 ** 9)", "too large"),
        ("factorial(100000)", "at most 1000"),
        ("factorial(1.5)", "whole number"),
        ("sqrt(1, 2, 3)", "does not take these arguments"),
        ("sum()", "numbers are needed"),
        ("2024-13-01 + days(1)", "2024-13-01 is no date"),
        ("9999-12-31 + days(1)", "outside of the calendar"),
        ("2024-01-01 + 2024-01-02", "with dates there are"),
        ("2024-01-01 * 2", "with dates there are"),
        ("months(1) * 0.5", "no fixed length"),
        ("months(1) / days(1)", "cannot be divided"),
        ("days(10 ** 9)", "few hundred years"),
        ("1 < days(1)", "cannot be compared"),
        ("months(1) >= days(30)", "cannot be compared"),
        ("1 + " * LONGEST, f"at most {LONGEST} characters"),
    ],
)
def test_refusals(expression, says):
    with pytest.raises(ToolError, match=says):
        work_out(expression)


def test_one_line_for_each_expression_and_one_bad_one_harms_no_other():
    told = Calculator().call({"expressions": ["2 * 3", "1/0", "2024-01-01 + days(1)"]})
    assert told.splitlines() == ["2 * 3 = 6", "1/0: division by zero", "2024-01-01 + days(1) = 2024-01-02 (Tuesday)"]


def test_a_single_expression_will_do():
    assert Calculator().call({"expression": "1+1"}) == "1+1 = 2"


@pytest.mark.parametrize("given", [{}, {"expressions": []}, {"expressions": [1]}, {"expressions": ["1"] * (MOST + 1)}])
def test_bad_arguments(given):
    with pytest.raises(ToolError, match="expression"):
        Calculator().call(given)
