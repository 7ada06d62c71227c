"""What the package ships: onnxruntime is loaded without its telemetry, and the word vectors."""

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from threading import Barrier
from time import sleep

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gama.models import embedded, selector
from gama.models.shipped import WordVectors, word_vectors

READ = """
from gama.models.embedded import embedded_tagger
assert embedded_tagger().spans("My name is Emma Williams.")
"""
HARMLESS = {"ORT_DISABLE_TELEMETRY": "0"}


def made(home, code: str, environment: dict[str, str]) -> list[str]:
    """Run code with a home folder of its own; returns what onnxruntime has left there."""
    clean = {name: value for name, value in os.environ.items() if name not in ("XDG_CACHE_HOME", *HARMLESS)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=clean | {"HOME": str(home), "PYTHONPATH": os.pathsep.join(sys.path)} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [path.name for path in home.rglob("*") if "onnxruntime" in str(path)]


@pytest.mark.parametrize("environment", [{}, HARMLESS])
def test_nothing_is_kept_and_nothing_is_started(tmp_path, environment):
    assert made(tmp_path, READ, environment) == []


@pytest.mark.skipif(sys.platform != "linux", reason="where the library says that it reports")
def test_the_check_can_fail(tmp_path):
    """Without our switch the library does leave traces; an older one, or a build without reports, does not."""
    if not made(tmp_path, "import onnxruntime", {}):
        pytest.skip("this build of onnxruntime does not report")


def test_it_is_off_where_somebody_else_imported_it():
    code = (
        "import onnxruntime\ncalled = []\nonnxruntime.disable_telemetry_events = lambda: called.append(1)\n"
        "from gama.models.shipped import quiet_onnxruntime\nquiet_onnxruntime()\nassert called"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ | {"ORT_DISABLE_TELEMETRY": "1"})


DOMAINS = (
    "Entertainment Finance History Law Sociology Arts Literature Medicine Politics Sports Technology Business "
    "Communication Science Education Environment Agriculture Philosophy Transportation Psychology"
).split()


def nearest(word):
    return max(DOMAINS, key=lambda domain: word_vectors().similarity(word, domain))


@pytest.mark.parametrize(
    ("word", "domains"),
    [
        ("music", {"Entertainment", "Arts"}),
        ("surgeon", {"Medicine"}),
        ("verdict", {"Law"}),
        ("mortgage", {"Finance"}),
        ("football", {"Sports"}),
        ("election", {"Politics"}),
        ("tractor", {"Agriculture"}),
        ("novel", {"Literature"}),
        ("pollution", {"Environment"}),
        ("teacher", {"Education"}),
        ("lawyer", {"Law"}),
        ("physics", {"Science"}),
        ("train", {"Transportation"}),
        ("ethics", {"Philosophy", "Law"}),
    ],
)
def test_a_word_lies_nearest_to_its_domain(word, domains):
    assert nearest(word) in domains


def test_every_reference_domain_is_known():
    assert all(domain in word_vectors() for domain in DOMAINS)


def test_vectors_are_of_unit_length_and_case_does_not_matter():
    vector = word_vectors().vector("Medicine")
    assert vector is not None
    assert vector.shape == (word_vectors().dim,)
    assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-5)
    assert np.array_equal(vector, word_vectors().vector("medicine"))


@pytest.mark.parametrize("unknown", ["xqzzt", "", "two words", "naïvetéx", "42"])
def test_unknown_words_have_no_vector(unknown):
    assert word_vectors().vector(unknown) is None
    assert unknown not in word_vectors()


def test_a_text_without_known_words_is_zero_and_like_nothing():
    assert not word_vectors().embed("123 ?!").any()
    assert word_vectors().similarity("123", "law") == 0.0


def test_the_rare_word_counts_more_than_the_frequent_one():
    vectors = word_vectors()
    assert vectors.similarity("the surgeon", "surgeon") > vectors.similarity("the surgeon", "the")


def test_a_text_is_near_its_subject():
    vectors = word_vectors()
    text = "The plaintiff asked the court for damages after the contract was broken."
    assert max(DOMAINS, key=lambda domain: vectors.similarity(text, domain)) == "Law"


@given(st.text(max_size=60), st.text(max_size=60))
def test_similarity_is_a_symmetric_cosine(a, b):
    vectors = word_vectors()
    assert -1.0 <= vectors.similarity(a, b) <= 1.0
    assert vectors.similarity(a, b) == pytest.approx(vectors.similarity(b, a), abs=1e-6)


def test_shared_vectors_cannot_be_changed_by_a_caller():
    vector = word_vectors().vector("law")
    assert vector is not None
    with pytest.raises(ValueError):
        vector[0] = 9.0


def test_it_is_loaded_once_and_threads_may_share_it():
    seen = []
    threads = [
        threading.Thread(target=lambda: seen.append(word_vectors().similarity("bank", "finance"))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(seen)) == 1
    assert word_vectors() is word_vectors()


def test_mismatched_parts_are_refused():
    with pytest.raises(ValueError, match="do not match"):
        WordVectors(["a", "b"], np.ones((1, 4), dtype=np.float32), np.ones(2, dtype=np.float32))


@pytest.mark.parametrize(
    ("module", "made", "kept", "ask"),
    [
        (embedded, "Tagger", "_shipped_tagger", "embedded_tagger"),
        (selector, "EmbeddedSelector", "_shipped_selector", "embedded_selector"),
    ],
)
def test_threads_that_ask_together_load_a_model_once(monkeypatch, module, made, kept, ask):
    loaded, together = [], Barrier(8)

    def load() -> object:
        sleep(0.05)
        loaded.append(object())
        return loaded[-1]

    def asked(_: int) -> object:
        together.wait(30)
        return getattr(module, ask)()

    monkeypatch.setattr(module, made, load)
    monkeypatch.setattr(module, kept, cache(getattr(module, kept).__wrapped__))
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(asked, range(8))) == set(loaded)
    assert len(loaded) == 1
