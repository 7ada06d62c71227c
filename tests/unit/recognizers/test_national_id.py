"""Table for the recognizer `national_id`: what it finds and what it leaves alone."""

from collections.abc import Callable

import pytest

Finder = Callable[[str, str], list[tuple[str, str]]]

FOUND = [
    ("SSN 574-02-1186", "574-02-1186", "ssn"),
    ("987-65-4321", "987-65-4321", "ssn"),
    ("***-**-7714", "***-**-7714", "ssn"),
    ("NI QQ 12 34 56 C", "QQ 12 34 56 C", "ssn"),
    ("her NI number is YB 33 81 07 C", "YB 33 81 07 C", "ssn"),
    ("CPF 390.533.447-05", "390.533.447-05", "tax_id"),
    ("DNI: 54362315-K", "54362315-K", "ssn"),
    ("X-2482300W", "X-2482300W", "ssn"),
    ("RCCMNL83S18D969H", "RCCMNL83S18D969H", "tax_id"),
    ("BSN 111222333", "111222333", "ssn"),
    ("PESEL: 44051401359", "44051401359", "ssn"),
    ("personnummer 880320-0016", "880320-0016", "ssn"),
    ("Steuer-ID 36 574 261 809", "36 574 261 809", "tax_id"),
    ("Aadhaar 2341 2341 2346", "2341 2341 2346", "ssn"),
    ("NHS no. 943 476 5870", "943 476 5870", "patient_id"),
    ("NHS 943 476 5870. GP Dr Hale", "943 476 5870", "patient_id"),
    ("2 95 10 99 126 111 93", "2 95 10 99 126 111 93", "ssn"),
    ("Insured no.: 756.4418.0923.15", "756.4418.0923.15", "ssn"),
    ("FEIN 04-5550193", "04-5550193", "tax_id"),
    ("tax id 123456789", "123456789", "tax_id"),
]

LEFT_ALONE = [
    "555-867-5309",
    "12345678901",
    "2024-01-17",
    "390.533.447-06",
    "number 44051401359",
]


@pytest.mark.parametrize(("text", "value", "subtype"), FOUND)
def test_found(find: Finder, text: str, value: str, subtype: str) -> None:
    assert (value, subtype) in find("national_id", text)


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(find: Finder, text: str) -> None:
    assert find("national_id", text) == []
