"""Placeholders: how they look, Map (Eq. 5), Remap (Eq. 6), and Remap over a stream."""
