"""`gama serve`: the HTTP API and the gateway."""

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from gama.serve import choices

Keys = Annotated[Path | None, typer.Option(help="TOML file with the API keys.", envvar="GAMA_KEYS", show_default=False)]
Upstream = Annotated[
    str | None,
    typer.Option(help="OpenAI-compatible server behind /v1.", envvar="GAMA_UPSTREAM", show_default="OpenAI's"),
]
Anthropic = Annotated[
    str | None,
    typer.Option(
        "--anthropic", help="Server behind /v1/messages.", envvar="GAMA_ANTHROPIC", show_default="Anthropic's"
    ),
]
Secret = Annotated[str | None, typer.Option(hidden=True, envvar="GAMA_UPSTREAM_KEY")]
AnthropicSecret = Annotated[str | None, typer.Option(hidden=True, envvar="GAMA_ANTHROPIC_KEY")]
Several = list[str] | None


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on.")] = 8000,
    gateway: Annotated[
        str, typer.Option(help="What /v1 does: proxy (one upstream call) or gama (the graph).")
    ] = "proxy",
    upstream: Upstream = None,
    anthropic: Anthropic = None,
    upstream_key: Secret = None,
    anthropic_key: AnthropicSecret = None,
    media: Annotated[str, typer.Option(help="Pictures, sounds and files in /v1: refuse, or pass unread.")] = "refuse",
    keys: Keys = None,
    open_to_all: Annotated[bool, typer.Option("--open", help="Listen beyond this machine without API keys.")] = False,
    requests_per_minute: Annotated[int | None, typer.Option(help="For each key.", show_default=False)] = None,
    concurrent: Annotated[int | None, typer.Option(help="Requests of each key at a time.", show_default=False)] = None,
    most_requests: Annotated[int, typer.Option(help="Requests of all at a time.")] = 512,
    max_body_mb: Annotated[float, typer.Option(help="Longest body in MiB.")] = 20.0,
    cors: Annotated[Several, typer.Option(help="Origin of a web page that may call; may be repeated.")] = None,
    allow_host: Annotated[Several, typer.Option(help="Name the server is called by; may be repeated.")] = None,
    tls_cert: Annotated[Path | None, typer.Option(help="Certificate, as PEM.", show_default=False)] = None,
    tls_key: Annotated[Path | None, typer.Option(help="Its key, as PEM.", show_default=False)] = None,
    grace: Annotated[float, typer.Option(help="Seconds that running tasks have to finish at the end.")] = 120.0,
    access_log: Annotated[bool, typer.Option(help="A line of JSON for each request, without bodies.")] = True,
    keep: Annotated[bool, typer.Option(help="Keep threads on disk.")] = True,
    store: choices.Store = None,
    workers: Annotated[int, typer.Option(help="Processes that answer; they share keys, threads and limits.")] = 1,
    threads: Annotated[int, typer.Option(help="Threads of each process that read texts.")] = 2,
    public: choices.Public = None,
    base_url: choices.BaseUrl = None,
    private: choices.Private = None,
    private_base_url: choices.PrivateBaseUrl = None,
    trust_private: choices.TrustPrivate = False,
    region: choices.Region = None,
    pner: choices.Pner = None,
    weights: choices.Weights = None,
    recognizers: choices.Recognizers = None,
    disable: choices.Disable = None,
    keep_types: Annotated[
        Several, typer.Option("--keep-type", help="A type or subtype never hidden; may be repeated.")
    ] = None,
    threshold: choices.Threshold = None,
    deny: choices.Deny = None,
    allow: choices.Allow = None,
    style: choices.Style = None,
    timeout: choices.Timeout = None,
    max_tokens: choices.MaxTokens = None,
    max_cost: choices.MaxCost = None,
    max_concurrent: choices.MaxConcurrent = None,
    max_chars: choices.MaxChars = None,
    home: choices.Home = None,
) -> None:
    """Serve the HTTP API, and a gateway that OpenAI's and Anthropic's clients talk to by `base_url`.

    See docs/server.md and docs/gateway.md.
    """
    from gama.state.errors import OptionError

    if any(find_spec(name) is None for name in ("fastapi", "uvicorn", "prometheus_client")):
        raise OptionError("serving needs more packages: pip install 'gama-privacy[serve]'")
    from gama.serve.http.settings import ServerSettings
    from gama.serve.run_server import run

    given = {
        "upstream": upstream, "anthropic": anthropic, "upstream_key": upstream_key, "anthropic_key": anthropic_key,
        "keys": keys, "requests_per_minute": requests_per_minute, "concurrent": concurrent, "tls_cert": tls_cert,
        "tls_key": tls_key, "home": home, "store": store,
    }  # fmt: skip
    settings = ServerSettings(
        host=host, port=port, gateway=gateway, media=media, open_to_all=open_to_all, most_requests=most_requests,
        max_body_mb=max_body_mb, cors=tuple(cors or ()), hosts=tuple(allow_host or ()), grace_s=grace,
        access_log=access_log, keep=keep, workers=workers, threads=threads,
        **{name: value for name, value in given.items() if value is not None},
    )  # fmt: skip
    options = choices.options(
        public_model=public, public_base_url=base_url, private_model=private, private_base_url=private_base_url,
        trust_private_model=trust_private or None, default_region=region, pner=pner, weights=weights,
        recognizers=recognizers, disable=disable, keep=keep_types, thresholds=threshold, deny=deny, allow=allow,
        style=style, timeout_s=timeout, max_tokens=max_tokens, max_cost=max_cost, max_concurrent=max_concurrent,
        max_chars=max_chars,
    )  # fmt: skip
    run(settings, options)
