"""What public experts may call: calculator, puzzle solver, look-up in documents, and the MCP servers of the user."""
