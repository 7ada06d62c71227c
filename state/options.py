"""`Options`: everything a user may choose, as the context of the graphs and in Studio.

Defaults come from the sources named beside them; environment variables `GAMA_*` override the
defaults of the models (`Options.from_env`).
"""

import os
from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from gama.state.entities import SUBTYPES, TYPE_OF
from gama.state.errors import OptionError
from gama.state.restoring import Place, Restoring, Unknown
from gama.state.task import DisproofMode, Route, TopKMode

FINDERS: Mapping[str, str] = {
    "patterns": "the built-in recognizers, those of plugins and your own",
    "embedded": "the embedded tagger",
    "huggingface": "huggingface:NAME, a token-classification checkpoint",
    "presidio": "the pattern recognizers of presidio-analyzer",
    "gliner": "gliner:NAME, a GLiNER checkpoint",
}
"""What view 1 can be made of."""

ModelChoice = Annotated[Any, WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "null"}]})]
"""A model by name, as LangChain names them, or a ready `BaseChatModel`."""

FROM_ENVIRONMENT = (
    "public_model", "public_base_url", "private_model", "private_base_url", "max_tokens", "max_cost", "prices",
    "rate_limit_per_minute", "max_concurrent", "trace",
    "public_graph",
)  # fmt: skip
"""Options that an environment variable may set: `GAMA_` and the name in capitals."""

LISTS_FROM_ENVIRONMENT = ("tools", "mcp", "domain_packs")
"""Options of which the same holds; the variable is a list with `;` between."""


Thresholds = Annotated[
    tuple[tuple[str, Annotated[float, Field(ge=0, le=1)]], ...],
    BeforeValidator(lambda value: tuple(sorted(value.items())) if isinstance(value, Mapping) else value),
    WithJsonSchema({"type": "object", "additionalProperties": {"type": "number", "minimum": 0, "maximum": 1}}),
]
"""Numbers by type or subtype: given as a mapping, kept as pairs, so that options can be compared and hashed."""


Strategies = Annotated[
    tuple[tuple[str, str], ...],
    BeforeValidator(
        lambda value: (
            (("all", value),)
            if isinstance(value, str)
            else tuple(sorted(value.items()))
            if isinstance(value, Mapping)
            else value
        )
    ),
    WithJsonSchema({"type": "object", "additionalProperties": {"type": "string"}}),
]
"""Names of styles by type, subtype or `all`: given as a mapping, or as one name for all; kept as pairs."""


Strategy = Literal["naive", "choice", "self_cot", "auto_cot", "self_consistency", "ps_cot"]
"""How a private LLM is asked what a query needs (PII-Bench §3.7)."""
Selection = Literal["auto", "embedded", Strategy, "off"]
"""Who tells what a query needs."""

RAW_REFUSED = (
    "without anonymization (ampp=False, or what ablation_mode 'cumulative' takes off with drke or dle) the raw text "
    "with everything private in it goes to the public model. It is refused unless you also set option 'allow_raw'."
)


class Switches(NamedTuple):
    """Which modules run (spec 01 §1.10), after the mode of the ablation."""

    ampp: bool
    drke: bool
    dle: bool


