"""Privacy, utility by encoder and by judge, their balance, and the styles of masks (spec 03 §3.6)."""

import json
from random import Random

import numpy as np
import pytest

from gama.evals.datasets.corpus import load
from gama.evals.datasets.piibench import BenchRecord, Fact, Mention, as_lines
from gama.evals.piibench.encoders import cosines, encoder
from gama.evals.piibench.masks import STYLES, masked
from gama.evals.piibench.utility import (
    STRATEGIES,
    Ledger,
    Verdict,
    Weights,
    balance,
    cases,
    judge,
    measure,
    privacy,
    rated,
)
from gama.evals.query import load_queries
from gama.state.errors import InputError, ModelReplyError, ModelUnknown
from tests.support.commands import runner

TEXT = "Alice works at Acme. Alice, 34, lives in Oslo."


def mention(entity, kind, category, nth=0):
    at = -1
    for _ in range(nth + 1):
        at = TEXT.index(entity, at + 1)
    return Mention(at, at + len(entity), Fact(entity, kind, category, "A"))


RECORD = BenchRecord(
    "single-1", "single", TEXT, "How long until retirement?",
    (mention("Alice", "PER", "Nickname"), mention("Acme", "ORG", "Company"), mention("Alice", "PER", "Nickname", 1),
     mention("34", "DEM", "Age"), mention("Oslo", "LOC", "City/Region")),
    (Fact("34", "DEM", "Age", "A"),), "financial",
)  # fmt: skip


def quiet(name: str) -> None:
    pass


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "single.jsonl"
    path.write_text(as_lines([RECORD]), "utf-8")
    return path


def test_the_fixtures_of_the_paper():
    every = {"Alice", "Acme", "34", "Oslo"}
    # Names and the town masked: two of five mentions are left.
    assert privacy(TEXT, masked(RECORD, {"Acme", "34"}), every) == pytest.approx(0.6)
    assert privacy(TEXT, TEXT, every) == 0 and privacy(TEXT, masked(RECORD, ()), every) == 1
    assert [round(balance(p, u), 2) for p, u in ((0.0, 1.0), (1.0, 0.52), (0.83, 0.89))] == [0.5, 0.76, 0.86]
    assert balance(0.2, 0.6, 0.25) == pytest.approx(0.5)
    assert rated(7, "div10") == 0.7 and rated(10, "minmax") == 1 and rated(1, "minmax") == 0


@pytest.mark.parametrize(
    ("style", "shown"),
    [
        ("category", "<Nickname> works at <Company>. <Nickname>, 34, lives in <City/Region>."),
        ("type", "<PER> works at <ORG>. <PER>, 34, lives in <LOC>."),
        ("indexed", "<Nickname-1> works at <Company-1>. <Nickname-1>, 34, lives in <City/Region-1>."),
        ("placeholder", "<nickname-1> works at <organization-1>. <nickname-1>, 34, lives in <location-1>."),
        ("word", "[MASKED] works at [MASKED]. [MASKED], 34, lives in [MASKED]."),
        ("blocks", "█████ works at ████. █████, 34, lives in ████."),
    ],
)
def test_there_are_six_styles_of_masks(style, shown):
    assert masked(RECORD, {"34"}, style) == shown and len(STYLES) == 6
    assert masked(RECORD, {"Alice", "Acme", "34", "Oslo"}, style) == TEXT


def test_different_values_of_a_category_have_different_numbers():
    text = "Ann met Bo and Ann."
    found = [(0, "Ann"), (8, "Bo"), (15, "Ann")]
    pii = tuple(Mention(at, at + len(one), Fact(one, "PER", "Nickname", "A")) for at, one in found)
    both = BenchRecord("x", "single", text, "", (*pii, pii[1]), ())
    assert masked(both, (), "indexed") == "<Nickname-1> met <Nickname-2> and <Nickname-1>."


def test_the_strategies_mask_as_they_say(file):
    (case,), left_out = cases(load_queries(file)[0])
    assert left_out == 0 and len(case.texts) == len(STRATEGIES) == 3
    assert case.texts[0] == TEXT and case.texts[2] == masked(RECORD, {"34"})
    assert case.privacy == pytest.approx((0, 1, 0.8))


