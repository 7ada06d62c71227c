"""The wiring: the private graph, the public graph, the whole; factories for Studio and servers."""

if __name__ != "gama.graph":
    raise ImportError("import it as gama.graph")
