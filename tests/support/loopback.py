"""A small server on loopback that speaks the OpenAI and Ollama protocols and records what it gets."""

import contextlib
import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.upstream import received

CONTEXT = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."
ERRORS = {
    "context": (400, {"message": CONTEXT, "code": "context_length_exceeded", "param": "messages"}),
    "quota": (429, {"message": "You exceeded your current quota, check plan and billing.", "code": "insufficient_quota"}),
    "filter": (400, {"message": "The response was filtered due to the content management policy.", "code": "content_filter"}),
    "no model": (400, {"message": "The model `loop-9` does not exist.", "code": "model_not_found"}),
}  # fmt: skip
"""Faults that are an error with a text, as hosted servers write it."""


class _Server(ThreadingHTTPServer):
    # A thousand conversations may knock at once: the usual five places would turn some away.
    request_queue_size = 1024
    daemon_threads = True


class Loopback:
    """`reply` makes the answer of the request's JSON: its text, or a message with more, such as `tool_calls`.

    `fault` breaks the answers: a status, a name in `ERRORS`, or
    `stall` (nothing comes), `drop` (the connection closes), `half` (it closes inside the body), `trickle` (a byte now
    and then), `hold` (nothing comes until the client goes), `hold body` and `hold stream` (the same inside the body or
    between events), `no choices`, `null choices`. `faults` are for the next requests, one each, None for a good answer.
    """

    def __init__(self, reply: Callable[[dict[str, Any]], Any] | None = None) -> None:
        self.reply = reply or (lambda request: "fine")
        self.fault: str | int | None = None
        self.faults: list[str | int | None] = []
        self.headers: dict[str, str] = {}
        """Sent with every error."""
        self.refuses: dict[str, int] = {}
        """Parameters of a request that are refused, with the status."""
        self.finish = "stop"
        self.usage = True
        self.record: list[bytes] = []
        self.requests: list[dict[str, Any]] = []
        self.lock = threading.Lock()
        self.arrived = threading.Event()
        """Set when a request is here, and held where it is to be held."""
        self.gone = threading.Event()
        """Set when a client has closed a connection that was held."""
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                with outer.lock:
                    outer.record.append(received(self, body))
                outer.answer(self, body)

            do_GET = do_PATCH = do_POST

            def log_message(self, *args: object) -> None:
                pass

        self.server = _Server(("127.0.0.1", 0), Handler)
        # A short poll: each server's end waits for one.
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/v1"

    @property
    def received(self) -> bytes:
        with self.lock:
            return b"\n".join(self.record)

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def answer(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        request = json.loads(body) if body.startswith(b"{") else {}
        with self.lock:
            self.requests.append(request)
            fault = self.faults.pop(0) if self.faults else self.fault
            refused = next((name for name in self.refuses if name in request), None)
        if not str(fault).startswith("hold"):
            self.arrived.set()
        if refused is not None:
            said = {"message": f"Unsupported parameter: '{refused}'", "param": refused}
            self.error(handler, self.refuses[refused], said)
        elif fault is not None:
            self.fail(handler, fault, body)
        else:
            self.succeed(handler, request)

    def fail(self, handler: BaseHTTPRequestHandler, fault: str | int, body: bytes) -> None:
        if isinstance(fault, int):
            # Servers echo what they got: an error text must not carry it on.
            self.error(handler, fault, {"message": f"bad: {body.decode()}"})
        elif fault in ERRORS:
            self.error(handler, *ERRORS[fault])
        elif fault in ("no choices", "null choices"):
            payload = self.completion("", [])
            self.send(handler, 200, json.dumps(payload | ({"choices": None} if fault[:2] == "nu" else {})).encode())
        elif fault == "stall":
            time.sleep(3)
        elif fault == "drop":
            handler.close_connection = True
        elif fault == "half":
            self.begin(handler)
            handler.wfile.write(b'{"id": "x", "choices": [')
            handler.close_connection = True
        elif fault == "trickle":
            self.trickle(handler)
        elif fault in ("hold", "hold body", "hold stream"):
            self.hold(handler, fault)
        else:
            raise AssertionError(f"unknown fault {fault!r}")

    def succeed(self, handler: BaseHTTPRequestHandler, request: dict[str, Any]) -> None:
        given = self.reply(request)
        message = {"role": "assistant"} | (given if isinstance(given, dict) else {"content": given})
        text = message.get("content") or ""
        if handler.path == "/api/chat":
            self.send(handler, 200, self.ollama(message), "application/x-ndjson")
            return
        if request.get("stream"):
            self.send(handler, 200, self.events(text), "text/event-stream")
            return
        choice = {"index": 0, "finish_reason": self.ended(message), "message": message}
        self.send(handler, 200, json.dumps(self.completion(text, [choice])).encode())

    def error(self, handler: BaseHTTPRequestHandler, status: int, said: dict[str, Any]) -> None:
        self.send(handler, status, json.dumps({"error": said}).encode(), headers=self.headers)

    def send(
        self,
        handler: BaseHTTPRequestHandler,
        status: int,
        payload: bytes,
        kind: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> None:
        handler.send_response(status)
        handler.send_header("content-type", kind)
        handler.send_header("content-length", str(len(payload)))
        for name, value in (headers or {}).items():
            handler.send_header(name, value)
        handler.end_headers()
        with contextlib.suppress(OSError):
            # A client that has seen enough hangs up.
            handler.wfile.write(payload)

    def begin(self, handler: BaseHTTPRequestHandler) -> None:
        """Send the head of a reply whose body never gets whole."""
        handler.send_response(200)
        handler.send_header("content-type", "application/json")
        handler.send_header("content-length", "1000")
        handler.end_headers()

    def trickle(self, handler: BaseHTTPRequestHandler) -> None:
        """Send a byte now and then: no single wait is long, and the reply never gets whole."""
        self.begin(handler)
        with contextlib.suppress(OSError):
            for _ in range(60):
                handler.wfile.write(b" ")
                handler.wfile.flush()
                time.sleep(0.05)
        handler.close_connection = True

    def hold(self, handler: BaseHTTPRequestHandler, fault: str) -> None:
        """Send nothing more until the client closes the connection."""
        try:
            if fault == "hold body":
                self.begin(handler)
                handler.wfile.write(b'{"id": "x", ')
            elif fault == "hold stream":
                handler.send_response(200)
                handler.send_header("content-type", "text/event-stream")
                handler.end_headers()
                handler.wfile.write(self.events("It was ").split(b"data: [DONE]")[0])
            handler.wfile.flush()
            self.arrived.set()
            handler.connection.settimeout(60)
            closed = handler.connection.recv(1) == b""
        except OSError as error:
            closed = not isinstance(error, TimeoutError)
        if closed:
            self.gone.set()
        handler.close_connection = True

    def ended(self, message: dict[str, Any]) -> str:
        """Return why the model stopped: to have tools called, unless a test says otherwise."""
        return "tool_calls" if message.get("tool_calls") and self.finish == "stop" else self.finish

    def ollama(self, message: dict[str, Any]) -> bytes:
        """Return a reply as Ollama writes it: calls of tools have their arguments as objects, and no ids."""
        functions = [call["function"] for call in message.get("tool_calls") or ()]
        calls = [
            {"function": f | {"arguments": json.loads(a) if isinstance(a := f["arguments"], str) else a}}
            for f in functions
        ]
        message = message | {"content": message.get("content") or ""} | ({"tool_calls": calls} if calls else {})
        line: dict[str, Any] = {"model": "loop-1", "created_at": "2026-01-01T00:00:00Z", "message": message}
        line |= {"done": True, "done_reason": self.finish}
        line |= {"prompt_eval_count": 11, "eval_count": 1} if self.usage else {}
        return json.dumps(line).encode() + b"\n"

    def events(self, text: str) -> bytes:
        """Return a reply as server-sent events, a word each."""
        pieces: list[dict[str, Any]] = [{"delta": {"role": "assistant", "content": ""}}]
        pieces += [{"delta": {"content": f"{word} "}} for word in text.split()]
        pieces += [{"delta": {}, "finish_reason": self.finish}]
        base = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": "loop-1"}
        lines = [json.dumps(base | {"choices": [{"index": 0} | piece]}) for piece in pieces]
        return b"".join(b"data: " + line.encode() + b"\n\n" for line in [*lines, "[DONE]"])

    def completion(self, text: str, choices: list[Any]) -> dict[str, Any]:
        usage = {"prompt_tokens": 11, "completion_tokens": len(text.split()), "total_tokens": 11 + len(text.split())}
        whole = {"id": "x", "object": "chat.completion", "created": 0, "model": "loop-1", "choices": choices}
        return whole | ({"usage": usage} if self.usage else {})
