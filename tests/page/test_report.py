"""The page of `gama eval report` in a browser: both themes, a telephone and a desk, axe, keys, and nothing fetched."""

import pytest

from gama.serve import cli
from tests.page.test_access import SIZES, axe, look  # noqa: F401
from tests.support.evallogs import example


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(folder / "data"))
        logs = example(folder / "logs")
    arguments = ["eval", "report", str(logs), "--table", "all", "--out", str(folder / "out"), "--resamples", "50"]
    assert cli.main(arguments) == 0
    return folder / "out" / "report.html"


@pytest.fixture
def opened(report, browser):
    """Return what opens the report, which is written before there is a browser and its event loop; whatever it asks of anyone, and whatever it complains of, fails the test."""
    contexts, wrong = [], []

    def open_(**settings):
        context = browser.new_context(**settings)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda request: wrong.append(request.url) if request.url != report.as_uri() else None)
        page.goto(report.as_uri())
        return page

    yield open_
    for context in contexts:
        context.close()
    assert not wrong, wrong


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_axe_finds_nothing_and_the_page_fits(opened, axe, scheme, size):  # noqa: F811
    width, height = SIZES[size]
    page = opened(color_scheme=scheme, viewport={"width": width, "height": height})
    look(page, axe, f"{scheme}, {size}")


def test_wide_tables_are_reached_by_keys_and_plots_take_the_themes_colour(opened, until):
    page = opened(color_scheme="dark", viewport={"width": 390, "height": 800})
    wide = "[...document.querySelectorAll('.scroll')].filter(one => one.scrollWidth > one.clientWidth)"
    assert page.evaluate(f"{wide}.length") > 3
    page.evaluate(f"{wide}[0].focus()")
    page.keyboard.press("ArrowRight")
    until(page, f"{wide}[0].scrollLeft > 0")
    ink, text = page.evaluate(
        "[getComputedStyle(document.body).color, getComputedStyle(document.querySelector('figure svg text')).fill]"
    )
    assert ink == text


def test_the_parts_are_reached_by_their_links(opened):
    page = opened(viewport={"width": 1280, "height": 900})
    links = page.locator("nav a")
    assert links.count() >= 6
    for at in range(links.count()):
        links.nth(at).click()
        target = page.evaluate("document.querySelector(location.hash).getBoundingClientRect().top")
        assert target < 900
