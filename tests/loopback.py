"""A small server on loopback that speaks the OpenAI protocol and records every byte it gets."""

import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Loopback:
    """`reply` makes the answer's text of the request's JSON; `fault` breaks the next answers."""

    def __init__(self, reply: Callable[[dict[str, Any]], str] | None = None) -> None:
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
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/v1"

    @property
    def bytes(self) -> bytes:
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
        elif self.fault == "no choices":
            payload = json.dumps(self.completion("", [])).encode()
        if not payload and status == 200:
            text = self.reply(request)
            choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
            payload = json.dumps(self.completion(text, [choice])).encode()
        handler.send_response(status)
        handler.send_header("content-type", "application/json")
        handler.send_header("content-length", str(len(payload)))
        handler.end_headers()
        handler.wfile.write(payload)

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
