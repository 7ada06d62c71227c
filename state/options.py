"""`Options`: everything a user may choose, as the context of the graphs and in Studio.

Each option is described here and nowhere else, as `gama.state.option_table` tells; the command line, HTTP, the
environment, the JSON schema and docs/options.md are made from it. Defaults come from the sources named beside them.
"""

from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import Field, ModelWrapValidatorHandler, ValidationInfo, field_validator, model_validator

from gama.state.errors import OptionError
from gama.state.option_table import (
    WITHOUT,
    Chosen,
    Model,
    Names,
    Policy,
    Strategies,
    Thresholds,
    kinds_of,
    known_finder,
    option,
)
from gama.state.restoring import Mode, Place, Restoring, Unknown
from gama.state.task import (
    Calls,
    Checks,
    Collapse,
    Cost,
    DisproofMode,
    DomainChoice,
    DomainSet,
    Earlier,
    Effort,
    Experts,
    HighOrder,
    PublicLimits,
    PublicTask,
    Rounds,
    Route,
    Tokens,
    TopKMode,
    Weight,
)

Strategy = Literal["naive", "choice", "self_cot", "auto_cot", "self_consistency", "ps_cot"]
"""How a private LLM is asked what a query needs (PII-Bench §3.7)."""
Selection = Literal["auto", "embedded", Strategy, "off"]
"""Who tells what a query needs."""
Privacy = Literal["auto", "strict", "balanced", "open"]
"""How much is hidden, the strictest level first; `auto` leaves it to the face."""

RAW_REFUSED = (
    "without anonymization (ampp=False, or what ablation_mode 'cumulative' takes off with drke or dle) the raw text "
    "with everything private in it goes to the public model. It is refused unless you also set option 'allow_raw'."
)

_DOMAINS, _LIMITS, _TASK, _RESTORING = DomainChoice(), PublicLimits(), PublicTask.model_fields, Restoring()


class Switches(NamedTuple):
    """Which modules run (spec 01 §1.10), after the mode of the ablation."""

    ampp: bool
    drke: bool
    dle: bool


