"""Languages and scripts: which one each part of a text is in, and the names in those that the tagger has not learnt."""
