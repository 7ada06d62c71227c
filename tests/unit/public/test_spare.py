"""How many calls experts have for their tools: what later steps may need is left."""

import pytest

from gama.nodes.public.routing import spare_of_part, spare_of_task


@pytest.mark.parametrize(
    ("fields", "spare"),
    [
        # 64 calls: three experts, a fusion, three rounds of two calls.
        ({}, (64 - 3 - 1 - 6) // 3),
        ({"k": 1}, 64 - 1 - 6),
        ({"disprove": "off"}, (64 - 3 - 1) // 3),
        ({"max_rounds": 0}, (64 - 3 - 1) // 3),
        ({"k": 1, "drke": False}, 64 - 1 - 6),
        ({"max_calls": 12}, 0),
        ({"max_calls": 13}, 1),
        ({"max_calls": 3}, 0),
    ],
)
def test_the_whole_task(make_task, fields, spare):
    assert spare_of_task(make_task(**fields)) == spare


@pytest.mark.parametrize(
    ("allowance", "fields", "spare"),
    [
        # Two experts, a fusion and two checks.
        (20, {}, (20 - 2 - 1 - 2) // 2),
        (20, {"max_checks": 1}, (20 - 2 - 1 - 1) // 2),
        (20, {"max_checks": 0}, (20 - 2 - 1) // 2),
        (20, {"disprove": "off"}, (20 - 2 - 1) // 2),
        (6, {}, 0),
        (1, {}, 0),
    ],
)
def test_a_sub_question(make_task, allowance, fields, spare):
    task = make_task(k=2, **fields)
    assert spare_of_part({"task": task, "allowance": allowance, "rules": list(task.rules), "usage": {}}) == spare
