"""What the private LLM says of the domains of a task: its background, its fields, and how much each is needed.

The domain-analysing agent of the paper (spec 01 §1.5 step 1). It reads the text at home.
"""

import re
from collections.abc import Callable, Mapping, Sequence

from gama.state.task import Term
from gama.tools.domains.memberships import read_term
from gama.tools.domains.prompts import Prompts

Complete = Callable[[Sequence[Mapping[str, str]]], str]

PASSAGE_CHARS = 2_400
"""Characters of a passage: with the prompt it stays under the 1,024 tokens of the paper's local model."""
PASSAGES = 8
"""Passages of a long text whose background is gathered, spread evenly over it."""


def gather_background(complete: Complete, text: str, prompts: Prompts) -> str:
    """Let the private LLM say what knowledge a text needs: the first step of the domain analysis (spec 01 §1.5).

    A text too long for a local model is read in passages, not cut off.
    """
    parts = passages(text)
    said = [complete(_chat(prompts.system("daa-background"), part))[: 1_200 // len(parts)] for part in parts]
    return "\n".join(one.strip() for one in said)


def passages(text: str) -> list[str]:
    """Cut a text at line ends into passages; of more than `PASSAGES`, some spread evenly, first and last among them."""
    parts, at = [], 0
    while at < len(text):
        end = min(len(text), at + PASSAGE_CHARS)
        cut = text.rfind("\n", at + PASSAGE_CHARS // 2, end) + 1 if end < len(text) else end
        end = cut if cut > at else end
        parts.append(text[at:end])
        at = end
    if len(parts) <= PASSAGES:
        return parts or [text]
    return [parts[round(n * (len(parts) - 1) / (PASSAGES - 1))] for n in range(PASSAGES)]


def shortened(text: str) -> str:
    """Return a text as a prompt can hold it beside its background: whole, or its beginning and its end."""
    half = PASSAGE_CHARS // 2
    return text if len(text) <= PASSAGE_CHARS else f"{text[:half]}\n…\n{text[-half:]}"


def name_fields(
    complete: Complete,
    text: str,
    n: int,
    warnings: list[str],
    prompts: Prompts,
    background: str,
    domains: Sequence[str] = (),
) -> list[tuple[str, Term]]:
    """Let the private LLM name the fields of a text with their linguistic terms: the second step (spec 01 §1.5).

    It is told the domains there are, since a field that is one of them needs no further comparison.

    A reply that cannot be read is asked for once more; then the list is empty, with a warning, and
    the caller falls back to the embedded fields.
    """
    known = f"\n\nDomains:\n{', '.join(domains)}" if domains else ""
    messages = _chat(
        prompts.system("daa-fields", count=str(n)), f"Task:\n{shortened(text)}\n\nBackground:\n{background}{known}"
    )
    for _ in range(2):
        if found := read_fields(complete(messages))[:n]:
            return found
    warnings.append("The private model named no readable fields; the embedded domain analysis was used.")
    return []


def judge_terms(
    complete: Complete, text: str, domains: Sequence[str], warnings: list[str], prompts: Prompts, background: str
) -> dict[str, Term]:
    """Let the private LLM judge how much a text belongs to each target domain: the IF-part of a rule (Eq. 10).

    Any other term counts as Medium; a domain it passes over is not in the result. A
    reply that names no domain is asked for once more, then given up with a warning.
    """
    listed = "\n".join(domains)
    messages = _chat(
        prompts.system("daa-terms"),
        f"Task:\n{shortened(text)}\n\nBackground:\n{background}\n\nDomains:\n{listed}",
    )
    for _ in range(2):
        if found := read_terms(complete(messages), domains):
            return found
    warnings.append("The private model judged no domain readably; terms follow from the memberships.")
    return {}


def read_terms(reply: str, domains: Sequence[str]) -> dict[str, Term]:
    """Read `domain: term` lines for known domains; the last word on a domain counts."""
    found: dict[str, Term] = {}
    for line in _lines(reply):
        for domain in domains:
            if match := re.match(rf"[\s\-•\d.)]*{re.escape(domain)}\b\s*[:\-–—(|=]\s*(\S.*)", line, re.IGNORECASE):
                found[domain] = read_term(match[1])
    return found


# "1. Tenancy law: High" and the like: a name of letters, a separator, a term.
_LINE = re.compile(
    r"^[\s\-*•\d.)]*(?P<field>[^\W\d_][\w \-/&]{1,40}?)\s*[:\-–—(|]\s*(?P<term>[A-Za-z ]*\b(?:low|medium|high)\w*)",
    re.I,
)
# The same with a term that is none of the six ("finance: crucial"): short on both sides, and nothing else in the line.
_OTHER = re.compile(r"^[\s\-*•\d.)]*(?P<field>[^\W\d_]\w+(?: \w+)?)\s*:\s*(?P<term>[A-Za-z]+(?: [A-Za-z]+)?)\.?\s*$")


NONE = "none"
"""What the private LLM writes, in place of fields, where a task needs none."""


def read_fields(reply: str) -> list[tuple[str, Term]]:
    """Read `field: term` lines; a field named twice counts once, any term but the six counts as Medium."""
    found: dict[str, Term] = {}
    for line in _lines(reply):
        if match := _LINE.match(line) or _OTHER.match(line):
            found.setdefault(match["field"].strip().lower(), read_term(match["term"]))
    if not found and re.fullmatch(r"\W*none\b.{0,40}", " ".join(_lines(reply)).strip(), re.IGNORECASE):
        return [(NONE, "Extremely Low")]
    return list(found.items())


def _lines(reply: str) -> list[str]:
    plain = re.sub(r"<think>.*?(?:</think>|\Z)", "", reply, flags=re.DOTALL)
    return plain.replace("*", "").splitlines()


def _chat(system: str, user: str) -> list[dict[str, str]]:
    return [{"role": "system", "content": system}, {"role": "user", "content": user}]
