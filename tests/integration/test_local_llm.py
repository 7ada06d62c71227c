"""A tiny random Llama from a folder takes the private agents' part: nonsense out, contract kept."""

import pytest

from gama import Anonymizer, Options
from gama.state.errors import ModelUnknown

pytest.importorskip("transformers", reason="needs the extra `local`")
pytest.importorskip("torch", reason="needs the extra `local`")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("llama")
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: n for n, token in enumerate(["<s>", "</s>", *alphabet])}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>").save_pretrained(folder)
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(vocabulary), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        max_position_embeddings=8192, bos_token_id=0, eos_token_id=1,
    )  # fmt: skip
    LlamaForCausalLM(config).save_pretrained(folder)
    return folder


def test_the_contract_of_the_agents(checkpoint):
    text = "My name is Thessaly Quornbeck, mail t.quornbeck@planted.example."
    made = Anonymizer(Options(private_model=f"huggingface:{checkpoint}"))
    view = made.anonymize(text)
    assert "t.quornbeck@planted.example" not in view.text, "a validated pattern is never voted away"
    assert made.restore(view.text, view.box).text == text


def test_sampling_is_seeded(checkpoint):
    from gama.models.private import private_model

    chat = [{"role": "user", "content": "hello"}]
    first = private_model(f"huggingface:{checkpoint}", seed=1).complete(chat)
    assert first == private_model(f"huggingface:{checkpoint}", seed=1).complete(chat)
    assert first != private_model(f"huggingface:{checkpoint}", seed=2).complete(chat)


def test_no_such_checkpoint(tmp_path):
    with pytest.raises(ModelUnknown, match="cannot be loaded"):
        from gama.models.private import private_model

        private_model(f"huggingface:{tmp_path}/nothing")
