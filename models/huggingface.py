"""A local LLM from a Hugging Face checkpoint, with the paper's sampling settings (spec 01 §1.9)."""

from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import ConfigDict

from gama.state.errors import ModelReplyError, ModelUnknown

MAX_LENGTH = 1024
"""Tokens of prompt the paper's local model sees; the agents cut long texts into chunks below it."""


class LocalChat(BaseChatModel):
    """A causal language model of `transformers` as a chat model; one generation at a time."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    model: Any
    tokenizer: Any
    seed: int = 0
    max_new_tokens: int = 256
    temperature: float = 0.6
    top_p: float = 1.0

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
        import torch

        ids = self.tokenizer(self._prompt(messages), return_tensors="pt")["input_ids"]
        room = int(getattr(self.model.config, "max_position_embeddings", MAX_LENGTH)) - self.max_new_tokens
        if ids.shape[1] > room:
            # Cutting would hide a part of the text from the agent, which then finds nothing private in it.
            raise ModelReplyError(
                f"The local model takes {room} tokens of prompt and got {ids.shape[1]}. Use one with a longer context."
            )
        ids = ids.to(self.model.device)
        with torch.random.fork_rng(), torch.inference_mode():
            torch.manual_seed(self.seed)
            out = self.model.generate(
                ids,
                attention_mask=torch.ones_like(ids),
                max_new_tokens=self.max_new_tokens,
                do_sample=self.temperature > 0,
                temperature=self.temperature or None,
                top_p=self.top_p if self.temperature > 0 else None,
                pad_token_id=self.tokenizer.pad_token_id or self.tokenizer.eos_token_id or 0,
            )
        text = self.tokenizer.decode(out[0, ids.shape[1] :], skip_special_tokens=True)
        for mark in stop or ():
            text = text.split(mark)[0]
        usage = {
            "input_tokens": ids.shape[1],
            "output_tokens": out.shape[1] - ids.shape[1],
            "total_tokens": out.shape[1],
        }
        return ChatResult(generations=[ChatGeneration(message=AIMessage(content=text, usage_metadata=usage))])

    def _prompt(self, messages: list[BaseMessage]) -> str:
        chat = [{"role": _ROLES.get(m.type, m.type), "content": m.text} for m in messages]
        if getattr(self.tokenizer, "chat_template", None):
            return str(self.tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True))
        return "\n\n".join(f"{m['role']}: {m['content']}" for m in chat) + "\n\nassistant:"


_ROLES = {"human": "user", "ai": "assistant"}


def local_pipeline(path: str, *, seed: int = 0) -> LocalChat:
    """Load a checkpoint by path or hub name.

    Raises:
        ModelUnknown: the packages are missing, or there is no such checkpoint.
    """
    problem: ModelUnknown
    try:
        from transformers import AutoModelForCausalLM, AutoTokenizer

        tokenizer = AutoTokenizer.from_pretrained(path)
        model = AutoModelForCausalLM.from_pretrained(path)
    except ImportError:
        problem = ModelUnknown("Local models need more packages: pip install 'gama[local]'")
    except (OSError, ValueError) as error:
        problem = ModelUnknown(
            f"The checkpoint {path!r} cannot be loaded ({type(error).__name__}). Give a folder with a saved model and "
            "tokenizer, or a hub name that can be reached or is in the cache."
        )
    else:
        model.train(False)
        return LocalChat(model=model, tokenizer=tokenizer, seed=seed)
    raise problem
