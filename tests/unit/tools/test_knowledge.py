"""The index of public knowledge: built from small lists, looked up in the forms people write, wrong as seldom as told."""

import gzip
import random
import string
import subprocess
import sys
from importlib.resources import files

import numpy as np
import pytest

from gama.state.errors import InputError
from gama.tools.knowledge.index import (
    FILE,
    FORENAMES,
    LOW,
    Index,
    is_famous,
    is_known,
    key_of,
    look_up,
    may_be_forename,
)
from gama.training import knowledge


def write_list(folder, name, *rows):
    (folder / f"{name}.tsv.gz").write_bytes(gzip.compress("".join(f"{row}\n" for row in rows).encode()))


@pytest.fixture
def lists(tmp_path):
    write_list(tmp_path, "people_wikipedia", "Zelda Quark\tperson\t12", "Quentin Blot\tperson\t", "Xi\tperson\t9")
    write_list(
        tmp_path, "titles_wikidata_en", "Quark (band)\ttitle\t4", "Blotville, Kansas\ttitle\t1", "Quark\ttitle\t1"
    )
    write_list(tmp_path, "places_geonames", "Quarkton\tplace\t250000", "Hamlet of Nine\tplace\t999")
    write_list(tmp_path, "companies_listed", "Quarkworks Holding N.V.\tcompany\t5")
    return tmp_path


def built(lists):
    entries = [entry for name in knowledge.LISTS for entry in read(lists, name)]
    return Index(**knowledge.build(entries))


def read(lists, name):
    file = lists / f"{name}.tsv.gz"
    return list(knowledge.read(file, knowledge.LISTS[name])) if file.is_file() else []


def test_a_built_index_gives_back_kinds_and_fame(lists):
    index = built(lists)
    found = {
        name: index.find(key_of(name)) for name in ("Zelda Quark", "Quentin Blot", "Quark", "Blotville", "Quarkton")
    }
    assert {name: (set(known.kinds), known.fame) for name, known in found.items()} == {
        "Zelda Quark": ({"person"}, 3),
        "Quentin Blot": ({"person"}, 0),
        "Quark": ({"body", "topic"}, 2),
        "Blotville": ({"topic"}, 1),
        "Quarkton": ({"place"}, 2),
    }
    assert index.find(key_of("Quarkworks")).kinds == {"body"}


def test_what_is_too_small_or_too_short_is_left_out(lists):
    keys = {entry.key for name in knowledge.LISTS for entry in read(lists, name)}
    assert keys == {"zeldaquark", "quentinblot", "quark", "blotville", "quarkton", "quarkworks"}


def test_the_command_writes_the_same_bytes_each_time(lists, capsys):
    for out in ("one", "two"):
        assert knowledge.main(["--data", str(lists), "--out", str(lists / out)]) == 0
    assert (lists / "one" / FILE).read_bytes() == (lists / "two" / FILE).read_bytes()
    assert "without airports, brands" in capsys.readouterr().out


def test_forenames_are_what_two_people_are_called(tmp_path):
    write_list(tmp_path, "people_wikipedia", "Zéphi Quark\tperson\t", "Zephi Blot\tperson\t", "Qlo Blot\tperson\t9")
    write_list(tmp_path, "people_wikidata", "Zephi Blot\tperson\t3", "Xi Ai\tperson\t9", "Qlo\tperson\t9")
    files = [tmp_path / "people_wikipedia.tsv.gz", tmp_path / "people_wikidata.tsv.gz"]
    assert [(one.key, one.fame) for one in knowledge.forenames(files)] == [("zephi", 1), ("zéphi", 1)]
    assert knowledge.main(["--data", str(tmp_path), "--out", str(tmp_path / "out")]) == 0
    with (tmp_path / "out" / FORENAMES).open("rb") as stored, np.load(stored, allow_pickle=False) as arrays:
        assert Index(**arrays).find("zephi")


def test_rare_forenames_are_known_and_accents_count():
    assert may_be_forename("Sjoerd") and may_be_forename("Iñaki") and may_be_forename("Inaki")
    assert not may_be_forename("Märk") and not may_be_forename("Bitte")


