"""The data sets as tasks of Inspect: items, solvers, scorers, the run with its costs, and its logs."""
