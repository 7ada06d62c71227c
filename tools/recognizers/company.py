"""Companies by the legal form behind their name; privacy is left to the context."""

from collections.abc import Iterator

from gama.state.entities import Span
from gama.tools.recognizers.base import PlainText
from gama.tools.recognizers.declared import Declaration

_LONGEST = 120
"""Characters of the longest name."""


def by_form(body: PlainText, told: Declaration) -> Iterator[Span]:
    """Yield the names of companies with their legal form, without the words of the sentence before them."""
    for form in told.regex["form"].finditer(body):
        name = told.regex["name"].search(body, max(0, form.start() - _LONGEST), form.start() + 1)
        if name is None:
            continue
        start = name.start()
        for word in name[0].split()[:-1]:
            if word not in told.words["ahead"]:
                break
            start = body.index(word, start) + len(word) + 1
        said = body[start : form.start()].strip(" ,")
        if said not in told.words["ahead"] and any(map(str.isalpha, said)):
            yield told.hit(start, form.end(), "company", score=0.8)
