"""The search for private values, what may cross, egress-checked transports, silence of logs and traces."""

if __name__ != "gama.guard":
    raise ImportError("import it as gama.guard")
