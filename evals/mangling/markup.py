"""Changes by markup and escapes: Markdown, HTML and XML, JSON and Python strings, URLs."""

import html
from random import Random
from urllib.parse import quote

from gama.evals.mangling.base import VALUE, Kind, Mangle, Mangled, Mark, numbered, stays


def around(before: str, after: str) -> Mangle:
    """Put markup around that stays."""
    return lambda mark, rng: stays(before, str(mark), after)


def inside(before: str, after: str) -> Mangle:
    """Put markup between the brackets and what they hold."""
    return numbered(lambda mark, rng: f"{mark.left}{before}{mark.core}{after}{mark.right}")


def on_word(before: str, after: str) -> Mangle:
    """Put markup around the word."""
    return numbered(lambda mark, rng: str(mark._replace(word=f"{before}{mark.word}{after}")))


def on_number(before: str, after: str) -> Mangle:
    """Put markup around the number."""
    return numbered(lambda mark, rng: f"{mark.left}{mark.word}{mark.joint}{before}{mark.number}{after}{mark.right}")


def linked(mark: Mark, rng: Random) -> Mangled:
    """The text of a link."""
    return stays("[", str(mark), "](https://example.org/page)")


def bare_linked(mark: Mark, rng: Random) -> Mangled:
    """The text of a link, whose brackets took the place of the placeholder's."""
    return stays("[", mark.core, "](https://example.org/page)")


def with_anchor(mark: Mark, rng: Random) -> Mangled:
    """A link to an anchor of the same name."""
    return Mangled(f"[{mark}](#{mark.core})", (f"[{VALUE}](#{VALUE})",))


def markdown_escaped(mark: Mark, rng: Random) -> str:
    """Backslashes before everything that Markdown might take for markup."""
    return "".join("\\" + sign if sign in "<>[]{}_*-" else sign for sign in str(mark))


def bracket_escaped(mark: Mark, rng: Random) -> str:
    """Backslashes before the brackets."""
    return "".join("\\" + sign if sign in "<>[]{}" else sign for sign in str(mark))


def escaped_once(write: str) -> Mangle:
    """Write the brackets by their codes; `write` is a format for the code."""
    return numbered(lambda mark, rng: _brackets(mark, lambda sign: write.format(code=ord(sign))))


def _brackets(mark: Mark, change: "object") -> str:
    assert callable(change)
    return "".join(map(change, mark.left)) + mark.core + "".join(map(change, mark.right))


def html_named(mark: Mark, rng: Random) -> str | None:
    """`&lt;` and `&gt;`."""
    return html.escape(str(mark)) if "<" in mark.left else None


def html_twice(mark: Mark, rng: Random) -> str | None:
    """Escaped for HTML once more: `&amp;lt;`."""
    return html.escape(html.escape(str(mark))) if "<" in mark.left else None


def url_quoted(mark: Mark, rng: Random) -> str:
    """As it stands in a URL: `%3C`."""
    return quote(str(mark), safe="")


def url_twice(mark: Mark, rng: Random) -> str:
    """Quoted for a URL once more: `%253C`."""
    return quote(quote(str(mark), safe=""), safe="")


def empty_element(mark: Mark, rng: Random) -> str | None:
    """An empty element of XML."""
    return f"{mark.left}{mark.core} /{mark.right}" if mark.left == "<" else None


def element(mark: Mark, rng: Random) -> str | None:
    """An element of XML with nothing in it."""
    return f"<{mark.core}></{mark.core}>" if mark.left == "<" else None


def _kind(name: str, mangle: Mangle, group: str = "Markdown") -> Kind:
    return Kind(name, group, mangle)


KINDS = (
    _kind("bold around", around("**", "**")),
    _kind("italics around", around("*", "*")),
    _kind("italics with underscores around", around("_", "_")),
    _kind("struck out", around("~~", "~~")),
    _kind("code around", around("`", "`")),
    _kind("bold inside the brackets", inside("**", "**")),
    _kind("italics inside the brackets", inside("*", "*")),
    _kind("code inside the brackets", inside("`", "`")),
    _kind("bold word", on_word("**", "**")),
    _kind("italic word", on_word("_", "_")),
    _kind("bold number", on_number("**", "**")),
    _kind("text of a link", linked),
    _kind("text of a link, brackets lost", numbered(bare_linked)),
    _kind("link to an anchor of its name", numbered(with_anchor)),
    _kind("backslashes before all signs", numbered(markdown_escaped)),
    _kind("backslashes before the brackets", numbered(bracket_escaped)),
    _kind("HTML: &lt;", numbered(html_named), "escapes"),
    _kind("HTML: &amp;lt;", numbered(html_twice), "escapes"),
    _kind("HTML: decimal", escaped_once("&#{code};"), "escapes"),
    _kind("HTML: hexadecimal", escaped_once("&#x{code:x};"), "escapes"),
    _kind("HTML: &nbsp; for the joint", numbered(lambda mark, rng: str(mark._replace(joint="&nbsp;"))), "escapes"),
    _kind("HTML: &#45; for the joint", numbered(lambda mark, rng: str(mark._replace(joint="&#45;"))), "escapes"),
    _kind("HTML: bold number", on_number("<b>", "</b>"), "escapes"),
    _kind("XML: empty element", numbered(empty_element), "escapes"),
    _kind("XML: element with nothing in it", numbered(element), "escapes"),
    _kind("JSON: \\u003c", escaped_once("\\u{code:04x}"), "escapes"),
    _kind("JSON: \\\\u003c", escaped_once("\\\\u{code:04x}"), "escapes"),
    _kind("Python: \\x3c", escaped_once("\\x{code:02x}"), "escapes"),
    _kind("URL: %3C", numbered(url_quoted), "escapes"),
    _kind("URL: %3c, small", numbered(lambda mark, rng: url_quoted(mark, rng).replace("%3C", "%3c")), "escapes"),
    _kind("URL: %253C", numbered(url_twice), "escapes"),
)
