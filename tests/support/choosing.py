"""A selector with a fixed judgement, in the place of the embedded model."""


class FixedSelector:
    """A selector that needs what it is told, and notes what it is asked."""

    threshold = 0.5

    def __init__(self, *needed: str) -> None:
        self.needed = needed
        self.asked: list[tuple[str, str]] = []

    def scores(self, text, query, stretches):
        self.asked.append((text, query))
        return [0.9 if text[start:end] in self.needed else 0.1 for start, end in stretches]
