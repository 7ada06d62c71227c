"""Structured replies and verdicts: reading ends, with an object of the schema or with none."""

from gama.models.calls import without_controls, without_thinking
from gama.models.json_replies import read_object
from gama.models.replies import APPROVAL_SCHEMA, CHECK_SCHEMA, OPINION_SCHEMA, VERDICT_SCHEMA, read_verdict
from tests.fuzz.cutting import Cutter

SCHEMAS = (VERDICT_SCHEMA, CHECK_SCHEMA, OPINION_SCHEMA, APPROVAL_SCHEMA)


def one(data: bytes) -> None:
    cut = Cutter(data)
    schema = cut.one_of(SCHEMAS)
    text = cut.text(80) if cut.byte() % 2 else cut.raw().decode("utf-8", "surrogateescape")
    found = read_object(text, schema)
    if found.data is not None:
        assert set(found.data) == set(schema["properties"])
        for name, about in schema["properties"].items():
            assert isinstance(found.data[name], {"boolean": bool, "string": str}[about["type"]])
    else:
        assert found.problem
    verdict = read_verdict(text)
    assert verdict is None or isinstance(verdict.contradiction, bool)
    clean = without_controls(without_thinking(text))
    assert without_controls(clean) == clean and "\x00" not in clean and "\u202e" not in clean
