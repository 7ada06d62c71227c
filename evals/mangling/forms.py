"""Changes to the form of a placeholder: case, spacing, joints, brackets."""

from random import Random

from gama.evals.mangling.base import Kind, Mangle, Mark, kept, numbered, stays

_WIDE = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
# Latin letters and the Cyrillic ones that look like them.
_TWINS = str.maketrans("aeopcxi", "аеорсхі")


def unchanged(mark: Mark, rng: Random) -> str:
    """As it was sent."""
    return str(mark)


def upper(mark: Mark, rng: Random) -> str:
    """All capitals."""
    return str(mark).upper()


def lower(mark: Mark, rng: Random) -> str:
    """All small letters."""
    return str(mark).lower()


def title(mark: Mark, rng: Random) -> str:
    """A capital for every word."""
    return str(mark).title()


def mixed(mark: Mark, rng: Random) -> str:
    """Capitals anywhere."""
    return "".join(rng.choice((sign.lower(), sign.upper())) for sign in str(mark))


def camel(mark: Mark, rng: Random) -> str:
    """Words written together with capitals, as identifiers are: `<FirstName-1>`."""
    return str(mark._replace(word="".join(word.capitalize() for word in mark.word.replace("_", " ").split())))


def spaced(mark: Mark, rng: Random) -> str:
    """Spaces beside the brackets."""
    return f"{mark.left} {mark.core} {mark.right}"


def line_break(mark: Mark, rng: Random) -> str:
    """The line ends behind the joint."""
    return str(mark._replace(joint=mark.joint + "\n"))


def hyphenated(mark: Mark, rng: Random) -> str:
    """The word is broken at the end of a line."""
    at = len(mark.word) // 2
    return str(mark._replace(word=f"{mark.word[:at]}-\n{mark.word[at:]}"))


def letter_spaced(mark: Mark, rng: Random) -> str:
    """A space between all letters."""
    return f"{mark.left}{' '.join(f'{mark.word}{mark.joint}')} {mark.number}{mark.right}"


def wide(mark: Mark, rng: Random) -> str:
    """Full-width letters, digits and brackets."""
    return str(mark).translate(_WIDE)


def wide_digits(mark: Mark, rng: Random) -> str:
    """Full-width digits."""
    return f"{mark.left}{mark.word}{mark.joint}{str(mark.number).translate(_WIDE)}{mark.right}"


def twin(mark: Mark, rng: Random) -> str | None:
    """One letter of another script that looks the same."""
    places = [at for at, sign in enumerate(mark.word.lower()) if ord(sign) in _TWINS]
    if not places or len(mark.word) < 4:
        return None
    at = rng.choice(places)
    return str(mark._replace(word=mark.word[:at] + mark.word[at].lower().translate(_TWINS) + mark.word[at + 1 :]))


def holding(sign: str) -> Mangle:
    """Put a sign, which cannot be seen, somewhere into the word."""

    def mangle(mark: Mark, rng: Random) -> str:
        at = rng.randint(1, len(mark.word) - 1)
        return str(mark._replace(word=mark.word[:at] + sign + mark.word[at:]))

    return mangle


def joined(joint: str) -> Mangle:
    """Join word and number by another sign; the words of a type, too, where the sign can do that."""

    def mangle(mark: Mark, rng: Random) -> str | None:
        other = mark._replace(joint=joint)
        if len(joint) == 1 and joint not in ".:":
            other = other._replace(word=mark.word.replace("_", joint))
        return None if other == mark else str(other)

    return numbered(mangle)


def numbered_as(number: str) -> Mangle:
    """Write the number otherwise; `{}` stands for it."""
    return numbered(lambda mark, rng: f"{mark.left}{mark.word}{number.format(mark.number)}{mark.right}")


def bracketed(left: str, right: str) -> Mangle:
    """Put other brackets around, or none."""

    def mangle(mark: Mark, rng: Random) -> str | None:
        return None if (left, right) == (mark.left, mark.right) else f"{left}{mark.core}{right}"

    return numbered(mangle)


def doubled(times: int) -> Mangle:
    """Write every bracket several times."""
    return numbered(lambda mark, rng: mark.left * times + mark.core + mark.right * times)


def left_lost(mark: Mark, rng: Random) -> str:
    """The opening bracket is lost."""
    return f"{mark.core}{mark.right}"


