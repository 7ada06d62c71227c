"""`gama train seal sft` and `dpo`: a local model learns to rewrite, to attack and to judge (SEAL; spec 04 §4.2).

TRL trains, PEFT adds the LoRA weights, accelerate brings several devices:

    accelerate launch -m gama train seal sft --data RUN --from MODEL --out DIR

What comes out is a whole model, LoRA merged, that `private_model="huggingface:DIR"` takes. Every process of a launch
reads the same data; the first one writes. Sharded training (FSDP, DeepSpeed's third stage) is refused: its pieces would
have to be gathered before they are merged.
"""

import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gama.state.errors import InputError, ModelUnknown, OptionError
from gama.training.seal.card import Trained, write_card
from gama.training.seal.config import Config, Preferring, Schedule
from gama.training.seal.examples import Choice, Lesson, choices, lessons
from gama.training.seal.records import Record

PACKAGES = ("torch", "transformers", "trl", "peft", "accelerate", "datasets")

LINEAR = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
FAMILIES: Mapping[str, tuple[str, ...]] = {"llama": LINEAR, "qwen2": LINEAR, "qwen3": LINEAR}
"""All linear layers of the families, by the `model_type` of their configuration; Qwen2.5 is of type qwen2."""

CHAT = (
    "{{ bos_token }}{% for message in messages %}{{ message['role'] }}:\n{{ message['content'] }}"
    "{% if message['role'] == 'assistant' %}{{ eos_token }}{% endif %}"
    "{% if not loop.last %}\n\n{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}\n\nassistant:\n{% endif %}"
)
"""The form of a chat for models whose tokenizer has none."""


def check_packages() -> None:
    """Refuse, before the work, what needs packages that are not installed.

    Raises:
        OptionError: one is missing; says how to get it.
    """
    if missing := [name for name in PACKAGES if find_spec(name) is None]:
        raise OptionError(f"training SEAL needs {missing[0]}: pip install 'gama-privacy[seal]'")


def sft(records: Sequence[Record], start: str, out: Path, config: Config) -> Trained:
    """Train a model on D_anon, D_priv and D_util.

    Args:
        records: the trajectories of a run.
        start: folder or hub name of the model to start from.
        out: folder for the model; it must not be there yet, or be empty.
        config: the numbers.

    Raises:
        OptionError: a package is missing, or the folder or the model cannot be used.
        InputError: the trajectories give nothing to learn.
        ModelUnknown: there is no such model.
    """
    train, validation = (
        lessons(_of(records, split), config.data, config.seed).mixed(config.data, config.seed)
        for split in ("train", "validation")
    )
    return _train("sft", train, validation, start, out, config, config.sft)


def dpo(records: Sequence[Record], start: str, out: Path, config: Config) -> Trained:
    """Train a model on D_pref; where it starts from is what it is held to.

    Args:
        records: the trajectories of a run.
        start: folder of the model that `sft` made.
        out: folder for the model; it must not be there yet, or be empty.
        config: the numbers.

    Raises:
        GamaError: see `sft`.
    """
    train, validation = (choices(_of(records, split), config.data) for split in ("train", "validation"))
    return _train("dpo", train, validation, start, out, config, config.dpo)


def _of(records: Sequence[Record], split: str) -> list[Any]:
    return [one.trajectory for one in records if one.split == split]


