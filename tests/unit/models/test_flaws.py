"""Texts that cannot stand as an answer: refusals in the languages of the detector, and what is none by its shape."""

import time

import pytest

from gama.models.replies import flaw_of

TASK = (
    "Was the claim of <name-1> reported in time? How much was the repair of <date-1> estimated at, and must they pay?"
)
DECLINED = "it declines the task"

REFUSALS = {
    "en": [
        "I'm sorry, but I can't help with that.",
        "I’m sorry, but I cannot assist with that request.",
        "Sorry, I can't do that.",
        "I cannot provide legal advice.",
        "I'm unable to answer this question.",
        "I can't help you with this, as it involves personal data.",
        "As an AI language model, I cannot provide legal advice. Please consult a qualified lawyer.",
        "Unfortunately, I am not able to fulfill this request because it would violate privacy guidelines. "
        "Let me know if there is anything else I can help with!",
        "I must respectfully decline.",
        "I apologize for the inconvenience.",
        "I'm sorry.",
        "My apologies, but this request cannot be processed.",
        "I won't be able to help with this request. Feel free to ask me something else.",
        "Unable to comply.",
        "That's not something I can help with.",
        "This is outside my area of expertise.",
        "**I'm sorry, but I can't assist with <name-1>.**",
        "Request denied.",
        "I do not feel comfortable with this, so I will not answer. It goes against my guidelines.",
    ],
    "de": [
        "Es tut mir leid, aber dabei kann ich nicht helfen.",
        "Es tut mir leid, aber ich kann Ihnen bei dieser Anfrage nicht behilflich sein.",
        "Leider kann ich diese Frage nicht beantworten.",
        "Als KI-Sprachmodell darf ich keine Rechtsberatung geben. Bitte wenden Sie sich an einen Rechtsanwalt.",
        "Ich kann dieser Bitte nicht nachkommen, da sie gegen meine Richtlinien verstößt.",
        "Ich muss diese Anfrage ablehnen.",
        "Entschuldigung.",
        "Tut mir leid, das kann ich nicht machen. Kann ich Ihnen sonst helfen?",
    ],
    "fr": [
        "Je suis désolé, mais je ne peux pas vous aider.",
        "Désolée, je ne peux pas répondre à cette demande.",
        "En tant qu'IA, je ne suis pas en mesure de donner des conseils juridiques. Veuillez consulter un avocat.",
        "Malheureusement, je ne peux pas donner suite à cette demande, car elle concerne des données personnelles.",
        "Je dois refuser.",
        "Toutes mes excuses.",
        "Cette demande ne peut pas être traitée. N'hésitez pas à poser une autre question.",
    ],
    "es": [
        "Lo siento, pero no puedo ayudar con eso.",
        "Lo siento mucho, no puedo responder a esta pregunta.",
        "Como modelo de lenguaje, no puedo dar asesoramiento jurídico. Consulte a un abogado.",
        "Lamentablemente, no puedo atender esta solicitud porque infringe mis directrices.",
        "Me niego a responder.",
        "Mis disculpas.",
        "Debo rechazar esta solicitud. ¿Puedo ayudarle con otra cosa?",
    ],
    "it": [
        "Mi dispiace, ma non posso aiutarti.",
        "Mi dispiace, non posso rispondere a questa domanda.",
        "In quanto modello linguistico, non posso fornire consulenza legale. Si rivolga a un avvocato.",
        "Purtroppo non sono in grado di soddisfare questa richiesta, perché riguarda dati personali.",
        "Devo rifiutare questa richiesta.",
        "Sono spiacente.",
        "Questa richiesta non può essere elaborata.",
    ],
    "nl": [
        "Het spijt me, maar daar kan ik niet bij helpen.",
        "Sorry, ik kan deze vraag niet beantwoorden.",
        "Als AI-taalmodel kan ik geen juridisch advies geven. Raadpleeg een advocaat.",
        "Helaas kan ik niet aan dit verzoek voldoen, omdat het in strijd is met mijn richtlijnen.",
        "Ik moet dit verzoek weigeren.",
        "Mijn excuses.",
        "Dit verzoek kan niet worden uitgevoerd.",
    ],
    "sv": [
        "Jag är ledsen, men jag kan inte hjälpa till med det.",
        "Tyvärr kan jag inte svara på den här frågan.",
        "Som språkmodell kan jag inte ge juridisk rådgivning. Kontakta en jurist.",
        "Jag kan inte uppfylla din begäran, eftersom den strider mot mina riktlinjer.",
        "Jag måste avböja.",
        "Jag ber om ursäkt.",
        "Förlåt, det kan jag inte göra.",
    ],
    "pl": [
        "Przepraszam, ale nie mogę w tym pomóc.",
        "Niestety nie mogę odpowiedzieć na to pytanie.",
        "Jako model językowy nie mogę udzielać porad prawnych. Proszę skonsultować się z prawnikiem.",
        "Przykro mi, ale nie mogę spełnić tej prośby, ponieważ narusza ona moje zasady.",
        "Muszę odmówić.",
        "Bardzo przepraszam.",
        "Odmawiam wykonania tego zadania.",
    ],
    "pt": [
        "Desculpe, mas não posso ajudar com isso.",
        "Lamento, mas não posso responder a essa pergunta.",
        "Como modelo de linguagem, não posso dar aconselhamento jurídico. Consulte um advogado.",
        "Infelizmente, não consigo atender a este pedido, pois viola as minhas diretrizes.",
        "Devo recusar este pedido.",
        "Peço desculpa.",
        "O seu pedido não pode ser atendido.",
    ],
    "unseen": [
        "I'm really sorry, but I'm not able to provide assistance with that.",
        "I can’t comply with that request.",
        "I'm not able to discuss this topic.",
        "Sorry, but that's something I cannot help with.",
        "I apologize, but I cannot fulfill this request as it may involve sharing private information about real people.",
        "I'm sorry, I cannot continue with this conversation.",
        "My guidelines prevent me from answering this.",
        "I am not permitted to answer that.",
        "As a language model, I don't have the ability to give legal opinions.",
        "I'm just an AI and can't give medical advice. Please speak with your doctor.",
        "Das kann ich leider nicht beantworten.",
        "Ich bin nicht in der Lage, diese Anfrage zu bearbeiten.",
        "Dazu kann ich keine Auskunft geben.",
        "Entschuldigung, aber ich kann diesen Text nicht bearbeiten.",
        "Ich darf dazu keine Auskunft geben.",
        "Je suis désolé, je ne suis pas en mesure de traiter cette demande.",
        "Je ne peux malheureusement pas répondre à cette question.",
        "Il m'est impossible de répondre à cette demande.",
        "Je regrette, mais je ne puis vous aider.",
        "Lo lamento, no estoy autorizado a responder.",
        "No me es posible ayudarle con esta petición.",
        "Disculpe, pero no puedo continuar con esta conversación.",
        "Spiacente, non posso aiutarla con questa richiesta.",
        "Non sono autorizzato a rispondere.",
        "Non mi è possibile fornire assistenza.",
        "Ik ben niet in staat om deze vraag te beantwoorden.",
        "Daar kan ik je helaas niet mee helpen.",
        "Ik mag hier geen antwoord op geven.",
        "Jag har tyvärr inte möjlighet att hjälpa till med detta.",
        "Det kan jag tyvärr inte svara på.",
        "Jag får inte ge medicinsk rådgivning.",
        "Nie jestem w stanie pomóc w tej sprawie.",
        "Przykro mi, nie mogę odpowiedzieć.",
        "Nie mogę kontynuować tej rozmowy.",
        "Não estou autorizado a responder a isso.",
        "Sinto muito, não posso continuar esta conversa.",
        "Não me é possível ajudar.",
    ],
}

