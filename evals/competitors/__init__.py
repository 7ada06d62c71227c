"""Other tools' restoring on the same changes, each in a virtual environment of its own and never imported here."""
