"""De-anonymization: what came back is cleaned, restored with this thread's box, and put together as the reply."""

import json
from time import perf_counter
from typing import Any

from langgraph.runtime import Runtime

from gama.models.calls import without_controls
from gama.nodes.private.space import PrivateSpace, timed
from gama.state.entities import Entity
from gama.state.options import Options
from gama.state.private import GamaState, Reply
from gama.state.public import PublicOutput
from gama.tools.placeholders.remapping import Restored, remap_text


@timed("restore")
def restore(state: GamaState, runtime: Runtime[Options], *, space: PrivateSpace) -> dict[str, Any]:
    """Restore the answer and write the reply."""
    began = perf_counter()
    options = space.settings(runtime)
    outcome = state["outcome"]
    box = space.box(state, options)
    restored = remap_text(without_controls(outcome["answer"]), box, options.restore)
    entities = space.entities(state)
    reply = Reply(
        answer=restored.text,
        anonymized=state["anonymized"],
        entities=[_shown(entity, box.placeholder(entity.text)) for entity in entities],
        domains=[{"domain": r.domain, "term": r.term, "score": r.score} for r in state["task"].rules],
        experts=_experts(state, outcome),
        rounds=outcome["rounds"],
        verdict=outcome["verdict"],
        contradictions=[{"round": c.round, "reason": c.reason} for c in outcome["contradictions"]],
        usage=outcome["usage"],
        timings={**state["timings"], **{f"public.{k}": v for k, v in outcome["timings"].items()}},
        models=_models(options, outcome, space),
        # Each expert says what it met with: the same for all is said once.
        warnings=list(dict.fromkeys([*state["warnings"], *outcome["warnings"], *_notes(restored, outcome)])),
        unresolved=list(restored.unresolved),
        thread=state["thread"],
    )
    reply["timings"]["restore"] = perf_counter() - began
    sealed = space.vault.seal(state["thread"], json.dumps(reply).encode("utf-8", "surrogatepass"))
    return {"reply": reply, "sealed_reply": sealed}


def _shown(entity: Entity, placeholder: str | None) -> dict[str, Any]:
    return entity.model_dump(mode="json") | {"placeholder": placeholder if entity.private else None}


def _experts(state: GamaState, outcome: PublicOutput) -> list[dict[str, Any]]:
    answers = {answer.domain: answer for answer in outcome["answers"]}
    failures = {failure.domain: failure for failure in outcome["failures"]}
    experts = []
    for rule in state["task"].rules:
        answer, failure = answers.get(rule.domain), failures.get(rule.domain)
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


def _models(options: Options, outcome: PublicOutput, space: PrivateSpace) -> dict[str, str]:
    public = next((answer.model for answer in outcome["answers"] if answer.model), "")
    private = options.private_model
    return {
        "public": public
        or (options.public_model if isinstance(options.public_model, str) else "")
        or "stand-in reader",
        "private": private if isinstance(private, str) else (type(private).__name__ if private else "embedded"),
        "identify": "patterns + embedded tagger",
    }


def _notes(restored: Restored, outcome: PublicOutput) -> list[str]:
    notes = []
    if restored.unresolved:
        notes.append(
            f"The answer has {len(restored.unresolved)} placeholder(s) that are none of this conversation's; "
            "they were left as they are."
        )
    for failure in outcome["failures"]:
        notes.append(f"The expert for {failure.domain} did not answer ({failure.error}: {failure.reason}).")
    if outcome["verdict"] == "unconverged":
        notes.append("Disproof reached its round limit: the last answer still had a contradiction against it.")
    return notes
