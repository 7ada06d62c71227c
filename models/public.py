"""The public model behind the one checked client.

Every call is checked twice: its messages before the model library sees them, whatever the
provider, and the serialised request on the wire where the provider's library takes a transport of
ours (OpenAI and everything compatible with it, Ollama).
"""

import os
import weakref
from typing import Any

from langchain_core.language_models import BaseChatModel

from gama.guard.transports import AsyncGuardedTransport, GuardedTransport
from gama.models.calls import PublicClient
from gama.models.chat import ChatClient
from gama.models.names import FREE, PROVIDERS, Prices, check_base_url, is_hosted, is_standin, price_of, split_name
from gama.models.pacing import CLOCK, Backoff, Clock, Pace
from gama.state.errors import ModelDenied, ModelError, ModelUnknown, OptionError

MAX_RETRIES = 2
"""How often a call is made again on 429, 5xx and dropped connections."""

_OPENAI_LIKE = frozenset({"openai", "azure_openai", "deepseek", "groq", "together", "xai"})
"""Providers whose LangChain models take HTTP clients of ours."""


def public_client(
    model: Any = None,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    timeout_s: float = 120.0,
    standalone: bool = False,
    rate_limit_per_minute: int | None = None,
    max_concurrent: int | None = None,
    prices: Prices = None,
    priced: bool = False,
    clock: Clock = CLOCK,
) -> PublicClient:
    """Return the client for a choice of public model.

    Args:
        model: name as `provider:model`, a ready `BaseChatModel`, or None for the built-in reader.
        base_url: address of an OpenAI-compatible server; with it a bare model name will do.
        api_key: key for the server; by default the provider's environment variable.
        timeout_s: seconds one call may take, its retries included.
        standalone: the client serves a public graph on a machine of its own, where no private
            space exists to compare with.
        rate_limit_per_minute: requests to the model that may begin within a minute; more wait.
        max_concurrent: requests to the model that may be under way at a time; more wait.
        prices: prices that go before the built-in ones; see `gama.models.names`.
        priced: whether the price must be known, because a budget in dollars is to be kept.
        clock: what the client waits by.

    Raises:
        ModelUnknown: no such provider, or its package is not installed.
        ModelDenied: the provider's key is missing.
        OptionError: the base URL is invalid, the prices cannot be read, or the model has no price.
    """
    check_base_url(base_url)
    if is_standin(model):
        if base_url is not None:
            raise ModelUnknown(
                "A base URL needs a model name as well: add --public openai:MODEL, as the server names it."
            )
        from gama.models.standin import StandInReader

        return StandInReader(standalone=standalone)
    ready: dict[str, Any] = {"standalone": standalone, "timeout_s": timeout_s, "clock": clock}
    ready["pace"] = Pace(rate_limit_per_minute, max_concurrent, clock)
    if isinstance(model, BaseChatModel):
        named = getattr(model, "model_name", None) or getattr(model, "model", None)
        own = tuple(str(value) for value in (named, getattr(model, "max_tokens", None)) if value)
        price = price_of(f"{_provider_of(model)}:{named}", prices)
        check_price(type(model).__name__, price is not None or not priced)
        return ChatClient(on_guarded_wire(model, timeout_s), type(model).__name__, own_words=own, price=price, **ready)
    if not isinstance(model, str):
        raise ModelUnknown("The public model must be a name such as openai:gpt-4o or a LangChain BaseChatModel.")
    name = model if ":" in model or base_url is None else f"openai:{model}"
    price = price_of(name, prices) or (None if is_hosted(name, base_url) else FREE)
    check_price(name, price is not None or not priced)
    built = chat_model(name, base_url, api_key, timeout_s)
    backoff = Backoff(retries=MAX_RETRIES)
    client = ChatClient(built, name, own_words=(name, base_url or ""), backoff=backoff, price=price, **ready)
    if (http := getattr(built, "http_client", None)) is not None:
        # The HTTP client is ours: its connections end with the client that uses them.
        weakref.finalize(client, http.close)
    return client


