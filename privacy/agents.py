"""The agents of the private LLM: PIA in its two modes, fusion's (spec 01 §1.3), and the one that finds the question.

Long texts are given in chunks cut at sentence ends, since a local model sees about a thousand
tokens at once. A reply that cannot be read is asked for once more; then the agent's result is
empty, with a warning.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from string import Template
from typing import Any

from gama.models.json_replies import read_cut_list, read_list
from gama.privacy.finders import Complete
from gama.state.entities import TYPE_OF, Span, apart
from gama.state.private_text import PrivateText

CHUNK_CHARS = 2_400
"""About 600 tokens: with the prompt it stays under the 1,024 tokens of the paper's local model."""


def extract_private(complete: Complete, text: str, warnings: list[str]) -> list[Span]:
    """List private spans freely (PIA `extract`, the paper's mode).

    What the model lists and the text does not contain is dropped. Every mention of a listed
    surface counts.

    Args:
        complete: the private LLM.
        text: the raw text.
        warnings: gets a note when a reply could not be read.
    """
    system = prompt("extract").substitute(types=", ".join(TYPE_OF))
    found: set[Span] = set()
    for chunk in chunks(text):
        items = ask_list(complete, system, chunk, warnings)
        if items is None:
            warnings.append("The private model gave no readable list of private spans for a part of the text.")
            continue
        for item in items:
            if isinstance(item, dict) and isinstance(surface := item.get("surface"), str) and surface.strip():
                subtype = _subtype(str(item.get("type", "")))
                found.update(_mentions(text, surface.strip(), subtype))
    return apart(sorted(found, key=lambda span: (span.start - span.end, span.start)))


def filter_private(complete: Complete, text: str, candidates: Sequence[Span]) -> list[Span]:
    """Ask one yes-or-no question per candidate (PIA `filter`, as in the authors' code)."""
    system = prompt("filter").substitute()
    kept = []
    for span in candidates:
        around = text[max(0, span.start - CHUNK_CHARS // 2) : span.end + CHUNK_CHARS // 2]
        surface = text[span.start : span.end]
        reply = complete(chat(system, f"Text:\n{around}\n\nStretch: {surface}\nIs it private? yes or no:"))
        if re.search(r"\byes\b", reply.reveal(), re.IGNORECASE):
            kept.append(span._replace(view="pia", private=1.0))
    return kept


def settle_by_agent(complete: Complete, text: str, spans: Sequence[Span]) -> list[Span]:
    """Let the fusion agent choose among the spans that only one view found.

    An unreadable reply hides them all, and so does a list without a readable number in it.
    """
    if not spans:
        return []
    sure = [span for span in spans if span.validated]
    open_ones = [span for span in spans if not span.validated]
    chosen: list[Span] = []
    system = prompt("settle").substitute()
    for at in range(0, len(open_ones), 20):
        part = open_ones[at : at + 20]
        listed = "\n".join(f"{n}. {_in_context(text, span)}" for n, span in enumerate(part, 1))
        items = ask_list(complete, system, listed)
        numbers = {int(item) for item in items or () if str(item).strip().isdecimal()}
        if items is None or (items and not numbers):
            chosen += part
        else:
            chosen += [span for n, span in enumerate(part, 1) if n in numbers]
    return [*sure, *chosen]


UNQUOTED = "The private model gave no readable list of what is asked in the text; rules found it."
"""The warning; it quotes nothing."""
MOST_QUOTED = 50
"""Sentences that are read of its list."""


def quote_request(complete: Complete, text: str) -> tuple[tuple[int, int], ...] | None:
    """Return which stretches of a text say what is asked, in their order; none where nothing is.

    Of a long text the model reads both ends, where requests mostly stand.

    Returns:
        The stretches, or None where the reply cannot be read, or quotes nothing that stands in the text.
    """
    half = CHUNK_CHARS // 2
    shown = text if len(text) <= CHUNK_CHARS else f"{text[:half]}\n[…]\n{text[-half:]}"
    items = ask_list(complete, prompt("request").substitute(), shown)
    if items is None:
        return None
    named = [item for item in items[:MOST_QUOTED] if isinstance(item, str) and item.strip()]
    found: list[tuple[int, int]] = []
    for span in sorted({span for item in named if (span := _quoted_at(text, item))}):
        if not found or span[0] >= found[-1][1]:
            found.append(span)
    return tuple(found) if found or not items else None


def _quoted_at(text: str, quoted: str) -> tuple[int, int] | None:
    """Return where a text has quoted words, whatever white space is between them."""
    match = re.search(r"\s+".join(map(re.escape, quoted.split())), text, re.IGNORECASE)
    return match.span() if match else None


def chunks(text: str) -> Iterator[str]:
    """Cut a text at line or sentence ends into pieces of at most `CHUNK_CHARS` characters."""
    at = 0
    while at < len(text):
        end = min(len(text), at + CHUNK_CHARS)
        if end < len(text):
            cut = max(text.rfind(sign, at + CHUNK_CHARS // 2, end) for sign in ("\n", ". ", "? ", "! "))
            end = cut + 1 if cut > at else end
        yield text[at:end]
        at = end


@cache
def prompt(name: str) -> Template:
    """Load a prompt; the first line of its file is its version."""
    text = files("gama.privacy").joinpath("prompts", f"{name}.txt").read_text(encoding="utf-8")
    version, _, body = text.partition("\n")
    assert version.startswith("version: ")
    return Template(body)


CUT = (
    "The private model's list for a part of the text was cut off: the items that it had written are taken. More tokens "
    "(option private_max_tokens) let it end."
)
"""The warning; it quotes nothing."""


def ask_list(complete: Complete, system: str, user: str, warnings: list[str] | None = None) -> list[Any] | None:
    """Ask for a JSON list, twice at most; None when neither reply holds one.

    Args:
        complete: the private LLM.
        system: what it is asked.
        user: what it reads.
        warnings: where given, the longer of two lists that are both cut off is taken, and a note added.
    """
    replies = []
    for more in ("", "\nYour answer must end with one JSON list."):
        replies.append(complete(chat(system + more, user)).reveal())
        if (items := read_list(replies[-1])) is not None:
            return items
    if warnings is None or not (kept := max((read_cut_list(reply) or [] for reply in replies), key=len)):
        return None
    warnings.append(CUT)
    return kept


def chat(system: str, user: str) -> list[dict[str, str | PrivateText]]:
    """Return the messages of a call to the private LLM; what it reads is raw text."""
    return [{"role": "system", "content": system}, {"role": "user", "content": PrivateText(user)}]


def _subtype(word: str) -> str:
    from gama.models.huggingface_ner import subtype_of

    tail = word.strip().casefold().rpartition(".")[2].replace(" ", "_").replace("-", "_")
    known = tail if tail in TYPE_OF else subtype_of(tail)
    return known or {"quantity": "amount", "dem": "occupation"}.get(tail, "other_id")


def _mentions(text: str, surface: str, subtype: str) -> Iterator[Span]:
    pattern = (
        (r"(?<!\w)" if surface[0].isalnum() else "") + re.escape(surface) + (r"(?!\w)" if surface[-1].isalnum() else "")
    )
    for match in re.finditer(pattern, text):
        yield Span(match.start(), match.end(), TYPE_OF[subtype], subtype, 0.9, "pia", 1.0, source="agent")


def _in_context(text: str, span: Span) -> str:
    before, after = text[max(0, span.start - 60) : span.start], text[span.end : span.end + 60]
    return f"…{before}[[{text[span.start : span.end]}]]{after}…".replace("\n", " ")
