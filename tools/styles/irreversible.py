"""Irreversible classes: `<name>`. All values of a kind look alike, and nothing is kept to bring them back."""

from gama.tools.contract import Mention


class IrreversibleStyle:
    """Writes the kind only."""

    name = "irreversible"
    reversible = False

    def write(self, mention: Mention) -> str | None:
        """Return the class."""
        return f"<{mention.kind}>"
