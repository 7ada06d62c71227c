"""Functions of names, codes and places."""

from collections.abc import Callable
from typing import Any

import regex

from gama.tools.formulas import facts
from gama.tools.formulas.contract import NAMES, PLACES, Run, function
from gama.tools.formulas.identity import PersonName
from gama.tools.formulas.lists import some_of
from gama.tools.formulas.operations import undefined, wrong_type
from gama.tools.formulas.values import Fault, Items, Term, Text, Truth, Value
from gama.tools.formulas.words import rows


def _name(run: Run, value: Value) -> PersonName:
    if not isinstance(value, Text) or value.kind not in (*NAMES, "text", "result"):
        raise wrong_type("a name of a person is wanted instead of", value)
    if run.trial:
        return PersonName("Ms Anna Berg", "en")
    placeholder = run.owner(value) or ""
    family = None
    if regex.fullmatch(r"<{1,2}name-\d+[a-z]*>{1,2}", placeholder):
        known = run.reader.values.get(placeholder.replace("name-", "last_name-", 1))
        family = known.text if known and value.text.endswith(f" {known.text}") else None
    family = value.text if value.kind == "last_name" else family
    return PersonName(value.text, run.reader.locale.language, family)


@function("surname(name)", *NAMES)
def _surname(run: Run, value: Value) -> Value:
    return Text(_name(run, value).surname, "last_name")


@function("first(name)", *NAMES)
def _first(run: Run, value: Value) -> Value:
    if isinstance(value, Items):
        return some_of([value])[0]
    return Text(_name(run, value).first, "first_name")


@function("last(list)")
def _last(run: Run, value: Value) -> Value:
    if not isinstance(value, Items):
        raise wrong_type("a list is wanted instead of", value)
    return some_of([value])[-1]


@function("initials(name)", *NAMES)
def _initials(run: Run, value: Value) -> Value:
    return Text(_name(run, value).initials)


@function("female(name)", *NAMES)
def _female(run: Run, value: Value) -> Value:
    return Truth(_gender(run, value) == "female")


@function("male(name)", *NAMES)
def _male(run: Run, value: Value) -> Value:
    return Truth(_gender(run, value) == "male")


def _gender(run: Run, value: Value) -> str:
    told = run.reader.context.genders.get(run.owner(value) or "")
    return told or _name(run, value).find_gender()


def _by_language(run: Run, column: int, value: Value) -> str:
    table = {row[0]: row for row in rows("titles.tsv")}
    if run.language not in table:
        raise Fault("no_fact", "the forms of address of this language are not known")
    return table[run.language][column + (_gender(run, value) == "male")]


@function("title(name)", *NAMES)
def _title(run: Run, value: Value) -> Value:
    return Text(_by_language(run, 1, value))


@function("salutation(name)", *NAMES)
def _salutation(run: Run, value: Value) -> Value:
    return Text(_by_language(run, 3, value).format(_name(run, value).surname))


@function("last4(code)", "iban", "phone", "credit_card", "bank_account", "id_number", "ssn")
def _last4(run: Run, value: Value) -> Value:
    if not isinstance(value, Text):
        raise wrong_type("a code is wanted instead of", value)
    signs = regex.sub(r"[^\p{L}\p{N}]", "", value.text)
    if len(signs) < 5 and not run.trial:
        raise undefined()
    return Text(signs[-4:])


def _fact(usage: str, look_up: Callable[[Value], Any], stand_in: Value, *fits: str) -> None:
    @function(usage, *fits)
    def fact(run: Run, value: Value) -> Value:
        if not isinstance(value, Text | Term):
            raise wrong_type("a place or name is wanted instead of", value)
        if run.trial:
            return stand_in
        found = look_up(value)
        if isinstance(found, list):
            return found[0] if len(found) == 1 else Items(tuple(found))
        assert isinstance(found, Value)
        return found


_fact("country(place)", facts.country, Term("country", "ES"), *PLACES, "phone", "iban")
_fact("currency(place)", facts.currency, Term("currency", "EUR"), *PLACES)
_fact("language(place)", facts.languages, Term("language", "es"), *PLACES)
_fact("drives_on(place)", facts.drives_on, Term("side of the road", "right"), *PLACES)
_fact("in_eu(place)", facts.in_eu, Truth(True), *PLACES, "phone", "iban")
_fact("plug_type(place)", facts.plug_type, Text("C, F", "plug type"), *PLACES)
_fact("timezone(place)", facts.timezone, Text("Europe/Madrid", "time zone"), *PLACES)
_fact("generic(drug)", facts.generic, Text("paracetamol", "medicine"), "medical_condition")
