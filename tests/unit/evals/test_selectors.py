"""Who tells what a query needs: the methods, what the product is asked with, and how methods are chosen."""

from typing import get_args

import pytest

from gama.evals.methods import selectors
from gama.evals.methods.selectors import STRATEGIES, Fixed, Gold, Product, choose
from gama.evals.query import Case, run
from gama.state.entities import Entity
from gama.state.errors import ModelUnreachable, OptionError
from gama.state.options import Options, Selection

CASES = [
    Case(
        "a-1",
        "Mira Olavsson is at  Teterow.",
        "Where is she?",
        [
            Entity(text="Mira Olavsson", start=0, end=13, type="PER", subtype="full_name", subject="A"),
            Entity(text="Teterow", start=21, end=28, type="LOC", subtype="city", subject="A"),
        ],
    ),
    Case("a-2", "Nothing private.", "Why?", []),
]


def quiet(name: str) -> None:
    pass


def test_the_annotation_as_a_method_knows_its_texts_only():
    gold = Gold({("Oslo is cold.", "Where?"): ["Oslo"]})
    oslo = Entity(text="Oslo", start=0, end=4, type="LOC", subtype="city")
    assert [one.needed for one in gold.needed("Oslo is cold.", "Where?", [oslo])] == [True]
    assert [one.needed for one in gold.needed("Oslo is cold.", "When?", [oslo])] == [False]


def test_the_product_is_asked_and_its_notes_are_kept(monkeypatch):
    asked = []

    def select(text, query, entities, options, finders, warnings):
        asked.append((query, options.select, options.select_never))
        warnings.append("unsure")
        return list(entities)

    monkeypatch.setattr("gama.privacy.pipeline.select", select)
    options = Options(private_model="ollama:any")
    (method,) = choose(options, ["naive"])
    done = run(method, CASES, quiet)
    assert done.notes == ["unsure (2 texts)"] and done.facts["select"] == "naive" and done.facts["model_sha256"]
    assert [query for query, *_ in asked[1:]] == [case.query for case in CASES]  # after the warm-up
    assert asked[1][1:] == ("naive", options.select_never) and "PER" in options.select_never
    (method,) = choose(options, ["naive"], with_names=True)
    method.needed("text", "query", [])
    assert set(asked[-1][2]) == set(options.select_never) - {"PER"}


def test_the_usual_methods(monkeypatch):
    made = []

    def make(name, about, options):
        made.append(options.select)
        return Fixed(name, about, keep=False)

    monkeypatch.setattr(selectors, "Product", make)
    assert [one.name for one in choose(Options())] == ["all hidden", "none hidden", "embedded"]
    assert [one.name for one in choose(Options(private_model="ollama:any"))][3:] == ["choice"]
    assert made == ["embedded", "embedded", "choice"]


def test_the_strategies_are_the_products():
    assert set(STRATEGIES) == set(get_args(Selection)) - {"auto", "off"}


@pytest.mark.parametrize(
    ("names", "part"),
    [
        (["magic"], "unknown method 'magic'; known methods: all hidden, none hidden, embedded, naive"),
        ([], "name at least one"),
        (["naive"], "'naive' needs a private LLM: name one with --private"),
        (["all hidden", "all-hidden"], "'all hidden' is named twice"),
    ],
)
def test_a_choice_that_cannot_be_made_is_refused(names, part):
    with pytest.raises(OptionError, match=part):
        choose(Options(), names)


def test_the_embedded_model_is_loaded_before_the_work(monkeypatch):
    def missing():
        raise ModelUnreachable("not there")

    monkeypatch.setattr("gama.models.selector.embedded_selector", missing)
    with pytest.raises(ModelUnreachable, match="not there"):
        choose(Options(), ["embedded"])


def test_the_embedded_model_chooses_among_mentions():
    (method,) = choose(Options(), ["embedded"])
    done = run(method, CASES, quiet)
    assert isinstance(method, Product) and len(done.facts["selector_sha256"]) == 64
    (name, town), _ = (one.stretches for one in done.hidden)
    assert name.private, "the name of a person is never kept"
    assert (town.start, town.end) == (21, 28)
