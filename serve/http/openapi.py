"""What OpenAPI says of errors: every route may give one, in the form of its protocol's clients."""

from collections.abc import Callable
from typing import Any

from fastapi import FastAPI

from gama.serve.http.errors import Form, form_of

_TEXT = {"type": "string"}
_OPENAI = {"type": "object", "required": ["message", "type"], "properties": {
    "message": _TEXT, "type": _TEXT, "param": {"type": ["string", "null"]}, "code": {"type": ["string", "null"]},
}}  # fmt: skip
_ANTHROPIC = {"type": "object", "required": ["type", "message"], "properties": {"type": _TEXT, "message": _TEXT}}

ERRORS: dict[Form, dict[str, Any]] = {
    "gama": {"type": "object", "required": ["detail", "code"], "properties": {"detail": _TEXT, "code": _TEXT}},
    "openai": {"type": "object", "required": ["error"], "properties": {"error": _OPENAI}},
    "anthropic": {"type": "object", "required": ["type", "error"], "properties": {
        "type": {"const": "error"}, "error": _ANTHROPIC,
    }},
}  # fmt: skip
"""Schemas of the bodies that `body_of` makes."""

EVENTS: dict[int | str, dict[str, Any]] = {200: {"content": {"text/event-stream": {"schema": {"type": "object"}}}}}
"""For routes that answer with server-sent events."""


def describe_errors(app: FastAPI) -> None:
    """Have the application's OpenAPI tell its errors as they are."""
    plain: Callable[[], dict[str, Any]] = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            described = plain()
            for path, operations in described["paths"].items():
                for operation in operations.values():
                    _describe(operation, ERRORS[form_of(path)])
            # Nothing refers to FastAPI's own form of errors any more.
            for name in ("HTTPValidationError", "ValidationError"):
                described.get("components", {}).get("schemas", {}).pop(name, None)
        schema: dict[str, Any] = app.openapi_schema or {}
        return schema

    app.openapi = openapi  # type: ignore[method-assign]


def _describe(operation: dict[str, Any], schema: dict[str, Any]) -> None:
    body = {"application/json": {"schema": schema}}
    responses = operation["responses"]
    for status, response in responses.items():
        if status == "422":
            response["content"] = body
    responses["default"] = {"description": "What went wrong; no private value is quoted.", "content": body}
