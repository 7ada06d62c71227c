"""The upstream of the gateway's benchmark: a process that answers as a hosted model would, in a stream or at once.

`python -m gama.evals.bench.upstream PORT WORDS PAUSE_MS`
"""

import asyncio
import json
import sys

_PIECES = ("So", " it", " is", ",", " dear", " <na", "me-1", ">", ",", " as", " you", " said", ".")


def chunk(delta: dict[str, str], finish: str | None = None) -> bytes:
    """Return one chunk of a chat completion."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    whole = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    data = b"data: " + json.dumps(whole).encode() + b"\n\n"
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


def whole(words: int) -> bytes:
    """Return a chat completion that comes at once, with its head."""
    message = {"role": "assistant", "content": "".join(_PIECES[at % len(_PIECES)] for at in range(words))}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    body = json.dumps(
        {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    ).encode()
    return b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(body) + body


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, words: int, pause_s: float) -> None:
    """Answer the requests of one connection."""
    pieces = [chunk({"content": _PIECES[at % len(_PIECES)]}) for at in range(words)]
    end = chunk({}, "stop") + b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n"
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
    try:
        while head_in := await reader.readuntil(b"\r\n\r\n"):
            lines = head_in.lower().split(b"\r\n")
            length = next((int(line.split(b":")[1]) for line in lines if line.startswith(b"content-length:")), 0)
            body = json.loads(await reader.readexactly(length) or b"{}")
            if not body.get("stream"):
                await asyncio.sleep(words * pause_s)
                writer.write(whole(words))
                await writer.drain()
                continue
            writer.write(head)
            for piece in pieces:
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(pause_s)
            writer.write(end)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def main(port: int, words: int, pause_s: float) -> None:
    """Serve until killed."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await answer(reader, writer, words, pause_s)

    server = await asyncio.start_server(serve, "127.0.0.1", port, backlog=1024)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]) / 1000))
