"""Domain analysis: the reference domains, Eqs. 7 to 9, Top-K, and the prompts for the experts."""
