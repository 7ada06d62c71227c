"""Options: bad values are refused by name, quoting nothing; the environment names models."""

import pytest

from gama import Options
from gama.state.errors import OptionError


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"k": 0}, "option 'k'"),
        ({"k": 21}, "option 'k'"),
        ({"alpha": 1.01}, "option 'alpha'"),
        ({"style": "v3"}, "option 'style'.*'v2' or 'v1'"),
        ({"max_rounds": -1}, "option 'max_rounds'"),
        ({"nonsense": 1}, "unknown option 'nonsense'; known options: public_model"),
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
