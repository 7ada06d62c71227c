"""Domain analysis: from the raw text over its high-order domains to the fired domain rules (GAMA Eqs. 7 to 10).

High-order domains are fine-grained fields of knowledge. Without a private LLM the fields nearest to the text in the
space of the word vectors stand in for the domain-analysing agent; with one, it names them (spec 01 §1.5 step 1).

What the analysis returns for crossing, the rules, is made of names of domains, linguistic terms, template text
and the texts of domain packs only. It works on the raw text as on the anonymized one.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gama.state.task import GENERAL, TERMS, AnswerKind, DomainRule, Term
from gama.tools.domains.index import AnyDomain, DomainIndex, VectorIndex, Words, domain_index
from gama.tools.domains.memberships import Collapse, Matrix, Mode, combine, firing, read_term, term_of_score, top_k
from gama.tools.domains.packs import Pack
from gama.tools.domains.prompts import Prompts, load_prompts
from gama.tools.domains.reference import DOMAINS, NAMES
from gama.tools.tables import lines

Complete = Callable[[Sequence[Mapping[str, str]]], str]


def field_names() -> tuple[str, ...]:
    """Return the fields, lower-case."""
    return lines("domains", "fields.txt")


@lru_cache(maxsize=1)
def _foreign_stems() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return for each reference domain what finds its words in texts of other languages; see `data/foreign.txt`."""
    rows = [line.partition(":") for line in lines("domains", "foreign.txt")]
    return tuple((name, re.compile("|".join(map(_stem_pattern, stems.split())))) for name, _, stems in rows)


def _stem_pattern(stem: str) -> str:
    word = stem.strip("*")
    end = r"\w*\b" if stem.endswith("*") or len(word) >= 5 else r"\b"
    if not stem.startswith("*"):
        return rf"\b{word}{end}"
    return rf"\b\w*{word}\w*\b" if len(word) >= 5 else rf"\b(?:{word}\w*|\w+{word})\b"


def foreign_fields(text: str, n: int) -> list[tuple[str, float]]:
    """Return the domains that a text in another language than English is about, by the words of theirs in it.

    Args:
        text: the task.
        n: how many at the most.

    Returns:
        Names with their relevance, 1 for the strongest; empty where no domain has a word in it.
    """
    plain = text.lower()
    hits = {name: len(set(found)) for name, stems in _foreign_stems() if (found := stems.findall(plain))}
    best = sorted(hits, key=lambda name: -hits[name])[:n]
    return [(name.lower(), hits[name] / hits[best[0]]) for name in best]


def is_english(text: str, vectors: Words) -> bool:
    """Return whether a text is English enough for the word vectors: most of its words are known to them."""
    from gama.models.reading import STOPWORDS, words

    found = [word for word in words(text) if word[0].isalpha()]
    known = sum(word in STOPWORDS or vectors.vector(word) is not None for word in found)
    return known >= ENGLISH * len(found)


ENGLISH = 0.7
"""Share of a text's words that are known if it is English: of prose nine in ten are, of other languages about half."""


def nearest_fields(text: str, n: int, words: Words, elm: Matrix, domains: DomainIndex) -> list[tuple[str, float]]:
    """Return the N fields a text is about with their relevance, most relevant first.

    Relevance joins three things: how near the text and its questions are to the field in the space
    of the word vectors; how near everything is to that field (some names are near to all texts);
    and the share of the text's words that are keywords of the field's reference domain (Eq. 8).

    Args:
        text: the task.
        n: how many fields.
        words: the word vectors.
        elm: R_elm of the text, 1×M.
        domains: the domains; the names of those that packs add are fields as well.

    Returns:
        Names with their relevance scaled to (0, 1], below 1 where even the nearest is weak; empty where nothing is
        near: a text without a known word, or one that belongs to no field, as a greeting or a sum to reckon.
    """
    from gama.models.reading import sentences

    fields: _Fields = _fields(words, domains)  # type: ignore[arg-type]  # hashed by identity
    asked = " ".join(sentence.text for sentence in sentences(text) if sentence.asks) or text
    query = (words.embed(text) + words.embed(asked)) / 2
    if not np.any(query):
        return []
    near, found = fields.near.search(query[None].astype(np.float32))
    relevance = {
        int(i): float(cosine) - HUBNESS * float(fields.hub[i]) + KEYWORD_WEIGHT * float(elm[0, fields.domain[i]])
        for cosine, i in zip(near[0], found[0], strict=True)
    }
    best = sorted(relevance, key=lambda i: (-relevance[i], fields.names[i]))[:n]
    top = relevance[best[0]]
    if top <= 0 or (top < LEAST and not elm.any()):
        return []
    return [(fields.names[i], relevance[i] / max(top, SURE)) for i in best if relevance[i] > 0]


