"""What a reply means to a reader: words and facts that the terminal and the plain view share."""

import re
from collections import Counter
from typing import Any, NamedTuple

from gama.nodes.steps import PRIVATE, PUBLIC

TYPE_NAMES = {
    "PER": "person", "CODE": "code, contact", "LOC": "place", "ORG": "organization", "DEM": "about a person",
    "DATETIME": "date, time", "QUANTITY": "sum",
}  # fmt: skip
VIEW_LETTERS = {"pner": "t", "regex": "p", "pia": "c", "fusion": "f", "user": "u"}
VIEW_NAMES = {
    "pner": "tagger", "regex": "pattern", "pia": "context", "fusion": "fusion or second look", "user": "your list",
}  # fmt: skip
STAGE_NAMES = {step.key or step.name: step.label for step in PRIVATE if step.label}
"""Stages at home, by the key of their seconds."""
VERDICTS = {
    "converged": "no contradiction was left",
    "exhausted": "no rival answer was left to test",
    "unconverged": "the round limit was reached with a contradiction left",
    "no verdict": "the assistant's verdict could not be read",
    "off": "switched off",
}
V2_VERDICTS = {
    "converged": "the rival answer was contradicted, so the answer is confirmed",
    "unconverged": "the round limit was reached, and no rival answer was contradicted",
}
KNOWLEDGE_VERDICTS = {
    "converged": "every sub-question's answer was found correct",
    "unconverged": "a sub-question's answer was still held for wrong when its checks ended",
}
"""Words for the same verdicts where rivals were tested, or sub-questions checked."""
ROUTES = {
    "both": "domain experts, then disproof",
    "knowledge": "sub-questions, each with experts of its own and checked",
    "logic": "solved by reasoning, and put back into the task",
}
QUALITY = {
    "approved": "quality assurance approved the answer",
    "rewritten": "quality assurance wrote the answer anew",
    "unclear": "quality assurance gave no result",
}
NO_EXPERTS = "no domain experts are asked on this route"
ROLE_NAMES = {step.name: step.label for step in PUBLIC if step.label}
"""Stages outside, by the role that is asked there, in the order in which they come."""
TOOL = "tool"
"""How the stages of the experts' tools begin."""
PLACEHOLDER = r"<{1,2}[a-z_]+-\d+[a-z]*>{1,2}"
STANDIN = "stand-in reader"
"""Name under which the built-in reader answers."""
STANDIN_TOLD = (
    "The built-in stand-in reader answered, because no public model is configured. It can only quote the task. "
    "One line changes that:"
)
STANDIN_CURE = "gama ask letter.txt --public openai:gpt-4o"


class Piece(NamedTuple):
    """A stretch of the letter: plain text, or a private span with its type and views."""

    text: str
    type: str = ""
    views: str = ""
    """One letter for each view that found it; see `VIEW_LETTERS`."""


def pieces(text: str, entities: list[dict[str, Any]]) -> list[Piece]:
    """Cut a letter at its private spans."""
    out, at = [], 0
    for entity in sorted(entities, key=lambda e: e["start"]):
        if not entity["private"] or entity["start"] < at:
            continue
        out.append(Piece(text[at : entity["start"]]))
        views = "".join(letter for view, letter in VIEW_LETTERS.items() if view in entity["views"])
        out.append(Piece(text[entity["start"] : entity["end"]], entity["type"], views))
        at = entity["end"]
    return [piece for piece in (*out, Piece(text[at:])) if piece.text]


def type_counts(entities: list[dict[str, Any]]) -> dict[str, int]:
    """Count the private mentions of each type that occurs."""
    private = [entity["type"] for entity in entities if entity["private"]]
    return {kind: private.count(kind) for kind in TYPE_NAMES if kind in private}


def found_by(entities: list[dict[str, Any]]) -> str:
    """Say what the letters of the views mean, and how many mentions were judged public."""
    seen = {view for entity in entities if entity["private"] for view in entity["views"]}
    line = "found by: " + ", ".join(f"{VIEW_LETTERS[v]} = {VIEW_NAMES[v]}" for v in VIEW_LETTERS if v in seen)
    public = sum(not entity["private"] for entity in entities)
    return line + (f"; {public} judged public and left as they are" if public else "")


def for_question(entities: list[dict[str, Any]]) -> dict[str, dict[str, int]]:
    """Count by kind what left since the question needs it: in clear (`shown`), and roughly told (`roughly`)."""
    private = [entity for entity in entities if entity["private"]]
    shown = {(one["text"], one["subtype"]) for one in private if one.get("needed")}
    rough = {(one["text"], one["subtype"]) for one in private if one.get("generalised") and one["placeholder"]}
    return {
        name: dict(Counter(kind for _, kind in sorted(some))) for name, some in (("shown", shown), ("roughly", rough))
    }


