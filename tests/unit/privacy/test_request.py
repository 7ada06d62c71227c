"""The question in a text: what of it is taken for the request, by rules and by the private LLM."""

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gama import Options
from gama.evals.requests import unmarked
from gama.privacy import request
from gama.privacy.agents import CHUNK_CHARS, UNQUOTED
from gama.privacy.finders import Finders
from gama.privacy.pipeline import Pipeline
from gama.privacy.request import asks, find_request, sentences
from gama.state.private_text import PrivateText
from tests.support.choosing import FixedSelector

LETTER = "Dear Ms Holm,\n\nCould you please send me the form? The fee is 40 euros.\n\nYours sincerely,\nAnn Lee"

CASES = {
    "below a letter": f"{LETTER}\n\n⟦What is the fee?⟧",
    "above a letter": f"⟦What is the fee?⟧\n\n{LETTER}",
    "a letter alone asks itself": "Dear Ms Holm,\n\nI am 34. ⟦May I still apply?⟧ Ann Lee has.\n\nYours,\nBea",
    "within a letter": "Dear Bo,\n\nthe tram is at ten.\n\n⟦Which of us has the key?⟧\n\nLove, Ann",
    "deeds are not words": "Dear Bo,\n\nplease pay 40 euros and call me. How are you?\n\nLove, Ann",
    "behind two empty lines": "Who asked? The clerk. Paid: 3 x 12 euros.\n\n\n⟦How much was paid?⟧",
    "behind a rule": "Q: Why did you leave? A: No money. When?\n\n---\n\n⟦Summarise it in a line. No names.⟧",
    "under a mail's head": "⟦Is this a fraud?⟧\n\nFrom: Ann Lee\nSubject: your key\n\nWill you send me your key?",
    "above a quoted mail": "⟦Answer her, yes.⟧\n\nOn Monday, Ann wrote:\n> Are you coming?\n> Ann",
    "a thread": f"⟦Who owes what?⟧\n\nFrom: Bo\nTo: Ann\nSubject: Re: fee\n\nDid you pay?\n\n{LETTER}",
    "the user greets": f"Hello! ⟦Please explain this letter.⟧\n\n{LETTER}",
    "a postscript is the letter's": f"{LETTER}\n\nP.S. Do you like tea?\n\n⟦Make it shorter.⟧",
    "spread": "⟦How long is the notice?⟧ I rent in Bern from Ms Holm. ⟦And who pays the heating?⟧ It is cold.",
    "no mark": "my landlord keeps 900 euros since may. ⟦can he do that⟧",
    "no mark, after a comma": "⟦the bill says 96 kwh at 31 cents, how much is missing⟧",
    "last turn": "User: Ann is 34.\nAssistant: How can I help?\nUser: She has gout. ⟦May she eat fish?⟧",
    "the assistant spoke last": "User: Can she eat fish?\nAssistant: Yes.\nUser: thanks\nAssistant: Anything else?",
    "turns of several paragraphs": "User: Ann is 34.\n\nMay she eat fish?\n\nAssistant: Yes.\n\n⟦And nuts?⟧ She asks.",
    "fields are no turns": "Name: Ann\nAgent: Bo\n⟦Who is Ann?⟧",
    "a chat of people": "Ann: at 7?\nBo: no\nAnn: where then?\nBo: at home\n\n⟦Where do they meet?⟧",
    "pasted under an order": "⟦Translate this into Dutch:⟧\n\nI am late. Can you wait? Where is Ann?",
    "a quotation": 'The clerk said: "When will you pay?" I said in May. ⟦Was that wise?⟧',
    "quoted alone": "Ann shouted „Wer hat das getan?“ and left.",
    "fenced": "⟦What does this print?⟧\n```\nprint('why?')\nwhat now?\n```",
    "a list of questions": "⟦Answer these questions:⟧\n⟦1. Who is Ann?⟧\n⟦2. When did she leave?⟧",
    "how the answer is wanted": "The fee is 40 euros, or 30.\n\n⟦What is the fee? Answer in one word.⟧",
    "no more than that": "⟦What is the fee?⟧ I am a bit frightened.",
    "a day is no end": "⟦Muss ich bis zum 3. Mai zahlen?⟧ Frau Holm sagt ja.",
    "a title is no end": "⟦Can Dr. Holm see me on Monday?⟧ I am 34.",
    "wrapped lines": "⟦What would the fee for the form be if it came to the office on Monday in the\nmorning?⟧ I am 34.",
    "nothing": "Dear Bo,\n\nwhen I came home, the tram had gone. Here is the key.\n\nLove, Ann",
    "a note": "Milk, six eggs, butter. The oven man comes on Friday.",
    "German": "⟦Was will das Amt von mir?⟧\n\nSehr geehrte Frau Holm,\n\nwann zahlen Sie?\n\nMit freundlichen Grüßen\nIhr Amt",
    "French": "Bonjour Ann,\n\npouvez-vous venir ?\n\nCordialement,\nBo\n\n⟦Rédige une réponse.⟧",
    "Spanish": "Hola Ana:\n\n¿vienes el lunes?\n\nUn abrazo,\nBo\n\n⟦¿Qué día es la cena?⟧",
    "Italian": "⟦Riassumi questa mail.⟧\n\nCiao Ana,\n\nquando arrivi?\n\nSaluti,\nBo",
    "Portuguese": "⟦Traduz esta carta.⟧\n\nQuerida Ana, quando vens?\n\nUm abraço,\nBo",
    "Dutch": "Beste Ana,\n\nkunt u maandag komen?\n\nMet vriendelijke groet,\nBo\n\n⟦Schrijf een kort antwoord.⟧",
    "Polish": "Szanowna Pani,\n\nczy Pani przyjdzie?\n\nZ poważaniem,\nBo\n\n⟦Do kiedy mam zapłacić?⟧",
    "Swedish": "Hej Ana,\n\nkan du komma?\n\nMed vänlig hälsning\nBo\n\n⟦När är mötet?⟧",
    "Danish": "Kære Ana,\n\nkan du komme?\n\nMed venlig hilsen\nBo\n\n⟦Hvornår er mødet?⟧",
    "line ends of Windows": f"{LETTER}\n\n⟦What is the fee?⟧".replace("\n", "\r\n"),
}


