"""SEAL's whole way on a tiny random Llama, by the command line: trajectories, SFT, DPO, use, measurement.

Nothing is learnt here that is worth anything: it is shown that each step takes what the one before made.
"""

import json
import math
import shutil

import pytest

from gama import Anonymizer, Options
from gama.evals.metrics.attributes import Matcher
from gama.privacy.refining.attributes import ATTRIBUTES
from gama.training.seal.pairs import dpo_loss
from tests.support.commands import runner
from tests.support.teaching import REPLIES, TELLING, ScriptedTeacher, profiles

for name in ("torch", "transformers", "trl", "peft", "accelerate", "datasets"):
    pytest.importorskip(name, reason="needs the extra `seal`")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

CONFIG = """
trajectories: {test_profiles: 1, validation_profiles: 1}
data: {utility_slack: 0.2}
sft: {max_steps: 2, batch: 2, learning_rate: 1.0e-2, warmup: 0.0, max_length: 2048}
dpo: {max_steps: 2, batch: 2, learning_rate: 1.0e-2, warmup: 0.0, max_length: 2048}
hardware: {batch_per_device: 1}
eval: {rounds: 1}
"""


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    """A random Llama with a tokenizer that has no form of chats, and puts a sign at the beginning of a text."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    from gama.privacy.agents import prompt

    folder = tmp_path_factory.mktemp("models") / "start"
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=900, special_tokens=["<s>", "</s>"], initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )  # fmt: skip
    tokenizer.train_from_iterator([prompt(name).template for name in ("infer", "rewrite", "judge_rewriting")], trainer)
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>").save_pretrained(folder)
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=tokenizer.get_vocab_size(), hidden_size=32, intermediate_size=64, num_hidden_layers=2,
        num_attention_heads=4, max_position_embeddings=4096, bos_token_id=0, eos_token_id=1,
    )  # fmt: skip
    LlamaForCausalLM(config).save_pretrained(folder)
    return folder


def teach(request):
    """Answer as the scripted teacher does, over the wire."""
    system, user = (one["content"] for one in request["messages"])
    role = "judge" if "hallucination" in system else "rewrite" if "You rewrite" in system else "infer"
    return REPLIES[role](user)


def weights(folder):
    from safetensors.torch import load_file

    return load_file(folder / "model.safetensors")


def differ(one, other):
    first, second = weights(one), weights(other)
    return {name for name in first if not first[name].equal(second[name])}


def test_the_whole_way(checkpoint, loopback, tmp_path, capsys):
    run, loopback.reply = runner(capsys), teach
    data, config, folder = tmp_path / "profiles.jsonl", tmp_path / "config.yaml", tmp_path / "run"
    data.write_text("\n".join(json.dumps(one._asdict()) for one in profiles(5)))
    config.write_text(CONFIG)
    teacher = ["--base-url", loopback.url, "--config", str(config)]

    told = run("train", "seal", "trajectories", "--data", data, "--out", folder, "--teacher", "openai:loop", *teacher)
    assert told.code == 0, told.err
    assert json.loads(told.out)["training"] == 3 and "by rule of thumb" in told.err
    calls = len(loopback.requests)
    assert calls == 4 * 10
    again = run("train", "seal", "trajectories", "--data", data, "--out", folder, "--teacher", "openai:loop", *teacher)
    assert again.code == 0 and len(loopback.requests) == calls and "0 texts left" in again.err

    for what, start in (("sft", checkpoint), ("dpo", tmp_path / "sft")):
        out = tmp_path / what
        told = run("train", "seal", what, "--data", folder, "--from", start, "--out", out, "--config", config)
        assert told.code == 0, told.err
        assert "note" not in told.err and "in 2 steps" in told.out
        card = json.loads((out / "seal.json").read_text())
        assert card["made_by"] == f"gama train seal {what}" and card["examples"]["too_long"] == 0
        assert len(card["losses"]) == 2 and card["validation"]["after"]["loss"] < card["validation"]["before"]["loss"]
        # LoRA is merged into all linear layers and into nothing else.
        changed = differ(start, out)
        assert changed == {name for name in weights(out) if "_proj" in name} and len(changed) == 14
        assert json.loads((out / "config.json").read_text())["use_cache"] is True
        assert not list(tmp_path.glob("*.new"))
    # It begins where the model and the one that it is held to are the same, as the spec's loss has it.
    assert card["losses"][0] == pytest.approx(dpo_loss(0, 0, 0, 0), abs=1e-5) == pytest.approx(math.log(2), abs=1e-5)
    assert card["start_made_by"] == "gama train seal sft" and card["config"]["dpo"]["beta"] == 0.1

    # As a private model it refines at once; what it writes is noise, which is told and taken for nothing.
    options = Options(
        private_model=f"huggingface:{tmp_path / 'dpo'}", refine="placeholders+refine", refine_rounds=1,
        private_max_tokens=24,
    )  # fmt: skip
    view = Anonymizer(options).anonymize("I am a nurse in Porto.")
    assert view.refinement is not None and view.refinement.ended == "unreadable" and view.text == view.refinement.text

    measured = tmp_path / "measured.json"
    evaluate = [
        "train", "seal", "eval", tmp_path / "dpo", "--from", checkpoint, "--data", folder, "--out", tmp_path / "eval",
        "--attacker", "openai:loop", *teacher, "--json", measured,
    ]  # fmt: skip
    config.write_text(CONFIG.replace("trajectories: {", "trajectories: {reply_tokens: 24, "))
    told = run(*evaluate)
    assert told.code == 0, told.err
    rows = {row["name"]: row for row in json.loads(measured.read_text())["rows"]}
    assert set(rows) == {"original", "start", "trained"} and rows["trained"]["unread"] == 1
    # Of four attributes that are known the scripted attacker tells the three that stand there.
    assert rows["original"]["privacy"] == rows["trained"]["privacy"] == 0.75 and rows["original"]["combined"] == 0
    before = len(loopback.requests)
    assert run(*evaluate).code == 0 and len(loopback.requests) == before, "what was asked is kept"


def test_a_model_is_asked_as_it_was_trained(checkpoint, tmp_path):
    """The tokens of a prompt at run time are those of the training, with one sign at the beginning."""
    from langchain_core.messages import HumanMessage, SystemMessage

    from gama.models.huggingface import local_pipeline
    from gama.training.seal.config import read_config
    from gama.training.seal.tuning import _loaded

    tokenizer, model = _loaded(str(checkpoint), read_config(), "fp32")
    folder = tmp_path / "model"
    model.save_pretrained(folder), tokenizer.save_pretrained(folder)
    chat = [{"role": "system", "content": "You read."}, {"role": "user", "content": "I am 34."}]
    trained = tokenizer.apply_chat_template(chat, add_generation_prompt=True, return_dict=True)["input_ids"]
    local = local_pipeline(str(folder), max_tokens=8)
    asked = local._ids([SystemMessage("You read."), HumanMessage("I am 34.")])[0].tolist()
    assert asked == trained and asked.count(0) == 1
    whole = tokenizer.apply_chat_template([*chat, {"role": "assistant", "content": "So."}], return_dict=True)[
        "input_ids"
    ]
    assert whole[: len(asked)] == asked and whole[-1] == tokenizer.eos_token_id
    plain = local_pipeline(str(checkpoint), max_tokens=8)
    assert plain._ids([HumanMessage("I am 34.")])[0].tolist().count(0) == 1, "without a form of chats, as before"


@pytest.mark.parametrize("family", ["llama", "qwen2", "qwen3"])
def test_all_linear_layers_of_a_family_are_trained(family):
    import torch
    from peft import get_peft_model
    from transformers import AutoConfig, AutoModelForCausalLM

    from gama.training.seal.config import read_config
    from gama.training.seal.tuning import _lora

    size = {
        "hidden_size": 16,
        "intermediate_size": 32,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "vocab_size": 9,
    }
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model(family, num_key_value_heads=2, **size))
    linear = {name for name, part in model.named_modules() if isinstance(part, torch.nn.Linear)} - {"lm_head"}
    adapted = get_peft_model(model, _lora(model, read_config()))
    found = {
        name.removeprefix("base_model.model.") for name, part in adapted.named_modules() if hasattr(part, "lora_A")
    }
    assert found == linear and len(linear) == 7


def test_what_cannot_be_trained_is_refused_before_the_work(checkpoint, tmp_path):
    from gama.state.errors import InputError, ModelUnknown, OptionError
    from gama.training.seal.config import Config
    from gama.training.seal.records import read_records
    from gama.training.seal.trajectories import prepare
    from gama.training.seal.trajectories import run as simulate
    from gama.training.seal.tuning import sft
    from tests.support.teaching import config_of, roles

    simulate(prepare(profiles(4), roles(ScriptedTeacher()), config_of(), tmp_path / "run"), lambda name: None)
    records = read_records(tmp_path / "run")
    numbers: Config = config_of(data={"weight_infer": 0, "weight_judge": 0})
    with pytest.raises(InputError, match="utility_slack"):
        sft(records, str(checkpoint), tmp_path / "out", numbers)
    with pytest.raises(InputError, match="longer than max_length"):
        sft(records, str(checkpoint), tmp_path / "out", config_of(sft={"max_length": 20}))
    with pytest.raises(ModelUnknown, match="cannot be loaded"):
        sft(records, str(tmp_path / "none"), tmp_path / "out", config_of())
    with pytest.raises(OptionError, match="is there already"):
        sft(records, str(checkpoint), tmp_path / "run", config_of())
    other = tmp_path / "other"
    shutil.copytree(checkpoint, other)
    described = json.loads((other / "config.json").read_text())
    (other / "config.json").write_text(json.dumps(described | {"model_type": "mistral", "architectures": []}))
    with pytest.raises(OptionError, match="type 'mistral' are not known.*llama, qwen2, qwen3"):
        sft(records, str(other), tmp_path / "out", config_of())
    assert not (tmp_path / "out").exists()


def test_what_is_measured_is_known_to_be_true():
    truth = profiles(1)[0].truth
    assert {attribute for attribute, *_ in TELLING.values()} < set(truth)
    assert len(Matcher(ATTRIBUTES).hits([], truth)) == 4
