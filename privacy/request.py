"""The question in a text: which stretches of it say what is asked, where no query is given apart.

A letter that ends with its question, a mail pasted under the line that says what to do with it, the last turn of a
chat, a request spread over a text. Whoever asks stands apart from what was pasted: the text is laid out (letters,
pasted mails, transcripts, quoted matter, paragraphs apart), each sentence is judged by its form, and those of the
outermost layer that has any are the request. "Could you send me the form?" in a forwarded letter is the letter's, not
the user's, unless nobody else asks. With a private LLM, that is asked, and only what stands in the text counts.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Literal, NamedTuple

from gama.privacy.agents import quote_request
from gama.privacy.finders import Complete
from gama.privacy.identify import patterns_in
from gama.privacy.likely import likely

Stretch = tuple[int, int]
"""Where something stands: start and end, in characters."""


class Request(NamedTuple):
    """What is asked in a text; without spans where nothing is."""

    spans: tuple[Stretch, ...]
    """The stretches that say it, in their order, apart from each other."""
    text: str
    """What they say, joined."""
    by: Literal["rules", "private LLM"]
    """Who found it."""


class Sentence(NamedTuple):
    """A sentence, and how far it stands from what was pasted."""

    start: int
    end: int
    layer: int
    block: int
    """Number of the paragraph that it stands in."""


OWN, LETTER, PASTED, SPOKEN = 3, 2, 1, 0
"""Layers: the user's own words; a letter; a mail with its head, what is quoted or fenced; earlier turns of a chat."""


def find_request(text: str, complete: Complete | None = None) -> Request:
    r"""Return what is asked in a text.

    Args:
        text: the raw text.
        complete: the private LLM; without one, or where its reply cannot be read, rules decide.

    Example:
        >>> find_request("Dear Ms Holm, the fee is 40 euros. Yours, Ann Lee\n\nWhat is the fee?").text
        'What is the fee?'
    """
    quoted = quote_request(complete, text) if complete is not None else None
    spans = joined(text, asking(text)) if quoted is None else quoted
    said = " ".join(text[start:end] for start, end in spans)
    return Request(spans, said, "rules" if quoted is None else "private LLM")


def joined(text: str, found: Sequence[Sentence]) -> tuple[Stretch, ...]:
    """Return stretches, where sentences that follow each other are one."""
    spans: list[Stretch] = []
    for one in found:
        if spans and not text[spans[-1][1] : one.start].strip():
            spans[-1] = (spans[-1][0], one.end)
        else:
            spans.append((one.start, one.end))
    return tuple(spans)


# The layout of a text

_RULE = re.compile(r"\s*(?:[-–—_=*~#]\s?){3,80}\s*$")
_FENCE = re.compile(r"\s*(?:```|\"\"\"|''')")
# Accepts who speaks at the beginning of a line: `Bea: `, `[18:02] Mum: `, `**User:** `, `@yuki.tanabe: `.
_SPEAKER = re.compile(
    r"\s*(?:\[[^\]\n]{1,24}\]\s*)?(?:[*_]{2})?@?(?P<who>[^\W\d][\w.'’ -]{0,24}?)\s?:(?:[*_]{2})?(?:\s|$)"
)
# A sentence ends after its full stop or mark, with what closes behind it. A run of marks is looked at once.
_END = re.compile(r"(?<![.!?…])[.!?…]++(?:[ \xa0\u202f]?[\"'”’»)\]*])*+(?:\s++|$)")
_ABBREVIATED = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|drs|prof|st|\w*nr|no|vs|approx|tel|tél|ext|bzw|ca|\w*str|sra?|dott|dra|mme|ing|np|ul|inkl|usw|evtl|"
    r"ggf|max|min|abs|art|bijv|incl|excl|resp|jr|fig|vol)|\b(?-i:[A-ZÀ-Þ])|\b[zdpinc]|\b[a-z]\.[a-z]|\b\d{1,2})$",
    re.IGNORECASE,
)
# Accepts what follows a day or ordinal of German and its kin (`3. Mai`, `2. november`).
_GERMAN = re.compile(r"[ \xa0](?:(?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez|Stock|OG)|[a-zß-ÿ])")
# Accepts a quotation; none is in another.
_QUOTED = re.compile(r"[\"“”„«][^\"“”„«»\n]{1,2000}[\"”“»]")
_BULLET = r"\s*(?:[-*•–>]\s+|\(?\w{1,2}[.)]\s+|#+\s+)?"


