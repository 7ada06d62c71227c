"""Names that few bear, names that are famous where they stand privately, and names that are nobody's."""

import pytest

from gama import Anonymizer
from gama.models.embedded import DOUBTED, UNSETTLED, embedded_tagger
from gama.privacy.identify import with_companions, with_forenames, without_titles
from gama.privacy.relations import has_chores, is_related
from gama.state.entities import Span
from gama.tools.knowledge.index import may_be_forename
from tests.support.spans import span_of


@pytest.fixture(scope="module")
def anonymizer() -> Anonymizer:
    return Anonymizer()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Neem de fiets van nummer 40 mee, want Wubbo heeft de schuur al op slot gedaan.", ["Wubbo"]),
        ("Sjaak heeft de boodschappen betaald, de rest komt later.", ["Sjaak"]),
        ("Ludger war gestern beim Zahnarzt. Irmela kommt erst am Dienstag.", ["Ludger", "Irmela"]),
        ("Con cariño,\nAinhoa\n\n¿Cuánto pagamos cada uno?", ["Ainhoa"]),
        ("Ragnhild fick hem en ny kateter i mars men Torkel klarar sig.", ["Ragnhild", "Torkel"]),
        ("Ornella piange di gioia, e Ubaldo ha già pagato.", ["Ornella", "Ubaldo"]),
        ("How many days off does Venkatesh want, and who covers for Ngozi?", ["Venkatesh", "Ngozi"]),
    ],
)
def test_a_forename_that_few_bear_is_hidden(anonymizer, text, names):
    view = anonymizer.anonymize(text)
    assert [name for name in names if name in view.text] == []
    assert anonymizer.restore(view.text, view.box).text == text


@pytest.mark.parametrize(
    "text",
    [
        "Bitte schicken Sie mir die Nummer. Vielen Dank und Gruß an alle Eltern.",
        "Gracias por todo. Hola otra vez.",
        "Lui è tornato e non parla.",
        "What does the captain of a ship do?",
    ],
)
def test_greetings_and_nouns_are_no_forenames(anonymizer, text):
    assert anonymizer.anonymize(text).text == text


def doubt(text, word, score=0.05):
    at = text.index(word)
    return Span(at, at + len(word), "PER", "first_name", score, "pner", 0.9, source=DOUBTED)


def named(text, *spans):
    return [(text[one.start : one.end], one.subtype) for one in with_forenames(text, spans)]


def test_of_doubts_forenames_stay_and_bring_their_surnames():
    text = "Gisteren kwam Wubbo van den Broekhuis, maar Vandaag niet."
    assert named(text, doubt(text, "Wubbo"), doubt(text, "Vandaag")) == [("Wubbo van den Broekhuis", "full_name")]
    text = "Ask Ngozi Venkatesh."
    assert named(text, doubt(text, "Ngozi"), doubt(text, "Venkatesh")) == [("Ngozi Venkatesh", "full_name")]


def test_a_word_on_no_list_is_a_name_in_the_midst_of_a_sentence_only():
    text = "Bring the bowl for Zzyxa."
    assert not may_be_forename("Zzyxa")
    assert named(text, doubt(text, "Zzyxa", 0.25)) == [("Zzyxa", "first_name")]
    assert named(text, doubt(text, "Zzyxa", 0.1)) == []
    assert named("Zzyxa is here.", doubt("Zzyxa is here.", "Zzyxa", 0.25)) == []


def test_the_tagger_tells_its_doubts_only_where_asked():
    text = "Neem de fiets van nummer 40 mee, want Wubbo heeft de schuur al op slot gedaan."
    told = embedded_tagger().spans(text, doubts=True)
    assert [span for span in told if span.source not in (DOUBTED, UNSETTLED)] == embedded_tagger().spans(text)
    assert all(span.type == "PER" and span.score < 0.3 for span in told if span.source == DOUBTED)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Did George Clooney pay the deposit yet?", "Clooney"),
        ("Est-ce que Catherine Deneuve a payé son loyer ?", "Deneuve"),
        ("Hat Steffi Graf die Schlüssel abgegeben?", "Graf"),
        ("¿Ha devuelto Penélope Cruz las llaves?", "Cruz"),
        ("Roberto Benigni ha pagato l'affitto?", "Benigni"),
        ("Heeft Johan Cruijff de huur al overgemaakt?", "Cruijff"),
        ("Czy Robert Lewandowski oddał klucze?", "Lewandowski"),
        ("O Cristiano Ronaldo já devolveu as chaves?", "Ronaldo"),
        ("Har Astrid Lindgren betalat hyran?", "Lindgren"),
    ],
)
def test_who_does_the_writers_errands_is_an_acquaintance(anonymizer, text, name):
    assert name not in anonymizer.anonymize(text).text


@pytest.mark.parametrize(
    "text",
    [
        "How many keys did Mozart's piano have?",
        "When did Alicia Keys release Fallin'?",
        "Why did Vermeer paint a woman reading a letter?",
        "Wann wurde Uwe Seeler geboren?",
        "Quand est mort Alain Delon ?",
    ],
)
def test_who_does_something_for_the_world_stays(anonymizer, text):
    assert anonymizer.anonymize(text).text == text


