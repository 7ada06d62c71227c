"""The BiLSTM-CRF: its chain against all paths, labels and pieces, training on tiny sets, and as a method."""

import itertools
import json

import pytest

from gama.evals.datasets.corpus import load
from gama.evals.datasets.piibench import as_lines
from gama.evals.metrics.spans import Stretch
from gama.evals.piibench.samples import Maker
from gama.state.errors import InputError, ModelUnreachable, OptionError
from tests.support.commands import runner

torch = pytest.importorskip("torch", reason="needs the extra `local`")

from gama.evals.piibench import bilstm as module  # noqa: E402  (it needs torch)
from gama.evals.piibench.bilstm import LABELS, BiLstmCrf, Crf, Settings, pieces, runs, split, train  # noqa: E402


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """Small tables are read no faster by several threads, and on a busy machine much slower."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def quiet(name: str) -> None:
    pass


SOME = ("O", "B-PER", "I-PER", "E-PER", "S-PER", "S-LOC")


def whole(path):
    """Whether every span of a path is whole, told apart from the chain's own rules."""
    inside = None
    for label in path:
        boundary, _, kind = SOME[label].partition("-")
        if (inside is not None) != (boundary in "IE") or (inside is not None and kind != inside):
            return False
        inside = kind if boundary in "BI" else None
    return inside is None


@pytest.mark.parametrize("seed", range(4))
def test_the_chain_agrees_with_all_paths_one_by_one(seed):
    torch.manual_seed(seed)
    crf = Crf(SOME)
    crf.transitions.data.normal_()
    lengths = [4, 2, 1]
    emissions = torch.randn(3, 4, len(SOME))
    mask = torch.tensor([[float(at < length) for at in range(4)] for length in lengths])
    scores, best = [], []
    for row, length in enumerate(lengths):
        found = {}
        for path in itertools.product(range(len(SOME)), repeat=length):
            if whole(path):
                steps = sum(crf.transitions[a, b].item() for a, b in itertools.pairwise(path))
                found[path] = steps + sum(emissions[row, at, label].item() for at, label in enumerate(path))
        best.append(list(max(found, key=found.get)))
        scores.append(found)
    assert crf.best(emissions, mask) == best
    labels = torch.zeros(3, 4, dtype=torch.long)
    for row, path in enumerate(best):
        labels[row, : len(path)] = torch.tensor(path)
    logs = [torch.logsumexp(torch.tensor(list(found.values())), 0).item() for found in scores]
    right = [max(found.values()) for found in scores]
    expected = sum(log - score for log, score in zip(logs, right, strict=True)) / 3
    assert crf.loss(emissions, labels, mask).item() == pytest.approx(expected, abs=1e-3)


def test_a_span_that_is_not_whole_is_very_unlikely():
    crf, emissions, mask = Crf(SOME), torch.zeros(1, 2, len(SOME)), torch.ones(1, 2)
    assert crf.loss(emissions, torch.tensor([[1, 0]]), mask).item() > 1000


def test_labels_tell_the_spans_again():
    text = "Ann Lee, 34, met Bo in New York City."
    marks = [(0, 7, "PER"), (9, 11, "DEM"), (17, 19, "PER"), (23, 36, "LOC"), (23, 26, "ORG"), (1, 3, "PER")]
    (piece,) = pieces(text, marks)
    found = [(text[piece.places[a][0] : piece.places[b][1]], kind) for a, b, kind in runs(piece.labels)]
    assert found == [("Ann Lee", "PER"), ("34", "DEM"), ("Bo", "PER"), ("New York City", "LOC")]
    assert len(LABELS) == 29 and list(pieces("")) == []


def test_long_texts_are_cut_after_sentences_and_never_lost():
    text = "One two three four five. " * 130 + "word " * 450
    cut = list(pieces(text))
    assert [place for one in cut for place in one.places] == module.split_words(text)
    assert all(len(one.places) <= module.LONGEST for one in cut)
    assert text[cut[0].places[-1][0]] == "."


