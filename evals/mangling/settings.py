"""Where placeholders land: in lists, tables, URLs, addresses, file names, run together; and in formats with rules."""

import ast
import csv
import io
import json
import re
from random import Random
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

from gama.evals.mangling.base import Kind, Mangle, Mangled, Mark, numbered, stays


def plain(mark: Mark, rng: Random) -> str:
    """The placeholder as it is."""
    return str(mark)


def bare(mark: Mark, rng: Random) -> str:
    """The placeholder without its brackets."""
    return mark.core


def put(before: str, after: str, *, brackets: bool = True) -> Mangle:
    """Put the placeholder into something longer that stays."""
    if brackets:
        return lambda mark, rng: stays(before, str(mark), after)
    return numbered(lambda mark, rng: stays(before, mark.core, after))


_TOGETHER = ("Dear {0}{1}{2}, hello.", "For {0}{1}{2} only.")
_LIST = ("3. {0}\n4. {1}\n5. {2}\n", "1) {1}\n2) {0}\n7) {2}\n")
_TIGHT = ("1.{0}\n2.{1}\n3.{2}\n",)
_TABLE = ("| who | and | also |\n|---|---|---|\n|{0}|{1}|{2}|\n", "| a | b | c |\n|:-|-:|-|\n| {0} | {1} | {2} |\n")
_CSV = ("first,second,third\n{0},{1},{2}\n", "first;second;third\n{0};{1};{2}\n")
_TSV = ("first\tsecond\tthird\n{0}\t{1}\t{2}\n",)
_HTML = ("<table><tr><td>{0}</td><td>{1}</td><td>{2}</td></tr></table>",)


def one_bracket(joint: str) -> tuple[str, ...]:
    """Return an answer with three placeholders in one pair of brackets."""
    return (f"Dear {{0}}{joint}{{1}}{joint}{{2}}, hello.",)


def _first_last(joint: str) -> Kind:
    """A kind with one pair of brackets around several placeholders."""

    def mangle(mark: Mark, rng: Random) -> Mangled:
        return Mangled(mark.core)

    return Kind(
        f"in one pair of brackets, joined by {joint!r}", "run together", numbered(mangle),
        (f"Dear ⟦{{0}}{joint}{{1}}{joint}{{2}}⟧, hello.",),
    )  # fmt: skip


def _json(text: str) -> list[str]:
    found = json.loads(text)
    return [*found.values()] if isinstance(found, dict) else list(found)


def _arguments(text: str) -> list[str]:
    return _json(json.loads(text)["arguments"])


def _fenced(text: str) -> str:
    body = re.search(r"```\w+\n(.*)```", text, re.DOTALL)
    assert body
    return body[1]


def _fenced_json(text: str) -> list[str]:
    return _json(_fenced(text))


def _xml(text: str) -> list[str]:
    root = ElementTree.fromstring(_fenced(text))
    return [root.attrib["who"], *(child.text or "" for child in root)]


def _rows(text: str) -> list[str]:
    return list(csv.reader(io.StringIO(_fenced(text))))[1]


def _python(text: str) -> list[str]:
    tree = ast.parse(_fenced(text))
    return [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def _sql(text: str) -> list[str]:
    return [one.replace("''", "'") for one in re.findall(r"'((?:[^']|'')*)'", _fenced(text))]


def _query(text: str) -> list[str]:
    address = re.search(r"https://\S+", text)
    assert address
    parts = urlsplit(address[0])
    return [unquote(parts.path.rsplit("/", 1)[-1]), *(unquote(one.split("=")[1]) for one in parts.query.split("&"))]


def _lands(name: str, frame: str, reads: object) -> Kind:
    assert callable(reads)
    return Kind(name, "values that need escaping", plain, (frame,), "awkward", reads)


KINDS = (
    Kind("list numbered anew", "lists and tables", plain, _LIST),
    Kind("list numbered anew, brackets lost", "lists and tables", numbered(bare), _LIST),
    Kind("list without spaces", "lists and tables", plain, _TIGHT),
    Kind("Markdown table", "lists and tables", plain, _TABLE),
    Kind("Markdown table, brackets lost", "lists and tables", numbered(bare), _TABLE),
    Kind("CSV", "lists and tables", plain, _CSV),
    Kind("CSV, brackets lost", "lists and tables", numbered(bare), _CSV),
    Kind("TSV", "lists and tables", plain, _TSV),
    Kind("HTML table", "lists and tables", plain, _HTML),
    Kind("path of a URL", "addresses", put("https://example.org/people/", "/view")),
    Kind("path of a URL, brackets lost", "addresses", put("https://example.org/people/", "/view", brackets=False)),
    Kind("query of a URL", "addresses", put("https://example.org/find?q=", "&n=1")),
    Kind("local part of an e-mail address", "addresses", put("", "@example.org")),
    Kind("local part, brackets lost", "addresses", put("", "@example.org", brackets=False)),
    Kind("mailto link", "addresses", put("mailto:", "?subject=x")),
    Kind("header of a mail", "addresses", put("To: ", " <office@example.org>")),
    Kind("file name", "addresses", put("report_", ".pdf")),
    Kind("file name, brackets lost", "addresses", put("report_", ".pdf", brackets=False)),
    Kind("file name with hyphens, brackets lost", "addresses", put("report-", ".pdf", brackets=False)),
    Kind("beginning of a file name, brackets lost", "addresses", put("", "_report.docx", brackets=False)),
    Kind("folder, brackets lost", "addresses", put("/home/", "/files", brackets=False)),
    Kind("three together", "run together", plain, _TOGETHER),
    Kind("joined by a slash", "run together", plain, one_bracket("/")),
    Kind("joined by a hyphen", "run together", plain, one_bracket("-")),
    Kind("joined by an underscore", "run together", plain, one_bracket("_")),
    Kind("joined by &", "run together", plain, one_bracket("&")),
    Kind("three together, inner brackets lost", "run together", numbered(bare), ("Dear ⟦{0}{1}{2}⟧, hello.",)),
    _first_last(", "),
    _first_last("/"),
    _first_last(" and "),
    Kind("a list in square brackets", "run together", plain, ("All: [{0}, {1}, {2}].",)),
    Kind("square brackets around", "run together", put("[see ", "]")),
    Kind("round brackets around", "run together", put("(", ")")),
    _lands("strings of JSON", '{{"a": "{0}", "b": "{1}", "c": "{2}"}}', _json),
    _lands(
        "tool arguments inside JSON",
        '{{"name": "send", "arguments": "{{\\"a\\": \\"{0}\\", \\"b\\": \\"{1}\\", \\"c\\": \\"{2}\\"}}"}}',
        _arguments,
    ),
    _lands("fenced JSON", 'Here:\n```json\n["{0}", "{1}", "{2}"]\n```\n', _fenced_json),
    _lands("fenced XML", '```xml\n<r who="{0}"><b>{1}</b><c>{2}</c></r>\n```\n', _xml),
    _lands("fenced CSV", "```csv\na,b,c\n{0},{1},{2}\n```\n", _rows),
    _lands("fenced Python", '```python\nx = ["{0}", \'{1}\', """{2}"""]\n```\n', _python),
    _lands("fenced SQL", "```sql\nselect '{0}', '{1}', '{2}'\n```\n", _sql),
    _lands("URL", "See https://example.org/p/{0}?b={1}&c={2} for it.", _query),
)
"""`⟦` and `⟧` stand for the brackets of the style."""
