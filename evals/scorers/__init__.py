"""From an answer to marks: pure functions, a file for each data set, in both papers' definitions."""
