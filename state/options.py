"""`Options`: everything a user may choose, as the context of the graphs and in Studio.

Defaults come from the sources named beside them; environment variables `GAMA_*` override the
defaults of the models (`Options.from_env`).
"""

import os
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, WithJsonSchema

from gama.state.errors import OptionError

ModelChoice = Annotated[Any, WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "null"}]})]
"""A model by name, as LangChain names them, or a ready `BaseChatModel`."""


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
    private_model: ModelChoice = Field(
        default=None,
        title="Private model",
        description="Local LLM that takes over the private agents, such as ollama:llama3.1:8b or huggingface:PATH. "
        "Empty: the embedded encoder.",
    )
    private_base_url: str | None = Field(default=None, title="Private base URL")
    trust_private_model: bool = Field(
        default=False,
        title="Trust a hosted private model",
        description="A hosted model named as private sees the raw text; it is refused unless this is set.",
    )

    # Identification (spec 01 §1.3)
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
    contextual_scope: Literal["full_span", "first_token"] = Field(default="full_span", title="Contextual scope")
    seed: int = Field(default=0, title="Seed", description="Seed of every random choice.")
    default_region: str | None = Field(
        default=None, pattern="^[A-Z]{2}$", title="Region",
        description="Country code, such as DE, in whose national form telephone numbers may stand.",
    )  # fmt: skip
    deny: tuple[str, ...] = Field(default=(), title="Always hide", description="Texts that are always private.")
    allow: tuple[str, ...] = Field(default=(), title="Never hide", description="Texts that are never private.")

    # Placeholders (spec 01 §1.4)
    style: Literal["v2", "v1"] = Field(
        default="v2", title="Placeholder style", description="`v2` writes <name-1>, `v1` writes <<name-1>>."
    )
    index_order: Literal["appearance", "alphabetical", "random"] = Field(default="appearance", title="Index order")
    ignore_case: bool = Field(default=False, title="Ignore case", description="Also replace other spellings in case.")
    restore: Literal["tolerant", "strict"] = Field(default="tolerant", title="Restoring")

    # Domains (spec 01 §1.5)
    k: int = Field(default=3, ge=1, le=20, title="Experts", description="Number of domain experts (Top-K).")
    alpha: float = Field(default=0.95, ge=0, le=1, title="Alpha", description="Weight of R_ho in Eq. 9.")
    topk_mode: Literal["paper", "code", "threshold"] = Field(default="paper", title="Top-K mode")
    high_order: int = Field(default=5, ge=1, le=50, title="High-order domains", description="N of Eq. 7.")
    prompts: str | None = Field(default=None, title="Prompt folder", description="Folder with templates of your own.")

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
    disprove: Literal["v1", "off"] = Field(default="v1", title="Disproof")
    max_rounds: int = Field(default=3, ge=0, le=20, title="Rounds of disproof")

    # Limits
    max_chars: int = Field(default=200_000, ge=1, le=50_000_000, title="Longest input", description="In characters.")
    max_calls: int = Field(default=32, ge=1, le=1000, title="Public calls", description="For one task.")
    timeout_s: float = Field(default=120.0, gt=0, le=3600, title="Timeout", description="Seconds for one model call.")
    recheck: Literal["mask", "stop"] = Field(
        default="mask",
        title="Second look",
        description="What happens when the detector finds something more in the text about to leave: "
        "`mask` replaces it as well, `stop` ends the run.",
    )

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

    @classmethod
    def from_env(cls, **values: Any) -> Self:
        """Take models from `GAMA_PUBLIC_MODEL` and its kin where no value is given."""
        for name in ("public_model", "public_base_url", "private_model", "private_base_url"):
            if values.get(name) is None and (found := os.environ.get(f"GAMA_{name.upper()}")):
                values[name] = found
        for name in ("tools", "mcp", "domain_packs"):
            if values.get(name) is None and (found := os.environ.get(f"GAMA_{name.upper()}")):
                values[name] = tuple(item.strip() for item in found.split(";") if item.strip())
        return cls(**values)


def _explain(error: ValidationError) -> str:
    problems = []
    for item in error.errors(include_url=False, include_context=False, include_input=False):
        name = ".".join(str(part) for part in item["loc"])
        if item["type"] == "extra_forbidden":
            problems.append(f"unknown option {name!r}; known options: {', '.join(Options.model_fields)}")
        else:
            problems.append(f"option {name!r}: {item['msg']}")
    return "; ".join(problems)
