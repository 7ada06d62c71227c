"""Chat models: what LangChain calls them, what is hosted and what is local, and what their tokens cost.

The prices are a small table, overridable by options or a file. A price file is JSON:
`{"usd_per_million_tokens": {"openai:gpt-4o": {"input": 2.5, "cached_input": 1.25, "output": 10}}}`; `cached_input` may
be left out. Prices change: the table says of which day it is, and a file of your own goes before it.
"""

import json
import os
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from gama.guard.addresses import is_local_address
from gama.state.errors import ModelUnknown, OptionError

STANDIN = "standin"
"""The built-in extractive reader that answers where no public model is named."""

LOCAL_PROVIDERS = frozenset({"ollama", "huggingface"})
"""Providers that run on this machine unless a base URL says otherwise."""

_BRINGERS = {"azure_openai": "openai", "bedrock": "aws", "bedrock_converse": "aws"}
PROVIDERS: dict[str, str] = {
    name: "langchain-" + _BRINGERS.get(name, name).replace("_", "-")
    for name in (
        "openai ollama huggingface anthropic azure_openai bedrock bedrock_converse cohere deepseek fireworks "
        "google_genai google_vertexai groq mistralai openrouter perplexity together xai"
    ).split()
}
"""Providers by the name before the colon, with the package that brings them."""


def split_name(name: str) -> tuple[str, str]:
    """Split `provider:model`.

    Raises:
        ModelUnknown: it names no provider, or an unknown one; lists the known.
    """
    provider, colon, model = name.strip().partition(":")
    provider = provider.strip().lower().replace("-", "_")
    if not colon or not model.strip():
        raise ModelUnknown(
            f"The model name {name!r} has no provider. Write provider:model, such as openai:gpt-4o or "
            f"ollama:llama3.1:8b. Known providers: {', '.join(PROVIDERS)}."
        )
    if provider not in PROVIDERS:
        raise ModelUnknown(f"Unknown provider {provider!r}. Known providers: {', '.join(PROVIDERS)}.")
    return provider, model.strip()


def check_public_name(model: Any, base_url: str | None = None) -> None:
    """Refuse the name of a public model that no call could be made with, before there is anything to send.

    Raises:
        ModelUnknown: see `split_name`; with a base URL a bare name will do.
    """
    if isinstance(model, str) and not is_standin(model) and (base_url is None or ":" in model):
        split_name(model)


def is_standin(model: Any) -> bool:
    """Return whether a choice of model means the built-in reader."""
    return model is None or (isinstance(model, str) and model.strip().lower() in ("", STANDIN, "stand-in"))


def is_hosted(name: str, base_url: str | None = None) -> bool:
    """Return whether a model runs on somebody else's machine.

    A base URL decides where one is given, and `OLLAMA_HOST` for Ollama: loopback and private networks
    count as local. Ollama's cloud models are hosted wherever the server runs that passes calls on.

    Raises:
        ModelUnknown: the name has no provider, or an unknown one.
    """
    provider, model = split_name(name)
    if provider == "ollama":
        if model.lower().endswith(_OFFLOADED):
            return True
        base_url = base_url or _ollama_host()
    if base_url:
        return not is_local_address(base_url)
    return provider not in LOCAL_PROVIDERS


def is_hosted_model(model: object) -> bool:
    """Return whether a ready LangChain model is that of a hosted provider, and not pointed at a local server.

    A model of a class that comes from none of the known packages is its owner's affair: not hosted.
    """
    package = type(model).__module__.partition(".")[0].replace("_", "-")
    known = {provider for provider, bringer in PROVIDERS.items() if bringer == package}
    if not known:
        return False
    addresses = (getattr(model, field, None) for field in _ADDRESS_FIELDS)
    address = next((str(found) for found in addresses if isinstance(found, str) and found), "")
    if package == "langchain-huggingface":
        return _is_endpoint(getattr(model, "llm", None))
    if package == "langchain-ollama":
        return is_hosted(f"ollama:{getattr(model, 'model', '') or '-'}", address or None)
    return not is_local_address(address) if address else not known <= LOCAL_PROVIDERS


def _is_endpoint(llm: object) -> bool:
    """Return whether the model inside LangChain's Hugging Face chat model is one that is called over the network."""
    if not type(llm).__name__.startswith("HuggingFaceEndpoint"):
        return False
    address = getattr(llm, "endpoint_url", None)
    return not (isinstance(address, str) and is_local_address(address))


_OFFLOADED = ("-cloud", ":cloud")
"""Endings of the names of models that an Ollama server does not run but asks its maker's servers for."""

