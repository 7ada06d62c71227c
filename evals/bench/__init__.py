"""Benchmarks of the system itself: what it adds to the time that the models take."""
