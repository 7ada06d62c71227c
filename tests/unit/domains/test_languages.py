"""Domains of texts in other languages than English, of texts that belong to none, and of weak evidence."""

import pytest

from gama.graph.public_graph import build_public_graph
from gama.guard.egress import EGRESS, NoPrivateSpace
from gama.models.shipped import word_vectors
from gama.state.task import GENERAL, PublicTask
from gama.tools.domains.analysis import analyse
from gama.tools.domains.memberships import stem_hits
from gama.tools.domains.naming import read_fields
from gama.tools.domains.nearest import is_english
from gama.tools.domains.packs import DOMAINS
from tests.support.scripted import ScriptedClient

TASKS = (
    (
        "de",
        "Law",
        "Der Handwerker hat gepfuscht und will trotzdem sein Geld. Muss ich die Rechnung zahlen oder kann ich vom Vertrag zurücktreten?",
    ),
    ("de", "Medicine", "Meine Mutter nimmt Blutverdünner und hat seit gestern Nasenbluten. Ist das gefährlich?"),
    ("de", "Transportation", "Unser Flug nach Lissabon wurde gestrichen. Welche Entschädigung steht uns zu?"),
    (
        "de",
        "Psychology",
        "Seit der Trennung kann ich nicht mehr schlafen und fühle mich wertlos. Habe ich eine Depression?",
    ),
    (
        "de",
        "Finance",
        "Lohnt es sich, den Kredit für das Haus vorzeitig abzulösen, wenn die Bank eine Entschädigung verlangt?",
    ),
    ("fr", "Law", "Mon propriétaire refuse de me rendre le dépôt de garantie. Quel délai a-t-il selon la loi ?"),
    (
        "fr",
        "Education",
        "Mon fils redouble sa classe et son professeur dit qu'il ne travaille pas. Comment l'aider à apprendre ?",
    ),
    ("fr", "Agriculture", "Mes rosiers et mes tomates ont des taches noires. Quel traitement naturel pour le jardin ?"),
    ("fr", "Finance", "Combien d'impôts vais-je payer sur les intérêts de mon livret d'épargne ?"),
    ("es", "Medicine", "Me duele la espalda desde que levanté unas cajas. ¿Qué medicamento puedo tomar?"),
    ("es", "Law", "Mi jefe me ha despedido sin preaviso. ¿Puedo poner una demanda?"),
    ("es", "History", "¿Quién ganó la batalla de Trafalgar y en qué siglo fue?"),
    ("es", "Technology", "El ordenador se apaga solo cuando abro el programa. ¿Será el disco?"),
    ("it", "Law", "Il mio vicino ha costruito un muro sul mio terreno. Posso fare causa in tribunale?"),
    ("it", "Medicine", "Ho la febbre da tre giorni e mal di gola. Devo prendere un antibiotico?"),
    ("it", "Arts", "Chi ha dipinto questo quadro e in quale museo si trova?"),
    ("it", "Sports", "Quanti giocatori ha una squadra di pallavolo in campo?"),
    ("nl", "Law", "Mijn huurbaas wil de huur met tien procent verhogen. Mag dat volgens de wet?"),
    ("nl", "Finance", "Kan ik de rente van mijn hypotheek aftrekken van de belasting?"),
    ("nl", "Medicine", "Mijn kind heeft koorts en uitslag. Moet ik naar de dokter?"),
    ("sv", "Law", "Hyresvärden vill säga upp mig. Hur lång uppsägningstid har jag enligt lagen?"),
    ("sv", "Medicine", "Jag har haft huvudvärk i en vecka och tar redan tabletter. Ska jag gå till läkare?"),
    ("sv", "Transportation", "Tåget var tre timmar sent. Får jag pengarna tillbaka för biljetten?"),
    ("pl", "Law", "Właściciel nie chce oddać kaucji za mieszkanie. Co mówi prawo?"),
    ("pl", "Medicine", "Od tygodnia boli mnie gardło i mam gorączkę. Jaki lek mogę kupić bez recepty?"),
    ("pl", "Education", "Moja córka nie zdała egzaminu z matematyki. Jak pomóc jej w szkole?"),
    ("pt", "Law", "O senhorio não devolve a caução. O que diz a lei?"),
    ("pt", "Finance", "Que imposto pago pelos juros da minha conta poupança?"),
    ("pt", "Medicine", "Tenho dores no peito há dois dias. Devo ir ao hospital?"),
    ("pt", "Environment", "Como posso reduzir o lixo e fazer a reciclagem em casa?"),
    ("de", None, "Hallo, wie geht es dir heute?"),
    ("fr", None, "Bonjour, comment vas-tu aujourd'hui ?"),
    ("es", None, "Hola, ¿qué tal estás hoy?"),
    ("it", None, "Ciao, come stai oggi?"),
    ("pl", None, "Cześć, jak się dzisiaj masz?"),
    ("de", None, "Wie viel ist 17 mal 23 minus 4?"),
    ("sv", None, "Hej, hur mår du idag?"),
    ("nl", None, "Hoi, hoe gaat het vandaag?"),
    ("pt", None, "Olá, como estás hoje?"),
)
"""Written after the word lists, and not tuned on: language, the right field (None for none of them), the task."""


