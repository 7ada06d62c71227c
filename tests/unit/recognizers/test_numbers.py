"""Tables for cards, accounts, national numbers, documents and references."""

from collections.abc import Callable

import pytest

from gama.tools.recognizers.base import Recognizer

Finder = Callable[[str, str], list[tuple[str, str]]]

POSITIVE = [
    ("credit_card", "pay 4111 1111 1111 1111 now", "4111 1111 1111 1111", "credit_card"),
    ("credit_card", "5555-5555-5555-4444", "5555-5555-5555-4444", "credit_card"),
    ("credit_card", "amex 378282246310005", "378282246310005", "credit_card"),
    ("credit_card", "**** **** **** 4242", "**** **** **** 4242", "credit_card"),
    ("credit_card", "Card: 5333 17** **** 6608", "5333 17** **** 6608", "credit_card"),
    ("credit_card", "my card ending in 0093", "0093", "credit_card"),
    ("credit_card", "卡号４１１１１１１１１１１１１１１１", "４１１１１１１１１１１１１１１１", "credit_card"),
    ("iban", "to DE89 3704 0044 0532 0130 00 please", "DE89 3704 0044 0532 0130 00", "iban"),
    ("iban", "GB29NWBK60161331926819", "GB29NWBK60161331926819", "iban"),
    ("iban", "IBAN: DE00 1234 5678 9012 3456 78", "DE00 1234 5678 9012 3456 78", "iban"),
    ("iban", "BIC: COBADEFFXXX", "COBADEFFXXX", "other_id"),
    ("national_id", "SSN 574-02-1186", "574-02-1186", "ssn"),
    ("national_id", "987-65-4321", "987-65-4321", "ssn"),
    ("national_id", "***-**-7714", "***-**-7714", "ssn"),
    ("national_id", "NI QQ 12 34 56 C", "QQ 12 34 56 C", "ssn"),
    ("national_id", "her NI number is YB 33 81 07 C", "YB 33 81 07 C", "ssn"),
    ("national_id", "CPF 390.533.447-05", "390.533.447-05", "tax_id"),
    ("national_id", "DNI: 54362315-K", "54362315-K", "ssn"),
    ("national_id", "X-2482300W", "X-2482300W", "ssn"),
    ("national_id", "RCCMNL83S18D969H", "RCCMNL83S18D969H", "tax_id"),
    ("national_id", "BSN 111222333", "111222333", "ssn"),
    ("national_id", "PESEL: 44051401359", "44051401359", "ssn"),
    ("national_id", "personnummer 880320-0016", "880320-0016", "ssn"),
    ("national_id", "Steuer-ID 36 574 261 809", "36 574 261 809", "tax_id"),
    ("national_id", "Aadhaar 2341 2341 2346", "2341 2341 2346", "ssn"),
    ("national_id", "NHS no. 943 476 5870", "943 476 5870", "patient_id"),
    ("national_id", "2 95 10 99 126 111 93", "2 95 10 99 126 111 93", "ssn"),
    ("national_id", "Insured no.: 756.4418.0923.15", "756.4418.0923.15", "ssn"),
    ("national_id", "FEIN 04-5550193", "04-5550193", "tax_id"),
    ("national_id", "tax id 123456789", "123456789", "tax_id"),
    ("document_id", "passport E11804427", "E11804427", "passport"),
    ("document_id", "Reisepass-Nr.: C4F7KJ291", "C4F7KJ291", "passport"),
    ("document_id", "driver's license: D12345678", "D12345678", "drivers_license"),
    ("document_id", "Employee ID is AB123456", "AB123456", "employee_id"),
    ("document_id", "student no. 21340087", "21340087", "student_id"),
    ("document_id", "account number: 123456789012", "123456789012", "bank_account"),
    ("document_id", "cuenta 1234567890", "1234567890", "bank_account"),
    ("document_id", "passport we hold, 533 901 284", "533 901 284", "passport"),
    ("document_id", "sort code 30-94-57", "30-94-57", "other_id"),
    ("reference_number", "case no. CB/0913/24", "CB/0913/24", "case_number"),
    ("reference_number", "ticket #CX-771204", "CX-771204", "case_number"),
    ("reference_number", "Invoice No. 2024/0387", "2024/0387", "order_number"),
    ("reference_number", "booking QX7L2M)", "QX7L2M", "order_number"),
    ("reference_number", "Hospital no. MP 771204", "MP 771204", "patient_id"),
    ("reference_number", "policy PH 2209 6610", "PH 2209 6610", "other_id"),
    ("reference_number", "Aktenzeichen: 4 C 217/24", "4 C 217/24", "case_number"),
]  # fmt: skip

NEGATIVE = [
    ("credit_card", "4111 1111 1111 1112"),  # checksum
    ("credit_card", "0000 0000 0000 0000"),
    ("credit_card", "ISBN 9783161484100"),
    ("credit_card", "a card game for 4 players"),
    ("credit_card", "***"),
    ("iban", "DE89 3704 0044 0532 0130 01 x".replace(" ", "")),
    ("iban", "AB12 is a room"),
    ("national_id", "555-867-5309"),
    ("national_id", "12345678901"),
    ("national_id", "2024-01-17"),
    ("national_id", "390.533.447-06"),
    ("national_id", "number 44051401359"),
    ("document_id", "passport control"),
    ("document_id", "on account of rain"),
    ("document_id", "passport expires 12.05.2031"),
    ("document_id", "E11804427"),
    ("document_id", "21340087"),
    ("reference_number", "a case study of 12 patients"),
    ("reference_number", "in order to win 3 games"),
    ("reference_number", "the file is 14.2 MB"),
    ("reference_number", "error E-203"),
]


@pytest.mark.parametrize(("name", "text", "value", "subtype"), POSITIVE)
def test_found(find: Finder, name: str, text: str, value: str, subtype: str) -> None:
    assert (value, subtype) in find(name, text)


@pytest.mark.parametrize(("name", "text"), NEGATIVE)
def test_left_alone(find: Finder, name: str, text: str) -> None:
    assert find(name, text) == []


@pytest.mark.parametrize(
    ("name", "text", "validated"),
    [
        ("credit_card", "4111111111111111", True),
        ("credit_card", "card 4111 1111 1111 1112", False),
        ("iban", "DE89370400440532013000", True),
        ("iban", "IBAN DE00 1234 5678 9012 3456 78", False),
        ("national_id", "BSN 111222333", True),
        ("national_id", "BSN 111222334", False),
        ("device_id", "IMEI 490154203237518", True),
        ("device_id", "IMEI 490154203237519", False),
    ],
)
def test_only_a_checksum_validates(built: dict[str, Recognizer], name: str, text: str, validated: bool) -> None:
    spans = list(built[name].find(text))
    assert spans
    assert any(span.validated for span in spans) is validated
    assert all(span.validated or span.score < 1 for span in spans)
