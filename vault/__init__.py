"""Keys, sealing, encrypted savers and stores, boxes at rest, erasure."""

if __name__ != "gama.vault":
    raise ImportError("import it as gama.vault")
