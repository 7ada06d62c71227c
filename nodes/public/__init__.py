"""Nodes of the public space: they see what crossed the airlock and nothing else."""
