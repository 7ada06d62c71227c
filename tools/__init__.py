"""Plugin tools: recognizers, placeholders (Map and Remap), the domain index; the registry and its contract."""

if __name__ != "gama.tools":
    raise ImportError("import it as gama.tools")
