"""The desk of one run: by it the steps of a method ask the models, and tell what went otherwise than usual."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from string import Template
from typing import Any

from gama.guard.egress import Egress
from gama.guard.search import Guard
from gama.models.calls import PublicCall, PublicClient
from gama.models.json_replies import read_object
from gama.models.private import PrivateModel
from gama.models.wire import instruction
from gama.state.errors import LimitReached, ModelReplyError
from gama.state.private_text import PrivateText

LONGEST_SHOWN = 2_000
"""Characters of an unreadable reply that are shown to the model again."""

AGAIN = "YOUR LAST REPLY:\n{}\n\nIt cannot be used: {}. Reply again, with the JSON object alone."


@dataclass(eq=False)
class Desk:
    """What the steps of one run share. It is the run's egress, too.

    Baselines send what a user pastes, as published: their guard looks for nothing, unless a step that hides has set
    another (`guard`).
    """

    client: PublicClient
    """The public model."""
    private: PrivateModel | None
    """The local model, for steps that may see what is private."""
    left: int
    """Calls of the public model that the run may still make."""
    guard: Egress = field(default_factory=lambda: Guard(()))
    """What each request is searched by before it leaves."""
    notes: list[str] = field(default_factory=list)
    """What went otherwise than usual, without private text."""
    trace: dict[str, Any] = field(default_factory=dict)
    """What the plots need."""
    _said: list[str] = field(default_factory=list)

    def check(self, payload: str | bytes, quoted: Sequence[str] = ()) -> None:
        """Search what is about to leave; see `Egress`."""
        self.guard.check(payload, quoted)

    def note(self, text: str) -> None:
        """Note once what went otherwise than usual."""
        if text not in self.notes:
            self.notes.append(text)

    async def ask(
        self,
        role: str,
        prompt: str,
        parts: Mapping[str, str],
        *,
        trusted: bool = False,
        max_tokens: int | None = None,
    ) -> str:
        """Return the reply to a prompt.

        Args:
            role: who is asked, as notes call it.
            prompt: a template; its `$names` are filled from `parts`.
            parts: what is filled in.
            trusted: whether the role may see what is private: the private model is asked where there is one.
            max_tokens: tokens the reply may have.

        Raises:
            LimitReached: the run has made all its calls.
            ModelReplyError: the reply was empty, a refusal or withheld.
            ModelError: the model could not be had.
            LeakError: something private was in it; nothing was sent.
        """
        return await self._reply(_call(role, prompt, parts, max_tokens), trusted)

    async def try_ask(
        self,
        role: str,
        prompt: str,
        parts: Mapping[str, str],
        *,
        trusted: bool = False,
        max_tokens: int | None = None,
    ) -> str | None:
        """Return the reply to a prompt that the run can do without, or None, which is noted; see `ask`."""
        try:
            return await self.ask(role, prompt, parts, trusted=trusted, max_tokens=max_tokens)
        except ModelReplyError:
            self.note(f"{role}: no usable reply")
            return None

    async def read(
        self,
        role: str,
        prompt: str,
        parts: Mapping[str, str],
        schema: Mapping[str, Any],
        *,
        trusted: bool = False,
    ) -> dict[str, Any] | None:
        """Return the object that a prompt asks for; None where it could not be had, which is noted.

        One that cannot be read is asked for once more. See `ask`.

        Args:
            role: who is asked.
            prompt: a template.
            parts: what is filled in.
            schema: of the object; see `gama.models.json_replies`.
            trusted: whether the role may see what is private.
        """
        call = replace(_call(role, prompt, parts), schema=schema)
        try:
            for _ in range(2):
                reply = await self._reply(call, trusted)
                found = read_object(reply, schema)
                if found.data is not None:
                    return found.data
                told = AGAIN.format(reply[:LONGEST_SHOWN], found.problem)
                call = replace(call, user=f"{call.user}\n\n{told}", said=(*call.said, reply[:LONGEST_SHOWN]))
        except ModelReplyError:
            pass
        self.note(f"{role}: no readable reply")
        return None

    async def _reply(self, call: PublicCall, trusted: bool) -> str:
        if trusted and self.private is not None:
            asked = call.user if call.schema is None else f"{call.user}\n\n{instruction(call.schema)}"
            own = await self.private.acomplete([{"role": "user", "content": PrivateText(asked)}])
            if not own.reveal():
                raise ModelReplyError("The private model gave an empty answer.")
            return own.reveal()
        if trusted:
            self.note(f"{call.role}: there is no private model, so the public one saw what is private")
        if self.left < 1:
            raise LimitReached("The task has made all its calls to the public model. Raise max_calls.")
        self.left -= 1
        # What the public side wrote before is no leak, whatever it says.
        reply = await self.client.acomplete(replace(call, said=(*call.said, *self._said)))
        self._said.append(reply.text)
        if reply.unfinished:
            self.note(f"{call.role}: a reply stopped at the limit of tokens")
        return reply.text


def _call(role: str, prompt: str, parts: Mapping[str, str], max_tokens: int | None = None) -> PublicCall:
    user = Template(prompt).substitute(parts)
    return PublicCall(role=role, system="", user=user, task="", said=(prompt,), max_tokens=max_tokens)
