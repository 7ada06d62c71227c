"""Texts and threads over HTTP: round trip, review, going on, isolation of keys, forgetting."""

import httpx
import pytest

from gama.state.options import Options
from tests.support import serving

NAME = "Thessaly Quornbeck"
LETTER = f"My name is {NAME}. The shop opens at nine. When does the shop open?"
KEYS = """
[keys.alice]
key = "alice-has-a-long-key"
[keys.bob]
sha256 = "{digest}"
"""

pytestmark = pytest.mark.usefixtures("few_names")


@pytest.fixture
def keys(tmp_path):
    import hashlib

    file = tmp_path / "keys.toml"
    file.write_text(KEYS.format(digest=hashlib.sha256(b"bob-has-another-one").hexdigest()))
    return file


def test_texts(home):
    with serving.serving(Options()) as server, httpx.Client(base_url=server.url, timeout=100) as client:
        first = client.post("/anonymize", json={"text": f"I am {NAME}."}).json()
        assert first["anonymized"] == "I am <name-1>." and first["entities"][0]["placeholder"] == "<name-1>"
        assert "text" not in first["entities"][0] and not {"Thessaly", "Quornbeck"} & set(str(first).split())
        told = client.post("/anonymize", json={"text": f"I am {NAME}.", "with_values": True}).json()
        assert told["entities"][0]["text"] == NAME
        again = client.post("/anonymize", json={"text": f"Ambrose Tilling met {NAME}.", "box": first["box"]}).json()
        assert again["anonymized"] == "<name-2> met <name-1>."
        back = client.post("/restore", json={"text": "<name-2>, <name-1>, <name-9>", "box": again["box"]}).json()
        assert back == {
            "text": f"Ambrose Tilling, {NAME}, <name-9>",
            "unresolved": ["<name-9>"],
            "unused": [],
            "withheld": [],
        }
        found = client.post("/identify", json={"text": "Project Falcon", "options": {"deny": ["Falcon"]}}).json()
        assert [entity["text"] for entity in found["entities"]] == ["Falcon"]
        assert client.post("/restore", json={"text": "x", "box": "AAAA"}).status_code == 400
        assert client.post("/anonymize", json={"text": " "}).status_code == 400
        assert client.post("/anonymize", json={"text": "x", "options": {"prompts": "/etc"}}).status_code == 400
        # The box is the server's to read: nothing of it can be seen in what the client holds.
        import base64

        assert NAME.encode() not in base64.urlsafe_b64decode(first["box"])


def test_threads(home, keys):
    alice, bob = ({"x-gama-key": key} for key in ("alice-has-a-long-key", "bob-has-another-one"))
    with serving.serving(Options(disprove="off", k=1), keys=keys) as server:
        with httpx.Client(base_url=server.url, headers=alice, timeout=200) as client:
            thread = client.post("/threads").json()["thread"]
            look = client.post(f"/threads/{thread}/review", json={"question": LETTER, "hide": ["nine"]}).json()
            assert "<name-1>" in look["anonymized"] and "nine" not in look["anonymized"]
            assert not any("text" in one for one in look["entities"]) and NAME not in str(look)
            asked = {"question": LETTER, "with_values": True}
            shown = client.post(f"/threads/{thread}/review", json=asked).json()
            assert NAME in [one["text"] for one in shown["entities"]]
            assert client.get("/threads").json() == {"threads": []}, "nothing is kept before something is asked"
            reply = client.post(f"/threads/{thread}/runs", json={"question": LETTER, "options": {"k": 1}}).json()
            assert "nine" in reply["answer"] and reply["thread"] == thread
            assert client.get("/threads").json() == {"threads": [thread]}
            kept = client.get(f"/threads/{thread}").json()
            assert kept["status"] == "done" and kept["reply"]["answer"] == reply["answer"]
            look = client.post(f"/threads/{thread}/review", json={"question": f"Ambrose Tilling asks {NAME}."}).json()
            assert look["anonymized"] == "<name-2> asks <name-1>.", "the thread's placeholders go on"
            assert client.post(f"/threads/{thread}/resume").json()["answer"] == reply["answer"]
            box = client.post("/anonymize", json={"text": LETTER}).json()["box"]
        with httpx.Client(base_url=server.url, headers=bob, timeout=200) as client:
            assert client.get("/threads").json() == {"threads": []}
            assert client.get(f"/threads/{thread}").status_code == 404
            assert client.delete(f"/threads/{thread}").status_code == 404
            assert client.get("/threads/alice:x").status_code == 400
            assert client.post("/restore", json={"text": "<name-1>", "box": box}).status_code == 400
        with httpx.Client(base_url=server.url, headers=alice, timeout=200) as client:
            assert client.delete(f"/threads/{thread}").json()["forgotten"] is True
            assert client.get(f"/threads/{thread}").status_code == 404
            assert client.post(f"/threads/{thread}/resume").status_code == 404


def test_a_server_that_keeps_nothing(home):
    with serving.serving(Options(disprove="off", k=1), keep=False) as server:
        with httpx.Client(base_url=server.url, timeout=200) as client:
            reply = client.post("/threads/t/runs", json={"question": LETTER}).json()
            assert "nine" in reply["answer"]
            assert client.get("/threads/t").status_code == 400 and client.get("/threads").json() == {"threads": []}
    assert not home.exists() or not [path for path in home.rglob("*") if path.is_file()]


def test_a_review_tells_what_goes_along(home):
    with (
        serving.serving(Options(disprove="off", k=1)) as server,
        httpx.Client(base_url=server.url, timeout=200) as client,
    ):
        thread = client.post("/threads").json()["thread"]
        asked = {"question": LETTER}
        assert client.post(f"/threads/{thread}/review", json=asked).json()["earlier"] == []
        answer = client.post(f"/threads/{thread}/runs", json=asked).json()
        more = {"question": "And what is sold there on Sundays?"}
        look = client.post(f"/threads/{thread}/review", json=more).json()
        assert [turn["text"] for turn in look["earlier"]] == [answer["anonymized"]] and not look["warnings"]
        assert NAME not in str(look["earlier"]) and "<name-1>" in look["earlier"][0]["text"]
        run = client.post(f"/threads/{thread}/runs", json=more | {"reviewed": look["anonymized"]}).json()
        assert run["earlier"] == len(look["earlier"])
        # Hidden in the new text, it is in the old one, too; hidden where the new text has it not, the old one stays.
        hiding = client.post(f"/threads/{thread}/review", json={"question": "What is a shop?", "hide": ["shop"]}).json()
        assert hiding["earlier"] and "shop" not in hiding["earlier"][0]["text"]
        denied = client.post(f"/threads/{thread}/review", json={"question": "What is it?", "hide": ["opens"]}).json()
        assert "opens" not in str(denied["earlier"]) and "does not go along" in denied["warnings"][-1]
        none = {"question": "What is it?", "options": {"earlier": 0}}
        assert client.post(f"/threads/{thread}/review", json=none).json()["earlier"] == []
