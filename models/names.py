"""Names of chat models: what LangChain calls them, what is hosted and what is local."""

import os
from typing import Any
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
