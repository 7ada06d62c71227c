"""Relevance: the private LLM tells which private values of a text a query needs (PII-Bench §3.1 and §3.7, T2 and T3).

The model runs on the user's own machine, so it reads the raw text. Whatever is unclear in its answer means that a
value is not needed, and it will be hidden: an unreadable reply, an item that fits no value, a tie of votes, a value
that a long text's cut goes through.

The embedded selector tells what a query is about; of two codes in one text it cannot always tell which is meant, and
the wrong one is worst to show. Queries mostly say it: "is the IBAN valid", "which number should they call".
"""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from gama.privacy.agents import ask_list, chunks, prompt
from gama.privacy.finders import Complete
from gama.state.errors import OptionError
from gama.state.options import Strategy

STRATEGIES: Mapping[str, str] = MappingProxyType(
    {
        "naive": "the private LLM is asked directly",
        "choice": "the private LLM is shown the mentions to choose from; the default beside one",
        "self_cot": "the private LLM reasons step by step, then answers",
        "auto_cot": "the private LLM is shown worked examples first",
        "self_consistency": "the private LLM thinks from several perspectives, then sums up",
        "ps_cot": "the private LLM makes a plan, then follows it",
    }
)
"""What each strategy does, in one line."""

UNREADABLE = "The private model gave no readable list of what the query needs for a part of the text: none of it is."
"""The warning; it quotes nothing."""

MOST_ITEMS = 500
"""Items that are read of a list: no part of a text has so many private values."""

_FIELDS = ("entity", "text", "surface")
_TAG = re.compile(r"</?\s*(?:text|query|values)", re.IGNORECASE)


def ask_needed(
    complete: Complete,
    text: str,
    query: str,
    candidates: Sequence[str],
    strategy: Strategy,
    warnings: list[str],
    votes: int = 1,
) -> set[str]:
    """Return which of the candidates (surfaces that were found private in the text) the query needs as they stand.

    Long texts are given in parts, each with the candidates that stand in it; what one part needs is needed. A part
    without a candidate is not asked about, and without candidates nothing is asked. Source: PII-Bench §3.1 (T2,
    restricted to detected entities, which is T3's joint task) and §3.7.

    Args:
        complete: the private LLM.
        text: the raw text.
        query: what is asked about the text.
        candidates: the private values, as the text writes them.
        strategy: how the question is put.
        warnings: gets a note when no reply for a part could be read.
        votes: how often each part is asked; a candidate is needed where more than half of the readable replies name
            it. More than one makes sense with a model that samples (the spec's `sc_mode=vote`).

    Raises:
        OptionError: there is no such strategy, or `votes` is below 1.
    """
    if strategy not in STRATEGIES:
        raise OptionError(f"strategy {strategy!r}: there is none of this name. Available: {', '.join(STRATEGIES)}")
    if votes < 1:
        raise OptionError(f"votes {votes!r}: the private model is asked at least once")
    levelled = {candidate: level for candidate in candidates if (level := _level(candidate))}
    needed: set[str] = set()
    for chunk in chunks(text) if levelled else ():
        around = _level(chunk)
        here = {candidate: level for candidate, level in levelled.items() if level in around}
        if not here:
            continue
        replies = list(_replies(complete, strategy, _message(chunk, query, here, strategy), votes))
        if not replies:
            warnings.append(UNREADABLE)
        named = Counter(candidate for items in replies for candidate in _named(items, here))
        needed |= {candidate for candidate, count in named.items() if 2 * count > len(replies)}
    return needed


def _replies(complete: Complete, strategy: Strategy, message: str, votes: int) -> Iterator[list[Any]]:
    """Ask as often as there are votes; give the lists that could be read."""
    system = prompt("need_common").substitute(method=prompt(f"need_{strategy}").substitute().strip())
    for _ in range(votes):
        if (items := ask_list(complete, system, message)) is not None:
            yield items


def _message(chunk: str, query: str, candidates: Collection[str], strategy: Strategy) -> str:
    """Put text, query and, for `choice`, the candidates between tags that nothing in them can close."""
    parts = {"text": chunk, "query": query}
    if strategy == "choice":
        parts["values"] = "\n".join(f"{n}. {' '.join(value.split())}" for n, value in enumerate(candidates, 1))
    mark = ""
    if any(map(_TAG.search, parts.values())):
        # Whoever wrote the text cannot have known what it would be asked together with, so no tag in it has this mark.
        digest = hashlib.sha256("\0".join(parts.values()).encode("utf-8", "surrogatepass"))
        mark = f"-{digest.hexdigest()[:12]}"
    shown = [f"<{name}{mark}>\n{content}\n</{name}{mark}>" for name, content in parts.items()]
    return "\n\n".join([*shown, "Which values of the text are needed to answer the query?"])


def _named(items: Sequence[Any], candidates: Mapping[str, str]) -> set[str]:
    """Return the candidates that the items of a list name; what fits none is dropped.

    Args:
        items: strings, numbers, or objects with a field `entity`, `text` or `surface`.
        candidates: the candidates, each with its levelled form.
    """
    levels = {_level(surface) for item in items[:MOST_ITEMS] if (surface := _surface(item))} - {""}
    return {candidate for candidate, level in candidates.items() if any(_fits(item, level) for item in levels)}


def _surface(item: Any) -> str:
    if isinstance(item, dict):
        item = next((value for field in _FIELDS if isinstance(value := item.get(field), str)), "")
    # An amount or an age without quotes is read as a number; true, false and null are no values.
    return str(item) if isinstance(item, str | int | float) and not isinstance(item, bool) else ""


def _fits(item: str, candidate: str) -> bool:
    """Return whether an item means a candidate: both levelled.

    It is equal to it, or holds it as whole words and is at most three times as long (a sentence names nothing), or is
    held by it as whole words and at least half as long.
    """
    holds = len(item) <= 3 * len(candidate) and _stands(candidate, item)
    return holds or (2 * len(item) >= len(candidate) and _stands(item, candidate))


def _stands(words: str, text: str) -> bool:
    """Return whether words stand in a text with no letter or digit joined to either end."""
    at = text.find(words)
    while at >= 0:
        before, after = text[max(0, at - 1) : at + 1], text[at + len(words) - 1 : at + len(words) + 1]
        if not (_joined(before) or _joined(after)):
            return True
        at = text.find(words, at + 1)
    return False


def _joined(two: str) -> bool:
    return len(two) == 2 and all(sign.isalnum() or sign == "_" for sign in two)


def _level(text: str) -> str:
    """Level what does not tell values apart: NFKC, case, white space."""
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).split())


_CODE_WORDS: Mapping[str, str] = {
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
_NAMES = {kind: re.compile(rf"\b(?:{words})s?\b", re.IGNORECASE) for kind, words in _CODE_WORDS.items()}


def named_codes(query: str) -> frozenset[str]:
    """Return the subtypes of CODE that a query names."""
    return frozenset(kind for kind, words in _NAMES.items() if words.search(query))
