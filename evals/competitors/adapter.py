"""Runs one other tool's restoring, in that tool's own Python: `python adapter.py NAME`, JSON lines in and out.

It imports nothing of this package. Requests: `{"box": [[type, value], …]}` answers with the tool's own placeholders
for the values; `{"restore": [text, …]}` with the texts restored.

    piighost           pip install piighost
    maskrelay          pip install --no-deps maskrelay, then rapidfuzz regex pydantic pydantic-settings pyyaml structlog
                       cryptography (its other needs, spaCy and Presidio, are for finding)
    anonproxy          pip install anonproxy
    llm-shield-proxy   pip install llm-shield-proxy
    maskflow-langchain pip install maskflow-langchain
    langchain          pip install --no-deps langchain-experimental, then langchain-core fuzzysearch fuzzywuzzy
    litellm            pip install litellm
    llm-guard          pip install --no-deps llm-guard, then structlog fuzzysearch (its package imports torch and
                       Presidio; the module that restores needs neither and is loaded alone)
"""

import importlib.util
import json
import os
import sys
import types
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

Values = list[tuple[str, str]]
Restore = Callable[[str], str]

PERSON, GIVEN, PLACE, MAIL, FIRM = "person", "given name", "place", "mail", "firm"
_PRESIDIO = {
    PERSON: "PERSON", GIVEN: "PERSON", PLACE: "LOCATION", MAIL: "EMAIL_ADDRESS", FIRM: "ORGANIZATION",
}  # fmt: skip


class Numbered:
    """Numbers the values of a type from 1, as most tools do."""

    def __init__(self, form: str, words: dict[str, str]) -> None:
        """Take the form, such as `<{word}_{number}>`, and the words for the types."""
        self._form = form
        self._words = words
        self._counts: dict[str, int] = {}

    def __call__(self, kind: str) -> str:
        """Return the next placeholder of a type."""
        word = self._words[kind]
        self._counts[word] = self._counts.get(word, 0) + 1
        return self._form.format(word=word, number=self._counts[word])


def piighost(values: Values) -> tuple[list[str], Restore]:
    """Its default: a counter behind the label."""
    from piighost.components.anonymizer import Anonymizer
    from piighost.components.placeholder import LabelCounterPlaceholderFactory
    from piighost.models import Detection, Entity, Span

    made = []
    for at, (kind, value) in enumerate(values):
        span = Span(at * 100, at * 100 + len(value))
        made.append(Entity((Detection(text=value, label=_PRESIDIO[kind], span=span, confidence=1.0),)))
    anonymizer: Any = Anonymizer(LabelCounterPlaceholderFactory())
    tokens = anonymizer.create(made)
    return [str(tokens[entity]) for entity in made], lambda text: anonymizer.deanonymize(text, tokens)


def maskrelay(values: Values, *, fuzzy: bool = False) -> tuple[list[str], Restore]:
    """Its tolerant ladder; the fuzzy step is off by default."""
    from maskrelay.detok.tolerant import detokenize
    from maskrelay.placeholders import PlaceholderCodec

    codec = PlaceholderCodec()
    words = {PERSON: "PERSON", GIVEN: "PERSON", PLACE: "LOCATION", MAIL: "EMAIL", FIRM: "ORG"}
    counts: dict[str, int] = {}
    known: dict[tuple[str, int], str] = {}
    placeholders = []
    for kind, value in values:
        word = words[kind]
        counts[word] = counts.get(word, 0) + 1
        known[word, counts[word]] = value
        placeholders.append(codec.render(word, counts[word]))
    return placeholders, lambda text: detokenize(text, lambda *slot: known.get(slot), codec, fuzzy=fuzzy).text


def maskrelay_fuzzy(values: Values) -> tuple[list[str], Restore]:
    """Its tolerant ladder with the fuzzy step."""
    return maskrelay(values, fuzzy=True)


def anonproxy(values: Values) -> tuple[list[str], Restore]:
    """Its invented values in the place of the real ones."""
    from anonproxy.restorer import TolerantRestorer
    from anonproxy.surrogates import generate

    placeholders: list[str] = []
    for kind, value in values:
        made = generate(_PRESIDIO[kind], value)
        salt = 0
        while made in placeholders:
            salt += 1
            made = generate(_PRESIDIO[kind], value, salt=str(salt))
        placeholders.append(made)
    pairs = [(made, value) for made, (_, value) in zip(placeholders, values, strict=True)]
    pairs.sort(key=lambda pair: -len(pair[0]))
    restorer = TolerantRestorer()
    return placeholders, lambda text: restorer.restore(text, pairs)


def llm_shield(values: Values) -> tuple[list[str], Restore]:
    """Its vault with numbered tags."""
    from llm_shield_proxy.engines.vault import Vault

    vault = Vault(synthetic=False)
    placeholders = [vault.get_or_create_token(value, _PRESIDIO[kind]) for kind, value in values]
    return placeholders, vault.rehydrate


