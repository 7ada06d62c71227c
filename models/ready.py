"""What is checked of a chat model that was handed over ready-made, with settings that no option of ours names.

Its own parameters, metadata and headers travel with every request. The last look sees them as LangChain hands them to
the provider's library, together with the messages; where that library is OpenAI's and its HTTP client is its own, the
serialised request is checked on the wire as well.
"""

import json
import weakref
from collections.abc import Iterator
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage

from gama.guard.egress import check_egress
from gama.guard.transports import AsyncGuardedTransport, GuardedTransport

_CARRIED = ("default_headers", "default_query", "additional_headers", "metadata", "tags")
"""Fields of chat models that go with a request and that LangChain does not count among its parameters."""


class LastLook(BaseCallbackHandler):
    """Checks a call as LangChain hands it to the provider's library: messages, tools, parameters, settings."""

    raise_error = True
    run_inline = True

    def __init__(self, model: BaseChatModel) -> None:
        """Take the model, for what it carries along."""
        self._carried = [value for name in _CARRIED if (value := getattr(model, name, None))]

    def on_chat_model_start(self, serialized: dict[str, Any], messages: list[list[BaseMessage]], **kwargs: Any) -> None:
        """Look at a call.

        Raises:
            LeakError: something private is in it; nothing was sent.
        """
        given = kwargs.get("invocation_params") or {}
        # The kind of the model is LangChain's own word, and numbers are settings.
        params = {key: value for key, value in given.items() if key != "_type" and not isinstance(value, int | float)}
        for part in _texts([messages, params, self._carried]):
            check_egress(part)


def _texts(parts: list[Any]) -> Iterator[str]:
    for part in parts:
        if part:
            yield json.dumps(part, default=_plain, ensure_ascii=False)


def _plain(value: Any) -> Any:
    if isinstance(value, BaseMessage):
        return [value.content, value.additional_kwargs, value.name]
    return str(value)


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
