"""How an answer came about, for `gama ask --explain`: question, route, rounds, and what each stage cost."""

from typing import Any, NamedTuple

from gama.serve import reply_labels

COUNTED = ("calls", "input_tokens", "output_tokens")
HEADS = ("stage", "space", "calls", "tokens in", "tokens out", "seconds")


class Stage(NamedTuple):
    """What one stage of a run cost."""

    stage: str
    space: str
    """`home` or `outside`."""
    calls: int | None
    """Calls to the public model; None at home and for tools."""
    input_tokens: int | None
    output_tokens: int | None
    seconds: float
    """Summed over calls that ran side by side."""


def explanation(reply: dict[str, Any]) -> dict[str, Any]:
    """Return how the answer came about as one JSON object; all of it has crossed, or is offsets without text."""
    return {
        "for_the_question": reply_labels.for_question(reply["entities"]),
        "question_spans": reply.get("question_spans", []),
        "route": reply.get("route", "both"),
        "votes": reply.get("votes", []),
        "domains": reply["domains"],
        "experts": reply["experts"],
        "questions": reply.get("questions", []),
        "quality": reply.get("quality", ""),
        "rounds": reply["rounds"],
        "verdict": reply["verdict"],
        "unconverged": reply["verdict"] == "unconverged",
        "contradictions": reply["contradictions"],
        "counterfactuals": reply.get("counterfactuals", []),
        "stages": [stage._asdict() for stage in stages(reply)],
        "total": {key: reply["usage"].get(key, 0) for key in COUNTED},
    }


def taken_for_question(reply: dict[str, Any], text: str) -> list[str]:
    """Return the stretches of the raw text that were taken for the question; they are private like the text."""
    return [text[start:end] for start, end in reply.get("question_spans", [])]


def stages(reply: dict[str, Any]) -> list[Stage]:
    """Return the stages in the order in which they ran, home, outside, home."""
    seconds, usage = dict(reply["timings"]), reply["usage"]
    outside: dict[str, float] = {}
    for key, value in seconds.items():
        if key.startswith("public."):
            # Each expert has seconds of its own, which stand beside its answer.
            role = key.removeprefix("public.").split(" ")[0]
            outside[role] = outside.get(role, 0.0) + value
    names = reply_labels.STAGE_NAMES
    home = [Stage(name, "home", None, None, None, seconds[key]) for key, name in names.items() if key in seconds]
    called = [_outside(role, usage, outside[role]) for role in sorted(outside, key=_place)]
    last = [stage for stage in home if stage.stage in (names["try_formulas"], names["restore"])]
    return [*(stage for stage in home if stage not in last), *called, *last]


def _outside(role: str, usage: dict[str, int], seconds: float) -> Stage:
    if role == reply_labels.TOOL:
        return Stage(f"tools ({usage.get('tool.calls', 0)} calls)", "outside", None, None, None, seconds)
    calls, given, written = (usage.get(f"{role}.{key}", 0) for key in COUNTED)
    return Stage(reply_labels.ROLE_NAMES.get(role, role), "outside", calls, given, written, seconds)


def _place(role: str) -> float:
    known = list(reply_labels.ROLE_NAMES)
    if role == reply_labels.TOOL:
        return known.index("expert") + 0.5  # behind the experts who call them
    return known.index(role) if role in known else len(known)


def stage_rows(reply: dict[str, Any]) -> list[tuple[str, ...]]:
    """Return the table of stages as texts: heads, stages, sums."""
    found, usage = stages(reply), reply["usage"]
    calls, given, written = (usage.get(key, 0) for key in COUNTED)
    together = Stage("together", "", calls, given, written, sum(one.seconds for one in found))
    rows = [
        (one.stage, one.space, *("" if n is None else str(n) for n in one[2:5]), f"{one.seconds:.2f}")
        for one in (*found, together)
    ]
    return [HEADS, *rows]
