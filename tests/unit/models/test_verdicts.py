"""Verdicts out of whatever a model writes."""

import pytest

from gama.models.replies import read_verdict


@pytest.mark.parametrize(
    ("text", "found", "reason"),
    [
        ('{"contradiction": true, "reason": "too late"}', True, "too late"),
        ('{"contradiction": false, "reason": "none"}', False, ""),
        ('```json\n{"contradiction": true, "reason": "x"}\n```', True, "x"),
        ('<think>{"contradiction": true, "reason": "no"}</think>{"contradiction": false, "reason": ""}', False, ""),
        ("Sure! {'contradiction': True, 'reason': 'it\\'s late',} Hope it helps.", True, "it's late"),
        ('{"Contradiction": "yes", "Reason": "r"}', True, "r"),
        ('{"contradiction": "False"}', False, ""),
        ('{"contradiction": true, "reason": "a {nested} thing"}', True, "a {nested} thing"),
        ('first {"a": 1} then {"contradiction": true, "reason": "b"}', True, "b"),
        ("There is no contradiction here.", False, ""),
        ("The answer contradicts clue 2.", True, "The answer contradicts clue 2."),
        ("Contradiction: false", False, ""),
        ("The answer is fully consistent with the task.", False, ""),
    ],
)
def test_read(text, found, reason):
    verdict = read_verdict(text)
    assert verdict is not None and (verdict.contradiction, verdict.reason) == (found, reason)


@pytest.mark.parametrize(
    "text", ["", "hm", "[1, 2]", '{"verdict": 1}', "{", "}{", '{"contradiction": 3}', "maybe", "{" * 5000]
)
def test_no_verdict(text):
    assert read_verdict(text) is None


def test_long_reasons_are_cut():
    verdict = read_verdict('{"contradiction": true, "reason": "' + "word " * 500 + '"}')
    assert verdict is not None and len(verdict.reason.split()) == 60
