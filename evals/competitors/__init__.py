"""Other tools' finding and restoring, each in a virtual environment of its own and never imported here."""
