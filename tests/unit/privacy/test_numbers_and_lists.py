"""Numbers that are partly hidden, codes of doors, plots and moorings, members of lists: found in several languages."""

import pytest

from gama import Anonymizer


@pytest.fixture(scope="module")
def anonymizer() -> Anonymizer:
    return Anonymizer()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("The gate code for the whole block would be 8052*. Meet at 7.", "8052"),
        ("The garage keypad is *6617# after dark.", "6617"),
        ("Der Türcode ist 9914*, bitte nicht weitergeben.", "9914"),
        ("Le digicode, c'est B5521* et rien d'autre.", "5521"),
        ("El código del portal es 7730#.", "7730"),
        ("Charge to card **** 6158 failed.", "6158"),
        ("Your card ending 6158 was declined.", "6158"),
        ("Das Konto endet auf 7312.", "7312"),
        ("La carte se terminant par 8819 a été refusée.", "8819"),
        ("La carta che termina con 4481 è scaduta.", "4481"),
        ("De rekening eindigend op 7713 is leeg.", "7713"),
        ("Karta kończąca się na 3345 nie działa.", "3345"),
        ("Kortet som slutar på 6601 är spärrat.", "6601"),
        ("Conta com final 5532 foi bloqueada.", "5532"),
        ("The plot is no. 208 in the old part.", "208"),
        ("Die Parzelle 63 im Verein hat kein Wasser.", "63"),
        ("Parcelle n° 271 du cadastre, à mon nom.", "271"),
        ("La parcela 84 del polígono es nuestra.", "84"),
        ("Il box n. 52 e la particella 387 sono miei.", "387"),
        ("Działka nr 204/9 należy do mamy.", "204/9"),
        ("Vår kolonilott 73 läcker.", "73"),
        ("Berth 31 at the marina is mine.", "31"),
        ("Please add your membership numbers (mine is 93-27).", "93-27"),
    ],
)
def test_a_number_that_leads_to_somebody_is_hidden(anonymizer, text, value):
    view = anonymizer.anonymize(text)
    assert value not in view.text and anonymizer.restore(view.text, view.box).text == text


@pytest.mark.parametrize(
    "text",
    [
        "The function f(x) = 3390*x grows fast.",
        "SELECT * FROM t WHERE a = 5*3",
        "Exercise 14: multiply 33*12.",
        "The year ending 2024 was good.",
        "Unit 4 of the textbook is about photosynthesis.",
        "Chapter 12 says that plot no. 3 of the novel matters.",
        "Denmark: member since 1973. Which countries joined later?",
    ],
)
def test_a_number_of_the_world_stays(anonymizer, text):
    assert anonymizer.anonymize(text).text == text


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Wie krijgt hem? Jelte Hamstra: lid sinds 2011. Douwe van der Meulen: lid sinds 2016.", ["Jelte", "Meulen"]),
        ("Wer darf? Heiko Brandes: Mitglied seit 2009. Wiebke Thomsen (Mitglied seit 2015).", ["Brandes", "Wiebke"]),
        ("Who chairs? Obadiah Crane: member since 2004. Thirza Pell (joined 2011).", ["Crane", "Thirza"]),
        ("Qui ? Yannick Le Goff : membre depuis 2012. Solenne Kerbrat, adhérente depuis 2016.", ["Goff", "Kerbrat"]),
        ("¿Quién? Nekane Urrutia: socia desde 2010. Gorka Etxeberria: socio desde 2014.", ["Nekane", "Gorka"]),
        ("Komu? Bożena Wilk: członkini od 2008. Zbigniew Sowa: członek od 2013.", ["Wilk", "Sowa"]),
    ],
)
def test_members_of_a_list_are_hidden(anonymizer, text, names):
    view = anonymizer.anonymize(text).text
    assert [name for name in names if name in view] == []


def test_a_shop_of_its_owners_name_is_hidden(anonymizer):
    assert "Querbach" not in anonymizer.anonymize("Die Buchhandlung Querbach legt das Heft zurück.").text
