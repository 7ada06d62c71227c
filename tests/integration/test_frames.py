"""`Anonymizer.anonymize_frame`: frames of pandas, polars and Arrow."""

import pytest

from gama.privacy.anonymizer import Anonymizer
from gama.state.errors import InputError, OptionError

pytest.importorskip("narwhals")

ROWS = {
    "id": [1, 2, 3],
    "name": ["Emma Williams", None, "Daniel Okafor"],
    "notes": ["Emma Williams wrote to emma@corp.example.", "nothing", "ring +44 7700 900461"],
}


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_a_frame_goes_and_comes_back(kind):
    library = pytest.importorskip(kind)
    if kind == "pandas":
        frame = library.DataFrame(ROWS, index=[5, 5, 9])
    else:
        frame = library.DataFrame(ROWS) if kind == "polars" else library.table(ROWS)
    anonymizer = Anonymizer()
    view = anonymizer.anonymize_frame(frame)
    assert type(view.frame) is type(frame) and view.columns == ("name", "notes") and view.copied == ("id",)
    shown = str(
        view.frame.to_dict("list")
        if kind == "pandas"
        else view.frame.to_pydict()
        if kind == "pyarrow"
        else view.frame.to_dict(as_series=False)
    )
    assert "<name-1>" in shown and "<phone-1>" in shown
    assert not any(value in shown for value in ("Emma", "Okafor", "emma@", "900461"))
    back = anonymizer.restore_frame(view.frame, view.box)
    assert back.equals(frame)
    if kind == "pandas":
        assert list(back.dtypes) == list(frame.dtypes) and list(back.index) == [5, 5, 9]
    only = anonymizer.anonymize_frame(frame, columns=["name"], box=view.box)
    assert only.columns == ("name",) and only.copied == ("id", "notes")
    with pytest.raises(OptionError, match="no column 'nmae'"):
        anonymizer.anonymize_frame(frame, columns=["nmae"])
    with pytest.raises(OptionError, match="'id' holds no text"):
        anonymizer.anonymize_frame(frame, columns=["id"])


def test_what_is_no_frame_is_refused():
    with pytest.raises(InputError, match="no data frame"):
        Anonymizer().anonymize_frame([{"name": "Emma"}])


def test_nobody_asks_about_a_frame():
    pandas = pytest.importorskip("pandas")
    asked = "My rent is £1,450 until 30 June; can I afford £1,700? I am Ana Ruiz."
    view = Anonymizer().anonymize_frame(pandas.DataFrame({"text": [asked]}))
    assert "£" not in view.frame["text"][0] and "June" not in view.frame["text"][0]
    assert "£1,450" in Anonymizer().anonymize(asked).text
