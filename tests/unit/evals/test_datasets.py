"""Data sets of the papers: what ships, what a file must hold, what is known of the published files, and fetching."""

import http.server
import json
import os
import threading
from collections import Counter
from pathlib import Path

import pytest

from gama.evals.builders.letters import aliases, make_kpp, make_lpp, relevant
from gama.evals.datasets import boolq, hotpotqa, kpp, lgp, lpp, privacylens, pupa, synthpai, tcw
from gama.evals.datasets.fetch import fetch
from gama.evals.datasets.letters import read_letters
from gama.evals.datasets.source import SOURCES, differences, locate
from gama.evals.metrics.entities import readable
from gama.state.errors import InputError, OptionError
from tests.support.commands import runner

LOADERS = {
    "tcw5": lambda path=None: tcw.load(path, 5), "tcw10": lambda path=None: tcw.load(path, 10), "lgp": lgp.load,
    "kpp": kpp.load, "lpp": lpp.load, "plens": privacylens.load, "boolq": boolq.load, "hotpotqa": hotpotqa.load,
    "pupa": pupa.load, "synthpai": synthpai.load,
}  # fmt: skip
PROBLEMS = {
    "tcw5": tcw, "tcw10": tcw, "lgp": lgp, "kpp": kpp, "lpp": lpp, "plens": privacylens, "boolq": boolq,
    "hotpotqa": hotpotqa, "pupa": pupa, "synthpai": synthpai,
}  # fmt: skip


@pytest.mark.parametrize("name", LOADERS)
def test_what_ships_is_read_and_asked(name):
    records = LOADERS[name]()
    problems = PROBLEMS[name].problems(records)
    assert len(problems) == len(records) >= 2
    assert len({one.id for one in problems}) == len(problems)
    assert {one.dataset for one in problems} == {name}
    assert all(one.prompt.strip() for one in problems)
    # What ships is never taken for the published file.
    assert not SOURCES[name].sha256 or differences(name, SOURCES[name].shipped, len(records))


def test_a_file_is_found_by_its_name_however_deep(tmp_path):
    with pytest.raises(InputError, match="emails.json"):
        locate("kpp", tmp_path)
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "emails.json").write_text("[]")
    assert locate("kpp", tmp_path) == tmp_path / "a" / "b" / "emails.json"
    (tmp_path / "hotpot_dev_v1_simplified.json").write_text("[]")
    assert locate("hotpotqa", tmp_path).name == "hotpot_dev_v1_simplified.json"


TCW = {"topic": "tides", "questions": ["a?"] * 5, "answers": [["x"]] * 5}
LGP = {"inputs": "Q: Clues.\nWhere?\n  choice: 1\n  choice: 2\nA:", "targets": ["2"]}
KPP = {"question": "Dear A, some questions. One?\n\nBest regards", "answers": {"1": ["x"]}, "privacy_data": {}}
LPP = {"passage": "Dear A.", "question": "is it?", "answer": True, "privacy_data": {}}
SEED = {"data_subject": "s", "data_recipient": "r", "data_type": "t", "transmission_principle": "p"}
TRAJECTORY = {
    "user_name": "U", "user_email": "u@x.example", "user_instruction": "do", "executable_trajectory": "Action: A",
    "final_action": "Send", "sensitive_info_items": ["It is secret."],
}  # fmt: skip
PLENS = {"name": "m1", "seed": SEED, "trajectory": TRAJECTORY}
BOOLQ = {"question": "is it", "passage": "It is.", "answer": True}
HOTPOT = {"question": "who?", "answer": "he", "type": "bridge"}
SYNTH = {"author": "a", "text": "secretive words", "profile": {"age": 3}}


