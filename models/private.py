"""The private LLM: a local model that may see the raw text.

It is called below LangChain's own entrance (`invoke`), which would hand the raw text to every tracer, cache, debug
printer and callback that a program has set globally; and the libraries on the way may log nothing meanwhile.
"""

import asyncio
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.outputs import ChatResult

from gama.guard.quiet import Quiet, silence_loggers
from gama.models.calls import clean_reply
from gama.models.faults import mapped
from gama.models.names import check_base_url, is_hosted, is_hosted_model, split_name
from gama.models.pacing import Pace
from gama.models.public import build_chat_model
from gama.state.errors import ModelReplyError, ModelUnknown, OptionError
from gama.state.options import Options
from gama.state.private_text import PrivateText

TOP_P = 1.0
"""Of the paper's decoding (GAMA, implementation details; spec 01 §1.9)."""

LONGEST_REPLY = 20_000


class Decoding(NamedTuple):
    """How the private LLM writes: options of the same names."""

    max_tokens: int = 1024
    max_length: int | None = None
    temperature: float = 0.6
    device: str | None = None


def decoding_of(options: Options) -> Decoding:
    """Return how the private LLM writes, as the options say."""
    return Decoding(
        options.private_max_tokens,
        options.private_max_length,
        float(options.private_temperature),
        options.private_device,
    )


class Counted(NamedTuple):
    """A reply, and what it took."""

    text: PrivateText
    tokens: tuple[int, int] | None
    """Read and written; None where the model does not count them."""


class PrivateModel:
    """A private LLM as the agents call it: chat messages in, text out."""

    def __init__(self, model: BaseChatModel, name: str) -> None:
        """Take the model."""
        self._model = model
        self.name = name
        # A local pipeline is not made for calls side by side; a server queues by itself.
        self._pace = Pace(at_once=1)

    @property
    def model(self) -> BaseChatModel:
        """The LangChain model, for methods that are measured beside GAMA."""
        return self._model

    def complete(self, messages: Sequence[Mapping[str, str | PrivateText]], **params: Any) -> PrivateText:
        """Return the model's reply to chat messages (`role`, `content`): untraced, uncached, unlogged, unstreamed.

        Raises:
            ModelError: it could not be reached or used; the message quotes nothing of the call.
        """
        return self.counted(messages, **params).text

    def counted(self, messages: Sequence[Mapping[str, str | PrivateText]], **params: Any) -> Counted:
        """Return the model's reply with the tokens that it took; see `complete`."""
        chat = [_message(m) for m in messages]
        problem: Exception
        with self._pace.slot(), Quiet() as quiet:
            quiet.run(silence_loggers)
            try:
                if (limiter := self._model.rate_limiter) is not None:
                    limiter.acquire(blocking=True)
                result = quiet.run(self._model._generate, chat, **params)
                return Counted(_text_of(result), _tokens_of(result))
            except Exception as error:
                problem = error
        raise mapped(problem, self.name)

    async def acomplete(self, messages: Sequence[Mapping[str, str | PrivateText]], **params: Any) -> PrivateText:
        """Return the model's reply; see `complete`. A model that is sync only runs on a thread."""
        chat = [_message(m) for m in messages]
        problem: Exception
        async with self._pace.aslot():
            with Quiet() as quiet:
                quiet.run(silence_loggers)
                try:
                    if (limiter := self._model.rate_limiter) is not None:
                        await limiter.aacquire(blocking=True)
                    try:
                        result = await quiet.arun(self._model._agenerate(chat, **params))
                    except NotImplementedError:
                        result = await asyncio.to_thread(lambda: quiet.run(self._model._generate, chat, **params))
                    return _text_of(result)
                except Exception as error:
                    problem = error
        raise mapped(problem, self.name)


