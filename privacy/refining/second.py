"""The embedded attacker beside a private LLM: the rewriter is told what it reads, and no text may tell it more.

The LLM that rewrites is its own attacker; a small one of another kind hears what that one does not. English only.
"""

from collections.abc import Collection, Sequence

from gama.privacy.refining.attributes import ATTRIBUTES
from gama.privacy.refining.inferences import Inference
from gama.privacy.refining.loop import privacy_of


def read_embedded(text: str) -> list[Inference]:
    """Return what the embedded attacker concludes; nothing from a text that is not English."""
    from gama.privacy.refining.attacker import embedded_attacker, is_english

    return embedded_attacker().infer(text, ATTRIBUTES) if is_english(text) else []


def reads_more(start: str, new: str) -> str:
    """Return why a rewriting by an LLM is not taken: the embedded attacker reads more from it than from the start.

    Args:
        start: the text as it was.
        new: the rewriting.

    Returns:
        The end of a sentence, which names the attributes; an empty string where it reads no more, or one of them is not
        English.
    """
    from gama.privacy.refining.attacker import is_english

    if not (is_english(start) and is_english(new)):
        return ""
    before, after = read_embedded(start), read_embedded(new)
    if privacy_of(after) >= privacy_of(before):
        return ""
    known = {one.attribute: one.certainty for one in before}
    more = ", ".join(one.attribute for one in after if one.certainty > known.get(one.attribute, 0))
    told = f" ({more})" if more else ""
    return f"the embedded attacker reads more from it{told} than from the text as it was."


def tells_less(text: str, keep: Sequence[str], attributes: Collection[str]) -> str | None:
    """Return a text of which the embedded attacker reads less: telling words made wider or left out by rule.

    One rewriting of the embedded rewriter, which spends a tenth of the words.

    Args:
        text: it.
        keep: strings that must stay.
        attributes: what another attacker reads, too: of a text that tells nothing the embedded one still hears things.

    Returns:
        None where nothing of that is read from it, where nothing can be taken away, or where it is not English.
    """
    from gama.privacy.refining.attacker import embedded_attacker, is_english
    from gama.privacy.refining.embedded import EmbeddedRoles

    if not is_english(text):
        return None
    roles = EmbeddedRoles([one for one in ATTRIBUTES if one.name in attributes], embedded_attacker())
    new = roles.rewrite(text, roles.infer(text) or (), keep)
    return new if new is not None and privacy_of(read_embedded(new)) > privacy_of(read_embedded(text)) else None
