"""What may be chosen for the public graph when it runs on a machine of its own."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PublicContext:
    """Runtime context of the public graph, visible in Studio. Keys come from the environment only."""

    model: str | None = None
    """The model as provider:name, such as openai:gpt-4o; empty: the built-in stand-in reader."""
    base_url: str | None = None
    """Address of an OpenAI-compatible server; a key from the environment goes to the configured one only."""
