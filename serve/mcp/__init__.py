"""GAMA as a server of the Model Context Protocol: anonymize, restore and ask for MCP clients."""
