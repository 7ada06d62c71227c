"""What must be left alone: halves, inventions, and ordinary words that look like placeholders."""

from random import Random

from gama.evals.mangling.base import Kind, Mangle, Mark, numbered


def cut(mark: Mark, rng: Random) -> str | None:
    """Cut off within the word or behind its joint."""
    whole = f"{mark.left}{mark.word}{mark.joint}"
    return whole[: rng.randint(len(mark.left) + 1, len(whole))]


def cut_in_number(mark: Mark, rng: Random) -> str | None:
    """Cut off within a number of several digits."""
    digits = str(mark.number)
    return None if len(digits) < 2 else f"{mark.left}{mark.word}{mark.joint}{digits[: rng.randint(1, len(digits) - 1)]}"


def without_number(mark: Mark, rng: Random) -> str:
    """The number is lost."""
    return f"{mark.left}{mark.word}{mark.right}"


def without_digits(mark: Mark, rng: Random) -> str:
    """The number is lost, its joint is not."""
    return f"{mark.left}{mark.word}{mark.joint}{mark.right}"


def invented_number(mark: Mark, rng: Random) -> str:
    """A number that nobody has."""
    return str(mark._replace(number=(mark.number or 0) + 70_000))


def invented_letter(mark: Mark, rng: Random) -> str:
    """A letter in the place of the number."""
    return f"{mark.left}{mark.word}{mark.joint}{rng.choice('ABCD')}{mark.right}"


def invented_word(mark: Mark, rng: Random) -> str:
    """A word that is not the word of any type."""
    word = rng.choice(("witness", "child", "bridge", "sentence"))
    return str(mark._replace(word=word.upper() if mark.word.isupper() else word))


def other_word(mark: Mark, rng: Random) -> str:
    """An ordinary word, a letter away from a type's."""
    word = rng.choice(("game", "same", "phase", "emu", "locution", "vocation", "reason", "parson"))
    return str(mark._replace(word=word.upper() if mark.word.isupper() else word))


def two_slips(mark: Mark, rng: Random) -> str | None:
    """Two letters of the word are wrong."""
    word = mark.word
    if len(word) < 4:
        return None
    signs = ("Q", "X") if word.isupper() else ("q", "x")
    return str(mark._replace(word=word[0] + signs[0] + signs[1] + word[3:]))


def fraction(mark: Mark, rng: Random) -> str:
    """A number with a part behind the point, without brackets."""
    return f"{mark.core}.5"


def bare_words(mark: Mark, rng: Random) -> str:
    """Word and number of ordinary prose."""
    return f"{mark.word.lower().replace('_', ' ')} {mark.number}"


def as_index(mark: Mark, rng: Random) -> str:
    """An expression in code."""
    return f"{mark.word.lower()}s[{mark.word.lower()} - {mark.number}]"


def as_field(mark: Mark, rng: Random) -> str:
    """A field of an object in code."""
    return f"{{{mark.word.lower()}: {mark.number}}}"


def longer_name(mark: Mark, rng: Random) -> str:
    """Part of a longer name."""
    return f"file{mark.core} and {mark.core}th"


def _kind(name: str, mangle: Mangle, frames: tuple[str, ...] | None = None) -> Kind:
    known = {"frames": frames} if frames else {}
    return Kind(name, "to be left alone", numbered(mangle), alone=True, **known)  # type: ignore[arg-type]


_END = ("We wrote on Monday, and then {0}",)

KINDS = (
    _kind("cut off in the word, at the end", cut, _END),
    _kind("cut off in the number, at the end", cut_in_number, _END),
    _kind("number lost", without_number),
    _kind("number lost, joint kept", without_digits),
    _kind("invented number", invented_number),
    _kind("letter for the number", invented_letter),
    _kind("invented word", invented_word),
    _kind("another word, a letter away", other_word),
    _kind("two wrong letters", two_slips),
    _kind("number with a fraction", fraction),
    _kind("words of prose", bare_words),
    _kind("index in code", as_index),
    _kind("field in code", as_field),
    _kind("part of a longer name", longer_name),
)
