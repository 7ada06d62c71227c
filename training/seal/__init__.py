"""The training of self-refining anonymizers (SEAL; spec 04 §4.2)."""
