"""Formulas: what a public model writes over placeholders, reckoned at home; see docs/formulas.md."""
