"""Formulas over HTTP: `/anonymize` tells, `/restore` evaluates, and the box that comes back hides the results."""

import base64

import httpx

from tests.support import serving

LETTER = "The rent is £1,350.00, the deposit £2,025.00; the lease of Emma Williams ends on 12 May 2026."
REPLY = "Together {{ <amount-1> + <amount-2> }}, by {{ <date-1> + 30 days }}. {{ user.name }}"
TOLD = "Together £3,375.00, by 11 June 2026. {{ user.name }}"


def test_texts_and_documents_are_reckoned():
    with serving.serving() as server, httpx.Client(base_url=server.url, timeout=60) as http:
        plain = http.post("/anonymize", json={"text": LETTER}).json()
        assert plain["instructions"] == ""
        back = http.post("/restore", json={"text": REPLY, "box": plain["box"]}).json()
        assert "{{ £1,350.00 + £2,025.00 }}" in back["text"] and "box" not in back
        asked = http.post("/restore", json={"text": REPLY, "box": plain["box"], "formulas": True}).json()
        assert asked["text"] == TOLD
        told = http.post("/anonymize", json={"text": LETTER, "formulas": True}).json()
        assert "Reckoning with hidden values" in told["instructions"] and "1,350" not in told["instructions"]
        back = http.post("/restore", json={"text": REPLY, "box": told["box"], "places": True}).json()
        assert back["text"] == TOLD
        shown = {one["placeholder"]: back["text"][one["start"] : one["end"]] for one in back["restored"]}
        assert shown == {"{{ <amount-1> + <amount-2> }}": "£3,375.00", "{{ <date-1> + 30 days }}": "11 June 2026"}
        again = http.post("/anonymize", json={"text": "So it is 11 June 2026?", "box": back["box"]}).json()
        assert "June" not in again["anonymized"]
        wrong = http.post("/restore", json={"text": "{{ <amount-1> + <date-1> }}", "box": told["box"]}).json()
        assert len(wrong["unresolved"]) == 1 and "1,350" not in wrong["unresolved"][0]
        paper = {"name": "a.md", "data": base64.b64encode(LETTER.encode()).decode()}
        made = http.post("/documents/anonymize", json={**paper, "formulas": True}).json()
        assert "Reckoning" in made["instructions"]
        reply = {"name": "a.md", "data": base64.b64encode(REPLY.encode()).decode(), "box": made["box"]}
        done = http.post("/documents/restore", json=reply).json()
        assert base64.b64decode(done["data"]).decode() == TOLD and done["box"] != made["box"]
        assert not any("1,350" in str(line) or "3,375" in str(line) for line in server.log)
