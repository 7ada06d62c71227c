"""Harnesses of the fuzzer."""
