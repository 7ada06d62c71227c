"""Documents of a format with planted secrets, and the search for them in finished files."""

import base64
import io
import re
import zipfile

SECRETS = (
    "Thessaly Quornbeck", "Quornbeck", "Ambrose Tilling", "t.quornbeck@planted.example", "GB29 NWBK 6016 1331 9268 19",
    "+44 7700 900461", "Kerensa Holloway",
)  # fmt: skip


def hits(blob: bytes) -> list[str]:
    """Return which secrets stand in bytes, zips and base64 opened, tags taken out."""
    texts = [blob]
    if blob.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(blob)) as file:
            texts = [file.read(name) for name in file.namelist()]
    for run in re.findall(rb"(?:[A-Za-z0-9+/]{40,}=*\s*)+", blob):
        try:
            inner = base64.b64decode(re.sub(rb"\s", b"", run))
        except ValueError:
            continue
        texts.append(inner)
        if inner.startswith(b"PK"):
            with zipfile.ZipFile(io.BytesIO(inner)) as file:
                texts += [file.read(name) for name in file.namelist()]
    found = []
    for text in texts:
        plain = text.decode("utf-8", "replace")
        forms = (plain.casefold(), re.sub(r"<[^>]*>", "", plain).casefold(), plain.replace("=\n", "").casefold())
        found += [secret for secret in SECRETS if any(secret.casefold() in form for form in forms)]
    return found


FLAT = {
    "txt": "My name is Thessaly Quornbeck.\r\nMail t.quornbeck@planted.example; café.\r\n",
    "md": "# Lease\n\nMy name is **Thessaly Quornbeck**, IBAN `GB29 NWBK 6016 1331 9268 19`.\n",
    "csv": 'Name;Note;Phone\r\n"Quornbeck, Thessaly";"said ""hello"" to Ambrose Tilling";+44 7700 900461\r\n'
    "Thessaly Quornbeck;plain;5\r\n",
    "tsv": "Name\tMail\nThessaly Quornbeck\tt.quornbeck@planted.example\n",
    "json": '{"name": "Thessaly Quornbeck", "age": 44,\n  "phone": 447700900461, "mail": "t.quornbeck@planted.example",\n'
    ' "note": "caf\\u00e9 \\"with\\" Thessaly Quornbeck", "list": [1, 2.5, null, true], "Thessaly Quornbeck": {}}\n',
    "jsonl": '{"id": 1, "text": "I am Thessaly Quornbeck."}\n\n{"id": 2, "text": "Thessaly Quornbeck again"}\n',
    "html": '<!DOCTYPE html><html><head><title>Lease</title><style>p { color: red }</style></head><body class="name-1">'
    "<!-- for Thessaly Quornbeck --><p>My name is <b>Thessaly</b> Quorn<i>beck</i> &amp; I live caf&eacute;.</p>"
    '<img alt="Photo of Thessaly Quornbeck" src="x.png"><script>var who = "Thessaly Quornbeck";</script></body></html>',
}  # fmt: skip
