"""The functions of the language: those of times, of numbers and lists, of names and places."""

from gama.tools.formulas import lists, people, times
from gama.tools.formulas.contract import FUNCTIONS, Function

GROUPS = (times, lists, people)
"""Where the functions are declared."""

__all__ = ["FUNCTIONS", "GROUPS", "Function"]
