"""Several changes to one placeholder at once, drawn anew for each."""

from random import Random
from urllib.parse import quote

from gama.evals.mangling.base import Kind, Mangle, Mark, numbered
from gama.evals.mangling.wording import NAMES, lost, swapped, translated, wrong

_JOINTS = ("-", "_", " ", "–", "", " - ", "\u2011", ":")
_BRACKETS = (("<", ">"), ("[", "]"), ("{", "}"), ("<<", ">>"), ("[[", "]]"), ("«", "»"), ("", ""))
_ESCAPED = (("&lt;", "&gt;"), ("\\u003c", "\\u003e"), ("\\<", "\\>"), ("%3C", "%3E"), ("&#60;", "&#62;"))


def _case(text: str, rng: Random) -> str:
    return rng.choice((text.upper(), text.lower(), text.title()))


def _joint(mark: Mark, rng: Random) -> Mark:
    return mark._replace(joint=rng.choice([joint for joint in _JOINTS if joint != mark.joint]))


def _bracket(mark: Mark, rng: Random, pairs: tuple[tuple[str, str], ...] = _BRACKETS) -> Mark:
    left, right = rng.choice([pair for pair in pairs if pair[0] != mark.left])
    return mark._replace(left=left, right=right)


def case_and_joint(mark: Mark, rng: Random) -> str:
    """Other case, other joint."""
    return _case(str(_joint(mark, rng)), rng)


def case_and_brackets(mark: Mark, rng: Random) -> str:
    """Other case, other brackets or none."""
    return _case(str(_bracket(mark, rng)), rng)


def joint_and_brackets(mark: Mark, rng: Random) -> str:
    """Other joint, other brackets or none."""
    return str(_bracket(_joint(mark, rng), rng))


def escape_and_joint(mark: Mark, rng: Random) -> str:
    """Escaped brackets, other joint."""
    return str(_bracket(_joint(mark, rng), rng, _ESCAPED))


def escape_and_case(mark: Mark, rng: Random) -> str:
    """Escaped brackets, other case of the word."""
    other = _bracket(mark, rng, _ESCAPED)
    return str(other._replace(word=_case(other.word, rng)))


def emphasis_and_joint(mark: Mark, rng: Random) -> str:
    """Emphasis inside the brackets, other joint."""
    sign = rng.choice(("*", "**", "`"))
    other = _joint(mark, rng)
    return f"{other.left}{sign}{other.core}{sign}{other.right}"


def translation_and_joint(mark: Mark, rng: Random) -> str | None:
    """A translated type word, other joint."""
    return _after(translated(rng.choice(list(NAMES))), mark, _joint(mark, rng), rng)


def translation_and_brackets(mark: Mark, rng: Random) -> str | None:
    """A translated type word, other brackets or none."""
    return _after(translated(rng.choice(list(NAMES))), mark, _bracket(mark, rng), rng)


def slip_and_case(mark: Mark, rng: Random) -> str | None:
    """A slip in the word, other case."""
    found = _after(rng.choice((lost, swapped, wrong)), mark, mark, rng)
    return None if found is None else _case(found, rng)


def slip_and_brackets(mark: Mark, rng: Random) -> str | None:
    """A slip in the word, other brackets or none."""
    return _after(rng.choice((lost, swapped, wrong)), mark, _bracket(mark, rng), rng)


def quoted_whole(mark: Mark, rng: Random) -> str:
    """Other case and joint, and all of it as it stands in a URL."""
    return quote(case_and_joint(mark, rng), safe="")


def _after(change: Mangle, mark: Mark, other: Mark, rng: Random) -> str | None:
    """Change the word of a placeholder, then put it between what was chosen for the rest."""
    made = change(mark, rng)
    if not isinstance(made, str):
        return None
    word = made[len(mark.left) : len(made) - len(f"{mark.joint}{mark.number}{mark.right}")]
    return str(other._replace(word=word))


def _kind(name: str, mangle: Mangle) -> Kind:
    return Kind(name, "several at once", numbered(mangle))


KINDS = (
    _kind("case and joint", case_and_joint),
    _kind("case and brackets", case_and_brackets),
    _kind("joint and brackets", joint_and_brackets),
    _kind("escape and joint", escape_and_joint),
    _kind("escape and case", escape_and_case),
    _kind("emphasis and joint", emphasis_and_joint),
    _kind("case, joint and all quoted for a URL", quoted_whole),
    _kind("translation and joint", translation_and_joint),
    _kind("translation and brackets", translation_and_brackets),
    _kind("slip and case", slip_and_case),
    _kind("slip and brackets", slip_and_brackets),
)
