"""The steps of the graphs: `private`, `public`, and the airlock between them."""

if __name__ != "gama.nodes":
    raise ImportError("import it as gama.nodes")
