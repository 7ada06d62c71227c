"""The checks of `gama doctor`."""

import hashlib
import importlib.util
import json
import os
import platform
import stat
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import perf_counter
from typing import Literal, NamedTuple

from gama.state.options import Options

State = Literal["ok", "note", "bad"]
Found = Iterator[tuple[State, str]]


class Check(NamedTuple):
    """One finding."""

    topic: str
    state: State
    text: str


PACKAGES = (
    "gama-privacy", "langgraph", "langchain-core", "langchain-openai", "langchain-ollama", "onnxruntime", "faiss-cpu",
)  # fmt: skip
EXTRAS = {
    "local": ("torch", "transformers"),
    "postgres": ("psycopg", "psycopg_pool"),
    "serve": ("fastapi", "uvicorn"),
    "mcp": ("mcp",),
    "train": ("torch", "transformers", "onnx"),
    "seal": ("torch", "transformers", "trl", "peft", "accelerate", "datasets"),
    "studio": ("langgraph_cli", "langgraph_api"),
}
TRACING = {
    "LANGSMITH_TRACING": "turns LangSmith tracing on",
    "LANGSMITH_TRACING_V2": "turns LangSmith tracing on",
    "LANGCHAIN_TRACING": "turns LangSmith tracing on",
    "LANGCHAIN_TRACING_V2": "turns LangSmith tracing on",
    "LANGCHAIN_HANDLER": "asks for a tracer that LangChain no longer has",
    "LANGSMITH_OTEL_ENABLED": "sends traces by OpenTelemetry",
    "LANGSMITH_OTEL_ONLY": "sends traces by OpenTelemetry alone",
    "LANGSMITH_API_KEY": "turns tracing on in a `langgraph dev` that `gama studio` did not start",
    "LANGCHAIN_API_KEY": "turns tracing on in a `langgraph dev` that `gama studio` did not start",
    "LANGSMITH_FAILED_TRACES_DIR": "keeps traces that could not be sent, in clear",
}
"""Variables that trace LangChain code, and what each does."""
KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "mistralai": "MISTRAL_API_KEY"}
"""Where the commonest providers look for their key."""


def checks(options: Options, home: Path, *, probe: bool) -> Iterator[Check]:
    """Yield the findings.

    Args:
        options: the models that are configured.
        home: folder for keys and checkpoints.
        probe: whether to ask the models for one word; else nothing is sent anywhere.
    """
    topics = {
        "Installed": _installed(),
        "Embedded models": _embedded(),
        "Models": _models(options, probe),
        "Data": _data(home),
        "Tracing": _tracing(),
    }
    for topic, found in topics.items():
        for state, text in found:
            yield Check(topic, state, text)


def _installed() -> Found:
    python = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    fits = (3, 11) <= sys.version_info[:2] <= (3, 13)
    yield "ok" if fits else "bad", python if fits else f"{python}; GAMA is made for 3.11 to 3.13"
    for name in PACKAGES:
        try:
            yield "ok", f"{name} {version(name)}"
        except PackageNotFoundError:
            yield "bad", f"{name} is missing: pip install gama-privacy"
    for extra, modules in EXTRAS.items():
        missing = [name for name in modules if importlib.util.find_spec(name) is None]
        text = f"extra {extra}: " + (f"not installed (pip install 'gama-privacy[{extra}]')" if missing else "installed")
        yield "note" if missing else "ok", text


def _embedded() -> Found:
    from gama.models import __file__ as room

    weights = Path(str(room)).parent / "weights"
    for name, card in (("identify.onnx", "identify"), ("select.onnx", "select"), ("words.npz", "identify")):
        path = weights / name
        if not path.is_file():
            yield "bad", f"{name} is missing: install the package anew"
            continue
        content = path.read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        text = f"{name}: {len(content) / 1e6:.1f} MB, sha256 {digest[:16]}…"
        if _fits_card(weights / f"{card}.json", name, len(content), digest):
            yield "ok", text
        else:
            yield "bad", f"{text}; it is not the file its card describes: install the package anew"
    from gama.models.accurate import accurate_folder, accurate_tagger
    from gama.models.embedded import embedded_tagger
    from gama.models.selector import embedded_selector

    text = "My name is Ada Obi."
    yield _tried("the tagger", lambda: embedded_tagger().spans(text))
    if accurate_folder() is None:
        yield "ok", "gama-privacy-accurate is not installed: other scripts are read by rules and lists alone"
    else:
        yield _tried("the larger tagger", lambda: accurate_tagger().spans(text))
    asked = (text, "Who is it?", [(11, 18)])
    yield _tried("the selector of what a query needs", lambda: embedded_selector().scores(*asked))


def _tried(name: str, run: Callable[[], object]) -> tuple[State, str]:
    began = perf_counter()
    try:
        run()
    except Exception as error:
        return "bad", f"{name} does not run ({type(error).__name__})"
    return "ok", f"{name} runs ({perf_counter() - began:.2f} s with loading)"


def _fits_card(card: Path, name: str, size: int, digest: str) -> bool:
    """Compare a file with what the model card says of it; what the card does not say fits."""
    if not card.is_file():
        return name == "words.npz"
    told = json.loads(card.read_text(encoding="utf-8"))
    wanted = told.get("sha256", {}).get(name, digest)
    return bool(wanted == digest and (name != "identify.onnx" or told.get("bytes", size) == size))