def _train(
    what: str, train: Sequence[Lesson | Choice], validation: Sequence[Lesson | Choice], start: str, out: Path,
    config: Config, schedule: Schedule,
) -> Trained:  # fmt: skip
    check_packages()
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise OptionError(f"option --out: {str(out)!r} is there already: name a new folder")
    if not train:
        raise InputError(
            "the trajectories give nothing to learn: no rewriting is more private and no less useful. Set "
            "utility_slack to .05 or .1 in a file for --config, or simulate more texts"
        )
    import torch
    from datasets import Dataset, disable_progress_bars
    from transformers import PrinterCallback
    from transformers.utils.logging import disable_progress_bar

    if not sys.stderr.isatty():
        disable_progress_bars()
        disable_progress_bar()  # type: ignore[no-untyped-call, unused-ignore]
    torch.manual_seed(config.seed)
    precision = _precision(config)
    tokenizer, model = _loaded(start, config, precision)
    fits = _fitting(tokenizer, schedule.max_length)
    learnt, watched = [one for one in train if fits(one)], [one for one in validation if fits(one)]
    if not learnt:
        raise InputError(f"every example is longer than max_length ({schedule.max_length} tokens)")
    out.parent.mkdir(parents=True, exist_ok=True)
    trainer = _trainer(what)(
        model=model,
        args=_arguments(what, out, config, schedule, precision),
        train_dataset=Dataset.from_list([one._asdict() for one in learnt]),
        eval_dataset=Dataset.from_list([one._asdict() for one in watched]) if watched else None,
        processing_class=tokenizer,
        peft_config=_lora(model, config) if config.lora.rank else None,
    )
    # What it prints, the card has.
    trainer.remove_callback(PrinterCallback)
    if trainer.is_fsdp_enabled or getattr(trainer.args.deepspeed_plugin, "zero_stage", 0) == 3:
        raise OptionError("sharded training (FSDP, DeepSpeed's third stage) is not supported: launch it unsharded")
    before = _figures(trainer.evaluate()) if watched else None
    trainer.train()
    after = _figures(trainer.evaluate()) if watched else None
    losses = [float(row["loss"]) for row in trainer.state.log_history if "loss" in row]
    made = Trained(
        out, len(learnt), len(train) + len(validation) - len(learnt) - len(watched), before, after, losses, precision,
        trainer.accelerator.num_processes,
    )  # fmt: skip
    if trainer.accelerator.is_main_process:
        _save(trainer, tokenizer, out, lambda folder: write_card(folder, what, start, config, made))
    trainer.accelerator.wait_for_everyone()
    return made


def _precision(config: Config) -> str:
    import torch

    if config.hardware.precision != "auto":
        return config.hardware.precision
    return "bf16" if torch.cuda.is_available() and torch.cuda.is_bf16_supported() else "fp32"


