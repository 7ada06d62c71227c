"""Private text is opened in named places only, and where it is open nothing logs, prints or warns with it."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
ROOMS = (
    "state", "guard", "vault", "models", "tools", "privacy", "nodes", "graph", "middleware", "serve", "evals", "training",
)  # fmt: skip

OPENED = {
    "graph/sealed_graph.py": {
        "_sealed_question": "the task is sealed at the door",
    },
    "evals/commands/fields.py": {"fields": "the private LLM's replies about made-up tasks are read"},
    "evals/solvers/desk.py": {"_reply": "the private LLM's part in a method that is compared"},
    "evals/plain.py": {"complete": "the model that the user names is asked plainly, about made-up texts"},
    "evals/piibench/demonstrations.py": {"generate": "the model's reasoning about a text becomes a worked example"},
    "models/private.py": {"_message": "the prompt, for the private LLM's library"},
    "privacy/agents.py": {
        "filter_private": "the private LLM's verdict is read",
        "ask_list": "the private LLM's list is read",
    },
    "privacy/question.py": {"query_of": "the query is sealed behind the task"},
    "nodes/private/engine_steps.py": {
        "write_prompts": "the private LLM analyses the task, and its replies are read",
        "anonymize": "the task is mapped",
        "find_entities": "the finders read the task",
        "judge_context": "the tagger or the private LLM reads the task",
        "fuse_views": "the rules look at the context of the spans",
        "link_mentions": "owners of facts are read off the task",
        "select_needed": "the model that tells what the query needs reads the task",
        "review": "corrections are found in the task",
        "refine": "the private LLM attacks and rewrites the task",
        "_refined": "what is still private in the rewritten task is replaced",
    },
    "privacy/refining/agents.py": {
        "infer": "what the private LLM infers is read",
        "rewrite": "its rewriting is read",
        "judge": "its judgement is read",
    },
    "evals/teachers.py": {"_plain": "what teachers are asked and say about made-up texts is kept"},
    "training/seal/examples.py": {"_plain": "what a model is asked at run time becomes what it is trained on"},
    "nodes/private/airlock.py": {
        "airlock": "what is about to cross is looked at as the task was, where the tagger was in doubt",
    },
    "nodes/private/conversation.py": {"raw_text": "the letter's language decides how a formula's values are read"},
}
"""Every place that opens a `PrivateText`, with what for. A new one needs a reason, here and in docs/security.md."""

PRIVATE = (
    "nodes/private", "nodes/airlock.py", "privacy", "vault", "guard", "graph/client.py", "graph/sealed_graph.py", "graph/private_graph.py",
    "models/private.py", "models/embedded.py", "models/selector.py", "models/huggingface.py", "models/gliner.py", "models/presidio.py",
    "state", "tools/placeholders", "tools/recognizers", "tools/knowledge",
)  # fmt: skip
"""What may hold opened private text."""

QUIET = {
    "guard/quiet.py": "it silences the loggers",
    "guard/terminal.py": "what the commands show to people",
    "nodes/private/wrappers.py": "a traceback, on the user's own wish",
}

SAID = {
    ("nodes/private/airlock.py", "raw_notice(entities)"): "a count, no text",
    (
        "tools/recognizers/declared.py",
        "f'recognizer {recognizer.name!r} failed with {failure}: left out for this text'",
    ): "names the recognizer and the kind of its error",
}  # fmt: skip
"""Warnings with more than a fixed text, and why they hold nothing private."""


def modules(*places: str) -> list[Path]:
    found = []
    for place in places:
        path = ROOT / place
        found += [path] if path.suffix == ".py" else sorted(path.rglob("*.py"))
    return found


def functions_with(tree: ast.AST, wanted) -> set[str]:
    """Return the innermost named functions in which a node satisfies a condition."""
    found = set()

    def walk(node: ast.AST, inside: str) -> None:
        for child in ast.iter_child_nodes(node):
            name = child.name if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) else inside
            if wanted(child):
                found.add(name)
            walk(child, name)

    walk(tree, "<module>")
    return found


def opens(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "reveal"


@pytest.mark.slow
def test_private_text_is_opened_in_the_named_places_only():
    found = {}
    for path in modules(*ROOMS):
        if places := functions_with(ast.parse(path.read_text("utf-8")), opens):
            found[path.relative_to(ROOT).as_posix()] = places
    assert found == {file: set(places) for file, places in OPENED.items()}


@pytest.mark.parametrize("path", modules(*PRIVATE), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_where_private_text_is_open_nothing_is_logged_or_printed(path):
    name = path.relative_to(ROOT).as_posix()
    if name in QUIET:
        return
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import | ast.ImportFrom):
            brought = {alias.name.split(".")[0] for alias in node.names} | {getattr(node, "module", None) or ""}
            assert not brought & {"logging", "traceback", "pprint", "pdb", "syslog"}, name
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            assert called != "print" and not called.startswith(("sys.stdout", "sys.stderr")), name
            if called == "warnings.warn":
                said = node.args[0]
                fixed = isinstance(said, ast.Constant)
                assert fixed or (name, ast.unparse(said)) in SAID, f"{name}: {ast.unparse(said)}"


def test_no_page_of_the_private_half_shows_its_values():
    from gama.privacy.box import PrivacyBox
    from gama.state.box import BoxEntry
    from gama.state.entities import Entity
    from gama.state.options import Options
    from gama.state.private_text import PrivateText

    value = "Thessaly Quornbeck"
    box = PrivacyBox()
    box.add(value, "full_name")
    shown = [
        box, box.entries, BoxEntry(surface=value, placeholder="<name-1>", kind="name", subtype="full_name"),
        Entity(text=value, start=0, end=18, type="PER", subtype="full_name"), Options(deny=(value,)),
        PrivateText(value), {"text": [PrivateText(value)]},
    ]  # fmt: skip
    for thing in shown:
        assert value not in repr(thing) and value not in str(thing), type(thing)
        assert value not in f"{thing}"


def test_what_walks_over_objects_finds_no_private_text():
    import copy
    import dataclasses
    import json
    import pickle
    import pprint

    import orjson
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
    from langsmith._internal._serde import dumps_json

    from gama.state.private_text import PrivateText

    @dataclasses.dataclass
    class Holder:
        text: PrivateText

    value = "Thessaly Quornbeck"
    closed = PrivateText(value)
    for write in (json.dumps, pickle.dumps, copy.deepcopy, copy.copy, orjson.dumps):
        with pytest.raises(TypeError):
            write(closed)
    assert value.encode() not in dumps_json({"a": closed, "b": Holder(closed)})
    assert value not in pprint.pformat(Holder(closed)) + str(dataclasses.asdict)
    assert value not in repr([getattr(closed, slot, None) for slot in dir(closed)])
    with pytest.raises(TypeError):
        JsonPlusSerializer().dumps_typed({"reply": closed})
