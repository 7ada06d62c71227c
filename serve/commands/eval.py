"""`gama eval` and `gama bench`: the commands of `evals/commands`, with the options of a run."""

import typer

from gama.evals.commands import bench
from gama.evals.commands.answers import answers
from gama.evals.commands.datasets import fetch, make_letters
from gama.evals.commands.errors import errors
from gama.evals.commands.fields import fields
from gama.evals.commands.formulas import formulas
from gama.evals.commands.identify import identify, kpp, lpp
from gama.evals.commands.piibench import make_pii_bench
from gama.evals.commands.query import query
from gama.evals.commands.requests import requests
from gama.evals.commands.restore import restore
from gama.evals.commands.run import run
from gama.evals.commands.world import world
from gama.serve.choices import with_options

ASKING = (
    "public_model", "public_base_url", "private_model", "private_base_url", "trust_private_model", "default_region",
    "seed", "k", "route", "effort", "disprove", "max_rounds", "max_calls", "timeout_s", "max_tokens", "max_cost",
    "prices", "rate_limit_per_minute", "max_concurrent",
)  # fmt: skip
"""Options of a run that asks a public model."""

evaluations = typer.Typer(help="Measure how well private data is found, chosen and restored.")
evaluations.command()(with_options(None, "private_model", "private_base_url", "trust_private_model")(make_pii_bench))
evaluations.command()(with_options("eval", "select_votes")(query))
evaluations.command()(with_options(None, *ASKING)(answers))
evaluations.command()(with_options("eval", "k", "high_order", "alpha", "topk_mode")(fields))
evaluations.command()(with_options(None, "public_model", "public_base_url", "timeout_s")(errors))
evaluations.command()(fetch)
evaluations.command()(formulas)
evaluations.command()(make_letters)
evaluations.command()(with_options(None, "private_model", "private_base_url", "trust_private_model")(requests))
evaluations.command()(restore)
evaluations.command()(with_options(None, "privacy", *(name for name in ASKING if name != "max_cost"))(run))
evaluations.command()(with_options("eval")(identify))
evaluations.command()(with_options("eval")(world))
evaluations.command("kpp")(with_options("eval")(kpp))
evaluations.command("lpp")(with_options("eval")(lpp))

benchmarks = typer.Typer(help="Measure speed and memory: ratios in one run, since machines differ.")
for command in (bench.identify, bench.graph, bench.guard, bench.restore, bench.gateway):
    benchmarks.command()(command)
