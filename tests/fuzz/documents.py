"""Readers of documents: any bytes are opened or refused, and what is not changed keeps its bytes."""

from gama.state.errors import GamaError
from gama.tools.documents.kinds import KINDS, open_document
from tests.fuzz.cutting import Cutter


def one(data: bytes) -> None:
    cut = Cutter(data)
    kind = cut.one_of(KINDS)
    body = cut.text(80).encode("utf-8", "surrogatepass") if cut.byte() % 2 else cut.raw()
    try:
        document = open_document(body, kind)
    except GamaError:
        return
    parts = "\0".join(document.parts.values())
    for block in document.all_blocks():
        for segment in block.segments:
            if not isinstance(segment, str) and block.part in document.parts:
                assert 0 <= segment.start <= segment.end <= len(document.parts[block.part])
        assert isinstance(block.text, str)
    assert parts == "\0".join(document.parts.values())
    if kind != "pdf":
        assert document.pack({}) == body
