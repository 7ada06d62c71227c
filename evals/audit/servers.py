"""Two servers on this machine that keep every byte they get: one in a public model's place, one in a tracer's."""

import contextlib
import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

Reply = Callable[[dict[str, Any]], "str | dict[str, Any] | list[bytes]"]
"""Makes the answer to a request: its text, a message with more, such as calls of tools, or the pieces of a stream."""


class RecordingServer:
    """An HTTP server on loopback that records requests; use it in a `with` statement."""

    def __init__(self) -> None:
        """Start it."""
        self._records: list[bytes] = []
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Head and body in one go: else the client's system waits before it says that it has the first.
            wbufsize = -1
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                body = plain_body(body, self.headers.get("content-encoding") or "")
                outer.note(f"{self.requestline}\r\n{self.headers}".encode() + body)
                status, content = outer.answer(self.path, body)
                pieces = [content] if isinstance(content, bytes) else content
                self.send_response(status)
                self.send_header("content-type", "application/json" if pieces[0][:1] == b"{" else "text/event-stream")
                self.send_header("content-length", str(sum(map(len, pieces))))
                self.end_headers()
                with contextlib.suppress(OSError):
                    # A client that was killed, or has seen enough, hangs up.
                    for piece in pieces:
                        self.wfile.write(piece)
                        self.wfile.flush()

            do_GET = do_PATCH = do_PUT = do_POST

            def log_message(self, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def __enter__(self) -> Self:
        """Return the server."""
        return self

    def __exit__(self, *args: object) -> None:
        """Stop it."""
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def note(self, request: bytes) -> None:
        """Keep a request."""
        with self._lock:
            self._records.append(request)

    def taken(self) -> list[bytes]:
        """Return the requests so far, and forget them."""
        with self._lock:
            records, self._records = self._records, []
        return records

    def answer(self, path: str, body: bytes) -> tuple[int, bytes | list[bytes]]:
        """Return status and body of the answer; events of a stream in the pieces in which they are sent."""
        raise NotImplementedError


class ModelServer(RecordingServer):
    """Speaks the OpenAI protocol.

    Args:
        reply: makes the answer of the request's JSON.
    """

    def __init__(self, reply: Reply) -> None:
        """Start it."""
        self.reply = reply
        self.failing = 0
        """How many of the next requests are answered with an error that echoes the request."""
        super().__init__()

    def answer(self, path: str, body: bytes) -> tuple[int, bytes | list[bytes]]:
        """Answer as the reply says; servers that fail echo what they got."""
        if self.failing:
            self.failing -= 1
            return 500, json.dumps({"error": {"message": f"cannot read {body.decode('utf-8', 'replace')}"}}).encode()
        request = json.loads(body) if body.startswith(b"{") else {}
        given = self.reply(request)
        if isinstance(given, list):
            return 200, given
        message = {"role": "assistant"} | (given if isinstance(given, dict) else {"content": given})
        end = "tool_calls" if message.get("tool_calls") else "stop"
        choices = [{"index": 0, "finish_reason": end, "message": message}]
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        whole = {"id": "x", "object": "chat.completion", "created": 0, "model": "audit", "usage": usage}
        return 200, json.dumps(whole | {"choices": choices}).encode()


class TraceServer(RecordingServer):
    """Takes what LangSmith and OpenTelemetry clients send, and asks for nothing compressed."""

    def answer(self, path: str, body: bytes) -> tuple[int, bytes]:
        """Say that everything is fine."""
        return 200, b"{}"


def plain_body(body: bytes, encoding: str) -> bytes:
    """Return a body with its compression undone: what is compressed cannot be searched."""
    if encoding == "gzip":
        import gzip

        return gzip.decompress(body)
    if encoding == "zstd":
        import zstandard

        return bytes(zstandard.ZstdDecompressor().stream_reader(body).read())
    return body
