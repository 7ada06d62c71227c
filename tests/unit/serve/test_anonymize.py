"""`gama anonymize` and `gama restore`: files, lines and boxes."""

import json
import os
import stat

import pytest

from tests.support import letters

SECRET = letters.SECRETS[0]


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("last", ["", "\n", "\n\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_file_comes_back_to_the_byte(gama, tmp_path, mark, ends, last):
    text = mark + (letters.PLANTED.rstrip() + last).replace("\n", ends)
    file, box, hidden = tmp_path / "letter.txt", tmp_path / "letter.box", tmp_path / "hidden.txt"
    file.write_bytes(text.encode())
    done = gama("anonymize", str(file), "--box", str(box))
    assert done.code == 0 and letters.hits(done.out.encode()) == []
    hidden.write_bytes(done.out.encode())
    back = gama("restore", str(hidden), "--box", str(box))
    assert back.code == 0 and back.out == text and back.err == ""


def test_the_box_is_sealed_unless_told_otherwise(gama, tmp_path, home):
    box = tmp_path / "letter.box"
    gama("anonymize", letters.PLANTED, "--box", str(box))
    assert letters.hits(box.read_bytes()) == []
    if os.name == "posix":
        assert stat.S_IMODE(box.stat().st_mode) == 0o600
    done = gama("restore", "Dear <name-1>", "--box", str(box), "--home", str(tmp_path / "other"))
    assert done.code == 6 and done.err.startswith("error: ") and done.out == ""
    clear = tmp_path / "clear.box"
    gama("anonymize", letters.PLANTED, "--box", str(clear), "--clear-box")
    assert SECRET in clear.read_text(encoding="utf-8")
    assert gama("restore", "Dear <name-1>", "--box", str(clear)).out == f"Dear {SECRET}\n"


def test_a_box_is_continued(gama, tmp_path):
    box = str(tmp_path / "b")
    gama("anonymize", f"I am {SECRET}.", "--box", box)
    done = gama("anonymize", f"Ambrose Tilling wrote to {SECRET}.", "--box", box)
    assert done.out == "<name-2> wrote to <name-1>.\n"
    assert gama("restore", "<name-1>, <name-2>", "--box", box).out == f"{SECRET}, Ambrose Tilling\n"


def test_restore_reports_what_it_does_not_know(gama, tmp_path):
    box = str(tmp_path / "b")
    gama("anonymize", f"I am {SECRET}.", "--box", box)
    done = gama("restore", "<name-1> and <name-9>", "--box", box)
    assert done.out == f"{SECRET} and <name-9>\n" and "<name-9> is no placeholder" in done.err
    found = json.loads(gama("restore", "<Name 1> and <name-9>", "--box", box, "--json").out)
    assert found["unresolved"] == ["<name-9>"] and SECRET in found["text"]
    assert gama("restore", "<Name 1>", "--box", box, "--strict").out == "<Name 1>\n"


@pytest.mark.parametrize(
    "content", ["", "no json", "{}", '{"gama_box": 1, "box": 5}', '{"gama_box": 1, "sealed": {"ct": "AA=="}}']
)
def test_a_damaged_box(gama, tmp_path, content):
    box = tmp_path / "b"
    box.write_text(content)
    for command in ("restore", "anonymize"):
        done = gama(command, "hello there", "--box", str(box))
        assert done.code in (2, 6) and done.err.startswith("error: ") and done.out == ""
    assert box.read_text() == content


def test_as_json(gama):
    found = json.loads(gama("anonymize", f"I am {SECRET}.", "--json").out)
    assert found["anonymized"] == "I am <name-1>."
    assert found["entities"][0]["text"] == SECRET and found["entities"][0]["placeholder"] == "<name-1>"
    assert found["entities"][0].keys() >= {
        "start",
        "end",
        "type",
        "subtype",
        "subject",
        "views",
        "score",
        "private",
        "needed",
    }


def lines(*records) -> bytes:
    return b"".join((r if isinstance(r, bytes) else json.dumps(r).encode()) + b"\n" for r in records)


def test_lines(gama, tmp_path):
    given = lines(
        {"id": "a", "text": f"I am {SECRET}."},
        b"",
        {"id": 7, "text": "The shop sells bread.", "query": "What?"},
        {"text": f"My name is Ambrose Tilling and my wife is called {SECRET}."},
    )
    assert SECRET not in gama("anonymize", "--jsonl", stdin=given).out
    done = gama("anonymize", "--jsonl", "--with-values", stdin=given)
    out = [json.loads(line) for line in done.out.splitlines()]
    assert done.code == 0 and [o["id"] for o in out] == ["a", 7, None]
    assert out[0]["anonymized"] == "I am <name-1>." and out[0]["entities"][0]["text"] == SECRET
    assert (
        out[2]["anonymized"] == "My name is <name-1> and my wife is called <name-2>."
    )  # each line has a box of its own
    assert set(out[0]) == {"id", "anonymized", "entities"}
    assert done.err == "", "nothing private is left in clear"
    file, box = tmp_path / "lines.jsonl", str(tmp_path / "b")
    file.write_bytes(b"\xef\xbb\xbf" + given)
    done = gama("anonymize", str(file), "--jsonl", "--box", box)
    last = json.loads(done.out.splitlines()[-1])["anonymized"]
    assert last == "My name is <name-2> and my wife is called <name-1>."  # one box for all
    assert gama("restore", last, "--box", box).out == f"My name is Ambrose Tilling and my wife is called {SECRET}.\n"


@pytest.mark.parametrize(
    "bad",
    [
        b"{",
        b"[]",
        b'"text"',
        b'{"id": 1}',
        b'{"text": 5}',
        b'{"text": "a", "query": 5}',
        b"[" * 100_000,
        b"\xff\xfe",
    ],
)
def test_a_bad_line_stops_and_earlier_ones_stay_restorable(gama, tmp_path, bad):
    box = str(tmp_path / "b")
    good = {"id": 1, "text": f"I am {SECRET}."}
    done = gama("anonymize", "--jsonl", "--box", box, stdin=lines(good, bad))
    assert done.code == 2 and done.err.startswith("error: ") and letters.hits(done.err.encode()) == []
    assert json.loads(done.out)["anonymized"] == "I am <name-1>."
    assert gama("restore", "<name-1>", "--box", box).out == f"{SECRET}\n"


def test_an_empty_text_among_lines_stays_empty(gama, tmp_path):
    """Datasets have empty fields: they are no reason to stop."""
    box = str(tmp_path / "b")
    given = [{"id": 1, "text": ""}, {"id": 2, "text": f"I am {SECRET}."}, {"id": 3, "text": " \n"}]
    done = gama("anonymize", "--jsonl", "--with-values", "--box", box, stdin=lines(*given))
    outcome = [json.loads(line) for line in done.out.splitlines()]
    assert done.code == 0 and [one["anonymized"] for one in outcome] == ["", "I am <name-1>.", " \n"]
    assert [len(one["entities"]) for one in outcome] == [0, 1, 0]
    hidden = "\n".join(json.dumps({"id": one["id"], "anonymized": one["anonymized"]}) for one in outcome)
    back = gama("restore", "--jsonl", "--box", box, stdin=hidden.encode())
    assert [json.loads(line) for line in back.out.splitlines()] == given


def test_lines_keep_their_other_fields_and_come_back(gama, tmp_path):
    box = str(tmp_path / "b")
    given = [
        {"team": 4, "id": "a", "text": f"I am {SECRET}.", "query": f"Who is {SECRET}?", "tags": ["x"]},
        {"text": "My name is Ambrose Tilling.", "id": 9},
    ]
    done = gama("anonymize", "--jsonl", "--box", box, stdin=lines(*given))
    assert SECRET not in done.out and "'tags', 'team'" in done.err
    first, second = (json.loads(line) for line in done.out.splitlines())
    assert list(first) == ["team", "id", "anonymized", "query", "tags"] and first["query"] == "Who is <name-1>?"
    assert second == {"anonymized": "My name is <name-2>.", "id": 9}
    back = gama("restore", "--jsonl", "--box", box, stdin=done.out.encode())
    assert back.code == 0 and [json.loads(line) for line in back.out.splitlines()] == given
    wrong = gama("restore", "--jsonl", "--box", box, stdin=b'{"text": "x"}')
    assert wrong.code == 2 and "Line 1" in wrong.err


def test_values_go_into_no_file_that_others_may_read(tmp_path):
    import os
    import subprocess
    import sys

    out = tmp_path / "out.jsonl"
    for mode, code in ((0o644, 2), (0o600, 0)):
        out.touch()
        out.chmod(mode)
        with out.open("wb") as file:
            done = subprocess.run(
                [sys.executable, "-m", "gama", "anonymize", "--jsonl", "--with-values"],
                input=lines({"text": f"I am {SECRET}."}), stdout=file, stderr=subprocess.PIPE,
                env={**os.environ, "GAMA_HOME": str(tmp_path / "home")}, check=False,
            )  # fmt: skip
        assert done.returncode == code, done.stderr
        assert (SECRET in out.read_text()) is (code == 0)


def test_lines_from_nowhere(gama, tmp_path):
    done = gama("anonymize", "--jsonl", str(tmp_path / "none.jsonl"))
    assert done.code == 2 and "cannot be read: No such file" in done.err
    done = gama("anonymize", "--jsonl", "--encoding", "klingon", stdin=b"{}")
    assert done.code == 2 and "no encoding 'klingon'" in done.err
    assert gama("anonymize", "--jsonl", "--encoding", "utf-16", stdin=b"{}").code == 2


def test_strategies_by_type(gama):
    text = f"I am {SECRET}, mail t@q.example, card 4111 1111 1111 1111."
    done = gama("anonymize", text, "--strategy", "enriched", "--strategy", "credit_card=irreversible")
    assert done.out == "I am <name-1>, mail <email-1 mailbox=organization>, card <credit_card>.\n"
    assert "Irreversible by choice" in done.err and "1 as <credit_card>" in done.err
    done = gama("anonymize", text, "--strategy", "nice")
    assert done.code == 2 and "unknown style 'nice'" in done.err
    done = gama("anonymize", text, "--strategy", "NOPE=tag")
    assert done.code == 2 and "option --strategy: unknown type 'NOPE'" in done.err


def test_lines_are_those_of_the_file_not_of_the_text(gama, tmp_path):
    """What a text says with line separators of Unicode is one line of JSON, there and back."""
    box, text = str(tmp_path / "b"), f"{SECRET}\u2028writes\x85so\u2029and\x0bso."
    given = json.dumps({"id": 1, "text": text}, ensure_ascii=False).encode() + b"\n"
    done = gama("anonymize", "--jsonl", "--box", box, stdin=given)
    assert done.code == 0 and SECRET not in done.out
    back = gama("restore", "--jsonl", "--box", box, stdin=done.out.encode())
    assert back.code == 0 and json.loads(back.out) == {"id": 1, "text": text}, back.err


@pytest.mark.slow
def test_a_table_of_many_rows_fits_the_default_limit(gama, tmp_path, few_names):
    rows = [f"{n},A note about order {n} that says little about anyone and is {'long ' * 12}" for n in range(2_000)]
    file, box, out = tmp_path / "many.csv", str(tmp_path / "b"), tmp_path / "out.csv"
    file.write_text("\n".join(["id,note", *rows[:-1], f"1999,{SECRET} wrote it"]) + "\n")
    assert file.stat().st_size > 200_000
    done = gama("anonymize", str(file), "--box", box, "--output", str(out))
    assert done.code == 0, done.err
    hidden = out.read_text()
    assert len(hidden.splitlines()) == 2_001 and SECRET not in hidden and "<name-1> wrote it" in hidden
    back = gama("restore", str(out), "--box", box)
    assert back.out == file.read_text()


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl"])
def test_a_row_of_a_table_has_a_limit_and_so_has_what_is_no_table(gama, tmp_path, few_names, kind):
    words = "nothing much " * 10
    row = json.dumps({"note": words}) if kind == "jsonl" else f"1{',' if kind == 'csv' else chr(9)}{words}"
    file = tmp_path / f"rows.{kind}"
    file.write_text(f"{row}\n" * 20)
    assert gama("anonymize", str(file), "--max-chars", "200").code == 0
    done = gama("anonymize", str(file), "--max-chars", "100")
    assert done.code == 7 and "A row of the table has" in done.err and "--max-chars" in done.err
    letter = tmp_path / "letter.md"
    letter.write_text(f"{words}\n" * 20)
    assert gama("anonymize", str(letter), "--format", "md", "--max-chars", "200").code == 7


def test_a_box_that_cannot_be_written_is_told_before_the_first_line(gama, tmp_path):
    given = json.dumps({"text": f"I am {SECRET}."}).encode()
    done = gama("anonymize", "--jsonl", "--box", str(tmp_path / "nowhere" / "b"), stdin=given)
    assert done.code != 0 and done.out == "" and done.err.startswith("error: ") and done.err.count("\n") == 1


REFINED = (
    "My husband waits outside. I had a lasagne with my sister-in-law, and my lipstick broke in the meeting. The weather "
    "is fine, and the book is long. I need a new lamp, and the parcel is late again."
)
REFINE = ("--refine", "placeholders+refine", "--refine-rule", "privacy_first")


def test_each_change_of_a_refinement_is_shown_and_taken_or_left(gama):
    whole, none = gama("anonymize", REFINED, *REFINE), gama("anonymize", REFINED)
    assert whole.out != none.out
    done = gama("anonymize", REFINED, *REFINE, "--review", stdin=b"a\n")
    assert done.out == whole.out and "change 1 of " in done.err
    done = gama("anonymize", REFINED, *REFINE, "--review", stdin=b"n\n" * 20)
    assert done.out == none.out and "You took 0 of " in done.err
    # What cannot be an answer is asked again; an empty line takes the change.
    done = gama("anonymize", REFINED, *REFINE, "--review", stdin=b"perhaps\nn\n\nn\nn\n")
    assert "husband" in done.out and "some food" in done.out and "sister-in-law" in done.out
    assert "answer y, n, a or q" in done.err and "- My husband waits outside." in done.err


@pytest.mark.parametrize("answers", [b"q\n", b"", b"y\n"])
def test_a_review_that_is_stopped_writes_nothing(gama, tmp_path, answers):
    out, box = tmp_path / "hidden.txt", tmp_path / "kept.box"
    flags = ("--review", "-o", str(out), "--box", str(box))
    done = gama("anonymize", REFINED, *REFINE, *flags, stdin=answers)
    assert done.code != 0 and "review was stopped" in done.err
    assert not out.exists() and not box.exists() and done.out == ""


def test_a_text_without_changes_is_not_asked_about(gama):
    done = gama("anonymize", "The book is long.", *REFINE, "--review")
    assert done.code == 0 and done.out == "The book is long.\n" and "take it" not in done.err


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("some text", "--review"), "--refine"),
        (("-", *REFINE, "--review"), "standard input"),
        (("some text", *REFINE, "--review", "--jsonl"), "one text"),
        (("some text", "--attack", "--jsonl"), "one text"),
        (("some text", "--attack", "--out", "there"), "one text"),
    ],
)
def test_what_cannot_be_reviewed_or_attacked_is_refused(gama, flags, said):
    done = gama("anonymize", *flags, stdin=b"a\n")
    assert done.code != 0 and said in done.err and done.out == ""


