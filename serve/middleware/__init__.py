"""Middleware for LangChain's `create_agent`: the agent works on placeholders, its caller and chosen tools on values."""
