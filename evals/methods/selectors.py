"""Methods that tell which private mentions a query needs: the product's own, and the two that ask nobody."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol, cast

from gama.evals.methods.base import digest
from gama.evals.methods.listing import Demonstrated, Lister
from gama.evals.methods.pipeline import Pipeline
from gama.evals.metrics.subjects import normal
from gama.evals.piibench.demonstrations import Demonstration, shown
from gama.models.embedded import WEIGHTS
from gama.privacy.anonymizer import Anonymizer
from gama.privacy.finders import Complete, private_llm
from gama.state.entities import TYPE_OF, Entity
from gama.state.errors import OptionError
from gama.state.options import Options, Strategy


class Selector(Protocol):
    """Tells which private mentions a query needs. One instance serves many texts, one after the other."""

    name: str
    """As the tables show it."""
    about: str
    """One line on what it is."""

    def needed(self, text: str, query: str, entities: Sequence[Entity]) -> list[Entity]:
        """Return the same mentions, those of them `needed` that the query needs as they stand.

        Args:
            text: The text, never empty.
            query: What is asked about it.
            entities: Its mentions; those that are not private are not chosen among.
        """
        ...


class Fixed:
    """Keeps all that is private, or nothing."""

    def __init__(self, name: str, about: str, *, keep: bool) -> None:
        """Make it.

        Args:
            name: As the tables show it.
            about: One line on what it is.
            keep: Whether all is kept.
        """
        self.name, self.about, self._keep = name, about, keep

    def needed(self, text: str, query: str, entities: Sequence[Entity]) -> list[Entity]:
        """Return the mentions, all private ones or none of them needed."""
        return [one.model_copy(update={"needed": self._keep and one.private}) for one in entities]


class Gold:
    """Keeps what the annotation says: 1 by definition where the spans are given, else the most that finding allows."""

    name, about = "gold", "a reference: of the mentions it is shown it keeps those that the annotation names"

    def __init__(self, annotated: Mapping[tuple[str, str], Iterable[str]]) -> None:
        """Take the surfaces that are needed, by text and query."""
        self._annotated = {key: frozenset(map(normal, surfaces)) for key, surfaces in annotated.items()}

    def needed(self, text: str, query: str, entities: Sequence[Entity]) -> list[Entity]:
        """Return the mentions, those needed whose surface is annotated; none in a text that is not known."""
        wanted = self._annotated.get((text, query), frozenset())
        return [one.model_copy(update={"needed": one.private and normal(one.text) in wanted}) for one in entities]


class Product:
    """What the product itself would keep, by one of its strategies."""

    def __init__(self, name: str, about: str, options: Options) -> None:
        """Load what it works with.

        Args:
            name: As the tables show it.
            about: One line on what it is.
            options: Of the pipeline, the strategy among them.

        Raises:
            ModelUnreachable: The weights are missing or damaged.
            OptionError: The private LLM is hosted and not trusted.
        """
        self.name, self.about = name, about
        self.notes: list[str] = []
        """What went otherwise than usual in the last text, without private text."""
        self._facts = dict(Pipeline(name, about, options).facts())
        self._engine = Anonymizer(options).pipeline
        if options.select == "embedded":
            # Before the work, not in the midst of it.
            self._engine.finders.selector()
            self._facts["selector_sha256"] = digest(WEIGHTS / "select.onnx")

    def facts(self) -> Mapping[str, str]:
        """Return the hash of the embedded selector, where it is the one, and what `Pipeline.facts` tells."""
        return self._facts

    def needed(self, text: str, query: str, entities: Sequence[Entity]) -> list[Entity]:
        """Ask the product."""
        self.notes = []
        return self._engine.select(text, query, entities, self.notes)


FIXED = {
    "all hidden": "nothing is kept: everything private is masked, whatever is asked",
    "none hidden": "everything private is kept",
}

VOTES = 5
"""How often `sc_vote` asks where the option `select_votes` does not say more than once."""

STRATEGIES: Mapping[str, str] = {
    "embedded": "the embedded model, no private LLM",
    "naive": "the private LLM is asked directly",
    "choice": "the private LLM is shown the mentions to choose from; the default beside one",
    "self_cot": "the private LLM reasons step by step, then answers",
    "auto_cot": "the private LLM is shown worked examples first",
    "self_consistency": "the private LLM thinks from several perspectives, then sums up",
    "ps_cot": "the private LLM makes a plan, then follows it",
}
"""The product's strategies (spec 03 §3.7), as its option `select` names them."""

