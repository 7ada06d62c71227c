"""`gama train seal eval`: what an attacker infers of the held-out persons, before and after a model has refined.

The model that was trained and the one it started from refine the same texts by themselves, each in all three roles; an
attacker and a judge of other weights measure what came of it. Figures as in SEAL's table (spec 04 §4.2).
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from gama.evals.metrics.attributes import Hit, Matcher, accuracy, combined
from gama.evals.teachers import WRITTEN, Calls, Dialogue, Role, Teacher, side_by_side
from gama.models.names import estimate_tokens
from gama.privacy.refining.agents import Agents, ask_to_infer, ask_to_judge
from gama.privacy.refining.attributes import ATTRIBUTES
from gama.privacy.refining.engine import roles_of
from gama.privacy.refining.judgement import PERFECT, Utility
from gama.privacy.refining.loop import Roles, Terms, refine
from gama.state.errors import InputError, OptionError
from gama.state.options import Options
from gama.training.seal.config import Config
from gama.training.seal.sources import Text

COMMAND = "gama train seal eval"
ORIGINAL = "original"


@dataclass(frozen=True)
class Referees:
    """Who measures: teachers in two roles, or the embedded attacker and its rules where none is named."""

    attacker: Teacher | None = None
    judge: Teacher | None = None

    def roles(self, calls: Calls, dialogue: str, config: Config) -> Roles:
        """Return them in a dialogue of their own.

        Raises:
            OptionError: none is named, and there is no embedded attacker.
        """
        if self.attacker is None or self.judge is None:
            return roles_of(Options(), None)
        made, warmth = Dialogue(calls, dialogue), config.trajectories.temperature_reading
        attacker, judge = self.attacker.at(warmth), self.judge.at(warmth)
        infer = made.by("attacker", attacker)
        return Agents(ATTRIBUTES, infer, infer, made.by("judge", judge))


class Outcome(NamedTuple):
    """What became of one text."""

    hits: Sequence[Hit]
    utility: Utility
    rounds: int
    unread: bool
    """Whether the model's own replies could not be read: the text stayed as it was."""


class Row(NamedTuple):
    """How the texts did as they were, or as one model refined them."""

    name: str
    privacy: float
    """Share of attributes that the attacker's first guess tells; less is better."""
    top3: float
    utility: float
    combined: float | None
    """None where nothing is inferred from the originals."""
    rounds: float
    """Mean of the rewritings that were asked for."""
    unread: int
    """Texts that stayed as they were because the model's replies could not be read."""
    by_attribute: Mapping[str, float]
    """`privacy` of each attribute."""


class Measured(NamedTuple):
    """All rows, over the same texts."""

    rows: list[Row]
    texts: int
    missing: int
    """Texts that a referee's reply could not be read of, in one of the rows: they are in none."""


def fingerprint(folder: Path) -> str:
    """Return a hash of which files a model has: what another one wrote is not taken for what it writes.

    Raises:
        OptionError: it is not a folder.
    """
    if not folder.is_dir():
        raise OptionError(f"{str(folder)!r} is no folder of a model")
    files = sorted((one.name, one.stat().st_size, one.stat().st_mtime_ns) for one in folder.iterdir() if one.is_file())
    return hashlib.sha256(repr(files).encode()).hexdigest()[:16]


