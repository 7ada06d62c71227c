"""The chat models of the two spaces, the embedded encoder and its weights, the checked public client."""

if __name__ != "gama.models":
    raise ImportError("import it as gama.models")
