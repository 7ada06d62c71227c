"""Names of chat models: what LangChain calls them, what is hosted and what is local."""

import ipaddress
from typing import Any
from urllib.parse import urlsplit

from gama.state.errors import ModelUnknown, OptionError

STANDIN = "standin"
"""The built-in extractive reader that answers where no public model is named."""

LOCAL_PROVIDERS = frozenset({"ollama", "huggingface"})
"""Providers that run on this machine unless a base URL says otherwise."""

PROVIDERS: dict[str, str] = {
    "openai": "langchain-openai",
    "ollama": "langchain-ollama",
    "huggingface": "langchain-huggingface",
    "anthropic": "langchain-anthropic",
    "azure_openai": "langchain-openai",
    "bedrock": "langchain-aws",
    "bedrock_converse": "langchain-aws",
    "cohere": "langchain-cohere",
    "deepseek": "langchain-deepseek",
    "fireworks": "langchain-fireworks",
    "google_genai": "langchain-google-genai",
    "google_vertexai": "langchain-google-vertexai",
    "groq": "langchain-groq",
    "mistralai": "langchain-mistralai",
    "openrouter": "langchain-openrouter",
    "perplexity": "langchain-perplexity",
    "together": "langchain-together",
    "xai": "langchain-xai",
}
"""Providers by the name before the colon, with the package that brings them."""


def split_name(name: str) -> tuple[str, str]:
    """Split `provider:model`.

    Raises:
        ModelUnknown: there is no provider in it, or an unknown one; lists the known.
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
    """Tell whether a choice of model means the built-in reader."""
    return model is None or (isinstance(model, str) and model.strip().lower() in ("", STANDIN, "stand-in"))


def is_hosted(name: str, base_url: str | None = None) -> bool:
    """Tell whether a model runs on somebody else's machine.

    A base URL decides where one is given: loopback and private networks count as local.
    """
    if base_url:
        return not is_local_address(base_url)
    return split_name(name)[0] not in LOCAL_PROVIDERS


def is_local_address(url: str) -> bool:
    """Tell whether a URL names this machine or a private network."""
    host = (urlsplit(url).hostname or "").lower()
    if host == "localhost" or host.endswith((".localhost", ".local", ".internal")):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_private


def check_base_url(url: str | None) -> None:
    """Refuse a base URL that is none.

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
