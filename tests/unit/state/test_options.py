"""Options: bad values are refused by name, quoting nothing; the environment names models."""

import pickle
from typing import get_args

import pytest

from gama import Options
from gama.state.entities import PLACEHOLDER_KINDS, TYPE_OF, placeholder_kind
from gama.state.errors import OptionError
from gama.state.option_table import GROUPS, Group, kinds_of, option, rows


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"k": 0}, "option 'k'"),
        ({"k": 21}, "option 'k'"),
        ({"alpha": 1.01}, "option 'alpha'"),
        ({"style": "v3"}, "option 'style'.*'v2' or 'v1'"),
        ({"max_rounds": -1}, "option 'max_rounds'"),
        ({"nonsense": 1}, "unknown option 'nonsense'; docs/options.md has the list$"),
        ({"publik_model": 1}, "unknown option 'publik_model'; did you mean 'public_model'.$"),
        ({"rounds": 1}, "unknown option 'rounds'; did you mean 'max_rounds'.$"),
        ({"keep": ["naem"]}, "unknown type 'naem'; did you mean 'name'. Known: PER, CODE, "),
        ({"keep": ["literal"]}, "unknown type 'literal'"),
        ({"thresholds": {"locaton": 0.5}}, "option 'thresholds': unknown type 'locaton'; did you mean 'location'"),
        ({"thresholds": ["PER"]}, "option 'thresholds': must be TYPE=P, such as PER=0.3"),
        ({"thresholds": {"all": 0.5}}, "unknown type 'all'"),
        ({"pner": ("embeded",)}, "unknown finder 'embeded'; did you mean 'embedded'. Known: patterns, "),
        ({"route": "logik"}, "option 'route': .*; did you mean 'logic'"),
        ({"default_region": "Germany"}, "option 'default_region'"),
        ({"timeout_s": 0}, "option 'timeout_s'"),
        ({"disprove": "v3"}, "option 'disprove'.*'v1', 'v2' or 'off'"),
        ({"route": "logical"}, "option 'route'.*'both', 'auto', 'knowledge' or 'logic'"),
        ({"max_checks": -1}, "option 'max_checks'"),
        ({"ablation_mode": "both"}, "option 'ablation_mode'"),
    ],
)
def test_bad_values(given, says):
    with pytest.raises(OptionError, match=says) as caught:
        Options(**given)
    assert caught.value.__cause__ is None and caught.value.__context__ is None


def test_a_bad_value_is_not_quoted():
    with pytest.raises(OptionError) as caught:
        Options(deny="Planted Secret", style="Planted Secret")
    assert "Planted" not in str(caught.value)


def test_frozen_and_equal():
    assert Options() == Options() and hash(Options()) == hash(Options())
    with pytest.raises(Exception, match="frozen"):
        Options().k = 2


def test_environment(monkeypatch):
    monkeypatch.setenv("GAMA_PUBLIC_MODEL", "ollama:x")
    assert Options.from_env().public_model == "ollama:x" and Options().public_model is None
    monkeypatch.setenv("GAMA_MAX_COST", "0.5")
    monkeypatch.setenv("GAMA_RATE_LIMIT_PER_MINUTE", "30")
    assert (Options.from_env().max_cost, Options.from_env(rate_limit_per_minute=9).rate_limit_per_minute) == (0.5, 9)
    assert Options.from_env(public_model="openai:y").public_model == "openai:y"


def test_every_option_is_explained_in_studio():
    schema = Options.model_json_schema()["properties"]
    assert all("title" in field for field in schema.values())


@pytest.mark.parametrize(
    ("given", "mode", "switches"),
    [
        ((), "independent", (True, True, True)), ((), "cumulative", (True, True, True)),
        (("ampp",), "independent", (False, True, True)), (("ampp",), "cumulative", (False, True, True)),
        (("drke",), "independent", (True, False, True)), (("drke",), "cumulative", (False, False, True)),
        (("dle",), "independent", (True, True, False)), (("dle",), "cumulative", (False, False, False)),
        (("ampp", "drke", "dle"), "independent", (False, False, False)),
    ],
)  # fmt: skip
def test_ablation(given, mode, switches):
    """The papers' rows: without AMPP; without AMPP and DRKE; without all three (spec 01 §1.10)."""
    values = dict.fromkeys(given, False) | {"ablation_mode": mode}
    assert Options(**values, allow_raw=True).switches == switches
    if switches[0]:
        assert Options(**values).switches == switches
    else:
        with pytest.raises(OptionError, match="raw text.*'allow_raw'") as caught:
            Options(**values)
        assert "''" not in str(caught.value)


