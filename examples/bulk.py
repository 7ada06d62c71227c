"""A data team: a file of records is anonymized in bulk, worked on elsewhere, and reversed later.

From the command line: `gama anonymize --jsonl tickets.jsonl --box tickets.box > hidden.jsonl`, then `gama restore`.
"""

import json
import tempfile
from pathlib import Path

from gama import Anonymizer, PrivacyBox

RECORDS = [
    {"id": 1, "text": "Emma Williams asks for a refund to GB29 NWBK 6016 1331 9268 19."},
    {"id": 2, "text": "Daniel Jones called; Emma Williams is to call him on +44 20 7946 0958."},
    {"id": 3, "text": "Is the shop open?"},
]

with tempfile.TemporaryDirectory() as folder:
    source, hidden, box_file = (Path(folder) / name for name in ("tickets.jsonl", "hidden.jsonl", "tickets.box"))
    source.write_text("\n".join(map(json.dumps, RECORDS)), encoding="utf-8")

    # One box for all records: the same person has the same placeholder everywhere.
    anonymizer, box = Anonymizer(), PrivacyBox()
    with hidden.open("w", encoding="utf-8") as out:
        for line in source.open(encoding="utf-8"):
            record = json.loads(line)
            view = anonymizer.extend(record["text"], box)
            box = view.box
            out.write(json.dumps({"id": record["id"], "text": view.text}) + "\n")
            print("hidden:", view.text)
    box.save(box_file)  # encrypted under the key of the home folder

    # Later, in another process: the way back.
    kept = PrivacyBox.load(box_file)
    restored = [anonymizer.restore(json.loads(line)["text"], kept).text for line in hidden.open(encoding="utf-8")]
    print("all back:", restored == [record["text"] for record in RECORDS])
    print("the box is readable by eye:", "Emma" in box_file.read_text(encoding="utf-8"))
