"""Training of the embedded models."""

if __name__ != "gama.training":
    raise ImportError("import it as gama.training")