def domains(text, **more) -> list[str]:
    return [rule.domain for rule in analyse(text, words=word_vectors(), **more).rules]


def test_the_right_field_is_in_the_top_three_outside_english_too():
    missed = [row for row in TASKS if (row[1] or GENERAL) not in domains(row[2])[:3]]
    assert len(missed) <= 0.1 * len(TASKS), missed
    assert {row[0] for row in TASKS} == {"de", "fr", "es", "it", "nl", "sv", "pl", "pt"}


@pytest.mark.parametrize("text", ["Hello, how are you today? Tell me a joke.", "What is 17 times 23 minus 4?", "?"])
def test_none_of_these_is_an_answer_and_one_generalist_is_asked(text):
    (rule,) = analyse(text, words=word_vectors()).rules
    assert rule.domain == GENERAL and "careful generalist" in rule.prompt
    token = EGRESS.set(NoPrivateSpace())
    client = ScriptedClient({"expert": ["391 - 4 = 387"], "disprove": ['{"contradiction": false, "reason": ""}']})
    out = build_public_graph(client).invoke({"task": PublicTask(text=text, rules=(rule,))})
    EGRESS.reset(token)
    client.done()
    assert out["answer"] == "391 - 4 = 387" and out["usage"]["calls"] == 2, "no fusion of one answer; disproof as ever"


def test_the_private_llm_may_say_none():
    replies = iter(["small talk", "None."])
    assert domains("How are you?", complete=lambda messages: next(replies)) == [GENERAL]
    assert read_fields("none") == read_fields("None of these.") == [("none", "Extremely Low")]
    assert read_fields("nonfiction: High") == [("nonfiction", "High")]


def test_what_lies_nearest_is_not_extremely_high_where_the_evidence_is_weak():
    puzzle = "Five houses in a row have different colours. The red house is left of the green one. Who owns the fish?"
    assert "Extremely High" not in [rule.term for rule in analyse(puzzle, words=word_vectors()).rules]
    sure = "My landlord raised the rent and gave notice of the lease. Does tenancy law and the contract allow that?"
    assert analyse(sure, words=word_vectors()).rules[0].term in ("High", "Extremely High")


@pytest.mark.parametrize(
    ("text", "english"),
    [("My landlord keeps the deposit.", True), ("Sort: pear, apple, fig, banana", True), ("", True), *((row[2], False) for row in TASKS[::4])],
)  # fmt: skip
def test_english_is_told_from_other_languages(text, english):
    assert is_english(text, word_vectors()) is english


def test_every_domain_has_words_in_the_other_languages():
    assert set(stem_hits("")) == {domain.name for domain in DOMAINS}