def chat_model(
    name: str, base_url: str | None = None, api_key: str | None = None, timeout_s: float = 120.0, **options: Any
) -> BaseChatModel:
    """Build the LangChain model for a public name, on guarded HTTP clients, at temperature 0 and top_p 1.

    Raises:
        ModelUnknown, ModelDenied: see `public_client`.
    """
    import httpx

    provider, _ = split_name(name)
    if provider == "huggingface":
        raise ModelUnknown("A huggingface pipeline runs at home: give it as the private model, not as the public one.")
    settings: dict[str, Any] = {"temperature": 0, "top_p": 1} | options
    guarded = GuardedTransport(timeout_s=timeout_s)
    async_guarded = AsyncGuardedTransport(timeout_s=timeout_s)
    if base_url:
        settings["base_url"] = base_url
    if api_key and provider != "ollama":
        settings["api_key"] = api_key
    if provider in _OPENAI_LIKE:
        settings |= {
            "timeout": timeout_s,
            # The client above retries by itself, within the call's deadline.
            "max_retries": 0,
            "http_client": httpx.Client(transport=guarded, timeout=timeout_s, follow_redirects=True),
            "http_async_client": httpx.AsyncClient(transport=async_guarded, timeout=timeout_s, follow_redirects=True),
        }
        if provider == "openai" and base_url and not api_key:
            settings["api_key"] = os.environ.get("OPENAI_API_KEY") or "none"
    elif provider == "ollama":
        settings["sync_client_kwargs"] = {"transport": guarded, "timeout": timeout_s}
        settings["async_client_kwargs"] = {"transport": async_guarded, "timeout": timeout_s}
    elif provider == "anthropic":
        settings |= {"timeout": timeout_s, "max_retries": 0}
        # Its newer models take one of the two settings, not both.
        del settings["top_p"]
    return build_chat_model(name, settings)


def build_chat_model(name: str, settings: dict[str, Any]) -> BaseChatModel:
    """Build a model by LangChain's own resolver, with our errors."""
    from langchain.chat_models import init_chat_model

    provider, _ = split_name(name)
    problem: ModelError
    try:
        built: BaseChatModel = init_chat_model(name, **settings)
        return built
    except ImportError:
        problem = ModelUnknown(f"The provider {provider!r} needs a package: pip install {PROVIDERS[provider]}")
    except Exception as error:
        text = f"{type(error).__name__} {error}".lower()
        if "api_key" in text or "credential" in text or "api key" in text:
            problem = ModelDenied(
                f"There is no key for {provider!r}. Set {provider.upper()}_API_KEY, or give the "
                "--base-url of a local server."
            )
        else:
            problem = ModelUnknown(f"The model {name!r} cannot be set up ({type(error).__name__}).")
    raise problem


def on_guarded_wire(model: BaseChatModel, timeout_s: float) -> BaseChatModel:
    """Return a copy of an OpenAI model whose requests pass the guarded transport.

    Any other model, and one with an HTTP client of the user's own, is returned as it is.
    """
    root: Any = getattr(model, "root_client", None)
    aroot: Any = getattr(model, "root_async_client", None)
    if type(root).__module__.partition(".")[0] != "openai" or aroot is None:
        return model
    if getattr(model, "http_client", None) is not None or getattr(model, "http_async_client", None) is not None:
        return model
    import httpx

    http = httpx.Client(transport=GuardedTransport(timeout_s=timeout_s), timeout=root.timeout, follow_redirects=True)
    ahttp = httpx.AsyncClient(
        transport=AsyncGuardedTransport(timeout_s=timeout_s), timeout=aroot.timeout, follow_redirects=True
    )
    guarded, aguarded = root.with_options(http_client=http), aroot.with_options(http_client=ahttp)
    changes = {
        "root_client": guarded,
        "root_async_client": aguarded,
        "client": guarded.chat.completions,
        "async_client": aguarded.chat.completions,
    }
    copy = model.model_copy(update=changes)
    weakref.finalize(copy, http.close)
    return copy


def check_price(name: str, known: bool) -> None:
    """Refuse a model without a price where a budget in dollars is to be kept.

    Raises:
        OptionError: the price is not known; says how to give it.
    """
    if not known:
        raise OptionError(
            f"There is no price for {name!r}, so max_cost cannot be kept. Give it with the option prices "
            f'({{"{name}": [input, output]}}, US dollars for a million tokens), or set max_tokens instead.'
        )


def _provider_of(model: BaseChatModel) -> str:
    """Return the provider whose package a ready model comes from, as names begin with it."""
    package = type(model).__module__.partition(".")[0].replace("_", "-")
    return next((provider for provider, bringer in PROVIDERS.items() if bringer == package), package)
