"""What the gateway keeps between requests: boxes of conversations that the upstream keeps, and signed thinking.

Without its box a conversation that is continued by `previous_response_id` cannot go on: a new one would give its
placeholders other meanings. So a response whose box is not here is not continued, for nobody's values may be restored
into another's answer.
"""

import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, NamedTuple

from pydantic import ValidationError

from gama.privacy.box import PrivacyBox
from gama.serve.gateway.errors import ConversationUnknown
from gama.state.errors import SealError
from gama.vault.box_store import BoxStore
from gama.vault.seal import Vault

KEPT_S = 30 * 86_400
"""How long a conversation is kept after its last turn: as long as OpenAI keeps a response."""
MOST_THOUGHTS = 2_000
"""Signed blocks of thinking that a process has at hand."""


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


class Thinking:
    """Remembers the thinking behind signatures, as the upstream wrote it: sent back otherwise, it would be refused.

    It holds placeholders, no private value. It lies sealed in the vault, so that another worker, or the server after a
    restart, sends it back to the letter. Does disk work: call it on a thread.
    """

    def __init__(self, vault: Vault, clock: Callable[[], float] = time.time) -> None:
        """Take the vault."""
        self._store = BoxStore(vault, "thinking:", clock)
        self._kept: OrderedDict[str, str] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, caller: str, signature: str) -> str | None:
        """Return the thinking behind a signature that this caller was given."""
        name = _name("thinking:", caller, signature)
        with self._lock:
            if (known := self._kept.get(name)) is not None:
                return known
        try:
            content = self._store.load(name)[1]
        except SealError:
            content = None
        return None if content is None else self._at_hand(name, content.decode("utf-8", "surrogatepass"))

    def put(self, caller: str, signature: str, thinking: str) -> None:
        """Remember the thinking behind a signature."""
        name = _name("thinking:", caller, signature)
        self._store.save(name, 0, thinking.encode("utf-8", "surrogatepass"))
        self._at_hand(name, thinking)

    def expire(self) -> None:
        """Forget what was written long ago."""
        self._store.expire(KEPT_S)

    def _at_hand(self, name: str, thinking: str) -> str:
        with self._lock:
            self._kept[name] = thinking
            if len(self._kept) > MOST_THOUGHTS:
                self._kept.popitem(last=False)
        return thinking


class Signed:
    """Watches an answer, whole or event by event, and has its signed thinking remembered.

    Args:
        remember: is told a signature and the thinking behind it; the client gets the signature afterwards.
    """

    def __init__(self, remember: Callable[[str, str], Awaitable[None]]) -> None:
        """Take what remembers."""
        self._remember = remember
        self._blocks: dict[Any, str] = {}

    async def __call__(self, value: dict[str, Any]) -> None:
        """Look at a message, or at an event of one."""
        for signature, thinking in thoughts(value):
            await self._remember(signature, thinking)
        delta = value.get("delta")
        if value.get("type") != "content_block_delta" or not isinstance(delta, dict):
            return
        index = value.get("index")
        if delta.get("type") == "thinking_delta":
            self._blocks[index] = self._blocks.get(index, "") + str(delta.get("thinking") or "")
        elif delta.get("type") == "signature_delta":
            await self._remember(str(delta.get("signature")), self._blocks.pop(index, ""))


def thoughts(message: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the signature and the thinking of each signed block of a message."""
    content = message.get("content")
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and block.get("type") == "thinking" and isinstance(block.get("signature"), str):
            yield block["signature"], str(block.get("thinking", ""))


def _name(prefix: str, caller: str, given: str) -> str:
    return prefix + hashlib.sha256(f"{caller}\0{given}".encode("utf-8", "surrogatepass")).hexdigest()
