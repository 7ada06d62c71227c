"""Options that several commands share, as typer writes them."""

import re
from pathlib import Path
from typing import Annotated, Any

import typer

from gama.state.errors import OptionError
from gama.state.options import Options


def _default(name: str) -> str:
    return str(Options.model_fields[name].default)


Task = Annotated[
    str | None,
    typer.Argument(help="A text, a file, or - for standard input.", metavar="[TEXT|FILE|-]", show_default=False),
]
Public = Annotated[
    str | None,
    typer.Option(
        "--public", "-p", help="Public model, such as openai:gpt-4o or ollama:llama3.1:8b.", show_default=False
    ),
]
BaseUrl = Annotated[str | None, typer.Option(help="Address of an OpenAI-compatible server.", show_default=False)]
PublicGraph = Annotated[
    str | None,
    typer.Option("--public-graph", help="Address of a machine that runs the public graph.", show_default=False),
]
Private = Annotated[
    str | None, typer.Option(help="Local LLM for the private agents, such as ollama:llama3.1:8b.", show_default=False)
]
PrivateBaseUrl = Annotated[str | None, typer.Option(help="Address of the private model's server.", show_default=False)]
TrustPrivate = Annotated[bool, typer.Option("--trust-private", help="A hosted private model may see the raw text.")]
K = Annotated[int | None, typer.Option(help="Number of domain experts, 1 to 20.", show_default=_default("k"))]
Rounds = Annotated[
    int | None, typer.Option(help="Most rounds of disproof; 0: none.", show_default=_default("max_rounds"))
]
Checks = Annotated[
    int | None,
    typer.Option(help="Most checks of a sub-question (route knowledge); 0: none.", show_default=_default("max_checks")),
]
Route = Annotated[
    str | None,
    typer.Option(
        help="both (experts, disproof), knowledge (sub-questions), logic (solve, substitute) or auto (three votes).",
        show_default=_default("route"),
    ),
]
Disprove = Annotated[
    str | None,
    typer.Option(
        help="v1 hunts contradictions, v2 proves by contradicting rivals, off.", show_default=_default("disprove")
    ),
]
Prompts = Annotated[
    Path | None, typer.Option(help="Folder with prompt templates of your own.", show_default=False, metavar="FOLDER")
]
Without = Annotated[
    list[str] | None,
    typer.Option(
        help="Ablation: run without ampp (the RAW text leaves), drke or dle; may be repeated.", show_default=False
    ),
]
AblationMode = Annotated[
    str | None,
    typer.Option(help="independent, or cumulative as in the papers' tables.", show_default=_default("ablation_mode")),
]
AllowRaw = Annotated[bool, typer.Option("--allow-raw", help="Second consent to let the raw text leave, without ampp.")]
Alpha = Annotated[
    float | None, typer.Option(help="Weight of the field similarity in Eq. 9.", show_default=_default("alpha"))
]
TopK = Annotated[str | None, typer.Option(help="paper, code or threshold.", show_default=_default("topk_mode"))]
Fusion = Annotated[
    str | None, typer.Option(help="auto, agent, rule, union or intersection.", show_default=_default("fusion"))
]
Query = Annotated[
    str | None,
    typer.Option(
        "--query",
        help="What is asked about the text: then only what this does not need is hidden.",
        show_default=False,
    ),
]
Select = Annotated[
    str | None,
    typer.Option(
        help="Who tells what a query needs: embedded, or the private LLM by naive, choice, self_cot, auto_cot, "
        "self_consistency or ps_cot; off.",
        show_default=_default("select"),
    ),
]
SelectVotes = Annotated[
    int | None,
    typer.Option(
        help="How often the private LLM is asked; the majority counts.", show_default=_default("select_votes")
    ),
]
SelectNever = Annotated[
    list[str] | None,
    typer.Option(
        help="A type or subtype hidden even where the query needs it; may be repeated.",
        show_default="PER, passwords and keys",
    ),
]
Style = Annotated[str | None, typer.Option(help="v2 writes <name-1>, v1 <<name-1>>.", show_default=_default("style"))]
Strategy = Annotated[
    list[str] | None,
    typer.Option(
        "--strategy",
        help="STYLE or TYPE=STYLE: tag, enriched, surrogate, irreversible or a plugin's; may be repeated.",
        show_default="tag",
    ),
]
Seed = Annotated[int | None, typer.Option(help="Seed of every random choice.", show_default=_default("seed"))]
Region = Annotated[
    str | None, typer.Option(help="Country of national telephone numbers, such as DE.", show_default=False)
]
Deny = Annotated[
    list[str] | None, typer.Option(help="A text that must never leave; may be repeated.", show_default=False)
]
Allow = Annotated[
    list[str] | None, typer.Option(help="A text that is not private; may be repeated.", show_default=False)
]
Pner = Annotated[
    list[str] | None,
    typer.Option(
        "--pner",
        help="A finder: patterns, embedded, huggingface:NAME, presidio or gliner:NAME; may be repeated.",
        show_default="patterns, embedded",
    ),
]
Weights = Annotated[str | None, typer.Option(help="Folder of an embedded tagger of your own.", show_default=False)]
Recognizers = Annotated[
    str | None, typer.Option(help="YAML file with patterns and lists of your own.", show_default=False)
]
Disable = Annotated[
    list[str] | None, typer.Option(help="A recognizer or plugin not to run; may be repeated.", show_default=False)
]
Keep = Annotated[
    list[str] | None,
    typer.Option(help="A type or subtype never hidden, such as DATETIME or age; may be repeated.", show_default=False),
]
Threshold = Annotated[
    list[str] | None,
    typer.Option(
        help="TYPE=P: least probability of being private at which a type or subtype is hidden; may be repeated.",
        show_default=False,
    ),
]
Tool = Annotated[
    list[str] | None,
    typer.Option(
        help="A tool for the experts: calculator, puzzle, documents or a plugin's; may be repeated.", show_default=False
    ),
]
Mcp = Annotated[
    list[str] | None,
    typer.Option(help="An MCP server for the experts: a command line or a URL; may be repeated.", show_default=False),
]
Pack = Annotated[
    list[str] | None,
    typer.Option(help="A domain of your own: a folder with a pack.yaml; may be repeated.", show_default=False),
]
Timeout = Annotated[float | None, typer.Option(help="Seconds for one model call.", show_default=_default("timeout_s"))]
MaxTokens = Annotated[
    int | None, typer.Option(help="Tokens of the public model that the task may spend.", show_default=False)
]
MaxCost = Annotated[
    float | None, typer.Option(help="US dollars that the task may spend on the public model.", show_default=False)
]
PriceFile = Annotated[
    str | None, typer.Option("--prices", help="File of prices that go before the built-in ones.", show_default=False)
]
RateLimit = Annotated[
    int | None, typer.Option("--rate-limit", help="Requests a minute to the public model.", show_default=False)
]
MaxConcurrent = Annotated[int | None, typer.Option(help="Requests at a time to the public model.", show_default=False)]
MaxChars = Annotated[int | None, typer.Option(help="Longest input in characters.", show_default=_default("max_chars"))]
Encoding = Annotated[str | None, typer.Option(help="Encoding of the input.", show_default="utf-8")]
Trace = Annotated[
    bool, typer.Option("--trace", help="Trace the public side with LangSmith, each record checked before it is sent.")
]
Home = Annotated[
    Path | None, typer.Option(help="Folder for keys and checkpoints.", envvar="GAMA_HOME", show_default=False)
]
Store = Annotated[
    str | None,
    typer.Option(
        "--store",
        help="Where checkpoints are kept: sqlite:///FOLDER or postgresql://USER@HOST/DATABASE.",
        envvar="GAMA_STORE",
        show_default="the home folder",
        show_envvar=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Write one JSON object.")]

Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="Format of a document: docx, xlsx, csv, tsv, json, jsonl, eml, html, md, txt or pdf.",
        show_default="the file's ending",
    ),
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="File for the outcome.", show_default=False, metavar="FILE")
]

