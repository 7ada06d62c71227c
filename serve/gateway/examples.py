"""What OpenAPI shows of the gateway's bodies: an example each, and where the protocol is described."""

from typing import Any


def _body(example: dict[str, Any], told: str) -> dict[str, Any]:
    content = {"application/json": {"schema": {"type": "object", "description": told}, "example": example}}
    return {"requestBody": {"required": True, "content": content}}


_TEXT = "My name is Emma Williams. Which documents does a name change need?"
_OPENAI = "As https://platform.openai.com/docs/api-reference describes it; unknown fields pass through."

CHAT = _body({"model": "gpt-4o", "messages": [{"role": "user", "content": _TEXT}], "stream": False}, _OPENAI)
RESPONSES = _body({"model": "gpt-4o", "input": _TEXT}, _OPENAI)
EMBEDDINGS = _body({"model": "text-embedding-3-small", "input": [_TEXT]}, _OPENAI)
MESSAGES = _body(
    {"model": "claude-sonnet-5-5", "max_tokens": 300, "messages": [{"role": "user", "content": _TEXT}]},
    "As https://docs.anthropic.com/en/api/messages describes it; unknown fields pass through.",
)
