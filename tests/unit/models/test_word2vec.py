"""Word vectors in Word2Vec's formats, and the published choice among ten domains over them."""

import gzip

import numpy as np
import pytest

from gama.models.shipped import vectors_of, word_vectors
from gama.models.word2vec import read_vectors
from gama.state.errors import OptionError
from gama.state.options import Options
from gama.tools.domains.analysis import analyse
from gama.tools.domains.index import domain_index
from gama.tools.domains.packs import DOMAINS, SETS

MUSIC = {
    "entertainment": 0.3037, "financial": 0.0899, "history": 0.1083, "legal": 0.0744, "literature": 0.2319,
    "medical": 0.1298, "politics": 0.0927, "sports": 0.1202, "technology": 0.1551, "science": 0.2235,
}  # fmt: skip
"""The cosines of "music" with the ten domains in GoogleNews (spec 01 §1.5), made again in two components each."""


def vectors():
    found = {"music": np.array([1.0, 0.0], np.float32)}
    found |= {word: np.array([cos, (1 - cos**2) ** 0.5], np.float32) for word, cos in MUSIC.items()}
    return {"Music": np.array([0.0, 9.0], np.float32), "in_the_air": np.ones(2, np.float32)} | found


def binary(rows, end=b""):
    body = b"".join(word.encode() + b" " + row.astype("<f4").tobytes() + end for word, row in rows.items())
    return f"{len(rows)} 2\n".encode() + body


def text(rows):
    return "".join(f"{word} {' '.join(map(repr, map(float, row)))}\n" for word, row in rows.items())


@pytest.fixture(params=["bin", "broken lines", "gz", "text", "text without a head"])
def file(tmp_path, request):
    rows, kind = vectors(), request.param
    path = tmp_path / {"gz": "v.bin.gz", "bin": "v.bin", "broken lines": "v.bin"}.get(kind, "v.txt")
    content = binary(rows, b"\n" if kind == "broken lines" else b"")
    if path.suffix == ".txt":
        content = ((f"{len(rows)} 2\n" if kind == "text" else "") + text(rows)).encode()
    path.write_bytes(gzip.compress(content) if kind == "gz" else content)
    return path


def test_both_formats_are_read_and_eq_7_over_them_is_the_published_one(file):
    words = vectors_of(str(file))
    assert len(words) == 11 and words.dim == 2 and "in_the_air" not in words
    np.testing.assert_allclose(words.vector("Music"), [1, 0], atol=1e-6)
    known = domain_index(words, (), "ten")
    (row,) = known.ho(["Music"])
    np.testing.assert_allclose(row, list(MUSIC.values()), atol=1e-4)
    assert known.names[int(row.argmax())] == "Entertainment" and [name.lower() for name in known.names] == list(MUSIC)
    assert vectors_of(str(file)) is words and vectors_of(None) is word_vectors()


def test_frequent_words_count_less_in_a_mean(tmp_path):
    path = tmp_path / "v.txt"
    filler = {f"w{n}": np.ones(2, np.float32) for n in range(2000)}
    path.write_text(text({"the": np.array([1, 0])} | filler | {"loan": np.array([0, 1])}), "utf-8")
    first, second = read_vectors(path).embed("the loan")
    assert 0 < first < second


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("v.bin", b"no numbers\n", "two numbers"),
        ("v.bin", binary(vectors())[:-3], "midst of a word"),
        ("v.bin", b"1 2\n" + b"x" * 20_000, "does not end"),
        ("v.txt", b"3 2\na 1 2\nb 1\n", "another number of components"),
        ("v.txt", b"", "first line is empty"),
        ("v.txt", b"THE 1 2\n", "no lower-case word"),
        ("v.txt", b"a b c\n", "ValueError"),
        ("v.bin.gz", b"not packed", "BadGzipFile"),
    ],
)
def test_what_is_no_file_of_vectors_is_refused(tmp_path, name, content, said):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(OptionError, match=said):
        vectors_of(str(path))
    with pytest.raises(OptionError, match="does not exist"):
        vectors_of(str(tmp_path / "none.bin"))


LETTER = "My landlord refuses to return the deposit after I moved out; the lease says two months. Can I sue?"


@pytest.mark.parametrize("mode", ["learned", "paper", "code", "threshold"])
def test_the_ten_domains_serve_in_every_mode(mode):
    found = analyse(LETTER, words=word_vectors(), topk_mode=mode, domain_set="ten", threshold=0.1)
    assert found.rules[0].domain == "legal" and found.d.shape[1] == found.elm.shape[1] == 10
    assert {rule.domain for rule in found.rules} <= {domain.name for domain in SETS["ten"]}
    whole = analyse(LETTER, words=word_vectors(), topk_mode=mode, threshold=0.1)
    assert whole.rules[0].domain == "Law" and whole.d.shape[1] == len(DOMAINS) == 20


def test_the_ten_have_the_keywords_of_those_they_are():
    for domain in SETS["ten"]:
        same = next(one for one in DOMAINS if one.name == (domain.of or domain.name))
        assert domain.keywords == same.keywords and domain.description == same.description


def test_learned_memberships_stay_over_the_shipped_vectors(file):
    mine, shipped = (analyse(LETTER, words=words) for words in (vectors_of(str(file)), word_vectors()))
    assert [rule.domain for rule in mine.rules] == [rule.domain for rule in shipped.rules]


def test_threshold_and_joining_choose():
    def chosen(**more):
        return analyse(LETTER, words=word_vectors(), topk_mode="threshold", k=20, **more).ranking

    assert len(chosen(threshold=0.05)) > len(chosen(threshold=0.5))
    assert chosen(threshold=0.25) != chosen(threshold=0.25, collapse="mean")


def test_the_options_are_checked():
    made = Options(domain_set="ten", collapse="mean", topk_threshold=0.2, word_vectors="v.bin")
    assert (made.domain_set, made.collapse, made.topk_threshold) == ("ten", "mean", 0.2)
    for wrong in ({"domain_set": "eleven"}, {"collapse": "sum"}, {"topk_threshold": 2}, {"private_device": "C:\\x"}):
        with pytest.raises(OptionError):
            Options(**wrong)
