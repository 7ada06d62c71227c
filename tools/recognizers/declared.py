"""Reads what `data/` declares of a recognizer: its rules, and the words and expressions that its code names.

A file `data/<name>.yaml` holds, each part if wanted:

    priority, needs_digit   as `RuleRecognizer` takes them
    uses                    another file whose parts, words and expressions may be named too
    parts                   pieces of expressions by name; `(?&name)` in an expression stands for its text
    words                   lists of words by name; `(?&name)` stands for any of them
    expressions             regular expressions by name; line breaks in them mean nothing
    patterns, labels        the rules: the fields of `Pattern` and `Label`; `check` and `proof` name a function of
                            `checks`, lists of words may be named
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from gama.tools.recognizers import checks
from gama.tools.recognizers.base import PARTS
from gama.tools.recognizers.rules import Label, Near, Pattern, RuleRecognizer

_PART = re.compile(r"\(\?&(\w+)\)")


class Declaration:
    """What one file declares."""

    def __init__(self, name: str) -> None:
        """Read the file."""
        import yaml

        text = (files("gama.tools.recognizers") / "data" / f"{name}.yaml").read_text(encoding="utf-8")
        # The loader written in C is eight times as fast; both read the same.
        self.tree: Mapping[str, Any] = yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        used = declaration(self.tree["uses"]) if "uses" in self.tree else None
        self.name = name
        self.words: dict[str, tuple[str, ...]] = dict(used.words) if used else {}
        self._parts: dict[str, str] = dict(used._parts) if used else dict(PARTS)
        self._expressions: dict[str, str] = dict(used._expressions) if used else {}
        for key, words in self.tree.get("words", {}).items():
            # Long lists of single words are written as text.
            self.words[key] = tuple(words.split() if isinstance(words, str) else words)
        for key, part in self.tree.get("parts", {}).items():
            self._parts[key] = self.expanded(part)
        self._expressions.update(self.tree.get("expressions", {}))

    def expanded(self, text: str) -> str:
        """Return an expression with its parts in their places."""
        return _PART.sub(lambda found: self._part(found[1]), text.replace("\n", ""))

    def expression(self, name: str) -> re.Pattern[str]:
        """Return a named expression."""
        return re.compile(self.expanded(self._expressions[name]))

    def recognizer(self) -> RuleRecognizer:
        """Return the recognizer that the rules make."""
        patterns = [self._pattern(fields) for fields in self.tree.get("patterns", ())]
        labels = [self._label(fields) for fields in self.tree.get("labels", ())]
        return RuleRecognizer(
            self.name,
            (*patterns, *labels),
            priority=self.tree.get("priority", 0),
            needs_digit=self.tree.get("needs_digit", True),
        )

    def _part(self, name: str) -> str:
        if name in self._parts:
            return self._parts[name]
        words = sorted(set(self.words[name]), key=lambda word: (-len(word), word))
        return f"(?:{'|'.join(words)})"

    def _pattern(self, fields: Mapping[str, Any]) -> Pattern:
        near = fields.get("near")
        told = self._common(fields) | {"regex": re.compile(self.expanded(fields["regex"]))}
        return Pattern(**told | ({"near": Near(**near | {"words": self._listed(near["words"])})} if near else {}))

    def _label(self, fields: Mapping[str, Any]) -> Label:
        words = self._listed(fields["words"])
        return Label(**self._common(fields) | {"words": words, "value": self.expression(fields["value"])})

    def _common(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        named = {key: _function(fields[key]) for key in ("check", "proof") if key in fields}
        return {**fields, **named, "needs": self._listed(fields.get("needs", ()))}

    def _listed(self, words: str | list[str]) -> tuple[str, ...]:
        return self.words[words] if isinstance(words, str) else tuple(words)


def _function(name: str) -> Callable[[Any], bool]:
    found: Callable[[Any], bool] = getattr(checks, name)
    return found


@cache
def declaration(name: str) -> Declaration:
    """Return what the file of a recognizer declares, read once."""
    return Declaration(name)
