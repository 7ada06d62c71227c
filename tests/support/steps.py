"""Work counted in steps of the interpreter, not in seconds, and texts about as many people as one likes."""

import sys
from collections.abc import Callable

from gama.state.entities import TYPE_OF, Entity

FIRST = ("Emma", "Noah", "Olivia", "Liam", "Ava", "Ethan", "Mia")
SYLLABLES = ("bar", "ces", "dol", "fen", "gur", "hal", "jov", "kem", "lis", "mor")


def steps(work: Callable[[], object]) -> int:
    """Count the instructions that some work takes."""
    count = 0

    def trace(frame, event, argument):
        nonlocal count
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def record(number: int) -> tuple[str, list[Entity]]:
    """Return a text about somebody with his or her mentions; every number is another person."""
    first = FIRST[number % len(FIRST)]
    last = "".join(SYLLABLES[int(digit)] for digit in f"{number:04}").capitalize()
    told = {
        "full_name": f"{first} {last}", "email": f"{first}.{last}@mail.example".lower(),
        "phone": f"+44 20 7946 {number:04}", "first_name": first,
    }  # fmt: skip
    text = "{full_name} writes from {email} or {phone}. {first_name} asks for a refund.".format(**told)
    found = []
    for subtype, value in told.items():
        at = text.rindex(value)
        found.append(
            Entity(text=value, start=at, end=at + len(value), type=TYPE_OF[subtype], subtype=subtype, views=("regex",))
        )
    return text, sorted(found, key=lambda one: one.start)
