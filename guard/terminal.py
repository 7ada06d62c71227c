"""What is shown to people: written as data, never as commands to a terminal."""

import re
import sys

# C0 but tab and line feed, DEL and C1, overrides of the writing direction, and lone surrogates: what moves a
# cursor, hides text, shows it in another order, or cannot be encoded.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def clean(text: str) -> str:
    """Return a text with control characters made visible, safe to show on a terminal."""
    return _CONTROL.sub("\ufffd", text.replace("\r\n", "\n"))


def say(line: str) -> None:
    """Write a line to standard error."""
    print(clean(line), file=sys.stderr)
