"""The faces: command line, and what people and programs meet."""

if __name__ != "gama.serve":
    raise ImportError("import it as gama.serve")