def test_chores_count_in_the_same_sentence_and_not_of_the_world():
    text = "Who wrote Emma, Jane Austen? Please send the invoice."
    assert not has_chores(text, span_of(text, "Jane Austen", 0.1))
    text = "Jane Austen has sent the invoice."
    assert has_chores(text, span_of(text, "Jane Austen", 0.1))
    text = "The author Jane Austen never paid rent."
    assert not has_chores(text, span_of(text, "Jane Austen", 0.1))


def test_who_is_told_of_by_family_is_private_unless_famous():
    text = "She was Maeve Brigid Tully, wife of Cormac."
    assert is_related(text, span_of(text, "Maeve Brigid Tully", 0.4))
    text = "Marie Curie, wife of Pierre."
    assert not is_related(text, span_of(text, "Marie Curie", 0.1))
    text = "My grandmother was born Oda Quellmann in 1931."
    assert is_related(text, span_of(text, "Oda Quellmann", 0.4))


def privacy(text, *spans):
    return {text[one.start : one.end]: one.private for one in with_companions(text, spans)}


def test_a_forename_beside_a_private_one_is_private():
    text = "Leander and Thisbe may share a board."
    pair = (span_of(text, "Leander", 0.9, "first_name"), span_of(text, "Thisbe", 0.4, "first_name"))
    assert privacy(text, *pair)["Thisbe"] >= 0.6
    text = "Leander came; Thisbe is a figure of Ovid's."
    pair = (span_of(text, "Leander", 0.9, "first_name"), span_of(text, "Thisbe", 0.4, "first_name"))
    assert privacy(text, *pair)["Thisbe"] == 0.4


def test_the_city_that_a_private_person_is_from_is_private():
    text = "Reader Ottfried from Ulm asks whether Goethe from Weimar was rich."
    found = privacy(
        text,
        span_of(text, "Ottfried", 0.9, "first_name"),
        span_of(text, "Ulm", 0.1, "city", "LOC"),
        span_of(text, "Goethe", 0.1, "last_name"),
        span_of(text, "Weimar", 0.1, "city", "LOC"),
    )
    assert found["Ulm"] >= 0.6 and found["Weimar"] == 0.1


@pytest.mark.parametrize(
    ("text", "part", "subtype", "kind"),
    [
        ("I lent him One Hundred Years of Solitude.", "One Hundred Years of Solitude", "duration", "DATETIME"),
        ("Our cat as the Girl with a Pearl Earring.", "Pearl Earring", "physical_feature", "DEM"),
        ("Is it Heracleum mantegazzianum?", "Heracleum mantegazzianum", "medical_condition", "DEM"),
    ],
)
def test_titles_and_species_are_nobodys(text, part, subtype, kind):
    assert without_titles(text, [span_of(text, part, 0.99, subtype, kind)])[0].private == 0.0


@pytest.mark.parametrize(
    ("text", "part", "subtype", "kind"),
    [
        ("My son is Emil Mast, and he is ill.", "Emil Mast", "full_name", "PER"),
        ("He takes Sertraline since May.", "Sertraline", "medical_condition", "DEM"),
        ("I have Diabetes mellitus.", "Diabetes mellitus", "medical_condition", "DEM"),
        ("Brother Leander Ambrose took 56 tablets.", "Leander Ambrose", "full_name", "PER"),
    ],
)
def test_what_only_looks_like_a_title_stays_private(text, part, subtype, kind):
    assert without_titles(text, [span_of(text, part, 0.99, subtype, kind)])[0].private == 0.99


def test_a_part_of_a_private_name_is_hidden_whatever_it_was_taken_for(anonymizer):
    text = (
        "Respected Madam,\n\nI apply for leave from 10 June 2026 to 23 June 2026 for the marriage of my sister.\n\n"
        "Yours sincerely,\nVenkatesh Bommidala\n\nHow many working days of leave is Venkatesh asking for?"
    )
    assert "Venkatesh" not in anonymizer.anonymize(text).text


@pytest.mark.parametrize(
    ("text", "name", "related"),
    [
        ("Rosa Parks is my bus driver.", "Rosa Parks", True),
        ("I met Rosa Parks, my old neighbour, there.", "Rosa Parks", True),
        ("Who was Rosa Parks, my son wants to know?", "Rosa Parks", False),
        ("Rosa Parks is a heroine.", "Rosa Parks", False),
        ("Tenant: Rosa Parks. Room: back.", "Rosa Parks", True),
        ("La maestra Ornella Fusti parla.", "Ornella Fusti", True),
        ("Lekarka Pasternok wie.", "Lekarka Pasternok", True),
        ("La maestra Maria Montessori.", "Maria Montessori", False),
        ("It goes to the Appiah family.", "Appiah", True),
    ],
)
def test_who_is_said_to_be_the_writers_is_somebody(text, name, related):
    assert is_related(text, span_of(text, name, 0.4)) == related


@pytest.mark.parametrize(
    ("text", "related"),
    [
        ("Sione says the first.", True),
        ("The car is at Sione's yard.", True),
        ("Sione, have the papers come?", True),
        ("Sione, who wrote it, is dead.", False),
        ("When was Sione born?", False),
        ("Cleopatra, how did she die?", False),
    ],
)
def test_a_forename_in_the_writers_life_is_somebodys(text, related):
    span = span_of(text, "Sione" if "Sione" in text else "Cleopatra", 0.4)._replace(subtype="first_name")
    assert is_related(text, span) == related
