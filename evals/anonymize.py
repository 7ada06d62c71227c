"""What an attacker still infers of people from their texts, and how useful these are: `gama eval anonymize`.

Persons who were made up for this, and of whose texts nothing was trained or tuned on (`evals/data/anonymize`), by
several methods (`rewriters.py`); figures as in SEAL's table (spec 04 §4.2). Attacker and judge see a text alone, never
who it is of or by which method. The judge sees the texts in an order drawn by lot; the attacker sees those of the later
methods first: one who remembers, as people do, has read nothing of a person that tells more than the text at hand.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import NamedTuple

from gama.evals.metrics.attributes import Hit, Matcher, accuracy, combined
from gama.evals.metrics.bleu import bleu_4, rouge
from gama.evals.rewriters import METHODS, ORIGINAL, READING, Writer, Written
from gama.evals.teachers import WRITTEN, Calls, Dialogue, Role, Teacher, side_by_side
from gama.models.names import estimate_tokens
from gama.privacy.refining.agents import Agents, ask_to_infer, ask_to_judge, ask_to_rewrite
from gama.privacy.refining.attributes import ATTRIBUTES
from gama.privacy.refining.engine import roles_of
from gama.privacy.refining.inferences import Inference
from gama.privacy.refining.judgement import PERFECT, Utility
from gama.privacy.refining.loop import Roles, most_asked
from gama.state.errors import InputError
from gama.state.options import Options

COMMAND = "gama eval anonymize"
UNSEEN = Path(__file__).parent / "data" / "anonymize" / "unseen.jsonl"
HARD = UNSEEN.with_name("hard.jsonl")
"""The same persons in other texts, which name nothing and tell all by their context."""


SURE = 3
"""From which certainty on a guess is meant."""


class Person(NamedTuple):
    """A person of the set."""

    id: str
    truth: Mapping[str, str]
    """What is true of them, and given away or named in the text."""
    text: str


def read_people(file: Path | None = None) -> list[Person]:
    """Read the set.

    Args:
        file: lines `{"id", "truth", "text"}`; None for the shipped ones that nothing was tuned on.

    Raises:
        InputError: the file cannot be read, a line is no such record, or two have the same id.
    """
    try:
        records = [json.loads(line) for line in (file or UNSEEN).read_text("utf-8").splitlines() if line.strip()]
        people = [Person(str(one["id"]), dict(one["truth"]), str(one["text"])) for one in records]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError("the persons cannot be read: a file of lines with id, truth and text is needed") from error
    if len({one.id for one in people}) < len(people):
        raise InputError("the persons cannot be read: two have the same id")
    return people


@dataclass(frozen=True)
class Referees:
    """Who measures: a model in a role, or the embedded attacker and its rules where none is named."""

    attacker: Teacher | None = None
    judge: Teacher | None = None

    def infer(self, calls: Calls, person: str, text: str) -> list[Inference] | None:
        """Return what the attacker concludes from a text; None where that cannot be read."""
        return self._by("attacker", self.attacker, calls, f"attack/{person}/{_about(text)}").infer(text)

    def judgement(self, calls: Calls, person: str, original: str, text: str) -> Utility | None:
        """Return what the judge says of a text; None where that cannot be read."""
        if text == original:
            return PERFECT
        return self._by("judge", self.judge, calls, f"judge/{person}/{_about(text)}").judge(original, text)

    @staticmethod
    def _by(role: Role, model: Teacher | None, calls: Calls, dialogue: str) -> Roles:
        if model is None:
            return roles_of(Options(), None)
        asked = Dialogue(calls, dialogue).by(role, model.at(READING))
        return Agents(ATTRIBUTES, asked, asked, asked)


def _about(text: str) -> str:
    """Return a name of a text: the same text is attacked and judged once, whatever made it."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


class Figures(NamedTuple):
    """How one method did, or one round of it."""

    method: str
    iteration: int
    """After how many rounds; 0 where all were gone, or the method has none."""
    top1: float
    """Share of attributes that the attacker's first guess tells: privacy in the published tables; less is better."""
    top3: float
    sure: float
    """Share of attributes that the first guess tells with a certainty of 3 or more: without the lucky ones."""
    readability: float
    """Mean of the judge's, from 0 to 1, as the next two."""
    meaning: float
    faithful: float
    """Share of texts in which nothing is invented."""
    utility: float
    """Mean of the three: SEAL's."""
    utility_comb: float
    """Mean of readability, meaning and ROUGE-1: adversarial anonymization's."""
    combined: float | None
    """None where the originals are not measured, or nothing is inferred from them."""
    bleu: float
    rouge1: float
    rouge_l: float
    by_attribute: Mapping[str, float]
    """`top1` of each attribute."""
    by_certainty: Mapping[int, tuple[int, float]]
    """Of each certainty from 1 to 5 that was given: how many first guesses, and the share of them that is true."""
    unread: int
    """Texts that stayed as they were because the rewriting LLM's own attacks could not be read."""