ANSWERS = {
    "en": [
        "No.", "42", "Yes", "<name-1>", "<name-1>, <date-1>", "£2,340", "**42**", "None.", "Unknown.", "I don't know.",
        "I cannot see a contradiction, so the answer is 42.",
        "I can't judge the contract, but the claim was reported in time.",
        "I cannot give legal advice. The claim was reported three days after the damage, so it was in time.",
        "I'm sorry to hear about the damage. The claim was in time.",
        "I'm sorry, but I can't answer the second question: the letter does not name the amount.",
        "I cannot answer that from the text.",
        "The text does not say how much it was.",
        "That depends on the contract, which I cannot see.",
        "I can't help with the first part. The repair was estimated at 2,340 pounds.",
        "They cannot refuse to pay.",
        "The insurer cannot provide a reason, so it must pay.",
        "Unfortunately, the claim came too late.",
        "I can't provide the number without the policy.",
        "I am unable to attend the meeting on Monday, so please send the minutes to my colleague.",
        "Dear <name-1>, I'm sorry, but I cannot provide the documents before <date-1>. Kind regards",
        "Thank you for your letter.",
        "Not before the end of the month.",
        "It cannot be completed in time.",
        "I cannot provide an exact date.",
    ],
    "de": [
        "Nein.", "Ja, am <date-1>.",
        "Ich kann keine Rechtsberatung geben, aber die Meldung kam rechtzeitig.",
        "Leider kam die Meldung zu spät.",
        "Die Versicherung kann die Zahlung nicht verweigern.",
        "Das geht aus dem Brief nicht hervor.",
        "Ohne den Vertrag kann ich das nicht beantworten.",
        "Es tut mir leid, dass Sie den Schaden hatten. Die Meldung war fristgerecht.",
    ],
    "fr": [
        "Non.", "Oui, le <date-1>.",
        "Je ne peux pas donner de conseil juridique, mais la déclaration a été faite à temps.",
        "Malheureusement, la déclaration était tardive.",
        "L'assureur ne peut pas refuser de payer.",
        "La lettre ne le précise pas.",
        "Je ne peux pas répondre sans connaître le contrat.",
    ],
    "es": [
        "No.", "Sí, el <date-1>.",
        "No puedo dar consejos jurídicos, pero el aviso llegó a tiempo.",
        "Lamentablemente, el aviso llegó tarde.",
        "La aseguradora no puede negarse a pagar.",
        "La carta no lo dice.",
        "No puedo responder sin conocer el contrato.",
    ],
    "it": [
        "No.", "Sì, il <date-1>.",
        "Non posso dare consigli legali, ma la denuncia è arrivata in tempo.",
        "Purtroppo la denuncia è arrivata tardi.",
        "L'assicuratore non può rifiutarsi di pagare.",
        "La lettera non lo dice.",
    ],
    "nl": [
        "Nee.", "Ja, op <date-1>.",
        "Ik kan geen juridisch advies geven, maar de melding kwam op tijd.",
        "Helaas kwam de melding te laat.",
        "De verzekeraar kan niet weigeren te betalen.",
        "De brief zegt dat niet.",
    ],
    "sv": [
        "Nej.", "Ja, den <date-1>.",
        "Jag kan inte ge juridisk rådgivning, men anmälan kom i tid.",
        "Tyvärr kom anmälan för sent.",
        "Försäkringsbolaget kan inte vägra att betala.",
        "Brevet säger inte det.",
    ],
    "pl": [
        "Nie.", "Tak, <date-1>.",
        "Nie mogę udzielać porad prawnych, ale zgłoszenie wpłynęło na czas.",
        "Niestety zgłoszenie wpłynęło za późno.",
        "Ubezpieczyciel nie może odmówić zapłaty.",
        "List nie podaje kwoty.",
    ],
    "pt": [
        "Não.", "Sim, em <date-1>.",
        "Não posso dar conselhos jurídicos, mas a participação chegou a tempo.",
        "Infelizmente, a participação chegou tarde.",
        "A seguradora não pode recusar o pagamento.",
        "A carta não o diz.",
    ],
    "unseen": [
        'I can offer no certainty, but it was probably in time.',
        'The court refused the request.',
        'We are unable to find any breach; the claim stands.',
        "I won't repeat the details; it was in time.",
        'Sorry for the delay; the estimate is enclosed.',
        'The policy does not allow it.',
        'He must decline.',
        'You can refuse to pay.',
        'Nicht fristgerecht.',
        'Der Vermieter darf das nicht verweigern.',
        'Man kann die Frage nicht eindeutig beantworten.',
        "L'assuré doit refuser l'offre.",
        'No es posible reclamar.',
        "La richiesta è stata rifiutata dall'assicurazione.",
        'Het verzoek is afgewezen door de verzekeraar.',
        'Begäran avslogs av bolaget.',
        'Wniosek został odrzucony przez ubezpieczyciela.',
        'O pedido foi recusado pela seguradora.',
        'The request was rejected.',
        'Your request was denied by the insurer on Monday.',
        'This question has been answered in the letter: yes.',
        'I would decline the offer.',
        'I refuse the offer and expect payment by Friday.',
        'The task is completed.',
        'The claim was refused.',
    ],
}  # fmt: skip


