"""Whom a text names beside others who are private, what stands in its tables, and what its question turns on."""

import pytest

from gama.privacy.anonymizer import Anonymizer
from gama.privacy.columns import columns_in
from gama.privacy.days import holds_a_name
from gama.privacy.layout import cells_in
from gama.privacy.tables import without_marks
from gama.privacy.weighing import weigh_names
from gama.state.entities import Entity
from tests.support.spans import span_of

CODED = """what is wrong with my pandas

nik,nama,divisi,gaji
3174052209897713,Wahyu Hartono,Gudang,"5.850.000"
3175016504937714,Ni Made Lestari,Keuangan,"9.200.000"
3171081107857715,Yosef Tobing,Gudang,"6.100.000"
3276024402967716,Siti Marlina,Keuangan,"-"

I want mean per divisi, NaN for "-" """
CITIES = """id;donor;email;city;amount_cad
5510;Odile Arsenault;o.arsenault@fundy.example;Caraquet;50
5514;Manpreet Gill;mgill@prairie.example;Moose Jaw;120
5522;Peter Nutaraq;pnutaraq@arctic.example;Pangnirtung;25
5530;Ruth Nutaraq;rnutaraq@arctic.example;Pangnirtung;40

Total per donor please."""
ERRORS = """PersNr | Name | Urlaub | Anspruch
00417 | Wiebke Harms | 12 | 30
00418 | Emre Aslan | 9 | #NV
00422 | Chidi Obi | 21 | 28
00425 | Silke Thorsen | 4 | #NV

Mitarbeiter
00417 | Harms | 30
00418 | Aslan | 30
00422 | Obi | 28
00425 | Thorsen | 15

Which formula finds the missing ones?"""
ACCOUNT = """Extracto cuenta, titular Nuria Ferrer Batlle
02/09  ALQUILER J. SERRADELL                      -740,00
05/09  MERCADONA                                   -63,18
08/09  ENDESA                                      -71,90
12/09  MERCADONA                                   -58,44
19/09  MERCADONA                                   -81,07

cuánto he gastado en el super en septiembre?"""
MEMBERS = """N.º socio  Nombre                 Móvil        Pagado
017        Eustaquio Berrocal     611 220 948  45
023        Nieves Zubeldia        633 008 714  20
031        Oumar Diallo           602 771 350  20
036        Begoña Arrieta         688 450 213  0

¿Quién no ha pagado todo?"""
ROTA = """Nom;Lun;Mar;Mer;Jeu;Ven;Sam;Dim
LE GOFFIC Maïwenn;M;M;R;S;S;N;R
TRAORÉ Fatoumata;N;N;R;R;M;M;M
Delcourt J.-B.;S;R;M;F;M;R;S
VASSEUR Clothilde;R;S;S;N;N;R;R

Qui dépasse 35 h ? M = matin 7h, S = soir 7h30, N = nuit 10h."""
MEAL = """Lunch for our christening, who eats what:
Grandad Seamus | beef | soft
Li Wenqi | fish | pregnant, no raw
Cyntoia Marchetti | vegan | coeliac
Hugo Lehtinen | fish | lactose

What can I cook for all of them?"""


@pytest.fixture(scope="module")
def anonymizer() -> Anonymizer:
    return Anonymizer()


