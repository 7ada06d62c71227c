"""Whose texts are simulated: reading, cutting, and the split by profile; and the numbers, each with whose it is."""

import json
import re

import pytest
import yaml

from gama.evals.datasets.source import SOURCES
from gama.state.errors import InputError, OptionError
from gama.training.seal.config import SHIPPED, read_config
from gama.training.seal.sources import Profile, cut, digest, read_profiles, split_profiles
from tests.support.teaching import config_of


def written(tmp_path, *rows):
    path = tmp_path / "profiles.jsonl"
    path.write_text("\n".join(json.dumps(row) if isinstance(row, dict) else row for row in rows), encoding="utf-8")
    return path


def test_profiles_of_ours_are_read(tmp_path):
    rows = (
        {"id": "a", "truth": {"age": 34, "gender": ""}, "comments": ["One.", " ", "Two.\u2028Still two."]},
        {"id": "b", "truth": {"location": "Porto"}, "text": "One.\n\nTwo.", "more": 1},
    )
    assert read_profiles(written(tmp_path, *rows)) == [
        Profile("a", {"age": "34"}, ("One.", "Two.\u2028Still two.")),
        Profile("b", {"location": "Porto"}, ("One.", "Two.")),
    ]


def test_synthpai_is_read_by_path():
    found = read_profiles(SOURCES["synthpai"].shipped)
    assert found[0].truth["gender"] == "female" and found[0].truth["location"] == "Porto, Portugal"
    assert len(found) == 2 and all(len(one.comments) > 1 for one in found)
    assert not any({"sex", "city_country"} & set(one.truth) for one in found)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (["{"], "line 1 of the profiles is no JSON"),
        ([{"id": "a", "text": "x"}, {"text": "x"}], "line 2 of the profiles: it has no id"),
        ([{"id": "a", "text": "x", "truth": {"shoe size": "44"}}], "truth is not about age"),
        ([{"id": "a", "text": "  "}], "no comments"),
        ([{"id": "a", "comments": [1]}], "no comments"),
        ([{"id": "a", "text": "x"}, {"id": "a", "text": "y"}], "same id"),
        ([], "no profile"),
    ],
)
def test_what_is_no_profile_is_named(tmp_path, rows, said):
    with pytest.raises(InputError, match=said):
        read_profiles(written(tmp_path, *rows))
    with pytest.raises(InputError, match="cannot be read"):
        read_profiles(tmp_path / "none")


def test_no_profile_is_in_two_splits():
    names = [f"p{n}" for n in range(40)]
    found = split_profiles(names, 5, 7, 3)
    assert sorted(found.values()).count("test") == 7 and list(found.values()).count("validation") == 5
    assert split_profiles(reversed(names), 5, 7, 3) == found, "the order of the file says nothing"
    assert split_profiles(names, 5, 7, 4) != found
    with pytest.raises(InputError, match="cannot be split"):
        split_profiles(names, 20, 20, 3)


def test_all_texts_of_a_profile_are_in_its_split():
    some = [Profile(f"p{n}", {}, tuple(f"Comment {k}." for k in range(7))) for n in range(9)]
    found = cut(some, config_of(trajectories={"comments_per_text": 3}).trajectories, 1)
    assert len(found.texts) == 27 and len({one.id for one in found.texts}) == 27
    assert len({(one.profile, one.split) for one in found.texts}) == 9
    assert found.texts[0].text == "Comment 0.\n\nComment 1.\n\nComment 2." and found.texts[2].text == "Comment 6."


def test_what_is_too_long_or_too_many_is_left_out_and_counted():
    one = Profile("p", {}, ("short", "long " * 100, *(f"c{n}" for n in range(5))))
    numbers = {"comments_per_profile": 5, "comments_per_text": 9, "text_tokens": 60}
    config = config_of(trajectories=numbers | {"test_profiles": 0, "validation_profiles": 0})
    found = cut([one], config.trajectories, 1)
    assert (found.too_long, found.too_many) == (1, 2)
    assert [text.text for text in found.texts] == ["short\n\nc0\n\nc1\n\nc2"]
    tight = config_of(trajectories=numbers | {"text_tokens": 18, "test_profiles": 0, "validation_profiles": 0})
    assert [text.text for text in cut([one], tight.trajectories, 1).texts] == ["short", "c0\n\nc1", "c2"]


def test_a_hash_tells_profiles_apart():
    one, other = Profile("a", {"age": "3"}, ("x",)), Profile("a", {"age": "4"}, ("x",))
    assert digest([one]) != digest([other]) and digest([one]) == digest([Profile("a", {"age": "3"}, ("x",))])


def test_every_number_says_whose_it_is():
    numbers = [line for line in SHIPPED.read_text("utf-8").splitlines() if line and not re.fullmatch(r"#.*|\w+:", line)]
    assert len(numbers) > 45
    assert not [line for line in numbers if not re.search(r"# (paper|notes|ours)\b", line)]
    # What the paper does not tell is never said to be the paper's (spec 04 §4.2).
    unknown = ("rank", "alpha", "targets", "learning_rate", "beta:", "batch", "max_length", "warmup", "weight_")
    assert not [line for line in numbers if line.strip().startswith(unknown) and "# ours" not in line]
    assert set(yaml.safe_load(SHIPPED.read_text("utf-8"))) == set(read_config().model_dump())


def test_numbers_of_ones_own_go_before_the_shipped(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("seed: 3\nsft: {learning_rate: 1.0e-3}\n")
    found = read_config(path)
    assert (found.seed, found.sft.learning_rate, found.sft.batch) == (3, 1e-3, 32)
    assert found.data.utility_slack == 0, "the paper's literal rule"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sft: {rate: 1}", "sft.rate"),
        ("dpo: {beta: 0}", "dpo.beta"),
        ("lora: {rank: -1}", "lora.rank"),
        ("data: {privacy_count: some}", "data.privacy_count"),
        ("- 1", "no entries"),
        ("a: [", "cannot be read"),
    ],
)
def test_a_wrong_number_is_named(tmp_path, text, said):
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(OptionError, match=said):
        read_config(path)