@pytest.mark.parametrize(
    ("name", "good", "changes"),
    [
        ("tcw5", TCW, [{"topic": " "}, {"questions": ["a?"] * 4}, {"answers": [["x"]] * 4}, {"answers": [[]] * 5}]),
        ("lgp", LGP, [{"inputs": "Q: no choices\nA:"}, {"inputs": ""}, {"targets": ["3"]}, {"targets": []}]),
        ("kpp", KPP, [{"answers": []}, {"answers": {"1": []}}, {"answers": {str(n): ["x"] for n in range(9)}}]),
        ("lpp", LPP, [{"question": ""}, {"answer": "maybe"}, {"answer": None}]),
        ("plens", PLENS, [{"seed": {}}, {"trajectory": {}}, {"trajectory": TRAJECTORY | {"final_action": ""}}]),
        ("boolq", BOOLQ, [{"question": ""}, {"passage": 3}, {"answer": "True"}]),
        ("hotpotqa", HOTPOT, [{"question": ""}, {"answer": None}, {"type": "chain"}]),
        ("synthpai", SYNTH, [{"author": ""}, {"text": ""}, {"profile": None}]),
    ],
)
def test_a_record_that_cannot_be_used_is_named_and_not_quoted(name, good, changes, tmp_path):
    file = tmp_path / SOURCES[name].file

    def written(*records):
        lines = file.suffix == ".jsonl"
        file.write_text("\n".join(map(json.dumps, records)) if lines else json.dumps(records), encoding="utf-8")
        return file

    assert len(LOADERS[name](written(good))) == 1
    for change in changes:
        with pytest.raises(InputError, match="record 2") as caught:
            LOADERS[name](written(good | {"name": "m0"}, good | change))
        assert "secret" not in str(caught.value)
    with pytest.raises(InputError):
        LOADERS[name](tmp_path / "nowhere")
    file.write_text("")
    with pytest.raises(InputError):
        LOADERS[name](file)


def test_cases_of_one_name_are_refused(tmp_path):
    file = tmp_path / "main_data.json"
    file.write_text(json.dumps([PLENS, PLENS]))
    with pytest.raises(InputError, match="twice"):
        privacylens.load(file)


def test_pupa_needs_its_columns_and_reads_units(tmp_path):
    file = tmp_path / "p.csv"
    file.write_text("user_query\nhello\n")
    with pytest.raises(InputError, match="conversation_hash"):
        pupa.load(file)
    records = pupa.load()
    assert records[0].units[0] == "Mr Cawder" and records[3].units == ()
    assert [len(pupa.split(list(range(901)), part)) for part in ("train", "validation", "test")] == [150, 150, 601]


def test_the_comments_of_an_author_are_one_record():
    first = synthpai.load()[0]
    assert len(first.comments) == 3 and first.attributes["city_country"] == "Porto, Portugal"


LETTER = "Dear Ann Other,\n\nI am from Teterow. I have some questions. Who?\nWhere?\n\nBest regards,\nBo Real\n(555) 1"


def test_a_letters_list_is_repaired_from_its_signature(tmp_path):
    listed = {"name": ["Ann Other", "Gone Away"], "location": ["Teterow"], "email_id": ["(555) 9"]}
    file = tmp_path / "emails.json"
    record = {"id": 1, "question": LETTER, "answers": {"1": ["x"], "2": ["y"]}, "privacy_data": listed}
    file.write_text(json.dumps([record]))
    published, repaired = kpp.load(file)[0], kpp.load(file, repaired=True)[0]
    assert published.questions == ("Who?", "Where?") and published.letter.listed == listed
    assert repaired.letter.listed == {
        "name": ["Ann Other", "Bo Real"],
        "location": ["Teterow"],
        "email_id": ["(555) 1"],
    }


def test_what_a_letter_lacks_in_its_list_is_added(tmp_path):
    text = "Dear Ann, write to a.b@c.example or d@e.example.\n12 Elm Street\nDallas, TX"
    record = {
        "id": 2, "passage": text, "question": "is it?", "answer": "False",
        "privacy_data": {"name": ["Ann", "Zed"], "email_id": ["d@e.example"]},
    }  # fmt: skip
    file = tmp_path / "reasoning_pp.json"
    file.write_text(json.dumps([record]))
    repaired = lpp.load(file, repaired=True)[0]
    assert repaired.letter.listed == {
        "name": ["Ann"], "email_id": ["d@e.example", "a.b@c.example"], "location": ["12 Elm Street"],
    }  # fmt: skip
    assert repaired.answer is False


