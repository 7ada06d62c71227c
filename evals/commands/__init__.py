"""The commands of `gama eval` and `gama bench`. The command line loads them: each imports in its body."""
