"""What the options make the private space find with."""

import pytest

from gama.privacy.anonymizer import Anonymizer
from gama.privacy.finders import patterns
from gama.state.errors import ModelUnreachable, OptionError
from gama.state.options import Options

TEXT = "Ticket ACME-1234 of Zoltan Petrovics, 34, mail zoltan@petrovics.example, due 3 May 2024."
RULES = r"""
recognizers:
  - name: acme_ticket
    subtype: case_number
    pattern: 'ACME-\d{4}'
deny: [Bluebird]
allow: [Waxwing]
"""


def kinds(text=TEXT, **options):
    entities = Anonymizer(Options(**options)).identify(text)
    return {entity.text: entity.subtype for entity in entities if entity.private}


def test_types_that_stay():
    every = kinds()
    assert every["34"] == "age" and "3 May 2024" in every
    fewer = kinds(keep=("DATETIME", "age"))
    assert "34" not in fewer and "3 May 2024" not in fewer and "zoltan@petrovics.example" in fewer


def test_deny_beats_types_that_stay():
    assert "34" in kinds(keep=("DEM",), deny=("34",))


def test_thresholds_by_type_and_subtype():
    text = "Marie Curie won. My aunt Zelda Quark lives in Lyon, a city that Rosa likes."
    low = kinds(text, thresholds={"PER": 0.0, "LOC": 0.0})
    assert {"Marie Curie", "Zelda Quark", "Lyon"} <= set(low)
    assert "Marie Curie" not in kinds(text, thresholds={"PER": 0.0, "full_name": 0.9})


def test_recognizers_of_ones_own(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text(RULES)
    text = "Project Bluebird, ticket ACME-1234."
    assert kinds(text, recognizers=str(file)) == {"Bluebird": "other_id", "ACME-1234": "case_number"}


def test_a_changed_file_is_read_anew(tmp_path):
    import os

    file = tmp_path / "mine.yaml"
    file.write_text("deny: [Bluebird]")
    find = patterns(Options(recognizers=str(file)))
    assert find("Bluebird") and not find("Waxwing")
    file.write_text("deny: [Waxwing]")
    os.utime(file, ns=(1, 1))
    assert patterns(Options(recognizers=str(file)))("Waxwing")


def test_disabled_recognizers():
    assert any(s.source == "email" for s in patterns(Options())(TEXT))
    assert not any(s.source == "email" for s in patterns(Options(disable=("email",)))(TEXT))
    with pytest.raises(OptionError, match="'nope'"):
        patterns(Options(disable=("nope",)))


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"pner": ("spacy",)}, "unknown finder 'spacy'"),
        ({"pner": ("huggingface",)}, "unknown finder 'huggingface'"),
        ({"pner": ()}, "pner"),
        ({"keep": ("NAME",)}, "unknown type 'NAME'"),
        ({"thresholds": {"PER": 1.5}}, "thresholds"),
        ({"thresholds": {"person": 0.5}}, "unknown type 'person'"),
    ],
)
def test_bad_choices(values, said):
    with pytest.raises(OptionError, match=said):
        Options(**values)


def test_options_with_thresholds_are_values():
    one, two = Options(thresholds={"PER": 0.2, "age": 1}), Options(thresholds={"age": 1, "PER": 0.2})
    assert one == two and hash(one) == hash(two)
    assert Options(**one.model_dump()) == one


def test_weights_that_are_not_there(tmp_path):
    with pytest.raises(ModelUnreachable, match="gama train identify"):
        Anonymizer(Options(weights=str(tmp_path))).identify("Hello")


def test_weights_of_ones_own(tmp_path):
    import shutil

    from gama.models.embedded import WEIGHTS

    for name in ("identify.onnx", "identify.json", "tokenizer.json"):
        shutil.copy(WEIGHTS / name, tmp_path / name)
    assert kinds(weights=str(tmp_path)) == kinds()
