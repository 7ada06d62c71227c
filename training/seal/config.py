"""The numbers of the training, read from a file; `config.yaml` beside this says of each whose it is."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gama.privacy.refining.loop import Rule
from gama.state.errors import OptionError
from gama.training.seal.pairs import PrivacyCount

SHIPPED = Path(__file__).parent / "config.yaml"

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(ge=1)]
Rate = Annotated[float, Field(gt=0)]
Warmth = Annotated[float, Field(ge=0, le=2)]
Weight = Annotated[float, Field(ge=0, le=100)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Simulation(_Part):
    """How trajectories are made."""

    rounds: Annotated[int, Field(ge=1, le=10)]
    comments_per_profile: Positive
    comments_per_text: Positive
    text_tokens: Positive
    test_profiles: Count
    validation_profiles: Count
    temperature_first: Warmth
    temperature_later: Warmth
    temperature_reading: Warmth
    reply_tokens: Positive


class Selection(_Part):
    """What is learnt from trajectories."""

    privacy_count: PrivacyCount
    utility_slack: Share
    without_critique: Share
    weight_anonymize: Weight
    weight_infer: Weight
    weight_judge: Weight


class Schedule(_Part):
    """How long and how fast is learnt."""

    epochs: Rate
    learning_rate: Rate
    learning_rate_full: Rate
    schedule: Literal["cosine", "linear", "constant"]
    warmup: Share
    batch: Positive
    max_length: Positive
    max_steps: Count


class Preferring(Schedule):
    """The same for DPO."""

    beta: Rate


class AdamW(_Part):
    """The optimizer."""

    beta1: Share
    beta2: Share
    epsilon: Rate
    weight_decay: Share


class Lora(_Part):
    """Which weights are learnt."""

    rank: Count
    alpha: Positive
    dropout: Share
    targets: tuple[str, ...]


class Hardware(_Part):
    """How it is computed."""

    precision: Literal["auto", "bf16", "fp32"]
    attention: Literal["auto", "flash_attention_2", "sdpa", "eager"]
    gradient_checkpointing: bool
    batch_per_device: Positive


class Measurement(_Part):
    """How a trained model refines where it is measured."""

    rounds: Annotated[int, Field(ge=1, le=10)]
    rule: Rule
    floor: Share
    temperature: Warmth


class Config(_Part):
    """All numbers."""

    seed: int
    trajectories: Simulation
    data: Selection
    sft: Schedule
    dpo: Preferring
    adamw: AdamW
    lora: Lora
    hardware: Hardware
    eval: Measurement


def read_config(path: Path | None = None) -> Config:
    """Read a file of numbers; what it leaves out is as shipped.

    Args:
        path: the file; None for the shipped one.

    Raises:
        OptionError: it cannot be read, or an entry is unknown or out of range; names the entry.
    """
    import yaml

    content = _mapping(SHIPPED, yaml)
    if path is not None:
        content = _laid_over(content, _mapping(path, yaml))
    try:
        return Config.model_validate(content)
    except ValidationError as error:
        where = ", ".join(".".join(map(str, one["loc"])) or "the file" for one in error.errors()[:5])
        problem = f"{where}: {error.errors()[0]['msg']}"
    raise OptionError(f"option --config: {problem}")


def _mapping(path: Path, yaml: Any) -> Mapping[str, Any]:
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise OptionError(f"option --config: {str(path)!r} cannot be read ({type(error).__name__})") from None
    if not isinstance(content, dict):
        raise OptionError(f"option --config: {str(path)!r} has no entries such as `seed: 18`")
    return content


def _laid_over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Return a mapping with the entries of another one in place of its own, within its parts too."""
    found = dict(below)
    for key, value in above.items():
        part = found.get(key)
        found[key] = _laid_over(part, value) if isinstance(part, Mapping) and isinstance(value, Mapping) else value
    return found