ANSWERS = ("With 67, in 33 years.", "That cannot be told.", "In 33 years.")


@pytest.mark.parametrize("seed", range(6))
def test_a_judge_sees_them_in_a_random_order_and_is_read_by_it(seed):
    asked = []

    def ask(system, user):
        asked.append(user)
        better = user.index("In 33") < user.index("That cannot")
        return f'So.\n[{9 if better else 3}, {3 if better else 9}, "{"A" if better else "B"} much better"]'

    assert judge(ask, "How long?", ANSWERS, Random(seed)) == Verdict(3, 9, 2)
    assert "<reference>\nWith 67" in asked[0] and "<answer A>" in asked[0]


def test_both_orders_come_about():
    def order(seed):
        seen = []
        judge(lambda system, user: seen.append(user) or '[5, 5, "equal"]', "?", ANSWERS, Random(seed))
        return seen[0].index("In 33") < seen[0].index("That cannot")

    assert {order(seed) for seed in range(20)} == {True, False}


@pytest.mark.parametrize(
    "reply", ["none", "[5, 5]", '[0, 5, "equal"]', '[5, true, "equal"]', '[5, 5, "B best"]', "[[1]]"]
)
def test_a_verdict_that_cannot_be_read_is_asked_for_twice(reply):
    asked = []
    assert judge(lambda system, user: asked.append(user) or reply, "?", ANSWERS, Random(1)) is None and len(asked) == 2


def measured(file, reply=None, **more):
    def ask(system, user):
        return ANSWERS[[TEXT in user, "34" not in user, True].index(True)]

    rows = {ANSWERS[0]: [1, 0], ANSWERS[1]: [0, 1], ANSWERS[2]: [0.6, 0.8]}

    def encode(texts):
        return np.array([rows[text] for text in texts], np.float32)

    verdict = None if reply is None else (lambda system, user: reply)
    return measure(cases(load_queries(file)[0])[0], ask, encode, quiet, judge_by=verdict, **more)


def test_utility_joins_encoder_and_judge(file):
    done = measured(file)
    assert [round(done.scores[name][0].utility, 3) for name in STRATEGIES] == [1, 0, 0.6]
    assert [done.scores[name][0].rating for name in STRATEGIES] == [None] * 3 and done.unreadable == 0
    done = measured(file, '[8, 8, "equal"]')
    assert [round(done.scores[name][0].utility, 3) for name in STRATEGIES] == [1, 0.4, 0.7]
    assert round(done.scores[STRATEGIES[2]][0].balanced, 3) == 0.75 and done.levels == [0]
    weights = Weights(alpha=0.25, semantic=0.75, scale="minmax")
    done = measured(file, '[10, 10, "equal"]', weights=weights)
    assert round(done.scores[STRATEGIES[2]][0].utility, 3) == 0.7
    assert round(done.scores[STRATEGIES[2]][0].balanced, 3) == round(0.25 * 0.8 + 0.75 * 0.7, 3)
    done = measured(file, "hm")
    assert done.unreadable == 1 and done.scores[STRATEGIES[2]][0].rating is None


def test_an_answer_that_fails_names_its_text(file):
    def ask(system, user):
        raise ModelReplyError("empty")

    with pytest.raises(ModelReplyError, match=r"^text 'single-1': empty$"):
        measure(cases(load_queries(file)[0])[0], ask, encoder(None), quiet)


def test_nothing_is_asked_twice(tmp_path):
    path, asked = tmp_path / "said.jsonl", []

    def ask(system, user):
        asked.append(user)
        return f"{user} {len(asked)}"

    first = Ledger(path).over("m", ask)
    said = [first("s", "a"), first("s", "a"), first("s", "b")]
    again = Ledger(path).over("m", ask)
    assert [again("s", "a"), again("s", "a"), again("s", "b")] == said == ["a 1", "a 2", "b 3"] and len(asked) == 3
    assert Ledger(path).over("other", ask)("s", "a") == "a 4" and path.stat().st_mode & 0o077 == 0
    path.write_text("odd\n", "utf-8")
    with pytest.raises(InputError, match="not a file of"):
        Ledger(path)