def put_back(reply: dict[str, Any]) -> dict[str, str]:
    """Return the private values that stand in the restored answer, with their placeholders."""
    known = {e["text"]: e["placeholder"] for e in reply["entities"] if e["private"] and e["placeholder"]}
    if not known:
        return {}
    words = "|".join(re.escape(text) for text in sorted(known, key=len, reverse=True))
    found = re.findall(rf"(?<!\w)(?:{words})(?!\w)", reply["answer"])
    return {text: known[text] for text in dict.fromkeys(found)}


def disproof_line(reply: dict[str, Any]) -> str:
    """Say how disproof went."""
    count, verdict = reply["rounds"], reply["verdict"]
    rounds = f"{count} round{'' if count == 1 else 's'}: " if verdict != "off" else ""
    special = V2_VERDICTS if reply.get("counterfactuals") else {}
    special = KNOWLEDGE_VERDICTS if reply.get("questions") else special
    return rounds + special.get(verdict, VERDICTS.get(verdict, str(verdict)))


def round_lines(reply: dict[str, Any]) -> list[tuple[int, str]]:
    """Return what each round brought: a contradiction in the answer, or a rival with what became of it."""
    lines = [(item["round"], item["reason"]) for item in reply["contradictions"]]
    for item in reply.get("counterfactuals", []):
        fate = {
            True: f"contradicted: {item['reason']}" if item["reason"] else "contradicted",
            False: "tenable: it took the answer's place",
            None: "no verdict",
        }[item["contradicted"]]
        lines.append((item["round"], f"assumed instead: {item['text']}\n{fate}"))
    return sorted(lines, key=lambda line: line[0])


def expert_name(item: dict[str, Any]) -> str:
    """Return an expert's domain and term, and the sub-question it was asked."""
    asked = f", question {item['question']}" if "question" in item else ""
    return f"{item['domain']} ({item['term']}){asked}"


def route_line(reply: dict[str, Any]) -> str:
    """Say which route was taken, and how the votes fell."""
    taken, votes = reply.get("route", "both"), ", ".join(reply.get("votes", []))
    return f"{taken}: {ROUTES.get(taken, '')}" + (f" (needs background knowledge? {votes})" if votes else "")


def question_lines(item: dict[str, Any]) -> list[str]:
    """Return what became of a sub-question: domains, checks, answer."""
    domains = ", ".join(f"{d['domain']} {d['score']:.2f} ({d['term']})" for d in item["domains"])
    lines = [f"domains: {domains}"]
    for check in item["checks"]:
        said = {True: "correct", False: "wrong", None: "no verdict"}[check["correct"]]
        replaced = f", replaced by: {check['replacement']}" if check["replacement"] else ""
        lines.append(f"check {check['round']}: {said}{replaced}")
    return [*lines, f"answer: {item['answer']}" if item["answer"] else "no expert answered"]


def went_along(reply: dict[str, Any]) -> str:
    """Return what of the conversation left with a turn; empty where nothing did."""
    turns = reply.get("earlier", 0)
    if not turns:
        return ""
    return (
        f"with {turns} earlier turns of this conversation, as they left"
        if turns > 1
        else "with the turn before it, as it left"
    )


def left_title(reply: dict[str, Any]) -> str:
    """Return the heading over the text that left."""
    raw = not reply.get("switches", {}).get("ampp", True)
    return "What left this machine" + (": THE RAW TEXT" if raw else "")


def facts(reply: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the facts of the run as label and text: models, seconds per stage, calls and tokens, thread."""
    seconds, usage = reply["timings"], reply["usage"]
    home = [f"{name} {seconds[key]:.2f}" for key, name in STAGE_NAMES.items() if key in seconds]
    away = [f"{key.removeprefix('public.')} {value:.2f}" for key, value in seconds.items() if key.startswith("public.")]
    tokens = f"{usage.get('input_tokens', 0)} tokens in, {usage.get('output_tokens', 0)} out"
    if usage.get("estimated_calls"):
        tokens += " (estimated: the server counts none)"
    if usage.get("cost_microusd"):
        tokens += f", about {usage['cost_microusd'] / 1e6:.4f} US dollars"
    return [
        ("models", ", ".join(f"{space}: {name}" for space, name in reply["models"].items())),
        ("seconds at home", ", ".join(home)),
        ("seconds outside", ", ".join(away)),
        ("public calls", f"{usage.get('calls', 0)}; {tokens}"),
        ("thread", reply["thread"]),
        ("erase it", f"gama forget {reply['thread']}"),
    ]


def by_standin(reply: dict[str, Any]) -> bool:
    """Return whether the built-in reader answered."""
    return bool(reply["models"].get("public") == STANDIN)


def notes(reply: dict[str, Any]) -> list[str]:
    """Return the warnings, but the one that the stand-in's own notice replaces."""
    return [
        note for note in reply["warnings"] if not (by_standin(reply) and note.startswith("No public model is conf"))
    ]