class Options(Chosen):
    """What a user may choose. Bad values raise `OptionError`, naming the option and what it accepts.

    Example:
        >>> Options(k=5, keep=["age"]).k
        5
    """

    # Models
    public_model: Model = option(
        None, "Public model",
        "Hosted model that solves the anonymized task, such as openai:gpt-4o or ollama:llama3.1:8b. Empty: the "
        "built-in stand-in reader.",
        "Models", "ask serve mcp doctor", flags="--public -p", environment=True,
    )  # fmt: skip
    public_base_url: str | None = option(
        None, "Public base URL", "Address of an OpenAI-compatible server for the public model.",
        "Models", "ask serve mcp doctor", flags="--base-url", metavar="URL", environment=True,
    )  # fmt: skip
    public_graph: str | None = option(
        None, "Machine of the public graph",
        "Address of a LangGraph server that runs the graph `public`. Nothing of the public side then runs in this "
        "process.",
        "Models", "ask", metavar="URL", environment=True,
    )  # fmt: skip
    private_model: Model = option(
        None, "Private model",
        "Local LLM that takes over the private agents, such as ollama:llama3.1:8b or huggingface:PATH. Empty: the "
        "embedded encoder.",
        "Models", "ask anonymize serve mcp doctor eval", flags="--private", environment=True,
    )  # fmt: skip
    private_base_url: str | None = option(
        None, "Private base URL", "Address of the private model's server, on your machine.",
        "Models", "ask anonymize serve mcp doctor eval", metavar="URL", environment=True,
    )  # fmt: skip
    trust_private_model: bool = option(
        False, "Trust a hosted private model",
        "A hosted private model may see the raw text. It is refused unless this is set.",
        "Models", "ask anonymize serve mcp doctor eval", flags="--trust-private",
    )  # fmt: skip
    private_max_tokens: Annotated[int, Field(ge=16, le=32_768)] = option(
        1024, "Private reply",
        "Tokens that one reply of the private model may have. The paper's 256 cut most lists of private values short.",
        "Models", "ask anonymize serve mcp doctor eval",
    )  # fmt: skip
    private_max_length: Annotated[int, Field(ge=128)] | None = option(
        None, "Private prompt",
        "Tokens of prompt that a local checkpoint takes; a longer one is refused, never cut. Empty: what the "
        "checkpoint says. The paper's: 1024.",
        "Models", "ask anonymize serve mcp doctor eval",
    )  # fmt: skip
    private_temperature: Annotated[float, Field(ge=0, le=2)] = option(
        0.6, "Private temperature", "How freely the private model writes. 0: greedy, the likeliest word each time.",
        "Models", "ask anonymize serve mcp doctor eval",
    )  # fmt: skip
    private_device: str | None = option(
        None, "Private device",
        "Where a local checkpoint runs, as torch names it: cpu, cuda, cuda:1, mps. Empty: where it was loaded.",
        "Models", "ask anonymize serve mcp doctor eval", pattern="^[a-z]+(:[0-9]+)?$", metavar="DEVICE",
    )  # fmt: skip

    # What is hidden: identification (spec 01 §1.3)
    pner: Names = option(
        ("patterns", "embedded"), "Finders",
        "What view 1 is made of: `patterns`, `embedded`, `huggingface:NAME` (a token-classification checkpoint), "
        "`presidio` or `gliner:NAME`.",
        "What is hidden", "ask anonymize serve mcp eval", metavar="FINDER", min_length=1,
    )  # fmt: skip
    detector: Literal["auto", "embedded", "accurate"] = option(
        "auto", "Detector",
        "Which tagger reads the text. `embedded`: the small one; `accurate`: the larger one, which reads every script "
        "and is a package of its own (gama-privacy-accurate); `auto`: the small one, and where the larger one is "
        "installed, that for texts in other scripts than Latin, in Turkish and in Vietnamese.",
        "What is hidden", "ask anonymize serve mcp eval http",
    )  # fmt: skip
    weights: str | None = option(
        None, "Weights", "Folder of an embedded tagger that you trained yourself.",
        "What is hidden", "ask anonymize serve mcp", metavar="FOLDER",
    )  # fmt: skip
    recognizers: str | None = option(
        None, "Recognizers", "YAML file with patterns and lists of your own.",
        "What is hidden", "ask anonymize serve mcp eval", metavar="FILE",
    )  # fmt: skip
    disable: Names = option(
        (), "Disabled", "Recognizers or plugins not to run.",
        "What is hidden", "ask anonymize serve mcp eval", metavar="NAME",
    )  # fmt: skip
    deny: Names = option(
        (), "Always hide", "Texts that are always private.",
        "What is hidden", "ask anonymize serve mcp http", metavar="TEXT", repr=False,
    )  # fmt: skip
    allow: Names = option(
        (), "Never hide", "Texts that are never private.",
        "What is hidden", "ask anonymize serve mcp http", metavar="TEXT",
    )  # fmt: skip
    keep: Names = option(
        (), "Types that stay",
        "Types, subtypes or words of placeholders that are never hidden, such as DATETIME, age or location.",
        "What is hidden", "ask anonymize serve mcp http", metavar="TYPE",
    )  # fmt: skip
    thresholds: Thresholds = option(
        (), "Thresholds",
        "Least probability of being private at which a type, subtype or word of a placeholder is hidden. Where none "
        "is given: 0.5.",
        "What is hidden", "ask anonymize serve mcp eval http", flags="--threshold", metavar="TYPE=P",
    )  # fmt: skip
    pia_mode: Literal["extract", "filter"] = option(
        "extract", "PIA mode",
        "What a private LLM is asked for: `extract` lists private spans freely, `filter` judges candidates.",
        "What is hidden", "eval http", flags="--pia",
    )  # fmt: skip
    fusion: Literal["auto", "agent", "rule", "union", "intersection"] = option(
        "auto", "Fusion",
        "How views that disagree are settled (Eq. 3). `auto` asks the private LLM if there is one, else the rules. The "
        "LLM only adds to what is hidden without it; under `agent` it may let go what the detectors are not sure of.",
        "What is hidden", "ask anonymize serve mcp eval http",
    )  # fmt: skip
    contextual_random_rate: Weight = option(
        0.0, "Contextual random rate", "Share of public persons that are hidden all the same, to blur the context.",
        "What is hidden", "http",
    )  # fmt: skip
    contextual_scope: Literal["full_span", "first_token"] = option(
        "full_span", "Contextual scope", "How much of such a name is hidden. All of it, or its first word.",
        "What is hidden", "http",
    )  # fmt: skip
    default_region: str | None = option(
        None, "Region", "Country code, such as DE, in whose national form telephone numbers may stand.",
        "What is hidden", "ask anonymize serve mcp eval http", flags="--region", pattern="^[A-Z]{2}$",
    )  # fmt: skip
    seed: int = option(
        0, "Seed", "Seed of every random choice.", "What is hidden", "ask anonymize serve mcp eval http",
    )  # fmt: skip
    unknown_scripts: Literal["auto", "warn", "refuse", "allow"] = option(
        "auto", "Unknown scripts",
        "What becomes of text in a script that the detector has not learnt, such as Arabic or Han: names in it are "
        "found by rules and lists alone. `warn` tells it, `refuse` stops, `allow` does neither; `auto` refuses where "
        "nobody looks at what leaves (gateway, middleware, `--jsonl`), else warns.",
        "What is hidden", "ask anonymize serve mcp",
    )  # fmt: skip
    system: Literal["operator", "private"] = option(
        "operator", "System prompts",
        "Whose text the system prompts of gateway and middleware are. `operator`: values of the conversation, denied "
        "texts and codes that rules find alone are hidden there; `private`: all that would be hidden in a message.",
        "What is hidden", "serve",
    )  # fmt: skip
    recheck: Literal["mask", "stop"] = option(
        "mask", "Second look",
        "What happens when the detector finds something more in the text about to leave: `mask` replaces it as well, "
        "`stop` ends the run.",
        "What is hidden", "http",
    )  # fmt: skip

    # What is hidden: how much
    privacy: Privacy = option(
        "auto", "Privacy",
        "How much is hidden. `strict`: everything private. `balanced`: what the question needs to be understood (a "
        "condition, a country, a job) stays or is generalised, and never a name, code, contact or address. `open`: "
        "whatever the question needs stays. `auto`: `balanced` where a person looks on (`gama ask`, page, Studio); "
        "elsewhere `open` where a query is given apart, else `strict`, but for what the text itself asks about.",
        "What is hidden", "ask anonymize serve mcp http",
    )  # fmt: skip

    policy: Policy = option(
        (), "Policy",
        "YAML file that says by type, subtype, word of a placeholder or `all` what becomes of values: `hide`, `show`, "
        "`generalise`, `shift` (dates) or `surrogate`. It goes before the level of privacy; the options keep, "
        "strategies and select_never go before it. In Python also a mapping.",
        "What is hidden", "ask anonymize serve mcp", metavar="FILE", built=True,
    )  # fmt: skip

    # What is hidden: selection, what a query needs stays in clear (PII-Bench, spec 03 §3.1, §3.7)
    select: Selection = option(
        "auto", "Selection",
        "Who tells what a query needs. `embedded`: the embedded model; `naive`, `choice`, `self_cot`, `auto_cot`, "
        "`self_consistency`, `ps_cot`: the private LLM, so prompted; `auto`: `choice` if there is one, else the "
        "embedded model; `off`: nothing is left in clear.",
        "What is hidden", "ask anonymize serve mcp",
    )  # fmt: skip
    select_votes: Annotated[int, Field(ge=1, le=25)] = option(
        1, "Votes", "How often the private LLM is asked what a query needs. The majority counts.",
        "What is hidden", "ask anonymize serve mcp",
    )  # fmt: skip
    select_never: Names = option(
        ("PER", "password", "password_hash", "api_key", "crypto_wallet"), "Never left in clear",
        "Types, subtypes or words of placeholders that are hidden even where the query needs them. A placeholder does "
        "for a name.",
        "What is hidden", "ask anonymize serve mcp", metavar="TYPE",
    )  # fmt: skip

    # What is hidden: what the context gives away (SEAL, spec 04)
    refine: Literal["off", "placeholders+refine", "refine"] = option(
        "off", "Self-refinement",
        "Whether the text is rewritten until a stranger can infer nothing about you from it, by the private LLM or, "
        "where none is named, by an embedded attacker and rules (English). `placeholders+refine`: once placeholders "
        "are in it; `refine`: before, and what is still private then is replaced.",
        "What is hidden", "ask anonymize http",
    )  # fmt: skip
    refine_rounds: Annotated[int, Field(ge=1, le=10)] = option(
        3, "Rounds of refinement", "The most rewritings of a text.", "What is hidden", "ask anonymize http",
    )  # fmt: skip
    refine_rule: Literal["privacy_first", "utility_floor", "last"] = option(
        "utility_floor", "Rule of refinement",
        "Which rewriting leaves. `privacy_first`: the most private one; `utility_floor`: the most private one that is "
        "as useful as option refine_floor says; `last`: the last one, if it is no less private than the text.",
        "What is hidden", "ask anonymize",
    )  # fmt: skip
    refine_floor: Annotated[float, Field(ge=0, le=1)] = option(
        0.8, "Least use",
        "How useful a rewriting must be under `utility_floor`: the mean of readability, meaning and faithfulness.",
        "What is hidden", "ask anonymize",
    )  # fmt: skip
    refine_attributes: Names = option(
        (), "More attributes",
        "What else a stranger might infer, beside age, education, gender, income, location, relationship, occupation "
        "and birthplace; `name: what it means` explains one.",
        "What is hidden", "ask anonymize", metavar="NAME",
    )  # fmt: skip

    # What is hidden: placeholders (spec 01 §1.4)
    style: Literal["v2", "v1"] = option(
        "v2", "Placeholder style", "How a placeholder is written: `v2` writes <name-1>, `v1` writes <<name-1>>.",
        "What is hidden", "ask anonymize serve mcp http",
    )  # fmt: skip
    strategies: Strategies = option(
        (), "Placeholder strategies",
        "How values are written: `tag` (<name-1>), `enriched` (<location-1 country=PL>), `generalised` "
        "(<age-1 band=30-39>), `surrogate` (another name or number), `shift` (dates moved by some weeks), "
        "`irreversible` (<name>, never restored), or a plugin's. By type, subtype, word of a placeholder or "
        "`all`; `tag` where none is named.",
        "What is hidden", "ask anonymize serve mcp", flags="--strategy", metavar="STYLE|TYPE=STYLE",
    )  # fmt: skip
    index_order: Literal["appearance", "alphabetical", "random"] = option(
        "appearance", "Index order", "The order in which values are numbered.", "What is hidden", "http",
    )  # fmt: skip
    ignore_case: bool = option(
        False, "Ignore case", "Also replace other spellings in case.", "What is hidden", "http",
    )  # fmt: skip
    restore: Mode = option(
        _RESTORING.mode, "Restoring",
        "Which placeholders are restored: `tolerant` also those that the model wrote otherwise, `strict` exact ones "
        "only.",
        "What is hidden", "http",
    )  # fmt: skip
    restore_place: Place = option(
        _RESTORING.place, "What an answer is",
        "What a text to restore is, so that values are escaped for it. `auto` escapes where that is certain (JSON, XML "
        "and HTML documents, fenced code, URLs), `plain` never.",
        "What is hidden", "restore http", flags="--place",
    )  # fmt: skip
    restore_unknown: Unknown = option(
        _RESTORING.unknown, "Unknown placeholders",
        "What becomes of half placeholders and those that a model has invented. `keep` leaves them, `drop` takes them "
        "out, `repair` marks them as `[unknown name]`. They are reported either way.",
        "What is hidden", "restore http", flags="--unknown",
    )  # fmt: skip
    restore_grammar: bool = option(
        _RESTORING.grammar, "Mend grammar",
        "Undo doubled possessives; common nouns that begin a sentence get their capital.", "What is hidden", "http",
    )  # fmt: skip
    restore_hosts: Names = option(
        (), "Hosts that may get values",
        "Hosts, besides those that the conversation names, to which addresses with restored values may lead; `*`: all. "
        "In other addresses (links, pictures, arguments of tools) placeholders stay.",
        "What is hidden", "ask restore serve mcp http", flags="--restore-host", metavar="HOST",
    )  # fmt: skip
    review: bool = option(
        False, "Review before it leaves",
        "The graph stops before the airlock, shows the anonymized text, and waits for your answer: send, stop, or what "
        "to hide and show. Needs a graph that keeps its state (Studio does).",
        "What is hidden",
    )  # fmt: skip
    ampp: bool = option(
        True, "Anonymization (AMPP)", "Off: the RAW text leaves; needs `allow_raw` as well.",
        "What is hidden", "ask", flags=WITHOUT,
    )  # fmt: skip
    allow_raw: bool = option(
        False, "Let the raw text leave", "The second consent that a run without AMPP needs.", "What is hidden", "ask",
    )  # fmt: skip
    trace: bool = option(
        False, "Trace the public side",
        "Send LangSmith what the public graph does, each record checked first. The private side is never traced.",
        "What is hidden", "ask", environment=True,
    )  # fmt: skip

    # Reasoning: domains (spec 01 §1.5)
    k: Experts = option(_DOMAINS.k, "Experts", "Number of domain experts, K of Eq. 10.", "Reasoning", "ask http")
    alpha: Weight = option(
        _DOMAINS.alpha, "Alpha", "Weight of the field similarity, R_ho in Eq. 9.", "Reasoning", "ask http"
    )
    topk_mode: TopKMode = option(
        _DOMAINS.topk_mode, "Top-K mode",
        "How the experts are chosen (Eqs. 9, 10). By learned memberships (the fields that a private LLM names go the "
        "paper's way), as the paper writes it, as its code does, or by a least membership.",
        "Reasoning", "ask http", flags="--topk",
    )  # fmt: skip
    topk_threshold: Weight = option(
        _DOMAINS.threshold, "Least membership",
        "Least membership of an expert's domain, in the Top-K mode `threshold`.",
        "Reasoning", "ask http",
    )  # fmt: skip
    collapse: Collapse = option(
        _DOMAINS.collapse, "Joining of rows",
        "How the rows of Eq. 9 become one, in the Top-K modes `paper` and `threshold`. `max` takes a domain's best "
        "row, `mean` the mean of its rows.",
        "Reasoning", "ask http",
    )  # fmt: skip
    domain_set: DomainSet = option(
        _DOMAINS.domain_set, "Reference domains",
        "Which reference domains there are. `twenty`: the paper's; `ten`: those of its code, by the names they have "
        "there.",
        "Reasoning", "ask http", flags="--domains",
    )  # fmt: skip
    word_vectors: str | None = option(
        None, "Word vectors",
        "File of word vectors in Word2Vec's format, such as GoogleNews-vectors-negative300.bin, for Eq. 7. Empty: the "
        "shipped ones. Learned memberships and the sub-questions of the route `knowledge` go by the shipped ones.",
        "Reasoning", "ask", metavar="FILE", environment=True,
    )  # fmt: skip
    high_order: HighOrder = option(
        _DOMAINS.high_order, "High-order domains", "Number of high-order domains, N of Eq. 7.", "Reasoning", "http"
    )
    prompts: str | None = option(
        None, "Prompt folder", "Folder with prompt templates of your own.", "Reasoning", "ask", metavar="FOLDER"
    )

    # Reasoning: routing and decomposition (spec 01 §1.6)
    route: Route = option(
        _TASK["route"].default, "Route",
        "How a task is solved. `both`: domain experts, then disproof. `knowledge`: sub-questions, each with experts of "
        "its own and checked, put together and looked over. `logic`: solved and substituted back. `auto`: three votes "
        "decide between the two.",
        "Reasoning", "ask http",
    )  # fmt: skip
    effort: Effort = option(
        _TASK["effort"].default, "Effort",
        "How much is asked (route `both`). `full`: every expert, fused. `auto`: the strongest rule's expert, and the "
        "others where its draft is unsure or disproof v1 finds a contradiction in it; disproof is never left out.",
        "Reasoning", "ask http",
    )  # fmt: skip
    earlier: Earlier = option(
        8, "Earlier turns",
        "How many earlier turns of a conversation the public model is shown with a new one, as they left and were "
        "answered, the latest first, up to 100,000 characters. 0: none.",
        "Reasoning", "ask http", flags="--earlier",
    )  # fmt: skip
    formulas: bool | None = option(
        None, "Formulas",
        "The public model may reckon with what is hidden: it writes formulas over placeholders, which are evaluated at "
        "home. Empty: it may in the graph, and where else it is told so. Sums of a prompt that could stay in clear are "
        "then hidden.", "Reasoning", "http",
    )  # fmt: skip
    max_checks: Checks = option(
        _LIMITS.max_checks, "Checks of a sub-question", "Most checks of a sub-question (route `knowledge`); 0: none.",
        "Reasoning", "ask http", flags="--checks",
    )  # fmt: skip

    # Reasoning: disproof (spec 01 §1.8)
    disprove: DisproofMode = option(
        _TASK["disprove"].default, "Disproof",
        "How answers are disproved: `v1` hunts a contradiction in the answer until none is found, `v2` tests rival "
        "answers until one is contradicted (route `both`), `off`. That also switches off the checks of other routes.",
        "Reasoning", "ask http",
    )  # fmt: skip
    max_rounds: Rounds = option(
        _LIMITS.max_rounds, "Rounds of disproof", "Most rounds of disproof; 0: the first answer is final.",
        "Reasoning", "ask http", flags="--rounds",
    )  # fmt: skip

    # Reasoning: what the experts may use; only whoever builds the graph can set these, no run's context.
    tools: Names = option(
        (), "Expert tools",
        "Tools that the public experts may call: calculator, puzzle, documents, or a plugin's.",
        "Reasoning", "ask", flags="--tool", metavar="NAME", environment=True, built=True,
    )  # fmt: skip
    mcp: Names = option(
        (), "MCP servers",
        "MCP servers whose tools the public experts may call: command lines, or URLs of streamable HTTP. What they "
        "return goes to the public model.",
        "Reasoning", "ask", metavar="COMMAND|URL", environment=True, built=True,
    )  # fmt: skip
    domain_packs: Names = option(
        (), "Domain packs", "Folders or YAML files with domains of your own.",
        "Reasoning", "ask", flags="--pack", metavar="FOLDER", environment=True, built=True,
    )  # fmt: skip

    # Reasoning: ablation (spec 01 §1.10)
    drke: bool = option(
        True, "Domain experts (DRKE)", "Off: no domain rules, a single generic expert.",
        "Reasoning", "ask", flags=WITHOUT,
    )  # fmt: skip
    dle: bool = option(
        True, "Disproof (DLE)", "Off: the first answer is final.", "Reasoning", "ask", flags=WITHOUT
    )  # fmt: skip
    ablation_mode: Literal["independent", "cumulative"] = option(
        "independent", "Ablation mode",
        "What goes with a module that is off. `independent` takes off what is named; `cumulative`, the reading that "
        "fits the papers' tables: without DRKE is also without AMPP, without DLE also without both.",
        "Reasoning", "ask",
    )  # fmt: skip

    # Limits
    max_chars: Annotated[int, Field(ge=1, le=50_000_000)] = option(
        200_000, "Longest input", "Longest input in characters.",
        "Limits", "ask anonymize serve mcp http", lowered=True,
    )  # fmt: skip
    max_pieces: Annotated[int, Field(ge=1)] = option(
        500_000, "Pieces of a document",
        "Most paragraphs, cells, tags and parts of a document, counted before it is read. A part of a message counts "
        "as 500, one of a package as 10.",
        "Limits", "ask anonymize restore serve mcp http", lowered=True,
    )  # fmt: skip
    max_unpacked_mb: Annotated[float, Field(gt=0)] = option(
        256.0, "Unpacked document", "Largest size of a document once it is unpacked, in MiB.",
        "Limits", "ask anonymize restore serve mcp http", lowered=True,
    )  # fmt: skip
    max_calls: Calls = option(
        _LIMITS.max_calls, "Public calls", "Most calls of the public model for one task.",
        "Limits", "http", lowered=True,
    )  # fmt: skip
    timeout_s: Annotated[float, Field(gt=0, le=3600)] = option(
        _LIMITS.timeout_s, "Timeout", "Seconds for one model call.",
        "Limits", "ask serve http", flags="--timeout", lowered=True,
    )  # fmt: skip
    max_tokens: Tokens | None = option(
        None, "Token budget", "Tokens of the public model that one task may spend.",
        "Limits", "ask serve http", environment=True, lowered=True,
    )  # fmt: skip
    max_cost: Cost | None = option(
        None, "Budget", "US dollars that one task may spend on the public model.",
        "Limits", "ask serve http", environment=True, lowered=True,
    )  # fmt: skip
    prices: dict[str, Any] | str | None = option(
        None, "Prices",
        "File of prices that go before the built-in ones. In Python also the prices themselves: for each model input "
        "and output, in US dollars for a million tokens.",
        "Limits", "ask", metavar="FILE", environment=True,
    )  # fmt: skip
    rate_limit_per_minute: Annotated[int, Field(ge=1)] | None = option(
        None, "Requests a minute", "Requests a minute to the public model. More wait.",
        "Limits", "ask", flags="--rate-limit", environment=True,
    )  # fmt: skip
    max_concurrent: Annotated[int, Field(ge=1)] | None = option(
        None, "Requests at a time", "Requests at a time to the public model. More wait.",
        "Limits", "ask serve", environment=True,
    )  # fmt: skip
    tool_calls: Annotated[int, Field(ge=0, le=50)] = option(
        4, "Tool calls", "Calls of tools for each expert.", "Limits", built=True
    )
    tool_chars: Annotated[int, Field(ge=100, le=200_000)] = option(
        8_000, "Longest tool result", "Characters of a tool's result; the rest is cut.", "Limits", built=True
    )
    tool_seconds: Annotated[float, Field(gt=0, le=600)] = option(
        20.0, "Tool timeout", "Seconds for one call of a tool.", "Limits", built=True
    )

    @field_validator("keep", "select_never")
    @classmethod
    def _known_types(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(kind for word in value for kind in kinds_of(word)))

    @field_validator("thresholds", "strategies")
    @classmethod
    def _for_known_types(cls, value: tuple[tuple[str, Any], ...], info: ValidationInfo) -> tuple[tuple[str, Any], ...]:
        every = {"all"} if info.field_name == "strategies" else set()
        given = [(word, {word} if word in every else kinds_of(word), one) for word, one in value]
        # What is named itself goes before what a word stands for, wherever it was written.
        by_word = {kind: one for word, kinds, one in given for kind in kinds if kind != word}
        return tuple((by_word | {word: one for word, kinds, one in given if word in kinds}).items())

    @model_validator(mode="wrap")
    @classmethod
    def _by_policy(cls, given: Any, make: ModelWrapValidatorHandler[Self]) -> Self:
        """Add what the policy stands for, as if it had been chosen."""
        made = make(given)
        if not made.policy:
            return made
        from gama.state.policy import derived

        more = derived(made.policy, made.strategies, made.select_never)
        more["keep"] = (*made.keep, *(kind for kind in more["keep"] if kind not in made.keep))
        more["select_never"] = tuple(dict.fromkeys(more["select_never"]))
        for name, value in more.items():
            if value != getattr(made, name):
                object.__setattr__(made, name, value)
                made.model_fields_set.add(name)
        return made

    @field_validator("pner")
    @classmethod
    def _known_finders(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(map(known_finder, value))

    @property
    def restoring(self) -> Restoring:
        """How placeholders are turned back into values."""
        named = frozenset(host.lower().removeprefix("www.") for host in self.restore_hosts)
        hosts = None if "*" in named else named
        return Restoring(self.restore, self.restore_place, self.restore_unknown, self.restore_grammar, hosts)

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

    def named(self, aside: frozenset[str] = frozenset()) -> dict[str, Any]:
        """Return what these options set for a run, some aside, as an update of the options that hold otherwise.

        What they leave to the face (`privacy="auto"`) they do not set.
        """
        left = {"privacy"} if self.privacy == "auto" else set()
        return {name: getattr(self, name) for name in self.model_fields_set - aside - left}

    def checked(self) -> Self:
        """Return the options; for those that were put together of others, whose consent must hold together.

        Raises:
            OptionError: they let the raw text leave, and nobody has consented to it.
        """
        if not self.switches.ampp and not self.allow_raw:
            raise OptionError(RAW_REFUSED)
        return self
