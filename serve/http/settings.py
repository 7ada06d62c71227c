"""`ServerSettings`: what the operator of a server chooses."""

import os
from pathlib import Path
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, ValidationInfo, field_validator, model_validator

from gama.models.names import check_base_url
from gama.state.option_table import Chosen, Names, Policies, option
from gama.state.restoring import ToolPolicy

GatewayMode = Literal["proxy", "gama"]
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
OPENAI = "https://api.openai.com/v1"
ANTHROPIC = "https://api.anthropic.com/v1"


class ServerSettings(Chosen):
    """What the operator chooses. Bad values raise `OptionError`."""

    host: str = option("127.0.0.1", "Address", "Address to listen on.", "Server", flags="--host")
    port: Annotated[int, Field(ge=0, le=65535)] = option(
        8000, "Port", "Port to listen on; 0: a free one.", "Server", flags="--port"
    )
    gateway: GatewayMode = option(
        "proxy", "Gateway",
        "What /v1 does: `proxy` hands each request to the upstream, `gama` has the whole graph answer.",
        "Server", flags="--gateway",
    )  # fmt: skip
    gateway_formulas: bool = option(
        False, "Formulas of the gateway",
        "Models behind /v1 are told of formulas, which are evaluated in answers, where a request says nothing else.",
        "Server", flags="--gateway-formulas",
    )  # fmt: skip
    upstream: str = option(
        OPENAI, "Upstream", "OpenAI-compatible server behind /v1; an address without any path gets /v1.",
        "Server", flags="--upstream", metavar="URL", environment=True,
    )  # fmt: skip
    upstream_key: str | None = option(
        None, "Key of the upstream", "Sent where the client brings no key of his own.",
        "Server", flags="--upstream-key", environment=True, secret=True,
    )  # fmt: skip
    anthropic: str = option(
        ANTHROPIC, "Anthropic", "Server of Anthropic's protocol behind /v1/messages, with or without /v1 at its end.",
        "Server", flags="--anthropic", metavar="URL", environment=True,
    )  # fmt: skip
    anthropic_key: str | None = option(
        None, "Key of this server", "Sent where the client brings no key of his own.",
        "Server", flags="--anthropic-key", environment=True, secret=True,
    )  # fmt: skip
    media: Literal["refuse", "pass"] = option(
        "refuse", "Media", "What happens to pictures, sounds and files in /v1, which cannot be searched.",
        "Server", flags="--media",
    )  # fmt: skip
    tool_policies: Policies = option(
        (), "Policies of tools",
        "What the calls of a tool get in answers of /v1: `real` values, `placeholders`, or `ask`: placeholders, until "
        "the client asks for the values.",
        "Server", flags="--tool-policy", metavar="NAME=POLICY",
    )  # fmt: skip
    other_tools: ToolPolicy = option(
        "real", "Other tools", "What the calls of tools get that no policy names.", "Server", flags="--other-tools",
    )  # fmt: skip
    keys: Path | None = option(
        None, "Keys", "TOML file with the API keys. Without one, everybody who reaches the server may use it.",
        "Server", flags="--keys", metavar="FILE", environment=True,
    )  # fmt: skip
    open_to_all: bool = option(
        False, "Open to all", "Listen beyond this machine without API keys.", "Server", flags="--open"
    )
    cors: Names = option((), "CORS", "Origins of web pages that may call.", "Server", flags="--cors", metavar="ORIGIN")
    hosts: Names = option(
        (), "Names", "Names that the server is called by. On a loopback address, that of this machine only.",
        "Server", flags="--allow-host", metavar="NAME",
    )  # fmt: skip
    tls_cert: Path | None = option(None, "Certificate", "Certificate, as PEM.", "Server", flags="--tls-cert")
    tls_key: Path | None = option(None, "Key of the certificate", "Its key, as PEM.", "Server", flags="--tls-key")
    access_log: bool = option(
        True, "Access log", "A line of JSON for each request, without bodies.", "Server", flags="--access-log"
    )
    workers: Annotated[int, Field(ge=1, le=64)] = option(
        1, "Workers", "Processes that answer; they share keys, threads and limits.", "Server", flags="--workers"
    )
    threads: Annotated[int, Field(ge=1, le=64)] = option(
        2, "Threads", "Threads of each process that read texts.", "Server", flags="--threads"
    )

    requests_per_minute: Annotated[int, Field(ge=1)] | None = option(
        None, "Requests a minute", "Requests of each key within a minute, where its entry says nothing else.",
        "Limits", flags="--requests-per-minute",
    )  # fmt: skip
    concurrent: Annotated[int, Field(ge=1)] | None = option(
        None, "Requests at a time", "Requests of each key at a time.", "Limits", flags="--concurrent"
    )
    most_requests: Annotated[int, Field(ge=1)] = option(
        512, "Requests in all", "Requests of all keys at a time. Further ones are told to come again.",
        "Limits", flags="--most-requests",
    )  # fmt: skip
    longest_wait: Annotated[float, Field(gt=0)] = option(
        60.0, "Longest wait",
        "Seconds that a request to the gateway may wait to be read. One that would wait for longer is told at once to "
        "come again (503).",
        "Limits", flags="--longest-wait",
    )  # fmt: skip
    max_body_mb: Annotated[float, Field(gt=0, le=1024)] = option(
        20.0, "Longest body", "Longest body of a request, in MiB.", "Limits", flags="--max-body-mb"
    )
    header_s: Annotated[float, Field(gt=0)] = option(
        30.0, "Patience with headers", "Seconds that the headers of a request may take.",
        "Limits", flags="--header-timeout",
    )  # fmt: skip
    body_s: Annotated[float, Field(gt=0)] = option(
        60.0, "Patience with bodies",
        "Seconds that the body of a request may take. A long one has one more for every 16 KiB that have come.",
        "Limits", flags="--body-timeout",
    )  # fmt: skip
    grace_s: Annotated[float, Field(ge=0)] = option(
        120.0, "Grace", "Seconds that running tasks have to finish when the server is stopped.",
        "Limits", flags="--grace",
    )  # fmt: skip
    drain_s: Annotated[float, Field(ge=0)] = option(
        0.0, "Drain",
        "Seconds that the server goes on taking requests once it is told to end by SIGTERM. Meanwhile /readyz answers "
        "503 and every answer closes its connection, so that a balancer leads the next request elsewhere.",
        "Limits", flags="--drain",
    )  # fmt: skip
    stall_s: Annotated[float, Field(gt=0)] = option(
        120.0, "Stall", "Seconds that a client may leave an answer unread.", "Limits"
    )

    keep: bool = option(True, "Store threads", "Keep threads on disk.", "Storage", flags="--store-threads")
    store: str | None = option(
        None, "Store",
        "Where threads lie: sqlite:///FOLDER or postgresql://USER@HOST/DATABASE; empty: the home folder.",
        "Storage", flags="--store", environment=True,
    )  # fmt: skip
    home: Path | None = option(
        None, "Home", "Folder for keys and threads.", "Storage", flags="--home", metavar="FOLDER", environment=True
    )

    @field_validator("upstream", "anthropic")
    @classmethod
    def _with_version(cls, url: str, field: ValidationInfo) -> str:
        """Return the address with its version: Anthropic's clients name it without, OpenAI's with it."""
        url = url.rstrip("/")
        bare = not url.endswith("/v1") if field.field_name == "anthropic" else not urlsplit(url).path
        return f"{url}/v1" if bare else url

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
                "Several workers share what is kept, such as the placeholders of a conversation: leave out "
                "--no-store-threads, or use one worker."
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
