"""The functions of the language: those of times, of numbers and lists, of names and places."""

from gama.tools.formulas import lists, people, times
from gama.tools.formulas.contract import FUNCTIONS, Function

GROUPS = (times, lists, people)
"""Where the functions are declared."""

ALIASES = {
    "absolute": "abs", "add_business_days": "add_working_days", "add_workdays": "add_working_days", "age_at": "age",
    "age_on": "age", "annual": "yearly", "average": "avg", "ceiling": "ceil", "concat": "join", "concatenate": "join",
    "day_of_week": "weekday", "days_between": "days", "dayname": "weekday", "end_of_the_month": "end_of_month",
    "equals": "equal", "family_name": "surname", "first_name": "first", "forename": "first", "given_name": "first",
    "hours_between": "hours", "installment": "instalment", "is_female": "female", "is_male": "male",
    "last_day_of_month": "end_of_month", "last_four": "last4", "last_name": "surname",
    "len": "count", "length": "count", "maximum": "max", "mean": "avg", "minimum": "min", "minutes_between": "minutes",
    "month_end": "end_of_month", "months_between": "months", "next_business_day": "next_working_day",
    "order_by": "sort_by", "per_month": "monthly", "per_year": "yearly", "percent": "percentage", "sorted": "sort",
    "total": "sum", "weekday_name": "weekday", "weeks_between": "weeks", "years_between": "years",
}  # fmt: skip
"""What other languages call our functions, where that leaves no doubt."""

__all__ = ["ALIASES", "FUNCTIONS", "GROUPS", "Function"]