def test_consent_must_hold_for_what_is_put_together():
    from gama.nodes.private.space import PrivateSpace
    from gama.privacy.pipeline import Pipeline
    from gama.vault.seal import Vault

    class Run:
        def __init__(self, context):
            self.context = context

    def settings(built, context):
        space = PrivateSpace(Vault.ephemeral(), Pipeline(built))
        return space.settings(Run(context))

    # Neither says by itself that the raw text leaves; together they do.
    with pytest.raises(OptionError, match="allow_raw"):
        settings(Options(ablation_mode="cumulative"), Options(dle=False))
    assert settings(Options(ablation_mode="cumulative"), Options(dle=False, allow_raw=True)).switches.ampp is False
    assert settings(Options(), Options(k=2)).k == 2


def test_every_option_tells_a_person_what_it_is():
    for name, shown in Options.model_json_schema()["properties"].items():
        assert shown.get("title") and len(shown.get("description", "")) > 10, name
        assert "default" in shown, name


def test_words_of_placeholders_stand_for_their_subtypes():
    options = Options(
        keep=["location", "age", "PER"],
        select_never=("id_number",),
        thresholds={"id_number": 0.3, "passport": 0.9},
        strategies={"name": "surrogate", "all": "tag"},
    )
    assert {"city", "country", "postcode"} < set(options.keep) and "street_address" not in options.keep
    assert options.keep[-2:] == ("age", "PER")
    assert set(options.select_never) == {sub for sub in TYPE_OF if placeholder_kind(sub) == "id_number"}
    # What is named itself goes before what a word stands for.
    assert dict(options.thresholds)["passport"] == 0.9 and dict(options.thresholds)["tax_id"] == 0.3
    assert dict(options.strategies) == {"full_name": "surrogate", "all": "tag"}
    for word in PLACEHOLDER_KINDS - {"literal"}:
        assert kinds_of(word)
    assert kinds_of("amount") == ("amount",)


def test_forms_that_mean_the_same():
    assert Options(thresholds={"PER": 0.3, "age": 1}) == Options(thresholds=["PER=0.3", "age=1"])
    assert (
        Options(strategies="surrogate") == Options(strategies=["surrogate"]) == Options(strategies={"all": "surrogate"})
    )
    assert Options(strategies=["PER=surrogate"]) == Options(strategies=(("PER", "surrogate"),))
    assert Options(keep=["age"]) == Options(keep=("age",)) and hash(Options(keep=["age"]))
    given = Options(keep=["location"], thresholds={"PER": 0.3}, strategies="surrogate", deny=("Falcon",))
    assert (
        pickle.loads(pickle.dumps(given))
        == given
        == Options(**given.model_dump())
        == Options(**given.model_dump(mode="json"))
    )


def test_the_table():
    assert get_args(Group) == GROUPS
    for row in rows(Options).values():
        assert row.entry.group in GROUPS[1:] and row.help.endswith(".") and "`" not in row.help
        assert len(row.help) < 260, row.name
    schema = Options.model_json_schema()["properties"]
    assert {name for name, shown in schema.items() if shown.get("readOnly")} == {
        "tools", "mcp", "domain_packs", "tool_calls", "tool_chars", "tool_seconds", "policy",
    }  # fmt: skip
    with pytest.raises(ValueError, match="unknown faces"):
        option(1, "x", "X.", "Models", "aks")


def test_what_is_told_in_two_places_agrees():
    """What only the builder sets, the limits of tools, and what the built-in placeholders do, are others' too."""
    from gama.nodes.private.space import BUILD_ONLY
    from gama.tools.experts.toolbox import ToolLimits

    assert {name for name, row in rows(Options).items() if row.entry.built} == BUILD_ONLY
    limits = ToolLimits()
    assert (limits.calls, limits.chars, limits.seconds) == (
        Options().tool_calls,
        Options().tool_chars,
        Options().tool_seconds,
    )


def test_options_of_ones_own():
    class More(Options):
        more: int = 1

    assert More(more=2, k=1).more == 2 and More.from_env().k == 3
    with pytest.raises(OptionError, match="did you mean 'route'"):
        More(rout="both")


def test_lists_of_the_environment(monkeypatch):
    monkeypatch.setenv("GAMA_TOOLS", "calculator; puzzle ;")
    monkeypatch.setenv("GAMA_TRACE", "1")
    assert Options.from_env().tools == ("calculator", "puzzle") and Options.from_env().trace
    assert Options.from_env(tools=("documents",)).tools == ("documents",)
