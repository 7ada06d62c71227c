"""Indexed tags: `<name-1>`. They say what kind of value stood there, and which of its kind, and nothing else."""

from gama.tools.contract import Mention


class TagStyle:
    """Leaves every mention its tag."""

    name = "tag"
    reversible = True

    def write(self, mention: Mention) -> str | None:
        """Return the tag."""
        return mention.tag