@pytest.mark.parametrize("marked", CASES.values(), ids=CASES)
def test_what_is_asked_is_found_and_nothing_else(marked):
    text, spans = unmarked(marked)
    found = find_request(text)
    assert found.by == "rules"
    wanted = [text[start:end] for start, end in spans]
    assert " ".join(found.text.split()) == " ".join(" ".join(wanted).split())


@pytest.mark.parametrize(
    ("said", "own", "foreign"),
    [
        ("What is the fee?", True, True),
        ("Is it him?!", True, True),
        ("What a day!", False, False),
        ("How are you?", False, False),
        ("Please find enclosed the form.", False, False),
        ("Please fill in part B.", True, False),
        ("Please call me.", False, False),
        ("I would like to know who pays.", True, True),
        ("who pays", True, True),
        ("Who pays is not known.", False, False),
        ("summary please", True, False),
        ("Answer: 40 euros.", False, False),
        ("Subject: are you coming?", False, False),
        ("???", False, False),
        ("| name | born | comes?", False, False),
        ("Questions?", False, False),
        ("Any questions?", False, False),
        ("Rückfragen?", False, False),
        ("¿Preguntas?", False, False),
        ("Whose questions are these?", True, True),
        ("", False, False),
    ],
)
def test_the_form_of_a_sentence(said, own, foreign):
    assert (asks(said), asks(said, own=False)) == (own, foreign)


# Signs that the layout of a text turns on, and others.
texts = st.one_of(
    st.text(),
    st.lists(
        st.sampled_from(
            [
                "What is it?",
                "Dear Ann,",
                "Yours,",
                "Bo",
                "\n",
                "\n\n",
                "---",
                "> a?",
                "A: b?",
                "From: a",
                "To: b",
                "```",
            ]
            + ['"', "“", "”", " ", "?", "!", ".", "1.", "P.S.", "User: ", "Please write", "\r", "\ud800", "¿", "🙂"]
        )
    ).map("".join),
)


@given(texts)
def test_spans_lie_in_the_text_in_order_and_apart(text):
    found = find_request(text)
    places = [0, *(at for span in found.spans for at in span), len(text)]
    assert places == sorted(places) and all(start < end for start, end in found.spans)
    assert all(text[start:end].strip() == text[start:end] for start, end in found.spans)
    assert found.text == " ".join(text[start:end] for start, end in found.spans)
    assert found == find_request(text)


@given(texts)
def test_sentences_are_the_text_but_for_white_space_and_rules(text):
    kept = sentences(text)
    assert all(one.end <= other.start for one, other in zip(kept, kept[1:], strict=False))
    left = text
    for one in reversed(kept):
        left = left[: one.start] + left[one.end :]
    assert not any(sign.isalnum() for sign in left)


@pytest.mark.parametrize(
    "piece",
    ["?", "?\n", "? ", "a\n\n", '"', '"? ', "A: b?\n", "Dear a,\n", "Dear a,\n\n\nThanks\n\n\n", "From: a\nTo: b\n", "```\n",
     "1. ", "- ", "please ", "what is ", "» ? ", "> a?\n", "P.S.\n"],
)  # fmt: skip
def test_hostile_texts_are_read_once(piece, monkeypatch):
    """Calls grow with the text, and no call looks at more than a stretch of it."""
    looked: list[int] = []
    matches = request._is

    def noted(kind, line):
        looked.append(len(line))
        return matches(kind, line)

    monkeypatch.setattr(request, "_is", noted)

    def calls(length: int) -> int:
        text = (piece * length)[:length]
        find_request(text)  # Patterns are made once.
        count = 0

        def count_one(frame, event, argument):
            nonlocal count
            count += event in ("call", "c_call")

        sys.setprofile(count_one)
        try:
            find_request(text)
        finally:
            sys.setprofile(None)
        return count

    small, large = calls(2_000), calls(8_000)
    assert large <= 4.5 * small + 200
    assert max(looked, default=0) <= 2 * request._LOOKED + 1


