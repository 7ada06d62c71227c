"""GAMA as middleware: an agent on a hosted model that never sees names, numbers and addresses.

The model is scripted here, so that the example runs anywhere; it prints what it was given.
"""

from typing import Any

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from gama import PrivacyMiddleware


class HostedModel(GenericFakeChatModel):
    """Stands for a hosted model, such as openai:gpt-4o."""

    def bind_tools(self, tools: Any, **more: Any) -> Any:
        """Take the tools."""
        return self

    def _generate(self, messages: Any, *args: Any, **more: Any) -> Any:
        print("the model sees:", messages[-1].content)
        return super()._generate(messages, *args, **more)


@tool
def customer(name: str) -> str:
    """Look a customer up."""
    print("the tool gets:", name)
    return f"{name}: account GB29 NWBK 6016 1331 9268 19"


model = HostedModel(
    messages=iter(
        [
            AIMessage("", tool_calls=[{"name": "customer", "args": {"name": "<name-1>"}, "id": "1"}]),
            AIMessage("Dear <name-1>, your account is <iban-1>."),
        ]
    )
)
privacy = PrivacyMiddleware(tools={"customer": "real"})
agent = privacy.create_agent(model, [customer], checkpointer=InMemorySaver())
question = {"messages": [("user", "My name is Emma Williams. Which account do I have?")]}
out = agent.invoke(question, {"configurable": {"thread_id": "1"}})
print("answer:", out["messages"][-1].content)
privacy.forget("1")
