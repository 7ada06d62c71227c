"""The HTTP API by httpx: a text hidden and brought back; a task looked at, corrected, sent, and forgotten.

Start the server yourself with `gama serve`; http://localhost:8000/openapi.json describes every address.
"""

import httpx
from loopback import served

LETTER = "My name is Emma Williams. The notice period of my lease is three months. How long is the notice period?"

with served("--store-threads") as server, httpx.Client(base_url=server, timeout=120) as http:
    hidden = http.post("/anonymize", json={"text": "Call Emma Williams on +44 20 7946 0958."}).json()
    print("hidden:", hidden["anonymized"])
    # The box is sealed: you keep it, only this server can read it.
    back = http.post("/restore", json={"text": "I called <name-1>.", "box": hidden["box"]}).json()
    print("back:", back["text"])

    thread = http.post("/threads").json()["thread"]
    task = {"question": LETTER}
    look = http.post(f"/threads/{thread}/review", json=task).json()
    print("would leave:", look["anonymized"])
    # Nothing was sent yet. What you would change goes along: `hide`, or `show`.
    reply = http.post(f"/threads/{thread}/runs", json=task | {"hide": ["lease"]}).json()
    print("left:", reply["anonymized"])
    print("answer:", reply["answer"])
    print("forgotten:", http.delete(f"/threads/{thread}").json()["forgotten"])
