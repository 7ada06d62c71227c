"""For everybody: axe in every state, both colours and both sizes; keys alone; small screens; reduced motion."""

import json
from pathlib import Path

import pytest

NAME = "Thessaly Quornbeck"
TEXT = (
    f"{NAME} meets Ambrose Tilling in Marrowgate on 3 May 2026, card 4111 1111 1111 1111, mail q@post.example. "
    "The lease of the flat names a rent: may the landlord sue the tenant in court, and what does the bank pay?"
)
MARKDOWN = """\
# Notice

**<name-1>** may [sue](https://post.example/x), see `<location-1>`:

1. a
   - b

| Who | What |
|-----|-----:|
| <name-1> | pays |

```sql
select 1
```

> quoted by {{ initials(<name-1>) }}
"""
SIZES = {"phone": (360, 740), "desktop": (1280, 900)}


@pytest.fixture(scope="module")
def axe():
    package = pytest.importorskip("axe_playwright_python", reason="needs axe: pip install 'gama-privacy[browser]'")
    return (Path(package.__file__).parent / "axe.min.js").read_text(encoding="utf-8")


def look(page, axe, state):
    """Run axe; anything serious or critical is a fault."""
    page.evaluate(axe)
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    serious = [
        (
            state,
            one["id"],
            one["help"],
            [node["html"][:120] + " " + node["failureSummary"][:300] for node in one["nodes"][:3]],
        )
        for one in found["violations"]
        if one["impact"] in ("serious", "critical", "moderate")
    ]
    assert not serious, json.dumps(serious, indent=1)
    width = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width[0] <= width[1], f"{state}: the page is wider than the screen"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_axe_finds_nothing_serious(watched, axe, write, send, until, public, scheme, size):
    width, height = SIZES[size]
    watched.expected = ("Failed to load resource",)
    page = watched.page(viewport={"width": width, "height": height}, color_scheme=scheme, has_touch=size == "phone")
    look(page, axe, "empty")
    write(page, TEXT)
    look(page, axe, "written")
    page.click("#to-check")
    page.wait_for_selector("#checked .span")
    page.click("#checked .span >> nth=1")
    page.keyboard.press("k")
    until(page, "document.querySelector('#leaving-notes li')")
    page.click("#found summary")
    look(page, axe, "checked, one kept")
    page.focus("#checked .span")
    page.keyboard.press("a")
    look(page, axe, "words chosen")
    page.keyboard.press("Escape")
    public.faults = [None, "hold"]
    public.reply = lambda request: (
        '{"contradiction": false, "reason": "none"}' if request.get("response_format") else MARKDOWN
    )
    page.click("#send")
    page.wait_for_selector(".expert:not(.waiting)")
    look(page, axe, "running")
    page.click("#stop")
    page.wait_for_selector("#problem p")
    look(page, axe, "stopped")
    page.click("#problem >> text=Send again")
    page.wait_for_selector("#run .answer-text")
    page.click("#run .facts summary")
    page.click(".expert summary")
    look(page, axe, "answered")
    page.focus("#run .reckoned")
    assert page.locator("#run .tip").is_visible()
    look(page, axe, "a formula told")
    page.keyboard.press("Escape")
    page.click("#open-elsewhere")
    page.fill("#pasted", MARKDOWN)
    page.click("#restore-pasted")
    page.wait_for_selector("#restored-out .answer-text")
    look(page, axe, "restored from elsewhere")
    page.keyboard.press("Escape")
    page.click("text=Ask on in this conversation")
    look(page, axe, "going on")
    write(page, TEXT)
    page.click(".modes [data-mode=annotate]")
    for tab in ("detection", "query", "masking"):
        page.click(f"#tab-{tab}")
        look(page, axe, tab)
    for name in ("history", "settings", "help"):
        page.click(f"#open-{name}")
        look(page, axe, name)
        page.keyboard.press("Escape")
    page.click("#forget")
    look(page, axe, "asked before forgetting")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_changes_that_may_be_left_are_for_everybody(watched, write, until, axe, scheme):
    page = watched.page(color_scheme=scheme, viewport={"width": 390, "height": 844})
    page.click("#open-settings")
    page.select_option("#set-refine", "placeholders+refine")
    page.click("text=Done")
    write(page, "My girlfriend says that I should call. The boiler is loud. My husband forgot to buy milk. What now?")
    page.click("#to-check")
    until(page, "!document.querySelector('#changes').hidden")
    look(page, axe, "changes")
    assert page.get_by_role("checkbox", name="My girlfriend").is_checked()


