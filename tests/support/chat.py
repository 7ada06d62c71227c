"""A scripted chat model: it plays its replies, streams them by three characters, and records all it is given."""

import json
from collections.abc import Iterator
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from pydantic import PrivateAttr


class ScriptedChat(BaseChatModel):
    """Each step is a text, a message, or what makes one of the messages it gets."""

    steps: list[Any]
    streams: bool = True
    """Whether replies come in pieces."""
    _at: int = PrivateAttr(default=0)
    _seen: list[str] = PrivateAttr(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    @property
    def seen(self) -> str:
        """All that the model was given: messages, tools, settings."""
        return "\n".join(self._seen)

    def bind_tools(self, tools: Any, **more: Any) -> Any:
        from langchain_core.utils.function_calling import convert_to_openai_tool

        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **more)

    def _reply(self, messages: list[BaseMessage], more: dict[str, Any]) -> AIMessage:
        self._seen.append(repr([message.model_dump() for message in messages]) + json.dumps(more, default=str))
        step = self.steps[min(self._at, len(self.steps) - 1)]
        self._at += 1
        made = step(messages) if callable(step) else step
        return made if isinstance(made, AIMessage) else AIMessage(made)

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **more: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._reply(messages, more))])

    def _stream(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **more: Any
    ) -> Iterator[ChatGenerationChunk]:
        reply = self._reply(messages, more)
        pieces: list[Any] = [AIMessageChunk(content=reply.text[at : at + 3]) for at in range(0, len(reply.text), 3)]
        for n, call in enumerate(reply.tool_calls):
            args = json.dumps(call["args"], ensure_ascii=False)
            head: Any = {"name": call["name"], "args": "", "id": call["id"], "index": n, "type": "tool_call_chunk"}
            pieces.append(AIMessageChunk(content="", tool_call_chunks=[head]))
            for at in range(0, len(args), 3):
                piece: Any = {
                    "name": None,
                    "args": args[at : at + 3],
                    "id": None,
                    "index": n,
                    "type": "tool_call_chunk",
                }
                pieces.append(AIMessageChunk(content="", tool_call_chunks=[piece]))
        if not self.streams:
            whole: Any = AIMessageChunk(content="")
            for one in pieces:
                whole = whole + one
            pieces = [whole]
        for message in pieces:
            chunk = ChatGenerationChunk(message=message)
            if run_manager:
                run_manager.on_llm_new_token(message.text, chunk=chunk)
            yield chunk


def call(tool: str, id_: str = "c1", **args: Any) -> AIMessage:
    """Return a message that calls a tool."""
    return AIMessage("", tool_calls=[{"name": tool, "args": args, "id": id_, "type": "tool_call"}])
