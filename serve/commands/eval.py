"""`gama eval` and `gama bench`: the commands of `evals/commands`, with the options of a run."""

import typer

from gama.evals.commands import bench
from gama.evals.commands.agreement import agreement
from gama.evals.commands.anonymize import anonymize
from gama.evals.commands.answers import answers
from gama.evals.commands.bilstm import train_bilstm
from gama.evals.commands.compare import compare
from gama.evals.commands.datasets import fetch, make_letters
from gama.evals.commands.errors import errors
from gama.evals.commands.fields import fields
from gama.evals.commands.formulas import formulas
from gama.evals.commands.identify import identify, kpp, lpp
from gama.evals.commands.piibench import make_pii_bench
from gama.evals.commands.query import query
from gama.evals.commands.report import report
from gama.evals.commands.requests import requests
from gama.evals.commands.restore import restore
from gama.evals.commands.risk import risk
from gama.evals.commands.run import run
from gama.evals.commands.stats import stats
from gama.evals.commands.utility import utility
from gama.evals.commands.world import world
from gama.serve.choices import with_options

ASKING = (
    "public_model", "public_base_url", "private_model", "private_base_url", "trust_private_model", "default_region",
    "seed", "k", "route", "effort", "disprove", "max_rounds", "max_calls", "timeout_s", "max_tokens", "max_cost",
    "prices", "rate_limit_per_minute", "max_concurrent",
)  # fmt: skip
"""Options of a run that asks a public model."""

PRIVATE = (
    "private_model", "private_base_url", "trust_private_model", "private_max_tokens", "private_max_length",
    "private_temperature", "private_device",
)  # fmt: skip
"""Options of a private LLM."""

ASKED = ("public_model", "public_base_url", "timeout_s")
"""Options of a run that may ask a public model about each text."""

CHOOSING = (
    "k", "high_order", "alpha", "topk_mode", "topk_threshold", "collapse", "domain_set", "word_vectors",
)  # fmt: skip
"""Options of the choice of experts."""

evaluations = typer.Typer(help="Measure how well private data is found, chosen and restored.")
evaluations.command()(with_options(None, *PRIVATE)(make_pii_bench))
evaluations.command()(with_options("eval", "select_votes")(query))
evaluations.command()(with_options("eval", "refine_rounds", "refine_rule", "refine_floor", "timeout_s")(anonymize))
evaluations.command()(with_options(None, *ASKING)(answers))
evaluations.command()(with_options("eval", *CHOOSING)(fields))
evaluations.command()(with_options(None, *ASKED)(errors))
evaluations.command()(fetch)
evaluations.command()(formulas)
evaluations.command()(make_letters)
evaluations.command()(with_options(None, *PRIVATE)(requests))
evaluations.command()(restore)
evaluations.command()(with_options(None, "privacy", *(name for name in ASKING if name != "max_cost"))(run))
evaluations.command()(report)
evaluations.command()(compare)
evaluations.command()(with_options("eval", *ASKED)(identify))
evaluations.command()(with_options("eval")(risk))
evaluations.command()(stats)
evaluations.command()(with_options("eval")(world))
evaluations.command()(with_options(None, *ASKED, "seed")(utility))
evaluations.command()(agreement)
evaluations.command()(train_bilstm)
evaluations.command("kpp")(with_options("eval", *ASKED)(kpp))
evaluations.command("lpp")(with_options("eval", *ASKED)(lpp))

benchmarks = typer.Typer(help="Measure speed and memory: ratios in one run, since machines differ.")
for command in (bench.identify, bench.graph, bench.guard, bench.restore, bench.gateway, bench.compare):
    benchmarks.command()(command)