def _models(options: Options, probe: bool) -> Found:
    from gama.models.names import check_public_name, is_standin
    from gama.state.errors import GamaError

    if is_standin(options.public_model) and options.public_base_url is None:
        yield (
            "note",
            "public: none configured; the built-in stand-in reader answers (gama ask … --public openai:gpt-4o)",
        )
    else:
        try:
            check_public_name(options.public_model, options.public_base_url)
        except GamaError as error:
            yield "bad", f"public: {error}"
        else:
            yield from _key(options)
            yield _asked("public", _name(options.public_model), lambda: _ask_public(options), probe)
    if options.private_model is None:
        yield "ok", "private: the embedded models (an LLM may take over: --private ollama:llama3.1:8b)"
    else:
        try:
            from gama.models.private import decoding_of, private_model

            made = private_model(
                options.private_model,
                base_url=options.private_base_url,
                trusted=options.trust_private_model,
                decoding=decoding_of(options),
            )
        except GamaError as error:
            yield "bad", f"private: {error}"
        else:
            chat = [{"role": "user", "content": "Answer with the word ready."}]
            yield _asked("private", _name(options.private_model), lambda: made.complete(chat), probe)


def _key(options: Options) -> Found:
    """Return whether the public provider's key is set; never what it is."""
    from gama.guard.addresses import is_local_address

    provider = _name(options.public_model).partition(":")[0].strip().lower()
    if options.public_base_url is not None and is_local_address(options.public_base_url):
        return
    if variable := KEYS.get(provider):
        known = bool(os.environ.get(variable))
        yield "ok" if known else "bad", f"public: {variable} is {'set' if known else 'not set'}"


def _name(model: object) -> str:
    return model if isinstance(model, str) else type(model).__name__


def _asked(space: str, name: str, ask: Callable[[], object], probe: bool) -> tuple[State, str]:
    from gama.state.errors import GamaError

    if not probe:
        return "note", f"{space}: {name} is configured; --probe asks it for one word"
    began = perf_counter()
    try:
        ask()
    except GamaError as error:
        return "bad", f"{space}: {error}"
    return "ok", f"{space}: {name} answers ({perf_counter() - began:.1f} s)"


def _ask_public(options: Options) -> None:
    from gama.models.calls import PublicCall
    from gama.models.public import public_client

    client = public_client(options.public_model, base_url=options.public_base_url, timeout_s=30, standalone=True)
    client.complete(PublicCall(role="expert", system="Answer with one word.", user="Say ready.", task="Say ready."))


def _data(home: Path) -> Found:
    given = " (not used: GAMA_KEY is set)" if os.environ.get("GAMA_KEY") else ""
    yield from _elsewhere(home)
    if home.exists():
        yield _file(home, "folder for keys and checkpoints", 0o700)
    else:
        yield "ok", f"{home}: not made yet; nothing is stored"
    uses = {
        "master.key": f"the key of everything sealed here{given}",
        "keys.sqlite": "the threads' keys, wrapped by it",
        "private.sqlite": "checkpoints; what is private in them is sealed",
        "public.sqlite": "checkpoints of the public graph: only what crossed",
    }
    for name, use in uses.items():
        if (home / name).exists():
            yield _file(home / name, use, 0o600)
    studio = Path(".langgraph_api")
    if studio.is_dir():
        size = sum(file.stat().st_size for file in studio.rglob("*") if file.is_file())
        text = f"{studio.resolve()}: {size:,} bytes of `langgraph dev`, with the inputs of its runs in clear"
        yield "note", f"{text}; delete it when Studio is not running"


def _elsewhere(home: Path) -> Found:
    """Tell where keys and checkpoints lie that are not in the home folder."""
    from gama.state.errors import GamaError
    from gama.vault.database import shown
    from gama.vault.keys.sources import key_source

    try:
        source = key_source(home)
        if source.spec != f"file:{home / 'master.key'}":
            ring = source.read()
            state: Literal["ok", "note"] = "ok" if ring else "note"
            yield (state, f"master key: {source.name}, {', '.join(ring.ids) if ring else 'none yet'}")
    except GamaError as error:
        yield "bad", f"master key: {error}"
    for variable, what in (("GAMA_STORE", "checkpoints"), ("GAMA_THREAD_KEYS", "keys of the threads")):
        if address := os.environ.get(variable):
            yield "ok", f"{what}: {shown(address)}, by {variable}"
    if age := os.environ.get("GAMA_RETENTION"):
        yield "ok", f"conversations not used for {age} are forgotten, by GAMA_RETENTION"


def _file(path: Path, use: str, mode: int) -> tuple[State, str]:
    found = path.stat()
    size = "" if path.is_dir() else f", {found.st_size:,} bytes"
    if os.name != "posix":
        return "ok", f"{path}: {use}{size}"
    text = f"{path}: {use}{size}, mode {stat.S_IMODE(found.st_mode):o}"
    if found.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        return "bad", f"{text}; others may read it: chmod {mode:o} '{path}'"
    return "ok", text


def _tracing() -> Found:
    found = [name for name in TRACING if os.environ.get(name, "").strip().lower() not in ("", "0", "false", "off")]
    if not found:
        yield "ok", "no variable turns tracing on"
    for name in found:
        yield "note", f"{name} is set: it {TRACING[name]}, for other LangChain code"
    yield ("ok", "GAMA's own runs are not traced, whatever the environment says, unless the option trace asks")
