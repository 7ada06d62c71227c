"""How the larger tagger cuts a text: into words where spaces stand between them, else into pieces of its vocabulary.

Its vocabulary is SentencePiece's: a piece says itself whether a space stands before it, so that each word is handed
over with the space. Thai, Japanese, Chinese, Korean (whose particles are joined to names), Khmer, Lao and Burmese are
tagged by pieces: their words can only be guessed.
"""

import re
from itertools import groupby
from typing import Any
from unicodedata import category

from gama.models.embedded import WORD_PIECES, Encoded, shape

SPACE = "\u2581"
"""What stands for a space in the vocabulary."""

_JOINED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)


def _marks() -> str:
    """Return the combining marks of all scripts, as ranges of a character class."""
    marks = [code for code in range(0x300, 0xFE30) if category(chr(code)) in ("Mn", "Mc")]
    runs = [[code for _, code in run] for _, run in groupby(enumerate(marks), lambda item: item[1] - item[0])]
    return "".join(f"{chr(run[0])}-{chr(run[-1])}" for run in runs)


_WORD = re.compile(
    r"\d{1,3}(?=[A-Za-z]{1,2}(?![^\W_]))"  # 35M, 6k, 1QP, and the day before the T of a timestamp
    r"|\d{2}(?=T\d{2}:)|(?<=\d)T(?=\d{2}:)"  # the parts of 2024-08-30T07:58:11Z
    rf"|(?P<joined>[{_JOINED}]+)"  # scripts without spaces, or with particles joined to names
    rf"|[^\W_{_JOINED}](?:[^\W_{_JOINED}]|[{_marks()}])*"  # letters and digits with their combining marks
    r"|\S"  # every other sign alone: punctuation, emoji, underscore
)


def encode_pieces(text: str, tokenizer: Any) -> Encoded:
    """Cut a text into words, or where none can be told, into pieces; and the words into pieces."""
    found = list(_WORD.finditer(text))
    leads = [SPACE if not match.start() or text[match.start() - 1].isspace() else "" for match in found]
    encoding = tokenizer.encode(
        [lead + match[0] for lead, match in zip(leads, found, strict=True)],
        is_pretokenized=True,
        add_special_tokens=False,
    )
    words: list[tuple[int, int]] = []
    pieces: list[int] = []
    word_of: list[int] = []
    known = 0
    for at, group in groupby(zip(encoding.word_ids, encoding.ids, encoding.offsets, strict=True), lambda item: item[0]):
        # A word without pieces (a zero-width sign, a control character) is a word all the same.
        words += [match.span() for match in found[known:at]]
        known = at + 1
        start, end = found[at].span()
        if not found[at]["joined"]:
            for _, piece, _ in list(group)[:WORD_PIECES]:
                pieces.append(piece)
                word_of.append(len(words))
            words.append((start, end))
            continue
        shift = start - len(leads[at])
        for _, piece, (_, last) in group:
            pieces.append(piece)
            word_of.append(len(words))
            # The space alone belongs to what follows; a character of several pieces is one unit.
            if shift + last > start:
                words.append((start, shift + last))
                start = shift + last
        if start < end:
            words.append((start, end))
        elif word_of[-1] == len(words):
            word_of[-1] -= 1
    words += [match.span() for match in found[known:]]
    shapes = [shape(text, start, end) for start, end in words]
    return Encoded(words, pieces, [shapes[word] for word in word_of], word_of)
