"""The table of prices, and prices of one's own."""

import json

import pytest

from gama.models.names import FREE, Price, estimate_tokens, price_of, read_prices
from gama.models.public import public_client
from gama.state.errors import OptionError
from gama.state.options import Options


def test_the_built_in_table_is_sound():
    found = price_of("openai:gpt-4o")
    assert found == Price(2.5, 10.0, 1.25)
    assert found.cost(1_000_000, 100_000) == 3.5
    assert found.cost(1_000_000, 0, cached_tokens=400_000) == 2.0
    assert found.cost(10, 0, cached_tokens=99) == pytest.approx(10 * 1.25 / 1e6)


@pytest.mark.parametrize("name", ["openai:gpt-4o-2024-08-06", "OpenAI:GPT-4o", "openai:gpt-4o-latest"])
def test_dates_and_case_do_not_matter(name):
    assert price_of(name) == price_of("openai:gpt-4o")


def test_unknown_models_have_no_price():
    assert price_of("openai:loop-1") is None and price_of("openai:gpt-4o-mine") is None


def test_prices_of_ones_own_go_first(tmp_path):
    table = {"openai:loop-1": [1, 2], "openai:gpt-4o": {"input": 0, "output": 0, "cached_input": None}}
    file = tmp_path / "prices.json"
    file.write_text(json.dumps({"usd_per_million_tokens": table}))
    for own in (table, str(file), file):
        assert price_of("openai:loop-1", own) == Price(1, 2)
        assert price_of("openai:gpt-4o", own) == FREE
        assert price_of("openai:gpt-4.1", own) == price_of("openai:gpt-4.1")


@pytest.mark.parametrize(
    "given", [{"x": 1}, {"x": [1]}, {"x": [1, -2]}, {"x": {"input": 1}}, {"x": {"input": 1, "output": True}},
              {"x": {"input": 1, "output": 1, "per": 2}}, {"x": [1, float("nan")]}, {"x": [1, "2"]}]
)  # fmt: skip
def test_a_bad_entry_is_named(given):
    with pytest.raises(OptionError, match="entry of 'x' is no price"):
        read_prices(given)


@pytest.mark.parametrize("content", [None, "", "[]", "{}", '{"usd_per_million_tokens": []}'])
def test_a_bad_file_is_named(tmp_path, content):
    file = tmp_path / "prices.json"
    if content is not None:
        file.write_text(content)
    with pytest.raises(OptionError, match="option 'prices'"):
        read_prices(str(file))


def test_a_budget_in_dollars_needs_a_price():
    with pytest.raises(OptionError, match="no price for 'openai:loop-1'.*option prices.*max_tokens"):
        public_client("openai:loop-1", api_key="k", priced=True)
    made = public_client("openai:loop-1", api_key="k", priced=True, prices={"openai:loop-1": [1, 2]})
    assert made.price == Price(1, 2)
    assert public_client("openai:loop-1", api_key="k").price is None


def test_models_of_ones_own_are_free():
    assert public_client("openai:loop-1", base_url="http://localhost:1/v1", priced=True).price == FREE
    assert public_client("ollama:llama3", priced=True).price == FREE
    assert public_client(None, priced=True).price == FREE
    with pytest.raises(OptionError):
        public_client("openai:loop-1", base_url="https://api.example.com/v1", api_key="k", priced=True)


def test_ready_models_are_found_by_their_package():
    from langchain_openai import ChatOpenAI

    assert public_client(ChatOpenAI(model="gpt-4o", api_key="k")).price == price_of("openai:gpt-4o")


def test_estimates_are_rather_too_high():
    assert estimate_tokens("") == 16
    assert estimate_tokens("one two three " * 100) >= 300
    assert estimate_tokens("見積もり" * 100) >= 400
    assert estimate_tokens("a" * 3000, "b" * 3000) == 2 * 1016


def test_options_take_both_forms():
    assert Options(prices={"openai:x": [1, 2]}, max_cost=0.5).prices == {"openai:x": [1, 2]}
    assert Options(prices="prices.json").prices == "prices.json"
    for bad in ({"max_cost": 0}, {"max_tokens": 0}, {"rate_limit_per_minute": 0}, {"max_concurrent": 0}):
        with pytest.raises(OptionError, match=next(iter(bad))):
            Options(**bad)
