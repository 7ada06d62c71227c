"""Thinking that an upstream has signed, as it wrote it: sent back otherwise, it would be refused.

It holds placeholders, no private value. It lies sealed in the vault, so that another worker, or the server
after a restart, sends it back to the letter.
"""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

from gama.serve.gateway.boxes import THINKING
from gama.state.errors import SealError
from gama.vault.seal import Vault

MOST_THOUGHTS = 2_000
"""Signed blocks of thinking that a process has at hand."""


class Thinking:
    """Remembers the thinking behind signatures. Does disk work: call it on a thread."""

    def __init__(self, vault: Vault) -> None:
        """Take the vault."""
        self._vault = vault
        self._kept: OrderedDict[str, str] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, caller: str, signature: str) -> str | None:
        """Return the thinking behind a signature that this caller was given."""
        name = _name(caller, signature)
        with self._lock:
            if (known := self._kept.get(name)) is not None:
                return known
        try:
            content = self._vault.load_box(name)[1]
        except SealError:
            content = None
        if content is None:
            return None
        return self._at_hand(name, content.decode("utf-8", "surrogatepass"))

    def put(self, caller: str, signature: str, thinking: str) -> None:
        """Remember the thinking behind a signature."""
        name = _name(caller, signature)
        self._vault.save_box(name, 0, thinking.encode("utf-8", "surrogatepass"))
        self._at_hand(name, thinking)

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


def _name(caller: str, signature: str) -> str:
    return THINKING + hashlib.sha256(f"{caller}\0{signature}".encode("utf-8", "surrogatepass")).hexdigest()
