"""Reducers of the graph states: named functions, since two lambdas compare equal in LangGraph."""

from typing import TypeVar

T = TypeVar("T")


def append(left: list[T] | None, right: list[T] | None) -> list[T]:
    """Join two lists, left first."""
    return [*(left or []), *(right or [])]


def add_counts(left: dict[str, int] | None, right: dict[str, int] | None) -> dict[str, int]:
    """Add two tables of counts key by key."""
    total = dict(left or {})
    for key, count in (right or {}).items():
        total[key] = total.get(key, 0) + count
    return total


def add_seconds(left: dict[str, float] | None, right: dict[str, float] | None) -> dict[str, float]:
    """Add two tables of seconds key by key: a stage that runs twice shows the sum."""
    total = dict(left or {})
    for key, seconds in (right or {}).items():
        total[key] = total.get(key, 0.0) + seconds
    return total
