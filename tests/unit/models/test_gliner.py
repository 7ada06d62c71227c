"""GLiNER as a finder: on a tiny random checkpoint of the real package, and the chunks without it."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gama.models.gliner import CHUNK_CHARS, LABELS, GlinerTagger, chunks
from gama.models.huggingface_ner import subtype_of
from gama.state.entities import TYPE_OF
from gama.state.errors import ModelUnreachable, OptionError


@given(st.text(alphabet="ab \n\U0001f600é", max_size=6_000))
def test_chunks_cover_the_text(text):
    covered = 0
    for start, end in chunks(text):
        assert start <= covered and covered < end <= len(text)
        assert end - start <= CHUNK_CHARS
        covered = end
    assert covered == len(text)


def test_labels_are_known_subtypes():
    assert set(map(subtype_of, LABELS)) <= set(TYPE_OF)


def test_offsets_of_far_chunks_and_overlaps():
    class Model:
        """Finds every `Ana`, twice with different labels."""

        def predict_entities(self, text, labels, threshold):
            assert set(labels) == set(LABELS) and threshold == 0.5
            found, at = [], text.find("Ana")
            while at >= 0:
                found += [
                    {"start": at, "end": at + 3, "label": "person", "score": 0.9},
                    {"start": at, "end": at + 2, "label": "city", "score": 0.6},
                ]
                at = text.find("Ana", at + 1)
            return found

    text = "Ana and so on. " * 400
    spans = GlinerTagger(model=Model()).spans(text)
    assert [s.start for s in spans] == list(range(0, len(text), 15))
    assert {(text[s.start : s.end], s.subtype, s.source, s.private) for s in spans} == {
        ("Ana", "full_name", "gliner", None)
    }


def test_missing_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "gliner", None)
    with pytest.raises(OptionError, match="pip install gliner"):
        GlinerTagger()


def test_a_real_checkpoint(tmp_path):
    gliner = pytest.importorskip("gliner")
    from transformers import BertConfig, BertModel, BertTokenizerFast

    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", ",", *letters, *(f"##{char}" for char in letters)]
    (tmp_path / "vocab.txt").write_text("\n".join(words))
    BertTokenizerFast(vocab_file=str(tmp_path / "vocab.txt")).save_pretrained(tmp_path)
    tiny = BertConfig(
        vocab_size=len(words), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16
    )
    BertModel(tiny).save_pretrained(tmp_path)
    config = gliner.GLiNERConfig(model_name=str(tmp_path), hidden_size=16, max_len=384, fine_tune=True)
    gliner.GLiNER.from_config(config).save_pretrained(tmp_path / "checkpoint")
    text = "Ana lives in Porto. " * 90
    spans = GlinerTagger(str(tmp_path / "checkpoint"), threshold=0.01).spans(text)
    assert spans and all(text[s.start : s.end].strip() for s in spans)
    assert all(one.end <= two.start for one, two in zip(spans, spans[1:], strict=False))


def test_a_missing_checkpoint(tmp_path):
    pytest.importorskip("gliner")
    with pytest.raises(ModelUnreachable, match="folder"):
        GlinerTagger(str(tmp_path / "nothing"))
