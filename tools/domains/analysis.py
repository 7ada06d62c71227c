"""Domain analysis as a whole: from the raw text to the fired domain rules (GAMA Eqs. 7 to 10).

What it returns for crossing, the rules, is made of names of domains, linguistic terms, template text
and the texts of domain packs only. It works on the raw text as on the anonymized one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gama.state.task import TERMS, AnswerKind, DomainRule, Term
from gama.tools.domains.fields import Complete, gather_background, judge_terms, name_fields, nearest_fields
from gama.tools.domains.index import AnyDomain, Words, domain_index
from gama.tools.domains.matrix import Matrix, combine
from gama.tools.domains.packs import Pack
from gama.tools.domains.prompts import Prompts, load_prompts
from gama.tools.domains.reference import NAMES
from gama.tools.domains.terms import firing, term_of_score
from gama.tools.domains.topk import Collapse, Mode, top_k


@dataclass(frozen=True)
class Analysis:
    """What domain analysis found."""

    fields: tuple[str, ...]
    """The N high-order domains."""
    ho: Matrix
    """R_ho, N×M; the rows of embedded fields are scaled by how much the text is about them (1 for the first)."""
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
    near = [(field, 1.0) for field, _ in named] or nearest_fields(text, n, words, elm, known)
    fields = [field for field, _ in near]
    row_terms = [term for _, term in named] or None
    # A field that the text is less about speaks for its domains that much less.
    ho = known.ho(fields) * np.array([[weight] for _, weight in near] or [[1.0]])
    d = combine(ho, elm, alpha) if fields else np.asarray((1 - alpha) * elm)
    chosen = top_k(d, k, topk_mode, collapse=collapse, row_terms=row_terms)
    if not chosen:
        # Nothing is near: the task goes to one expert for how things are said.
        chosen = [(NAMES.index("Communication"), 0.0)]
    told = _told_terms(d, row_terms or ())
    if complete and topk_mode != "code":
        # The code takes the terms of its rows; the paper has them judged for the text and each target domain.
        names = [known.names[index] for index, _ in chosen]
        judged = judge_terms(complete, text, names, notes, prompts, background)
        told |= {known.names.index(name): term for name, term in judged.items()}
    scored = [
        ((index, membership), told.get(index) or term_of_score(membership))
        for index, membership in calibrated(chosen, d, collapse if topk_mode != "code" else "max")
    ]
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


def expert_prompt(domain: AnyDomain, term: Term, kind: AnswerKind, prompts: Prompts) -> str:
    """Return the system prompt of a domain's expert (THEN-part of Eq. 10); a pack's own words end it."""
    prompt = prompts.expert(domain=domain.name, description=domain.description, term=term, kind=kind)
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
