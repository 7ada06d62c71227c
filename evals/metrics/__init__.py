"""Metrics of the evaluations."""
