"""Data frames anonymized and restored: pandas, polars and Arrow, by narwhals; one box for the whole frame."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from typing import Any

from gama.privacy.box import PrivacyBox
from gama.privacy.decide import gathering
from gama.privacy.documents import anonymize_opened, restore_opened
from gama.privacy.pipeline import Pipeline
from gama.state.errors import InputError, OptionError
from gama.tools.documents.records import open_cells, pack_cells

_Cells = list[list[str | None]]


@dataclass(frozen=True)
class FrameView:
    """An anonymized data frame, the box that reverses it, and which columns were read."""

    frame: Any = field(repr=False)
    """Of the kind that was given."""
    box: PrivacyBox = field(repr=False)
    columns: tuple[str, ...]
    copied: tuple[str, ...]
    """Columns that were copied as they are."""
    warnings: list[str] = field(default_factory=list)


def anonymize_frame(pipeline: Pipeline, frame: Any, box: PrivacyBox, columns: Sequence[str] | None) -> FrameView:
    """Replace what is private in the text columns of a frame; see `Anonymizer`."""
    whole, names = _opened(frame, columns)
    cells = _cells(whole, names)
    document = open_cells(pack_cells(cells), names)
    copied = tuple(name for name in whole.columns if name not in names)
    if not any(block.text.strip() for block in document.blocks):
        return FrameView(frame, box, names, copied)
    pipeline = pipeline.under(gathering(pipeline.options))
    view = anonymize_opened(pipeline, document, partial(open_cells, heads=names), box, by_row=True)
    return FrameView(_with(whole, names, json.loads(view.data)), box, names, copied, view.warnings)


def restore_frame(pipeline: Pipeline, frame: Any, box: PrivacyBox, columns: Sequence[str] | None) -> Any:
    """Put the private values back into the text columns of a frame; see `Anonymizer`."""
    whole, names = _opened(frame, columns)
    data, how = pack_cells(_cells(whole, names)), pipeline.options.restoring
    done = restore_opened(open_cells(data, names), data, box, how.mode, hosts=how.hosts)
    return _with(whole, names, json.loads(done.data))


def _opened(frame: Any, columns: Sequence[str] | None) -> tuple[Any, tuple[str, ...]]:
    """Return a frame as narwhals has it, and the columns that are read.

    Raises:
        InputError: narwhals is missing, or it is no data frame.
        OptionError: a column is not there, or holds no text.
    """
    if find_spec("narwhals") is None:
        raise InputError('Reading data frames needs narwhals: install it with pip install "gama-privacy[bulk]".')
    import narwhals as nw

    try:
        whole = nw.from_native(frame, eager_only=True)
    except TypeError:
        whole = None
    if whole is None:
        raise InputError("It is no data frame of pandas, polars or Arrow. A lazy one is collected first.")
    texts = [name for name in whole.columns if _is_text(whole[name])]
    for name in columns or ():
        if name not in whole.columns:
            raise OptionError(f"option 'columns': there is no column {name!r}. Columns: {', '.join(whole.columns)}.")
        if name not in texts:
            raise OptionError(f"option 'columns': column {name!r} holds no text. Of text: {', '.join(texts)}.")
    return whole, tuple(name for name in texts if columns is None or name in columns)


def _is_text(column: Any) -> bool:
    """Return whether a column holds texts: by its type, or, where that says nothing, by every value."""
    import narwhals as nw

    if column.dtype == nw.Object:
        return all(value is None or isinstance(value, str) or value != value for value in column.to_list())
    return bool(column.dtype == nw.String)


def _cells(whole: Any, names: Sequence[str]) -> _Cells:
    """Return the rows of the columns; what pandas writes for a missing value is none."""
    columns = [[value if isinstance(value, str) else None for value in whole[name].to_list()] for name in names]
    return [list(row) for row in zip(*columns, strict=True)]


def _with(whole: Any, names: Sequence[str], rows: _Cells) -> Any:
    """Return the native frame with other texts in its columns; missing values stay what they were."""
    import narwhals as nw

    made = []
    for n, name in enumerate(names):
        old = whole[name]
        new = nw.new_series(name, [row[n] for row in rows], nw.String, backend=whole.implementation)
        if whole.implementation.is_pandas_like():
            native = new.to_native()
            native.index = old.to_native().index
            new = nw.from_native(native.astype(old.to_native().dtype), series_only=True)
        made.append(new)
    return whole.with_columns(*made).to_native() if made else whole.to_native()
