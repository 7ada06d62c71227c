"""Placeholder styles: how a private value is written in the text that leaves."""