_ADDRESS_FIELDS = ("openai_api_base", "azure_endpoint", "api_base", "anthropic_api_url", "base_url", "endpoint")
"""Where the models of the provider packages keep their server's address."""


def _ollama_host() -> str | None:
    """Return the address that Ollama's library takes from the environment; None for its default on this machine."""
    host = os.environ.get("OLLAMA_HOST", "").strip()
    if not host or host.startswith(":"):
        return None
    return host if "://" in host else f"http://{host}"


def check_base_url(url: str | None) -> None:
    """Refuse an invalid base URL.

    Raises:
        OptionError: it has no http scheme or no host.
    """
    if url is None:
        return
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise OptionError(f"The base URL {url!r} is no address. Write it like http://localhost:8000/v1.")
    if parts.username or parts.password:
        raise OptionError("The base URL has a user name or password in it. Give the key by environment variable.")


# The date or the word for the newest one at the end of a model's name: gpt-4o-2024-08-06, claude-…-20250514.
_DATED = re.compile(r"-(?:\d{4}-\d{2}-\d{2}|\d{8}|latest)$")

_CHARS_PER_TOKEN = 3
"""UTF-8 bytes; English has about four to a token, so that an estimate is rather too high than too low."""

_PER_MESSAGE = 16
"""Tokens that the form of a request adds."""


class Price(NamedTuple):
    """US dollars for a million tokens."""

    input: float
    output: float
    cached_input: float | None = None
    """Of input that the provider had cached; None: like other input."""

    def cost(self, input_tokens: int, output_tokens: int, cached_tokens: int = 0) -> float:
        """Return what so many tokens cost, in US dollars."""
        cached = min(cached_tokens, input_tokens)
        rate = self.input if self.cached_input is None else self.cached_input
        return ((input_tokens - cached) * self.input + cached * rate + output_tokens * self.output) / 1e6


FREE = Price(0.0, 0.0)
"""The price of models on one's own machines."""

Prices = Mapping[str, Any] | str | Path | None
"""Prices of one's own: a table as in a price file's `usd_per_million_tokens`, or the path of such a file."""


def price_of(model: str, own: Prices = None) -> Price | None:
    """Return the price of a model, or None where it is in no table.

    Args:
        model: name as `provider:model`; a date at its end is left out where the table has none.
        own: prices that go before the built-in ones.

    Raises:
        OptionError: the prices of one's own cannot be read.
    """
    tables = [read_prices(own)] if own is not None else []
    for table in (*tables, _built_in()):
        for name in (model, _DATED.sub("", model)):
            if (found := table.get(name.strip().lower())) is not None:
                return found
    return None


def read_prices(given: Mapping[str, Any] | str | Path) -> dict[str, Price]:
    """Read and check a table of prices, or a file with one.

    Raises:
        OptionError: the file does not exist, or an entry is not a price; names the entry.
    """
    if isinstance(given, str | Path):
        problem = ""
        try:
            given = json.loads(Path(given).read_text(encoding="utf-8"))["usd_per_million_tokens"]
        except OSError:
            problem = "cannot be read"
        except (ValueError, KeyError, TypeError):
            problem = 'is no JSON object with "usd_per_million_tokens"'
        if problem:
            raise OptionError(f"option 'prices': the file {str(given)!r} {problem}")
    if not isinstance(given, Mapping):
        raise OptionError("option 'prices': give a file, or a table of model names and prices")
    return {str(name).strip().lower(): _price(name, entry) for name, entry in given.items()}


def estimate_tokens(*texts: str) -> int:
    """Return about how many tokens a request of these texts has, rather too many than too few."""
    return sum(len(text.encode("utf-8", "replace")) // _CHARS_PER_TOKEN + _PER_MESSAGE for text in texts)


def _price(name: object, entry: object) -> Price:
    # A pair of input and output is short for the object.
    if isinstance(entry, list | tuple) and len(entry) == 2:
        entry = {"input": entry[0], "output": entry[1]}
    if isinstance(entry, Mapping) and {"input", "output"} <= set(entry) <= set(Price._fields):
        numbers = {key: value for key, value in entry.items() if value is not None}
        if all(isinstance(n, int | float) and not isinstance(n, bool) and 0 <= n < 1e9 for n in numbers.values()):
            return Price(**{key: float(value) for key, value in numbers.items()})
    raise OptionError(
        f'option \'prices\': the entry of {name!r} is no price; write {{"input": 2.5, "output": 10}}, '
        "US dollars for a million tokens"
    )


@cache
def _built_in() -> dict[str, Price]:
    text = files("gama.models").joinpath("data", "prices.json").read_text(encoding="utf-8")
    return read_prices(json.loads(text)["usd_per_million_tokens"])
