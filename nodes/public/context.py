"""What may be chosen for the public graph when it runs on a machine of its own."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field


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
