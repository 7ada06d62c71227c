"""The methods by key, and how each is made."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from gama.evals.solvers import (
    agentsafe,
    autoagents,
    compound,
    cot,
    epeagents,
    marisagents,
    papillon,
    self_refine,
    spp,
    std,
)
from gama.evals.solvers.base import Models, Solver
from gama.evals.solvers.gama import GamaSolver
from gama.evals.solvers.graph_solver import Graph, GraphSolver
from gama.evals.solvers.hiding import Hider
from gama.evals.solvers.mvpi import MvpiHider
from gama.evals.solvers.ner_pre import NerPreHider
from gama.evals.solvers.rpr import RprHider
from gama.state.errors import check
from gama.state.options import Options

Make = Callable[[Models, Options], Solver]
"""Makes a solver; its graphs and models are built then, not before."""


def _baseline(
    name: str, about: str, build: Callable[[], Graph], private: bool, models: Models, options: Options
) -> Solver:
    return GraphSolver(name, about, build(), models, options, private=private)


def _by(name: str, about: str, build: Callable[[], Graph], *, private: bool = False) -> Make:
    return partial(_baseline, name, about, build, private)


def _compound(name: str, inner: Callable[[], Graph], hide: Callable[[Options], Hider]) -> Make:
    def make(models: Models, options: Options) -> Solver:
        at_home = {} if models.private is None else {"private_model": models.private, "private_base_url": None}
        hider = hide(options.model_copy(update=at_home))
        about = f"{name} on the text that {hider.name} hides ({hider.about}), its answer restored"
        graph = compound.build(hider, inner())
        return GraphSolver(f"{name}-{hider.name}", about, graph, models, options, facts=hider.facts())

    return make


def _gama(name: str, about: str, changes: Mapping[str, Any]) -> Make:
    def make(models: Models, options: Options) -> Solver:
        return GamaSolver(name, about, models, options, changes)

    return make


_AS_PUBLISHED: Mapping[str, Any] = {
    "privacy": "strict", "topk_mode": "paper", "route": "both", "effort": "full", "formulas": False,
}  # fmt: skip
"""What both versions of the paper have in common, where the product does more or otherwise."""
_WITHOUT: Mapping[str, Any] = {"privacy": "strict", "allow_raw": True}
"""What the ablations have in common: who asks for them consents that raw text leaves, in the cumulative mode too."""

_HIDERS: Mapping[str, Callable[[Options], Hider]] = {
    "ner-pre": NerPreHider,
    "ner-pre-published": partial(NerPreHider, as_published=True),
    "rpr": lambda options: RprHider(),
    "mvpi": MvpiHider,
}

SOLVERS: dict[str, Make] = {
    "std": _by("Std", std.ABOUT, std.build),
    "cot": _by("CoT", cot.ABOUT, cot.build),
    "self-refine": _by("Self-Refine", self_refine.ABOUT, self_refine.build),
    "self-refine-original": _by(
        "Self-Refine (original)",
        self_refine.ABOUT_ORIGINAL,
        partial(self_refine.build, self_refine.ROUNDS_ORIGINAL, until_correct=True),
    ),
    "spp": _by("SPP", spp.ABOUT["spp"], spp.build),
    "spp-profile": _by("SPP-Profile", spp.ABOUT["profile"], partial(spp.build, "profile")),
    "spp-fixed": _by("SPP-Fixed-Persona", spp.ABOUT["fixed"], partial(spp.build, "fixed")),
    "autoagents": _by("AutoAgents", autoagents.ABOUT, autoagents.build),
    "epeagents": _by("EPEAgents", epeagents.ABOUT, epeagents.build),
    "marisagents": _by("MarisAgents", marisagents.ABOUT, marisagents.build),
    "agentsafe": _by("AgentSafe", agentsafe.ABOUT, agentsafe.build),
    **{f"std-{key}": _compound("Std", std.build, hide) for key, hide in _HIDERS.items()},
    **{f"autoagents-{key}": _compound("AutoAgents", autoagents.build, hide) for key, hide in _HIDERS.items()},
    "gama-v1": _gama(
        "GAMA v1", "as its first paper has it: disproof until no contradiction is found",
        {**_AS_PUBLISHED, "disprove": "v1", "style": "v1"},
    ),
    "gama-v2": _gama(
        "GAMA v2", "as its second paper has it: disproof by rival answers", {**_AS_PUBLISHED, "disprove": "v2"}
    ),
    "gama-strict": _gama("GAMA strict", "the product; all that is private is hidden", {"privacy": "strict"}),
    "gama-balanced": _gama(
        "GAMA balanced", "the product; what the question needs to be understood stays", {"privacy": "balanced"}
    ),
    "gama-open": _gama("GAMA open", "the product; whatever the question needs stays", {"privacy": "open"}),
    "gama-no-ampp": _gama("GAMA without AMPP", "without hiding: the raw text leaves", {**_WITHOUT, "ampp": False}),
    "gama-no-drke": _gama("GAMA without DRKE", "without domain rules: one generic expert", {**_WITHOUT, "drke": False}),
    "gama-no-dle": _gama("GAMA without DLE", "without disproof: the first answer is final", {**_WITHOUT, "dle": False}),
    "papillon": _by("PAPILLON", papillon.ABOUT, papillon.build, private=True),
}  # fmt: skip
"""How each method is made."""


def make(name: str, models: Models, options: Options) -> Solver:
    """Return a solver.

    Args:
        name: a key of `SOLVERS`.
        models: the models of the run.
        options: what GAMA's runs and MVPI are made with, and the limits of all.

    Raises:
        OptionError: there is no such method, or it needs a private model and none is given; tells what was meant.
        ModelError: a model cannot be loaded.
    """
    check("--solver", name, SOLVERS)
    return SOLVERS[name](models, options)
