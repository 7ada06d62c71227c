"""Datasets, methods, metrics and statistics of the evaluations."""

if __name__ != "gama.evals":
    raise ImportError("import it as gama.evals")