def each(table):
    return [
        pytest.param(text, id=f"{language}-{n}") for language, texts in table.items() for n, text in enumerate(texts)
    ]


@pytest.mark.parametrize("text", each(REFUSALS))
def test_a_refusal_is_no_answer(text):
    assert flaw_of(text, TASK) == DECLINED


@pytest.mark.parametrize("text", each(ANSWERS))
def test_an_honest_answer_is_one(text):
    assert flaw_of(text, TASK) == ""


@pytest.mark.parametrize(
    ("text", "flaw"),
    [
        ("", "it was empty"), ("  \n ", "it was empty"), ("<think>a long thought</think>", "it was empty"),
        ("…", "it has no words"), ("---", "it has no words"), ("👍", "it has no words"), ("<name-7>", "it has no words"),
        ("[Your answer here]", "it has no words"), ("<answer>", "it has no words"), ("TODO", "it has no words"),
        ("Lorem ipsum dolor sit amet", "it has no words"), ("{answer}", "it has no words"),
        ("{}", "it is JSON without a value"), ('{"answer": ""}', "it is JSON without a value"), ("[]", "it is JSON without a value"),
        ('```json\n{"answer": null, "notes": []}\n```', "it is JSON without a value"),
        ("It was in time.\n" * 3, "it repeats one line"), ("the claim " * 20, "it repeats one line"),
        ("no no no no no no", "it repeats one line"),
        (TASK, "it repeats what it was asked"),
        (f"=== TASK ===\n{TASK}\n=== END TASK ===", "it repeats what it was asked"),
        ("Answer every question of the task in the order they stand", "it repeats what it was asked"),
        ("# Answer", "it is a heading without a text"), ("Here is the answer:", "it is a heading without a text"),
        ("**Answer:**", "it is a heading without a text"),
        ("Dear <name-1>,", "it breaks off after its first words"),
        ("The claim was reported in time and the", "it breaks off after its first words"),
        ("Die Meldung kam rechtzeitig und", "it breaks off after its first words"),
    ],
)  # fmt: skip
def test_degenerate_texts_are_no_answers(text, flaw):
    assert (
        flaw_of(text, TASK, prompt="You know law. Answer every question of the task in the order they stand.") == flaw
    )


