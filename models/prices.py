"""What the tokens of hosted models cost: a small table, overridable by options or a file.

A price file is JSON: `{"usd_per_million_tokens": {"openai:gpt-4o": {"input": 2.5, "cached_input":
1.25, "output": 10}}}`; `cached_input` may be left out. Prices change: the table says of which day
it is, and a file of your own goes before it.
"""

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from gama.state.errors import OptionError

# The date or the word for the newest one at the end of a model's name: gpt-4o-2024-08-06, claude-…-20250514.
_DATED = re.compile(r"-(?:\d{4}-\d{2}-\d{2}|\d{8}|latest)$")

_CHARS_PER_TOKEN = 3
"""UTF-8 bytes; English has about four to a token, so that an estimate is rather too high than too low."""

_PER_MESSAGE = 16
"""Tokens that the form of a request adds."""


class Price(NamedTuple):
    """US dollars for a million tokens."""

    input: float
    output: float
    cached_input: float | None = None
    """Of input that the provider had cached; None: like other input."""

    def cost(self, input_tokens: int, output_tokens: int, cached_tokens: int = 0) -> float:
        """Return what so many tokens cost, in US dollars."""
        cached = min(cached_tokens, input_tokens)
        rate = self.input if self.cached_input is None else self.cached_input
        return ((input_tokens - cached) * self.input + cached * rate + output_tokens * self.output) / 1e6


FREE = Price(0.0, 0.0)
"""The price of models on one's own machines."""

Prices = Mapping[str, Any] | str | Path | None
"""Prices of one's own: a table as in a price file's `usd_per_million_tokens`, or the path of such a file."""


def price_of(model: str, own: Prices = None) -> Price | None:
    """Return the price of a model, or None where it is in no table.

    Args:
        model: name as `provider:model`; a date at its end is left out where the table has none.
        own: prices that go before the built-in ones.

    Raises:
        OptionError: the prices of one's own cannot be read.
    """
    tables = [read_prices(own)] if own is not None else []
    for table in (*tables, _built_in()):
        for name in (model, _DATED.sub("", model)):
            if (found := table.get(name.strip().lower())) is not None:
                return found
    return None


def read_prices(given: Mapping[str, Any] | str | Path) -> dict[str, Price]:
    """Read and check a table of prices, or a file with one.

    Raises:
        OptionError: the file does not exist, or an entry is not a price; names the entry.
    """
    if isinstance(given, str | Path):
        problem = ""
        try:
            given = json.loads(Path(given).read_text(encoding="utf-8"))["usd_per_million_tokens"]
        except OSError:
            problem = "cannot be read"
        except (ValueError, KeyError, TypeError):
            problem = 'is no JSON object with "usd_per_million_tokens"'
        if problem:
            raise OptionError(f"option 'prices': the file {str(given)!r} {problem}")
    if not isinstance(given, Mapping):
        raise OptionError("option 'prices': give a file, or a table of model names and prices")
    return {str(name).strip().lower(): _price(name, entry) for name, entry in given.items()}


def estimate_tokens(*texts: str) -> int:
    """Return about how many tokens a request of these texts has, rather too many than too few."""
    return sum(len(text.encode("utf-8", "replace")) // _CHARS_PER_TOKEN + _PER_MESSAGE for text in texts)


def _price(name: object, entry: object) -> Price:
    # A pair of input and output is short for the object.
    if isinstance(entry, list | tuple) and len(entry) == 2:
        entry = {"input": entry[0], "output": entry[1]}
    if isinstance(entry, Mapping) and {"input", "output"} <= set(entry) <= set(Price._fields):
        numbers = {key: value for key, value in entry.items() if value is not None}
        if all(isinstance(n, int | float) and not isinstance(n, bool) and 0 <= n < 1e9 for n in numbers.values()):
            return Price(**{key: float(value) for key, value in numbers.items()})
    raise OptionError(
        f'option \'prices\': the entry of {name!r} is no price; write {{"input": 2.5, "output": 10}}, '
        "US dollars for a million tokens"
    )


@cache
def _built_in() -> dict[str, Price]:
    text = files("gama.models").joinpath("data", "prices.json").read_text(encoding="utf-8")
    return read_prices(json.loads(text)["usd_per_million_tokens"])
