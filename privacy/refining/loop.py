"""The cycle of self-refinement: infer what a text gives away, rewrite it, judge it, accept it or not.

SEAL's inference (§4.2 of the spec) with the loop of adversarial anonymization (§4.1). Who infers, rewrites and judges
is handed in: one private LLM in three roles, three of them, or the embedded models.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, NamedTuple, Protocol

from gama.privacy.refining.inferences import Inference
from gama.privacy.refining.judgement import PERFECT, Remarked, Utility
from gama.privacy.refining.partial import allowed, cheaper

Rule = Literal["privacy_first", "utility_floor", "last"]
"""What is accepted, and what is taken of it: whatever is more private, however it reads; the same while the text stays
useful enough; or every rewriting, and the last of them, as the papers' plain loop does."""

FINISHING = 0.05
"""What finishing by rule may cost of the use: a point of one of the judge's scales of ten, not two."""


class Refusal(NamedTuple):
    """A rewriting that was not taken, for the rewriter to do better."""

    text: str
    why: str
    """The end of a sentence; it may quote the text."""
    inferences: tuple[Inference, ...] = ()
    """What it gave away, where it was attacked."""
    start: str = ""
    """The text before all rounds, to bring back from it what was missed."""


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
            refusal: the rewriting that was refused last, of the same text, or of the one before some of its changes.
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
    finish: Callable[[str, Sequence[str], Collection[str]], str | None] | None = None
    """Makes a text tell the second attacker less of some attributes, but for the strings that must stay; None where it
    cannot."""


def refine(text: str, roles: Roles, terms: Terms) -> Refinement:
    """Rewrite a text until nothing is inferred from it, or the rounds are over.

    A version is accepted where its (p, u) is larger than that of the version it was made of: it is more private, or as
    private and more useful; under `last` always. What is not accepted is tried again from the version before, and a
    rewriter that learns is told why: SEAL ends where the utility falls below the user's floor; one that knows what was
    lost may keep it. Meanwhile a part of its rewriting may be taken (see `go_round`), and at the end rules may take
    away what the second attacker still reads. A version
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


class Asked(NamedTuple):
    """How often a model is asked at most in each role, replies that cannot be read not counted."""

    attacks: int
    rewritings: int
    judgements: int


def most_asked(rounds: int, rule: Rule) -> Asked:
    """Return how often a private LLM is asked at most, where parts may be taken and rules finish.

    Args:
        rounds: rewritings of a text.
        rule: which version is taken.
    """
    if rule == "last":
        return Asked(rounds + 1, rounds, rounds)
    tried = 2 * rounds if rule == "utility_floor" else rounds
    return Asked(tried + 2, rounds, tried + 1)


def go_round(so_far: Refinement, roles: Roles, terms: Terms) -> Refinement:
    """Rewrite, infer, judge and accept once; a graph saves what came of each round.

    Of a rewriting that is not accepted the parts are tried that may be taken, and of what is below the floor those that
    take most and cost little: a rewriting is attacked and judged twice at most. In the last round rules finish.

    Args:
        so_far: what came of the rounds before; it has not ended.
        roles: who infers, rewrites and judges.
        terms: the rules, the same in each round.
    """
    number, now = so_far.rounds + 1, so_far.versions[-1]
    new = roles.rewrite(now.text, now.inferences, terms.keep, so_far.refusal)
    first = made = _tried(so_far.before, now, new, roles, terms)
    if first.refused and first.version is None and new and roles.learns:
        part = allowed(now.text, new, now.inferences, lambda text: _forbidden(so_far.before, now, text, terms))
        if part is not None:
            made = _tried(so_far.before, now, part, roles, terms)
    if made.useless is not None and roles.learns:
        part = cheaper(now.text, made.text, now.inferences, made.useless)
        if part is not None:
            made = _tried(so_far.before, now, part, roles, terms)
    ended = "useless" if first.useless is not None and not roles.learns else ""
    versions = so_far.versions if made.version is None else (*so_far.versions, made.version)
    if not versions[-1].inferences:
        ended = "nothing inferred"
    elif not ended and number >= terms.rounds:
        ended = "rounds"
    partly = " Some of its changes were taken." if first.why and made.version is not None else ""
    notes = (*so_far.notes, f"Round {number}: {first.why}{partly}") if first.why else so_far.notes
    refusal = None
    if first.why and new:
        refusal = Refusal(new, f"{first.why} {first.remark}".strip(), first.inferences, so_far.before.text)
    done = Refinement(versions, _chosen(versions, terms.rule), number, ended, notes, refusal)
    return _finished(done, roles, terms) if ended else done


class _Tried(NamedTuple):
    """A rewriting, accepted or not."""

    text: str
    version: Version | None
    """It as a version, where it is accepted."""
    why: str = ""
    """Why it is not, as the end of a sentence."""
    refused: bool = False
    """Whether it may not be taken, whatever it gives away and is worth."""
    useless: Utility | None = None
    """What the judge said of it, where that is below the floor."""
    inferences: tuple[Inference, ...] = ()
    """What it gives away, where it was attacked and is not accepted."""

    @property
    def remark(self) -> str:
        """What the judge said beside its numbers."""
        return self.useless.remark if isinstance(self.useless, Remarked) else ""


def _tried(start: Version, now: Version, new: str | None, roles: Roles, terms: Terms) -> _Tried:
    """Return a rewriting as it was tried: attacked and judged, unless it may not be taken anyhow."""
    why = _forbidden(start, now, new, terms)
    if new is None or why:
        return _Tried(new or "", None, why, refused=True)
    version, why = judged(start.text, new, roles)
    if version is None:
        return _Tried(new, None, why)
    if terms.rule == "utility_floor" and version.utility.score < terms.floor:
        why = f"its use is below the floor of {terms.floor:g}: {_told(version.utility)}."
        return _Tried(new, None, why, useless=version.utility, inferences=version.inferences)
    if terms.rule != "last" and version.worth <= now.worth:
        return _Tried(new, None, "the text gave no less away than before.", inferences=version.inferences)
    return _Tried(new, version)


def _forbidden(start: Version, now: Version, new: str | None, terms: Terms) -> str:
    """Return why a rewriting is accepted under no rule; an empty string where it may be."""
    why = refused(now.text, new, terms)
    return why or (terms.second(start.text, new) if terms.second is not None and new is not None else "")


def _finished(done: Refinement, roles: Roles, terms: Terms) -> Refinement:
    """Return a refinement at its end: of what both attackers still read, rules take from the second what they can.

    That is accepted where the text is no less private by the first attacker, hardly less useful and, under
    `utility_floor`, useful enough.
    """
    now = done.after
    if terms.finish is None or terms.rule == "last" or not now.inferences:
        return done
    new = terms.finish(now.text, terms.keep, {one.attribute for one in now.inferences})
    if new is None or _forbidden(done.before, now, new, terms):
        return done
    version, why = judged(done.before.text, new, roles)
    least = max(now.utility.score - FINISHING, terms.floor if terms.rule == "utility_floor" else 0.0)
    if version is not None and version.privacy < now.privacy:
        why = "the text gave more away than before."
    elif version is not None and version.utility.score < least:
        why = f"it costs too much use: {_told(version.utility)}."
    if version is None or why:
        return replace(done, notes=(*done.notes, f"Finishing by rule: {why}"))
    return replace(done, versions=(*done.versions, version), chosen=len(done.versions))


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
