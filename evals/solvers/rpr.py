"""RPR before a baseline: the remote model itself rewrites the text. It is sent the raw text: this is no protection."""

import re
from collections.abc import Mapping

from gama.evals.solvers.desk import Desk
from gama.evals.solvers.hiding import Covered, put_back

REWRITE = """Rewrite the text below so that nobody in it can be recognised. Put a numbered token in the place of each \
name of a person (<name-1>, <name-2> …), place or address (<location-1> …), organization (<organization-1> …), \
telephone number (<phone-1> …) and e-mail address (<email-1> …), the same token for the same thing. Change nothing else.

TEXT
$text

Reply with the rewritten text alone."""

RAW = "RPR: the public model was sent the raw text, to be rewritten"
UNALIGNED = "RPR: more was rewritten than tokens stand for; the answer is not restored"

_TOKEN = re.compile(r"<[a-z]+-\d+>")


class RprHider:
    """Has the public model replace what is private."""

    name = "RPR"
    about = "the remote model rewrites the text, which it is sent in the raw"

    def facts(self) -> Mapping[str, str]:
        """Return nothing: it depends on the public model alone."""
        return {}

    async def cover(self, text: str, desk: Desk) -> Covered:
        """Have the text rewritten; the values of its tokens are read off by comparing the two.

        Raises:
            ModelReplyError: there is no rewritten text.
        """
        desk.note(RAW)
        rewritten = (await desk.ask("rewriter", REWRITE, {"text": text})).strip()
        values = values_of(text, rewritten)
        if values is None:
            desk.note(UNALIGNED)
        return Covered(rewritten, lambda answer: put_back(answer, values or {}))


def values_of(text: str, rewritten: str) -> dict[str, str] | None:
    """Return what the tokens of a rewritten text stand for; None where it is not the text but for its tokens."""
    text = text.strip()
    tokens = _TOKEN.findall(rewritten)
    head, *rest = _TOKEN.split(rewritten)
    if not text.startswith(head):
        return None
    values: dict[str, str] = {}
    at = len(head)
    for number, (token, literal) in enumerate(zip(tokens, rest, strict=True), 1):
        last = number == len(tokens)
        end = len(text) - len(literal) if last else text.find(literal, at + 1)
        if end <= at or not text.startswith(literal, end) or (not literal and not last):
            return None
        values.setdefault(token, text[at:end])
        at = end + len(literal)
    return values if at == len(text) else None