def test_a_script_that_is_read_badly_is_told_and_refused_where_nobody_looks(gama, tmp_path):
    text = "Ada Obi lives here: 我叫王小明，住在杭州。"
    small = ("--detector", "embedded")
    done = gama("anonymize", text, *small)
    assert done.code == 0 and "Han (Chinese)" in done.err and "王小明" not in done.out + done.err
    assert "Han (Chinese)" in json.loads(gama("anonymize", text, "--json", *small).out)["warnings"][0]
    lines = tmp_path / "lines.jsonl"
    lines.write_text(json.dumps({"id": "1", "text": text}, ensure_ascii=False) + "\n", encoding="utf-8")
    refused = gama("anonymize", str(lines), "--jsonl", *small)
    assert refused.code != 0 and "Han (Chinese)" in refused.err and "王" not in refused.out + refused.err
    allowed = gama("anonymize", str(lines), "--jsonl", "--unknown-scripts", "allow", *small)
    assert allowed.code == 0 and "王小明" not in allowed.out


def test_the_input_and_its_box_are_never_written_over(gama, tmp_path):
    file, box = tmp_path / "letter.txt", tmp_path / "letter.box"
    file.write_text(letters.PLANTED, encoding="utf-8")
    assert gama("anonymize", str(file), "--box", str(box)).code == 0
    kept = box.read_bytes()
    for more in (["-o", str(file)], ["--box", str(box), "-o", str(box)]):
        done = gama("anonymize", str(file), *more)
        assert done.code == 2 and "it would be lost" in done.err
    done = gama("restore", str(file), "--box", str(box), "-o", str(file))
    assert done.code == 2 and "it would be lost" in done.err
    assert file.read_text(encoding="utf-8") == letters.PLANTED and box.read_bytes() == kept


@pytest.mark.parametrize("command", [["anonymize"], ["restore", "--box", "x.box"]])
def test_lines_go_to_standard_output_and_an_output_file_is_refused(gama, tmp_path, command):
    lines = tmp_path / "l.jsonl"
    lines.write_text('{"text": "Dear Ann"}\n', encoding="utf-8")
    done = gama(*command, "--jsonl", str(lines), "-o", str(tmp_path / "out"))
    assert done.code == 2 and "> FILE" in done.err and not (tmp_path / "out").exists()


def test_what_is_allowed_stays_whole_beside_a_bearer_of_its_part(gama):
    text = "Emma Williams lives in Leeds. Mrs Williams likes Leeds."
    done = gama("anonymize", text, "--allow", "Emma Williams", "--allow", "Leeds")
    assert done.out.startswith("Emma Williams lives in Leeds. Mrs <")
