"""What travels, as data: entities, the privacy box, the task that may cross, graph states, options, errors."""

if __name__ != "gama.state":
    raise ImportError("import it as gama.state")
