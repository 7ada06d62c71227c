"""Reading a task: what is taken, what is refused, and what the refusal says."""

import io
import os
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gama.serve.terminal import decode, read_task
from gama.state.errors import InputError, LimitReached


def pipe(monkeypatch, raw: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))


@given(st.text(min_size=1).filter(lambda t: t.strip() and "\x00" not in t and t[0] != "\ufeff"))
def test_every_text_comes_through_unchanged(text):
    try:
        raw = text.encode()
    except UnicodeEncodeError:
        return
    if raw.startswith((b"%PDF", b"PK\x03\x04", b"{\\rtf", b"\x1f\x8b")):
        return
    assert decode(raw, "it", None, 1000) == text


@pytest.mark.parametrize(
    ("raw", "encoding"),
    [
        ("Grüße — wo?".encode(), None),
        ("Grüße — wo?".encode("utf-8-sig"), None),
        ("Grüße — wo?".encode("utf-16"), None),
        ("Grüße — wo?".encode("utf-16-be"), "utf-16-be"),
        ("Grüße — wo?".encode("utf-32"), "utf-32"),
        ("Grüße — wo?".encode("cp1252"), "cp1252"),
    ],
)
def test_encodings(raw, encoding):
    assert decode(raw, "the file", encoding, 100) == "Grüße — wo?"


def test_line_ends_stay():
    assert decode(b"a\r\nb\rc\n", "it", None, 100) == "a\r\nb\rc\n"


@pytest.mark.parametrize(
    ("raw", "encoding", "says"),
    [
        (b"", None, "empty"),
        (b" \n\t ", None, "empty"),
        (b"\xef\xbb\xbf", None, "empty"),
        (b"a\x00b", None, "binary"),
        (b"a\x00b", "latin-1", "binary"),
        ("hello".encode("utf-32"), None, "binary"),
        (b"caf\xe9", None, "not UTF-8 .byte 3.*--encoding latin-1"),
        (b"\xff\xfea", None, "not UTF-16"),
        (b"hello", "klingon", "no text encoding 'klingon'"),
        (b"hello", "rot13", "no text encoding"),
        (b"%PDF-1.7 ...", None, "a PDF"),
        (b"PK\x03\x04....", None, "Word"),
        (b"\x89PNG....", None, "an image"),
    ],
)
def test_what_is_no_text_is_refused(raw, encoding, says):
    with pytest.raises(InputError, match=says) as caught:
        decode(raw, "the file 'x'", encoding, 100)
    assert caught.value.__cause__ is None and "hello" not in str(caught.value)


def test_the_limit_names_itself_and_its_option():
    with pytest.raises(LimitReached, match="more than 100 characters.*--max-chars"):
        decode(b"a" * 101, "standard input", None, 100)
    assert decode("é".encode() * 100, "it", None, 100)


def test_sources(tmp_path, monkeypatch):
    file = tmp_path / "letter.txt"
    file.write_text("from a file", encoding="utf-8")
    assert read_task(str(file)) == ("from a file", False, "")
    assert read_task("what is this?")[:2] == ("what is this?", True)
    assert read_task("word")[:2] == ("word", True)
    pipe(monkeypatch, b"piped")
    assert read_task(None)[:2] == ("piped", False)
    pipe(monkeypatch, b"piped")
    assert read_task("-")[:2] == ("piped", False)


@pytest.mark.parametrize("given", ["letter.doc", "a/b", "C:\\letter", "./x"])
def test_what_looks_like_a_path_is_not_taken_for_a_question(given):
    with pytest.raises(InputError, match="There is no file"):
        read_task(given)


@pytest.mark.parametrize("given", ["is a/b right?", "Why 3.5 %?", "Why?", "x" * 5000, "who is\nme.txt"])
def test_what_reads_as_a_question_is_one(given):
    assert read_task(given).text == given


def test_a_folder_a_missing_task_and_a_bad_argument(tmp_path, monkeypatch):
    with pytest.raises(InputError, match="folder"):
        read_task(str(tmp_path))
    monkeypatch.setattr(sys, "stdin", None)
    for source in (None, "-"):
        with pytest.raises(InputError, match="There is no task"):
            read_task(source)
    with pytest.raises(InputError, match="command line is not"):
        read_task("my caf\udce9 is where?")


def test_a_big_file_and_an_endless_pipe_are_not_read_whole(tmp_path, monkeypatch):
    file = tmp_path / "big.txt"
    file.write_bytes(b"a" * 5_000_000)
    with pytest.raises(LimitReached):
        read_task(str(file))

    class Endless(io.RawIOBase):
        taken = 0

        def readable(self):
            return True

        def readinto(self, buffer):
            Endless.taken += len(buffer)
            buffer[:] = b"a" * len(buffer)
            return len(buffer)

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Endless())))
    with pytest.raises(LimitReached):
        read_task("-", max_chars=1000)
    assert Endless.taken < 100_000


@pytest.mark.skipif(os.name != "posix", reason="named pipes and permissions of posix")
def test_a_named_pipe_and_an_unreadable_file(tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    writer = threading.Thread(target=fifo.write_text, args=("through a pipe",))
    writer.start()
    assert read_task(str(fifo)) == ("through a pipe", False, "")
    writer.join()
    file = tmp_path / "locked.txt"
    file.write_text("secret")
    file.chmod(0)
    if os.geteuid() != 0:
        with pytest.raises(InputError, match="cannot be read: Permission"):
            read_task(str(file))
