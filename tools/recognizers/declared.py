"""Reads what `data/` declares of a recognizer: its rules, and the words and expressions that its code names.

A file `data/<name>.yaml` declares a recognizer; what begins with `_` is shared, `_shared` by all. It holds, if wanted:

    priority, needs_digit   as `RuleRecognizer` takes them
    uses                    another file whose parts, words and expressions may be named too
    parts                   pieces of expressions by name; `(?&name)` in an expression stands for its text
    words                   lists of words by name; `(?&name)` stands for any of them
    expressions             regular expressions by name; line breaks in them mean nothing
    patterns, labels        the rules: the fields of `Pattern` and `Label`; `check` and `proof` name a function of
                            `checks`, or modules of python-stdnum; lists of words may be named
    all_labels              fields that every label has
    code, subtypes          `module.function` of this folder that finds what no rule can say, and what it reports
"""

import re
from collections import ChainMap
from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib import import_module
from typing import Any

from gama.tools.recognizers import checks
from gama.tools.recognizers.base import hit
from gama.tools.recognizers.rules import Label, Near, Pattern, RuleRecognizer
from gama.tools.tables import table

_PART = re.compile(r"\(\?&(\w+)\)")


class _Compiled(dict[str, re.Pattern[str]]):
    """The named expressions of a file, each compiled when first asked for."""

    def __init__(self, compiled: Callable[[str], re.Pattern[str]]) -> None:
        self._compiled = compiled

    def __missing__(self, name: str) -> re.Pattern[str]:
        return self.setdefault(name, self._compiled(name))


class Declaration:
    """What one file declares."""

    def __init__(self, name: str) -> None:
        """Read the file."""
        self.tree: Mapping[str, Any] = table("recognizers", name)
        used: list[Declaration] = [] if name == "_shared" else [declaration(self.tree.get("uses", "_shared"))]
        self.name = name
        self.hit = partial(hit, source=name)
        # Long lists of single words are written as text.
        words = {key: tuple(v.split() if isinstance(v, str) else v) for key, v in self.tree.get("words", {}).items()}
        self.words: ChainMap[str, tuple[str, ...]] = ChainMap(words, *(one.words for one in used))
        self._parts: ChainMap[str, str] = ChainMap(self.tree.get("parts", {}), *(one._parts for one in used))
        self._expressions: ChainMap[str, str] = ChainMap(
            self.tree.get("expressions", {}), *(one._expressions for one in used)
        )
        self.regex = _Compiled(lambda key: self.compiled(self._expressions[key]))

    def compiled(self, expression: str) -> re.Pattern[str]:
        """Return an expression with its parts in their places."""
        return re.compile(self._expanded(expression))

    def recognizer(self, **given: Any) -> RuleRecognizer:
        """Return the recognizer that the rules make; what is given goes to its code."""
        code = None
        if "code" in self.tree:
            module, function = self.tree["code"].split(".")
            code = partial(getattr(import_module(f"gama.tools.recognizers.{module}"), function), told=self, **given)
        labels = ({**self.tree.get("all_labels", {}), **fields} for fields in self.tree.get("labels", ()))
        rules: tuple[Pattern | Label, ...] = (
            *(Pattern(**self._fields(fields)) for fields in self.tree.get("patterns", ())),
            *(Label(between=self.regex, **self._fields(fields)) for fields in labels),
        )
        subtypes = tuple(sorted({*self.tree.get("subtypes", ()), *(rule.subtype for rule in rules)}))
        priority, needs_digit = self.tree.get("priority", 0), self.tree.get("needs_digit", True)
        return RuleRecognizer(self.name, rules, subtypes, priority, needs_digit, code)

    def _expanded(self, text: str) -> str:
        return _PART.sub(lambda found: self._part(found[1]), text.replace("\n", ""))

    def _part(self, name: str) -> str:
        if name in self._parts:
            return self._expanded(self._parts[name])
        words = sorted(set(self.words[name]), key=lambda word: (-len(word), word))
        return f"(?:{'|'.join(words)})"

    def _fields(self, written: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields of a rule, or of its surroundings, as they are written."""
        return {key: self._field(key, given) for key, given in written.items() if given is not None or key == "private"}

    def _field(self, key: str, given: Any) -> Any:
        if key in ("check", "proof"):
            return checks.named(given)
        if key in ("regex", "refuse"):
            return self.compiled(given)
        if key in ("words", "needs"):
            return self.words[given] if isinstance(given, str) else tuple(given)
        return Near(**self._fields(given)) if key == "near" else self.regex[given] if key == "value" else given


@cache
def declaration(name: str) -> Declaration:
    """Return what the file of a recognizer declares, read once."""
    return Declaration(name)