class Report(NamedTuple):
    """All methods, over the same texts."""

    figures: list[Figures]
    texts: int
    missing: int
    """Texts of which, by one of the methods, no inferences or no judgement could be read: they are in no figure."""


@dataclass
class Plan:
    """A run: whose texts, by which methods, and who measures."""

    people: Sequence[Person]
    methods: Sequence[str]
    writer: Writer
    referees: Referees
    iterations: bool = False
    """Whether methods that go by rounds are measured after each of them."""
    seed: int = 0

    @property
    def calls(self) -> Calls:
        """Keeps what was asked."""
        return self.writer.calls

    def rows(self) -> list[tuple[str, int]]:
        """Return what is measured: method and round; 0 is the last."""
        rounds = self.writer.options.refine_rounds
        return [
            (name, number)
            for name in self.methods
            for number in (range(1, rounds + 1) if self.iterations and METHODS[name].rewrites else (0,))
        ]

    @property
    def steps(self) -> int:
        """How many steps `run` tells of."""
        return len(self.people) * (len(self.methods) + 2 * len(self.rows()))


def run(plan: Plan, step: Callable[[str, float], None], at_once: int = 4) -> Report:
    """Have the methods make their texts, then have all attacked and judged.

    Args:
        plan: the run.
        step: told of each text, and how many steps that was.
        at_once: texts under way at a time.

    Raises:
        InputError: nothing can be measured.
        GamaError: see `Calls.ask`.
    """

    def write(item: tuple[str, Person]) -> Written:
        name, person = item
        made = plan.writer.write(name, person.id, person.text)
        step(name, 1)
        return made

    todo = [(name, person) for name in plan.methods for person in plan.people]
    made = dict(
        zip(((name, one.id) for name, one in todo), side_by_side(plan.calls, write, todo, at_once), strict=True)
    )
    texts = {
        (row, one.id): made[row[0], one.id].after(row[1] or len(made[row[0], one.id].texts))
        for row in plan.rows()
        for one in plan.people
    }
    attacks, verdicts = _measured(plan, texts, step, at_once)
    whole = [
        one
        for one in plan.people
        if all(
            attacks[one.id, texts[row, one.id]] is not None and verdicts[one.id, texts[row, one.id]] is not None
            for row in plan.rows()
        )
    ]
    if not whole:
        raise InputError("no text could be measured: there are none, or no reply of attacker or judge could be read")
    found: list[Figures] = []
    for row in plan.rows():
        seen = []
        for one in whole:
            text = texts[row, one.id]
            inferred, judged = attacks[one.id, text], verdicts[one.id, text]
            if inferred is not None and judged is not None:
                seen.append(_Seen(one, text, Matcher(ATTRIBUTES).hits(inferred, one.truth), judged))
        first = next((figures.top1 for figures in found if figures.method == ORIGINAL), None)
        found.append(_figures(row, seen, first, sum(made[row[0], one.id].unread for one in whole)))
    return Report(found, len(whole), len(plan.people) - len(whole))


_Attacks = dict[tuple[str, str], list[Inference] | None]
_Verdicts = dict[tuple[str, str], Utility | None]


def _measured(
    plan: Plan, texts: Mapping[tuple[tuple[str, int], str], str], step: Callable[[str, float], None], at_once: int
) -> tuple[_Attacks, _Verdicts]:
    """Attack and judge each text once, by person and text."""
    originals = {one.id: one.text for one in plan.people}
    wanted = Counter((person, text) for (_, person), text in texts.items())
    rows = plan.rows()
    # A text that several methods made counts as the first of them: nothing more telling may come before it.
    first: dict[tuple[str, str], int] = {}
    for (row, person), text in texts.items():
        first[person, text] = min(first.get((person, text), len(rows)), rows.index(row))
    draw = Random(plan.seed)
    lots = draw.sample(sorted(wanted), len(wanted))
    todo = [sorted((one for one in lots if one[0] == person), key=lambda one: -first[one]) for person in originals]
    attacks: _Attacks = {}
    verdicts: _Verdicts = {}

    def attack(of_one: Sequence[tuple[str, str]]) -> None:
        for person, text in of_one:
            attacks[person, text] = plan.referees.infer(plan.calls, person, text)
            step("attack", wanted[person, text])

    def judge(one: tuple[str, str]) -> None:
        person, text = one
        verdicts[one] = plan.referees.judgement(plan.calls, person, originals[person], text)
        step("judge", wanted[one])

    side_by_side(plan.calls, attack, draw.sample(todo, len(todo)), at_once)
    side_by_side(plan.calls, judge, draw.sample(lots, len(lots)), at_once)
    return attacks, verdicts


