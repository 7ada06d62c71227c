"""Companies by their legal form, and money beside them: what a tagger takes for the news, or does not see, is hidden."""

import pytest

from gama.privacy.fuse import Fused, with_sums
from gama.privacy.identify import with_companies
from gama.privacy.names import asks_something
from gama.state.entities import EntityType, Span

TEXT = "Die Müller KG schuldet uns 4.300 Euro."


def pattern(text: str, surface: str, subtype: str, source: str) -> Span:
    start = text.index(surface)
    kind: EntityType = "ORG" if subtype == "company" else "QUANTITY"
    return Span(start, start + len(surface), kind, subtype, 0.8, "regex", None, False, source)


def seen(text: str, surface: str, kind: EntityType, subtype: str, private: float) -> Span:
    start = text.index(surface)
    return Span(start, start + len(surface), kind, subtype, 0.9, "pner", private, False, "embedded")


def test_a_company_is_one_name_and_private():
    spans = [pattern(TEXT, "Müller KG", "company", "company"), seen(TEXT, "Müller", "PER", "first_name", 0.1)]
    (company,) = with_companies(TEXT, spans)
    assert TEXT[company.start : company.end] == "Müller KG" and (company.private or 0) > 0.6


@pytest.mark.parametrize(
    ("text", "name", "private"),
    [
        ("We sold all shares of Siemens AG last week.", "Siemens AG", False),
        ("We sold all shares of Hollbrink AG last week.", "Hollbrink AG", True),
        ("Is Hollbrink AG listed?", "Hollbrink AG", False),
    ],
)
def test_what_the_world_knows_and_what_is_asked_is_left_to_the_context(text, name, private):
    (company,) = with_companies(text, [pattern(text, name, "company", "company")], asks=asks_something(text))
    assert ((company.private or 0) > 0.6) == private


def test_what_the_tagger_sees_in_more_is_taken_at_that_length():
    text = "Nous devons tout à la société Durand SARL."
    whole = seen(text, "société Durand SARL", "ORG", "company", 0.2)
    spans = with_companies(text, [pattern(text, "Durand SARL", "company", "company"), whole])
    assert [text[span.start : span.end] for span in spans] == ["société Durand SARL"]
    assert (spans[0].private or 0) > 0.6
    bank = "Wir zahlen an Banco de la Plata S.A. im Mai."
    part = seen(bank, "Banco de la Plata", "ORG", "company", 0.2)
    spans = with_companies(bank, [pattern(bank, "Plata S.A.", "company", "company"), part])
    assert [bank[span.start : span.end] for span in spans] == ["Banco de la Plata S.A."]


@pytest.mark.parametrize(
    ("text", "back"),
    [
        (TEXT, True),
        ("Die Müller KG ist neu. Der Preis liegt bei 4.300 Euro.", False),
        ("Warum schuldet die Müller KG uns 4.300 Euro?", False),
    ],
)
def test_money_beside_somebody_private_is_theirs(text, back):
    company = seen(text, "Müller KG", "ORG", "company", 0.9)
    money = pattern(text, "4.300 Euro", "amount", "money")
    fused = with_sums(Fused([company], frozenset(), [money]), text)
    assert (money in fused.private) == back and (money in fused.rejected) != back
