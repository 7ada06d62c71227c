"""The cycle of self-refinement: infer what a text gives away, rewrite it, judge it, accept it or not.

SEAL's inference (§4.2 of the spec) with the loop of adversarial anonymization (§4.1). Who infers, rewrites and judges
is handed in: one private LLM in three roles, three of them, or the embedded models.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal, NamedTuple, Protocol

from gama.privacy.refining.inferences import Inference
from gama.privacy.refining.judgement import PERFECT, Remarked, Utility

Rule = Literal["privacy_first", "utility_floor", "last"]
"""What is accepted, and what is taken of it: whatever is more private, however it reads; the same while the text stays
useful enough; or every rewriting, and the last of them, as the papers' plain loop does."""


class Refusal(NamedTuple):
    """A rewriting that was not taken, for the rewriter to do better."""

    text: str
    why: str
    """The end of a sentence; it may quote the text."""


class Roles(Protocol):
    """Who infers, rewrites and judges. Each returns None where its reply cannot be read."""

    learns: ClassVar[bool]
    """Whether another rewriting follows on one that was refused; else the same one would."""

    def infer(self, text: str) -> list[Inference] | None:
        """Return what a text gives away."""
        ...

    def rewrite(
        self, text: str, inferences: Sequence[Inference], keep: Sequence[str], refusal: Refusal | None = None
    ) -> str | None:
        """Return the text without what gives the attributes away.

        Args:
            text: the text as it stands.
            inferences: what it gives away.
            keep: strings that must stay letter for letter.
            refusal: the rewriting of the same text that was refused last.
        """
        ...

    def judge(self, original: str, text: str) -> Utility | None:
        """Return how useful a text still is."""
        ...


@dataclass(frozen=True)
class Version:
    """A state s = (x, P, U) of a trajectory (SEAL §3)."""

    text: str = field(repr=False)
    inferences: tuple[Inference, ...] = field(repr=False)
    utility: Utility

    @property
    def privacy(self) -> "Privacy":
        """The order p(s): fewer inferences first, then less certain ones; larger is more private."""
        return privacy_of(self.inferences)

    @property
    def worth(self) -> tuple["Privacy", float]:
        """Return (p, u): privacy first, then use."""
        return self.privacy, self.utility.score


class Privacy(NamedTuple):
    """p(s) = (−|P|, −mean certainty of P), compared as a pair; (0, 0) is the largest."""

    inferred: float
    certainty: float


def privacy_of(inferences: Sequence[Inference]) -> Privacy:
    """Return how private a text is, by what was inferred of it."""
    if not inferences:
        return Privacy(0.0, 0.0)
    return Privacy(-float(len(inferences)), -sum(one.certainty for one in inferences) / len(inferences))


@dataclass(frozen=True)
class Refinement:
    """What became of a text."""

    versions: tuple[Version, ...]
    """The start and every text that was accepted, in their order."""
    chosen: int
    """Which of them the rule took."""
    rounds: int
    """Rewritings that were asked for."""
    ended: str
    """Why: `nothing inferred`, `rounds`, `useless` (below the floor, and there would be no other rewriting) or
    `unreadable`; empty while it goes on."""
    notes: tuple[str, ...] = ()
    """What was refused or could not be read, round by round; quotes nothing of the text."""
    refusal: Refusal | None = field(default=None, repr=False)
    """The last rewriting, where it was refused and can be told of."""

    @property
    def text(self) -> str:
        """The text that the rule took."""
        return self.versions[self.chosen].text

    @property
    def before(self) -> Version:
        """The text as it was given."""
        return self.versions[0]

    @property
    def after(self) -> Version:
        """The version that the rule took."""
        return self.versions[self.chosen]


@dataclass(frozen=True)
class Terms:
    """By what rules a text is refined."""

    rounds: int = 3
    """The most rewritings, 1 or more."""
    rule: Rule = "privacy_first"
    """Which version is taken."""
    floor: float = 0.85
    """The least utility, from 0 to 1, that `utility_floor` accepts."""
    keep: tuple[str, ...] = ()
    """Strings that must stay."""
    check: Callable[[str], str] | None = None
    """Returns why a text may not be accepted, or an empty string."""
    second: Callable[[str, str], str] | None = None
    """A second attacker: of the start and a rewriting, returns why the latter tells it more, or an empty string. What
    tells it more is accepted under no rule; a person may take it all the same."""


