"""A local LLM from a Hugging Face checkpoint, with the paper's sampling settings (spec 01 §1.9)."""

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from pydantic import ConfigDict, PrivateAttr

from gama.state.errors import ModelReplyError, ModelUnknown

MAX_LENGTH = 1024
"""Tokens of prompt the paper's local model sees; the agents cut long texts into chunks below it."""

WRITER = "gama-local-chat"
"""Name of the thread that writes a stream."""


class LocalChat(BaseChatModel):
    """A causal language model of `transformers` as a chat model; one generation at a time.

    Async calls run on a thread; cancelling one ends its generation after the token under way, and so
    does leaving a stream.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    model: Any
    tokenizer: Any
    seed: int = 0
    max_new_tokens: int = 1024
    max_length: int | None = None
    """Tokens of prompt that it takes; None: what the checkpoint says."""
    temperature: float = 0.6
    """0: greedy."""
    top_p: float = 1.0

    _one_at_a_time: threading.Lock = PrivateAttr(default_factory=threading.Lock)

    @property
    def _llm_type(self) -> str:
        return "gama-local-chat"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return self._complete(messages, stop, threading.Event())

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        ended = threading.Event()
        try:
            return await asyncio.to_thread(self._complete, messages, stop, ended)
        except asyncio.CancelledError:
            ended.set()
            raise

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        from transformers import TextIteratorStreamer

        ids = self._ids(messages)
        streamer = TextIteratorStreamer(self.tokenizer, skip_prompt=True, skip_special_tokens=True)
        ended = threading.Event()
        outcome: list[Any] = []

        def write() -> None:
            try:
                outcome.append(self._tokens(ids, ended, streamer))
            except Exception as error:
                outcome.append(error)
                streamer.end()  # type: ignore[no-untyped-call, unused-ignore]

        with self._one_at_a_time:
            writer = threading.Thread(target=write, name=WRITER, daemon=True)
            writer.start()
            try:
                for piece in _until(stop, streamer):
                    yield ChatGenerationChunk(message=AIMessageChunk(content=piece))
            finally:
                ended.set()
                writer.join()
        if isinstance(outcome[0], Exception):
            raise outcome[0]
        usage = _usage(ids, outcome[0])
        yield ChatGenerationChunk(message=AIMessageChunk(content="", usage_metadata=usage, chunk_position="last"))

    def _complete(self, messages: list[BaseMessage], stop: list[str] | None, ended: threading.Event) -> ChatResult:
        ids = self._ids(messages)
        with self._one_at_a_time:
            out = self._tokens(ids, ended)
        text = "".join(_until(stop, [self.tokenizer.decode(out[0, ids.shape[1] :], skip_special_tokens=True)]))
        message = AIMessage(content=text, usage_metadata=_usage(ids, out))
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _ids(self, messages: list[BaseMessage]) -> Any:
        """Return the tokens of the prompt.

        Raises:
            ModelReplyError: they are more than the model takes.
        """
        # A chat template writes its own signs at the beginning: the tokenizer's beside them would be there twice.
        signs = not getattr(self.tokenizer, "chat_template", None)
        ids = self.tokenizer(self._prompt(messages), return_tensors="pt", add_special_tokens=signs)["input_ids"]
        room = int(getattr(self.model.config, "max_position_embeddings", MAX_LENGTH)) - self.max_new_tokens
        room = room if self.max_length is None else min(room, self.max_length)
        if ids.shape[1] > room:
            # Cutting would hide a part of the text from the agent, which then finds nothing private in it.
            raise ModelReplyError(
                f"The local model takes {room} tokens of prompt and got {ids.shape[1]}. Use one with a longer context."
            )
        return ids.to(self.model.device)

    def _tokens(self, ids: Any, ended: threading.Event, streamer: Any = None) -> Any:
        """Generate; the prompt's tokens stand first in what is returned."""
        import torch

        def is_over(tokens: Any, scores: Any, **more: Any) -> Any:
            return torch.full((tokens.shape[0],), ended.is_set(), dtype=torch.bool, device=tokens.device)

        with torch.random.fork_rng(), torch.inference_mode():
            torch.manual_seed(self.seed)
            return self.model.generate(
                ids,
                attention_mask=torch.ones_like(ids),
                max_new_tokens=self.max_new_tokens,
                do_sample=self.temperature > 0,
                temperature=self.temperature or None,
                top_p=self.top_p if self.temperature > 0 else None,
                pad_token_id=self.tokenizer.pad_token_id or self.tokenizer.eos_token_id or 0,
                stopping_criteria=[is_over],
                streamer=streamer,
            )

    def _prompt(self, messages: list[BaseMessage]) -> str:
        chat = [{"role": _ROLES.get(m.type, m.type), "content": m.text} for m in messages]
        if getattr(self.tokenizer, "chat_template", None):
            return str(self.tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True))
        return "\n\n".join(f"{m['role']}: {m['content']}" for m in chat) + "\n\nassistant:"


_ROLES = {"human": "user", "ai": "assistant"}


def _until(stop: list[str] | None, pieces: Any) -> Iterator[str]:
    """Yield pieces of text up to the first stop mark, which may lie across two of them."""
    marks = [mark for mark in stop or () if mark]
    held = ""
    for piece in pieces:
        held += piece
        found = [at for mark in marks if (at := held.find(mark)) >= 0]
        if found:
            held = held[: min(found)]
            break
        # What may be the beginning of a mark is held back.
        keep = max((len(mark) - 1 for mark in marks), default=0)
        ready, held = (held[:-keep], held[-keep:]) if keep else (held, "")
        if ready:
            yield ready
    if held:
        yield held


def _usage(ids: Any, out: Any) -> UsageMetadata:
    return {
        "input_tokens": ids.shape[1],
        "output_tokens": out.shape[1] - ids.shape[1],
        "total_tokens": out.shape[1],
    }


def local_pipeline(
    path: str, *, seed: int = 0, max_tokens: int = 1024, max_length: int | None = None, temperature: float = 0.6,
    device: str | None = None,
) -> LocalChat:  # fmt: skip
    """Load a checkpoint by path or hub name.

    Args:
        path: the folder, or the name.
        seed: seed of the sampling.
        max_tokens: tokens of a reply.
        max_length: tokens of prompt that it takes; None: what the checkpoint says.
        temperature: how freely it writes; 0: greedy.
        device: where it runs, as torch names it; None: where it was loaded.

    Raises:
        ModelUnknown: the packages are missing, or there is no such checkpoint or device.
    """
    problem: ModelUnknown
    try:
        from transformers import AutoModelForCausalLM, AutoTokenizer

        tokenizer = AutoTokenizer.from_pretrained(path)
        model: Any = AutoModelForCausalLM.from_pretrained(path)
    except ImportError:
        problem = ModelUnknown("Local models need more packages: pip install 'gama-privacy[local]'")
    except (OSError, ValueError) as error:
        problem = ModelUnknown(
            f"The checkpoint {path!r} cannot be loaded ({type(error).__name__}). Give a folder with a saved model and "
            "tokenizer, or a hub name that can be reached or is in the cache."
        )
    else:
        model.train(False)
        settings: dict[str, Any] = {"seed": seed, "max_length": max_length, "temperature": temperature}
        settings["max_new_tokens"] = max_tokens
        try:
            return LocalChat(model=model.to(device) if device else model, tokenizer=tokenizer, **settings)
        except (RuntimeError, AssertionError):  # what torch raises depends on what it was built with
            problem = ModelUnknown(f"option private_device: torch cannot use {device!r} on this machine.")
    raise problem
