"""What the gateway keeps between requests: boxes of conversations that the upstream keeps, and its opaque strings.

Without its box a conversation that is continued by `previous_response_id` cannot go on: a new one would give its
placeholders other meanings. So a response whose box is not here is not continued, for nobody's values may be restored
into another's answer.
"""

import hashlib
import hmac
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, NamedTuple

from pydantic import ValidationError

from gama.privacy.box import PrivacyBox
from gama.serve.gateway.errors import ConversationUnknown
from gama.serve.gateway.vocabulary import MADE_THERE
from gama.state.errors import SealError
from gama.vault.box_store import BoxStore
from gama.vault.seal import Vault

KEPT_S = 30 * 86_400
"""How long a conversation is kept after its last turn: as long as OpenAI keeps a response."""
MOST_AT_HAND = 2_000
"""Opaque strings that a process has at hand."""
MOST_STRINGS = 100_000
"""Opaque strings that are kept; those of longest ago go first."""
_SECRET = "gateway-strings"
"""What the key of their digests is called in the vault."""


class Turn(NamedTuple):
    """What is kept of a response."""

    box: PrivacyBox
    conversation: str
    """Its conversation's thread in the vault."""


class ResponseBoxes:
    """Keeps the boxes of responses, each by its caller and its id. Does disk work: call it on a thread."""

    def __init__(self, vault: Vault, clock: Callable[[], float] = time.time) -> None:
        """Take the vault."""
        self._store = BoxStore(vault, "gateway:", clock)
        self.new = self._store.new
        """Names a new conversation."""

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
        content = box.model_dump_json().encode("utf-8", "surrogatepass")
        self._store.save_turn(_name("response:", caller, response), content, conversation, begins=begins)

    def get(self, caller: str, response: str) -> Turn:
        """Return what is kept of a response.

        Raises:
            ConversationUnknown: it is not here: too old, another key's, or not made through this gateway.
        """
        kept = self._store.load_turn(_name("response:", caller, response))
        try:
            if kept is not None:
                return Turn(PrivacyBox.model_validate_json(kept.content), kept.conversation)
        except ValidationError:
            pass
        raise ConversationUnknown(
            "The placeholders of that response are not kept here: it was not made through this gateway with this key, "
            "or too long ago. Send the whole conversation instead."
        )

    def forget(self, caller: str, response: str) -> None:
        """Erase the key and the box of a response, and its conversation's where it was the last."""
        self._store.forget(_name("response:", caller, response))

    def expire(self) -> None:
        """Forget the conversations that were not used for long."""
        self._store.expire(KEPT_S)


class MadeStrings:
    """Remembers the opaque strings of an upstream's answers (signatures, encrypted reasoning), by their digests.

    They cannot be read, so that only those that came from the upstream may go back to it. With a signature lies the
    thinking that it signs, as the upstream wrote it: sent back otherwise, it would be refused. That holds
    placeholders, no private value. All of it lies sealed in the vault, so that another worker, or the server after a
    restart, knows it. Does disk work: call it on a thread.
    """

    def __init__(self, vault: Vault, clock: Callable[[], float] = time.time) -> None:
        """Take the vault."""
        self._store = BoxStore(vault, "thinking:", clock)
        self._at_hand: OrderedDict[str, str] = OrderedDict()
        self._secret = b""
        self._lock = threading.Lock()

    def get(self, caller: str, opaque: str) -> str | None:
        """Return the thinking behind an opaque string that this caller was given: empty where there is none to it.

        Returns:
            None for a string that is not known.
        """
        try:
            name = self._name(caller, opaque)
            with self._lock:
                if (known := self._at_hand.get(name)) is not None:
                    return known
            content = self._store.load(name)[1]
        except SealError:
            return None
        return None if content is None else self._keep(name, content.decode("utf-8", "surrogatepass"))

    def put(self, caller: str, opaque: str, thinking: str = "") -> None:
        """Remember an opaque string, and the thinking that it signs."""
        name = self._name(caller, opaque)
        with self._lock:
            known = self._at_hand.get(name)
        if known is None or (thinking and known != thinking):
            self._store.save(name, self._store.load(name)[0], thinking.encode("utf-8", "surrogatepass"))
            self._keep(name, thinking)

    def expire(self) -> None:
        """Forget what was written long ago, and the oldest of too many."""
        self._store.expire(KEPT_S, MOST_STRINGS)

    def _keep(self, name: str, thinking: str) -> str:
        with self._lock:
            self._at_hand[name] = thinking
            if len(self._at_hand) > MOST_AT_HAND:
                self._at_hand.popitem(last=False)
        return thinking

    def _name(self, caller: str, opaque: str) -> str:
        return "thinking:" + self.digest(caller, opaque).hex()

    def digest(self, caller: str, text: str) -> bytes:
        """Return the digest of a caller's string, under a key that lies sealed in the vault."""
        if not self._secret:
            self._store.save(_SECRET, 0, secrets.token_bytes(32))
            self._secret = self._store.load(_SECRET)[1] or b""
        body = f"{caller}\0{text}".encode("utf-8", "surrogatepass")
        return hmac.digest(self._secret, body, "sha256")


class Watch:
    """Watches an answer, whole or event by event, and has the opaque strings in it remembered.

    Args:
        remember: is told an opaque string and the thinking that it signs; the client gets it afterwards.
    """

    def __init__(self, remember: Callable[[str, str], Awaitable[None]]) -> None:
        """Take what remembers."""
        self._remember = remember
        self._thinking: dict[Any, str] = {}
        self._signature: dict[Any, str] = {}

    async def __call__(self, value: dict[str, Any]) -> None:
        """Look at an answer, or at an event of one."""
        for opaque, thinking in opaque_strings(value):
            await self._remember(opaque, thinking)
        delta, index = value.get("delta"), value.get("index")
        if value.get("type") != "content_block_delta" or not isinstance(delta, dict):
            return
        if delta.get("type") == "thinking_delta":
            self._thinking[index] = self._thinking.get(index, "") + str(delta.get("thinking") or "")
        elif delta.get("type") == "signature_delta":
            # A signature in several pieces comes back as one.
            self._signature[index] = self._signature.get(index, "") + str(delta.get("signature") or "")
            await self._remember(self._signature[index], self._thinking.get(index, ""))


def opaque_strings(value: Any) -> Iterator[tuple[str, str]]:
    """Yield the opaque strings of an answer, each with the thinking that it signs, which is mostly none."""
    items: Any = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if isinstance(value, dict) and value.get("type") != "signature_delta":
        thinking = str(value.get("thinking") or "") if value.get("type") == "thinking" else ""
        for name, item in value.items():
            if isinstance(item, str) and item and _is_opaque(name, value):
                yield item, thinking
    for item in items:
        if isinstance(item, dict | list):
            yield from opaque_strings(item)


def _is_opaque(name: str, holder: dict[str, Any]) -> bool:
    return name in MADE_THERE or (name == "data" and holder.get("type") == "redacted_thinking")


def _name(prefix: str, caller: str, given: str) -> str:
    return prefix + hashlib.sha256(f"{caller}\0{given}".encode("utf-8", "surrogatepass")).hexdigest()
