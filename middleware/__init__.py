"""Middleware for LangChain's `create_agent`: the agent works on placeholders, its caller and chosen tools on values."""

if __name__ != "gama.middleware":
    raise ImportError("import it as gama.middleware")
