"""An upstream that fails in every way that servers fail, as a process of its own that can be killed.

    python stormy.py PORT RECORD

It speaks chat completions, messages and responses. The number in the header `idempotency-key` says how it goes wrong; every byte
that it gets is appended to RECORD.
"""

import asyncio
import json
import random
import re
import sys
from typing import Any

TEXT = "You are <email-1>, indeed. " * 20
WAYS = ("whole", "whole", "whole", "error", "drop", "garbage", "empty", "reset", "html")


def way(n: int) -> str:
    """Return how the answer to a request goes."""
    return random.Random(n).choice(WAYS)


def chunks(path: str, text: str) -> list[bytes]:
    """Return the events of a streamed answer in a path's protocol."""
    pieces = [text[at : at + 11] for at in range(0, len(text), 11)]
    if path == "/v1/messages":
        start = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": {}}
        events: list[dict[str, Any]] = [
            {"type": "message_start", "message": start},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        ]
        for piece in pieces:
            delta = {"type": "text_delta", "text": piece}
            events.append({"type": "content_block_delta", "index": 0, "delta": delta})
        events += [{"type": "content_block_stop", "index": 0}, {"type": "message_stop"}]
    elif path == "/v1/responses":
        place = {"item_id": "i", "output_index": 0, "content_index": 0}
        events = [
            {"type": "response.output_text.delta", "delta": piece, "sequence_number": at, **place}
            for at, piece in enumerate(pieces)
        ]
        done = {"type": "response.output_text.done", "text": text, "sequence_number": len(pieces), **place}
        events.append(done)
    else:
        base = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        events = [base | {"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces]
        return [*(f"data: {json.dumps(event)}\n\n".encode() for event in events), b"data: [DONE]\n\n"]
    return [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events]


def whole(path: str, text: str) -> bytes:
    """Return an answer that is not streamed."""
    if path == "/v1/messages":
        body: dict[str, Any] = {"id": "m", "type": "message", "content": [{"type": "text", "text": text}]}
    elif path == "/v1/responses":
        part = {"type": "output_text", "text": text, "annotations": []}
        output = [{"type": "message", "id": "i", "role": "assistant", "content": [part]}]
        body = {"id": "r", "object": "response", "status": "completed", "output": output}
    else:
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        body = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    return json.dumps(body).encode()


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, record: Any) -> None:
    """Answer the requests of one connection."""
    try:
        while head := await reader.readuntil(b"\r\n\r\n"):
            size = int(re.search(rb"content-length: (\d+)", head.lower())[1])  # type: ignore[index]
            n = int(re.search(rb"idempotency-key: (\d+)", head.lower())[1])  # type: ignore[index]
            body = await reader.readexactly(size)
            record.write(head + body)
            record.flush()
            if not await answer(n, head.split()[1].decode(), json.loads(body), writer):
                return
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def answer(n: int, path: str, request: dict[str, Any], writer: asyncio.StreamWriter) -> bool:
    """Send an answer; tells whether the connection goes on."""
    dice, how = random.Random(-n), way(n)
    if how == "reset":
        writer.transport.abort()
        return False
    if how == "empty":
        return False
    if how in ("error", "html"):
        error = json.dumps({"error": {"message": "out of order", "type": "server_error", "param": None, "code": "odd"}})
        kind, content = (
            ("application/json", error.encode()) if how == "error" else ("text/html", b"<h1>Bad gateway</h1>")
        )
        writer.write(
            b"HTTP/1.1 503 Odd\r\ncontent-type: %s\r\ncontent-length: %d\r\n\r\n" % (kind.encode(), len(content))
        )
        writer.write(content)
        await writer.drain()
        return True
    if not request.get("stream"):
        content = b"{not json" if how == "garbage" else whole(path, f"{n} {TEXT}")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(content))
        writer.write(content[: len(content) // 2] if how == "drop" else content)
        await writer.drain()
        return how != "drop"
    events = chunks(path, f"{n} {TEXT}")
    if how == "garbage":
        events[len(events) // 2 :] = [b"data: {not json\n\n", b"\x00\xff\n\n"]
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
    for event in events[: len(events) // 2] if how == "drop" else events:
        writer.write(f"{len(event):x}\r\n".encode() + event + b"\r\n")
        await writer.drain()
        await asyncio.sleep(dice.choice((0.0, 0.001, 0.02)))
    if how == "drop":
        return False
    writer.write(b"0\r\n\r\n")
    await writer.drain()
    return True


async def main(port: int, path: str) -> None:
    """Serve until killed."""
    with open(path, "ab") as record:
        server = await asyncio.start_server(lambda r, w: serve(r, w, record), "127.0.0.1", port, backlog=1024)
        async with server:
            await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), sys.argv[2]))
