"""How much each API key may do: counted in a process, or where all workers of a server look."""
