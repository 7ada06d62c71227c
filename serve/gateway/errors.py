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


class FieldRefused(GamaError):
    """A field of a request in which nothing can be replaced holds something private, or something unknown."""

    status, code = 400, "private_field"

    def __init__(self, field: str, why: str = "holds something private") -> None:
        """Name the field, never what stands in it."""
        super().__init__(
            f"The request was stopped: `{field}` {why}, and its protocol lets nothing else stand there. Nothing was "
            "sent. Change that field, or have the operator let the text pass by the option allow (--allow)."
        )


class OpaqueRefused(GamaError):
    """A string that cannot be read, and that the upstream has not made."""

    status, code = 400, "opaque_unknown"

    def __init__(self, field: str) -> None:
        """Name the field."""
        super().__init__(
            f"The request was stopped: `{field}` cannot be read, and it did not come from the upstream by this gateway "
            "and this key within the last 30 days. Nothing was sent. Leave that part out, or begin the conversation "
            "anew."
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


class Busy(GamaError):
    """Too much is read already: a further request would wait for longer than the operator allows."""

    status, code = 503, "busy"

    def __init__(self, wait_s: float) -> None:
        """Say when to come again."""
        self.wait_s = wait_s
        super().__init__(
            f"So many requests are being read that this one would wait for some {max(1, round(wait_s))} s, which is "
            "more than this gateway allows (--longest-wait). Nothing was sent. Come again later."
        )
