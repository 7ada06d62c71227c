"""The styles that need no value: indexed tags and classes."""

from gama.tools.contract import Mention


class TagStyle:
    """Leaves every mention its tag, `<name-1>`: it says what kind of value stood there, and which of its kind."""

    name = "tag"
    reversible = True

    def write(self, mention: Mention) -> str | None:
        """Return the tag."""
        return mention.tag


class IrreversibleStyle:
    """Writes the kind only, `<name>`: all values of a kind look alike, and nothing is kept to bring them back."""

    name = "irreversible"
    reversible = False

    def write(self, mention: Mention) -> str | None:
        """Return the class."""
        return f"<{mention.kind}>"
