"""Boxes in files: whole or not at all, their owner's alone, sealed unless told otherwise."""

import json
import stat

import pytest

from gama.state.errors import InputError, SealError
from gama.vault.box_store import read_box_file, unusable_box_file, write_box_file

NAME = "Thessaly Quornbeck"
BOX = json.dumps({"entries": [{"surface": NAME, "placeholder": "<name-1>"}]})


@pytest.mark.parametrize("encrypt", [True, False])
def test_there_and_back(home, tmp_path, encrypt):
    path = tmp_path / "letter.box"
    path.write_text("an older one")
    write_box_file(path, BOX, encrypt=encrypt)
    assert json.loads(read_box_file(path)) == json.loads(BOX)
    assert (NAME.encode() in path.read_bytes()) is not encrypt
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 and [one.name for one in tmp_path.glob("letter*")] == [path.name]


def test_the_key_of_another_home_is_named(home, tmp_path):
    path = tmp_path / "letter.box"
    write_box_file(path, BOX)
    before = path.read_bytes()
    write_box_file(tmp_path / "other.box", BOX, home=tmp_path / "elsewhere")
    with pytest.raises(SealError, match="sealed with the master key '[0-9a-f]{8}', which is not here"):
        read_box_file(path, home=tmp_path / "elsewhere")
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"{", "cannot be read: it is not JSON"),
        (b"\xff", "cannot be read: it is not JSON"),
        (b"[]", "cannot be used: it has no box in it"),
        (b'{"gama_box": 2, "box": {}}', "cannot be used: it has no box in it"),
        (b'{"gama_box": 1, "sealed": {"ct": 7}}', "cannot be used: its entries are damaged"),
    ],
)
def test_what_is_no_box_is_told(home, tmp_path, content, told):
    path = tmp_path / "x.box"
    path.write_bytes(content)
    with pytest.raises(InputError, match=told):
        read_box_file(path)
    assert str(path) in str(unusable_box_file(path))


def test_a_missing_file_is_told(home, tmp_path):
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_box_file(tmp_path / "none.box")


def test_a_damaged_seal_is_refused(home, tmp_path):
    path = tmp_path / "x.box"
    write_box_file(path, BOX)
    written = json.loads(path.read_text())
    other = tmp_path / "y.box"
    write_box_file(other, "{}")
    written["sealed"]["ct"] = written["sealed"]["ct"][:-8] + json.loads(other.read_text())["sealed"]["ct"][-8:]
    path.write_text(json.dumps(written))
    with pytest.raises(SealError):
        read_box_file(path)
