"""The public graph on a machine of its own: what may be chosen, which model serves a task, and with whose key."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Annotated, Any, cast

from langgraph.runtime import get_runtime
from pydantic import Field

from gama.models.calls import PublicClient
from gama.nodes.public.asking import Clients
from gama.state.options import Options
from gama.state.task import PublicTask

MAX_CLIENTS = 16
"""Choices of model that a standalone graph keeps ready."""


@dataclass(frozen=True)
class PublicContext:
    """Runtime context of the public graph, visible in Studio. Keys come from the environment only."""

    model: Annotated[
        str | None,
        Field(
            title="Public model",
            description="The model as provider:name, such as openai:gpt-4o; empty: the built-in stand-in reader.",
        ),
    ] = None
    base_url: Annotated[
        str | None,
        Field(
            title="Public base URL",
            description="Address of an OpenAI-compatible server; a key from the environment goes to the configured one "
            "only.",
        ),
    ] = None


def standalone_clients() -> Clients:
    """Return what gives the client on a machine of its own: by the run's context, the task, or the environment."""
    made: dict[tuple[str | None, str | None], PublicClient] = {}
    lock = Lock()

    def client(task: PublicTask) -> PublicClient:
        from gama.models.public import public_client

        context = get_runtime(PublicContext).context or PublicContext()
        choice = (context.model or served(task.model), context.base_url or _home())
        with lock:
            if choice not in made:
                model, base_url = choice
                bounds = Options.from_env()
                made[choice] = public_client(
                    model,
                    base_url=base_url,
                    api_key=_key(*choice),
                    standalone=True,
                    rate_limit_per_minute=bounds.rate_limit_per_minute,
                    max_concurrent=bounds.max_concurrent,
                    prices=bounds.prices,
                )
                if len(made) > MAX_CLIENTS:
                    # Callers may name what they like: what was made first goes.
                    del made[next(iter(made))]
            serving = made[choice]
        if not task.model or choice[0] == task.model:
            return serving
        return cast(PublicClient, Substitute(serving, task.model))

    return client


class Substitute:
    """The client of a task that asked for another model than it gets: it says so in its note."""

    def __init__(self, serving: PublicClient, wanted: str) -> None:
        """Take the client that serves."""
        self._serving = serving
        self._wanted = wanted

    @property
    def note(self) -> str:
        """What the user must know."""
        told = (
            f"The task asked for the public model {self._wanted!r}; this machine answers with {self._serving.name!r}."
        )
        return f"{told} {self._serving.note}".strip()

    def __getattr__(self, name: str) -> Any:
        """Be the client that serves in everything else."""
        return getattr(self._serving, name)


def served(wanted: str, environment: Mapping[str, str] = os.environ) -> str | None:
    """Return the model that serves a task which asks for one by name: this machine's operator decides.

    `GAMA_PUBLIC_MODEL` names the operator's own model. A task gets the one it asks for if
    `GAMA_PUBLIC_MODELS` lists it (names with commas between, or `*` for any), or if the operator named
    none at all; else it gets the operator's.

    Args:
        wanted: `PublicTask.model`; empty asks for none.
        environment: where the operator's choice stands.

    Returns:
        The name; None for the built-in reader.
    """
    own = environment.get("GAMA_PUBLIC_MODEL") or None
    listed = environment.get("GAMA_PUBLIC_MODELS")
    names = [name.strip() for name in (listed or "").split(",") if name.strip()]
    allowed = own is None if listed is None else ("*" in names or wanted in names)
    return wanted if wanted and allowed else own


def _home() -> str | None:
    return os.environ.get("GAMA_PUBLIC_BASE_URL") or None


def _key(model: str | None, base_url: str | None) -> str | None:
    """Return the key for a choice: the operator's goes to the server and provider the operator named, to no other."""
    if base_url != _home():
        return "none"
    configured = os.environ.get("GAMA_PUBLIC_MODEL")
    same = not configured or not model or _provider(configured) == _provider(model)
    return os.environ.get("GAMA_PUBLIC_API_KEY") if same else None


def _provider(model: str) -> str:
    # A bare name is one of an OpenAI-compatible server.
    return model.partition(":")[0].strip().lower() if ":" in model else "openai"
