"""Annotated texts: how they are read, counted and hashed; training reads its own by the same door."""
