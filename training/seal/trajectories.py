"""`gama train seal trajectories`: teachers attack, rewrite and judge texts, round by round (SEAL; spec 04 §4.2).

Every readable rewriting counts, better or worse: what is better is worked out afterwards (`pairs.py`).
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from gama.evals.ledger import KEPT
from gama.evals.teachers import WRITTEN, Calls, Dialogue, NotKept, Role, Teacher
from gama.models.names import estimate_tokens
from gama.privacy.refining.agents import Agents, ask_to_infer, ask_to_judge, ask_to_rewrite
from gama.privacy.refining.attributes import ATTRIBUTES
from gama.privacy.refining.loop import Refinement, Terms, begin, go_round
from gama.state.errors import ModelDenied, ModelError, ModelUnknown
from gama.training.seal.config import Config
from gama.training.seal.pairs import Step, Trajectory
from gama.training.seal.records import HELD_OUT, TRAJECTORIES, Record, write_records, write_texts
from gama.training.seal.sources import Profile, Text, cut, digest

COMMAND = "gama train seal trajectories"

PATIENCE = 10
"""So many texts in a row without a reply end a run: it is not the texts then."""


class Expected(NamedTuple):
    """What is left of a run, estimated, rather too much than too little."""

    texts: int
    calls: float
    input_tokens: float
    output_tokens: float
    money: float | None
    """US dollars; None where a price is not known."""
    measured: int
    """From how many finished texts of the same run it is reckoned; 0: by rule of thumb, with all rounds."""


@dataclass
class Plan:
    """A run: its texts, its teachers, and what is finished."""

    out: Path
    config: Config
    teachers: Mapping[Role, Teacher]
    calls: Calls
    texts: Sequence[Text]
    """Those that are simulated: for training and validation."""
    held_out: Sequence[Text]
    notes: Sequence[str]
    """What was left out of the profiles."""
    done: dict[str, Refinement] = field(default_factory=dict)

    @property
    def left(self) -> list[Text]:
        """The texts that are not finished."""
        return [text for text in self.texts if text.id not in self.done]


class Failed(NamedTuple):
    """A text of which a teacher gave no reply; it is asked again when the run is."""

    id: str
    why: str


def prepare(
    profiles: Sequence[Profile],
    teachers: Mapping[Role, Teacher],
    config: Config,
    out: Path,
    max_cost: float | None = None,
) -> Plan:
    """Cut the texts and see what was finished before; nothing is asked.

    Args:
        profiles: whose texts are simulated.
        teachers: the models of the three roles.
        config: the numbers.
        out: folder of the run, which only its owner may read.
        max_cost: US dollars that the run may spend, what it has spent before included.

    Raises:
        InputError: the folder holds a run with other settings, or the profiles cannot be split.
        OptionError: there is a budget, and a price is not known.
    """
    numbers = config.trajectories
    pieces = cut(profiles, numbers, config.seed)
    notes = [
        f"{count} comment(s) left out: {why}"
        for count, why in ((pieces.too_long, "too long"), (pieces.too_many, "more than are taken of a profile"))
        if count
    ]
    (out / KEPT).mkdir(mode=0o700, parents=True, exist_ok=True)
    settings = {
        "profiles": digest(profiles), "numbers": numbers.model_dump(), "seed": config.seed,
        "teachers": {role: teacher.name for role, teacher in teachers.items()},
    }  # fmt: skip
    calls = Calls(
        out / KEPT / "calls.jsonl", settings, COMMAND, teachers.values(), most=max_cost,
        reply_tokens=numbers.reply_tokens,
    )  # fmt: skip
    texts = [one for one in pieces.texts if one.split != "test"]
    held_out = [one for one in pieces.texts if one.split == "test"]
    plan = Plan(out, config, teachers, calls, texts, held_out, notes)
    calls.asking = False
    for text in plan.texts:
        try:
            plan.done[text.id] = simulate(text, teachers, calls, config)
        except NotKept:
            continue
    calls.asking = True
    return plan


def simulate(text: Text, teachers: Mapping[Role, Teacher], calls: Calls, config: Config) -> Refinement:
    """Return all versions of a text, by as many rounds as are set, or until nothing is inferred.

    Raises:
        GamaError: see `Calls.ask`.
    """
    numbers, dialogue = config.trajectories, Dialogue(calls, text.id)
    attacker = dialogue.by("attacker", teachers["attacker"].at(numbers.temperature_reading))
    judge = dialogue.by("judge", teachers["judge"].at(numbers.temperature_reading))
    first, later = (
        Agents(ATTRIBUTES, attacker, dialogue.by("anonymizer", teachers["anonymizer"].at(warmth)), judge)
        for warmth in (numbers.temperature_first, numbers.temperature_later)
    )
    terms = Terms(numbers.rounds, "last")
    done = begin(text.text, first)
    while not done.ended:
        done = go_round(done, later if done.rounds else first, terms)
    return done


def run(plan: Plan, step: Callable[[str], None], at_once: int = 4) -> list[Failed]:
    """Simulate what is left, and write what is there, also where the run ends early.

    Args:
        plan: the run.
        step: told of each text.
        at_once: texts under way at a time.

    Returns:
        The texts of which a teacher gave no reply.

    Raises:
        LimitReached: the budget is spent.
        ModelError: a teacher cannot be asked at all.
    """
    failed: list[Failed] = []
    in_a_row = 0
    try:
        with ThreadPoolExecutor(at_once) as pool:
            begun: dict[Future[Refinement], Text] = {
                pool.submit(simulate, text, plan.teachers, plan.calls, plan.config): text for text in plan.left
            }
            try:
                for future in as_completed(begun):
                    text = begun[future]
                    try:
                        plan.done[text.id] = future.result()
                        in_a_row = 0
                    except (ModelDenied, ModelUnknown):
                        raise
                    except ModelError as error:
                        failed.append(Failed(text.id, f"{type(error).__name__}: {error}"))
                        in_a_row += 1
                        if in_a_row >= PATIENCE:
                            raise
                    step(text.id)
            finally:
                # Calls that are under way end and are kept; no other one is made.
                plan.calls.asking = False
                pool.shutdown(wait=False, cancel_futures=True)
    finally:
        write(plan)
    return failed


def write(plan: Plan) -> list[Record]:
    """Write the trajectories that are finished and readable, and the texts that are held out."""
    names = {str(role): teacher.name for role, teacher in plan.teachers.items()}
    records = [
        Record.of(trajectory_of(text, plan.done[text.id]), text.split, names, plan.done[text.id].ended)
        for text in plan.texts
        if text.id in plan.done and plan.done[text.id].ended != "unreadable"
    ]
    write_records(plan.out / TRAJECTORIES, records)
    write_texts(plan.out / HELD_OUT, plan.held_out)
    return records


def trajectory_of(text: Text, done: Refinement) -> Trajectory:
    """Return a simulation as a trajectory."""
    steps = tuple(Step(one.text, one.inferences, one.utility) for one in done.versions)
    return Trajectory(text.id, text.profile, steps, text.truth)


def expect(plan: Plan) -> Expected:
    """Return what is left of a run, by the calls of its finished texts, or by rule of thumb."""
    left, rounds = plan.left, plan.config.trajectories.rounds
    tokens: dict[Role, list[float]] = {}
    if plan.done:
        for one in plan.calls.kept.values():
            if one.dialogue in plan.done:
                _add(tokens, one.role, 1, *one.tokens)
        share = len(left) / len(plan.done)
        tokens = {role: [share * count for count in counts] for role, counts in tokens.items()}
    else:
        role: Role
        for text in left:
            size = estimate_tokens(text.text)
            # What was inferred stands in the rewriter's question too; the judge reads the text twice.
            for role, count, chat, read, written in (
                ("attacker", rounds + 1, ask_to_infer(ATTRIBUTES, ""), size, 0),
                ("anonymizer", rounds, ask_to_rewrite("", ()), size + WRITTEN["attacker"], size),
                ("judge", rounds, ask_to_judge("", ""), 2 * size, 0),
            ):
                system = estimate_tokens(str(chat[0]["content"]))
                _add(tokens, role, count, count * (system + read), count * (written + WRITTEN[role]))
    money: float | None = 0.0
    for part, counts in tokens.items():
        price = plan.teachers[part].price
        money = None if price is None or money is None else money + price.cost(round(counts[1]), round(counts[2]))
    sums = [sum(counts[at] for counts in tokens.values()) for at in range(3)]
    return Expected(len(left), sums[0], sums[1], sums[2], money, len(plan.done))


def _add(tokens: dict[Role, list[float]], role: Role, calls: int, read: int, written: int) -> None:
    counts = tokens.setdefault(role, [0.0, 0.0, 0.0])
    for at, more in enumerate((calls, read, written)):
        counts[at] += more


def summary(plan: Plan) -> dict[str, Any]:
    """Return what there is of a run: texts by split, why they ended, rewritings, calls and US dollars."""
    done = [(text, plan.done[text.id]) for text in plan.texts if text.id in plan.done]
    return {
        "texts": len(done),
        "left": len(plan.texts) - len(done),
        "training": sum(text.split == "train" for text, _ in done),
        "validation": sum(text.split == "validation" for text, _ in done),
        "held out": len(plan.held_out),
        "ended": dict(sorted(Counter(one.ended for _, one in done).items())),
        "rewritings": sum(len(one.versions) - 1 for _, one in done),
        "calls": len(plan.calls.kept),
        "US dollars": round(plan.calls.spent, 4) if all(one.price for one in plan.teachers.values()) else None,
    }
