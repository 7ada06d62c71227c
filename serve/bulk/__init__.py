"""Whole datasets: folders, lines, tables and databases anonymized by all cores, resumable, and restored."""
