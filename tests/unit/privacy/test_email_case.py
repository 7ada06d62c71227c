"""The e-mail case of spec 01 §1.11: views, fusion, box, payload, and the restored reply (A1 to A3)."""

import pytest

from gama.privacy.finders import Finders
from gama.privacy.fuse import fuse, settling, to_entities
from gama.privacy.link import link
from gama.privacy.pipeline import Pipeline
from gama.state.entities import TYPE_OF, Span
from gama.state.options import Options
from gama.tools.placeholders.remapping import remap_text

LETTER = """Dear Emma Williams,

I hope this finds you well. I am from Denver and I am part of FIFA. May I ask you two things? First, where does the \
Massachusetts Legislature in which John Coffin Talbot served convene? Second, what two occupations do Scott Weiland \
and Richard Hawley have in common?

Best regards,
Daniel Jones
(555) 000-0000
"""

PRIVATE = {
    "Emma Williams": "full_name",
    "Denver": "city",
    "FIFA": "company",
    "Daniel Jones": "full_name",
    "(555) 000-0000": "phone",
}
PUBLIC = {
    "Massachusetts Legislature": "government",
    "John Coffin Talbot": "full_name",
    "Scott Weiland": "full_name",
    "Richard Hawley": "full_name",
}


def tagger(text: str) -> list[Span]:
    """A fake tagger that finds the nine items of the figure and knows which are private."""
    found = []
    for surface, subtype in {**PRIVATE, **PUBLIC}.items():
        at = text.find(surface)
        if at >= 0:
            odds = 0.9 if surface in PRIVATE else 0.001
            found.append(Span(at, at + len(surface), TYPE_OF[subtype], subtype, 0.99, "pner", odds))
    return sorted(found)


def anonymized(**options):
    chosen = Options(**options)
    engine = Pipeline(chosen, Finders(lambda o: lambda text: [], lambda o: tagger))
    v1, v2 = engine.identify(LETTER), engine.judge(LETTER, [])
    fused = fuse(v1, v2, LETTER, settling(chosen, LETTER, None))
    entities = link(LETTER, to_entities(LETTER, fused, chosen))
    return v1, v2, fused, engine.replace(LETTER, entities, engine.new_box())


def surfaces(spans) -> set[str]:
    return {LETTER[s.start : s.end] for s in spans}


def test_views_and_intersection():
    v1, v2, fused, _ = anonymized()
    assert surfaces(v1) == set(PRIVATE) | set(PUBLIC)
    assert surfaces(v2) == set(PRIVATE)
    assert surfaces(fused.private) == set(PRIVATE)
    assert surfaces(fused.rejected) == set(PUBLIC)


def test_a1_nothing_private_in_what_leaves():
    *_, result = anonymized()
    assert not [surface for surface in PRIVATE if surface in result.text]
    assert all(surface in result.text for surface in PUBLIC)


# In the words of the figure's answer: addressee and sender are swapped, three public names are placeholders.
ANSWER = (
    "Dear <name-5>,\nthank you. The legislature in which <name-2> Coffin Talbot served meets at the State House, "
    "Beacon Hill, Boston. <name-3> Weiland and <name-4> Hawley are both singers and songwriters.\n"
    "Greetings to <organization-1> in <location-1>; I will ring <phone-1>.\nYours, <name-1>"
)


def test_a2_the_figures_answer_is_restored():
    *_, result = anonymized(contextual_random_rate=1.0, contextual_scope="first_token")
    restored = remap_text(ANSWER, result.box)
    assert restored.text.startswith("Dear Daniel Jones,")
    assert restored.text.endswith("Yours, Emma Williams")
    assert "John Coffin Talbot" in restored.text and "Scott Weiland and Richard Hawley" in restored.text
    assert "FIFA in Denver; I will ring (555) 000-0000." in restored.text
    assert restored.unresolved == () and "<" not in restored.text


def test_a3_bijection_and_order_of_appearance():
    *_, result = anonymized(contextual_random_rate=1.0, contextual_scope="first_token")
    assert {entry.placeholder: entry.surface for entry in result.box.entries} == {
        "<name-1>": "Emma Williams",
        "<location-1>": "Denver",
        "<organization-1>": "FIFA",
        "<name-2>": "John",
        "<name-3>": "Scott",
        "<name-4>": "Richard",
        "<name-5>": "Daniel Jones",
        "<phone-1>": "(555) 000-0000",
    }
    assert "Massachusetts Legislature" in result.text


@pytest.mark.parametrize("style", ["v1", "v2"])
def test_round_trip_of_the_letter(style):
    *_, result = anonymized(style=style)
    assert remap_text(result.text, result.box).text == LETTER
    assert ("<<name-1>>" in result.text) is (style == "v1")


def test_full_span_hides_whole_public_names():
    *_, result = anonymized(contextual_random_rate=1.0)
    assert "Talbot" not in result.text and "Weiland" not in result.text and "Massachusetts Legislature" in result.text
