"""A person looks before it leaves: the graph waits, takes a correction, and goes on.

Studio and any LangGraph server show the same question; see docs/studio.md for the answers it takes.
"""

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.types import Command

from gama import Options, build_graph
from gama.vault.encrypted_saver import TYPES

MODEL = None  # the built-in stand-in reader; or "openai:gpt-4o"
LETTER = "My name is Emma Williams and I look after the old lighthouse. The lease ends in May. When does the lease end?"

# A graph can only wait where its state is kept. What is private in it is sealed.
saver = InMemorySaver(serde=JsonPlusSerializer(allowed_msgpack_modules=TYPES))  # reads back GAMA's types alone
graph = build_graph(Options(public_model=MODEL, review=True, k=1), checkpointer=saver)
config = {"configurable": {"thread_id": "lease"}}

out = graph.invoke({"question": LETTER}, config)
shown = out["__interrupt__"][0].value
print("would leave:", shown["anonymized"])

# The lighthouse tells who she is: no detector knows that, she does.
out = graph.invoke(Command(resume={"hide": ["the old lighthouse"]}), config)
print("would leave:", out["__interrupt__"][0].value["anonymized"])

reply = graph.invoke(Command(resume=True), config)["reply"]
print("answer:", reply["answer"])
