"""National identifiers: their distinctive written forms, and the words that announce them.

A checksum alone is weak evidence: one in ten or eleven digit strings has a right check digit, so a form
is listed here without a label only where its punctuation, letters or date are its own.
"""

from typing import NamedTuple

from gama.tools.recognizers._text import LEFT, RIGHT


class Form(NamedTuple):
    """A form that is recognized without a label, provided its checksum is right."""

    module: str
    """The python-stdnum module."""
    regex: str
    subtype: str


# Each expression accepts the country's official spelling only, with its punctuation or letters. A bare digit string is
# accepted from three countries whose numbers hold a date and a checksum over 13 to 18 digits (cn, fr, za).
FORMS: tuple[Form, ...] = tuple(
    Form(module, rf"{LEFT}(?<![0-9][ .-]){regex}{RIGHT}(?![ .-]?[0-9])", subtype)
    for module, regex, subtype in (
        ("us.ssn", r"[0-9]{3}-[0-9]{2}-[0-9]{4}", "ssn"),
        ("us.itin", r"9[0-9]{2}-[0-9]{2}-[0-9]{4}", "tax_id"),
        ("ca.sin", r"[0-9]{3}-[0-9]{3}-[0-9]{3}", "ssn"),
        ("br.cpf", r"[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}", "tax_id"),
        ("br.cnpj", r"[0-9]{2}\.[0-9]{3}\.[0-9]{3}/[0-9]{4}-[0-9]{2}", "tax_id"),
        ("es.dni", r"[0-9]{2}\.?[0-9]{3}\.?[0-9]{3}[- ]?[A-Z]", "ssn"),
        ("es.nie", r"[XYZ][- ]?[0-9]{7}[- ]?[A-Z]", "ssn"),
        ("it.codicefiscale", r"[A-Za-z]{6}[ ]?[0-9]{2}[A-Za-z][0-9]{2}[ ]?[A-Za-z][0-9]{3}[A-Za-z]", "tax_id"),
        ("se.personnummer", r"(?:[0-9]{2})?[0-9]{6}[-+][0-9]{4}", "ssn"),
        ("fi.hetu", r"[0-3][0-9][01][0-9]{3}[-+A-FU-Y][0-9]{3}[0-9A-Y]", "ssn"),
        ("dk.cpr", r"[0-3][0-9][01][0-9]{3}-[0-9]{4}", "ssn"),
        ("is_.kennitala", r"[0-7][0-9][01][0-9]{3}-[0-9]{4}", "ssn"),
        ("no.fodselsnummer", r"[0-7][0-9]{5}[ ][0-9]{5}", "ssn"),
        ("fr.nir", r"[12] ?[0-9]{2} ?[0-9]{2} ?(?:[0-9]{2}|2[AB]) ?[0-9]{3} ?[0-9]{3} ?[0-9]{2}", "ssn"),
        ("ch.ssn", r"756[. ][0-9]{4}[. ][0-9]{4}[. ][0-9]{2}", "ssn"),
        ("be.nn", r"[0-9]{2}\.[01][0-9]\.[0-3][0-9]-[0-9]{3}[.][0-9]{2}", "ssn"),
        ("cl.rut", r"[0-9]{1,2}\.[0-9]{3}\.[0-9]{3}-[0-9Kk]", "ssn"),
        ("ar.cuit", r"(?:20|23|24|27|30|33|34)-[0-9]{8}-[0-9]", "tax_id"),
        ("mx.curp", r"[A-Z]{4}[0-9]{6}[HMX][A-Z]{5}[0-9A-Z][0-9]", "ssn"),
        ("mx.rfc", r"[A-ZÑ&]{4}[ -]?[0-9]{6}[ -]?[A-Z0-9]{2}[0-9A]", "tax_id"),
        ("cn.ric", r"[1-9][0-9]{5}(?:19|20)[0-9]{9}[0-9Xx]", "ssn"),
        ("kr.rrn", r"[0-9]{6}-[1-8][0-9]{6}", "ssn"),
        ("in_.pan", r"[A-Z]{3}[ABCFGHLJPTK][A-Z][0-9]{4}[A-Z]", "tax_id"),
        ("in_.aadhaar", r"[2-9][0-9]{3}[ -][0-9]{4}[ -][0-9]{4}", "ssn"),
        ("pk.cnic", r"[1-7][0-9]{4}-[0-9]{7}-[0-9]", "ssn"),
        ("my.nric", r"[0-9]{6}-[0-9]{2}-[0-9]{4}", "ssn"),
        ("ie.pps", r"[0-9]{7}[A-W][ABHWTX]?", "ssn"),
        ("pt.cc", r"[0-9]{8}[ ][0-9][ ][A-Z0-9]{2}[0-9]", "ssn"),
        ("za.idnr", r"[0-9]{6}[ ][0-9]{4}[ ][0-9]{2}[ ][0-9]", "ssn"),
        ("za.idnr", r"[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])[0-9]{4}[01]8[0-9]", "ssn"),
        ("gb.nhs", r"[0-9]{3} [0-9]{3} [0-9]{4}", "patient_id"),
        ("th.pin", r"[1-8]-[0-9]{4}-[0-9]{5}-[0-9]{2}-[0-9]", "ssn"),
        ("ec.ci", r"[0-2][0-9]{8}-[0-9]", "ssn"),
        ("uy.rut", r"[0-9]{2}-[0-9]{6}-[0-9]{3}-[0-9]", "tax_id"),
        ("do.cedula", r"[0-9]{3}-[0-9]{7}-[0-9]", "ssn"),
        ("cr.cpf", r"[0-9]{2}-[0-9]{4}-[0-9]{4}", "ssn"),
        ("gt.nit", r"[0-9]{6,8}-[0-9K]", "tax_id"),
        ("co.nit", r"[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]", "tax_id"),
        ("ve.rif", r"[VEJPG]-[0-9]{8}-[0-9]", "tax_id"),
    )
)  # fmt: skip

