"""Where words begin and end."""

import unicodedata


def boundary(text: str, at: int) -> bool:
    """Return whether a word may begin or end at an offset.

    Letters and digits of scripts that put spaces between words bind to each other; the underscore,
    and the signs of Chinese, Japanese, Thai and other scripts written without spaces, do not.
    """
    if at <= 0 or at >= len(text):
        return True
    return not (_binds(text[at - 1]) and (_binds(text[at]) or unicodedata.combining(text[at]) > 0))


def _binds(char: str) -> bool:
    if char.isascii():
        return char.isalnum()
    return char.isalnum() and not _spaceless(ord(char))


def _spaceless(code: int) -> bool:
    return (
        0x0E00 <= code <= 0x0EFF  # Thai, Lao
        or 0x1000 <= code <= 0x109F  # Myanmar
        or 0x1780 <= code <= 0x17FF  # Khmer
        or 0x2E80 <= code <= 0x9FFF  # CJK, kana
        or 0xF900 <= code <= 0xFAFF
        or 0x20000 <= code <= 0x3FFFF
    )