@pytest.mark.parametrize("kind", ["kpp", "lpp"])
def test_made_letters_have_none_of_the_faults(kind, tmp_path):
    if kind == "kpp":
        questions = [
            hotpotqa.Record(f"q{n}", f"Which river of Talbotia did Count Ragnell number {n} cross?", f"the Ford {n}",
                            "bridge", "hard") for n in range(60)
        ]  # fmt: skip
        made = make_kpp(questions, 12, 3, 4)
        assert made == make_kpp(questions, 12, 3, 4) != make_kpp(questions, 12, 4, 4)
        assert sorted(one for record in made for one in record["source"]) == sorted(one.id for one in questions)
        with pytest.raises(InputError, match="65"):
            make_kpp(questions, 13, 3)
    else:
        passages = [
            boolq.Record(
                f"b{n}", f"is lake {n} deep", "Lake", f"The lake of Ragnell {n} is {n} feet deep. It is.", n % 2 > 0
            )
            for n in range(24)
        ]
        made = make_lpp(passages, 12, 3, 4)
        assert Counter(record["answer"] for record in made) == {True: 6, False: 6}
        with pytest.raises(InputError, match="answer True"):
            make_lpp(passages, 40, 3)
    field = "question" if kind == "kpp" else "passage"
    assert sum(record["collision"] for record in made) == 4
    for record in made:
        text = record[field]
        values = {text[one["start"] : one["end"]] for one in record["spans"]}
        listed = [value for some in record["privacy_data"].values() for value in some]
        assert values == set(listed) and all(readable(value, text) for value in listed)
        # A private name is a word of what is asked in the subset alone, and no whole value is.
        asked = "Which river of Talbotia did Count Ragnell cross? The lake of Ragnell is deep. Lake Ford"
        names = {name.split()[-1] for name in record["privacy_data"]["name"]}
        assert bool(names & set(asked.replace(".", "").split())) is record["collision"]
        assert not any(value.casefold() in asked.casefold() for value in listed)
    # The frames differ, and the readers take what was made.
    assert len({record[field].split()[0] for record in made}) > 1
    file = tmp_path / "made.json"
    file.write_text(json.dumps(made))
    assert len(LOADERS[kind](file)) == 12 and not read_letters(file, kind).absent


def test_letters_that_leave_no_name_free_are_refused():
    from gama.evals.builders.letters import _lists

    words = " ".join(_lists()["given"] + _lists()["family"])
    with pytest.raises(InputError, match="no values"):
        make_kpp([hotpotqa.Record(f"q{n}", words, "x", "bridge", "") for n in range(5)], 1, 0)
    plain = [hotpotqa.Record(f"q{n}", "which one is it?", "x", "bridge", "") for n in range(5)]
    with pytest.raises(InputError, match="collisions"):
        make_kpp(plain, 1, 0, 1)


def test_aliases_and_relevant_sentences():
    assert aliases("The Ford") == ["The Ford", "Ford", "the ford", "ford"]
    assert aliases("yes") == ["yes", "true"]
    assert aliases('the film "Up"') == [
        'the film "Up"',
        'film "Up"',
        "film Up",
        'the film "up"',
        'film "up"',
        "film up",
    ]
    passage = "Wine is old. The lake is deep. Nobody swims in the lake. Birds sing."
    assert relevant(passage, "is the lake deep", 2) == ["The lake is deep.", "Nobody swims in the lake."]


def test_letters_are_made_by_a_command(tmp_path, capsys):
    out = tmp_path / "letters.json"
    done = runner(capsys)("eval", "make-letters", "lpp", "--out", out, "--count", 4)
    assert done.code == 0 and "4 letters" in done.err
    assert len(lpp.load(out)) == 4
    assert runner(capsys)("eval", "make-letters", "qpp", "--out", out).code == 2


