"""The page's files: read once, served with their types, a tag each, and a policy that lets nothing else in."""

import hashlib
from pathlib import Path
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}
"""Types by the ends of names: those of the system may be wrong. No other file is served."""

POLICY = (
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
"""Scripts, styles, pictures and requests of this server only; no inline script; no text ever becomes a script."""

HEADERS = {
    "content-security-policy": POLICY,
    "cache-control": "no-cache",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class _File(NamedTuple):
    body: bytes
    kind: str
    tag: str


class Site:
    """A folder of files, one of which is `index.html`."""

    def __init__(self, folder: Path) -> None:
        """Read the files; a folder that is not there has none."""
        self._files: dict[str, _File] = {}
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.suffix in KINDS:
                body = path.read_bytes()
                tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
                self._files[f"/{path.relative_to(folder).as_posix()}"] = _File(body, KINDS[path.suffix], tag)
        if "/index.html" in self._files:
            self._files["/"] = self._files["/index.html"]

    def __contains__(self, path: object) -> bool:
        """Return whether an address is one of the files."""
        return path in self._files

    def routes(self) -> list[Route]:
        """Return a route for each file."""
        return [Route(path, self._answer, methods=["GET"], include_in_schema=False) for path in self._files]

    async def _answer(self, request: Request) -> Response:
        file = self._files[request.scope["path"]]
        headers = HEADERS | {"etag": file.tag}
        known = request.headers.get("if-none-match", "")
        if file.tag in {tag.strip().removeprefix("W/") for tag in known.split(",")}:
            return Response(status_code=304, headers=headers)
        return Response(file.body, headers=headers, media_type=file.kind)
