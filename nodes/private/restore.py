"""De-anonymization: what came back is cleaned, restored with this thread's box, and put together as the reply."""

import json
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from time import perf_counter
from typing import Any

from langgraph.runtime import Runtime

from gama.models.calls import without_controls
from gama.nodes.private.conversation import raw_text, with_turn
from gama.nodes.private.engine_steps import with_box
from gama.nodes.private.space import PrivateSpace
from gama.nodes.private.wrappers import timed
from gama.privacy.pipeline import Reckoned
from gama.state.entities import Entity
from gama.state.options import Options
from gama.state.private import GamaState, Reply
from gama.state.public import ExpertAnswer, ExpertFailure, Membership, Part, PublicOutput
from gama.state.task import DomainRule
from gama.tools.placeholders.remapping import Restored


@timed("restore")
def restore(state: GamaState, runtime: Runtime[Options], *, space: PrivateSpace) -> dict[str, Any]:
    """Restore the answer and write the reply."""
    began = perf_counter()
    options, task = space.settings(runtime), state["task"]
    outcome = state["outcome"]
    box = space.box(state, options)
    answered = answer = without_controls(outcome["answer"])
    reckoned, update = Reckoned(answer, box, ()), dict[str, Any]()
    if task.formulas and "{{" in answer:
        engine, question = space.pipeline.under(options), raw_text(state, space, box)
        # What a formula gave is a private value of the conversation from here on.
        reckoned, kept = with_box(
            state, space, options, lambda _, box: engine.reckon(answered, box, question, task.whole_text)
        )
        update["sealed_box"] = space.seal_model(state, kept)
        answer, box = reckoned.text, reckoned.box
    update |= with_turn(state, answered, options)
    # Where nothing was replaced, nothing is put back.
    restored = box.restore(answer, options.restoring) if options.switches.ampp else Restored(answer, (), ())
    entities = space.entities(state)
    reply = Reply(
        answer=restored.text,
        anonymized=state["anonymized"],
        entities=[
            _shown(entity, box.placeholder(entity.text) if options.switches.ampp else None) for entity in entities
        ],
        question_spans=state.get("question_spans", []),
        domains=_domains(state, outcome),
        experts=_experts(state, outcome),
        route=outcome["route"],
        votes=outcome["votes"],
        questions=[_question(part) for part in outcome["parts"]],
        quality=outcome["quality"],
        rounds=outcome["rounds"],
        verdict=outcome["verdict"],
        contradictions=[c.model_dump() for c in outcome["contradictions"]],
        counterfactuals=[c.model_dump() for c in outcome["counterfactuals"]],
        usage=outcome["usage"],
        timings={**state["timings"], **{f"public.{k}": v for k, v in outcome["timings"].items()}},
        switches=options.switches._asdict(),
        models=_models(options, outcome, space),
        # Each expert says what it met with: the same for all is said once.
        warnings=list(
            dict.fromkeys(
                [*state["warnings"], *outcome["warnings"], *_notes(restored, outcome, moved=box.shift is not None)]
            )
        ),
        restored=[
            {"start": start, "end": end, "placeholder": answer[edit.start : edit.end]}
            for (start, end), edit in zip(restored.places, restored.edits, strict=True)
        ],
        unresolved=[*restored.unresolved, *reckoned.unresolved],
        refinement=_refinement(state, space, answer),
        formulas=_formulas(reckoned, restored),
        earlier=len(task.conversation),
        thread=state["thread"],
    )
    reply["timings"]["restore"] = perf_counter() - began
    sealed = space.vault.seal(state["thread"], json.dumps(reply).encode("utf-8", "surrogatepass"))
    return {**update, "reply": sealed, "sealed_reply": sealed}


def _refinement(state: GamaState, space: PrivateSpace, answer: str) -> dict[str, Any] | None:
    if (sealed := state.get("sealed_refinement")) is None:
        return None
    from gama.privacy.refining.engine import read, shown

    return shown(read(space.vault.open(state["thread"], sealed)), answer)


def _formulas(reckoned: Reckoned, restored: Restored) -> list[dict[str, Any]]:
    """Return each formula with its inputs, and where in the restored text its result stands."""
    found, at = [], 0
    for place in reckoned.places:
        start, at = _in_restored(place.start, place.end, reckoned.text, restored, at)
        found.append(
            {
                "formula": place.formula,
                "inputs": list(place.inputs),
                "result": None if place.reason else restored.text[start:at],
                "reason": place.reason,
                "note": place.note,
                "start": start,
                "end": at,
            }
        )
    return found


