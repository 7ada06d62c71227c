"""Which kinds of numbers and codes a query names in so many words.

The embedded selector tells what a query is about; of two codes in one text it cannot always tell which is meant, and
the wrong one is worst to show. Queries mostly say it: "is the IBAN valid", "which number should they call".
"""

import re
from collections.abc import Mapping

_WORDS: Mapping[str, str] = {
    "phone": r"phone|telephone|mobile|call|whatsapp|dial|fax|tel[ée]?fono|t[ée]l[ée]phone|handy|anruf|appel|llamar"
    r"|chiamare|m[óo]vil|bellen|ringa|telefon\w*",
    "email": r"e-?mail\w*|correo|courriel|mejl",
    "ip_address": r"ip|host|server",
    "mac_address": r"mac",
    "iban": r"iban|account|transfer|konto\w*|compte|cuenta|conto|rekening\w*|[üu]berweis\w*|virement",
    "bank_account": r"account|transfer|bank|konto\w*|compte|cuenta|conto|rekening\w*",
    "credit_card": r"(?:credit |debit |bank )?card|karte|kreditkarte|carte|tarjeta|carta",
    "ssn": r"ssn|social security|national insurance|ni number|insurance number|national id|id number|pesel|bsn"
    r"|sozialversicherung\w*|s[ée]curit[ée] sociale|codice fiscale|dni",
    "passport": r"passport|reisepass|passeport|pasaporte|passaporto|paspoort|paszport\w*",
    "drivers_license": r"driv(?:er|ing)\S* licen[cs]e|licen[cs]e|f[üu]hrerschein\w*|permis|permiso|patente|rijbewijs",
    "vehicle_plate": r"plate|registration|car|vehicle|van|kennzeichen|plaque|immatriculation|matr[íi]cula|targa",
    "order_number": r"order|tracking|parcel|invoice|booking|reservation|confirmation|policy|contract|bestell\w*"
    r"|rechnung\w*|commande|facture|pedido|factura|ordine|fattura|bestelling|factuur",
    "case_number": r"case|claim|reference|ticket|file|docket|complaint|aktenzeichen|dossier|expediente|pratica",
    "patient_id": r"patient (?:id|number)|record number|mrn|hospital number",
    "employee_id": r"employee|staff|badge|personnel|payroll|personalnummer",
    "student_id": r"student|matric\w*|matrikel\w*|enrol\w*",
    "url": r"link|url|site|website|webseite|lien|enlace",
    "device_id": r"serial|device|imei|machine|meter|unit|seriennummer|z[äa]hler\w*",
    "tax_id": r"tax|vat|tin|steuer\w*|fiscal|nif|partita iva|nip",
    "other_id": r"id|code|reference|member\w*|policy|certificate|registration|licen[cs]e",
}
# Each accepts the words by which a query names one kind of code, alone or with an `s`, in English and a few neighbours.
_NAMES = {kind: re.compile(rf"\b(?:{words})s?\b", re.IGNORECASE) for kind, words in _WORDS.items()}


def named_codes(query: str) -> frozenset[str]:
    """Return the subtypes of CODE that a query names."""
    return frozenset(kind for kind, words in _NAMES.items() if words.search(query))
