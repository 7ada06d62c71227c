"""Disproof: the two published variants of the logic enhancement behind one contract (`base.py`)."""
