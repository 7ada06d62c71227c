"""How an answer came about, for `gama ask --explain`: route, rounds, and what each stage cost."""

from typing import Any, NamedTuple

from gama.serve import reply_labels


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
    """Return how the answer came about as one JSON object; all of it has crossed."""
    return {
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
        "total": {key: reply["usage"].get(key, 0) for key in ("calls", "input_tokens", "output_tokens")},
    }


def stages(reply: dict[str, Any]) -> list[Stage]:
    """Return the stages in the order in which they ran, home, outside, home."""
    seconds, usage = dict(reply["timings"]), reply["usage"]
    outside: dict[str, float] = {}
    for key, value in seconds.items():
        if key.startswith("public."):
            # Each expert has seconds of its own, which stand beside its answer.
            role = key.removeprefix("public.").split(" ")[0]
            outside[role] = outside.get(role, 0.0) + value
    home = [
        Stage(name, "home", None, None, None, seconds[key])
        for key, name in reply_labels.STAGE_NAMES.items()
        if key in seconds
    ]
    called = [_outside(role, usage, outside[role]) for role in sorted(outside, key=_place)]
    last = [stage for stage in home if stage.stage == reply_labels.STAGE_NAMES["restore"]]
    return [*(stage for stage in home if stage not in last), *called, *last]


def _outside(role: str, usage: dict[str, int], seconds: float) -> Stage:
    if role == reply_labels.TOOL:
        return Stage(f"tools ({usage.get('tool.calls', 0)} calls)", "outside", None, None, None, seconds)
    calls, given, written = (usage.get(f"{role}.{key}", 0) for key in ("calls", "input_tokens", "output_tokens"))
    return Stage(reply_labels.ROLE_NAMES.get(role, role), "outside", calls, given, written, seconds)


def _place(role: str) -> int:
    # Tools stand behind the experts who call them.
    known = [
        name for own in reply_labels.ROLE_NAMES for name in ((own, reply_labels.TOOL) if own == "expert" else (own,))
    ]
    return known.index(role) if role in known else len(known)


def route_line(reply: dict[str, Any]) -> str:
    """Say which route was taken, and how the votes fell."""
    taken = reply.get("route", "both")
    votes = ", ".join(reply.get("votes", []))
    return f"{taken}: {reply_labels.ROUTES.get(taken, '')}" + (
        f" (needs background knowledge? {votes})" if votes else ""
    )


def question_lines(item: dict[str, Any]) -> list[str]:
    """Return what became of a sub-question: domains, checks, answer."""
    domains = ", ".join(f"{d['domain']} {d['score']:.2f} ({d['term']})" for d in item["domains"])
    lines = [f"domains: {domains}"]
    for check in item["checks"]:
        said = {True: "correct", False: "wrong", None: "no verdict"}[check["correct"]]
        replaced = f", replaced by: {check['replacement']}" if check["replacement"] else ""
        lines.append(f"check {check['round']}: {said}{replaced}")
    return [*lines, f"answer: {item['answer']}" if item["answer"] else "no expert answered"]


QUALITY = {
    "approved": "quality assurance approved the answer",
    "rewritten": "quality assurance wrote the answer anew",
    "unclear": "quality assurance gave no result",
}


def stage_rows(reply: dict[str, Any]) -> list[tuple[str, ...]]:
    """Return the table of stages as texts, with the sums last."""
    found = stages(reply)
    rows = [
        (
            s.stage,
            s.space,
            *("" if n is None else str(n) for n in (s.calls, s.input_tokens, s.output_tokens)),
            f"{s.seconds:.2f}",
        )
        for s in found
    ]
    usage = reply["usage"]
    sums = [str(usage.get(key, 0)) for key in ("calls", "input_tokens", "output_tokens")]
    return [*rows, ("together", "", *sums, f"{sum(s.seconds for s in found):.2f}")]


STAGE_HEADS = ("stage", "space", "calls", "tokens in", "tokens out", "seconds")
