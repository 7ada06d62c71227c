"""A small server on loopback that speaks the OpenAI and Ollama protocols and records every byte it gets."""

import contextlib
import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Loopback:
    """`reply` makes the answer's text, or its whole message, of the request's JSON; `fault` breaks the next answers."""

    def __init__(self, reply: Callable[[dict[str, Any]], str | dict[str, Any]] | None = None) -> None:
        self.reply = reply or (lambda request: "fine")
        self.fault: str | int | None = None
        self.record: list[bytes] = []
        self.requests: list[dict[str, Any]] = []
        self.lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                with outer.lock:
                    outer.record.append(f"{self.requestline}\r\n{self.headers}".encode() + body)
                outer.answer(self, body)

            do_GET = do_PATCH = do_POST

            def log_message(self, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
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
        status, payload = 200, b""
        request = json.loads(body) if body.startswith(b"{") else {}
        with self.lock:
            self.requests.append(request)
        if isinstance(self.fault, int):
            # Servers echo what they got: an error text must not carry it on.
            status, payload = self.fault, json.dumps({"error": {"message": f"bad: {body.decode()}"}}).encode()
        elif self.fault == "stall":
            time.sleep(3)
        elif self.fault == "drop":
            handler.close_connection = True
            return
        elif self.fault == "trickle":
            self.trickle(handler)
            return
        elif self.fault == "no choices":
            payload = json.dumps(self.completion("", [])).encode()
        if not payload and status == 200:
            message = self.reply(request)
            if isinstance(message, str):
                message = {"role": "assistant", "content": message}
            text = str(message.get("content") or "")
            if handler.path == "/api/chat":
                self.send(handler, status, self.ollama(text), "application/x-ndjson")
                return
            ended = "tool_calls" if message.get("tool_calls") else "stop"
            choice = {"index": 0, "finish_reason": ended, "message": message}
            payload = json.dumps(self.completion(text, [choice])).encode()
        self.send(handler, status, payload)

    def send(
        self, handler: BaseHTTPRequestHandler, status: int, payload: bytes, kind: str = "application/json"
    ) -> None:
        handler.send_response(status)
        handler.send_header("content-type", kind)
        handler.send_header("content-length", str(len(payload)))
        handler.end_headers()
        with contextlib.suppress(OSError):
            # A client that has seen enough hangs up.
            handler.wfile.write(payload)

    def trickle(self, handler: BaseHTTPRequestHandler) -> None:
        """Send a byte now and then: no single wait is long, and the reply never gets whole."""
        handler.send_response(200)
        handler.send_header("content-type", "application/json")
        handler.send_header("content-length", "1000")
        handler.end_headers()
        with contextlib.suppress(OSError):
            for _ in range(60):
                handler.wfile.write(b" ")
                handler.wfile.flush()
                time.sleep(0.05)
        handler.close_connection = True

    def ollama(self, text: str) -> bytes:
        message = {"role": "assistant", "content": text}
        line = {"model": "loop-1", "created_at": "2026-01-01T00:00:00Z", "message": message, "done": True}
        return json.dumps(line | {"done_reason": "stop", "prompt_eval_count": 11, "eval_count": 1}).encode() + b"\n"

    def completion(self, text: str, choices: list[Any]) -> dict[str, Any]:
        usage = {"prompt_tokens": 11, "completion_tokens": len(text.split()), "total_tokens": 11 + len(text.split())}
        return {
            "id": "x",
            "object": "chat.completion",
            "created": 0,
            "model": "loop-1",
            "choices": choices,
            "usage": usage,
        }