@cache
def _words(*names: str) -> str:
    both = {**patterns_in("instructions.txt"), **patterns_in("requests.txt")}
    return "|".join(both[name] for name in names)


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    """Return a pattern, matched from the beginning of a line or sentence."""
    begin = r"[^\w¿]{0,12}"
    polite = rf"(?:(?:{_words('softly', 'hails')}),?\s+){{0,3}}"
    shapes = {
        "greets": rf"{begin}(?:{_words('greets')})\b[^,:!?.\n]{{0,70}}(?:[.]\s?[^,:!?.\n]{{0,30}})?(?:[,:!]|\s*$)",
        "closes": rf"{begin}(?:{_words('closes')})(?:\s*[,.!]|\s*$|(?-i:(?:\s[A-ZÀ-Þ][\w.'’-]*){{1,3}}\W*$))",
        "header": rf"{begin}(?:{_words('header')})\s?:",
        "opener": rf"{begin}(?:{_words('opener')})\s?:\s*\S",
        "wrote": rf"[^\w]{{0,12}}(?:(?:{_words('wrote')})\s?:\s*$|(?:{_words('forwards')})\b)",
        "poses": rf"{begin}(?:{_words('poses')})\b[^:\n]{{0,24}}:",
        "ps": r"\s*p\.?\s?p?\.?s\.?\b",
        "machine": rf"(?:{_words('machine')})$",
        "user": rf"(?:{_words('user')})$",
        "asks": rf"{_BULLET}{begin}{polite}(?:(?:und|and|et|y|e|en|och|og|but|aber)\s+)?(?:{_words('questions')})",
        "within": rf".*?[,;:—–]\s+(?:(?:{_words('softly')})\s+)?(?:{_words('questions')})",
        "orders": rf"{_BULLET}{begin}{polite}(?:(?:{_words('asked', 'task')})(?=[\s,]|[.!]?$)|(?:{_words('order')})\b"
        rf"|(?:{_words('headed')}):)",
        "bids": r".*?\b(?:please|pls|plz|kindly|bitte|por favor|per favore|proszę)\s"
        rf"(?:{_words('asked', 'task', 'order')})(?=[\s,]|$)",
        "judges": rf"{begin}(?:(?:is|are) (?:that|this|it|they) )?(?:{_words('verdicts')})\W*$",
        "wishes": rf".*?\b(?:{_words('wishes')})\b",
        "courtesy": rf"{begin}(?:(?:{_words('greets')})\b[^,.!?\n]{{0,30}}[,!]\s*)?(?:{_words('courtesies')})\b",
        "deed": rf"{begin}(?:(?:{_words('softly')})\s+){{0,2}}(?:{_words('deeds')})\b",
        "pleads": rf".*\b(?:{_words('softly')})\W*$",
        "manner": rf"{begin}(?:{_words('manner', 'asked', 'task')})\b",
        "this": rf".*?\b(?:{_words('this')})\b",
        "told": rf"{begin}{polite}(?!(?:{_words('anyones')})\b)(?:{_words('asked', 'task', 'order')})\b",
        "mine": rf".*?\b(?:{_words('mine')})\b",
    }
    return re.compile(shapes[kind], re.IGNORECASE | re.DOTALL)


class Line(NamedTuple):
    """A line that is not empty."""

    start: int
    end: int
    block: int
    gap: int
    """What stands before it: 0 nothing, 1 an empty line, 2 several, or a rule."""


def _lines(text: str) -> list[Line]:
    found: list[Line] = []
    start, empty, block = 0, 2, -1
    for line in text.split("\n"):
        end = start + len(line)
        if not line.strip():
            empty += 1
        elif _RULE.match(line[:200]):
            empty += 2
        else:
            block += empty > 0
            found.append(Line(start, end, block, min(2, empty)))
            empty = 0
        start = end + 1
    return found


