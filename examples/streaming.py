"""Streaming: the parts of a reply as they become known, and a stream of your own restored piece by piece."""

from gama import Anonymizer, Gama, Options

MODEL = None  # the built-in stand-in reader; or "openai:gpt-4o"
LETTER = "My name is Emma Williams. The notice period of my lease is three months. How long is the notice period?"

# First what left, then who was asked, then the answer. `astream` and `astream_events` do the same.
gama = Gama(Options(public_model=MODEL), keep=False)
for part in gama.stream({"question": LETTER}):
    for name in ("anonymized", "domains", "answer"):
        if name in part:
            print(f"{name}: {part[name]}")

# `watch` reports every stage as it ends, for a progress line.
print("stages:", *[progress.stage for progress in gama.watch(LETTER)])

# A stream of a model that you call yourself: only what may still become a placeholder is held back.
anonymizer = Anonymizer()
view = anonymizer.anonymize(LETTER)
pieces = ["Dear <na", "me-", "1>, three ", "months."]
print("pieces:", *[repr(piece) for piece in anonymizer.restore_stream(pieces, view.box)])
