"""Benchmarks: ratios measured in one run, since machines differ, and what the system adds to the models' time."""