def sentences(text: str) -> list[Sentence]:
    """Split a text into its sentences, each with its layer."""
    lines = _lines(text)
    layers = _layers(text, lines)
    found: list[Sentence] = []
    for at, (line, layer) in enumerate(zip(lines, layers, strict=True)):
        pieces = list(_pieces(text, line.start, line.end))
        if found and pieces and at and layer == layers[at - 1] and _goes_on(text, lines[at - 1], line):
            found[-1] = found[-1]._replace(end=pieces.pop(0)[1])
        found += [Sentence(start, end, layer, line.block) for start, end in pieces]
    return found


def _pieces(text: str, start: int, end: int) -> Iterator[Stretch]:
    ends = [match.end() for match in _END.finditer(text, start, end) if _is_end(text, match, start)]
    for stop in (*ends, end):
        piece = text[start:stop]
        if bare := piece.strip():
            first = start + len(piece) - len(piece.lstrip())
            yield first, first + len(bare)
        start = max(start, stop)


def _is_end(text: str, match: re.Match[str], start: int) -> bool:
    """Return whether marks end a sentence: those of abbreviations, initials and German days do not."""
    if match.group().rstrip() != ".":
        return True
    at = match.start()
    before = text[max(start, at - 10) : at]
    if at - start < 5 and ((mark := before.strip(" (#")).isdigit() or len(mark) == 1):
        return False  # It numbers a list.
    if before[-1:].isdigit():
        return _ABBREVIATED.search(before) is None or _GERMAN.match(text, at + 1) is None
    return _ABBREVIATED.search(before) is None


def _goes_on(text: str, before: Line, line: Line) -> bool:
    """Return whether a line goes on with the sentence of the one before it, as where lines are wrapped."""
    if line.gap or len(said := text[before.start : before.end].rstrip()) < 60 or said[-1] in ".!?…:;":
        return False
    return text[line.start].islower()