def test_a_text_that_stopped_at_the_limit_of_tokens_in_its_first_words_is_no_answer():
    assert flaw_of("The claim was reported", TASK, unfinished=True) == "it breaks off after its first words"
    assert flaw_of("The claim was reported", TASK) == "" and flaw_of("It was in time.", TASK, unfinished=True) == ""
    assert flaw_of("The claim was reported in time, " * 1 + "since three days are less than seven, which is what the "
                   "letter asks for", TASK, unfinished=True) == "", "much of it is there"  # fmt: skip


@pytest.mark.parametrize(
    ("text", "task"),
    [
        ("I'm sorry, but I can't help with that.", "Write one line in which I decline to help <name-1>."),
        ("Es tut mir leid, ich kann dir nicht helfen.", "Schreib <name-1> kurz, dass ich absagen muss."),
        ("I'm sorry for the delay.", "Write a one-line apology to <name-1>."),
        ("No puedo ayudar con eso.", "Traduce: I'm sorry, I can't help with that."),
        ("I will be good\n" * 5, "Write five times: I will be good"),
        ("[]", "List the unpaid bills as JSON."),
        ("Der, die, das", "Name the German articles."),
        ("Vitamin A", "Which vitamin is it?"),
        ("a\nb\nc", "List them."),
        ("+", "Plus or minus?\nA) +\nB) -"),
    ],
)
def test_what_the_task_asks_for_is_no_flaw(text, task):
    kind = ("choice", ("+", "-")) if text == "+" else ("open", ())
    assert flaw_of(text, task, *kind) == ""


def test_one_of_a_closed_set_is_an_answer_however_short():
    assert flaw_of("-", "Which sign?", "choice", ("+", "-")) == "" and flaw_of("False", "Is it?", "boolean") == ""
    refusal = "I'm sorry, but I can't help you to choose between red and green, as my guidelines do not allow it."
    assert flaw_of(refusal, "Which?", "choice", ("red", "green")) == DECLINED


@pytest.mark.parametrize(
    "text", ["a " * 20_000, "i can't " * 5_000, "{" * 40_000, "sorry, " * 170, "# " + "a" * 40_000]
)
def test_hostile_texts_take_no_time(text):
    began = time.perf_counter()
    flaw_of(text, TASK * 100, prompt=TASK)
    assert time.perf_counter() - began < 20, "milliseconds, unless the time grows with the square"