_FLAGS = {
    "public_model": "--public", "public_base_url": "--base-url", "private_model": "--private",
    "private_base_url": "--private-base-url", "trust_private_model": "--trust-private", "max_rounds": "--rounds",
    "topk_mode": "--topk", "timeout_s": "--timeout", "max_chars": "--max-chars", "default_region": "--region",
    "thresholds": "--threshold", "strategies": "--strategy",
    "max_tokens": "--max-tokens", "max_cost": "--max-cost", "rate_limit_per_minute": "--rate-limit",
    "max_concurrent": "--max-concurrent",
    "max_checks": "--checks", "ablation_mode": "--ablation-mode", "allow_raw": "--allow-raw",
    "tools": "--tool", "domain_packs": "--pack", "select_votes": "--select-votes", "select_never": "--select-never",
}  # fmt: skip
"""Options whose name on the command line is not their own."""


def options(**given: Any) -> Options:
    """Make the options of a run of what was given; the environment names models where nothing was.

    Raises:
        OptionError: one is out of range; names it as the command line does.
    """
    values = {name: value for name, value in given.items() if value is not None}
    for name in ("deny", "allow", "pner", "disable", "keep", "select_never", "tools", "mcp", "domain_packs"):
        if name in values:
            values[name] = tuple(values[name])
    if "thresholds" in values:
        values["thresholds"] = dict(_threshold(item) for item in values["thresholds"])
    if "strategies" in values:
        pairs = [item.rpartition("=") for item in values["strategies"]]
        values["strategies"] = {kind or "all": style for kind, _, style in pairs}
    try:
        return Options.from_env(**values)
    except OptionError as error:
        message = re.sub(r"option '(\w+)'", lambda found: f"option {flag(found[1])}", str(error))
    raise OptionError(message)


def _threshold(item: str) -> tuple[str, float]:
    name, _, value = item.partition("=")
    try:
        return name, float(value)
    except ValueError:
        raise OptionError("option --threshold: must be TYPE=P, such as PER=0.3") from None


def switches(without: list[str] | None) -> dict[str, bool]:
    """Return the options that switch modules off, as `--without` names them.

    Raises:
        OptionError: it names something else.
    """
    for name in without or ():
        if name not in MODULES:
            raise OptionError(f"option --without: {name!r} is none of {', '.join(MODULES)}")
    return dict.fromkeys(without or (), False)


MODULES = ("ampp", "drke", "dle")


def flag(name: str) -> str:
    """Return an option's name on the command line."""
    return _FLAGS.get(name, f"--{name}")