VARIANTS: Mapping[str, str] = MappingProxyType({
    "auto_cot_generated": "auto_cot, its worked examples made by the model of diverse queries of the same data",
    "sc_vote": f"true self-consistency: self_cot, {VOTES} times or as --select-votes says, the majority counts",
})  # fmt: skip
"""Further ways to ask the private LLM, for measurements only."""


Examples = Callable[[], list[Demonstration]]
"""Gives the worked examples of `auto_cot_generated`, made once."""


def choose(
    options: Options, names: Sequence[str] | None = None, *, with_names: bool = False, examples: Examples | None = None
) -> list[Selector]:
    """Make selectors.

    Args:
        options: Of the pipeline.
        names: Names from `FIXED`, `STRATEGIES` and `VARIANTS` (a hyphen may stand for a space), the first of which
            the others are compared with; None takes the fixed ones, `embedded`, and `choice` beside a private LLM.
        with_names: Whether persons' names may be kept too, which the product never does by default.
        examples: Gives the worked examples of `auto_cot_generated`.

    Raises:
        OptionError: A name is unknown or given twice, or a strategy needs a private LLM and none is named.
        ModelError: A model cannot be loaded.
    """
    known = (*FIXED, *STRATEGIES, *VARIANTS)
    usual = [*FIXED, "embedded", *(["choice"] if options.private_model is not None else [])]
    chosen = usual if names is None else [name.replace("-", " ") if name not in known else name for name in names]
    for name in chosen:
        if name not in known:
            raise OptionError(f"option --methods: unknown method {name!r}; known methods: {', '.join(known)}")
        if name not in (*FIXED, "embedded") and options.private_model is None:
            raise OptionError(f"option --methods: {name!r} needs a private LLM: name one with --private")
        if chosen.count(name) > 1:
            raise OptionError(f"option --methods: {name!r} is named twice")
    if not chosen:
        raise OptionError(f"option --methods: name at least one of {', '.join(known)}")
    if with_names:
        never = tuple(kind for kind in options.select_never if "PER" not in (kind, TYPE_OF.get(kind)))
        options = options.model_copy(update={"select_never": never})
    return [_make(name, options, examples) for name in chosen]


def _make(name: str, options: Options, examples: Examples | None) -> Selector:
    if name in FIXED:
        return Fixed(name, FIXED[name], keep=name == "none hidden")
    if name == "auto_cot_generated":
        return Demonstrated(name, VARIANTS[name], _llm(options), options, _shown(examples))
    strategy, votes = asking(name, options)
    about = STRATEGIES.get(name) or VARIANTS[name]
    return Product(name, about, options.model_copy(update={"select": strategy, "select_votes": votes}))


def asking(name: str, options: Options) -> tuple[Strategy, int]:
    """Return the strategy of the private LLM behind a method's name, and how often it is asked."""
    if name == "sc_vote":
        return "self_cot", options.select_votes if options.select_votes > 1 else VOTES
    return cast("Strategy", "auto_cot" if name == "auto_cot_generated" else name), options.select_votes


def listers(options: Options, names: Sequence[str], examples: Examples | None = None) -> list[Lister]:
    """Return those of some methods that list what a query needs by themselves: the strategies of the private LLM."""
    found = []
    for name in names:
        if name not in (*FIXED, "embedded") and name in (*STRATEGIES, *VARIANTS):
            strategy, votes = asking(name, options)
            shown = _shown(examples) if name == "auto_cot_generated" else None
            found.append(Lister(name, _llm(options), strategy, votes, shown))
    return found


def _llm(options: Options) -> Complete:
    complete = private_llm(options)
    if complete is None:
        raise OptionError("option --methods: name a private LLM with --private")
    return complete


def _shown(examples: Examples | None) -> Callable[[str], str]:
    if examples is None:
        raise OptionError("option --methods: 'auto_cot_generated' needs a data set of whose queries examples are made")
    return lambda text: shown(examples(), text)