def refine(text: str, roles: Roles, terms: Terms) -> Refinement:
    """Rewrite a text until nothing is inferred from it, or the rounds are over.

    A version is accepted where its (p, u) is larger than that of the version it was made of: it is more private, or as
    private and more useful; under `last` always. What is not accepted is tried again from the version before, and a
    rewriter that learns is told why: SEAL ends where the utility falls below the user's floor; one that knows what was
    lost may keep it. A version
    that lost a string of `keep`, that `check` refuses, or that could not be read or judged is accepted under no rule.
    The text that is taken is never less private than the start by the judgement of the same attacker, nor by that of
    the second one where there is one.

    Args:
        text: the text, with or without placeholders.
        roles: who infers, rewrites and judges.
        terms: the rules.
    """
    done = begin(text, roles)
    while not done.ended:
        done = go_round(done, roles, terms)
    return done


def begin(text: str, roles: Roles) -> Refinement:
    """Return the start: the text with what the attacker infers of it."""
    inferred = roles.infer(text)
    if inferred is None:
        return Refinement((Version(text, (), PERFECT),), 0, 0, "unreadable", ("The attacker's reply cannot be read.",))
    start = Version(text, tuple(inferred), PERFECT)
    return Refinement((start,), 0, 0, "" if inferred else "nothing inferred")


def go_round(so_far: Refinement, roles: Roles, terms: Terms) -> Refinement:
    """Rewrite, infer, judge and accept once; a graph saves what came of each round.

    Args:
        so_far: what came of the rounds before; it has not ended.
        roles: who infers, rewrites and judges.
        terms: the rules, the same in each round.
    """
    number, now = so_far.rounds + 1, so_far.versions[-1]
    new = roles.rewrite(now.text, now.inferences, terms.keep, so_far.refusal)
    version, ended, remark = None, "", ""
    why = refused(now.text, new, terms)
    if new is not None and not why and terms.second is not None:
        why = terms.second(so_far.before.text, new)
    if new is not None and not why:
        version, why = judged(so_far.before.text, new, roles)
    if version is not None and terms.rule == "utility_floor" and version.utility.score < terms.floor:
        why = f"its use is below the floor of {terms.floor:g}: {_told(version.utility)}."
        remark = version.utility.remark if isinstance(version.utility, Remarked) else ""
        ended, version = "" if roles.learns else "useless", None
    elif version is not None and terms.rule != "last" and version.worth <= now.worth:
        why, version = "the text gave no less away than before.", None
    versions = so_far.versions if version is None else (*so_far.versions, version)
    if not versions[-1].inferences:
        ended = "nothing inferred"
    elif not ended and number >= terms.rounds:
        ended = "rounds"
    notes = (*so_far.notes, f"Round {number}: {why}") if why else so_far.notes
    refusal = Refusal(new, f"{why} {remark}".strip()) if why and new else None
    return Refinement(versions, _chosen(versions, terms.rule), number, ended, notes, refusal)


def _told(utility: Utility) -> str:
    invented = "" if utility.hallucination else ", and something in it is new"
    numbers = f"readability {utility.readability:g} and meaning {utility.meaning:g} of 10"
    return f"{utility.score:.2f}, {numbers}{invented}"


def judged(original: str, text: str, roles: Roles) -> tuple[Version | None, str]:
    """Return a text as attacked and judged; None and why where that cannot be read.

    Args:
        original: what it was made of.
        text: it.
        roles: who infers and judges.
    """
    inferred = roles.infer(text)
    if inferred is None:
        return None, "the attacker's reply cannot be read."
    utility = roles.judge(original, text)
    if utility is None:
        return None, "the judge's reply cannot be read."
    return Version(text, tuple(inferred), utility), ""


def refused(old: str, new: str | None, terms: Terms) -> str:
    """Return why a rewriting is accepted under no rule, as the end of a sentence; an empty string where it may be.

    Args:
        old: the text that was rewritten.
        new: the rewriting.
        terms: what must stay, and what else is checked.
    """
    if new is None or not new.strip():
        return "there is no text in the rewriter's reply."
    if new.strip() == old.strip():
        return "the text came back unchanged."
    if any(one not in new for one in terms.keep if one in old):
        return "a part that must stay was changed."
    return terms.check(new) if terms.check is not None else ""


def _chosen(versions: Sequence[Version], rule: Rule) -> int:
    """Return which version the rule takes."""
    last = len(versions) - 1
    if rule == "last" and versions[last].privacy >= versions[0].privacy:
        return last
    return max(range(len(versions)), key=lambda n: versions[n].worth)