class Options(BaseModel):
    """What a user may choose. Bad values raise `OptionError`, naming the option and what it accepts."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True, hide_input_in_errors=True)

    # Models
    public_model: ModelChoice = Field(
        default=None,
        title="Public model",
        description="Hosted model that solves the anonymized task, such as openai:gpt-4o or ollama:llama3.1:8b. "
        "Empty: the built-in stand-in reader.",
    )
    public_base_url: str | None = Field(
        default=None, title="Public base URL", description="Address of an OpenAI-compatible server."
    )
    public_graph: str | None = Field(
        default=None,
        title="Machine of the public graph",
        description="Address of a LangGraph server that runs the graph `public`: nothing of the public side then runs "
        "in this process.",
    )
    private_model: ModelChoice = Field(
        default=None,
        title="Private model",
        description="Local LLM that takes over the private agents, such as ollama:llama3.1:8b or huggingface:PATH. "
        "Empty: the embedded encoder.",
    )
    private_base_url: str | None = Field(
        default=None, title="Private base URL", description="Address of the private model's server, on your machine."
    )
    trust_private_model: bool = Field(
        default=False,
        title="Trust a hosted private model",
        description="A hosted model named as private sees the raw text; it is refused unless this is set.",
    )

    # Identification (spec 01 §1.3)
    pner: tuple[str, ...] = Field(
        default=("patterns", "embedded"),
        min_length=1,
        title="Finders",
        description="What view 1 is made of: `patterns`, `embedded`, `huggingface:NAME` (a token-classification "
        "checkpoint), `presidio`, `gliner:NAME`.",
    )
    weights: str | None = Field(
        default=None, title="Weights", description="Folder of an embedded tagger that you trained yourself."
    )
    recognizers: str | None = Field(
        default=None, title="Recognizers", description="YAML file with patterns and lists of your own."
    )
    disable: tuple[str, ...] = Field(default=(), title="Disabled", description="Recognizers or plugins not to run.")
    keep: tuple[str, ...] = Field(
        default=(), title="Types that stay", description="Types or subtypes never hidden, such as DATETIME or age."
    )
    thresholds: Thresholds = Field(
        default=(),
        title="Thresholds",
        description="For a type or subtype, the least probability of being private at which it is hidden "
        "(0.5 where none is given).",
    )
    pia_mode: Literal["extract", "filter"] = Field(
        default="extract",
        title="PIA mode",
        description="With a private LLM: `extract` lists private spans freely, `filter` judges candidates.",
    )
    fusion: Literal["auto", "agent", "rule", "union", "intersection"] = Field(
        default="auto",
        title="Fusion",
        description="How views that disagree are settled (Eq. 3): `auto` asks the private LLM if there is one, "
        "else the rules.",
    )
    contextual_random_rate: float = Field(
        default=0.0, ge=0, le=1, title="Contextual random rate",
        description="Share of public persons that are hidden all the same, to blur the context.",
    )  # fmt: skip
    contextual_scope: Literal["full_span", "first_token"] = Field(
        default="full_span",
        title="Contextual scope",
        description="How much of such a name: all of it, or its first word.",
    )
    seed: int = Field(default=0, title="Seed", description="Seed of every random choice.")
    default_region: str | None = Field(
        default=None, pattern="^[A-Z]{2}$", title="Region",
        description="Country code, such as DE, in whose national form telephone numbers may stand.",
    )  # fmt: skip
    deny: tuple[str, ...] = Field(
        default=(), repr=False, title="Always hide", description="Texts that are always private."
    )
    allow: tuple[str, ...] = Field(default=(), title="Never hide", description="Texts that are never private.")

    # Selection: what a query needs stays in clear (PII-Bench, spec 03 §3.1, §3.7)
    select: Selection = Field(
        default="auto",
        title="Selection",
        description="Who tells what a query needs. `embedded`: the embedded model; `naive`, `choice`, `self_cot`, "
        "`auto_cot`, `self_consistency`, `ps_cot`: the private LLM, so prompted; `auto`: `choice` if there is one, "
        "else the embedded model; `off`: nothing is left in clear.",
    )
    select_votes: int = Field(
        default=1, ge=1, le=25, title="Votes", description="How often the private LLM is asked; the majority counts."
    )
    select_never: tuple[str, ...] = Field(
        default=("PER", "password", "password_hash", "api_key", "crypto_wallet"),
        title="Never left in clear",
        description="Types or subtypes that are hidden even where the query needs them. A placeholder does for a name.",
    )

    # Placeholders (spec 01 §1.4)
    style: Literal["v2", "v1"] = Field(
        default="v2", title="Placeholder style", description="`v2` writes <name-1>, `v1` writes <<name-1>>."
    )
    strategies: Strategies = Field(
        default=(),
        title="Placeholder strategies",
        description="How values are written, by type, subtype or `all`: `tag` (<name-1>, the default), `enriched` "
        "(<location-1 country=PL>), `surrogate` (another name or number), `irreversible` (<name>, never restored), or "
        "the style of a plugin.",
    )
    index_order: Literal["appearance", "alphabetical", "random"] = Field(
        default="appearance", title="Index order", description="The order in which values are numbered."
    )
    ignore_case: bool = Field(default=False, title="Ignore case", description="Also replace other spellings in case.")
    restore: Literal["tolerant", "strict"] = Field(
        default="tolerant", title="Restoring",
        description="`tolerant` also restores placeholders that the model wrote otherwise, `strict` exact ones only.",
    )  # fmt: skip
    restore_place: Place = Field(
        default="auto",
        title="What an answer is",
        description="Values are escaped for where they land: `auto` where that is certain (JSON, XML and HTML "
        "documents, fenced code, URLs), `plain` never, else what every answer is.",
    )
    restore_unknown: Unknown = Field(
        default="keep",
        title="Unknown placeholders",
        description="What becomes of half placeholders and those that a model has invented: left, taken out, or marked "
        "as `[unknown name]`. They are reported either way.",
    )
    restore_grammar: bool = Field(
        default=True,
        title="Mend grammar",
        description="Undo doubled possessives; common nouns that begin a sentence get their capital.",
    )

    # Domains (spec 01 §1.5)
    k: int = Field(default=3, ge=1, le=20, title="Experts", description="Number of domain experts (Top-K).")
    alpha: float = Field(default=0.95, ge=0, le=1, title="Alpha", description="Weight of R_ho in Eq. 9.")
    topk_mode: TopKMode = Field(
        default="paper", title="Top-K mode",
        description="How the K experts are chosen (Eqs. 9, 10): as the paper writes it, as its code does, or by "
        "a least membership.",
    )  # fmt: skip
    high_order: int = Field(default=5, ge=1, le=50, title="High-order domains", description="N of Eq. 7.")
    prompts: str | None = Field(default=None, title="Prompt folder", description="Folder with templates of your own.")

    # Routing and decomposition (spec 01 §1.6)
    route: Route = Field(
        default="both",
        title="Route",
        description="`both`: domain experts, then disproof. `knowledge`: sub-questions, each with experts of its own "
        "and checked, put together and looked over. `logic`: solved and substituted back. `auto`: three votes decide "
        "between the two.",
    )
    max_checks: int = Field(
        default=4, ge=0, le=20, title="Checks of a sub-question", description="On the knowledge route; 0: none."
    )
    # What the experts may use; only whoever builds the graph can set these, no run's context.
    tools: tuple[str, ...] = Field(
        default=(),
        title="Expert tools",
        description="Tools that the public experts may call, by name: calculator, puzzle, documents, or a plugin's.",
    )
    mcp: tuple[str, ...] = Field(
        default=(),
        title="MCP servers",
        description="MCP servers whose tools the public experts may call: command lines, or URLs of streamable HTTP. "
        "What they return goes to the public model.",
    )
    domain_packs: tuple[str, ...] = Field(
        default=(), title="Domain packs", description="Folders or YAML files with domains of your own."
    )
    tool_calls: int = Field(default=4, ge=0, le=50, title="Tool calls", description="For each expert.")
    tool_chars: int = Field(
        default=8_000, ge=100, le=200_000, title="Longest tool result", description="In characters; the rest is cut."
    )
    tool_seconds: float = Field(default=20.0, gt=0, le=600, title="Tool timeout", description="Seconds for one call.")

    # Disproof (spec 01 §1.8)
    disprove: DisproofMode = Field(
        default="v1",
        title="Disproof",
        description="`v1` hunts a contradiction in the answer until none is found; `v2` tests rival answers until one "
        "is contradicted (route `both`). `off` also switches off the checks of the other routes.",
    )
    max_rounds: int = Field(
        default=3, ge=0, le=20, title="Rounds of disproof", description="At most; 0: the first answer is final."
    )

    # Ablation (spec 01 §1.10)
    ampp: bool = Field(
        default=True, title="Anonymization (AMPP)", description="Off: the RAW text leaves; needs `allow_raw` as well."
    )
    drke: bool = Field(
        default=True, title="Domain experts (DRKE)", description="Off: no domain rules, a single generic expert."
    )
    dle: bool = Field(default=True, title="Disproof (DLE)", description="Off: the first answer is final.")
    ablation_mode: Literal["independent", "cumulative"] = Field(
        default="independent",
        title="Ablation mode",
        description="`independent` takes off what is named; `cumulative`, the reading that fits the papers' tables: "
        "without DRKE is also without AMPP, without DLE also without both.",
    )
    allow_raw: bool = Field(
        default=False, title="Let the raw text leave", description="The second consent that a run without AMPP needs."
    )

    # Limits
    max_chars: int = Field(default=200_000, ge=1, le=50_000_000, title="Longest input", description="In characters.")
    max_calls: int = Field(default=64, ge=1, le=1000, title="Public calls", description="For one task.")
    timeout_s: float = Field(default=120.0, gt=0, le=3600, title="Timeout", description="Seconds for one model call.")
    max_tokens: int | None = Field(
        default=None, ge=1, title="Token budget", description="Tokens of the public model that one task may spend."
    )
    max_cost: float | None = Field(
        default=None, gt=0, title="Budget", description="US dollars that one task may spend on the public model."
    )
    prices: dict[str, Any] | str | None = Field(
        default=None, title="Prices",
        description="Prices that go before the built-in ones, or a file with them: for each model input and output, "
        "in US dollars for a million tokens.",
    )  # fmt: skip
    rate_limit_per_minute: int | None = Field(
        default=None, ge=1, title="Requests a minute", description="To the public model; more wait."
    )
    max_concurrent: int | None = Field(
        default=None, ge=1, title="Requests at a time", description="To the public model; more wait."
    )
    review: bool = Field(
        default=False,
        title="Review before it leaves",
        description="The graph stops before the airlock, shows the anonymized text, and waits for your answer: send, "
        "stop, or what to hide and show. Needs a graph that keeps its state (Studio does).",
    )
    trace: bool = Field(
        default=False,
        title="Trace the public side",
        description="Send LangSmith what the public graph does, each record checked first. The private side is never "
        "traced.",
    )
    recheck: Literal["mask", "stop"] = Field(
        default="mask",
        title="Second look",
        description="What happens when the detector finds something more in the text about to leave: "
        "`mask` replaces it as well, `stop` ends the run.",
    )

    @field_validator("keep", "thresholds", "strategies", "select_never")
    @classmethod
    def _known_types(cls, value: tuple[Any, ...], info: ValidationInfo) -> tuple[Any, ...]:
        named = {item if isinstance(item, str) else item[0] for item in value}
        more = {"all"} if info.field_name == "strategies" else set()
        unknown = sorted(named - set(SUBTYPES) - set(TYPE_OF) - more)
        if unknown:
            raise ValueError(
                f"unknown type {', '.join(map(repr, unknown))}; known types: {', '.join(SUBTYPES)}; "
                f"subtypes: {', '.join(sorted(TYPE_OF))}"
            )
        return value

    @field_validator("pner")
    @classmethod
    def _known_finders(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for name in value:
            engine, _, model = name.partition(":")
            if engine not in FINDERS or (engine == "huggingface" and not model):
                raise ValueError(f"unknown finder {name!r}; known: {', '.join(FINDERS)}")
        return value

    def __init__(self, **values: Any) -> None:
        """Check the values.

        Raises:
            OptionError: an option is unknown or out of range; names it and what it accepts.
        """
        try:
            super().__init__(**values)
        except ValidationError as error:
            message = _explain(error)
        else:
            return
        raise OptionError(message)

    @property
    def restoring(self) -> Restoring:
        """How placeholders are turned back into values."""
        return Restoring(self.restore, self.restore_place, self.restore_unknown, self.restore_grammar)

    @property
    def switches(self) -> Switches:
        """Which modules run, as the switches and the mode of the ablation say together."""
        ampp, drke, dle = self.ampp, self.drke, self.dle
        if self.ablation_mode == "cumulative":
            drke = drke and dle
            ampp = ampp and drke
        return Switches(ampp, drke, dle)

    @model_validator(mode="after")
    def _ask_for_consent(self) -> Self:
        if not self.switches.ampp and not self.allow_raw:
            raise ValueError(RAW_REFUSED)
        return self

    def checked(self) -> Self:
        """Return the options; for those that were put together of others, whose consent must hold together.

        Raises:
            OptionError: they let the raw text leave, and nobody has consented to it.
        """
        if not self.switches.ampp and not self.allow_raw:
            raise OptionError(RAW_REFUSED)
        return self

    @classmethod
    def from_env(cls, **values: Any) -> Self:
        """Take models, budgets, limits and tools from `GAMA_PUBLIC_MODEL` and its kin where no value is given."""
        for name in FROM_ENVIRONMENT:
            if values.get(name) is None and (found := os.environ.get(f"GAMA_{name.upper()}")):
                values[name] = found
        for name in LISTS_FROM_ENVIRONMENT:
            if values.get(name) is None and (found := os.environ.get(f"GAMA_{name.upper()}")):
                values[name] = tuple(item.strip() for item in found.split(";") if item.strip())
        return cls(**values)


def _explain(error: ValidationError) -> str:
    problems = []
    for item in error.errors(include_url=False, include_context=False, include_input=False):
        name = ".".join(str(part) for part in item["loc"] if not isinstance(part, int))
        if item["type"] == "extra_forbidden":
            problems.append(f"unknown option {name!r}; known options: {', '.join(Options.model_fields)}")
        elif not name:
            problems.append(item["msg"].removeprefix("Value error, "))
        else:
            problems.append(f"option {name!r}: {item['msg'].removeprefix('Value error, ')}")
    return "; ".join(problems)