def right_lost(mark: Mark, rng: Random) -> str:
    """The closing bracket is lost."""
    return f"{mark.left}{mark.core}"


def signed(before: str, after: str) -> Mangle:
    """Put signs in the place of the brackets that the answer may want for itself, such as quotes."""
    return numbered(lambda mark, rng: kept(before, mark.core, after))


def prefixed(before: str) -> Mangle:
    """Put a sign before the bare placeholder that stays: `@name-1`."""
    return numbered(lambda mark, rng: stays(before, mark.core, ""))


def _kind(name: str, mangle: Mangle, group: str = "form") -> Kind:
    return Kind(name, group, mangle)


KINDS = (
    _kind("unchanged", unchanged),
    _kind("upper case", upper),
    _kind("lower case", lower),
    _kind("title case", title),
    _kind("case anywhere", mixed),
    _kind("words together in capitals", numbered(lambda mark, rng: camel(mark, rng))),
    _kind("spaces inside the brackets", numbered(spaced)),
    _kind("line break inside", numbered(line_break)),
    _kind("word broken at the line's end", numbered(hyphenated)),
    _kind("letters spaced", numbered(letter_spaced)),
    _kind("full-width letters and brackets", numbered(wide)),
    _kind("full-width digits", numbered(wide_digits)),
    _kind("a letter of another script that looks the same", numbered(twin)),
    _kind("zero-width space inside", holding("\u200b")),
    _kind("soft hyphen inside", holding("\u00ad")),
    _kind("right-to-left mark inside", holding("\u200f")),
    _kind("joint: none", joined("")),
    _kind("joint: space", joined(" ")),
    _kind("joint: no-break space", joined("\u00a0")),
    _kind("joint: hyphen", joined("-")),
    _kind("joint: underscore", joined("_")),
    _kind("joint: en dash", joined("–")),
    _kind("joint: em dash", joined("—")),
    _kind("joint: non-breaking hyphen", joined("\u2011")),
    _kind("joint: minus sign", joined("\u2212")),
    _kind("joint: hyphen in spaces", joined(" - ")),
    _kind("joint: colon", joined(":")),
    _kind("joint: dot", joined(".")),
    _kind("number: #1", numbered_as(" #{}")),
    _kind("number: no. 1", numbered_as(" no. {}")),
    _kind("number: 01", numbered_as("-0{}")),
    _kind("number: (1)", numbered_as(" ({})")),
    _kind("brackets lost", bracketed("", ""), "brackets"),
    _kind("opening bracket lost", numbered(left_lost), "brackets"),
    _kind("closing bracket lost", numbered(right_lost), "brackets"),
    _kind("brackets doubled", doubled(2), "brackets"),
    _kind("brackets tripled", doubled(3), "brackets"),
    _kind("angle brackets", bracketed("<", ">"), "brackets"),
    _kind("square brackets", bracketed("[", "]"), "brackets"),
    _kind("double square brackets", bracketed("[[", "]]"), "brackets"),
    _kind("curly brackets", bracketed("{", "}"), "brackets"),
    _kind("double curly brackets", bracketed("{{", "}}"), "brackets"),
    _kind("template with a dollar sign", bracketed("${", "}"), "brackets"),
    _kind("guillemets", bracketed("«", "»"), "brackets"),
    _kind("single guillemets", bracketed("‹", "›"), "brackets"),
    _kind("East Asian brackets 〈 〉", bracketed("〈", "〉"), "brackets"),
    _kind("East Asian brackets 《 》", bracketed("《", "》"), "brackets"),
    _kind("East Asian brackets 【 】", bracketed("【", "】"), "brackets"),
    _kind("East Asian brackets 「 」", bracketed("「", "」"), "brackets"),
    _kind("round brackets", signed("(", ")"), "brackets"),
    _kind("double quotes", signed('"', '"'), "brackets"),
    _kind("single quotes", signed("'", "'"), "brackets"),
    _kind("curly quotes", signed("“", "”"), "brackets"),
    _kind("low and high quotes", signed("„", "“"), "brackets"),
    _kind("bars", signed("|", "|"), "brackets"),
    _kind("percent signs", signed("%", "%"), "brackets"),
    _kind("underscores", signed("__", "__"), "brackets"),
    _kind("at sign", prefixed("@"), "brackets"),
    _kind("number sign", prefixed("#"), "brackets"),
)
