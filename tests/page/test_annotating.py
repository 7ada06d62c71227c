"""PII-Bench's three views, and the record that they export: `gama eval` reads it."""

import json

from gama.evals.datasets.corpus import gold, load, read_corpus

NAME = "Thessaly Quornbeck"
TEXT = f"😀👩‍👩‍👧 {NAME} meets Ambrose Tilling in Marrowgate.\nThessaly is late, says {NAME}."


def annotate(page, write, text=TEXT):
    write(page, text)
    page.click(".modes [data-mode=annotate]")
    page.wait_for_selector("#checked .span")


def export(page):
    with page.expect_download() as got:
        page.click("#export")
    return got.value


def test_three_views_and_their_record(page, write, until, tmp_path, public):
    annotate(page, write)
    groups = page.eval_on_selector_all(
        "#annotate-view .subject",
        "all => all.map(one => [one.querySelector('h3').textContent, [...one.querySelectorAll('.quote')].map(q => q.textContent)])",
    )
    assert ["Subject A", [NAME, "Marrowgate", "Thessaly", NAME]] in groups and [
        "Subject B",
        ["Ambrose Tilling"],
    ] in groups
    # Corrections belong to the annotation: another owner, another type, one that is public.
    page.click("#annotate-view .mention:has-text('Marrowgate')")
    assert page.evaluate("document.activeElement.textContent") == "Marrowgate"
    page.select_option("#inspector [data-part=subject]", "B")
    until(
        page,
        "document.querySelector('#annotate-view').textContent.includes('Subject B') && [...document.querySelectorAll('#annotate-view .subject')].some(one => one.querySelector('h3').textContent === 'Subject B' && one.textContent.includes('Marrowgate'))",
    )
    page.focus("#checked .span >> nth=1")
    page.keyboard.press("k")
    until(page, "document.querySelector('#annotate-view').textContent.includes('Visible')")
    page.click("#tab-query")
    page.fill("#query", "Where do they meet?")
    page.check("#annotate-view label:has-text('Marrowgate') input")
    page.click("#tab-masking")
    assert (
        page.inner_text("#masked")
        == "😀👩‍👩‍👧 <Full Name> meets Ambrose Tilling in Marrowgate.\n<First Name> is late, says <Full Name>."
    )
    page.select_option("#mask-style", "indexed")
    assert page.inner_text("#masked").startswith("😀👩‍👩‍👧 <name-1> meets")
    page.select_option("#mask-style", "type")
    assert page.inner_text("#masked").startswith("😀👩‍👩‍👧 <PER> meets")
    download = export(page)
    file = tmp_path / download.suggested_filename
    download.save_as(file)

    # The reader of the evaluations takes it as one of its own.
    (record,) = read_corpus(file)
    assert record.example.text == TEXT and record.query == "Where do they meet?" and record.relevant == ("Marrowgate",)
    assert [(s.start, s.end, s.subtype, s.private, s.subject) for s in gold(record.example)] == [
        (TEXT.index(NAME), TEXT.index(NAME) + len(NAME), "full_name", True, "A"),
        (TEXT.index("Ambrose"), TEXT.index("Ambrose") + 15, "full_name", False, None),
        (TEXT.index("Marrowgate"), TEXT.index("Marrowgate") + 10, "city", True, "B"),
        (TEXT.index("Thessaly is"), TEXT.index("Thessaly is") + 8, "first_name", True, "A"),
        (TEXT.rindex(NAME), TEXT.rindex(NAME) + len(NAME), "full_name", True, "A"),
    ]
    raw = json.loads(file.read_text(encoding="utf-8"))
    assert raw["description"] == TEXT
    for one in raw["pii"]:
        assert TEXT[one["start"] : one["end"]] == one["entity"], "offsets count characters"
    assert len(raw["pii"]) == 4 and raw["pii"][1]["category"] == "City/Region"
    assert raw["query_pii"] == [{"entity": "Marrowgate", "type": "LOC", "category": "City/Region", "subject": "B"}]
    assert load(file).records[0].id == raw["id"]
    assert public.received == b"", "an annotation leaves for nowhere"


def test_gama_eval_measures_against_an_exported_record(page, write, tmp_path, capsys):
    from gama.serve.cli import main

    annotate(page, write)
    download = export(page)
    file = tmp_path / "record.jsonl"
    download.save_as(file)
    figures = tmp_path / "figures.json"
    code = main(["eval", "identify", "--data", str(file), "--resamples", "0", "--json", str(figures)])
    assert code == 0 and "record.jsonl" in capsys.readouterr().out
    assert figures.stat().st_size > 100


def test_a_text_that_a_record_cannot_hold_is_told(page, write):
    annotate(page, write, f"{NAME} ⟦x⟧")
    page.click("#export")
    assert "⟦ and ⟧" in page.inner_text("#problem")


def test_the_views_by_keyboard(page, write):
    annotate(page, write)
    page.focus("#tab-detection")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.id") == "tab-query" and page.is_visible("#query")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "query"
    page.keyboard.press("Tab")
    page.keyboard.press(" ")
    assert page.evaluate("document.activeElement.checked") is True
    page.focus("#tab-query")
    page.keyboard.press("ArrowRight")
    assert NAME in page.inner_text("#masked"), "what is needed stays"
