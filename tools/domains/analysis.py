"""Domain analysis: from the text over its high-order domains to the fired domain rules (GAMA Eqs. 7 to 10).

High-order domains are fields of knowledge. A private LLM names them, and Eqs. 7 to 9 lead to the reference domains
(spec 01 §1.5 step 1). Without one, memberships that were learned (`learned`) say how probably each reference domain
fits; in the other modes the published equations decide over the fields nearest to the text.

What the analysis returns for crossing, the rules, is made of names of domains, linguistic terms, template text
and the texts of domain packs only. It works on the raw text as on the anonymized one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gama.state.task import (
    GENERAL,
    TERMS,
    AnswerKind,
    Collapse,
    DomainChoice,
    DomainRule,
    DomainSet,
    Term,
    TopKMode,
)
from gama.tools.domains.index import AnyDomain, DomainIndex, domain_index
from gama.tools.domains.memberships import (
    Chosen,
    Matrix,
    Words,
    combine,
    firing,
    learned,
    term_of_score,
    top_k,
    without_placeholders,
)
from gama.tools.domains.packs import Pack
from gama.tools.domains.prompts import Prompts, load_prompts

if TYPE_CHECKING:
    from gama.tools.domains.naming import Complete


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
    ranking: tuple[str, ...] = ()
    """The domains that were chosen, most fitting first, those included whose rules are too weak to fire."""


def analyse(
    text: str,
    *,
    words: Words,
    k: int = 3,
    n: int = 5,
    alpha: float = 0.95,
    topk_mode: TopKMode = "learned",
    collapse: Collapse = "max",
    threshold: float = DomainChoice().threshold,
    domain_set: DomainSet = "twenty",
    kind: AnswerKind = "open",
    prompts: Prompts | None = None,
    complete: "Complete | None" = None,
    warnings: list[str] | None = None,
    packs: Sequence[Pack] = (),
) -> Analysis:
    """Choose the domains of a text and write their experts' prompts.

    Args:
        text: the task, raw or anonymized; of placeholders the learned memberships read the kind.
        words: the embedded word vectors.
        k: how many domains at the most.
        n: how many high-order domains (N).
        alpha: weight of R_ho in Eq. 9.
        topk_mode: `learned`, which takes learned memberships where no private LLM names fields; else see `top_k`.
        collapse: how rows are joined in the modes `paper` and `threshold`.
        threshold: least membership of the mode `threshold`.
        domain_set: which reference domains there are.
        kind: what sort of answer is asked for, for the prompts.
        prompts: the templates; the built-in ones by default.
        complete: the private LLM, which then names the high-order domains and judges the linguistic terms.
        warnings: gets a note when its reply could not be read.
        packs: further domains, after the reference ones.
    """
    prompts = prompts or load_prompts()
    notes = warnings if warnings is not None else []
    known = domain_index(words, tuple(packs), domain_set)  # type: ignore[arg-type]  # hashed by identity
    elm = known.elm(without_placeholders(text))
    named: _Named | None = None
    if complete is not None:
        named = _named_fields(complete, text, n, known, prompts, notes)
    if named is None and topk_mode == "learned":
        return _learned_analysis(text, words, known, elm, k=k, n=n, alpha=alpha, kind=kind, prompts=prompts)
    mode: TopKMode = "paper" if topk_mode == "learned" else topk_mode
    near = _near_fields(text, n, words, known, elm) if named is None else [(field, 1.0) for field, _ in named.fields]
    fields = [field for field, _ in near]
    row_terms = [term for _, term in named.fields] if named else None
    # A field that the text is less about speaks for its domains that much less.
    ho = known.ho(fields) * np.array([[weight] for _, weight in near] or [[1.0]])
    d = combine(ho, elm, alpha) if fields else np.asarray((1 - alpha) * elm)
    chosen = top_k(d, k, mode, collapse=collapse, row_terms=row_terms, threshold=threshold) if fields else []
    if not chosen:
        # "None of these" is an honest answer: what merely resembles some field is asked of nobody in it.
        return Analysis(tuple(fields), ho, elm, d, (general_rule(kind, prompts),))
    told = _told_terms(d, row_terms or ())
    names = [known.names[index] for index, _ in chosen]
    if complete is not None and mode != "code":
        from gama.tools.domains.naming import judge_terms

        # The code takes the terms of its rows; the paper has them judged for the text and each target domain.
        judged = judge_terms(complete, text, names, notes, prompts, named.background if named else "")
        told |= {known.names.index(name): term for name, term in judged.items()}
    # What lies nearest stands out from the rest of the text's own memberships, however far it is: weak evidence counts
    # towards Low's centre.
    strength = max(weight for _, weight in near)
    memberships = [
        (index, 0.2 + strength * (membership - 0.2))
        for index, membership in calibrated(chosen, d, collapse if mode != "code" else "max")
    ]
    scored = [((index, membership), told.get(index) or term_of_score(membership)) for index, membership in memberships]
    return Analysis(tuple(fields), ho, elm, d, _rules(scored, known.domains, kind, prompts), tuple(names))


class _Named(NamedTuple):
    """What the private LLM said."""

    background: str
    fields: list[tuple[str, Term]]
    """Fields that belong to some domain; empty where it said that none is needed."""


def _named_fields(
    complete: "Complete", text: str, n: int, known: DomainIndex, prompts: Prompts, notes: list[str]
) -> _Named | None:
    """Ask the private LLM for the fields; None where it named none that belongs to a domain."""
    from gama.tools.domains.naming import NONE, gather_background, name_fields

    background = gather_background(complete, text, prompts)
    named = name_fields(complete, text, n, notes, prompts, background, known.names)
    if any(field == NONE for field, _ in named):
        return _Named(background, [])
    placed = [one for one in named if known.ho([one[0]]).any()]
    if named and not placed:
        notes.append("The private model named no known field; the embedded domain analysis was used.")
    return _Named(background, placed) if placed else None


def _near_fields(text: str, n: int, words: Words, known: DomainIndex, elm: Matrix) -> list[tuple[str, float]]:
    from gama.tools.domains.nearest import foreign_fields, is_english, nearest_fields

    plain = without_placeholders(text)
    return nearest_fields(plain, n, words, elm, known) if is_english(plain, words) else foreign_fields(plain, n)


def _learned_analysis(
    text: str, words: Words, known: DomainIndex, elm: Matrix, *, k: int, n: int, alpha: float, kind: AnswerKind,
    prompts: Prompts,
) -> Analysis:  # fmt: skip
    """Choose by the learned memberships; packs, of which nothing was learned, join by the equations."""
    from gama.models.shipped import word_vectors

    # Learned over the shipped vectors and the twenty domains, of which a smaller set has some.
    whole = learned().membership(text, word_vectors())
    membership = whole._replace(domains=whole.domains[known.columns])
    order = np.argsort(-membership.domains, kind="stable")[:n]
    fields = [known.names[i].lower() for i in order]
    ho = known.ho(fields) * membership.domains[order, None]
    d = combine(ho, elm, alpha)
    chosen = top_k(membership.domains[None], k) if membership.fits else []
    if len(known.domains) > known.reference:
        most = chosen[0][1] if chosen else 0.0
        chosen = sorted([*_packs(text, n, k, alpha, words, known, elm, most), *chosen], key=lambda one: -one[1])[:k]
    if not chosen:
        return Analysis(tuple(fields), ho, elm, d, (general_rule(kind, prompts),))
    scored = [(one, term_of_score(one[1])) for one in chosen]
    names = tuple(known.names[index] for index, _ in chosen)
    return Analysis(tuple(fields), ho, elm, d, _rules(scored, known.domains, kind, prompts), names)


def _packs(
    text: str, n: int, k: int, alpha: float, words: Words, known: DomainIndex, elm: Matrix, most: float
) -> Chosen:
    """Return the packs that Eqs. 7 to 9 choose, with their memberships: `most` at least for one that they put first."""
    near = _near_fields(text, n, words, known, elm)
    if not near:
        return []
    d = combine(known.ho([field for field, _ in near]) * np.array([[weight] for _, weight in near]), elm, alpha)
    strength = max(weight for _, weight in near)
    found = calibrated(top_k(d, k), d)
    return [
        (index, max(0.2 + strength * (score - 0.2), 0.0 if place else most))
        for place, (index, score) in enumerate(found)
        if index >= known.reference
    ]


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
