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
# accepted from three countries whose numbers hold a date and a checksum over 13 to 18 digits (cn, fr, za). Not listed
# although punctuated: forms
# that a telephone number shares (ca, cr, gb.nhs) and short ones (gt).
FORMS: tuple[Form, ...] = tuple(
    Form(module, rf"{LEFT}(?<![0-9][ .-]){regex}{RIGHT}(?![ .-]?[0-9])", subtype)
    for module, regex, subtype in (
        ("us.ssn", r"[0-9]{3}-[0-9]{2}-[0-9]{4}", "ssn"),
        ("us.itin", r"9[0-9]{2}-[0-9]{2}-[0-9]{4}", "tax_id"),
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
        ("th.pin", r"[1-8]-[0-9]{4}-[0-9]{5}-[0-9]{2}-[0-9]", "ssn"),
        ("ec.ci", r"[0-2][0-9]{8}-[0-9]", "ssn"),
        ("uy.rut", r"[0-9]{2}-[0-9]{6}-[0-9]{3}-[0-9]", "tax_id"),
        ("do.cedula", r"[0-9]{3}-[0-9]{7}-[0-9]", "ssn"),
        ("co.nit", r"[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]", "tax_id"),
        ("ve.rif", r"[VEJPG]-[0-9]{8}-[0-9]", "tax_id"),
    )
)  # fmt: skip


class Named(NamedTuple):
    """Words that announce a number, and what may confirm it."""

    labels: tuple[str, ...]
    subtype: str
    modules: tuple[str, ...]
    """The python-stdnum modules of which one confirms the value; none where the words name no country."""


