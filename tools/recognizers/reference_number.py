"""Numbers of cases, orders, patients, members, policies and the like, beside their labels."""

import re

from gama.tools.recognizers._labels import Label, LabelRecognizer
from gama.tools.recognizers._text import RIGHT
from gama.tools.recognizers.document_id import CODE, long_code, very_long_code

# Accepts: K4QZ7193, CX-771204, 2024/0387, CB/0913/24, 26MG 04417, 2023/1187 S, #554-0918, 4 C 217/24, H-339-0128.
# Refuses: words, numbers under three digits, dates.
_REFERENCE = re.compile(
    r"#?(?P<v>(?:[A-Za-z][A-Za-z0-9]{0,11}[-/._]|[A-Z]{1,6} ){0,3}[A-Za-z]{0,8}[0-9][0-9A-Za-z]{0,19}"
    rf"(?:[-/._][0-9A-Za-z]{{1,12}}|[ ](?:[0-9][0-9A-Za-z]{{1,11}}(?!:)|[A-Z](?![A-Za-z]))){{0,6}}){RIGHT}"
)


def _reference(value: str) -> bool:
    # At least three digits, or a booking's mix of capitals and digits; no word before the first digit
    # ("Case Study 2024"), no decimals.
    head = re.split(r"\d", value, maxsplit=1)[0]
    wordy = re.search(r"[A-Z][a-z]{2,}|[a-z]{4,}", head)
    if wordy or re.search(r"\d[.,]\d{1,2}$", value):
        return False
    count = sum(char.isdigit() for char in value)
    booking = 5 <= len(value) <= 10 and count >= 1 and value == value.upper() and any(char.isalpha() for char in value)
    return booking or (count >= 3 and (long_code(value) or not re.fullmatch(r"\d{3}", value)))


_CASE = (
    "case", "case no", "case number", "case id", "claim", "claim no", "claim number", "file", "file no",
    "file number", "our file",
    "docket", "docket no", "reference", "reference number", "ref", "ref no", "our ref", "your ref", "police ref",
    "crime number",
    "incident", "incident no", "report no", "complaint", "complaint no", "complaint number", "ticket", "ticket no",
    "ticket number",
    "application no", "application number", "record no", "notice", "authorisation", "authorization no",
    "authorization", "petition no",
    "aktenzeichen", "az", "geschäftszeichen", "schadennummer", "vorgangsnummer", "dossier", "numéro de dossier",
    "n° de dossier",
    "expediente", "exp", "nº expediente", "pratica", "numero pratica", "processo", "processo n", "zaaknummer",
    "dossiernummer",
    "sygnatura", "sygn. akt", "numer sprawy", "案号", "under reference", "citing", "quote",
)  # fmt: skip
_ORDER = (
    "order", "order no", "order number", "order id", "orderref", "order_id", "invoice", "invoice no",
    "invoice number", "inv", "receipt",
    "receipt no", "booking", "booking reference", "booking ref", "reservation", "confirmation",
    "confirmation number", "tracking",
    "tracking number", "tracking no", "parcel", "shipment", "purchase order", "po", "po number", "po no",
    "expense claim", "quotation",
    "quotation no", "pnr", "record locator", "bestellnummer", "bestellung", "auftragsnummer", "rechnung",
    "rechnungsnummer",
    "rechnung nr", "sendungsnummer", "commande", "numéro de commande", "facture", "n° de facture", "pedido",
    "nº de pedido", "factura",
    "ordine", "numero ordine", "fattura", "encomenda", "fatura", "bestelling", "factuur", "factuurnummer",
    "zamówienie", "faktura",
    "订单号", "注文番号", "주문번호", "richiesta",
)  # fmt: skip
_PATIENT = (
    "patient", "patient id", "patient no", "patient number", "patient_id", "mrn", "medical record",
    "medical record number",
    "medical record no", "chart", "chart no", "hospital no", "hospital number", "hospital id", "notes no",
    "subject id", "pt",
    "patientennummer", "fallnummer", "numéro de patient", "n° patient", "ipp", "historia clínica", "nhc",
    "cartella clinica",
    "número do paciente", "patiëntnummer", "numer pacjenta", "client no", "病历号", "患者番号",
)  # fmt: skip
_OTHER = (
    "member", "member id", "member no", "member number", "membership", "membership no", "membership number",
    "policy", "policy no",
    "policy number", "policy id", "customer", "customer no", "customer number", "customer id", "client id",
    "client number", "user id",
    "voter id", "voter no", "registration no", "reg no", "npi", "uci", "bib", "microchip", "chip", "chip no",
    "meter", "meter no",
    "folio", "residence card", "residence permit", "permit", "permit no", "visa no", "contract no", "contract",
    "certificate no",
    "juror id", "entry no", "library card", "loyalty", "frequent flyer", "kundennummer", "kunden-nr", "mitgliedsnummer",
    "versicherungsschein", "vertragsnummer", "police nr", "numéro client", "n° client", "numéro d'adhérent",
    "número de cliente",
    "póliza", "numero cliente", "polizza", "número do cliente", "apólice", "klantnummer", "polisnummer",
    "numer klienta", "numer polisy",
    "member_no", "customer_id", "a-number", "subscriber id", "prescription", "rx", "ck", "check no", "cheque no",
)  # fmt: skip


def reference_number_recognizer() -> LabelRecognizer:
    """Return the recognizer of labelled reference numbers."""
    return LabelRecognizer(
        "reference_number",
        (
            Label(_PATIENT, _REFERENCE, "patient_id", 0.8, check=_reference),
            Label(_PATIENT, CODE, "patient_id", 0.8, check=long_code),
            Label(_CASE, _REFERENCE, "case_number", 0.75, check=_reference),
            Label(_ORDER, _REFERENCE, "order_number", 0.75, check=_reference),
            Label(_OTHER, _REFERENCE, "other_id", 0.75, check=_reference),
            Label(_OTHER, CODE, "other_id", 0.7, check=long_code),
            # "no. E-30917", "ID: 900 41 7726": a number of something unnamed; context decides.
            Label(("no.", "nr.", "n°", "nº", "№"), CODE, "other_id", 0.5, private=None, check=very_long_code),
            Label(("id", "number"), CODE, "other_id", 0.5, private=None, check=very_long_code, strict=True),
        ),
    )
