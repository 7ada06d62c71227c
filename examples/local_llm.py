"""A local LLM takes over the private agents: it may read the raw text, since it runs on your machine.

Any OpenAI-compatible server will do (llama.cpp, vLLM, LM Studio); Ollama is `private_model="ollama:llama3.1:8b"`.
A *hosted* model named as private would see the raw text; it is refused.
"""

import json
from typing import Any

from loopback import model

from gama import Gama, Options
from gama.state.errors import OptionError

LETTER = "We moved into the blue boat house near the old mill. The rent is due in May. When is it due?"


def local(request: dict[str, Any]) -> str:
    """Stand for the local model: asked what is private, it names what only a reader can tell."""
    system = request["messages"][0]["content"]
    if "List every stretch" in system:
        return json.dumps([{"surface": "the blue boat house near the old mill", "type": "LOC"}])
    return "[1, 2, 3]"


with model(local) as mine, model(lambda request: "In May.") as hosted:
    gama = Gama(
        Options(
            private_model="openai:my-model", private_base_url=mine.url,
            public_model="openai:gpt-4o", public_base_url=hosted.url, disprove="off", k=1,
        ),
        keep=False,
    )  # fmt: skip
    reply = gama.invoke({"question": LETTER})
    print("left:", reply["anonymized"])
    print("answer:", reply["answer"])
    print("the local model read the raw text:", any("blue boat" in json.dumps(request) for request in mine.seen))
    print("the hosted model did:", any("blue boat" in json.dumps(request) for request in hosted.seen))

try:
    Gama(Options(private_model="openai:gpt-4o"), keep=False).invoke({"question": LETTER})
except OptionError as refused:
    print("refused:", refused)