def test_from_the_text_to_the_answer_with_keys_alone(page, until):
    for _ in range(20):
        if page.evaluate("document.activeElement.id") == "text":
            break
        page.keyboard.press("Tab")
    else:
        pytest.fail("the field cannot be reached by the tab key")
    page.keyboard.type(f"{NAME} waits. Who waits?")
    until(page, "document.querySelector('#leaving-text').textContent.startsWith('<name-1>')")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#checked .span:focus")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.dataset.part") == "hide"
    page.keyboard.press("Escape")
    assert "span" in page.evaluate("document.activeElement.className")
    page.keyboard.press("?")
    page.wait_for_selector("#help[open]")
    page.keyboard.press("Escape")
    assert "span" in page.evaluate("document.activeElement.className"), "the focus comes back"
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#run .answer-text")
    until(page, "document.querySelector('#live').textContent.includes('The answer is here.')")


def test_a_skip_link_and_what_a_screen_reader_is_told(page, write, until):
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    write(page, TEXT)
    until(page, "document.querySelector('#live').textContent.includes('5 hidden')")
    page.click("#to-check")
    label = page.get_attribute("#checked .span >> nth=0", "aria-label")
    assert label == f"{NAME}: full name, hidden as <name-1>"
    page.keyboard.press("k")
    until(page, "document.querySelector('#live').textContent.includes('stays visible and will leave')")
    assert page.get_attribute("#checked .span >> nth=0", "aria-label") == f"{NAME}: full name, stays visible"


def test_colours_are_switched_and_remembered(watched, until):
    page = watched.page(color_scheme="light")
    shades = [page.evaluate("getComputedStyle(document.documentElement).backgroundColor")]
    page.click("#theme")
    page.click("#theme")
    assert page.get_attribute("html", "data-theme") == "dark"
    shades.append(page.evaluate("getComputedStyle(document.documentElement).backgroundColor"))
    page.reload()
    until(page, "document.querySelector('#about').textContent")
    shades.append(page.evaluate("getComputedStyle(document.documentElement).backgroundColor"))
    assert shades[0] != shades[1] == shades[2]
    page.click("#theme")
    assert page.get_attribute("html", "data-theme") is None


def test_no_type_is_told_by_colour_alone(page, write):
    write(page, TEXT)
    page.click("#to-check")
    page.wait_for_selector("#checked .span")
    seen = page.eval_on_selector_all(
        "#checked .span",
        """all => all.map(one => [one.dataset.type, getComputedStyle(one, '::after').content,
          getComputedStyle(one).textDecorationStyle + getComputedStyle(one).textDecorationThickness])""",
    )
    words, lines = {}, {}
    for kind, word, line in seen:
        words.setdefault(kind, set()).add(word)
        lines.setdefault(kind, set()).add(line)
    assert len(words) >= 4 and all(len(one) == 1 for one in words.values())
    assert len({next(iter(one)) for one in words.values()}) == len(words), "every type has a word of its own"
    assert len({next(iter(one)) for one in lines.values()}) == len(lines), "and a line of its own"


def test_nothing_moves_where_that_is_not_wished(watched, write, public):
    page = watched.page(reduced_motion="reduce")
    page.uncheck("#look-first")
    write(page, TEXT)
    public.fault = "hold"
    page.click("#send")
    page.wait_for_selector(".steps .now")
    assert page.evaluate("document.getAnimations().length") == 0
    page.click("#stop")


def test_a_finger_corrects_on_a_phone(watched, write, until):
    page = watched.page(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    write(page, TEXT)
    page.tap("#to-check")
    page.tap("#checked .span >> nth=2")
    page.tap("#inspector [data-part=keep]")
    until(page, "document.querySelector('#leaving-text').textContent.includes('Marrowgate')")
    box = page.locator("#inspector [data-part=keep]").bounding_box()
    assert box["height"] >= 24 and 0 <= box["y"] <= 740, "the details stay in sight"
