"""A scripted upstream on loopback: records what it gets and answers as told, in pieces if need be."""

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


def received(handler: BaseHTTPRequestHandler, body: bytes) -> bytes:
    """Return a request as it came, without ports and lengths: by chance their figures are those of a planted value."""
    heads = (f"{name}: {value}" for name, value in handler.headers.items())
    told = [line for line in heads if not line.lower().startswith(("host:", "content-length:"))]
    return "\n".join([handler.requestline, *told, "", ""]).encode() + body


class Answer(NamedTuple):
    """What is sent back. A body of several pieces is sent piece by piece."""

    body: bytes | Iterable[bytes]
    status: int = 200
    kind: str = "application/json"
    headers: dict[str, str] = {}
    broken: bool = False
    """Whether the connection is closed after the pieces, without the body's end."""


class Upstream:
    """`answer` makes the answer of a path and a JSON body."""

    def __init__(self, answer: Callable[[str, Any], Answer] | None = None) -> None:
        self.answer = answer or (lambda path, request: chat(said(request)))
        self.record: list[bytes] = []
        self.requests: list[Any] = []
        self.paths: list[str] = []
        self.gone = threading.Event()
        """Set when a client has closed the connection before the answer's end."""
        self.lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                request = json.loads(body) if body else None
                with outer.lock:
                    outer.record.append(received(self, body))
                    outer.requests.append(request)
                    outer.paths.append(self.path)
                try:
                    outer.send(self, outer.answer(self.path.partition("?")[0].removeprefix("/v1"), request))
                except OSError:
                    outer.gone.set()
                    self.close_connection = True

            do_GET = do_DELETE = do_POST

            def log_message(self, *args: object) -> None:
                pass

        class Quiet(ThreadingHTTPServer):
            request_queue_size = 512

            def handle_error(self, request: Any, client_address: Any) -> None:
                pass

        self.server = Quiet(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/v1"

    @property
    def received(self) -> bytes:
        with self.lock:
            return b"\n".join(self.record)

    @property
    def last(self) -> Any:
        return self.requests[-1]

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def send(self, handler: BaseHTTPRequestHandler, answer: Answer) -> None:
        handler.send_response(answer.status)
        handler.send_header("content-type", answer.kind)
        for name, value in answer.headers.items():
            handler.send_header(name, value)
        if isinstance(answer.body, bytes):
            handler.send_header("content-length", str(len(answer.body)))
            handler.end_headers()
            handler.wfile.write(answer.body)
            return
        handler.send_header("transfer-encoding", "chunked")
        handler.end_headers()
        for piece in answer.body:
            handler.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            handler.wfile.flush()
        if answer.broken:
            handler.close_connection = True
            return
        with contextlib.suppress(OSError):
            handler.wfile.write(b"0\r\n\r\n")


def said(request: Any) -> str:
    """Return all texts of a chat request."""
    texts = []
    for message in request.get("messages", []):
        content = message.get("content") or ""
        texts += [content] if isinstance(content, str) else [part.get("text", "") for part in content]
    return " | ".join(texts)


def chat(text: str | None, choices: list[dict[str, Any]] | None = None, **more: Any) -> Answer:
    """Return a chat completion."""
    message = {"role": "assistant", "content": text}
    choices = choices or [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}]
    whole = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "up-1", "choices": choices}
    return Answer(json.dumps(whole | {"usage": USAGE} | more).encode())


def response(text: str, name: str = "resp_1") -> Answer:
    """Return a finished response of that API, of one message."""
    part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    item = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": [part]}
    whole = {
        "id": name, "object": "response", "created_at": 1, "status": "completed", "model": "up-1", "output": [item],
        "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
    }  # fmt: skip
    return Answer(json.dumps(whole).encode())


USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}


def deltas(pieces: Iterable[dict[str, Any]], *, index: int = 0, finish: str | None = "stop") -> list[dict[str, Any]]:
    """Return chunks of a chat completion, one for each delta."""
    base = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "up-1"}
    chunks = [base | {"choices": [{"index": index, "delta": piece, "finish_reason": None}]} for piece in pieces]
    if finish:
        chunks.append(base | {"choices": [{"index": index, "delta": {}, "finish_reason": finish}]})
    return chunks


def text_deltas(text: str, size: int = 3) -> list[dict[str, Any]]:
    """Return the deltas of a text, a few characters each."""
    return [
        {"role": "assistant", "content": ""},
        *({"content": text[at : at + size]} for at in range(0, len(text), size)),
    ]


def events(
    values: Iterable[Any], *, named: bool = False, done: bool = True, pause: float = 0.0, broken: bool = False
) -> Answer:
    """Return a stream of server-sent events, cut into pieces that do not end where events end."""

    def pieces() -> Iterable[bytes]:
        held = b""
        for value in values:
            name = f"event: {value['type']}\n" if named else ""
            held += f"{name}data: {json.dumps(value)}\n\n".encode()
            if pause:
                time.sleep(pause)
            cut = max(1, len(held) - 5)
            yield held[:cut]
            held = held[cut:]
        yield held + (b"data: [DONE]\n\n" if done else b"")

    return Answer(pieces(), kind="text/event-stream", broken=broken)


def error(status: int, message: str, **headers: str) -> Answer:
    """Return an error as OpenAI tells it."""
    said = {"error": {"message": message, "type": "server_error", "param": "messages", "code": "odd"}}
    return Answer(json.dumps(said).encode(), status, headers=headers)
