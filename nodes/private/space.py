"""`PrivateSpace`: what the private nodes work with, made once and shared by all runs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

from langgraph.config import get_config
from langgraph.runtime import Runtime
from pydantic import BaseModel, TypeAdapter

from gama.privacy.box import PrivacyBox
from gama.privacy.decide import reckoning
from gama.privacy.pipeline import Pipeline
from gama.privacy.question import without_halves
from gama.state.entities import Entity, Span
from gama.state.errors import OptionError
from gama.state.options import Options
from gama.state.private import FoundSpan, GamaState
from gama.state.private_text import PrivateText, Sealed
from gama.tools.domains.packs import Pack
from gama.tools.experts.toolbox import all_packs
from gama.vault.seal import Vault

BUILD_ONLY = frozenset({"tools", "mcp", "domain_packs", "tool_calls", "tool_chars", "tool_seconds", "policy"})
"""Options that no run's context changes."""

_ENTITIES = TypeAdapter(list[Entity])


@dataclass(frozen=True)
class PrivateSpace:
    """The vault and the engine of the private space."""

    vault: Vault
    pipeline: Pipeline
    """The engine; its options hold where a run gives none."""
    packs: Callable[[], tuple[Pack, ...]] = tuple
    """Gives the domain packs."""

    @classmethod
    def of(cls, options: Options, vault: Vault) -> "PrivateSpace":
        """Put the private space together as the options say."""
        # Packs are read when the graph is built: no run's context changes them.
        return cls(vault, Pipeline(options), lru_cache(maxsize=1)(partial(all_packs, options)))

    def for_steps(self) -> "PrivateSpace":
        """Return the same space for the steps of a run: it makes no keys, so no step revives what was forgotten."""
        return replace(self, vault=self.vault.for_steps())

    @property
    def options(self) -> Options:
        """The options that hold where a run gives none."""
        return self.pipeline.options

    def engine(self, runtime: Runtime[Options]) -> Pipeline:
        """Return the engine under the options of a run; see `settings`."""
        return self.pipeline.under(self.settings(runtime))

    def settings(self, runtime: Runtime[Options]) -> Options:
        """Return the options of a run: what its context names, else what the graph was built with; with formulas.

        Servers send a context of defaults; only what it sets counts.

        Raises:
            OptionError: together they let the raw text leave without consent; or the context names tools, servers or
                packs of its own: they start programs and read files, so only whoever builds the graph may name them.
        """
        context = runtime.context
        if context is None:
            return reckoning(self.options)
        for name in BUILD_ONLY & context.model_fields_set:
            if getattr(context, name) not in (getattr(self.options, name), Options.model_fields[name].default):
                raise OptionError(f"option {name!r}: it is set where the graph is built, not by the context of a run")
        return reckoning(self.options.model_copy(update=context.named(BUILD_ONLY)).checked())

    def question(self, state: GamaState) -> PrivateText:
        """Open the task; halves of characters in it become U+FFFD, since no request could carry them."""
        opened = self.vault.open(state["thread"], state["sealed_question"])
        return PrivateText(without_halves(opened.decode("utf-8", "surrogatepass")))

    def entities(self, state: GamaState) -> list[Entity]:
        """Open the mentions."""
        return _ENTITIES.validate_json(self.vault.open(state["thread"], state["sealed_entities"]))

    def seal_entities(self, state: GamaState, entities: list[Entity]) -> Sealed:
        """Seal the mentions."""
        return self.vault.seal(state["thread"], _ENTITIES.dump_json(entities))

    def box(self, state: GamaState, options: Options) -> PrivacyBox:
        """Open the conversation's box, or start one."""
        if sealed := state.get("sealed_box"):
            return PrivacyBox.model_validate_json(self.vault.open(state["thread"], sealed))
        return PrivacyBox.of(options)

    def kept_box(self, state: GamaState, options: Options) -> tuple[int | None, PrivacyBox]:
        """Open the box that a conversation keeps over all its turns and branches, with its version.

        A checkpoint knows the entities of its own branch only; two branches would give one placeholder to two
        entities. A run without a saver has no later turns: it has the box of its state, and no version.
        """
        if not _has_saver():
            return None, self.box(state, options)
        version, content = self.vault.load_box(state["thread"])
        return version, PrivacyBox.model_validate_json(content) if content else self.box(state, options)

    def keep_box(self, state: GamaState, version: int | None, box: PrivacyBox) -> bool:
        """Keep the conversation's box; return whether no other run of it has kept one since `version`."""
        return version is None or self.vault.save_box(state["thread"], version, box.model_dump_json().encode())

    def seal_model(self, state: GamaState, value: BaseModel) -> Sealed:
        """Seal a model."""
        return self.vault.seal(state["thread"], value.model_dump_json().encode())


def _has_saver() -> bool:
    """Return whether the running graph keeps checkpoints."""
    try:
        configurable: dict[str, Any] = get_config().get("configurable") or {}
    except RuntimeError:
        return False
    return bool(configurable.get("__pregel_checkpointer"))


def to_state(spans: Sequence[Span]) -> list[FoundSpan]:
    """Write spans as plain objects for the state."""
    return [FoundSpan(**span._asdict()) for span in spans]  # type: ignore[typeddict-item]


def from_state(found: Sequence[FoundSpan]) -> list[Span]:
    """Read spans back."""
    return [Span(**span) for span in found]  # type: ignore[arg-type]