def maskflow(values: Values) -> tuple[list[str], Restore]:
    """Its reversible anonymizer with a mapping of its form, and the default strategy."""
    import tempfile

    from maskflow_langchain import MaskflowReversibleAnonymizer

    words = {PERSON: "PERSON_NAME", GIVEN: "PERSON_NAME", PLACE: "ADDRESS", MAIL: "EMAIL", FIRM: "ORGANIZATION"}
    name = Numbered("<{word}_{number}>", words)
    mapping: dict[str, dict[str, str]] = {}
    placeholders = []
    for kind, value in values:
        placeholders.append(name(kind))
        mapping.setdefault(words[kind], {})[placeholders[-1]] = value
    anonymizer = MaskflowReversibleAnonymizer(patterns_only=True)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "mapping.json")
        file.write_text(json.dumps(mapping))
        anonymizer.load_deanonymizer_mapping(file)
    return placeholders, anonymizer.deanonymize


def _langchain(strategy: str) -> Callable[[Values], tuple[list[str], Restore]]:
    def make(values: Values) -> tuple[list[str], Restore]:
        from langchain_experimental.data_anonymizer import deanonymizer_matching_strategies as strategies
        from langchain_experimental.data_anonymizer.deanonymizer_mapping import DeanonymizerMapping

        mapping = DeanonymizerMapping()
        for kind, value in values:
            mapping.update({_PRESIDIO[kind]: {f"<{_PRESIDIO[kind]}>": value}})
        found = {value: made for table in mapping.data.values() for made, value in table.items()}
        restore = getattr(strategies, strategy)
        return [found[value] for _, value in values], lambda text: restore(text, mapping.data)

    return make


def litellm(values: Values) -> tuple[list[str], Restore]:
    """The unmasking of its Presidio guardrail."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # it would fetch its table of prices
    from litellm.proxy.guardrails.guardrail_hooks.presidio import _OPTIONAL_PresidioPIIMasking as Masking

    name = Numbered("<{word}_{number}>", _PRESIDIO)
    placeholders = [name(kind) for kind, _ in values]
    tokens = {made: value for made, (_, value) in zip(placeholders, values, strict=True)}
    return placeholders, lambda text: Masking._unmask_pii_text(text, tokens)


def _llm_guard(strategy: str) -> Callable[[Values], tuple[list[str], Restore]]:
    def make(values: Values) -> tuple[list[str], Restore]:
        _load_alone("llm_guard", "llm_guard.output_scanners")
        from llm_guard.output_scanners.deanonymize import Deanonymize
        from llm_guard.vault import Vault

        name = Numbered("[REDACTED_{word}_{number}]", _PRESIDIO)
        placeholders = [name(kind) for kind, _ in values]
        scanner = Deanonymize(
            Vault([(made, value) for made, (_, value) in zip(placeholders, values, strict=True)]),
            matching_strategy=strategy,
        )
        return placeholders, lambda text: scanner.scan("", text)[0]

    return make


def _load_alone(*packages: str) -> None:
    """Make packages importable without running what they import themselves."""
    spec = importlib.util.find_spec(packages[0]) if packages[0] not in sys.modules else None
    if spec is None or not spec.submodule_search_locations:
        return
    for package in packages:
        module = types.ModuleType(package)
        module.__path__ = [os.path.join(spec.submodule_search_locations[0], *package.split(".")[1:])]
        sys.modules[package] = module


TOOLS: dict[str, tuple[str, Callable[[Values], tuple[list[str], Restore]]]] = {
    "piighost": ("piighost", piighost),
    "maskrelay": ("maskrelay", maskrelay),
    "maskrelay, fuzzy": ("maskrelay", maskrelay_fuzzy),
    "anonproxy": ("anonproxy", anonproxy),
    "llm-shield-proxy": ("llm-shield-proxy", llm_shield),
    "maskflow-langchain": ("maskflow-langchain", maskflow),
    "langchain, exact": ("langchain-experimental", _langchain("exact_matching_strategy")),
    "langchain, fuzzy": ("langchain-experimental", _langchain("fuzzy_matching_strategy")),
    "langchain, combined": ("langchain-experimental", _langchain("combined_exact_fuzzy_matching_strategy")),
    "litellm": ("litellm", litellm),
    "llm-guard, exact": ("llm-guard", _llm_guard("exact")),
    "llm-guard, fuzzy": ("llm-guard", _llm_guard("fuzzy")),
}
"""Tools by name: the package they come in, and what makes them."""


def serve(name: str) -> None:
    """Answer requests until there are no more."""
    package, make = TOOLS[name]
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # What a tool prints must not get between the answers.
    os.dup2(2, 1)
    restore: Restore = str
    for line in sys.stdin:
        request = json.loads(line)
        reply: dict[str, Any] = {"version": metadata.version(package)}
        if "box" in request:
            placeholders, restore = make([(kind, value) for kind, value in request["box"]])
            reply["placeholders"] = placeholders
        else:
            reply["texts"], reply["errors"] = [], 0
            for text in request["restore"]:
                try:
                    reply["texts"].append(restore(text))
                except Exception:
                    # An answer that a tool gives up on reaches its user as it is, at best.
                    reply["texts"].append(text)
                    reply["errors"] += 1
        answers.write(json.dumps(reply) + "\n")
        answers.flush()


if __name__ == "__main__":
    serve(sys.argv[1])
