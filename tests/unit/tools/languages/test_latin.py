"""Which language a text in Latin letters is in, by its small words."""

import pytest

from gama.tools.languages.latin import latin_language

TOLD = {
    "kwik vraagje: mag mijn verhuurder borg inhouden? ik woon in almere": "nl",
    "Ich bin seit drei Jahren bei der Bahn und mein Chef will mir kündigen.": "de",
    "Ma fille a de la fièvre depuis hier soir, combien de sirop je lui donne ?": "fr",
    "Mi abuela se cayó ayer y le duele la cadera. ¿Hay que ir a urgencias?": "es",
    "Ho comprato casa con mia moglie, posso detrarre le spese del bagno?": "it",
    "Kim był Witold Gombrowicz i o czym jest ta książka?": "pl",
    "O meu cunhado faz anos e não sei o que lhe dar": "pt",
    "Min granne spelar musik på natten och jag kan inte sova": "sv",
}


@pytest.mark.parametrize(("text", "language"), TOLD.items())
def test_small_words_tell_the_language(text: str, language: str) -> None:
    assert latin_language(text) == language


@pytest.mark.parametrize(
    "text",
    [
        "Dear Ann, the rent is due and I cannot pay it before Friday.",
        "Translate into German: where is the station?",
        "2026-02-11T09:12:44Z WARN auth login failed user=anna ip=203.0.113.9 ua=Mozilla",
        "Name,Team,Goals\nAsha,Red,4\nCarlos,Blue,7",
        "Emma Williams",
        "",
    ],
)
def test_english_and_what_tells_nothing_is_taken_for_english(text: str) -> None:
    assert latin_language(text) == "en"
