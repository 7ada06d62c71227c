"""The methods by key, and how each is made."""

from collections.abc import Callable

from gama.evals.solvers.base import Models, Solver
from gama.state.mistakes import check
from gama.state.options import Options

Make = Callable[[Models, Options], Solver]
"""Makes a solver; its graphs and models are built then, not before."""

SOLVERS: dict[str, Make] = {}
"""How each method is made."""


def make(name: str, models: Models, options: Options) -> Solver:
    """Return a solver.

    Args:
        name: a key of `SOLVERS`.
        models: the models of the run.
        options: what GAMA's runs are made with, and the limits of all.

    Raises:
        OptionError: there is no such method, or it needs a private model and none is given; tells what was meant.
    """
    check("--solver", name, SOLVERS)
    return SOLVERS[name](models, options)
