"""Numbers of documents and accounts that have no checksum: they count only beside a label.

The forms are those of PII-Bench (spec 03 §3.2: passport and licence letter + 8 digits, employee two letters +
6 digits, student 8 digits, account 10 to 12 digits), widened to what offices really write.
"""

import re

from gama.tools.recognizers._labels import Label, LabelRecognizer
from gama.tools.recognizers._text import RIGHT

# Accepts 4 to 24 letters, digits and separators, in up to six groups: A1907733X, LT 5520913, 539 882 104, C4F7 KJ29 1,
# L/19/0402, 12-604-338190, s2205561, HSE-W-77120. Refuses: words, dates (the check), sums.
CODE = re.compile(
    r"(?P<v>(?:[A-Z]{1,6}[ ./-]{0,2}){0,3}[a-z]{0,3}[0-9*•][0-9A-Za-z*•]{0,17}"
    rf"(?:[ ./-]{{1,2}}(?:[0-9*][0-9A-Za-z*]{{0,11}}|[A-Z]{{1,3}}(?![a-z])[0-9]{{0,8}})){{0,6}}){RIGHT}"
)
_ENDS = re.compile(rf"(?P<v>[-*…]{{0,4}}[0-9]{{3,6}}){RIGHT}")

_DATE = re.compile(r"\d{1,2}[./-]\d{1,2}[./-](?:\d{2}|\d{4})|(?:19|20)\d{2}[./-]\d{1,2}[./-]\d{1,2}|(?:19|20)\d{2}")


def long_code(value: str) -> bool:
    """Say whether a value has at least four digits and is no date or year."""
    return sum(char.isdigit() or char in "*•" for char in value) >= 4 and not _DATE.fullmatch(value)


def very_long_code(value: str) -> bool:
    """Say whether a value has at least five digits and is no date."""
    return sum(char.isdigit() or char in "*•" for char in value) >= 5 and not _DATE.fullmatch(value)


_PASSPORT = (
    "passport", "passport no", "passport number", "travel document", "reisepass", "reisepassnummer", "pass-nr",
    "passnummer",
    "passeport", "pasaporte", "passaporto", "passaporte", "paspoort", "paszport", "pass nr", "útlevél", "паспорт",
    "护照",
    "护照号码", "パスポート", "여권번호", "جواز السفر",
)  # fmt: skip
_LICENCE = (
    "driver's license", "driver's licence", "drivers license", "drivers licence", "driver license", "driver licence",
    "driving licence",
    "driving license", "driver_license", "drivers_license", "licence no", "license no", "licence number",
    "license number",
    "licence", "dl", "dl no", "führerschein", "führerscheinnummer", "permis de conduire", "permis",
    "carnet de conducir",
    "licencia de conducir", "patente", "patente di guida", "carta de condução", "cnh", "rijbewijs", "prawo jazdy",
    "körkort",
    "驾驶证", "運転免許",
)  # fmt: skip
_EMPLOYEE = (
    "employee id", "employee no", "employee number", "employee_id", "employeeid", "emp id", "emp no", "emp. no",
    "emp #", "staff id",
    "staff no", "staff number", "payroll no", "payroll number", "personnel number", "personnel no", "badge", "badge no",
    "badge number", "service no", "service number", "worker id", "personalnummer", "personal-nr", "mitarbeiternummer",
    "matricule", "número de empleado", "nº empleado", "matrícula", "matricola", "personeelsnummer",
    "numer pracownika", "工号",
    "clock number", "clock no", "rider",
)  # fmt: skip
_STUDENT = (
    "student id", "student no", "student number", "student_id", "studentid", "candidate number", "candidate no",
    "learner no",
    "matric no", "matriculation number", "enrolment number", "enrollment number", "roll no", "roll number",
    "matrikelnummer",
    "matrikel-nr", "numéro étudiant", "n° étudiant", "ine", "número de estudiante", "matricola studente",
    "studentnummer",
    "numer albumu", "nr albumu", "学号", "学籍番号",
)  # fmt: skip
_ACCOUNT = (
    "account", "account no", "account number", "account_number", "acct", "acct no", "a/c", "a/c no", "bank account",
    "acc",
    "savings account", "checking account", "current account", "konto", "kontonummer", "konto-nr", "kto", "kto-nr",
    "compte",
    "numéro de compte", "rib", "cuenta", "número de cuenta", "conto", "conto corrente", "conta", "rekening",
    "rekeningnummer",
    "numer konta", "nr konta", "счет", "账号", "账户", "銀行口座", "口座番号", "계좌번호", "clabe", "bank", "momo",
)  # fmt: skip
_ROUTING = (
    "routing", "routing no", "routing number", "aba", "sort code", "sort-code", "sortcode", "bsb", "ifsc", "blz",
    "bankleitzahl",
    "transit number", "branch code",
)  # fmt: skip

# Sort codes and routing numbers: 30-94-57, 063-128, 021000021, HDFC0001234.
_BRANCH = re.compile(
    rf"(?P<v>[0-9]{{2}}[- ][0-9]{{2}}[- ][0-9]{{2}}|[0-9]{{3}}-[0-9]{{3}}|[0-9]{{8,9}}|[0-9]{{6}}"
    rf"|[A-Z]{{4}}0[A-Z0-9]{{6}}){RIGHT}"
)
_BRANCH_THEN_ACCOUNT = re.compile(rf"[0-9]{{2}}-[0-9]{{2}}-[0-9]{{2}},? {{1,2}}(?P<v>[0-9]{{7,10}}){RIGHT}")


def document_id_recognizer() -> LabelRecognizer:
    """Return the recognizer of labelled passports, licences, staff and student numbers, and accounts."""
    return LabelRecognizer(
        "document_id",
        (
            Label(_PASSPORT, CODE, "passport", 0.9, check=very_long_code, filler=True),
            Label(_PASSPORT, _ENDS, "passport", 0.8),
            Label(_LICENCE, CODE, "drivers_license", 0.85, check=very_long_code, filler=True),
            Label(_EMPLOYEE, CODE, "employee_id", 0.85, check=long_code, filler=True),
            Label(_STUDENT, CODE, "student_id", 0.85, check=long_code, filler=True),
            Label(_ACCOUNT, CODE, "bank_account", 0.75, check=very_long_code, filler=True),
            Label(
                ("account ending", "account ending in", "acct ending", "account ends", "acct ends in"),
                _ENDS,
                "bank_account",
                0.85,
            ),
            Label(_ACCOUNT, _BRANCH_THEN_ACCOUNT, "bank_account", 0.85),
            Label(_ROUTING, _BRANCH, "other_id", 0.9),
        ),
        priority=1,
    )
