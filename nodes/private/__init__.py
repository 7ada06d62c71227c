"""Nodes that see private text: they run on the user's own machine only."""
