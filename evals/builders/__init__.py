"""Data sets made anew, where the published ones have faults or may not be shipped."""
