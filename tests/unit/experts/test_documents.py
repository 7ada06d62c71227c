"""Look-up in the documents of packs."""

import pytest

from gama.state.errors import ToolError
from gama.tools.domains.packs import Document, Pack
from gama.tools.experts.documents import NOTHING, PASSAGE_CHARS, DocumentSearch, passages

BEES = Document(
    "Keeping bees",
    "A hive in winter needs fifteen kilograms of stored honey.\n\nVarroa mites are treated with oxalic acid when the "
    "colony has no brood.\n\nSwarms are caught in the evening, when the scouts are home.",
)
LAW = Document("Hive law", "The owner of a swarm may follow it onto the land of others. " * 30)
PACK = Pack("Beekeeping", "bees and hives.", ("bee",), documents=(BEES, LAW))


def test_the_best_passage_comes_first_with_its_place():
    told = DocumentSearch([PACK]).call({"query": "How is varroa treated?", "count": 1})
    assert told.startswith("[1] Keeping bees, part 1:\n") and "oxalic acid" in told and "[2]" not in told


def test_passages_hold_the_whole_document_in_order():
    found = list(passages(LAW))
    assert len(found) > 1 and [p.part for p in found] == list(range(1, len(found) + 1))
    assert all(len(p.text) <= PASSAGE_CHARS for p in found)
    assert " ".join(" ".join(p.text.split()) for p in found) == " ".join(LAW.text.split())


@pytest.mark.parametrize("text", ["", "\n\n \n", "x" * 5_000, "one\n" * 2_000])
def test_odd_documents_are_cut_too(text):
    found = list(passages(Document("t", text)))
    assert "".join("".join(p.text.split()) for p in found) == "".join(text.split())
    assert all(len(p.text) <= PASSAGE_CHARS for p in found)


@pytest.mark.parametrize("query", ["quantum chromodynamics", "<name-1> <amount-2>", "?!"])
def test_what_fits_nothing_finds_nothing(query):
    assert DocumentSearch([PACK]).call({"query": query}) == NOTHING


def test_placeholders_are_not_searched_for():
    pack = Pack("Names", "names.", ("name",), documents=(Document("List", "The name of the rose."), BEES))
    found = DocumentSearch([pack]).search("How much honey does the hive of <name-1> need in winter?", 1)
    assert found[0].title == "Keeping bees"


def test_without_documents_nothing_is_found():
    assert DocumentSearch([Pack("Empty", "nothing.", ("nothing",))]).call({"query": "bees"}) == NOTHING


@pytest.mark.parametrize(
    "given", [{}, {"query": " "}, {"query": 5}, {"query": "a", "count": 0}, {"query": "a", "count": "3"}]
)
def test_bad_arguments(given):
    with pytest.raises(ToolError, match="query|count"):
        DocumentSearch([PACK]).call(given)