def _loaded(start: str, config: Config, precision: str) -> tuple[Any, Any]:
    """Return the tokenizer and the model to start from."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    attention = config.hardware.attention
    if attention == "auto":
        flash = precision == "bf16" and torch.cuda.is_available() and find_spec("flash_attn") is not None
        attention = "flash_attention_2" if flash else "sdpa"
    # All weights are trained in full precision beside the half one; with LoRA those below stay as they are.
    half = precision == "bf16" and config.lora.rank > 0
    try:
        tokenizer: Any = AutoTokenizer.from_pretrained(start)
        model: Any = AutoModelForCausalLM.from_pretrained(
            start, dtype=torch.bfloat16 if half else torch.float32, attn_implementation=attention
        )
    except (OSError, ValueError, ImportError) as error:
        problem = type(error).__name__
    else:
        if tokenizer.eos_token is None:
            raise OptionError(f"the tokenizer of {start!r} has no sign for the end of a reply")
        if tokenizer.pad_token is None:
            tokenizer.pad_token = tokenizer.eos_token
        if not tokenizer.chat_template:
            tokenizer.chat_template = CHAT if tokenizer.bos_token else CHAT.replace("{{ bos_token }}", "")
        return tokenizer, model
    raise ModelUnknown(
        f"The checkpoint {start!r} cannot be loaded ({problem}). Give a folder with a saved model and tokenizer, or a "
        "hub name that can be reached or is in the cache."
    )


def _lora(model: Any, config: Config) -> Any:
    from peft import LoraConfig

    family = str(model.config.model_type)
    targets = config.lora.targets or FAMILIES.get(family)
    if targets is None:
        raise OptionError(
            f"models of type {family!r} are not known: name their linear layers under lora: targets, in a file for "
            f"--config. Known: {', '.join(FAMILIES)}"
        )
    return LoraConfig(
        r=config.lora.rank, lora_alpha=config.lora.alpha, lora_dropout=config.lora.dropout,
        target_modules=list(targets), task_type="CAUSAL_LM",
    )  # fmt: skip


def _trainer(what: str) -> Any:
    from trl.trainer.dpo_trainer import DPOTrainer
    from trl.trainer.sft_trainer import SFTTrainer

    return {"sft": SFTTrainer, "dpo": DPOTrainer}[what]


def _arguments(what: str, out: Path, config: Config, schedule: Schedule, precision: str) -> Any:
    import torch
    from trl.trainer.dpo_config import DPOConfig
    from trl.trainer.sft_config import SFTConfig

    # Without a launcher a process takes all devices that it sees.
    devices = int(os.environ.get("WORLD_SIZE", 0)) or max(1, torch.cuda.device_count())
    at_once = max(1, min(config.hardware.batch_per_device, schedule.batch // devices))
    settings: dict[str, Any] = {
        "output_dir": str(out.with_name(f"{out.name}.new")),
        "num_train_epochs": schedule.epochs,
        "max_steps": schedule.max_steps or -1,
        "learning_rate": schedule.learning_rate if config.lora.rank else schedule.learning_rate_full,
        "lr_scheduler_type": "constant_with_warmup" if schedule.schedule == "constant" else schedule.schedule,
        "warmup_steps": schedule.warmup,
        "per_device_train_batch_size": at_once,
        "per_device_eval_batch_size": at_once,
        "gradient_accumulation_steps": max(1, round(schedule.batch / (at_once * devices))),
        "gradient_checkpointing": config.hardware.gradient_checkpointing,
        "max_length": schedule.max_length,
        "optim": "adamw_torch",
        "adam_beta1": config.adamw.beta1,
        "adam_beta2": config.adamw.beta2,
        "adam_epsilon": config.adamw.epsilon,
        "weight_decay": config.adamw.weight_decay,
        "bf16": precision == "bf16",
        "fp16": False,
        "seed": config.seed,
        "logging_steps": 1,
        "save_strategy": "no",
        "eval_strategy": "no",
        "report_to": "none",
        "disable_tqdm": not sys.stderr.isatty(),
    }
    if isinstance(schedule, Preferring):
        return DPOConfig(beta=schedule.beta, **settings)
    return SFTConfig(completion_only_loss=True, **settings)


def _fitting(tokenizer: Any, longest: int) -> Callable[[Lesson | Choice], bool]:
    """Return what tells whether an example can be learnt whole: one that is cut would teach to stop anywhere."""

    def fits(one: Lesson | Choice) -> bool:
        prompt, *answers = one
        texts = [tokenizer.apply_chat_template([*prompt, *answer], tokenize=False) for answer in answers]
        return all(len(tokenizer(text, add_special_tokens=False)["input_ids"]) <= longest for text in texts)

    return fits


def _figures(found: Mapping[str, Any]) -> dict[str, float]:
    """Return what an evaluation says of the model, without its speed."""
    wanted = ("loss", "mean_token_accuracy", "rewards/accuracies", "rewards/margins")
    return {name: float(found[f"eval_{name}"]) for name in wanted if f"eval_{name}" in found}


def _save(trainer: Any, tokenizer: Any, out: Path, finish: Callable[[Path], None]) -> None:
    """Write the model, LoRA merged; the folder is there once it is whole."""
    model = trainer.accelerator.unwrap_model(trainer.model)
    if hasattr(model, "merge_and_unload"):
        model = model.merge_and_unload()
    # Checkpointing of gradients turns it off, and without it every token is computed from the first one on.
    model.config.use_cache = True
    scratch = out.with_name(f"{out.name}.new")
    shutil.rmtree(scratch, ignore_errors=True)  # what an earlier run left
    model.save_pretrained(scratch)
    tokenizer.save_pretrained(scratch)
    finish(scratch)
    scratch.replace(out)
