"""GAMA as a tool: an agent on a local model asks a public one, which never sees what is private.

The agent is scripted here, so that the example runs anywhere.
"""

from collections.abc import Iterator
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import tool

from gama import Gama, Options

MODEL = None  # the built-in stand-in reader; or "openai:gpt-4o"

gama = Gama(Options(public_model=MODEL), keep=False)


@tool
def ask_public_experts(question: str) -> str:
    """Have a public model answer a question; private data in it stays at home."""
    return str(gama.invoke(question)["answer"])


class LocalModel(GenericFakeChatModel):
    """Stands for a local model, such as ollama:llama3.1:8b."""

    def bind_tools(self, tools: Any, **more: Any) -> Any:
        """Take the tools."""
        return self


def script() -> Iterator[AIMessage]:
    """Play what a model would say."""
    question = "My name is Emma Williams. The notice period of my lease is three months. How long is the notice period?"
    arguments = {"question": question}
    yield AIMessage("", tool_calls=[{"name": "ask_public_experts", "args": arguments, "id": "1"}])
    yield AIMessage("The experts say: three months, dear Emma Williams.")


agent = create_agent(LocalModel(messages=script()), [ask_public_experts])
out = agent.invoke({"messages": [("user", "How long is my notice period?")]})
print("tool:", out["messages"][-2].content.splitlines()[0])
print("answer:", out["messages"][-1].content)
