"""What a request may choose."""

import pytest

from gama.serve.http.choices import CHOICES, chosen, joined, schema
from gama.state.errors import OptionError
from gama.state.options import Options


@pytest.mark.parametrize(
    "name",
    ["public_model", "public_base_url", "private_model", "private_base_url", "trust_private_model", "weights",
     "recognizers", "prompts", "ampp", "drke", "dle", "allow_raw", "ablation_mode", "pner", "disable", "prices", "x"],
)  # fmt: skip
def test_what_a_request_may_not_choose(name):
    with pytest.raises(OptionError) as caught:
        chosen(Options(), {name: "secret value"})
    assert "secret value" not in str(caught.value)


def test_bounds_may_be_lowered_only():
    server = Options(max_calls=10)
    assert chosen(server, {"max_calls": 5}).max_calls == 5
    for given in ({"max_calls": 11}, {"timeout_s": 500}, {"max_chars": 10_000_000}):
        with pytest.raises(OptionError, match="at most"):
            chosen(server, given)
    assert chosen(server, {"max_tokens": 5}).max_tokens == 5
    with pytest.raises(OptionError, match="at most"):
        chosen(Options(max_tokens=3), {"max_tokens": 5})


def test_what_the_operator_hides_stays_hidden():
    server = Options(deny=("Falcon",), seed=3)
    both = joined(server, chosen(server, {"deny": ["Eagle"], "k": 2}))
    assert both.deny == ("Falcon", "Eagle") and both.k == 2 and both.seed == 3
    assert set(schema()["properties"]) == set(CHOICES) <= set(Options.model_fields)
    assert {shown["group"] for shown in schema()["properties"].values()} == {"What is hidden", "Reasoning", "Limits"}


def test_a_misspelt_option_of_a_request():
    with pytest.raises(OptionError, match=r"1 option\(s\) .* did you mean 'max_rounds'\? `/gama/config_schema` has"):
        chosen(Options(), {"max_round": 3})


def test_no_request_is_laxer_than_an_operator_who_has_chosen():
    levels = ("strict", "balanced", "open")
    for n, operator in enumerate(levels):
        server = Options(privacy=operator)
        for level in levels[: n + 1]:
            assert joined(server, chosen(server, {"privacy": level})).privacy == level
        for level in levels[n + 1 :]:
            with pytest.raises(OptionError, match="'privacy'.*at most"):
                chosen(server, {"privacy": level})
        assert joined(server, chosen(server, {"privacy": "auto"})).privacy == operator
    assert joined(Options(), chosen(Options(), {"privacy": "open"})).privacy == "open"
    with pytest.raises(OptionError, match="privacy"):
        chosen(Options(), {"privacy": "lax"})
