"""`PrivateSpace`: what the private nodes work with, made once and shared by all runs."""

import hashlib
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from time import perf_counter
from typing import Any, Protocol

from langgraph.config import get_config
from langgraph.runtime import Runtime
from pydantic import BaseModel, TypeAdapter

from gama.state.box import PrivacyBox
from gama.state.entities import Entity, Span
from gama.state.errors import OptionError
from gama.state.options import Options
from gama.state.private import FoundSpan, GamaState
from gama.state.private_text import PrivateText
from gama.state.sealed import Sealed
from gama.tools.domains.packs import Pack
from gama.vault.seal import Vault

Complete = Callable[[Sequence[Mapping[str, str | PrivateText]]], PrivateText]
"""A private LLM: takes chat messages (`role`, `content`), returns text."""

BUILD_ONLY = frozenset({"tools", "mcp", "domain_packs", "tool_calls", "tool_chars", "tool_seconds"})
"""Options that no run's context changes."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_ENTITIES = TypeAdapter(list[Entity])


class Finder(Protocol):
    """Finds spans in a text."""

    def __call__(self, text: str) -> list[Span]:
        """Return the spans."""


class Selector(Protocol):
    """Tells how probably a query needs what stands in a text."""

    threshold: float
    """From which probability on it is taken for needed."""

    def scores(self, text: str, query: str, stretches: Sequence[tuple[int, int]]) -> list[float]:
        """Return the probability of being needed for each stretch (start, end)."""


def embedded_selector() -> Selector:
    """Return the shipped selector, loaded once."""
    from gama.models.selector import embedded_selector

    return embedded_selector()


@dataclass(frozen=True)
class PrivateSpace:
    """The vault, the finders and the models of the private space."""

    vault: Vault
    options: Options
    """The options that hold where a run gives none."""
    patterns: Callable[[Options], Finder]
    """Gives the pattern recognizers as the options configure them."""
    tagger: Callable[[Options], Finder]
    """Gives the embedded tagger, the shipped one or one's own; its spans tell how probably they are private."""
    llm: Callable[[Options], Complete | None]
    """Gives the private LLM, or None where none is configured."""
    more: Callable[[Options], Sequence[Finder]] = lambda options: ()
    """Gives the other finders that the options name."""
    packs: Callable[[], tuple[Pack, ...]] = tuple
    """Gives the domain packs."""
    selector: Callable[[], Selector] = embedded_selector
    """Gives the embedded model that tells what a query needs."""
    _remembered: dict[str, list[Span]] = field(default_factory=dict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def settings(self, runtime: Runtime[Options]) -> Options:
        """Return the options of a run: what its context names, else what the graph was built with.

        Servers send a context of defaults; only what it sets counts.

        Raises:
            OptionError: together they let the raw text leave without consent; or the context names tools, servers or
                packs of its own: they start programs and read files, so only whoever builds the graph may name them.
        """
        context = runtime.context
        if context is None:
            return self.options
        for name in BUILD_ONLY & context.model_fields_set:
            if getattr(context, name) not in (getattr(self.options, name), Options.model_fields[name].default):
                raise OptionError(f"option {name!r}: it is set where the graph is built, not by the context of a run")
        named = {name: getattr(context, name) for name in context.model_fields_set - BUILD_ONLY}
        return self.options.model_copy(update=named).checked()

    def spans(self, text: str, options: Options) -> list[Span]:
        """Run patterns, tagger and what else is named, once per text: both views look at the same spans.

        What is remembered has a digest of the text for its key and offsets for its value, no text.
        """
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        key = ":".join(map(repr, (digest, *finding(options))))
        with self._lock:
            if (known := self._remembered.get(key)) is not None:
                return known
        sound = without_halves(text)
        finders = (self.patterns(options), self.tagger(options), *self.more(options))
        found = [span for find in finders for span in find(sound)]
        with self._lock:
            if len(self._remembered) >= 16:
                self._remembered.clear()
            self._remembered[key] = found
        return found

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
        return PrivacyBox(style=options.style, order=options.index_order, seed=options.seed)

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
        configurable = get_config().get("configurable") or {}
    except RuntimeError:
        return False
    return bool(configurable.get("__pregel_checkpointer"))


def without_halves(text: str) -> str:
    """Put a stand-in of the same length for halves of characters: no encoding has them, and no tokenizer takes them."""
    return _SURROGATE.sub("\ufffd", text)


def finding(options: Options) -> tuple[object, ...]:
    """Return the options that decide what is found in a text."""
    return (options.pner, options.weights, options.recognizers, options.disable, options.default_region)


class Node(Protocol):
    """A step of the private graph."""

    def __call__(self, state: GamaState, runtime: Runtime[Options], *, space: PrivateSpace) -> dict[str, Any]:
        """Return the update of the state."""


def timed(stage: str) -> Callable[[Node], Node]:
    """Add the seconds a node took to `timings`, under the name of its stage."""

    def decorate(node: Node) -> Node:
        @wraps(node)
        def run(state: GamaState, runtime: Runtime[Options], *, space: PrivateSpace) -> dict[str, Any]:
            began = perf_counter()
            update = node(state, runtime, space=space)
            return update | {"timings": {stage: perf_counter() - began}}

        return run

    return decorate


def to_state(spans: Sequence[Span]) -> list[FoundSpan]:
    """Write spans as plain objects for the state."""
    return [FoundSpan(**span._asdict()) for span in spans]  # type: ignore[typeddict-item]


def from_state(found: Sequence[FoundSpan]) -> list[Span]:
    """Read spans back."""
    return [Span(**span) for span in found]  # type: ignore[arg-type]
