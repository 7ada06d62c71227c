"""Self-refining anonymization: rewriting a text at home until its context gives nothing away (SEAL; spec 04)."""