def _layers(text: str, lines: Sequence[Line]) -> list[int]:
    """Return the layer of each line."""
    shown = [text[line.start : min(line.end, line.start + _LOOKED // 2)] for line in lines]
    layers = [OWN] * len(lines)
    for first, last, layer in _letters(text, lines, shown):
        layers[first:last] = [layer] * (last - first)
    _lay_turns(lines, shown, layers)
    fenced = False
    for at, one in enumerate(shown):
        fence = _FENCE.match(one) is not None
        if fenced or fence or one.lstrip().startswith(">"):
            layers[at] = PASTED
        fenced ^= fence and one.count(one.strip()[:3]) == 1
    return layers


def _is(kind: str, line: str) -> bool:
    return _pattern(kind).match(line) is not None


def _begins(shown: Sequence[str], at: int) -> int:
    """Return the layer of a letter that begins at a line, or OWN where none does."""
    line = shown[at]
    if _is("wrote", line):
        return PASTED
    if _is("opener", line) and at + 1 < len(shown) and (_is("header", shown[at + 1]) or _is("greets", shown[at + 1])):
        return PASTED
    return LETTER if _is("greets", line) else OWN


def _letters(text: str, lines: Sequence[Line], shown: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Yield the letters of a text: first line, line behind the last, layer."""
    begins: list[tuple[int, int]] = []
    for at in range(len(lines)):
        layer = _begins(shown, at)
        if layer == OWN or (begins and _in_head(lines, shown, begins[-1][0], at)):
            continue
        begins.append((at, layer))
    ends = [at for at, one in enumerate(shown) if len(one.strip()) <= 70 and "?" not in one and _is("closes", one)]
    if not begins and ends:
        # A letter whose greeting was not told: what stands before it is a block that asks, or one far apart.
        first = _behind_first_block(lines, shown, ends[0])
        yield first, _behind(lines, shown, ends[0]), LETTER
    taken = 0
    for number, (first, layer) in enumerate(begins):
        limit = begins[number + 1][0] if number + 1 < len(begins) else len(lines)
        near = bisect_right(ends, first)
        end = ends[near] if near < len(ends) and ends[near] < limit else None
        if end is None and number == 0 and first == 0 and limit < len(lines):
            continue  # The user greets whom they ask.
        if end is not None:
            last = _behind(lines, shown, end)
        else:
            last = next((at for at in range(first + 1, limit) if lines[at].gap == 2), limit)
            at = max(n for n, line in enumerate(lines) if line.gap) if last == len(lines) else first
            if at > first and not _is("greets", shown[at]) and _asks_apart(text, lines[at:]):
                last = at
        last = next((at for at in range(first + 1, last) if _is("poses", shown[at])), last)
        yield max(first, taken), max(last, taken), layer
        taken = max(last, taken)


def _asks_apart(text: str, paragraph: Sequence[Line]) -> bool:
    """Return whether a paragraph does nothing but ask, and does not ask in the name of the letter above it."""
    pieces = [piece for line in paragraph for piece in _pieces(text, line.start, line.end)]
    said = [text[start:end] for start, end in pieces]
    return all(asks(one) or (n and _is("manner", one)) for n, one in enumerate(said)) and _others(said)


def _others(said: Sequence[str]) -> bool:
    """Return whether a request is about a text beside it: it says so, or orders, or nothing in it is the writer's."""
    return any(_is("this", one) or _is("told", one) for one in said) or not any(_is("mine", one) for one in said)


def _in_head(lines: Sequence[Line], shown: Sequence[str], first: int, at: int) -> bool:
    """Return whether a line belongs to the head of the letter that has begun: its other fields, or its greeting."""
    return at - first <= 6 and all(_is("header", one) or _is("wrote", one) for one in shown[first:at])


def _behind(lines: Sequence[Line], shown: Sequence[str], closing: int) -> int:
    """Return the line behind a letter: its signature is in the block of its closing, or the next; then postscripts."""
    at = closing + 1
    while at < len(lines) and lines[at].block == lines[closing].block and "?" not in shown[at]:
        at += 1
    while at < len(lines) and _is("ps", shown[at]):
        block = lines[at].block
        while at < len(lines) and lines[at].block == block:
            at += 1
    return at


def _behind_first_block(lines: Sequence[Line], shown: Sequence[str], closing: int) -> int:
    """Return where a letter without a greeting begins: behind what is far apart, or behind a line or two that ask."""
    far = next((at for at in range(1, closing) if lines[at].gap == 2), 0)
    near = next((at for at in range(1, min(3, closing)) if lines[at].gap), 0)
    return far or (near if any(asks(one) for one in shown[:near]) else 0)


def _lay_turns(lines: Sequence[Line], shown: Sequence[str], layers: list[int]) -> None:
    """Lay the turns of a transcript under what stands outside it: the last above the others."""
    speakers = {at: match["who"].casefold() for at, one in enumerate(shown) if (match := _SPEAKER.match(one))}
    speakers = {at: who for at, who in speakers.items() if layers[at] == OWN}
    with_machine = all(any(_is(kind, who) for who in speakers.values()) for kind in ("machine", "user"))
    if not with_machine and (len(speakers) < 3 or len(set(speakers.values())) == len(speakers)):
        return
    turns = list(speakers)
    last_speaker = speakers[turns[-1]]
    begin = turns[-1]
    while len(turns) > 1 and speakers[turns[-2]] == last_speaker:
        turns.pop()
        begin = turns[-1]
    end = max(speakers) + 1
    listens = not _is("machine", last_speaker)
    while end < len(lines) and not lines[end].gap and not (listens and asks(shown[end])):
        end += 1
    for at in range(min(speakers), end):
        layers[at] = LETTER if listens and at >= begin else SPOKEN


# What asks


def asking(text: str, *, learnt: bool = True) -> list[Sentence]:
    """Return the sentences that ask, of the outermost layer that has any: by rules, or by their words if `learnt`."""
    found = sentences(text)
    asking = _forms(text, found)
    _follow(text, found, asking)
    apart = _apart(text, found, asking)
    top = max((one.layer + (n in apart) for n, one in enumerate(found) if asking[n] and one.layer), default=0)
    if not top:
        told = [(one, text[one.start : one.end][:_LOOKED]) for one in likely(text, found)] if learnt else []
        kinds = ("header", "courtesy", "deed")
        return _last_word(text, found) or [one for one, said in told if not any(_is(kind, said) for kind in kinds)]
    return [one for n, one in enumerate(found) if asking[n] and one.layer and one.layer + (n in apart) >= top]


def _last_word(text: str, found: Sequence[Sentence]) -> list[Sentence]:
    """Return what is asked where nothing is but by a last word, with what it asks about: `OK?` behind a reading."""
    if len(found) < 2 or any(one.layer != OWN for one in found) or not text.rstrip().endswith("?"):
        return []
    before, last = found[-2:]
    judged = before.block == last.block and text.count(" ", last.start, last.end) < 3
    return [before, last] if judged and _is("judges", text[last.start : last.end]) else []


def _forms(text: str, found: Sequence[Sentence]) -> list[bool]:
    """Return for each sentence whether it asks by its form; what it quotes asks nobody here."""
    quoted = [match.span() for match in _QUOTED.finditer(text)]
    asking, at = [], 0
    for start, end, layer, _ in found:
        while at < len(quoted) and quoted[at][1] < end:
            at += 1
        # The quotation that the sentence ends in, or with.
        for first, last in quoted[max(0, at - 1) : at + 1]:
            if first < end <= last + 1 and len(found) > 1:
                end = max(start, first)
        asking.append(asks(text[start:end], own=layer == OWN))
    return asking


_LOOKED = 400
"""Characters of a long sentence that are looked at, from its beginning; as many again from its end."""
_TAIL = re.compile(r"(?<!\()\?[\s\"'”’»)\]*!.…?]*(?:[^\w\s]\s?|lol|pls|please|thx|thanks|bitte|danke)?\s*$")
_WORD = re.compile(r"[^\W\d_]{2}")


def asks(sentence: str, *, own: bool = True) -> bool:
    """Return whether a sentence asks, by its form.

    Args:
        sentence: the sentence.
        own: whether it is the user's own, who asks nobody to come, to pay or to call.

    Example:
        >>> asks("What is the fee?"), asks("The fee is 40 euros."), asks("Please call me.")
        (True, False, False)
    """
    said = sentence if len(sentence) <= 2 * _LOOKED else f"{sentence[:_LOOKED]} {sentence[-_LOOKED:]}"
    # The row of a table asks nothing of whoever reads it: `| name | born | comes? |`.
    if not _WORD.search(said) or _is("header", said) or said.lstrip().startswith("|"):
        return False
    words = said.count(" ") + 1
    if words <= 7 and _is("courtesy", said):
        return False
    if _TAIL.search(said[-40:]) or said.startswith("¿"):
        return True
    orders = _is("orders", said)
    if _is("deed", said) and not (own and orders):
        return False
    if orders or _is("wishes", said) or (own and _is("bids", said)):
        return True
    if said.rstrip("\"'“”’»)* ").endswith((".", "!", "…")):
        return False
    # Without a mark: what begins as a question does, and a user's line that ends with one.
    if _is("asks", said):
        return True
    return own and (words <= 40 and _is("within", said) or words <= 6 and _is("pleads", said))


def _follow(text: str, found: Sequence[Sentence], asking: list[bool]) -> None:
    """Take in what says how the answer is wanted: short sentences behind a request, in its paragraph."""
    for n in range(1, len(found)):
        one = found[n]
        if asking[n] or not asking[n - 1] or one.block != found[n - 1].block or one.layer != OWN:
            continue
        said = text[one.start : one.end]
        asking[n] = len(said) <= 140 and said.count(" ") < 16 and _is("manner", said)


def _apart(text: str, found: Sequence[Sentence], asking: Sequence[bool]) -> frozenset[int]:
    """Return the sentences of paragraphs that only ask, where the first or last stands apart from the rest as a text.

    It does where a rule or several empty lines are between, or where it is about the text; to ask mostly will do for
    that one. Then what the rest asks is the text's own.
    """
    blocks: dict[int, list[int]] = {}
    for n, one in enumerate(found):
        if one.layer == OWN:
            blocks.setdefault(one.block, []).append(n)
    if len(blocks) < 2:
        return frozenset()
    mostly = {block: ns for block, ns in blocks.items() if asking[ns[0]] and 2 * sum(asking[n] for n in ns) >= len(ns)}
    wholly = {n for ns in blocks.values() if all(asking[n] for n in ns) for n in ns}
    edges = {min(blocks), max(blocks)} & set(mostly)
    for block in sorted(edges, key=lambda block: not wholly.issuperset(mostly[block])):
        first, last = mostly[block][0], mostly[block][-1]
        said = [text[found[n].start : found[n].end] for n in mostly[block] if asking[n]]
        between = [text[found[n - 1].end : found[n].start] for n in (first, last + 1) if 0 < n < len(found)]
        if any(gap.strip() or gap.count("\n") > 2 for gap in between) or _others(said):
            return frozenset(wholly.union(mostly[block]))
    return frozenset()