def private_model(
    model: Any, *, base_url: str | None = None, trusted: bool = False, seed: int = 0, timeout_s: float = 120.0,
    decoding: Decoding = Decoding(),  # noqa: B008  (immutable)
) -> PrivateModel:  # fmt: skip
    """Return the private LLM for a choice of model.

    Args:
        model: `ollama:NAME`, `huggingface:PATH`, `openai:NAME` with a local base URL, or a `BaseChatModel`.
        base_url: address of the server.
        trusted: whether a hosted model may see the raw text all the same.
        seed: seed of the sampling, where the model takes one.
        timeout_s: seconds one call may take.
        decoding: how it writes; a `BaseChatModel` has its own settings.

    Raises:
        OptionError: the model is hosted and not trusted.
        ModelUnknown: no such provider, or its package is not installed.
    """
    if isinstance(model, BaseChatModel):
        if not trusted and is_hosted_model(model):
            raise OptionError(
                f"The private model is a hosted {type(model).__name__}: it would see the raw text. Give a local one, "
                "or say trust_private_model=True if you mean it."
            )
        return PrivateModel(model, type(model).__name__)
    if not isinstance(model, str):
        raise ModelUnknown("The private model must be a name such as ollama:llama3.1:8b or a LangChain BaseChatModel.")
    check_base_url(base_url)
    if not trusted and is_hosted(model, base_url):
        raise OptionError(
            f"The private model {model!r} is hosted: it would see the raw text. Name a local one (ollama:…, "
            "huggingface:PATH, or a base URL on this machine), or say --trust-private if you mean it."
        )
    return _named(model, base_url, trusted, seed, timeout_s, decoding)


@lru_cache(maxsize=4)
def _named(
    name: str, base_url: str | None, trusted: bool, seed: int, timeout_s: float, decoding: Decoding
) -> PrivateModel:
    import os

    import httpx

    provider, path = split_name(name)
    if provider == "huggingface":
        from gama.models.huggingface import local_pipeline

        return PrivateModel(local_pipeline(path, seed=seed, **decoding._asdict()), name)
    settings: dict[str, Any] = {"temperature": decoding.temperature, "top_p": TOP_P, "seed": seed}
    if base_url:
        settings["base_url"] = base_url
    # A kept connection belongs to the event loop that opened it, and would break the next `asyncio.run`.
    each_anew: dict[str, Any] = {"limits": httpx.Limits(max_keepalive_connections=0)}
    if provider == "ollama":
        settings |= {
            "num_predict": decoding.max_tokens,
            "client_kwargs": {"timeout": timeout_s} | _straight(trusted),
            "async_client_kwargs": each_anew,
        }
    elif provider == "openai":
        settings |= {"max_tokens": decoding.max_tokens, "timeout": timeout_s, "max_retries": 1}
        way = each_anew | ({"follow_redirects": True} if trusted else _straight(trusted))
        settings["http_async_client"] = httpx.AsyncClient(timeout=timeout_s, **way)
        if not trusted:
            settings["http_client"] = httpx.Client(timeout=timeout_s, **_straight(trusted))
        settings["api_key"] = os.environ.get("OPENAI_API_KEY") or ("none" if base_url else None)
    return PrivateModel(build_chat_model(name, settings), name)


def _straight(trusted: bool) -> dict[str, Any]:
    """Return settings that keep a call on its way: the raw text goes through no proxy, and after no redirect."""
    return {} if trusted else {"trust_env": False, "follow_redirects": False}


def _message(message: Mapping[str, str | PrivateText]) -> BaseMessage:
    kinds: dict[str, type[BaseMessage]] = {"system": SystemMessage, "assistant": AIMessage}
    content = message["content"]
    said = content.reveal() if isinstance(content, PrivateText) else content
    return kinds.get(str(message["role"]), HumanMessage)(content=said)


def _text_of(result: ChatResult) -> PrivateText:
    if not result.generations:
        raise ModelReplyError("The private model gave no answer.")
    return PrivateText(clean_reply(result.generations[0].message.text, LONGEST_REPLY)[0])


def _tokens_of(result: ChatResult) -> tuple[int, int] | None:
    used = getattr(result.generations[0].message, "usage_metadata", None)
    return (used["input_tokens"], used["output_tokens"]) if used else None
