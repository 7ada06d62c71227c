"""Table for the recognizer `person_small`: what it finds and what it leaves alone."""

from collections.abc import Callable

import pytest

from gama import Anonymizer

Finder = Callable[[str, str], list[tuple[str, str]]]

FOUND = [
    ("ask nguyen thi lan for the keys", ("nguyen thi lan", "full_name")),
    ("is do van hung right?", ("do van hung", "full_name")),
    ("i sit next to dang thu ha in class", ("dang thu ha", "full_name")),
    ("Minutes: AJ to chase the supplier", ("AJ", "initials")),
    ("- TW to book the room", ("TW", "initials")),
    ("C. M. aus der Buchhaltung hat den Beleg.", ("C. M.", "initials")),
    ("J. R. owes me forty quid.", ("J. R.", "initials")),
    # Behind who is told, asked, written to or met.
    ("sag timo bescheid, dass ich komme", ("timo", "first_name")),
    ("tell mark I'll be late", ("mark", "first_name")),
    ("dile a chelo que llego tarde", ("chelo", "first_name")),
    ("app joost even over de sleutel", ("joost", "first_name")),
    ("invite wee shona to the do", ("shona", "first_name")),
    ("oma trude wird 90", ("trude", "first_name")),
    ("ask MK whether the invoice went out", ("MK", "initials")),
    ("cc RK on the answer", ("RK", "initials")),
    ("owner: NV", ("NV", "initials")),
    ("JT fine w/ scope", ("JT", "initials")),
    ("Shed, 7pm. Present HvB (chair), nobody else", ("HvB", "initials")),
    ("ACT JdC library by Friday", ("JdC", "initials")),
    ("Pt TR, 29, day 19", ("TR", "initials")),
    ("PMH nil. husb Len d. Nov", ("Len", "first_name")),
    ("Rm 6 dot - covid neg", ("dot", "nickname")),
    ("-- author: n.abdelrazik", ("n.abdelrazik", "handle")),
    ("OWNER:   hkowalczyk / ext 4471", ("hkowalczyk", "handle")),
    # What somebody does or has.
    ("penny from no 9 feeds the cat", ("penny", "first_name")),
    ("esperanza no contesta", ("esperanza", "first_name")),
    ("will's bike got nicked", ("will", "first_name")),
    ("max is my supervisor", ("max", "first_name")),
    ("elif'e yaz", ("elif", "first_name")),
    ("mehmet abi'ye yaz", ("mehmet", "first_name")),
    ("Schöne Grüße von Heinz", ("Heinz", "first_name")),
    ("ayşe teyzeye geçmiş olsun", ("ayşe", "first_name")),
    # Who writes, and whose somebody is.
    ("soy nacho, no voy", ("nacho", "first_name")),
    ("hej, lasse här. kan inte komma", ("lasse", "first_name")),
    ("moeder van daan heeft gebeld", ("daan", "first_name")),
    ("mi prima lupe busca piso", ("lupe", "first_name")),
    # In the names of files and folders, and in the comments of programs.
    ("review_hendrik_final_v2.docx", ("hendrik", "first_name")),
    ("plan-bjarne-2024.xlsx is empty", ("bjarne", "first_name")),
    ("// FIXME(anja): off by one", ("anja", "first_name")),
    ("/mnt/users/obrien/backup is full", ("obrien", "handle")),
]

SEVERAL = [
    ("quedé con paco y nuria", ["paco", "nuria"]),
    ("kannst du fatma und dem kleinen emil schreiben", ["fatma", "emil"]),
    ("hope & faith share a room", ["hope", "faith"]),
    ("marta e luca si sposano", ["marta", "luca"]),
    ("théo - vin, aïcha - pain", ["théo", "aïcha"]),
    ("cv_amelie_fontaine.pdf", ["amelie", "fontaine"]),
    ("to do\nTB: flyers\nAN: posters", ["TB", "AN"]),
    ("TBL: When?\nGFR: In 2019.\nTBL: And now?\nGFR: Now I ride.", ["TBL", "GFR"]),
    ("2024-08-19 15:20 IS: Smell.\n2024-08-23 08:30 WS: Note.\n[09:12] RB: No", ["IS", "WS", "RB"]),
    ("emre: geldim\nselin: bekle", ["emre", "selin"]),
    ("[09:12] siobhan: red\n[09:13] ahmed: mine\nrose: ok", ["siobhan", "ahmed", "rose"]),
]

LEFT_ALONE = [
    "Rm 6 clean - ok",
    "the API reported an error",
    "Present: USA, UK, HR",
    "OWNER: platform / sre",
    "do my best",
    "ho ho ho",
    "he had a le man long day",
    "HR to confirm by Friday",
    "The U. S. owes more than before.",
    "convert CSV to print",
    "do van drivers need a licence?",
    "sag mir die hauptstadt von peru",
    "tell customers that we moved",
    "dile a todos que feliz navidad",
    "ask price vs bid price",
    "ping pong rules",
    "ask HR whether it counts",
    "ASK THE NURSE",
    "i hope and i pray",
    "hope is my word of the year",
    "rose's petals fall",
    "jusqu'à lundi",
    "uncle sam poster year",
    "soy una persona seria",
    "its amber, not red",
    "thanks for the grace",
    "love from paris",
    "hope and pray, who sang it",
    "EN: hello\nDE: hallo\nFR: bonjour",
    "OS: linux\nDB: postgres",
    "12:00 INF: started\n12:01 ERR: failed\n12:02 WRN: slow",
    "PRO: Cheap.\nCON: Slow.\nPRO: Fast.\nCON: Dear.",
    "QA: Fine?\nPM: Yes.\nQA: Ok.\nPM: Good.",
    "Pros: cheap\nCons: slow",
    "Monday: legs\nTuesday: rest",
    "basil: two pots\nginger: one root",
    "marie_curie.docx",
    "jenkins-pipeline.yaml",
    "final_draft_march.docx",
    "NOTE(review): later",
    "/home/user/data is full",
]

NOBODYS = [
    "invite max 20 people",
    "let me be frank: no",
    "carol singing in december",
    "is there a grace period?",
    "mark my words, it rains",
    "bonnie and clyde film year",
]


@pytest.mark.parametrize(("text", "value"), FOUND)
def test_found(find: Finder, text: str, value: tuple[str, str]) -> None:
    assert find("person_small", text) == [value]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(find: Finder, text: str) -> None:
    assert find("person_small", text) == []


@pytest.mark.parametrize(("text", "values"), SEVERAL)
def test_several_are_found(find: Finder, text: str, values: list[str]) -> None:
    assert [value for value, _ in find("person_small", text)] == sorted(values)


@pytest.mark.parametrize("text", NOBODYS)
def test_words_that_are_names_elsewhere_stay(text: str) -> None:
    assert Anonymizer().anonymize(text).text == text


def test_a_known_pair_is_somebody_where_the_writer_is_in_it() -> None:
    assert "bonnie" not in Anonymizer().anonymize("bonnie and clyde owe me their rent, write to them").text
