"""The gateway: your OpenAI client, and nothing changed but `base_url`.

Before a real model: `gama serve`, then `OpenAI(base_url="http://localhost:8000/v1")` with your own key.
"""

from typing import Any

from loopback import model, served
from openai import OpenAI

QUESTION = "My name is Emma Williams, IBAN GB29 NWBK 6016 1331 9268 19. Greet me, and repeat my IBAN."


def hosted(request: dict[str, Any]) -> str:
    """Stand for the hosted model; it tells what it was sent."""
    return f"Dear <name-1>, your IBAN is <iban-1>. (You wrote {len(request['messages'])} message.)"


with model(hosted) as upstream, served("--upstream", upstream.url) as server:
    client = OpenAI(base_url=f"{server}/v1", api_key="sk-your-own")
    messages: list[Any] = [{"role": "user", "content": QUESTION}]
    reply = client.chat.completions.create(model="gpt-4o", messages=messages)
    print("the model saw:", upstream.seen[0]["messages"][0]["content"])
    print("you read:", reply.choices[0].message.content)

    # Streams are restored as they come, though a placeholder may lie across many pieces.
    print("streamed: ", end="")
    for chunk in client.chat.completions.create(model="gpt-4o", messages=messages, stream=True):
        print(chunk.choices[0].delta.content or "", end="")
    print()
