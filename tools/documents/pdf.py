"""PDF: its text, as plain text. The layout is not kept."""

import io
from importlib.util import find_spec

from gama.state.errors import InputError
from gama.tools.documents.base import Document, unreadable
from gama.tools.documents.flat import open_flat


def open_pdf(data: bytes, kind: str) -> Document:
    """Open the text of a PDF, pages with an empty line between.

    Raises:
        InputError: pypdf is missing, or the file is damaged, encrypted, or has no text in it.
    """
    if find_spec("pypdf") is None:
        raise InputError('Reading PDF needs pypdf: install it with pip install "gama-privacy[documents]".')
    import pypdf

    problem = ""
    pages: list[str] = []
    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            problem = "it is encrypted. Save it without a password."
        else:
            pages = [page.extract_text().strip() for page in reader.pages]
    except Exception as error:  # pypdf raises many kinds for damaged files; their texts may quote the file.
        problem = f"it is damaged ({type(error).__name__})."
    if not problem and not any(pages):
        problem = "there is no text in it. A scanned page needs character recognition first."
    if problem:
        raise unreadable(kind, problem)
    text = "\n\n".join(page for page in pages if page) + "\n"
    document = open_flat(text.encode("utf-8", "replace"), "txt")
    document.warnings.append("The text of the PDF was taken; its layout and pictures were not.")
    return document
