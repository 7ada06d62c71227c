"""`ServerSettings`: what the operator of a server chooses."""

import os
from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from gama.models.names import check_base_url
from gama.state.errors import OptionError

GatewayMode = Literal["proxy", "gama"]
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
OPENAI = "https://api.openai.com/v1"
ANTHROPIC = "https://api.anthropic.com/v1"


class ServerSettings(BaseModel):
    """What the operator chooses. Bad values raise `OptionError`."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=0, le=65535)
    home: Path | None = None
    """Folder for keys and threads; the default one when None."""
    store: str | None = None
    """Where threads lie: `sqlite:///FOLDER` or `postgresql://…`; by default `GAMA_STORE`, else the home folder."""
    keep: bool = True
    """Whether threads are kept on disk."""

    keys: Path | None = None
    """File with the API keys; without one, everybody who reaches the server may use it."""
    open_to_all: bool = False
    """Whether a server without keys may listen on other addresses than this machine's."""
    requests_per_minute: int | None = Field(default=None, ge=1)
    """Requests of each key within a minute, where its entry says nothing else."""
    concurrent: int | None = Field(default=None, ge=1)
    """Requests of each key at a time."""
    most_requests: int = Field(default=512, ge=1)
    """Requests of all keys at a time; further ones are told to come again."""
    max_body_mb: float = Field(default=20.0, gt=0, le=1024)
    """Longest body of a request, in MiB."""
    cors: tuple[str, ...] = ()
    """Origins of web pages that may call the server; none by default."""
    hosts: tuple[str, ...] = ()
    """Names that the server may be called by; on a loopback address, that of this machine only."""
    tls_cert: Path | None = None
    tls_key: Path | None = None
    grace_s: float = Field(default=120.0, ge=0)
    """Seconds that running tasks have to finish when the server is stopped."""
    stall_s: float = Field(default=120.0, gt=0)
    """Seconds that a client may leave an answer unread."""
    access_log: bool = True

    gateway: GatewayMode = "proxy"
    """What `/v1` does: hands each request to the upstream, or has the whole graph answer."""
    upstream: str = OPENAI
    upstream_key: str | None = Field(default=None, repr=False)
    """Sent where the client brings no key of his own."""
    anthropic: str = ANTHROPIC
    anthropic_key: str | None = Field(default=None, repr=False)
    media: Literal["refuse", "pass"] = "refuse"
    """What happens to pictures, sounds and files, which cannot be searched."""
    workers: int = Field(default=1, ge=1, le=64)
    """Processes that answer; they share what is kept."""
    threads: int = Field(default=2, ge=1, le=64)
    """Threads of each process that read texts."""

    def __init__(self, **values: object) -> None:
        """Check the values.

        Raises:
            OptionError: one is out of range; names it.
        """
        try:
            super().__init__(**values)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            name = ".".join(str(part) for part in first["loc"])
            message = f"server option {name!r}: {first['msg']}" if name else first["msg"].removeprefix("Value error, ")
        else:
            return
        raise OptionError(message)

    @model_validator(mode="after")
    def _sound(self) -> Self:
        check_base_url(self.upstream)
        check_base_url(self.anthropic)
        if self.keys is None and not self.local and not self.open_to_all:
            raise ValueError(
                f"The server would listen on {self.host!r} without API keys: whoever reaches it could use your models. "
                "Give --keys FILE, or say --open if you mean it."
            )
        if self.workers > 1 and not self.keep:
            raise ValueError(
                "Several workers share what is kept, such as the placeholders of a conversation: leave out --no-keep, "
                "or use one worker."
            )
        if (self.tls_cert is None) != (self.tls_key is None):
            raise ValueError("TLS needs both a certificate and its key: --tls-cert and --tls-key.")
        return self

    @property
    def address(self) -> str:
        """Where threads lie, as the settings or the environment say; empty for the home folder."""
        return self.store or os.environ.get("GAMA_STORE") or ""

    @property
    def local(self) -> bool:
        """Whether only this machine can reach the server."""
        return self.host in LOOPBACK

    @property
    def allowed_hosts(self) -> frozenset[str]:
        """Names that the server answers to; empty for any. Keeps web pages from reaching it by a name of theirs."""
        return frozenset({*LOOPBACK, "[::1]", *self.hosts}) if self.local else frozenset(self.hosts)