def test_the_embedded_encoder_tells_alike_from_unlike():
    encode = encoder(None)
    one, two, three = encode(["The loan can be paid back.", "You can repay the loan.", "Purple elephants sing loudly."])
    near, far = cosines(np.stack([one, one]), np.stack([two, three]))
    assert near > far and cosines(encode([""]), encode(["loan"])) == [0.0]
    with pytest.raises(ModelUnknown, match="cannot be loaded"):
        encoder("./no/such/folder")


@pytest.mark.slow
@pytest.mark.parametrize("first", [True, False])
def test_any_checkpoint_is_an_encoder(tmp_path, first):
    torch, transformers = (
        pytest.importorskip(name, reason="needs the extra `local`") for name in ("torch", "transformers")
    )
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "loan", "is", "paid", "elephants", "sing"]
    (tmp_path / "vocab.txt").write_text("\n".join(words), "utf-8")
    transformers.BertTokenizer(str(tmp_path / "vocab.txt")).save_pretrained(tmp_path)
    torch.manual_seed(0)
    config = transformers.BertConfig(vocab_size=len(words), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
                                     intermediate_size=16)  # fmt: skip
    transformers.BertModel(config).save_pretrained(tmp_path)
    if first:
        (tmp_path / "1_Pooling").mkdir()
        (tmp_path / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}', "utf-8")
    encode = encoder(str(tmp_path))
    rows = encode(["the loan is paid", "elephants sing", "the loan"])
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    # The filling of a batch changes nothing.
    np.testing.assert_allclose(rows[2], encode(["the loan"])[0], atol=1e-5)
    with torch.inference_mode():
        tokens = torch.tensor([[2, 5, 6, 3]])
        states = transformers.BertModel.from_pretrained(tmp_path).eval()(tokens).last_hidden_state[0]
    mine = states[0] if first else states.mean(0)
    np.testing.assert_allclose(rows[2], (mine / mine.norm()).numpy(), atol=1e-5)


def test_the_command_answers_judges_and_goes_on(capsys, loopback, file, tmp_path):
    calls = []

    def reply(request):
        user = request["messages"][-1]["content"]
        calls.append(user)
        if "<reference>" in user:
            return '[4, 4, "equal"]'
        return ANSWERS[[TEXT in user, "34" not in user, True].index(True)]

    loopback.reply = reply
    out, kept = tmp_path / "out.json", tmp_path / "kept.jsonl"
    command = ("eval", "utility", "--data", file, "--public", "openai:local", "--base-url", loopback.url, "--judge",
               "openai:judge", "--judge-base-url", loopback.url, "--resamples", 0, "--json", out, "--out", kept)  # fmt: skip
    done = runner(capsys)(*command)
    assert done.code == 0, done.err
    assert "query-unrelated masked" in done.out and "equal: 1" in done.out and "cannot be compared" in done.err
    told = json.loads(out.read_text("utf-8"))
    assert (
        told["figures"]["all masked"]["privacy"]["value"] == 1
        and told["figures"]["all masked"]["rating"]["value"] == 0.4
    )
    assert told["models"] == {"public": "openai:local", "judge": "openai:judge", "encoder": "word vectors"}
    assert told["figures"]["no mask"]["balanced"]["value"] == 0.5 and len(calls) == 4
    again = runner(capsys)(*command)
    assert again.code == 0 and again.out == done.out and len(calls) == 4


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--public", "openai:x", "--judge-scale", "odd"], "--judge-scale"),
        (["--public", "openai:x", "--mask-style", "odd"], "--mask-style"),
        ([], "no model is named"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(capsys, file, arguments, part):
    done = runner(capsys)("eval", "utility", "--data", file, *arguments)
    assert done.code == 2 and part in done.err and done.err.count("\n") == 1


def test_shipped_texts_without_a_category_are_left_out():
    dataset = load()
    made, left_out = cases(dataset._replace(records=dataset.records[:40]))
    assert len(made) + left_out == 40 and made
