"""The public model behind the one checked client.

Every call is checked twice: its messages before the model library sees them, whatever the
provider, and the serialised request on the wire where the provider's library takes a transport of
ours (OpenAI and everything compatible with it, Ollama).
"""

import os
import weakref
from collections.abc import Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from gama.models.calls import PublicCall, PublicClient, PublicReply, clean_reply
from gama.models.egress import AsyncGuardedTransport, GuardedTransport, call_timeout
from gama.models.names import PROVIDERS, check_base_url, is_standin, split_name
from gama.models.tooling import refusal_of_tools, requests_of, spoken, turns_of, with_tools
from gama.state.egress import EGRESS, NoPrivateSpace, check_egress, quoting
from gama.state.errors import (
    LeakError,
    ModelDenied,
    ModelError,
    ModelReplyError,
    ModelTimeout,
    ModelUnknown,
    ModelUnreachable,
)

MAX_RETRIES = 2
"""Retries of the provider's own client on 429, 5xx and dropped connections."""

_OPENAI_LIKE = frozenset({"openai", "azure_openai", "deepseek", "groq", "together", "xai"})
"""Providers whose LangChain models take HTTP clients of ours."""

_PROTOCOL = "model messages role system user assistant content temperature top_p stream options format keep_alive"
"""Words of the wire format: they stand in every request, whatever the task is."""


def public_client(
    model: Any = None,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    timeout_s: float = 120.0,
    standalone: bool = False,
) -> PublicClient:
    """Return the client for a choice of public model.

    Args:
        model: name as `provider:model`, a ready `BaseChatModel`, or None for the built-in reader.
        base_url: address of an OpenAI-compatible server; with it a bare model name will do.
        api_key: key for the server; by default the provider's environment variable.
        timeout_s: seconds one call may take.
        standalone: the client serves a public graph on a machine of its own, where no private
            space exists to compare with.

    Raises:
        ModelUnknown: no such provider, or its package is not installed.
        ModelDenied: the provider's key is missing.
        OptionError: the base URL is no address.
    """
    check_base_url(base_url)
    if isinstance(model, BaseChatModel):
        named = getattr(model, "model_name", None) or getattr(model, "model", None)
        own = (named,) if isinstance(named, str) else ()
        return ChatClient(model, type(model).__name__, own_words=own, standalone=standalone)
    if is_standin(model) and base_url is None:
        from gama.models.standin import StandInReader

        return StandInReader(standalone=standalone)
    if is_standin(model):
        raise ModelUnknown("A base URL needs a model name as well: add --public openai:MODEL, as the server names it.")
    if not isinstance(model, str):
        raise ModelUnknown("The public model must be a name such as openai:gpt-4o or a LangChain BaseChatModel.")
    name = model if ":" in model or base_url is None else f"openai:{model}"
    built = chat_model(name, base_url, api_key, timeout_s)
    client = ChatClient(built, name, own_words=(name, base_url or ""), standalone=standalone)
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
            "max_retries": MAX_RETRIES,
            "http_client": httpx.Client(transport=guarded, timeout=timeout_s, follow_redirects=True),
            "http_async_client": httpx.AsyncClient(transport=async_guarded, timeout=timeout_s, follow_redirects=True),
        }
        if provider == "openai" and base_url and not api_key:
            settings["api_key"] = os.environ.get("OPENAI_API_KEY") or "none"
    elif provider == "ollama":
        settings["sync_client_kwargs"] = {"transport": guarded, "timeout": timeout_s}
        settings["async_client_kwargs"] = {"transport": async_guarded, "timeout": timeout_s}
    elif provider == "anthropic":
        settings |= {"timeout": timeout_s, "max_retries": MAX_RETRIES}
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