@pytest.mark.parametrize(
    ("text", "stays", "gone"),
    [
        (CODED, ("nik,nama,divisi,gaji", "Gudang", "Keuangan"), ("3174052209897713", "Wahyu Hartono")),
        (ERRORS, ("#NV",), ("Harms", "Aslan", "Obi", "Thorsen", "00417")),
        (ACCOUNT, ("MERCADONA", "ENDESA", "-63,18"), ("Nuria Ferrer Batlle", "SERRADELL")),
        (MEMBERS, ("45",), ("017", "023", "031", "036", "Zubeldia")),
        (ROTA, ("M;M;R;S;S;N;R",), ("LE GOFFIC", "Maïwenn", "Clothilde", "Delcourt")),
        (MEAL, ("pregnant", "coeliac", "lactose"), ("Seamus", "Li Wenqi", "Cyntoia Marchetti")),
        (
            "The tour is for Harold and Bernadine Szymborski of Duluth. What can I say in a toast to fifty years?",
            ("toast to fifty years",),
            ("Harold", "Bernadine Szymborski"),
        ),
        (
            'The pool man "Bouncer" (Kervin Joseph, tel 758 555 0161) has the only key. Is his statement enough?',
            ("pool man",),
            ("Bouncer", "Kervin Joseph"),
        ),
        (
            "[HELPDESK-20417] opened by kmarchetti  prio 3. User: Katia Marchetti, reopened by katia.marchetti. What next?",
            ("opened by", "prio 3"),
            ("kmarchetti", "katia.marchetti", "Marchetti"),
        ),
        (
            'läsnä Risto "Rike" Hänninen ja Jonna Kytölä. Rike soittaa putkimiehelle. Mitä teen?',
            ("putkimiehelle",),
            ("Rike", "Risto", "Kytölä"),
        ),
        ("Was 8.Qxd8+ Kxd8 a mistake, and why not Bxc6?", ("8.Qxd8+ Kxd8", "Bxc6"), ()),
        ("Explain 1 Corinthians 13 to a class of nine.", ("1 Corinthians 13",), ()),
        ("Is 550 U.S. 618 (2007) still good law? And [2010] UKSC 12?", ("550 U.S. 618 (2007)", "[2010] UKSC 12"), ()),
        ("CT 02.05. kein Abszess, Nierenzyste Bosniak II. Was heißt das?", ("kein Abszess", "Bosniak II"), ()),
    ],
)
def test_what_stays_and_what_is_hidden(
    anonymizer: Anonymizer, text: str, stays: tuple[str, ...], gone: tuple[str, ...]
):
    told = anonymizer.anonymize(text).text
    assert [word for word in stays if word not in told] == []
    assert [word for word in gone if word in told] == []


def test_cities_of_people_are_places_all_of_them(anonymizer: Anonymizer):
    view = anonymizer.anonymize(CITIES)
    places = {one.text for one in view.entities if one.hidden and one.subtype == "city"}
    assert {"Caraquet", "Moose Jaw", "Pangnirtung"} <= places and "city;amount_cad" in view.text


@pytest.mark.parametrize(("tag", "fails"), [("#NV", True), ("#N/A", True), ("#MEERA", False), ("#meera", False)])
def test_a_tag_in_a_table_is_no_formula_that_failed(tag: str, fails: bool):
    text = f"name;tag;paid\nIvo Smit;{tag};15\nAna Ruiz;{tag};9\nBen Holm;{tag};7\n"
    cells = cells_in(text)
    found = Entity.at(text, text.index(tag) + 1, text.index(tag) + len(tag), "first_name")
    assert [one.private for one in without_marks(text, [found], cells)] == [not fails]
    told = {column.head for column in columns_in([(text, [])], cells)}
    assert ("tag" not in told) is fails


@pytest.mark.parametrize(
    ("text", "subtype", "held"),
    [
        ("Anaïs 5", "age", True),
        ("nguyen thi hoai thuong", "date", True),
        ("White Sunday", "date", False),
        ("Día de Muertos", "date", False),
        ("five years", "age", False),
        ("12 May 1985", "date", False),
    ],
)
def test_a_name_is_no_day(text: str, subtype: str, held: bool):
    assert holds_a_name(Entity.at(text, 0, len(text), subtype)) is held


@pytest.mark.parametrize(
    ("name", "private", "subtype", "hidden"),
    [
        ("Anneliese Quigg", 0.3, "full_name", True),
        ("Anneliese Quigg", 0.2, "full_name", False),
        ("Zorp Stratos", 0.3, "full_name", False),
        ("Wangari Maathai", 0.3, "full_name", False),
        ("Kendra", 0.6, "first_name", True),
        ("Kendra", 0.4, "first_name", False),
    ],
)
def test_somebody_unheard_of_among_others_is_one_of_them(name: str, private: float, subtype: str, hidden: bool):
    text = f"Tobias Renner has an allergy and {name} is vegetarian. What do I swap the nuts for?"
    tagged, other = span_of(text, name, private, subtype), span_of(text, "Tobias Renner", 0.999)
    weights = {"tagger": 3.0} if subtype == "full_name" else {"bias": -0.5}  # the tagger's own odds, or even ones
    (_, judged) = weigh_names(text, [other, tagged], weights)
    assert ((judged.private or 0.0) >= 0.5) is hidden
    (alone,) = weigh_names(text, [tagged], weights)
    assert (alone.private or 0.0) < 0.5
