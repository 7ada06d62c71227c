"""A model that is asked plainly: what it is given reaches it as it stands. For made-up texts, and by name only."""

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import HumanMessage, SystemMessage

from gama.guard.egress import EGRESS
from gama.guard.search import Guard
from gama.models.calls import without_thinking
from gama.models.public import chat_model
from gama.privacy.finders import Complete
from gama.state.errors import GamaError, ModelReplyError, OptionError
from gama.state.private_text import PrivateText


class PlainModel:
    """A chat model whose calls nothing is searched in."""

    def __init__(self, model: Any, base_url: str | None = None, timeout_s: float = 120.0) -> None:
        """Take the model.

        Args:
            model: its name, which needs no provider beside a base URL, or a `BaseChatModel`.
            base_url: address of an OpenAI-compatible server.
            timeout_s: seconds for one call.

        Raises:
            OptionError: no model is named.
            ModelUnknown, ModelDenied: there is no such model, or no key for it.
        """
        if model is None:
            raise OptionError("no model is named that could be asked; the built-in reader answers no plain texts")
        if isinstance(model, str):
            full = model if ":" in model or base_url is None else f"openai:{model}"
            self._model: Any = chat_model(full, base_url, None, timeout_s)
        else:
            self._model = model
        self.name = model if isinstance(model, str) else type(model).__name__

    def say(self, system: str, user: str) -> Any:
        """Return the model's message, its usage with it."""
        # What leaves is meant to leave: a guard that looks for nothing.
        token = EGRESS.set(Guard(()))
        try:
            return self._model.invoke([SystemMessage(system), HumanMessage(user)])
        finally:
            EGRESS.reset(token)

    def ask(self, system: str, user: str) -> str:
        """Return what the model answers, without its thoughts.

        Raises:
            ModelReplyError: it could not be asked; the message quotes nothing of the call.
        """
        problem = ""
        try:
            return without_thinking(str(self.say(system, user).text)).strip()
        except GamaError:
            raise
        except Exception as error:  # whatever a provider raises, which may quote the call
            problem = type(error).__name__
        raise ModelReplyError(f"The model {self.name!r} gave no answer ({problem}).")

    @property
    def complete(self) -> Complete:
        """The model as the private agents call theirs."""

        def complete(messages: Sequence[Mapping[str, str | PrivateText]]) -> PrivateText:
            told = [one["content"] for one in messages]
            system, user = (one.reveal() if isinstance(one, PrivateText) else one for one in told)
            return PrivateText(self.ask(system, user))

        return complete
