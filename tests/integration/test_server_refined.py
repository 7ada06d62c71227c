"""Refinement over HTTP: a look shows the changes, some are left, and the run takes the text as it was looked at."""

import base64
import itertools

import httpx
import pytest

from gama.state.options import Options
from tests.support import serving

LETTER = (
    "Dear Anna Schulz, I still stand at the crossing with the round sign when my husband rings the bell, and the small "
    "ones wave at me. My number is +49 30 901820.\n\nHow much is 12 % of 400 euros?"
)
TELLING = "with the round sign when my husband rings the bell"
ROUTE = "/threads/{}/review"


@pytest.fixture
def server(home, loopback, monkeypatch):
    """A server whose private LLM never rewrites twice in the same way."""
    numbers = itertools.count(1)

    def reply(request):
        system, user = (str(message["content"]) for message in request["messages"][:2])
        if "a stranger could work out" in system:
            known = "Type: occupation\nInference: SECRETREASON\nGuess: crossing guard\nCertainty: 5"
            return known if "round sign" in user else "Type: age\nGuess: none"
        if "You rewrite a text" in system:
            text = user.partition("The text:\n")[2]
            rewritten = text.replace(TELLING, f"on day number {'one two three four five'.split()[next(numbers) - 1]}")
            return f"Less.\n#\n{rewritten.replace('Dear', 'Hello')}"
        if "You compare a rewritten text" in system:
            return '{"readability": 9, "meaning": 9, "hallucination": 1}'
        return "[]" if "system" in request["messages"][0]["role"] else "fine"

    loopback.reply = reply
    options = Options(private_model="openai:hand", private_base_url=loopback.url, k=1, disprove="off")
    with serving.serving(options) as running, httpx.Client(base_url=running.url, timeout=200) as client:
        thread = client.post("/threads").json()["thread"]
        yield client, thread, loopback


def rewritings(loopback):
    return sum("You rewrite a text" in str(one["messages"][0]["content"]) for one in loopback.requests)


def test_a_look_shows_the_changes_and_the_run_takes_them_as_they_were(server):
    client, thread, loopback = server
    task = {"question": LETTER, "options": {"refine": "placeholders+refine"}}
    look = client.post(ROUTE.format(thread), json=task).json()
    assert [one["taken"] for one in look["changes"]] == [True, True]
    assert look["changes"][0] == {"before": "Dear", "after": "Hello", "taken": True}
    assert look["changes"][1]["before"] == TELLING and "day number one" in look["anonymized"]
    assert "SECRETREASON" not in str(look) and b"SECRETREASON" not in base64.urlsafe_b64decode(look["refinement"])
    given = task | {"refinement": look["refinement"]}
    less = client.post(ROUTE.format(thread), json=given | {"leave": [1]}).json()
    assert less["anonymized"] == look["anonymized"].replace("Hello", "Dear")
    assert [one["taken"] for one in less["changes"]] == [False, True]
    assert any(note == "You took 1 of 2 changes." for note in less["warnings"])
    again = client.post(ROUTE.format(thread), json=task | {"refinement": less["refinement"]}).json()
    assert again["anonymized"] == look["anonymized"], "what was left can be taken again"
    run = {"refinement": less["refinement"], "reviewed": less["anonymized"]}
    reply = client.post(f"/threads/{thread}/runs", json=task | run).json()
    assert reply["anonymized"] == less["anonymized"] and rewritings(loopback) == 1
    assert [one["after"] for one in reply["refinement"]["changes"]] == ["on day number one"]


def test_another_text_is_refined_anew_and_without_a_look_nothing_is_as_it_was(server):
    client, thread, loopback = server
    task = {"question": LETTER, "options": {"refine": "placeholders+refine"}}
    look = client.post(ROUTE.format(thread), json=task).json()
    other = task | {"question": f"Good morning. {LETTER}", "refinement": look["refinement"], "leave": [1]}
    told = client.post(ROUTE.format(thread), json=other).json()
    assert told["anonymized"].startswith("Good morning. Hello") and all(one["taken"] for one in told["changes"])
    late = client.post(f"/threads/{thread}/runs", json=task | {"reviewed": look["anonymized"]})
    assert late.status_code == 409 and rewritings(loopback) == 3
    plain = client.post(ROUTE.format(thread), json={"question": LETTER}).json()
    assert (plain["changes"], plain["refinement"]) == ([], None) and "round sign" in plain["anonymized"]


@pytest.mark.parametrize("mode", ["placeholders+refine", "refine"])
def test_no_private_value_is_in_the_changes(server, mode):
    client, thread, _ = server
    look = client.post(ROUTE.format(thread), json={"question": LETTER, "options": {"refine": mode}}).json()
    assert look["changes"] and not any(word in str(look) for word in ("Schulz", "901820"))


def test_what_cannot_be_used_is_refused(server):
    client, thread, _ = server
    task = {"question": LETTER, "options": {"refine": "placeholders+refine"}}
    look = client.post(ROUTE.format(thread), json=task).json()
    far = client.post(ROUTE.format(thread), json=task | {"refinement": look["refinement"], "leave": [3]})
    assert far.status_code == 400 and "`leave`" in far.text
    for path in (ROUTE.format(thread), f"/threads/{thread}/runs"):
        wrong = client.post(path, json=task | {"refinement": "AAAA"})
        assert wrong.status_code == 400
        boxed = client.post(path, json=task | {"refinement": look["box"]})
        assert boxed.status_code >= 400, "a sealed word of another kind"
