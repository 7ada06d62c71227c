"""Where a text goes when it is sent: the public model and the host that it is asked at, in words for people."""

import os
from urllib.parse import urlsplit

from typing_extensions import TypedDict

from gama.models.names import LOCAL_PROVIDERS, is_standin, split_name
from gama.state.errors import GamaError
from gama.state.options import Options

_HOSTS = {
    "openai": "api.openai.com",
    "anthropic": "api.anthropic.com",
    "deepseek": "api.deepseek.com",
    "groq": "api.groq.com",
    "mistralai": "api.mistral.ai",
    "openrouter": "openrouter.ai",
    "xai": "api.x.ai",
}
"""Where providers are asked whose address is the same for everybody."""
_ADDRESSES = {
    "openai": ("OPENAI_BASE_URL", "OPENAI_API_BASE"),
    "anthropic": ("ANTHROPIC_API_URL", "ANTHROPIC_BASE_URL"),
    "ollama": ("OLLAMA_HOST",),
}
"""Environment variables that providers' libraries take another address from."""
_FIELDS = ("openai_api_base", "azure_endpoint", "api_base", "anthropic_api_url", "base_url", "endpoint")
"""Where ready LangChain models keep it."""


class Destination(TypedDict):
    """Who gets the text."""

    model: str
    """The model, as the operator named it; empty for the stand-in, which asks nobody."""
    host: str
    """The host, with the port where it is an unusual one; empty where only the provider's library knows it."""
    standin: bool
    """Whether the built-in reader answers, so that nothing leaves this server."""


def destination(options: Options) -> Destination:
    """Return who gets the text of a run."""
    model, address = options.public_model, options.public_base_url or ""
    if options.public_graph:
        return Destination(model=_named(model) or "the public graph", host=_host(options.public_graph), standin=False)
    if is_standin(model):
        return Destination(model="", host="", standin=True)
    if not isinstance(model, str):
        found = (getattr(model, field, None) for field in _FIELDS)
        address = next((one for one in found if isinstance(one, str) and one), "")
        return Destination(model=_named(model), host=_host(address), standin=False)
    return Destination(model=_bare(model), host=_host(address) or _usual(model), standin=False)


def _named(model: object) -> str:
    if model is None or isinstance(model, str):
        return _bare(model or "")
    named = getattr(model, "model_name", None) or getattr(model, "model", None)
    return str(named or type(model).__name__)


def _bare(name: str) -> str:
    """Return the name without the provider."""
    try:
        return split_name(name)[1]
    except GamaError:
        return name


def _usual(name: str) -> str:
    try:
        provider = split_name(name)[0]
    except GamaError:
        return ""
    told = next((value for variable in _ADDRESSES.get(provider, ()) if (value := os.environ.get(variable))), "")
    return _host(told) or _HOSTS.get(provider, "") or ("this machine" if provider in LOCAL_PROVIDERS else provider)


def _host(address: str) -> str:
    parts = urlsplit(address if "://" in address or not address else f"//{address}")
    try:
        port = parts.port
    except ValueError:
        port = None
    host = parts.hostname or ""
    return f"{host}:{port}" if host and port and port not in (80, 443) else host