LABELLED: tuple[Named, ...] = (
    Named(("ssn", "ssn/itin", "social security", "social security number", "soc sec"), "ssn", ("us.ssn",)),
    Named(("social insurance", "sin"), "ssn", ("ca.sin",)),
    Named(("bsn", "burgerservicenummer"), "ssn", ("nl.bsn",)),
    Named(("pesel",), "ssn", ("pl.pesel",)),
    Named(("personnummer", "personnumer", "personal number"), "ssn", ("se.personnummer", "no.fodselsnummer")),
    Named(("henkilötunnus", "hetu", "personal identity code"), "ssn", ("fi.hetu",)),
    Named(("cpr", "cpr-nummer"), "ssn", ("dk.cpr",)),
    Named(("kennitala",), "ssn", ("is_.kennitala",)),
    Named(("fødselsnummer",), "ssn", ("no.fodselsnummer",)),
    Named(("isikukood", "id code", "id codes"), "ssn", ("ee.ik",)),
    Named(("asmens kodas",), "ssn", ("lt.asmens",)),
    Named(("personas kods",), "ssn", ()),
    Named(("rodné číslo", "rodne cislo"), "ssn", ("cz.rc",)),
    Named(("egn", "егн"), "ssn", ("bg.egn",)),
    Named(("cnp",), "ssn", ("ro.cnp",)),
    Named(("jmbg", "emšo"), "ssn", ("si.emso",)),
    Named(("oib",), "ssn", ("hr.oib",)),
    Named(("amka", "αμκα"), "ssn", ("gr.amka",)),
    Named(("taj", "taj szám"), "ssn", ()),
    Named(("dni", "nie"), "ssn", ("es.dni", "es.nie", "ar.dni")),
    Named(("cédula", "cedula", "c.i.", "ci"), "ssn", ("ec.ci", "do.cedula")),
    Named(("rut",), "ssn", ("cl.rut",)),
    Named(("curp",), "ssn", ("mx.curp",)),
    Named(("dpi", "cui", "rg"), "ssn", ()),
    Named(("nir", "numéro de sécurité sociale", "sécurité sociale", "n° sécu"), "ssn", ("fr.nir",)),
    Named(("avs", "ahv", "ahv-nr", "insured no"), "ssn", ("ch.ssn",)),
    Named((
        "sozialversicherungsnummer", "sozialversicherungsnr", "sv-nummer",
        "rentenversicherungsnummer", "svnr", "versicherungsnummer", "insurance number",
    ), "ssn", ("at.vnr",)),
    Named(("rijksregisternummer", "numéro national"), "ssn", ("be.nn",)),
    Named(("tc kimlik", "tckn", "t.c. kimlik no"), "ssn", ("tr.tckimlik",)),
    Named(("ppsn", "pps", "pps number"), "ssn", ("ie.pps",)),
    Named(("cnic",), "ssn", ("pk.cnic",)),
    Named(("aadhaar", "aadhar", "uidai"), "ssn", ("in_.aadhaar",)),
    Named(("nric", "ic", "mykad"), "ssn", ("my.nric",)),
    Named(("身份证", "身份证号", "身份证号码"), "ssn", ("cn.ric",)),
    Named(("주민등록번호",), "ssn", ("kr.rrn",)),
    Named(("id number", "id no"), "ssn", ("za.idnr", "il.idnr")),
    Named((
        "national id", "national identity", "identity number", "identity card", "id card", "id-card",
        "national insurance", "nino", "ni", "ni number", "personal id", "civil id", "citizen id",
        "civil registration", "emirates id", "qid", "fin no", "singpass id", "personalausweis",
        "personalausweisnummer", "ausweisnummer", "ausweis", "carta d'identità", "cartão de cidadão",
        "dowód osobisty", "hkid", "hukou", "マイナンバー", "паспорт рф", "снилс",
    ), "ssn", ()),
    Named(("ein", "fein"), "tax_id", ("us.ein",)),
    Named(("itin",), "tax_id", ("us.itin",)),
    Named(("tfn", "tax file number"), "tax_id", ("au.tfn",)),
    Named(("utr",), "tax_id", ("gb.utr",)),
    Named(("steuer-id", "steueridentifikationsnummer", "idnr"), "tax_id", ("de.idnr",)),
    Named(("steuernummer", "steuer-nr"), "tax_id", ("de.stnr",)),
    Named(("ust-id", "ust-idnr", "ust-id-nr", "umsatzsteuer-id"), "tax_id", ("de.vat", "at.uid")),
    Named(("vat", "vat no", "vat number", "vat id"), "tax_id", ("gb.vat", "de.vat", "it.iva", "es.nif", "fr.tva",
        "nl.btw", "be.vat", "ie.vat")),
    Named(("codice fiscale", "c.f.", "cf"), "tax_id", ("it.codicefiscale",)),
    Named(("partita iva", "p.iva", "p. iva"), "tax_id", ("it.iva",)),
    Named(("nif", "cif"), "tax_id", ("es.nif", "es.cif", "pt.nif")),
    Named(("nit",), "tax_id", ("co.nit", "gt.nit")),
    Named(("rfc",), "tax_id", ("mx.rfc",)),
    Named(("cuit", "cuil"), "tax_id", ("ar.cuit",)),
    Named(("cpf",), "tax_id", ("br.cpf",)),
    Named(("cnpj",), "tax_id", ("br.cnpj",)),
    Named(("pan",), "tax_id", ("in_.pan",)),
    Named(("gstin", "gst"), "tax_id", ("in_.gstin",)),
    Named(("npwp",), "tax_id", ("id.npwp",)),
    Named(("nip",), "tax_id", ("pl.nip",)),
    Named(("btw", "btw-nummer", "btw number"), "tax_id", ("nl.btw", "be.vat")),
    Named(("siren", "siret", "n° tva", "numéro de tva"), "tax_id", ("fr.siren", "fr.siret", "fr.tva")),
    Named(("abn",), "tax_id", ("au.abn",)),
    Named(("inn", "инн"), "tax_id", ("ru.inn",)),
    Named(("afm", "αφμ"), "tax_id", ("gr.vat",)),
    Named((
        "tax id", "tax identification", "tax number", "tax no", "tax ref", "tax_ref", "tin",
        "numéro fiscal", "adószám", "税号",
    ), "tax_id", ()),
    Named(("nhs", "nhs no", "nhs number", "chi number"), "patient_id", ("gb.nhs",)),
    Named(("nhi", "medicare", "medicare no", "health card", "ohip"), "patient_id", ()),
)  # fmt: skip