class ChatClient:
    """The checked client over a LangChain chat model."""

    note = ""
    tool_calling = True
    """Whether it can carry tools: in the provider's own way, or as JSON in the prompt."""

    def __init__(
        self, model: BaseChatModel, name: str, *, own_words: Sequence[str] = (), standalone: bool = False
    ) -> None:
        """Take the model.

        Args:
            model: the LangChain model.
            name: what it is called in replies and errors.
            own_words: what requests contain because of the choice of model, such as its name: on the
                wire it is no leak, even where a letter names somebody Claude.
            standalone: see `public_client`.
        """
        self._model = model
        self._name = name
        self._own_words = (_PROTOCOL, name, *own_words)
        self._standalone = standalone
        self._plain = False
        self.native_tools = True
        """Whether it takes tools in the provider's own way, as far as is known."""

    @property
    def name(self) -> str:
        """Name of the model."""
        return self._name

    def complete(self, call: PublicCall) -> PublicReply:
        """Answer a call; see `PublicClient.complete`."""
        problem: Exception
        messages = self._checked(call)
        with quoting((*call.quoted, *self._own_words)), call_timeout(call.timeout_s):
            for plain in self._attempts():
                try:
                    return self._reply(with_tools(self._set(plain), call).invoke(messages), call)
                except Exception as error:
                    problem = error
                if not self._refuses_sampling(problem):
                    break
        raise self._failure(problem, call)

    async def acomplete(self, call: PublicCall) -> PublicReply:
        """Answer a call; see `PublicClient.complete`."""
        problem: Exception
        messages = self._checked(call)
        with quoting((*call.quoted, *self._own_words)), call_timeout(call.timeout_s):
            for plain in self._attempts():
                try:
                    return self._reply(await with_tools(self._set(plain), call).ainvoke(messages), call)
                except Exception as error:
                    problem = error
                if not self._refuses_sampling(problem):
                    break
        raise self._failure(problem, call)

    def _failure(self, problem: Exception, call: PublicCall) -> Exception:
        refused = refusal_of_tools(problem, call, self._name)
        self.native_tools = self.native_tools and refused is None
        return refused or mapped(problem, self._name)

    def _checked(self, call: PublicCall) -> list[BaseMessage]:
        admit(self._standalone)
        with quoting(call.quoted):
            check_egress(f"{call.system}\n{call.user}{spoken(call)}")
        return [SystemMessage(call.system), HumanMessage(call.user), *turns_of(call)]

    def _attempts(self) -> tuple[bool, ...]:
        """Return how to try, in order: with the sampling settings, then without; once refused, without only."""
        return (True,) if self._plain else (False, True)

    def _set(self, plain: bool) -> BaseChatModel:
        """Return the model, without its sampling settings if it is to be `plain`."""
        if not plain:
            return self._model
        fields = {"temperature", "top_p"} & set(type(self._model).model_fields)
        return self._model.model_copy(update=dict.fromkeys(fields))

    def _refuses_sampling(self, error: Exception) -> bool:
        """Tell whether the call may succeed without sampling settings: some reasoning models refuse them."""
        refused = getattr(error, "status_code", None) == 400 and any(
            word in str(error).lower() for word in ("temperature", "top_p")
        )
        # Experts run side by side: each decides by its own attempt, not by what another has found out meanwhile.
        self._plain = self._plain or (refused and hasattr(self._model, "temperature"))
        return refused and hasattr(self._model, "temperature")

    def _reply(self, message: BaseMessage, call: PublicCall) -> PublicReply:
        text, cut = clean_reply(message.text, call.max_chars)
        requests = requests_of(message, call)
        if not text and not requests:
            refusal = bool(message.additional_kwargs.get("refusal"))
            raise ModelReplyError(
                f"The model {self._name!r} {'refused to answer' if refusal else 'gave an empty answer'}."
            )
        usage: Any = message.usage_metadata if isinstance(message, AIMessage) else None
        named = str(message.response_metadata.get("model_name") or self._name)
        return PublicReply(
            text,
            clean_reply(named, 200)[0],
            (usage or {}).get("input_tokens", 0),
            (usage or {}).get("output_tokens", 0),
            cut,
            requests,
            message if requests else None,
        )


def admit(standalone: bool) -> None:
    """Let a standalone public graph pass where no egress is set; everything else fails closed."""
    if standalone and EGRESS.get() is None:
        EGRESS.set(NoPrivateSpace())


def mapped(error: Exception, name: str) -> Exception:
    """Turn a provider's error into one of ours with a fixed text: theirs may echo what was sent."""
    chain: list[BaseException] = []
    link: BaseException | None = error
    while link is not None and link not in chain:
        chain.append(link)
        link = link.__cause__ or link.__context__
    for item in chain:
        if isinstance(item, LeakError | ModelError):
            return type(item)(*item.args)
    kinds = {base.__name__ for item in chain for base in type(item).__mro__}
    status = next((s for item in chain if isinstance(s := getattr(item, "status_code", None), int)), None)
    if status in (401, 403):
        return ModelDenied(f"The server refused the key for {name!r} (HTTP {status}). Check the key and its rights.")
    if status == 404:
        return ModelUnknown(f"The server knows no model {name!r} (HTTP 404). Check the name and the base URL.")
    if status == 429:
        return ModelUnreachable(f"The server of {name!r} is busy or the quota is used up (HTTP 429). Try again later.")
    if status is not None and status >= 500:
        return ModelUnreachable(f"The server of {name!r} failed (HTTP {status}). Try again later.")
    if status is not None:
        return ModelReplyError(
            f"The server of {name!r} did not accept the request (HTTP {status}); it may be too long for the model."
        )
    if kinds & {"TimeoutException", "APITimeoutError", "TimeoutError"}:
        return ModelTimeout(f"The model {name!r} gave no answer in time. Raise --timeout, or try again later.")
    if kinds & {"APIConnectionError", "ConnectError", "ConnectionError", "TransportError", "RemoteProtocolError"}:
        return ModelUnreachable(f"Nothing answers for {name!r}. Check the base URL and that the server runs.")
    return ModelReplyError(f"The model {name!r} gave no usable answer ({type(error).__name__}).")
