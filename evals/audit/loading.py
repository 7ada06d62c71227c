"""Finding a LangGraph app by the name that its makers give it."""

import asyncio
import importlib
import importlib.util
import inspect
import json
import sys
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from pathlib import Path
from typing import Any

from langchain_core.runnables import Runnable
from langgraph.graph import StateGraph

from gama.state.errors import InputError, OptionError


def load_app(target: str) -> Runnable[Any, Any]:
    """Load an app: a compiled graph, a builder, any Runnable, or a factory of one.

    Args:
        target: `module:name`, `path/to/file.py:name`, or `langgraph.json:name`.

    Raises:
        OptionError: there is none.
    """
    place, _, name = target.rpartition(":")
    if not place or not name:
        raise OptionError(f"option --graph: {target!r} is none; give MODULE:NAME, FILE.py:NAME or langgraph.json:NAME")
    if place.endswith(".json"):
        return load_app(_listed(Path(place), name))
    sys.path.insert(0, str(Path.cwd()))
    module = _file(Path(place)) if place.endswith(".py") else _module(place)
    found = getattr(module, name, None)
    if found is None:
        raise OptionError(f"option --graph: there is no {name!r} in {place!r}")
    return _made(found, target)


def _listed(path: Path, name: str) -> str:
    try:
        graphs = json.loads(path.read_text("utf-8"))["graphs"]
        listed = graphs[name]
    except (OSError, ValueError, KeyError, TypeError):
        raise OptionError(f"option --graph: {str(path)!r} lists no graph {name!r}") from None
    where = str(listed["path"] if isinstance(listed, dict) else listed)
    place, _, attribute = where.rpartition(":")
    return f"{path.parent / place if place.endswith('.py') else place}:{attribute}"


def _file(path: Path) -> Any:
    if not path.is_file():
        raise OptionError(f"option --graph: there is no file {str(path)!r}")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise OptionError(f"option --graph: no module {error.name!r}; run it where the app can be imported") from None


def _made(found: Any, target: str) -> Runnable[Any, Any]:
    if isinstance(found, StateGraph):
        return found.compile()
    if isinstance(found, Runnable):
        return found
    if callable(found):
        # As LangGraph's servers call a factory: with the run's configuration, if it takes one.
        wants = [p for p in inspect.signature(found).parameters.values() if p.default is p.empty]
        made = found(*({"configurable": {}} for _ in wants[:1]))
        if inspect.iscoroutine(made):
            made = asyncio.run(made)
        if isinstance(made, AbstractAsyncContextManager):
            made = asyncio.run(made.__aenter__())
        elif isinstance(made, AbstractContextManager):
            made = made.__enter__()
        if made is not found:
            return _made(made, target)
    raise OptionError(f"option --graph: {target!r} is a {type(found).__name__}, and no graph")


def input_of(graph: Runnable[Any, Any], given: str | None) -> Any:
    """Return what the app is given, with `{text}` where the text goes.

    Args:
        graph: the app.
        given: JSON; by default what the schema of the app's input asks for.

    Raises:
        InputError: it is no JSON, has no `{text}`, or the schema does not tell.
    """
    if given is not None:
        if "{text}" not in given:
            raise InputError("option --input: write {text} where the text goes")
        try:
            return json.loads(given)
        except ValueError:
            raise InputError("option --input: this is no JSON") from None
    schema = graph.get_input_jsonschema()
    fields = schema.get("properties", {})
    if "messages" in fields:
        return {"messages": [{"role": "user", "content": "{text}"}]}
    if schema.get("type") == "string":
        return "{text}"
    texts = [name for name, field in fields.items() if field.get("type") == "string"]
    wanted = [name for name in texts if name in schema.get("required", texts)]
    for choice in (["question"] if "question" in fields else [], wanted, texts):
        if len(choice) == 1:
            return {choice[0]: "{text}"}
    raise InputError(
        f"Say by --input where the text goes: the app takes {', '.join(map(repr, fields)) or 'no named fields'}. "
        'Example: --input \'{"topic": "{text}"}\'.'
    )


def filled(given: Any, text: str) -> Any:
    """Return an input with a text in its places."""
    if isinstance(given, str):
        return given.replace("{text}", text)
    if isinstance(given, dict):
        return {key: filled(value, text) for key, value in given.items()}
    return [filled(value, text) for value in given] if isinstance(given, list) else given
