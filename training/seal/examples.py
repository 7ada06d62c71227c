"""D_anon, D_priv, D_util and D_pref as chats, in the very words in which the roles are asked at run time.

A model that was trained on them is asked as any private LLM is (`privacy/refining/agents.py`), and answers in the form
that is read there.
"""

from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

from gama.evals.metrics.attributes import Matcher
from gama.privacy.refining.agents import Messages, ask_to_infer, ask_to_judge, ask_to_rewrite, by_certainty
from gama.privacy.refining.attributes import ATTRIBUTES, Attribute
from gama.privacy.refining.inferences import Inference
from gama.privacy.refining.judgement import Utility
from gama.state.private_text import PrivateText
from gama.training.seal.config import Selection
from gama.training.seal.pairs import Trajectory, anonymizing_pairs, preferences, scored

Turn = Mapping[str, str]


class Lesson(NamedTuple):
    """A question and the answer that is learnt (SFT)."""

    prompt: tuple[Turn, ...]
    completion: tuple[Turn, ...]


class Choice(NamedTuple):
    """A question, the better answer, and a worse one (DPO)."""

    prompt: tuple[Turn, ...]
    chosen: tuple[Turn, ...]
    rejected: tuple[Turn, ...]


class Lessons(NamedTuple):
    """The three sets of SFT."""

    anonymize: list[Lesson]
    """D_anon: rewritings that are more private and no less useful."""
    infer: list[Lesson]
    """D_priv: what is inferred from each text."""
    judge: list[Lesson]
    """D_util: how useful each rewriting is; the original's own, which nobody judged, is left out."""

    def mixed(self, data: Selection, seed: int) -> list[Lesson]:
        """Return all of them, each set as often as its weight says: sampling stands for weights of the losses."""
        rng = Random(f"mixed {seed}")
        weights = (data.weight_anonymize, data.weight_infer, data.weight_judge)
        found = [one for some, weight in zip(self, weights, strict=True) for one in _times(some, weight, rng)]
        rng.shuffle(found)
        return found


def lessons(trajectories: Iterable[Trajectory], data: Selection, seed: int) -> Lessons:
    """Return what SFT learns of trajectories.

    Args:
        trajectories: of one split.
        data: by which rule.
        seed: of the draw of first rewritings that are learnt without what was inferred, too.
    """
    matcher, rng = Matcher(ATTRIBUTES), Random(f"critique {seed}")
    found = Lessons([], [], [])
    for one in trajectories:
        steps, scores = one.steps, scored(one.steps, data.privacy_count, one.truth, matcher)
        for pair in anonymizing_pairs(scores, data.utility_slack):
            source, target = steps[pair.source], steps[pair.target]
            answer = _answer(rewriting(source.inferences, target.text))
            found.anonymize.append(Lesson(_plain(ask_to_rewrite(source.text, by_certainty(source.inferences))), answer))
            if pair.source == 0 and rng.random() < data.without_critique:
                found.anonymize.append(Lesson(_plain(ask_to_rewrite(source.text, ())), answer))
        for step in steps:
            said = _answer(inferences(step.inferences, ATTRIBUTES))
            found.infer.append(Lesson(_plain(ask_to_infer(ATTRIBUTES, step.text)), said))
        for step in steps[1:]:
            asked = ask_to_judge(steps[0].text, step.text)
            found.judge.append(Lesson(_plain(asked), _answer(judgement(step.utility))))
    return found


def choices(trajectories: Iterable[Trajectory], data: Selection) -> list[Choice]:
    """Return D_pref: what DPO learns of trajectories."""
    matcher = Matcher(ATTRIBUTES)
    found = []
    for one in trajectories:
        scores = scored(one.steps, data.privacy_count, one.truth, matcher)
        for pick in preferences(scores, data.utility_slack):
            source = one.steps[pick.source]
            better, worse = (
                _answer(rewriting(source.inferences, one.steps[n].text)) for n in (pick.winner, pick.loser)
            )
            found.append(Choice(_plain(ask_to_rewrite(source.text, by_certainty(source.inferences))), better, worse))
    return found


def rewriting(told: Sequence[Inference], text: str) -> str:
    """Return a rewriter's reply: what is changed, the separator, the text."""
    names = ", ".join(one.attribute for one in told)
    return f"What tells the {names} becomes more general, or goes.\n#\n{text}" if names else f"The text:\n#\n{text}"


def inferences(found: Sequence[Inference], attributes: Sequence[Attribute]) -> str:
    """Return an attacker's reply, which `read_inferences` reads."""
    if not found:
        found = [Inference(attributes[0].name, ("none",), 1, "Nothing points to anything.")]
    return "\n\n".join(
        f"Type: {one.attribute}\nInference: {_line(one.reason)}\nGuess: {'; '.join(map(_line, one.guesses))}\n"
        f"Certainty: {max(1, one.certainty)}\nEvidence: " + "; ".join(f'"{_unquoted(quote)}"' for quote in one.evidence)
        for one in found
    )


def judgement(utility: Utility) -> str:
    """Return a judge's reply, which `read_utility` reads."""
    return '{{"readability": {:g}, "meaning": {:g}, "hallucination": {:d}}}'.format(*utility)


def _line(text: str) -> str:
    return " ".join(text.split())


def _unquoted(text: str) -> str:
    return _line(text.translate(dict.fromkeys(map(ord, '"“”„«»'), "'")))


def _plain(messages: Messages) -> tuple[Turn, ...]:
    """Return messages as the tokenizer takes them: what is learnt from is opened here."""
    said = [(str(one["role"]), one["content"]) for one in messages]
    return tuple(
        {"role": role, "content": text.reveal() if isinstance(text, PrivateText) else text} for role, text in said
    )


def _answer(said: str) -> tuple[Turn, ...]:
    return ({"role": "assistant", "content": said},)


def _times(some: Sequence[Any], weight: float, rng: Random) -> list[Any]:
    """Return each as often as the whole part of a weight, and a share of them once more."""
    whole = int(weight)
    return [*(list(some) * whole), *rng.sample(list(some), round(len(some) * (weight - whole)))]
