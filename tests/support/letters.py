"""A hundred varied texts with their annotation, and letters with planted secrets."""

import json
import re
from pathlib import Path
from typing import NamedTuple

MARK = re.compile(r"⟦([^|⟧]+)\|([A-Z]+)\.([a-z_]+)\|([^|⟧]+)(\|public)?⟧")


class Letter(NamedTuple):
    id: str
    text: str
    query: str
    private: tuple[str, ...]


def hundred() -> list[Letter]:
    rows = (Path(__file__).parents[1] / "data" / "letters.jsonl").read_text(encoding="utf-8").splitlines()
    letters = []
    for row in map(json.loads, rows):
        private = tuple(m[1] for m in MARK.finditer(row["text"]) if not m[5])
        letters.append(Letter(row["id"], MARK.sub(lambda m: m[1], row["text"]), row["query"], private))
    return letters


SECRETS = ("Thessaly Quornbeck", "t.quornbeck@planted.example", "GB29 NWBK 6016 1331 9268 19", "+44 7700 900461")
PLANTED = f"""Dear Sir or Madam,

my name is {SECRETS[0]}. Please tell me how long the notice period of my lease is. You can reach me at {SECRETS[1]} or \
{SECRETS[3]}. The deposit should be paid to IBAN {SECRETS[2]}. The lease says that the notice period is three months.

Kind regards,
{SECRETS[0]}
"""


OTHER = bytes(set(range(256)) - set(b"abcdefghijklmnopqrstuvwxyz0123456789@."))


def hits(blob: bytes) -> list[str]:
    """Return which secrets occur in bytes, as written or without spaces, in any case."""
    # Bytes, not text: a database has many of them, and the secrets are ASCII.
    text = blob.lower()
    squeezed = text.translate(None, OTHER)
    found = [s for s in SECRETS if s.lower().encode() in text or s.lower().encode().translate(None, OTHER) in squeezed]
    return found + [word for word in ("quornbeck", "thessaly") if word.encode() in text]
