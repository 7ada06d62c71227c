"""Benchmarks: ratios measured in one run, since machines differ."""
