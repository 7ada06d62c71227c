"""The steps of the generator that the paper gives to a language model, by the private LLM (spec 03 §3.3).

Each step's reply is a JSON list and is checked; one that fails is asked for anew, and after `TRIES` failures the sample
is dropped. The persons are invented: nothing here is anybody's.
"""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from gama.evals.datasets.piibench import Fact
from gama.evals.datasets.taxonomy import TYPE_OF_CATEGORY
from gama.evals.piibench.consistency import Values, conflicts, pair_conflicts, repaired
from gama.evals.piibench.queries import DOMAINS, Asked, names_of, over_represented, usable
from gama.evals.piibench.texts import Text, annotate, problem
from gama.evals.piibench.values import BY_LIST, fits
from gama.privacy.agents import ask_list
from gama.privacy.finders import Complete
from gama.state.errors import ModelReplyError

TRIES = 3
"""How often a step is tried: the paper says `k`."""

_Made = TypeVar("_Made")

_VALUES = """You invent values for a data set about people who do not exist. You are given what is known about one \
person and a list of categories. Invent one short, realistic, specific value for each category that fits the rest. \
Never use a real person. Answer with one JSON list of objects {"category": …, "entity": …}, one for each category."""

_CONSISTENT = """You check the data of an invented person for contradictions: age against experience and education, \
occupation against education and income, place of work against home, expenses against income. Change values only \
where they contradict each other, keep their format, keep every label and tag, and leave as many items as they are as \
you can. Give the reason in a sentence, then one JSON list of all items: {"label": …, "tag": …, "entity": …}."""

_DESCRIBE = """You write a text about invented people. It must contain every given value word for word. It must \
contain no other name, number, date, place, organization or personal fact, and never only a part of a name. Answer \
with one JSON list of strings: the sentences of the text in their order, each shorter than 600 characters."""

_SCENARIOS = """You design scenarios for a question about a text. A scenario must need all of the given facts, be \
realistic, and belong to one of these domains: {domains}. Suggest four different ones. Answer with one JSON list of \
objects {{"domain": …, "scenario": …}}."""

_ASK = """You write the question that a person in a given scenario would put to an assistant who has the text. It \
needs all of the given facts: whoever does not know them cannot answer. Ask for what follows from a fact, not for the \
fact ("which instalment could I carry", not "what about my income"): none of the given values, no name and none of the \
words to avoid may stand in it. Answer with one JSON list that holds the question as one string."""


class Writer:
    """Asks the private LLM for values, texts and queries. Each method returns None after `TRIES` failures."""

    def __init__(self, complete: Complete) -> None:
        """Take the private LLM."""
        self._complete = complete
        self.failures: Counter[str] = Counter()
        """Replies that failed, by step."""

    def _ask(self, step: str, system: str, told: object, read: Callable[[list[Any]], _Made | None]) -> _Made | None:
        for _ in range(TRIES):
            try:
                items = ask_list(self._complete, system, json.dumps(told, ensure_ascii=False))
            except ModelReplyError:
                items = None
            if items is not None and (made := read(items)) is not None:
                return made
            self.failures[step] += 1
        return None

    def people(self, people: Sequence[Values], tie: str) -> tuple[Values, ...] | None:
        """Let the values that no rule makes be written, and all values be made consistent (steps 1 and 3).

        Args:
            people: One or two persons with values for every category.
            tie: Between two persons; empty for one.
        """
        made: list[Values] = []
        for values in people:
            # What two persons share, the second has from the first.
            new = self._values(
                values, {name: made[0][name] for name in values if _shared(people, name)} if made else {}
            )
            settled = None if new is None else self._consistent(new)
            if settled is None:
                return None
            made.append(settled)
        if tie and pair_conflicts(tie, made[0], made[1]):
            self.failures["relation"] += 1
            return None
        return tuple(made)

    def _values(self, values: Values, given: Values) -> Values | None:
        open_ones = [name for name in values if name in BY_LIST and name not in given]
        if not open_ones:
            return values | given
        known = {name: value for name, value in (values | given).items() if name not in open_ones}

        def read(items: list[Any]) -> Values | None:
            told = [one for one in items if isinstance(one, dict)]
            new = {str(one.get("category")): str(one.get("entity", "")) for one in told}
            fit = set(new) == set(open_ones) and len(told) == len(open_ones)
            whole = {name: new.get(name, value) for name, value in (values | given).items()}
            distinct = len(set(whole.values())) == len(whole)
            return whole if fit and distinct and all(fits(name, value) for name, value in new.items()) else None

        return self._ask("values", _VALUES, {"known": known, "categories": open_ones}, read)

    def _consistent(self, values: Values) -> Values | None:
        items = [{"label": TYPE_OF_CATEGORY[name], "tag": name, "entity": value} for name, value in values.items()]
        made = self._ask("consistency", _CONSISTENT, items, lambda reply: repaired(values, reply))
        return None if made is None or conflicts(made) else made

    def describe(self, people: Sequence[Values], manner: str) -> Text | None:
        """Let the text be written (steps 4 and 5).

        Args:
            people: Their values.
            manner: In a few words what kind of text it is.
        """

        def read(items: list[Any]) -> Text | None:
            if not items or not all(isinstance(one, str) for one in items):
                return None
            made = annotate(" ".join(" ".join(items).split()), people)
            return made if made is not None and problem(made, people) is None else None

        return self._ask("description", _DESCRIBE, {"kind of text": manner, "people": list(people)}, read)

    def query(self, needed: Sequence[Fact], facts: Sequence[Fact], seen: Counter[str]) -> Asked | None:
        """Let scenarios be suggested and one of them be asked about (step 6).

        Args:
            needed: E_q.
            facts: E.
            seen: How often each domain has been asked about.
        """
        wanted = [{"category": fact.category, "value": fact.entity} for fact in needed]

        def suggested(items: list[Any]) -> tuple[str, str] | None:
            told = [
                (str(one["domain"]), str(one["scenario"]))
                for one in items
                if isinstance(one, dict) and one.get("domain") in DOMAINS and str(one.get("scenario", "")).strip()
            ]
            fresh = [one for one in told if not over_represented(one[0], seen)]
            return min(fresh, key=lambda one: seen[one[0]], default=None)

        system = _SCENARIOS.format(domains=", ".join(DOMAINS))
        chosen = self._ask("scenario", system, wanted, suggested)
        if chosen is None:
            return None
        domain, scenario = chosen

        def read(items: list[Any]) -> Asked | None:
            if not items or not all(isinstance(one, str) for one in items):
                return None
            asked = Asked(" ".join(" ".join(items).split()), tuple(needed), domain)
            return asked if usable(asked, facts) else None

        avoid = [word for fact in needed for word in names_of(fact.category)]
        return self._ask("query", _ASK, {"scenario": scenario, "facts": wanted, "words to avoid": avoid}, read)


def _shared(people: Sequence[Values], name: str) -> bool:
    return all(name in values for values in people) and len({values[name] for values in people}) == 1
