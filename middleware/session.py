"""A run's private side: its box, and strings that are sealed until they are put into placeholders.

Whatever is private enters the agent's state in one of two forms only. *Sealed* (`[sealed:…]`, encrypted under the
thread's key): the caller's input and the results of tools, as they come in, in any order and number at once. With
*placeholders*: what a hook of the middleware has made of it, one hook at a time, so that the box grows in one place.
"""

import base64
import binascii
import hashlib
import re
import threading
from collections import Counter, OrderedDict
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from functools import partial
from typing import Any

from gama.guard.quiet import Quiet
from gama.guard.search import Guard
from gama.middleware.values import map_value, strings
from gama.privacy.anonymizer import Anonymizer
from gama.privacy.box import PrivacyBox
from gama.state.errors import SealError
from gama.state.private_text import Sealed
from gama.state.restoring import Restoring
from gama.tools.placeholders.boundaries import hosts_in
from gama.vault.seal import Vault

# A sealed string inside a text: the base64 of what the vault has made of it.
_SEALED = re.compile(r"\[sealed:([A-Za-z0-9+/]+={0,2})\]")
_KNOWN = 4096
"""How many texts are remembered as anonymized already, by their digests."""


class Session:
    """The private side of one run."""

    def __init__(self, anonymizer: Anonymizer, vault: Vault, thread: str, configurable: dict[str, Any]) -> None:
        """Start with an empty box."""
        self.anonymizer = anonymizer
        self.thread = thread
        self.configurable = configurable
        """The caller's own keys of `config["configurable"]`, for tools that work on real values."""
        self.channels: Mapping[str, Any] = {}
        """The channels of the agent's state."""
        self.box = anonymizer.pipeline.new_box()
        self._vault = vault
        self._saved: tuple[str, str | None] = (self.box.model_dump_json(), None)
        self._lock = threading.RLock()
        self._known: OrderedDict[bytes, None] = OrderedDict()
        self._formulas: set[str] = set()
        """Digests of what the model has written in double braces."""
        self.told = ""
        """What the model is told of formulas."""

    def take(self, saved: str | None) -> None:
        """Take the box that a state holds, unless it is the one at hand.

        Raises:
            SealError: it is another thread's, or the thread was forgotten.
        """
        with self._lock:
            if saved and saved != self._saved[1]:
                content = self._open(saved)
                self.box = PrivacyBox.model_validate_json(content)
                self._saved = (content, saved)

    def save(self) -> str | None:
        """Return the box for the state, or None if the state has it already."""
        with self._lock:
            content = self.box.model_dump_json()
            if content == self._saved[0]:
                return None
            saved = self._seal(content)
            self._saved = (content, saved)
            return saved

    def seal_text(self, text: str) -> str:
        """Seal a string; one without a letter or digit, or sealed already, stays as it is."""
        if not any(char.isalnum() for char in text) or (_SEALED.fullmatch(text) and self.is_sealed(text)):
            return text
        return f"[sealed:{self._seal(text)}]"

    def unsealed(self, text: str) -> str:
        """Return a string with the real values, unless the whole of it is sealed."""
        if _SEALED.fullmatch(text) and self.is_sealed(text):
            return text
        return self._in_full(text, formulas=False)

    def seal_value(self, value: Any) -> Any:
        """Seal every string in a value."""
        return map_value(value, self.seal_text)

    def open_text(self, text: str) -> str:
        """Open what is sealed in a string."""
        return _SEALED.sub(lambda match: self._opened(match) or match[0], text)

    def is_sealed(self, text: str) -> bool:
        """Return whether something in a string is sealed: what only looks like it is text like any other."""
        return any(self._opened(match) is not None for match in _SEALED.finditer(text))

    def hide(self, text: str, *, system: bool = False, named: bool = False, given: bool = True) -> str:
        """Put placeholders into a raw string; the box grows.

        Args:
            text: the string.
            system: whether it is a system prompt.
            named: whether it is what user or system says, so that addresses may lead to the hosts in it.
            given: whether it is no text of the model's, so that what stands there in double braces is no formula.
        """
        if not any(char.isalnum() for char in text):
            return text
        with self._lock, Quiet() as quiet:
            # A private model's call is no business of the run's callbacks.
            hosts, braces = set(self.box.hosts), set(self.box.braces)
            extend = partial(self.anonymizer.extend, text.replace("\x00", "\ufffd"), self.box, system=system)
            # What a user says may ask; nobody asks in a system prompt, nor in what a tool gave.
            known = {entry.surface for entry in self.box.entries}
            view = quiet.run(partial(extend, query=None if named and not system else ""))
            if any(one.needed and one.text in known for one in view.entities):
                view = quiet.run(extend)  # What the conversation hides already stays hidden.
            hidden = view.text
            self.box.hosts = self.box.hosts if named else hosts
            # A tool may repeat a formula of the model's.
            self.box.braces = braces | (self.box.braces - self._formulas if given else set())
            self.note(hidden)
            return hidden

    def name_hosts(self, value: Any) -> None:
        """Let addresses lead to the hosts that the caller has named, in whatever he gives."""
        with self._lock:
            for text in strings(value):
                self.box.hosts |= hosts_in(text)

    def settle(self, text: str, *, system: bool = False, named: bool = False) -> str:
        """Turn what is sealed in a string into placeholders; another string stays as it is. See `hide`."""
        return self.hide(self.open_text(text), system=system, named=named) if self.is_sealed(text) else text

    def model_ready(self, text: str, guard: Guard, *, system: bool = False, named: bool = False) -> str:
        """Return a string as the model may see it: one that is not known as anonymized is anonymized.

        Args:
            text: sealed, with placeholders, or raw, whoever has put it there.
            guard: of the values known so far.
            system: whether it is a system prompt.
            named: see `hide`.
        """
        if self.is_sealed(text):
            return self.settle(text, system=system, named=named)
        if self._digest(text) in self._known and not guard.find(text):
            return text
        return self.hide(self._in_full(text, formulas=False), system=system, named=named, given=named)

    def show(self, text: str) -> str:
        """Return a string with the real values, but for those that a foreign address would carry away."""
        return self._opened_up(text, self.anonymizer.options.restoring)

    def in_full(self, text: str) -> str:
        """Return a string with all real values, for what stays inside."""
        return self._in_full(text)

    def _in_full(self, text: str, *, formulas: bool | None = None) -> str:
        """Return a string with all real values; what formulas give is nothing that a model may see."""
        return self._opened_up(text, self.anonymizer.options.restoring._replace(hosts=None), formulas)

    def _opened_up(self, text: str, how: Restoring, formulas: bool | None = None) -> str:
        parts, at = [], 0
        with self._lock if "{{" in text else nullcontext():
            for match in _SEALED.finditer(text):
                if (opened := self._opened(match)) is not None:
                    parts += [self.box.restore(text[at : match.start()], how, formulas=formulas).text, opened]
                    at = match.end()
            return "".join([*parts, self.box.restore(text[at:], how, formulas=formulas).text])

    def tell(self, texts: Iterable[str]) -> str:
        """Return the lines that tell the model of formulas, for what the box holds now.

        Args:
            texts: what the user says, with placeholders.
        """
        with self._lock:
            self.told = self.anonymizer.pipeline.tell("\n".join(texts), self.box)
        return self.told

    def without_lines(self, text: str) -> str:
        """Return a string without the lines on formulas."""
        return text.replace(self.told, "").rstrip("\n") if self.told and self.told in text else text

    def show_value(self, value: Any) -> Any:
        """Return a value with the real values, without the middleware's own keys."""
        return map_value(value, self.show, drop_own=True)

    def wrote(self, text: str) -> None:
        """Remember a string that the model has written."""
        self.note(text)
        if self.box.formulas and "{{" in text:
            from gama.privacy.reckoning import braces_in

            self._formulas |= braces_in(text)

    def note(self, text: str) -> None:
        """Remember that a string is anonymized."""
        with self._lock:
            self._known[self._digest(text)] = None
            while len(self._known) > _KNOWN:
                self._known.popitem(last=False)

    def guard(self) -> Guard:
        """Return what searches for the values of the box."""
        return self.box.guard((self.told,) if self.told else ())

    def odd(self, texts: Iterable[str]) -> tuple[list[str], dict[str, int]]:
        """Return what in some texts is not restored: what reads as a placeholder and is none, and values by kind.

        These are the values that would be put into addresses that lead to hosts which nobody has named.
        """
        with self._lock:
            found = [self.anonymizer.restore(text, self.box) for text in texts]
        unresolved = list(dict.fromkeys(token for one in found for token in one.unresolved))
        return unresolved, dict(Counter(kind for one in found for kind in one.withheld))

    def _digest(self, text: str) -> bytes:
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()

    def _seal(self, text: str) -> str:
        sealed = self._vault.seal(self.thread, text.encode("utf-8", "surrogatepass"))
        return base64.b64encode(sealed.ct).decode("ascii")

    def _open(self, token: str) -> str:
        sealed = Sealed(ct=base64.b64decode(token))
        return self._vault.open(self.thread, sealed).decode("utf-8", "surrogatepass")

    def _opened(self, match: "re.Match[str]") -> str | None:
        try:
            return self._open(match[1])
        except (SealError, binascii.Error, UnicodeDecodeError):
            return None