def test_the_parts_are_apart_and_the_same_each_time():
    parts = split(100, 4)
    assert tuple(map(len, parts)) == (80, 10, 10) and len({at for part in parts for at in part}) == 100
    assert split(100, 4) == parts != split(100, 5) and tuple(map(len, split(10, 1))) == (8, 1, 1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A data set of forty made texts."""
    out = tmp_path_factory.mktemp("made")
    (out / "single.jsonl").write_text(as_lines(Maker(5).singles(40, quiet)), "utf-8")
    return out


TINY = Settings(epochs=6, batch=8, rate=1e-2, words=24, shapes=8, hidden=24, dropout=0.1)


@pytest.fixture(scope="module")
def trained(folder):
    return train(load(folder / "single.jsonl").records, TINY, quiet)


@pytest.mark.slow
def test_it_learns_what_the_made_texts_repeat(folder, trained):
    records = load(folder / "single.jsonl").records
    assert trained.card["texts"] == {"train": 32, "choose": 4, "test": 4} and trained.card["typed_f1"]["choose"] > 0.3
    again = train(records, TINY, quiet)
    text = records[0].example.text
    assert again.spans(text) == trained.spans(text) and again.card == trained.card
    untrained = train(records, Settings(**{**vars(TINY), "epochs": 1, "rate": 1e-9}), quiet)
    assert trained.card["typed_f1"]["choose"] > untrained.card["typed_f1"]["choose"] + 0.2
    spans = trained.spans(text)
    assert spans and all(0 <= one.start < one.end <= len(text) and one.source == "bilstm" for one in spans)


@pytest.mark.slow
def test_it_is_written_and_read_again(tmp_path, trained):
    trained.save(tmp_path / "net")
    again = BiLstmCrf.load(tmp_path / "net")
    text = "My name is Ann Lee, I am 34 and earn $2,100 a month."
    assert again.spans(text) == trained.spans(text) and again.card == trained.card and again.spans("") == []
    (tmp_path / "net" / "bilstm.pt").write_bytes(b"odd")
    with pytest.raises(ModelUnreachable, match="train-bilstm"):
        BiLstmCrf.load(tmp_path / "net")


@pytest.mark.slow
def test_texts_of_several_files_count_once(folder):
    records = load(folder / "single.jsonl").records
    twice = train([*records, *records], Settings(**{**vars(TINY), "epochs": 1}), quiet)
    assert sum(twice.card["texts"].values()) == 40
    with pytest.raises(InputError, match="ten different texts"):
        train([*records[:9], *records[:9]], TINY, quiet)


@pytest.mark.slow
def test_the_commands_train_and_compare(capsys, folder, tmp_path):
    net, out, data = tmp_path / "net", tmp_path / "out.json", folder / "single.jsonl"
    done = runner(capsys)("eval", "train-bilstm", "--data", data, "--out", net, "--epochs", 1, "--batch", 8)
    assert done.code == 0 and "32 texts to train, 4 to choose the epoch (1), 4 to test" in done.out, done.err
    card = json.loads((net / "bilstm.json").read_text("utf-8"))
    assert card["settings"]["rate"] == 1e-3 and card["settings"]["batch"] == 8 and len(card["test_ids"]) == 4
    done = runner(capsys)("eval", "identify", "--data", data, "--methods", "patterns", "--bilstm", net, "--limit", 3,
                          "--resamples", 0, "--json", out)  # fmt: skip
    assert done.code == 0, done.err
    told = json.loads(out.read_text("utf-8"))
    # It does not say whose a span is: Ent-F1 alone, as in the paper.
    assert "ent_global_f1" in told["figures"]["bilstm"] and "strict_f1" not in told["figures"]["bilstm"]
    assert len(told["methods"]["bilstm"]["facts"]["model_sha256"]) == 64


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("identify", "--bilstm", "none"), "train-bilstm"),
        (("train-bilstm", "--data", "none", "--out", "new"), "the file or folder"),
        (("train-bilstm", "--data", "none", "--out", "no/such/folder"), "--out"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(capsys, tmp_path, monkeypatch, arguments, part):
    monkeypatch.chdir(tmp_path)
    done = runner(capsys)("eval", *arguments)
    assert done.code != 0 and part in done.err and done.err.count("\n") == 1


def test_without_torch_it_says_what_to_install(monkeypatch, tmp_path):
    from gama.evals.methods import detectors

    monkeypatch.setattr(detectors, "find_spec", lambda name: None)
    with pytest.raises(OptionError, match="local"):
        detectors.bilstm(tmp_path)


def test_the_defaults_are_the_papers():
    made = Settings()
    assert (made.rate, made.batch, made.epochs) == (1e-3, 32, 50)
    assert Stretch(0, 1, "PER", "full_name").type in module.TYPES
