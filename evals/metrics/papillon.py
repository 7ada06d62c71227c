"""PAPILLON's measures: quality of an answer against a reference, and pieces of private text in a prompt (spec 06).

Quality is judged in both orders, since judges favour a place: where they contradict each other, so that the place
decided, the two answers count as equally good. Leakage is the share of a query's distinct private pieces that stand in
the prompt that left; the proxy without a judge looks for them as strings.
"""

from collections.abc import Iterable, Sequence

from langchain_core.language_models import BaseChatModel

from gama.evals.metrics.judges import Judge, read_yes_no
from gama.evals.metrics.spans import Share
from gama.models.json_replies import read_list


def distinct_units(units: Iterable[str]) -> list[str]:
    """Return private pieces, each once whatever its case; blank ones are left out."""
    return list({unit.strip().casefold(): unit.strip() for unit in units if unit.strip()}.values())


def units_left(units: Iterable[str], prompt: str) -> Share:
    """Count the distinct private pieces that occur in a prompt as strings, whatever their case: the proxy."""
    distinct, said = distinct_units(units), prompt.casefold()
    return Share(sum(unit.casefold() in said for unit in distinct), len(distinct))


def quality_judge(model: BaseChatModel, name: str) -> Judge[bool]:
    """Return the judge of whether an answer is at least as good as another."""
    return Judge("quality", model, read_yes_no, name=name)


def units_judge(model: BaseChatModel, name: str) -> Judge[list[int]]:
    """Return the judge of which private pieces stand in a prompt, by their numbers; famous people are left out."""
    return Judge("units", model, _numbers, name=name)


def _numbers(reply: str) -> list[int] | None:
    found = read_list(reply)
    if found is None or not all(isinstance(one, int) and not isinstance(one, bool) for one in found):
        return None
    return sorted(set(found))


async def judge_quality(judge: Judge[bool], query: str, answer: str, reference: str) -> bool | None:
    """Return whether an answer is at least as good as the reference; None where a reply could not be read.

    Raises:
        ModelError: the judge could not be reached or used.
    """
    first = await judge.judge({"query": query, "first": answer, "second": reference})
    second = await judge.judge({"query": query, "first": reference, "second": answer})
    return quality(first, second)


def quality(first: bool | None, second: bool | None) -> bool | None:
    """Return the quality that two verdicts give, the second of them on the answers in the other order.

    Equal verdicts mean that the place decided: the answer counts as good. Otherwise the first one decides.
    """
    if first is None or second is None:
        return None
    return True if first == second else first


async def judge_units(judge: Judge[list[int]], units: Sequence[str], prompt: str) -> Share | None:
    """Count the distinct private pieces that stand in a prompt in whatever words; None where the reply cannot be read.

    Raises:
        ModelError: the judge could not be reached or used.
    """
    distinct = distinct_units(units)
    if not distinct or not prompt.strip():
        return Share(0, len(distinct))
    listed = "\n".join(f"{number}. {unit}" for number, unit in enumerate(distinct, 1))
    found = await judge.judge({"units": listed, "prompt": prompt})
    if found is None:
        return None
    if any(not 1 <= number <= len(distinct) for number in found):
        judge.reject()
        return None
    return Share(len(found), len(distinct))


def objective(quality: bool, leaked: Share, valid: bool) -> float:
    """Return what PAPILLON's prompts are tuned by: (quality - leakage + whether the prompt is valid) / 2."""
    return (quality - leaked.value + valid) / 2