def test_broken_and_absent_lists_are_told(tmp_path):
    with pytest.raises(InputError, match="there is no list"):
        knowledge.main(["--data", str(tmp_path), "--out", str(tmp_path)])
    write_list(tmp_path, "brands", "Quark", "Blot\tbrand\tmuch")
    with pytest.raises(InputError, match=r"brands\.tsv\.gz, line 1"):
        knowledge.main(["--data", str(tmp_path), "--out", str(tmp_path)])


@pytest.mark.parametrize("count", [0, 1, 2, 5000])
def test_every_name_is_found_again(count):
    keys = [f"name{number}" for number in range(count)]
    index = Index(**knowledge.build(knowledge.Entry(key, "work", 1) for key in keys))
    assert len(index) == count
    assert all(index.find(key) is not None for key in keys)
    assert index.find("") is None


def test_names_on_no_list_hit_once_in_256_look_ups():
    dice = random.Random(5)
    made = ["".join(dice.choices(string.ascii_lowercase, k=16)) for _ in range(40_000)]
    index = Index.load()
    hits = sum(index.find(name) is not None for name in made)
    expected = len(made) / 2**LOW
    assert 0.7 * expected < hits < 1.3 * expected


@pytest.mark.parametrize(
    "name",
    [
        "Marie Curie",
        "MARIE CURIE",
        "marie  curie",
        "Marie Curie's",
        "John F. Kennedy",
        "The Beatles",
        "beatles",
        "Bjork",
    ],
)
def test_spellings_are_levelled(name):
    assert look_up(name) is not None


@pytest.mark.parametrize(
    ("written", "listed"),
    [
        ("The Who", "Who"),
        ("James's", "James"),
        ("Alien (film)", "Alien"),
        ("ASML Holding N.V.", "ASML"),
        ("Müller GmbH & Co", "Müller GmbH & Co"),
        ("Bad Company", "Bad Company"),
        ("Ángel Di María", "Angel di Maria"),
        ("J. R. R. Tolkien", "J.R.R. Tolkien"),
    ],
)
def test_keys_of_one_name_are_one(written, listed):
    assert key_of(written) == key_of(listed)
    assert key_of("Bad Company") != key_of("Bad")


def test_fame_and_kind_are_told_apart():
    assert is_famous("Elon Musk") and not is_famous("Castor McCord") and look_up("Castor McCord")
    assert is_known("Mayo Clinic", "ORG") and is_known("Kyoto", "LOC") and not is_known("Kyoto", "DEM")


def test_the_file_is_small_and_holds_no_names():
    file = files("gama.tools.knowledge") / "data" / FILE
    assert len(file.read_bytes()) <= 3_000_000
    with file.open("rb") as stored, np.load(stored, allow_pickle=False) as arrays:
        assert {array.dtype for array in arrays.values()} == {np.dtype(np.uint8)}
        assert len(arrays["low"]) == len(arrays["codes"]) > 1_500_000


def test_importing_it_reads_nothing():
    code = (
        "import gama.tools.knowledge.index as index;"
        "assert not index._index.cache_info().currsize and not index._common_names.cache_info().currsize;"
        "assert index.look_up('Marie Curie') and index._index.cache_info().currsize == 1"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_numbers_are_found_as_in_a_sorted_list():
    """The high bits are counted where they are asked for: in the first byte, the last, and where many names share them."""
    rng = np.random.default_rng(3)
    for count in (1, 2, 9, 300):
        numbers = np.unique(rng.integers(0, count << LOW, count, dtype=np.int64))
        high, low = numbers >> LOW, (numbers & (1 << LOW) - 1).astype(np.uint8)
        bits = np.zeros(len(numbers) + int(high[-1]) + 1, dtype=np.uint8)
        bits[high + np.arange(len(numbers))] = 1
        index = Index(low, np.packbits(bits), np.ones(len(numbers), dtype=np.uint8))
        found = [index._rank(rank) for rank in range(int(high[-1]) + 3)]
        assert found == [int(np.searchsorted(high, rank)) for rank in range(int(high[-1]) + 3)]