class _Seen(NamedTuple):
    """One text, as attacked and judged."""

    person: Person
    text: str
    hits: list[Hit]
    utility: Utility


def calibration(hits: Sequence[Hit]) -> dict[int, tuple[int, float]]:
    """Return for each certainty how many first guesses had it, and the share of them that is true.

    Args:
        hits: of attributes whose truth is known; a guess about another cannot be judged, and one without a certainty
            says nothing of how sure it is.
    """
    found: dict[int, tuple[int, float]] = {}
    for degree in sorted({hit.certainty for hit in hits} - {0}):
        alike = [hit for hit in hits if hit.certainty == degree]
        found[degree] = len(alike), accuracy(alike)
    return found


def _figures(row: tuple[str, int], seen: Sequence[_Seen], original: float | None, unread: int) -> Figures:
    def mean(values: Sequence[float]) -> float:
        return sum(values) / len(values)

    hits = [hit for one in seen for hit in one.hits]
    if not hits:
        raise InputError("nothing is known to be true of the persons: there is nothing to measure")
    top1, utility = accuracy(hits), mean([one.utility.score for one in seen])
    readability, meaning = (mean([one.utility[at] / 10 for one in seen]) for at in (0, 1))
    rouge1, rouge_l = (
        mean([rouge(one.text, one.person.text, kind).f1 for one in seen]) for kind in ("rouge1", "rougeL")
    )
    first = top1 if row[0] == ORIGINAL else original
    names = [one.name for one in ATTRIBUTES if any(hit.attribute == one.name for hit in hits)]
    return Figures(
        *row,
        top1,
        accuracy(hits, 3),
        sum(hit.top1 for hit in hits if hit.certainty >= SURE) / len(hits),
        readability,
        meaning,
        mean([one.utility.hallucination for one in seen]),
        utility,
        min(1.0, (readability + meaning + rouge1) / 3),
        combined(top1, utility, first) if first else None,
        mean([bleu_4(one.text, one.person.text) for one in seen]),
        rouge1,
        mean([rouge(one.text, one.person.text).f1 for one in seen]),
        {name: accuracy([hit for hit in hits if hit.attribute == name]) for name in names},
        calibration(hits),
        unread,
    )


class Expected(NamedTuple):
    """What of a run is left to be asked, rather too much than too little."""

    calls: int
    by_role: Mapping[str, int]
    """Of whom how many calls."""
    money: float | None
    """US dollars; None where a price is not known."""


def expect(plan: Plan) -> Expected:
    """Return what is left to be asked, with all rounds and every text another one; what was kept is not asked again."""
    rounds = plan.writer.options.refine_rounds
    private, referees = plan.writer.private, plan.referees
    rows = plan.rows()
    judged = sum(name != ORIGINAL for name, _ in rows)
    asked: list[tuple[str, Role, Teacher | None, int]] = [
        ("attack", "attacker", referees.attacker, len(rows)),
        ("judge", "judge", referees.judge, judged),
    ]
    for name in plan.methods:
        if METHODS[name].llm:
            most = most_asked(rounds, plan.writer.rule_of(name))
            asked += [(name, "attacker", private, most.attacks), (name, "anonymizer", private, most.rewritings)]
            asked += [(name, "judge", private, most.judgements)]
    by_role: Counter[str] = Counter()
    money: float | None = 0.0
    for part, role, model, times in asked:
        if model is None or not plan.people:
            continue
        made = sum(one.dialogue.startswith(f"{part}/") and one.role == role for one in plan.calls.kept.values())
        left = max(0, times * len(plan.people) - made)
        by_role[f"{model.name} as {role}"] += left
        if model.price is None or money is None:
            money = None
            continue
        sizes = [_tokens(role, one.text) for one in plan.people]
        read, written = (sum(size[at] for size in sizes) for at in (0, 1))
        money += left / len(plan.people) * model.price.cost(read, written)
    return Expected(by_role.total(), dict(by_role), money)


def _tokens(role: Role, text: str) -> tuple[int, int]:
    """Return about how many tokens a call in a role reads and writes."""
    size = estimate_tokens(text)
    if role == "attacker":
        return _question(ask_to_infer(ATTRIBUTES, "")) + size, WRITTEN[role]
    if role == "judge":
        return _question(ask_to_judge("", "")) + 2 * size, WRITTEN[role]
    # What was inferred stands in the rewriter's question too.
    return _question(ask_to_rewrite("", ())) + size + WRITTEN["attacker"], size + WRITTEN[role]


def _question(chat: Sequence[Mapping[str, object]]) -> int:
    return estimate_tokens(str(chat[0]["content"]))
