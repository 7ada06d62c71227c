"""What the other examples use to run without a key and without a network: a model on this machine, and `gama serve`.

`model(answer)` is an OpenAI-compatible server that says what `answer` says, and shows what it was sent. In your own
program you need none of this: you name a real model, such as `openai:gpt-4o`.
"""

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any


@contextmanager
def model(answer: Callable[[dict[str, Any]], Any]) -> Iterator[SimpleNamespace]:
    """Run a model that answers with a text, or with a whole message; gives its `url` and what it has `seen`."""
    seen: list[dict[str, Any]] = []

    class Server(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            seen.append(request)
            said = answer(request)
            message = said if isinstance(said, dict) else {"role": "assistant", "content": said}
            usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
            reply = {"id": "1", "object": "chat.completion", "created": 0, "model": request["model"], "usage": usage}
            if request.get("stream"):
                pieces = [message["content"][at : at + 5] for at in range(0, len(message["content"]), 5)]
                chunks = [reply | {"object": "chat.completion.chunk",
                                   "choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]}
                          for piece in pieces]  # fmt: skip
                body = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
            else:
                reason = "tool_calls" if message.get("tool_calls") else "stop"
                body = json.dumps(reply | {"choices": [{"index": 0, "message": message, "finish_reason": reason}]})
            self.send_response(200)
            self.send_header("content-type", "text/event-stream" if request.get("stream") else "application/json")
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield SimpleNamespace(url=f"http://127.0.0.1:{server.server_port}/v1", seen=seen)
    server.shutdown()
    server.server_close()


@contextmanager
def served(*options: str) -> Iterator[str]:
    """Run `gama serve` with further options; gives its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "gama",
        "serve",
        "--port",
        str(port),
        "--no-access-log",
        "--no-store-threads",
        *options,
    ]
    server = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        while server.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()
