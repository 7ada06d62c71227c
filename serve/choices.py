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
Private = Annotated[
    str | None, typer.Option(help="Local LLM for the private agents, such as ollama:llama3.1:8b.", show_default=False)
]
PrivateBaseUrl = Annotated[str | None, typer.Option(help="Address of the private model's server.", show_default=False)]
TrustPrivate = Annotated[bool, typer.Option("--trust-private", help="A hosted private model may see the raw text.")]
K = Annotated[int | None, typer.Option(help="Number of domain experts, 1 to 20.", show_default=_default("k"))]
Rounds = Annotated[
    int | None, typer.Option(help="Most rounds of disproof; 0: none.", show_default=_default("max_rounds"))
]
Alpha = Annotated[
    float | None, typer.Option(help="Weight of the field similarity in Eq. 9.", show_default=_default("alpha"))
]
TopK = Annotated[str | None, typer.Option(help="paper, code or threshold.", show_default=_default("topk_mode"))]
Fusion = Annotated[
    str | None, typer.Option(help="auto, agent, rule, union or intersection.", show_default=_default("fusion"))
]
Style = Annotated[str | None, typer.Option(help="v2 writes <name-1>, v1 <<name-1>>.", show_default=_default("style"))]
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
MaxChars = Annotated[int | None, typer.Option(help="Longest input in characters.", show_default=_default("max_chars"))]
Encoding = Annotated[str | None, typer.Option(help="Encoding of the input.", show_default="utf-8")]
Home = Annotated[
    Path | None, typer.Option(help="Folder for keys and checkpoints.", envvar="GAMA_HOME", show_default=False)
]
Json = Annotated[bool, typer.Option("--json", help="Write one JSON object.")]

_FLAGS = {
    "public_model": "--public", "public_base_url": "--base-url", "private_model": "--private",
    "private_base_url": "--private-base-url", "trust_private_model": "--trust-private", "max_rounds": "--rounds",
    "topk_mode": "--topk", "timeout_s": "--timeout", "max_chars": "--max-chars", "default_region": "--region",
    "tools": "--tool", "domain_packs": "--pack",
}  # fmt: skip
"""Options whose name on the command line is not their own."""


def options(**given: Any) -> Options:
    """Make the options of a run of what was given; the environment names models where nothing was.

    Raises:
        OptionError: one is out of range; names it as the command line does.
    """
    values = {name: value for name, value in given.items() if value is not None}
    for name in ("deny", "allow", "tools", "mcp", "domain_packs"):
        if name in values:
            values[name] = tuple(values[name])
    try:
        return Options.from_env(**values)
    except OptionError as error:
        message = re.sub(r"option '(\w+)'", lambda found: f"option {flag(found[1])}", str(error))
    raise OptionError(message)


def flag(name: str) -> str:
    """Return an option's name on the command line."""
    return _FLAGS.get(name, f"--{name}")
