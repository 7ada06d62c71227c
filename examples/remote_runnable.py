"""The server as a LangChain Runnable: LangServe's own client works.

`pip install langserve`; start the server with `gama serve --public openai:gpt-4o`.
"""

from langserve import RemoteRunnable
from loopback import served

LETTER = "My name is Emma Williams. The notice period of my lease is three months. How long is the notice period?"

with served() as server:
    gama = RemoteRunnable(f"{server}/gama/")
    # What `gama.config_schema()` lists may be chosen here; models and files are the operator's.
    reply = gama.invoke({"question": LETTER}, {"configurable": {"k": 1, "thread_id": "lease"}})
    print("left:", reply["anonymized"])
    print("answer:", reply["answer"])
    for part in gama.stream({"question": LETTER}):
        print("came:", ", ".join(sorted(part)))
