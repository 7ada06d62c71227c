"""Token classifiers of Hugging Face: labels, exact offsets, long texts, and clear errors."""

import sys
import warnings
from importlib.resources import files

import pytest

from gama.models.huggingface_ner import (
    LEFT_OUT,
    TokenClassifier,
    known_labels,
    label_key,
    read_labels,
    subtype_of,
)
from gama.state.entities import TYPE_OF
from gama.state.errors import ModelUnreachable, OptionError

WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "ada",
    "byron",
    "##s",
    "oslo",
    "in",
    "lives",
    "bergen",
    ",",
    ".",
    "u",
    "[MASK]",
]
LABELS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC", "B-MISC"]
MEANING = {"ada": "B-PER", "byron": "I-PER", "##s": "O", "oslo": "B-LOC", "bergen": "I-LOC", ".": "B-MISC"}


@pytest.fixture(autouse=True)
def calm():
    # What the loaders of other makers warn of is none of ours; a warning of ours is caught where it is expected.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.fixture
def checkpoint(tmp_path):
    """Return what saves a tiny BERT token classifier: random, or one that gives every piece a label of its own."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    def save(labels=LABELS, meaning=None, positions=32, head=True, folder="tagger"):
        tokenizer = Tokenizer(models.WordPiece({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]"))
        tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        tokenizer.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
        )
        path = tmp_path / folder
        fast = transformers.PreTrainedTokenizerFast(
            tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]",
            mask_token="[MASK]", model_max_length=positions,
        )  # fmt: skip
        fast.save_pretrained(path)
        torch.manual_seed(0)
        config = transformers.BertConfig(
            vocab_size=len(WORDS), hidden_size=len(WORDS) + 1, num_attention_heads=1, intermediate_size=8,
            num_hidden_layers=0 if meaning is not None else 1, max_position_embeddings=positions,
            id2label=dict(enumerate(labels)), label2id={label: at for at, label in enumerate(labels)},
        )  # fmt: skip
        kind = transformers.BertForTokenClassification if head else transformers.BertModel
        model = kind(config)
        if meaning is not None:
            size = len(WORDS) + 1
            bert = model.bert.embeddings
            with torch.no_grad():
                # One piece, one dimension: what comes out is the label of the piece, whatever stands around it.
                bert.word_embeddings.weight.copy_(torch.eye(size)[: len(WORDS)])
                bert.position_embeddings.weight.zero_()
                bert.token_type_embeddings.weight.zero_()
                model.classifier.weight.zero_()
                model.classifier.bias.zero_()
                for at, word in enumerate(WORDS):
                    model.classifier.weight[labels.index(meaning.get(word, labels[0])), at] = 1.0
        model.save_pretrained(path)
        return str(path)

    return save


def found(tagger, text):
    return [(text[span.start : span.end], span.subtype) for span in tagger.spans(text)]


def test_spans_have_the_offsets_of_the_original_text(checkpoint):
    tagger = TokenClassifier(checkpoint(meaning=MEANING))
    text = "  Ada   BYRONs,\nlives in ÓSLO Bergen. in Bergen"
    assert found(tagger, text) == [("Ada   BYRONs", "full_name"), ("ÓSLO Bergen", "city"), ("Bergen", "city")]
    first = tagger.spans(text)[0]
    assert (first.type, first.view, first.private, first.validated) == ("PER", "pner", None, False)
    assert 0.0 < first.score <= 1.0 and first.source.startswith("huggingface:")


def test_it_is_a_method_of_the_evaluations(checkpoint):
    from gama.evals.methods.catalog import choose
    from gama.state.options import Options

    path, other = checkpoint(meaning=MEANING), checkpoint(meaning=MEANING, folder="more/tagger")
    methods = choose(Options(), ["patterns"], huggingface=[path, other]).methods
    assert [method.name for method in methods] == ["patterns", "tagger", other]
    assert methods[1].hide("Ada lives in Oslo").masked == "<name-1> lives in <location-2>"
    facts = methods[1].facts()
    assert len(facts["revision"]) == 64 and facts["transformers"] != "-"


def test_a_new_beginning_is_a_new_span_and_another_kind_too(checkpoint):
    tagger = TokenClassifier(checkpoint(meaning=MEANING))
    assert found(tagger, "Ada Ada Byron") == [("Ada", "full_name"), ("Ada Byron", "full_name")]
    assert found(tagger, "Ada Bergen") == [("Ada", "full_name"), ("Bergen", "city")]
    assert found(tagger, "Ada . Byron") == [("Ada", "full_name"), ("Byron", "full_name")]  # MISC is left out


@pytest.mark.parametrize("text", ["", " \n", "\ud800", "Ada\ud800 lives", "\u200b", "in"])
def test_odd_texts_are_no_trouble(checkpoint, text):
    tagger = TokenClassifier(checkpoint(meaning=MEANING))
    assert found(tagger, text) == ([("Ada", "full_name")] if text.startswith("Ada") else [])


def test_long_texts_are_read_in_windows_with_nothing_lost(checkpoint):
    tagger = TokenClassifier(checkpoint(meaning=MEANING))
    text = "Ada Byron lives in Oslo, " * 40
    assert found(tagger, text) == [("Ada Byron", "full_name"), ("Oslo", "city")] * 40


def test_a_random_model_gives_sound_spans_for_any_length(checkpoint):
    tagger = TokenClassifier(checkpoint())
    for times in (1, 3, 9, 50):
        text = "Ada byrons. lives, in Oslo \n" * times
        spans = tagger.spans(text)
        assert spans == sorted(spans) == tagger.spans(text)
        assert all(0 <= one.start < one.end <= len(text) for one in spans)
        assert all(one.end <= other.start for one, other in zip(spans, spans[1:], strict=False))
        assert all(not text[one.start].isspace() and not text[one.end - 1].isspace() for one in spans)


def test_plain_and_bioes_schemes(checkpoint):
    plain = ["O", "PER", "LOC", "E-MAIL"]
    meaning = {"ada": "PER", "byron": "PER", "oslo": "LOC", "u": "E-MAIL"}
    tagger = TokenClassifier(checkpoint(plain, meaning))
    assert found(tagger, "Ada Byron Oslo u") == [("Ada Byron", "full_name"), ("Oslo", "city"), ("u", "email")]
    bioes = ["O", "B-PER", "I-PER", "E-PER", "S-PER"]
    meaning = {"ada": "B-PER", "in": "I-PER", "byron": "E-PER", "oslo": "S-PER"}
    tagger = TokenClassifier(checkpoint(bioes, meaning, folder="bioes"))
    names = [surface for surface, _ in found(tagger, "Ada in Byron Byron Oslo Oslo Ada")]
    assert names == ["Ada in Byron", "Byron", "Oslo", "Oslo", "Ada"]


def test_unknown_labels_are_told_once_and_left_out(checkpoint):
    labels = ["O", "B-PER", "I-PER", "B-PLANET", "B-MISC", "I-SPELL"]
    path = checkpoint(labels, {"ada": "B-PER", "oslo": "B-PLANET"})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tagger = TokenClassifier(path)
        assert found(tagger, "Ada Oslo") == [("Ada", "full_name")]
        tagger.spans("Oslo")
    told = [str(one.message) for one in caught if "stand for no type" in str(one.message)]
    assert len(told) == 1 and "PLANET, SPELL" in told[0] and "MISC" not in told[0]


def test_the_hash_of_a_folder_stands_for_its_revision(checkpoint):
    one, other = TokenClassifier(checkpoint()), TokenClassifier(checkpoint(meaning=MEANING, folder="other"))
    assert len(one.revision) == 64 and one.revision != other.revision
    assert one.device in ("cpu", "cuda")


def test_what_is_no_token_classifier_is_refused(checkpoint, tmp_path):
    with pytest.raises(ModelUnreachable, match="it is a BertModel, not a token classifier"):
        TokenClassifier(checkpoint(head=False, folder="bare"))
    with pytest.raises(ModelUnreachable, match="none of its labels"):
        TokenClassifier(checkpoint(["LABEL_0", "LABEL_1"], folder="unnamed"))
    with pytest.raises(ModelUnreachable, match="cannot be used"):
        TokenClassifier(str(tmp_path / "nothing"))
    (tmp_path / "junk").mkdir()
    (tmp_path / "junk" / "config.json").write_text("{")
    with pytest.raises(ModelUnreachable, match="Give a folder with a saved model"):
        TokenClassifier(str(tmp_path / "junk"))


def test_a_head_that_was_never_trained_is_refused(checkpoint):
    import json
    from pathlib import Path

    config = Path(checkpoint(head=False, folder="bare")) / "config.json"
    content = json.loads(config.read_text()) | {"architectures": ["BertForTokenClassification"]}
    config.write_text(json.dumps(content))
    with pytest.raises(ModelUnreachable, match="no trained head"):
        TokenClassifier(str(config.parent))


@pytest.mark.parametrize("package", ["torch", "transformers"])
def test_without_its_packages_it_says_what_to_install(monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(OptionError, match=r"pip install 'gama-privacy\[local\]'"):
        TokenClassifier("any/name")


def test_every_label_of_the_table_has_one_meaning_that_exists():
    table = files("gama.models").joinpath("data", "ner_labels.txt").read_text(encoding="utf-8")
    rows = [line.partition(": ") for line in table.splitlines() if not line.startswith("#")]
    labels = [label for _, _, many in rows for label in many.split()]
    assert len(labels) == len(set(labels)) == len(known_labels()), "no label stands twice, nor both in and left out"
    assert {subtype for subtype, _, _ in rows} - {LEFT_OUT} <= set(TYPE_OF) and LEFT_OUT in known_labels().values()
    assert all(label_key(label) == label for label in labels)


@pytest.mark.parametrize(
    ("label", "subtype"),
    [
        ("PER", "full_name"), ("Person", "full_name"), ("GPE", "city"), ("LOC", "city"), ("ORG", "company"),
        ("DATE", "date"), ("EMAIL", "email"), ("FIRST_NAME", "first_name"), ("givenName", "first_name"),
        ("private_phone", "phone"), ("CREDIT-CARD", "credit_card"), ("MISC", None), ("PLANET", None),
    ],
)  # fmt: skip
def test_usual_labels(label, subtype):
    assert subtype_of(label) == subtype
    assert (label_key(label) in known_labels()) is (label != "PLANET")


def test_prefixes_are_read_only_where_the_scheme_has_them():
    assert [label.kind for label in read_labels(["O", "E-MAIL", "S-NAME"])] == ["", "E-MAIL", ""]
    read = read_labels(["O", "B-PER", "L-PER", "U_PER", "M-PER", "EMAIL"])
    assert [label.place for label in read] == ["", "B", "E", "S", "I", "I"]