LEAST = 0.2
"""Relevance below which no field is near a text without a keyword of any domain, as greetings and sums are."""
SURE = 0.6
"""Relevance from which the nearest field counts in full; most letters lie above it, a puzzle about houses below."""

HUBNESS = 1.0
"""How much of a field's mean nearness to its nearest keywords is taken off."""

KEYWORD_WEIGHT = 3.0
"""How much the share of keywords (Eq. 8) counts beside the cosine.

That share is small, rarely above 0.2, because most words of a letter belong to no discipline; cosines
spread over about 0.5. Both constants were chosen together on letters of many kinds, from a coarse
grid in which neighbouring values do about as well.
"""


class _Fields(NamedTuple):
    """The fields with what can be known of them beforehand."""

    names: tuple[str, ...]
    near: VectorIndex
    """Their vectors; the inner product of unit vectors is the cosine."""
    hub: NDArray[np.float32]
    """How near each is to the 200 keywords nearest to it."""
    domain: NDArray[np.intp]
    """The reference domain each belongs to by Eq. 7."""


@lru_cache(maxsize=8)
def _fields(words: Any, domains: DomainIndex) -> _Fields:
    own = [domain for domain in domains.domains if domain.name not in NAMES]
    names = (*field_names(), *(domain.name.lower() for domain in own))
    # A pack's own field lies where its keywords lie: its name may say little.
    texts = [*field_names(), *(" ".join((domain.name, *domain.keywords)) for domain in own)]
    vectors = np.stack([words.embed(text) for text in texts]).astype(np.float32)
    keywords = np.stack([words.embed(word) for domain in DOMAINS for word in domain.keywords]).astype(np.float32)
    hub = np.sort(vectors @ keywords.T, axis=1)[:, -200:].mean(axis=1)
    domain = domains.ho(names).argmax(axis=1)
    # Its name may resemble a reference domain's more than itself as a text of several words does.
    domain[len(names) - len(own) :] = range(len(domains.domains) - len(own), len(domains.domains))
    return _Fields(names, VectorIndex(vectors), hub, domain)


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
    complete: Complete, text: str, n: int, warnings: list[str], prompts: Prompts, background: str
) -> list[tuple[str, Term]]:
    """Let the private LLM name the fields of a text with their linguistic terms: the second step (spec 01 §1.5).

    A reply that cannot be read is asked for once more; then the list is empty, with a warning, and
    the caller falls back to the embedded fields.
    """
    messages = _chat(
        prompts.system("daa-fields", count=str(n)), f"Task:\n{shortened(text)}\n\nBackground:\n{background}"
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


@dataclass(frozen=True)
class Analysis:
    """What domain analysis found."""

    fields: tuple[str, ...]
    """The N high-order domains."""
    ho: Matrix
    """R_ho, N×M; the rows of embedded fields are scaled by how much the text is about them, 1 at the most."""
    elm: Matrix
    """R_elm, 1×M."""
    d: Matrix
    """D of Eq. 9, N×M."""
    rules: tuple[DomainRule, ...]
    """The fired rules, strongest first."""


def analyse(
    text: str,
    *,
    words: Words,
    k: int = 3,
    n: int = 5,
    alpha: float = 0.95,
    topk_mode: Mode = "paper",
    collapse: Collapse = "max",
    kind: AnswerKind = "open",
    prompts: Prompts | None = None,
    complete: Complete | None = None,
    warnings: list[str] | None = None,
    packs: Sequence[Pack] = (),
) -> Analysis:
    """Choose the domains of a text and write their experts' prompts.

    Args:
        text: the task, raw or anonymized.
        words: the embedded word vectors.
        k: how many domains at the most.
        n: how many high-order domains (N).
        alpha: weight of R_ho in Eq. 9.
        topk_mode: see `topk.top_k`.
        collapse: how rows are joined in the modes `paper` and `threshold`.
        kind: what sort of answer is asked for, for the prompts.
        prompts: the templates; the built-in ones by default.
        complete: the private LLM, which then names the high-order domains and judges the linguistic terms.
        warnings: gets a note when its reply could not be read.
        packs: further domains, after the reference ones.
    """
    prompts = prompts or load_prompts()
    notes = warnings if warnings is not None else []
    background = gather_background(complete, text, prompts) if complete else ""
    named = name_fields(complete, text, n, notes, prompts, background) if complete else []
    known = domain_index(words, tuple(packs))  # type: ignore[arg-type]  # hashed by identity
    elm = known.elm(text)
    near = [(field, 1.0) for field, _ in named if field != NONE]
    if not named:
        near = nearest_fields(text, n, words, elm, known) if is_english(text, words) else foreign_fields(text, n)
    fields = [field for field, _ in near]
    row_terms = [term for field, term in named if field != NONE] or None
    # A field that the text is less about speaks for its domains that much less.
    ho = known.ho(fields) * np.array([[weight] for _, weight in near] or [[1.0]])
    d = combine(ho, elm, alpha) if fields else np.asarray((1 - alpha) * elm)
    chosen = top_k(d, k, topk_mode, collapse=collapse, row_terms=row_terms) if fields else []
    if not chosen:
        # "None of these" is an honest answer: what merely resembles some field is asked of nobody in it.
        return Analysis(tuple(fields), ho, elm, d, (general_rule(kind, prompts),))
    told = _told_terms(d, row_terms or ())
    if complete and topk_mode != "code":
        # The code takes the terms of its rows; the paper has them judged for the text and each target domain.
        names = [known.names[index] for index, _ in chosen]
        judged = judge_terms(complete, text, names, notes, prompts, background)
        told |= {known.names.index(name): term for name, term in judged.items()}
    # What lies nearest stands out from the rest of the text's own memberships, however far it is: weak evidence counts
    # towards Low's centre.
    strength = max(weight for _, weight in near)
    memberships = [
        (index, 0.2 + strength * (membership - 0.2))
        for index, membership in calibrated(chosen, d, collapse if topk_mode != "code" else "max")
    ]
    scored = [((index, membership), told.get(index) or term_of_score(membership)) for index, membership in memberships]
    return Analysis(tuple(fields), ho, elm, d, _rules(scored, known.domains, kind, prompts))


def _told_terms(d: Matrix, row_terms: Sequence[Term]) -> dict[int, Term]:
    """Return the terms the private LLM gave, by the reference domain each field belongs to most.

    A domain that is nobody's best has no term from it: a field's term says nothing of the domains it
    merely resembles. Of several fields of one domain the strongest term counts.
    """
    told: dict[int, Term] = {}
    for row, term in zip(d, row_terms, strict=False):
        best = int(np.argmax(row))
        if row[best] > 0 and TERMS.index(term) >= TERMS.index(told.get(best, TERMS[0])):
            told[best] = term
    return told


def _rules(
    scored: Sequence[tuple[tuple[int, float], Term]],
    domains: Sequence[AnyDomain],
    kind: AnswerKind,
    prompts: Prompts,
) -> tuple[DomainRule, ...]:
    """Write the rules that fire, the highest membership first; equals keep their order."""
    rules = []
    for (index, membership), term in firing(scored):
        domain = domains[index]
        prompt = expert_prompt(domain, term, kind, prompts)
        rules.append(DomainRule(domain=domain.name, term=term, score=round(membership, 4), prompt=prompt))
    return tuple(sorted(rules, key=lambda rule: -rule.score))


def general_rule(kind: AnswerKind, prompts: Prompts) -> DomainRule:
    """Return the rule of a task that belongs to no domain, or is asked of none: one generalist."""
    return DomainRule(domain=GENERAL, term="Extremely High", score=1.0, prompt=prompts.system("general", kind))


def expert_prompt(domain: AnyDomain, term: Term, kind: AnswerKind, prompts: Prompts) -> str:
    """Return the system prompt of a domain's expert (THEN-part of Eq. 10); a pack's own words end it."""
    prompt = prompts.system("expert", kind, domain=domain.name, description=domain.description, term=term)
    return f"{prompt}\n\n{domain.prompt}" if isinstance(domain, Pack) and domain.prompt else prompt


def calibrated(chosen: Sequence[tuple[int, float]], d: Matrix, collapse: Collapse = "max") -> list[tuple[int, float]]:
    """Spread raw memberships over the scale of the linguistic terms.

    The centres of the terms were set for Word2Vec; cosines of other vectors lie elsewhere. A
    monotone map sets the mean of D to Low's centre (0.2) and the strongest domain to between
    Moderately High and Extremely High, by how far it stands out. Eqs. 7 to 9 keep their values.
    """
    if d.size == 0:
        return list(chosen)
    joined = d.max(axis=0) if collapse == "max" else d.mean(axis=0)
    mean, spread = float(joined.mean()), float(joined.std()) or 1.0
    return [(index, float(np.clip(0.2 + 0.18 * (raw - mean) / spread, 0.0, 1.0))) for index, raw in chosen]
