"""The boxes of conversations that the upstream keeps (`previous_response_id`), by the response's id.

Without its box a kept conversation cannot be continued: a new one would give its placeholders other
meanings. So a response whose box is not here is not continued, for nobody's values may be restored
into another's answer.

A box lies sealed in the vault, under a key of its own that belongs to its conversation: every worker of
the server finds it there, a rotation of the master key covers it, and a conversation that is forgotten
takes the boxes of all its responses with it.
"""

import contextlib
import hashlib
import time
import uuid
from collections.abc import Callable
from typing import NamedTuple

from gama.privacy.box import PrivacyBox
from gama.serve.gateway.errors import ConversationUnknown
from gama.state.errors import SealError, StoreError
from gama.vault.seal import Vault

KEPT_S = 30 * 86_400
"""How long a conversation is kept after its last turn: as long as OpenAI keeps a response."""

CONVERSATION = "gateway:"
THINKING = "thinking:"
"""What the names of the gateway's threads in the vault begin with."""


class KeptTurn(NamedTuple):
    """What is kept of a response."""

    box: PrivacyBox
    conversation: str
    """Its conversation's thread in the vault."""


class BoxStore:
    """Keeps boxes in a vault. Does disk work: call it on a thread."""

    def __init__(self, vault: Vault, clock: Callable[[], float] = time.time) -> None:
        """Take the vault."""
        self._vault = vault
        self._clock = clock

    def new(self) -> str:
        """Name a new conversation."""
        return f"{CONVERSATION}{uuid.uuid4().hex}"

    def put(self, caller: str, response: str, box: PrivacyBox, conversation: str, *, begins: bool = False) -> None:
        """Keep the box of a response.

        Args:
            caller: whose it is.
            response: its id.
            box: its box.
            conversation: what it belongs to.
            begins: whether the conversation begins with it. One that went on is not revived if it was forgotten.

        Raises:
            SealError: the conversation was forgotten meanwhile.
        """
        name = _name(caller, response)
        if begins:
            self._vault.cipher(conversation)
        self._vault.tie(name, conversation)
        self._vault.touch(conversation)
        content = box.model_dump_json().encode("utf-8", "surrogatepass")
        self._vault.save_box(name, self._vault.load_box(name)[0], content)

    def get(self, caller: str, response: str) -> KeptTurn:
        """Return what is kept of a response.

        Raises:
            ConversationUnknown: it is not here: too old, another key's, or not made through this gateway.
        """
        name = _name(caller, response)
        with contextlib.suppress(SealError, ValueError):
            content, conversation = self._vault.load_box(name)[1], self._vault.owner(name)
            if content is not None and conversation is not None:
                return KeptTurn(PrivacyBox.model_validate_json(content), conversation)
        raise ConversationUnknown(
            "The placeholders of that response are not kept here: it was not made through this gateway with this key, "
            "or too long ago. Send the whole conversation instead."
        )

    def forget(self, caller: str, response: str) -> None:
        """Erase the key and the box of a response, and its conversation's where it was the last."""
        name = _name(caller, response)
        conversation = self._vault.owner(name)
        self._vault.forget(name)
        if conversation is not None and not self._vault.tied(conversation):
            self._vault.forget(conversation)

    def expire(self) -> None:
        """Forget the gateway's conversations that were not used for long."""
        limit = self._clock() - KEPT_S
        used = self._vault.used().items()
        old = [name for name, when in used if name.startswith((CONVERSATION, THINKING)) and when < limit]
        # Another worker may hold the file, or do the same: there is a next time.
        with contextlib.suppress(StoreError):
            gone = [part for name in old for part in (name, *self._vault.destroy(name))]
            if gone:
                self._vault.remove(gone)


def _name(caller: str, response: str) -> str:
    digest = hashlib.sha256(f"{caller}\0{response}".encode("utf-8", "surrogatepass")).hexdigest()
    return f"response:{digest}"