class _Home(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = b'[{"question": "who?", "answer": "he", "type": "bridge"}]'
        self.send_response(404 if "gone" in self.path else 200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


def test_files_are_fetched_whole_and_checked(tmp_path):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Home)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    told = []
    base = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        (file,) = fetch(["hotpotqa"], tmp_path / "new", told.append, homes=lambda name: f"{base}/{name}")
        assert len(hotpotqa.load(file)) == 1 and "CC BY-SA 4.0" in told[0]
        with pytest.raises(InputError, match="not the published file"):
            fetch(["kpp"], tmp_path, told.append, homes=lambda name: f"{base}/{name}")
        # A home that may change its file is told of, not refused.
        fetch(["boolq"], tmp_path, told.append, homes=lambda name: f"{base}/{name}")
        assert "not the content" in told[-1] and (tmp_path / "dev.jsonl").exists()
        with pytest.raises(InputError, match="status 404"):
            fetch(["kpp"], tmp_path, told.append, homes=lambda name: f"{base}/gone")
    finally:
        server.shutdown()
        server.server_close()
    assert not list(tmp_path.glob("emails*"))
    with pytest.raises(InputError, match="ConnectError"):
        fetch(["kpp"], tmp_path, told.append, homes=lambda name: base)
    with pytest.raises(OptionError, match="authors"):
        fetch(["synthpai"], tmp_path, told.append)


def test_a_right_file_is_not_fetched_again(tmp_path, monkeypatch):
    told = []
    file = tmp_path / "dev.jsonl"
    file.write_bytes(SOURCES["boolq"].shipped.read_bytes())
    from gama.evals.datasets.source import digest

    known = dict(SOURCES) | {"boolq": SOURCES["boolq"]._replace(sha256=digest(file))}
    monkeypatch.setattr("gama.evals.datasets.fetch.SOURCES", known)
    fetch(["boolq"], tmp_path, told.append, homes=lambda name: "http://127.0.0.1:9/")
    assert "is there" in told[0]


GIVEN = os.environ.get("GAMA_EVALUATION_DATA")
"""Folder with the published files: `GAMA_EVALUATION_DATA=FOLDER pytest -m live tests/unit/evals/test_datasets.py`."""


@pytest.mark.live
class TestPublishedFiles:
    """What spec 02 §2.1 measured of the published files."""

    @pytest.fixture
    def folder(self):
        if GIVEN is None:
            pytest.skip("GAMA_EVALUATION_DATA names no folder")
        return Path(GIVEN)

    @pytest.mark.parametrize(
        ("name", "count"),
        [
            ("tcw5", 100),
            ("tcw10", 100),
            ("lgp", 200),
            ("kpp", 100),
            ("lpp", 150),
            ("plens", 493),
            ("boolq", 3270),
            ("hotpotqa", 7405),
            ("pupa", 664),
        ],
    )
    def test_they_are_the_published_ones(self, folder, name, count):
        if name == "pupa" and not list(folder.rglob("PUPA_New.csv")):
            pytest.skip("the folder has no PUPA_New.csv")
        file = locate(name, folder)
        records = LOADERS[name](file)
        assert len(records) == count and not differences(name, file, count)
        assert len(PROBLEMS[name].problems(records)) == count

    @pytest.mark.parametrize(("name", "unique", "mean"), [("tcw5", 500, 21.4), ("tcw10", 1000, 22.6)])
    def test_tcw(self, folder, name, unique, mean):
        records = LOADERS[name](locate(name, folder))
        assert len({one.topic for one in records}) == 100
        assert len({question for one in records for question in one.questions}) == unique
        assert sum(len(some) for one in records for some in one.answers) / unique == pytest.approx(mean, abs=0.05)

    def test_lgp(self, folder):
        records = lgp.load(locate("lgp", folder))
        assert Counter(len(one.choices) for one in records) == {2: 38, 3: 59, 4: 48, 5: 55}
        assert Counter(one.house for one in records) == {"1": 49, "2": 74, "3": 38, "4": 27, "5": 12}

    def test_kpp(self, folder):
        file = locate("kpp", folder)
        records = kpp.load(file)
        assert all(len(one.questions) == 5 for one in records)
        counts = {kind: sum(len(one.letter.listed[kind]) for one in records) for kind in records[0].letter.listed}
        assert counts == {"name": 201, "location": 100, "organization": 99, "email_id": 100}
        absent = {
            one.id: value
            for one in records
            for some in one.letter.listed.values()
            for value in some
            if value not in one.letter.text
        }
        assert set(absent) == {f"kpp-{number}" for number in (2, 10, 11, 12, 14, 15, 16, 17)}
        repaired = kpp.load(file, repaired=True)
        assert sum(len(some) for one in repaired for some in one.letter.listed.values()) == 500
        assert all(
            value in one.letter.text for one in repaired for some in one.letter.listed.values() for value in some
        )

    def test_lpp(self, folder):
        file = locate("lpp", folder)
        records = lpp.load(file)
        assert sum(one.answer for one in records) == 90
        assert sum(len(some) for one in records for some in one.letter.listed.values()) == 901
        repaired = lpp.load(file, repaired=True)
        changed = [one.id for one, other in zip(records, repaired, strict=True) if one != other]
        assert changed == ["lpp-1", "lpp-2", "lpp-3", "lpp-4", "lpp-65"]

    def test_plens(self, folder):
        records = privacylens.load(locate("plens", folder))
        assert Counter(one.source for one in records) == {"crowdsourcing": 337, "literature": 87, "regulation": 69}
        assert sum(len(one.items) for one in records) / 493 == pytest.approx(3.02, abs=0.005)
