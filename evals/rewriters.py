"""The methods of `gama eval anonymize`: what each makes of a text, round by round where it rewrites.

What is private is found by the embedded models, also where a private LLM rewrites: methods differ in what they do with
a text, not in what was found in it.
"""

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from gama.evals.teachers import Calls, Dialogue, Teacher
from gama.privacy.pipeline import Pipeline, View
from gama.privacy.refining.agents import Agents
from gama.privacy.refining.attacker import embedded_attacker
from gama.privacy.refining.attributes import ATTRIBUTES
from gama.privacy.refining.embedded import EmbeddedRoles
from gama.privacy.refining.engine import set_up
from gama.privacy.refining.loop import Roles, Rule, Terms, begin, go_round
from gama.privacy.refining.second import read_embedded
from gama.state.options import Options

MASK = "***"
"""What stands for every value under `masked`."""
READING, REWRITING = 0.3, 0.7
"""Temperatures of who infers and judges, and of who rewrites, as in the published trajectories."""


class Method(NamedTuple):
    """A way to make a text tell less."""

    about: str
    rewrites: bool = False
    """Whether it goes by rounds."""
    llm: bool = False
    """Whether a private LLM does it."""


ORIGINAL = "original"
METHODS = {
    ORIGINAL: Method("as written"),
    "masked": Method(f"every private value that is found as {MASK}"),
    "placeholders": Method("every private value that is found as a placeholder"),
    "generalised": Method("placeholders, then telling words made wider by rule, nothing left out", rewrites=True),
    "refined": Method("placeholders, then rewritten by the embedded attacker and rules", rewrites=True),
    "adversarial": Method(
        "adversarial anonymization by the private LLM, without placeholders", rewrites=True, llm=True
    ),
    "refined-llm": Method("placeholders, then rewritten by the private LLM", rewrites=True, llm=True),
}


class Written(NamedTuple):
    """What a method made of a text."""

    texts: tuple[str, ...]
    """After each round; one where the method has no rounds."""
    unread: bool = False
    """Whether the rewriter's own attacker could not be read: the text stayed as it was."""

    def after(self, number: int) -> str:
        """Return the text after so many rounds; what ended before stays."""
        return self.texts[min(number, len(self.texts)) - 1]


@dataclass
class Writer:
    """Applies the methods.

    Args:
        options: what is hidden, and the rounds, the rule and the floor of a refinement.
        calls: keeps what the private LLM was asked.
        private: the private LLM; None where no method needs one.
    """

    options: Options
    calls: Calls
    private: Teacher | None = None
    _views: dict[str, View] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        """Make the engine."""
        self.options = self.options.model_copy(update={"private_model": None, "refine": "placeholders+refine"})
        self._pipeline = Pipeline(self.options)

    def write(self, name: str, person: str, text: str) -> Written:
        """Return what a method makes of a text.

        Args:
            name: the method.
            person: who wrote the text; names the dialogue with the private LLM.
            text: it.

        Raises:
            GamaError: see `Calls.ask`.
        """
        if name == ORIGINAL:
            return Written((text,))
        if name == "adversarial":
            return _rounds(text, self._llm(name, person), Terms(self.options.refine_rounds, self.rule_of(name)))
        view = self._view(text)
        if name == "masked":
            return Written((masked(text, view),))
        if name == "placeholders":
            return Written((view.text,))
        drops = name != "generalised"
        roles = self._llm(name, person) if METHODS[name].llm else EmbeddedRoles(ATTRIBUTES, embedded_attacker(), drops)
        setting = set_up(self._pipeline, text, view.text, view.entities, view.box, 0, roles)
        # A wider word alone seldom takes a whole inference away: here every one that takes something is kept.
        terms = replace(setting.terms, rule=self.rule_of(name))
        return _rounds(setting.start, setting.roles, terms)

    def rule_of(self, name: str) -> Rule:
        """Return which rewriting a method takes."""
        return "last" if name in {"adversarial", "generalised"} else self.options.refine_rule

    def _view(self, text: str) -> View:
        if text not in self._views:
            plain = self._pipeline.under(self.options.model_copy(update={"refine": "off"}))
            self._views[text] = plain.anonymize(text, plain.new_box(), query=None)
        return self._views[text]

    def _llm(self, name: str, person: str) -> Roles:
        if self.private is None:
            raise ValueError(f"{name} needs a private LLM")
        made = Dialogue(self.calls, f"{name}/{person}")
        attacker, judge = (made.by(role, self.private.at(READING)) for role in ("attacker", "judge"))
        beside = None if name == "adversarial" else read_embedded
        return Agents(ATTRIBUTES, attacker, made.by("anonymizer", self.private.at(REWRITING)), judge, beside)


def masked(text: str, view: View) -> str:
    """Return a text with `MASK` for every private value that was found in it."""
    out, at = [], 0
    for entity in sorted((one for one in view.entities if one.hidden), key=lambda one: one.start):
        if entity.start >= at:
            out += [text[at : entity.start], MASK]
        at = max(at, entity.end)
    return "".join([*out, text[at:]])


def _rounds(start: str, roles: Roles, terms: Terms) -> Written:
    """Return what would be taken after each round."""
    done = begin(start, roles)
    if done.ended:
        return Written((done.text,), done.ended == "unreadable")
    texts = []
    while not done.ended:
        done = go_round(done, roles, terms)
        texts.append(done.text)
    return Written(tuple(texts))