def _in_restored(start: int, end: int, text: str, restored: Restored, at: int) -> tuple[int, int]:
    """Return where a stretch of a text stands once it is restored, at or behind a place."""
    edits, places = restored.edits, restored.places
    first = bisect_right(edits, start, key=lambda edit: edit.end)
    last = bisect_left(edits, end, key=lambda edit: edit.start) - 1
    if first <= last:
        before, behind = edits[first].start - start, end - edits[last].end
        return places[first][0] - max(0, before), places[last][1] + max(0, behind)
    # Without a value in it, it stands there as it was, behind what was put in last.
    written, moved = text[start:end], places[last][1] - edits[last].end if last >= 0 else 0
    found = start + moved if restored.text.startswith(written, start + moved) else restored.text.find(written, at)
    return (found, found + len(written)) if found >= 0 else (at, at)


def _shown(entity: Entity, placeholder: str | None) -> dict[str, Any]:
    return entity.model_dump(mode="json") | {"placeholder": placeholder if entity.hidden else None}


def _domains(state: GamaState, outcome: PublicOutput) -> list[dict[str, Any]]:
    """Return the rules that fired, strongest first; a domain that several sub-questions belong to, once."""
    fired: list[DomainRule | Membership] = []
    if outcome["route"] == "both":
        fired = list(state["task"].rules)
    elif outcome["route"] == "knowledge":
        found = [membership for part in outcome["parts"] for membership in part.domains]
        fired = list({m.domain: m for m in sorted(found, key=lambda m: m.score)}.values())
        fired.sort(key=lambda m: -m.score)
    return [{"domain": rule.domain, "term": rule.term, "score": rule.score} for rule in fired]


def _experts(state: GamaState, outcome: PublicOutput) -> list[dict[str, Any]]:
    if outcome["route"] == "both":
        return _asked(state["task"].rules, outcome["answers"], outcome["failures"])
    return [
        expert | {"question": part.number}
        for part in outcome["parts"]
        for expert in _asked(part.domains, part.answers, part.failures)
    ]


def _asked(
    rules: Sequence[DomainRule | Membership], given: Sequence[ExpertAnswer], failed: Sequence[ExpertFailure]
) -> list[dict[str, Any]]:
    answers = {answer.domain: answer for answer in given}
    failures = {failure.domain: failure for failure in failed}
    experts = []
    for rule in rules:
        answer, failure = answers.get(rule.domain), failures.get(rule.domain)
        if answer is None and failure is None:
            # Its rule fired, but one expert sufficed.
            continue
        experts.append(
            {
                "domain": rule.domain,
                "term": rule.term,
                "answer": without_controls(answer.text) if answer else None,
                "model": answer.model if answer else None,
                "seconds": answer.seconds if answer else None,
                "error": f"{failure.error}: {failure.reason}" if failure else None,
            }
        )
    return experts


def _question(part: Part) -> dict[str, Any]:
    return {
        "number": part.number,
        "question": without_controls(part.question),
        "domains": [membership.model_dump() for membership in part.domains],
        "answer": without_controls(part.answer),
        "checks": [check.model_dump() for check in part.checks],
        "verdict": part.verdict,
    }


def _models(options: Options, outcome: PublicOutput, space: PrivateSpace) -> dict[str, str]:
    answers = [*outcome["answers"], *(answer for part in outcome["parts"] for answer in part.answers)]
    public = next((answer.model for answer in answers if answer.model), "")
    private = options.private_model
    return {
        "public": public
        or (options.public_model if isinstance(options.public_model, str) else "")
        or "stand-in reader",
        "private": private if isinstance(private, str) else (type(private).__name__ if private else "embedded"),
        "identify": "patterns + embedded tagger",
    }


WITHHELD = (
    "were not put into addresses that lead to hosts which the conversation does not name; their placeholders stand "
    "there. The option restore_hosts names more hosts."
)
_DONE = {"keep": "left as they are", "drop": "taken out", "repair": "marked as unknown"}


def _notes(restored: Restored, outcome: PublicOutput, *, moved: bool) -> list[str]:
    notes = []
    if restored.unresolved:
        dates = ", or dates of which it is not certain what they stand for" if moved else ""
        notes.append(
            f"The answer has {len(restored.unresolved)} placeholder(s) that are none of this conversation's{dates}; "
            f"they were {_DONE[restored.unknown]}."
        )
    if restored.withheld:
        notes.append(f"{len(restored.withheld)} value(s) {WITHHELD}")
    for failure in outcome["failures"]:
        notes.append(f"The expert for {failure.domain} did not answer ({failure.error}: {failure.reason}).")
    for part in outcome["parts"]:
        for failure in part.failures:
            told = f"{failure.error}: {failure.reason}"
            notes.append(f"The expert for {failure.domain} did not answer sub-question {part.number} ({told}).")
    if outcome["verdict"] == "unconverged" and outcome["route"] == "knowledge":
        notes.append("The checks of a sub-question were used up: its answer was still held for wrong when they ended.")
    elif outcome["verdict"] == "unconverged" and outcome["counterfactuals"]:
        notes.append("Disproof reached its round limit: no rival of the answer was contradicted, so it is not proved.")
    elif outcome["verdict"] == "unconverged":
        notes.append("Disproof reached its round limit: the last answer still had a contradiction against it.")
    return notes
