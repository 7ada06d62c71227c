"""Errors of the gateway's own. No text quotes a private value."""

from gama.state.errors import GamaError, ModelError


class MediaRefused(GamaError):
    """A picture, a sound or a file that cannot be searched for private data."""

    status, code = 400, "media_refused"

    def __init__(self, kind: str) -> None:
        """Name the kind of the part."""
        super().__init__(
            f"The request has a part of type {kind!r}. Pictures, sounds and files cannot be searched for private data, "
            "so this gateway refuses them. Send text, or have its operator start it with --media pass."
        )


class Unanswerable(GamaError):
    """The request asks for something that this gateway does not offer."""

    status, code = 400, "not_offered"


class ConversationUnknown(GamaError):
    """The request continues a conversation whose placeholders are not kept here."""

    status, code = 404, "conversation_unknown"


class UpstreamUnreachable(ModelError):
    """Nothing answers at the upstream's address, or it broke off."""

    status, code = 502, "upstream_unreachable"