@pytest.mark.slow
def test_a_megabyte_of_question_marks_asks_nothing():
    assert find_request("?" * 1_000_000).spans == ()
    assert len(find_request("why? " * 200_000).spans) == 1


# By the private LLM


def replying(*replies):
    said, left = [], list(replies)

    def complete(messages):
        said.append([str(getattr(one["content"], "reveal", lambda one=one: one["content"])()) for one in messages])
        return PrivateText(left.pop(0))

    complete.said = said
    return complete


def test_the_private_llm_is_asked_and_only_what_stands_in_the_text_counts():
    text = f"{LETTER}\n\nWhat is\nthe fee? And who is Ann?"
    llm = replying(json.dumps(["What is the fee?", "Who is Bo?", "And who is Ann?", 7, "", "the fee? And"]))
    found = find_request(text, llm)
    assert found.by == "private LLM" and len(llm.said) == 1 and llm.said[0][1] == text
    assert [text[start:end] for start, end in found.spans] == ["What is\nthe fee?", "And who is Ann?"]


def test_the_private_llm_may_say_that_nothing_is_asked():
    assert find_request("What is the fee?", replying("[]")) == ((), "", "private LLM")


@pytest.mark.parametrize("replies", [("what?", "no"), ('["Who is Bo?"]',), ("{}", "")])
def test_what_cannot_be_read_is_left_to_rules(replies):
    found = find_request(f"{LETTER}\n\nWhat is the fee?", replying(*replies))
    assert found.by == "rules" and found.text == "What is the fee?"


def test_of_a_long_text_the_private_llm_reads_both_ends():
    llm = replying('["What is the fee?"]')
    text = "Why? " * CHUNK_CHARS + "\n\nWhat is the fee?"
    assert find_request(text, llm).spans == ((len(text) - 16, len(text)),)
    assert len(llm.said[0][1]) < CHUNK_CHARS + 10


def test_an_unreadable_reply_is_told():
    notes: list[str] = []
    finders = Finders(llm=lambda options: replying("what?", "no"))
    spans = Pipeline(Options(privacy="open"), finders).request(f"{LETTER}\n\nWhat is the fee?", notes)
    assert len(spans) == 1 and notes == [UNQUOTED]


# In the engine


TEXT = (
    f"{LETTER.replace('The fee', 'I earn 2,140 pounds a month in Leeds. The fee')}\n\nCan Ann Lee live on 2,140 pounds?"
)
QUESTION = "Can Ann Lee live on 2,140 pounds?"


def engine(needs, **options):
    return Pipeline(Options(**options), Finders(selector=lambda: needs))


@pytest.mark.parametrize("privacy", ["auto", "strict"])
def test_where_all_is_hidden_nothing_is_looked_for(privacy, monkeypatch):
    monkeypatch.setattr(request, "find_request", lambda *given: pytest.fail("looked for"))
    pipeline = engine(FixedSelector(), privacy=privacy)
    view = pipeline.anonymize(TEXT, pipeline.new_box(), query=None)
    assert view.question_spans == ()
    # What is asked of a letter below it keeps its sums under `auto`, as in any prompt.
    assert ("2,140" in view.text) == (privacy == "auto")


@pytest.mark.parametrize("query", [QUESTION, TEXT.index(QUESTION)])
def test_a_query_apart_goes_before(query, monkeypatch):
    monkeypatch.setattr(request, "find_request", lambda *given: pytest.fail("looked for"))
    pipeline = engine(FixedSelector(), privacy="open")
    assert pipeline.anonymize(TEXT, pipeline.new_box(), query=query).question_spans == ()


def test_what_the_text_asks_stands_in_for_a_query():
    needs = FixedSelector("2,140 pounds", "2,140 pounds a month")
    pipeline = engine(needs, privacy="open")
    view = pipeline.anonymize(TEXT, pipeline.new_box(), query=None)
    assert [TEXT[start:end] for start, end in view.question_spans] == [QUESTION]
    assert "2,140 pounds" in view.text and "Leeds" not in view.text and "Ann Lee" not in view.text
    assert {asked for _, asked in needs.asked} == {QUESTION}


def test_without_a_question_nothing_is_needed():
    pipeline = engine(FixedSelector("2,140 pounds a month"), privacy="open")
    view = pipeline.anonymize("I earn 2,140 pounds a month in Leeds.", pipeline.new_box(), query=None)
    assert view.question_spans == () and "2,140" not in view.text


def test_what_a_face_says_asks_nothing_is_not_searched():
    """What a tool gave, or a system prompt: its questions are nobody's here."""
    pipeline = engine(FixedSelector("2,140 pounds a month"), privacy="open")
    view = pipeline.anonymize(TEXT, pipeline.new_box())
    assert view.question_spans == () and "2,140" not in view.text
