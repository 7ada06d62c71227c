"""How alike two texts are: the encoder that ships, and a tiny one of Hugging Face beside a plain forward pass."""

import sys

import numpy as np
import pytest

from gama.evals.metrics.similarity import Encoder, embedded, hugging_face, similarity
from gama.state.errors import ModelUnknown, OptionError

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefgh"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a tiny random BERT with room for 512 tokens."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    tokenizer = Tokenizer(models.WordPiece({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    path = tmp_path_factory.mktemp("encoder")
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]",
        mask_token="[MASK]", model_max_length=512,
    )  # fmt: skip
    fast.save_pretrained(path)
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(WORDS), hidden_size=16, num_attention_heads=2, intermediate_size=32, num_hidden_layers=2,
        max_position_embeddings=512, initializer_range=0.5,
    )  # fmt: skip
    transformers.BertModel(config).save_pretrained(path)
    return str(path)


def states(folder, words, filled=0):
    """Return the last hidden states of one forward pass over words, and so many pads."""
    import torch
    from transformers import BertModel

    ids = [2, *(WORDS.index(word) for word in words.split()), 3]
    mask = [1] * len(ids) + [0] * filled
    with torch.inference_mode():
        given = torch.tensor([ids + [0] * filled])
        return BertModel.from_pretrained(folder).eval()(given, attention_mask=torch.tensor([mask])).last_hidden_state[0]


def test_the_mean_is_over_the_texts_own_tokens(folder):
    encoder = hugging_face(folder)
    assert encoder.name == f"{folder}, mean"
    assert encoder.embed("a b c") == pytest.approx(states(folder, "a b c").mean(dim=0).numpy(), abs=1e-5)


def test_the_published_way_averages_over_the_filling_too(folder):
    encoder = hugging_face(folder, pooling="pad_mean")
    filled = states(folder, "a b c", 512 - 5)
    assert encoder.embed("a b c") == pytest.approx(filled.mean(dim=0).numpy(), abs=1e-5)
    assert not np.allclose(encoder.embed("a b c"), hugging_face(folder).embed("a b c"), atol=1e-2)


def test_a_long_text_counts_whole_and_is_cut_in_the_published_way(folder):
    head, tail = "a b " * 255, "h " * 300
    whole, cut = hugging_face(folder), hugging_face(folder, pooling="pad_mean")
    assert not np.allclose(whole.embed(head + tail), whole.embed(head), atol=1e-3)
    assert cut.embed(head + tail) == pytest.approx(cut.embed(head), abs=1e-5)
    parts = [states(folder, head), states(folder, tail)]
    assert whole.embed(head + tail) == pytest.approx(
        np.concatenate([part.numpy() for part in parts]).mean(axis=0), abs=1e-4
    )


def test_the_encoder_of_the_package_needs_nothing_else():
    encoder = embedded()
    alike, unlike = (similarity("the doctor saw a patient", other, encoder) for other in ("a nurse", "steel prices"))
    assert similarity("a doctor", "a doctor", encoder) == pytest.approx(1.0) and alike > unlike


@pytest.mark.parametrize(("one", "other", "figure"), [("", "", 1.0), ("", "x", 0.0), ("x", "y", -1.0), ("x", "x", 1.0)])
def test_texts_without_a_vector_are_like_each_other_alone(one, other, figure):
    vectors = {"": np.zeros(2), "x": np.array([1.0, 0]), "y": np.array([-2.0, 0])}
    assert similarity(one, other, Encoder("made", vectors.__getitem__)) == figure


@pytest.mark.parametrize("package", ["torch", "transformers"])
def test_without_its_packages_it_says_what_to_install(monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(OptionError, match=r"pip install 'gama-privacy\[local\]'"):
        hugging_face()


def test_what_is_no_encoder_is_told(tmp_path):
    pytest.importorskip("transformers", reason="needs the extra `local`")
    pytest.importorskip("torch", reason="needs the extra `local`")
    with pytest.raises(ModelUnknown, match="cannot be loaded"):
        hugging_face(str(tmp_path))