def measure(
    texts: Sequence[Text],
    models: Mapping[str, Callable[[], Teacher]],
    referees: Referees,
    config: Config,
    calls: Calls,
    step: Callable[[str], None],
    at_once: int = 4,
) -> Measured:
    """Measure models on held-out texts.

    Args:
        texts: those; ones of which nothing is known to be true are left out.
        models: what makes each model, by the name of its row; one is made at a time.
        referees: who measures.
        config: how the models refine.
        calls: keeps what was asked.
        step: told of each text and row.
        at_once: texts under way at a time.

    Raises:
        InputError: nothing can be measured.
        GamaError: see `Calls.ask`.
    """
    known = [one for one in texts if any(value.strip() for value in one.truth.values())]
    if not known:
        raise InputError("nothing is known to be true of the held-out profiles: there is nothing to measure")
    found: dict[str, list[Outcome | None]] = {}
    for name in (ORIGINAL, *models):
        model = models[name]() if name in models else None

        def one(text: Text, name: str = name, model: Teacher | None = model) -> Outcome | None:
            outcome = _outcome(text, name, model, referees, config, calls)
            step(name)
            return outcome

        found[name] = side_by_side(calls, one, known, at_once)
    whole = [all(outcomes[at] is not None for outcomes in found.values()) for at in range(len(known))]
    kept = {
        name: [one for one, fits in zip(outcomes, whole, strict=True) if fits and one is not None]
        for name, outcomes in found.items()
    }
    if not any(whole):
        raise InputError("no text could be measured: the attacker's or the judge's replies cannot be read")
    first = accuracy([hit for one in kept[ORIGINAL] for hit in one.hits])
    return Measured([_row(name, some, first) for name, some in kept.items()], sum(whole), len(known) - sum(whole))


def _outcome(
    text: Text, name: str, model: Teacher | None, referees: Referees, config: Config, calls: Calls
) -> Outcome | None:
    refined, rounds, unread = text.text, 0, False
    if model is not None:
        complete = Dialogue(calls, f"{name}/{text.id}").by("anonymizer", model.at(config.eval.temperature))
        terms = Terms(config.eval.rounds, config.eval.rule, config.eval.floor)
        done = refine(text.text, Agents(ATTRIBUTES, complete, complete, complete), terms)
        refined, rounds, unread = done.text, done.rounds, done.ended == "unreadable"
    # The same text is attacked once, whoever left it as it was.
    about = hashlib.sha256(refined.encode("utf-8", "replace")).hexdigest()[:16]
    roles = referees.roles(calls, f"{text.id}/{about}", config)
    inferred = roles.infer(refined)
    judged = PERFECT if refined == text.text else roles.judge(text.text, refined)
    if inferred is None or judged is None:
        return None
    return Outcome(Matcher(ATTRIBUTES).hits(inferred, text.truth), judged, rounds, unread)


def _row(name: str, outcomes: Sequence[Outcome], first: float) -> Row:
    hits = [hit for one in outcomes for hit in one.hits]
    privacy, utility = accuracy(hits), sum(one.utility.score for one in outcomes) / len(outcomes)
    attributes = [one.name for one in ATTRIBUTES if any(hit.attribute == one.name for hit in hits)]
    return Row(
        name,
        privacy,
        accuracy(hits, 3),
        utility,
        combined(privacy, utility, first) if first > 0 else None,
        sum(one.rounds for one in outcomes) / len(outcomes),
        sum(one.unread for one in outcomes),
        {attribute: accuracy([hit for hit in hits if hit.attribute == attribute]) for attribute in attributes},
    )


def expected_cost(texts: Sequence[Text], models: int, referees: Referees, calls: Calls) -> tuple[float, float | None]:
    """Return about how many calls of the referees are left, and US dollars for them, or None where nobody knows.

    Args:
        texts: that are measured.
        models: how many models refine them.
        referees: who measures.
        calls: what was asked before.
    """
    if referees.attacker is None or referees.judge is None:
        return 0.0, 0.0
    roles: list[tuple[Role, Teacher, int, int]] = [
        ("attacker", referees.attacker, 1 + models, _question(ask_to_infer(ATTRIBUTES, ""))),
        ("judge", referees.judge, models, _question(ask_to_judge("", ""))),
    ]
    count, money = 0.0, 0.0
    known = True
    for role, teacher, times, question in roles:
        made = sum(one.role == role and one.teacher == teacher.name for one in calls.kept.values())
        left = max(0, times * len(texts) - made)
        share = left / len(texts) if texts else 0.0
        read = sum(question + (2 if role == "judge" else 1) * estimate_tokens(one.text) for one in texts)
        count += left
        if teacher.price is None:
            known = False
        else:
            money += share * teacher.price.cost(read, len(texts) * WRITTEN[role])
    return count, money if known else None


def _question(chat: Sequence[Mapping[str, object]]) -> int:
    return estimate_tokens(str(chat[0]["content"]))
