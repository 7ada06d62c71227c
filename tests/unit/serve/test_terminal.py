"""Writing: odd characters are shown, never obeyed, and never an error."""

import io
import sys

import pytest

from gama.guard.terminal import clean
from gama.serve.terminal import prepare_streams, write_text


@pytest.mark.parametrize(
    "text", ["\x1b[2J", "\x1b]0;title\x07", "a\rb", "\u202egpj.exe", "\u2066x", "\x9b31m", "\x7f", "\udc80", "\x00"]
)
def test_control_sequences_are_made_visible(text):
    shown = clean(f"before {text} after")
    assert "\ufffd" in shown and shown.startswith("before ") and shown.endswith(" after")
    assert not set(shown) & set("\x1b\x07\r\x9b\x7f\u202e\u2066\udc80\x00")
    shown.encode()


def test_plain_text_stays():
    assert clean("Grüße, 你好 👩‍👩‍👧\n\ttabbed\r\n") == "Grüße, 你好 👩‍👩‍👧\n\ttabbed\n"


def test_text_goes_into_a_pipe_to_the_byte(capsys):
    write_text("a\r\nb", verbatim=True)
    assert capsys.readouterr().out == "a\r\nb"
    write_text("a", verbatim=False)
    write_text("b\n", verbatim=False)
    assert capsys.readouterr().out == "a\nb\n"


def test_a_terminal_gets_it_cleaned(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stdout", Terminal())
    write_text("a\x1b[2Jb", verbatim=True)
    assert sys.stdout.getvalue() == "a\ufffd[2Jb\n"


@pytest.mark.parametrize("chosen", [None, "cp1252"])
def test_no_encoding_makes_output_fail(monkeypatch, chosen):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="cp1252"))
    monkeypatch.delenv("PYTHONIOENCODING", raising=False)
    if chosen:
        monkeypatch.setenv("PYTHONIOENCODING", chosen)
    prepare_streams()
    sys.stdout.write("█ 你 \udc80 é\n")
    sys.stdout.flush()
    assert raw.getvalue() == (b"? ? ? \xe9\n" if chosen else "█ 你 ? é\n".encode())