LABELLED: tuple[tuple[tuple[str, ...], str, tuple[str, ...]], ...] = (
    (
        (
            "ssn", "ssn/itin", "social security", "social security number", "soc sec", "social insurance", "sin",
            "national id", "national identity", "identity number", "identity card", "id card", "id-card", "id number",
            "id no", "national insurance", "nino", "ni", "ni number", "insurance number", "insured no",
            "personal number", "personal id", "personal identity code", "civil id", "citizen id", "civil registration",
            "emirates id", "qid", "cnic", "nric", "fin no", "singpass id", "ic", "mykad", "aadhaar", "aadhar", "uidai",
            "bsn", "burgerservicenummer", "pesel", "personnummer", "personnumer", "henkilötunnus", "hetu", "cpr",
            "cpr-nummer", "kennitala", "fødselsnummer", "isikukood", "asmens kodas", "personas kods", "rodné číslo",
            "rodne cislo", "egn", "егн", "cnp", "jmbg", "oib", "emšo", "amka", "αμκα", "taj", "taj szám",
            "dni", "nie", "cédula", "cedula", "c.i.", "ci", "rut", "curp", "dpi", "cui", "rg",
            "nir", "numéro de sécurité sociale", "sécurité sociale", "n° sécu", "avs", "ahv", "ahv-nr",
            "sozialversicherungsnummer", "sozialversicherungsnr", "sv-nummer", "rentenversicherungsnummer", "svnr",
            "versicherungsnummer", "personalausweis", "personalausweisnummer", "ausweisnummer", "ausweis",
            "rijksregisternummer", "numéro national", "carta d'identità", "cartão de cidadão", "dowód osobisty",
            "tc kimlik", "tckn", "t.c. kimlik no", "ppsn", "pps", "pps number", "hkid", "hukou", "身份证", "身份证号",
            "身份证号码", "マイナンバー", "주민등록번호", "id code", "id codes", "паспорт рф", "снилс",
        ),
        "ssn",
        (
            "us.ssn", "ca.sin", "nl.bsn", "pl.pesel", "se.personnummer", "fi.hetu", "dk.cpr", "is_.kennitala",
            "no.fodselsnummer", "ee.ik", "lt.asmens", "cz.rc", "bg.egn", "ro.cnp", "si.emso", "hr.oib", "gr.amka",
            "es.dni", "es.nie", "fr.nir", "ch.ssn", "at.vnr", "be.nn", "cl.rut", "mx.curp", "cn.ric", "kr.rrn",
            "in_.aadhaar", "pk.cnic", "my.nric", "ie.pps", "za.idnr", "tr.tckimlik", "th.pin", "il.idnr",
        ),
    ),
    (
        (
            "tax id", "tax identification", "tax number", "tax no", "tax ref", "tax_ref", "tax file number", "tin",
            "itin",
            "ein", "fein", "tfn", "utr", "vat", "vat no", "vat number", "vat id", "ust-id", "ust-idnr", "ust-id-nr",
            "umsatzsteuer-id", "steuer-id", "steueridentifikationsnummer", "steuernummer", "steuer-nr", "idnr",
            "codice fiscale", "c.f.", "cf", "partita iva", "p.iva", "p. iva", "nif", "cif", "nit", "rfc", "cuit",
            "cuil",
            "cpf", "cnpj", "pan", "gstin", "gst", "npwp", "nip", "btw", "btw-nummer", "btw number", "numéro fiscal",
            "numéro de tva", "siren", "siret", "n° tva", "abn", "inn", "инн", "afm", "αφμ", "adószám", "税号",
        ),
        "tax_id",
        (
            "us.ein", "us.itin", "us.tin", "gb.utr", "gb.vat", "de.idnr", "de.vat", "de.stnr", "it.codicefiscale",
            "it.iva", "es.nif", "es.cif", "fr.siren", "fr.siret", "fr.tva", "nl.btw", "pl.nip", "br.cpf", "br.cnpj",
            "in_.pan", "in_.gstin", "mx.rfc", "ar.cuit", "co.nit", "au.tfn", "au.abn", "pt.nif", "no.mva", "id.npwp",
            "ru.inn", "gr.vat", "at.uid", "be.vat",
        ),
    ),
    (
        ("nhs", "nhs no", "nhs number", "nhi", "chi number", "medicare", "medicare no", "health card", "ohip"),
        "patient_id",
        ("gb.nhs",),
    ),
)  # fmt: skip
"""(labels, subtype, modules whose checksum confirms a labelled value)."""
