"""Figures with their intervals, the papers' tables with them, the order of methods, and how all that is written."""

import csv
import io
import itertools
import json
import math
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from scipy.stats import friedmanchisquare

from gama.evals.metrics.statistics import friedman_statistic, iman_davenport, wilson
from gama.evals.reports.measures import MEASURES, Estimate, Measured, Sums, estimate, measure, read_result
from gama.evals.reports.page import page
from gama.evals.reports.plots import GAMA, OTHERS, alone, plots
from gama.evals.reports.published import choose, tables
from gama.evals.reports.read import read
from gama.evals.reports.standing import measured_standing, printed_standings, printed_steps
from gama.evals.reports.tables import overview, reasons, sheet
from gama.evals.reports.writing import csv_text, markdown, markdown_table
from gama.state.errors import InputError
from tests.support.evallogs import ANSWER, Item, example, leak, write


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        yield example(tmp_path_factory.mktemp("logs"))


@pytest.fixture(scope="module")
def measured(folder):
    return Measured(read(folder))


def shown(name, measured=None):
    return sheet(choose(tables(), [name])[0], measured)


def cell(found, row, column):
    (line,) = (line for line in found.lines if line.label == row)
    return line.cells[[head.title for head in found.columns].index(column)]


# Figures and intervals.


def test_an_item_that_is_right_or_wrong_has_wilsons_interval(measured):
    one = measured.get(["lpp"], "gama", ["score"])
    # Wilson's formula by hand: 5 of 6, z = 1.959964.
    z, n, share = 1.959964, 6, 5 / 6
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    assert (one.value, one.items, one.by) == (pytest.approx(100 * 5 / 6), 6, "Wilson")
    assert (one.low, one.high) == (pytest.approx(100 * (middle - half)), pytest.approx(100 * (middle + half)))


def test_questions_of_one_item_stand_together_in_the_bootstrap(measured):
    one = measured.get(["kpp"], "std", ["score"])
    assert (one.value, one.items, one.by) == (50, 4, "bootstrap") and 20 <= one.low < 50 < one.high <= 80
    # Twenty independent questions would have an interval of Wilson's, which is another.
    assert (one.low, one.high) != tuple(100 * end for end in wilson(10, 20))


def test_where_no_draw_can_differ_wilsons_interval_over_items_stands_in():
    alike = Sums(["a", "b", "c"], np.array([5.0, 5, 5]), np.array([5.0, 5, 5]))
    one = estimate(alike, MEASURES["score"], "kpp")
    assert (one.value, one.by, one.high) == (100, "Wilson", 100) and one.low == pytest.approx(100 * wilson(3, 3)[0])
    seconds = Sums(["a", "b"], np.array([2.0, 2]), np.array([1.0, 1]))
    assert estimate(seconds, MEASURES["seconds"], "kpp") == Estimate(2, None, None, 2, "", "kpp")
    single = Sums(["a"], np.array([3.0]), np.array([5.0]))
    assert estimate(single, MEASURES["score"], "kpp") == Estimate(60, None, None, 1, "", "kpp")


def test_leaks_count_by_item_and_by_value(measured):
    assert measured.get(["lpp"], "gama_strict", ["leaking"]).value == pytest.approx(50)
    assert measured.get(["lpp"], "gama_strict", ["leak"]).value == pytest.approx(10)
    assert measured.get(["kpp"], "gama_strict", ["failed"]).value == pytest.approx(25)
    assert measured.get(["kpp"], "gama", ["money"]).value == 0.25 and measured.get(["kpp"], "std", ["money"]) is None
    assert measured.get(["tcw5"], "gama_strict", ["score"]) is None and measured.get(["none"], "std", ["score"]) is None


def test_a_relative_change_is_taken_over_the_items_of_both(measured):
    one = measured.relative(["kpp"], "gama", "std")
    assert (one.value, one.items) == (pytest.approx(60), 4) and one.low < 60 < one.high
    assert measured.relative(["kpp"], "std", "std").value == 0
    assert measured.relative(["tcw5"], "gama_strict", "std") is None


def test_names_of_solvers_are_found_however_they_are_written(measured):
    assert measured.solver(["Standard", "STD"]) == "std" and measured.solver(["gama <strict>"]) == "gama_strict"
    assert measured.solver(["GAMA-Strict"]) == "gama_strict" and measured.solver(["nobody"]) is None


def test_any_other_number_of_a_log_is_a_measure_too(measured):
    assert measured.get(["lpp"], "std", ["marks_lenient"]).value == 100
    assert measure("marks_lenient").better == "higher" and measure("used.peak_rss_mb").better == "lower"
    assert measured.get(["lpp"], "gama", ["trace.rules"]).value == 3
    assert measured.get(["lpp"], "std", ["lr_final.leaking", "leaking"]).value == 100


# The papers' tables.


def test_ones_own_figures_stand_beside_the_published_ones(measured):
    found = shown("gama-v1-2", measured)
    both = cell(found, "GAMA", "KPP")
    assert both.published == 54.8 and both.here.value == pytest.approx(80) and both.here.items == 4
    # The column is marked leniently, as the paper's.
    assert cell(found, "Std", "LPP").here.value == 100
    assert cell(found, "AutoAgents-MVPI", "LPP").here is None
    added = [line.label for line in found.lines if line.own]
    assert added == ["Std", "GAMA <strict>"]
    assert "KPP: here 4 of 100 items; the intervals say how far that reaches." in found.notes
    assert "LPP: 1 of 1 published figures lie within the intervals found here." in found.notes


def test_a_table_tells_which_columns_can_be_compared_and_why():
    told = reasons(shown("gama-v2-1"))
    assert [(comparable, titles) for comparable, titles, _ in told] == [
        (False, "TCW"), (True, "LGP"), (False, "LR on PLens"), (False, "PQA-K"), (True, "PQA-L"),
    ]  # fmt: skip
    assert [titles for _, titles, _ in reasons(shown("gama-v1-3"))] == ["all columns"]


def test_relative_changes_and_resources_have_their_cells(measured):
    found = shown("gama-v1-1", measured)
    assert (
        cell(found, "Std", "TCW N=5 Score").here.value == 70 and cell(found, "GAMA", "TCW N=5 Score").here.value == 80
    )
    assert cell(found, "GAMA", "TCW N=5 Δ").here.value == pytest.approx(100 / 7)
    assert cell(found, "GAMA", "LGP Score").here is None and cell(found, "CoT", "TCW N=5 Score").here is None
    resources = shown("gama-v1-4", measured)
    assert cell(resources, "LPP", "Time").published == 156 and cell(resources, "LPP", "Time").here.value == 4
    assert cell(resources, "GAMA <strict>, kpp", "Memory").here.value == 20
    assert {line.label for line in resources.lines if line.own} == {"GAMA <strict>, kpp", "GAMA <strict>, lpp"}


def test_a_judged_run_fills_the_column_of_leaks(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    write(tmp_path, "plens", "gama", [Item("a", 0, scores={"lr_final": {"leaked": 1, "items": 3}})], marks=False,
          name="GAMA", judge="openai:gpt-4o-mini", run={"risk": 0.25})  # fmt: skip
    found = Measured(read(tmp_path))
    leaks = shown("gama-v2-1", found)
    assert cell(leaks, "GAMA", "LR on PLens").here.value == 100
    assert "LR on PLens: measured here on plens." in leaks.notes
    assert "judged by openai:gpt-4o-mini" in markdown([], [leaks], found.runs)
    assert found.get(["plens"], "gama", ["run.risk.whole"]) == Estimate(0.25, None, None, 1, "", "plens")


def test_risks_of_records_fill_the_table_of_attackers(tmp_path):
    risks = {"at_risk": 0.5, "highest": 1.0, "success": 0.25}
    marketer = {"at_risk": None, "highest": None, "success": 0.125}
    figures = {"alone": {"prosecutor": risks, "marketer": marketer, "classes": 4}, "linkage": {"values": {"x": 0.1}}}
    about = {"name": "dev.jsonl", "texts": 194, "sample": 97}
    (tmp_path / "a.json").write_text(json.dumps({"command": "risk", "data": about, "figures": {"pipeline": figures}}))
    (tmp_path / "b.json").write_text(
        json.dumps({"command": "risk", "figures": {"mine": {"within": {"prosecutor": risks}}}})
    )
    found = shown("gama-v1-3", Measured(results=(read_result(tmp_path / "a.json"), read_result(tmp_path / "b.json"))))
    assert cell(found, "prosecutor: pipeline, dev", "Highest risk").here == Estimate(100, None, None, 97, "", "dev")
    assert cell(found, "marketer: pipeline, dev", "Highest risk").here is None
    assert cell(found, "marketer: pipeline, dev", "Success rate").here.value == 12.5
    assert cell(found, "prosecutor: mine, records", "Records at risk").here.value == 50
    assert cell(found, "prosecutor", "Records at risk") == (0.3, None)
    assert "| **prosecutor: mine, records** | **50.00** | **100.00** | **25.00** |" in markdown_table(found)


def test_a_table_without_figures_of_ones_own_is_told_apart(measured):
    assert not shown("gama-v1-2").filled and shown("gama-v1-2", measured).filled
    assert not shown("seal-main", measured).filled and not shown("gama-v2-3", measured).filled


def test_results_of_other_commands_fill_the_tables_of_pii_bench(tmp_path):
    one = {"value": 0.5, "low": 0.4, "high": 0.6}
    about = {"name": "single.jsonl", "texts": 30}
    files = {
        "query": {"command": "query", "data": about,
                  "figures": {"given": {"naive": {"f1": one}, "mine": {"f1": one, "privacy": {"value": 1}}}, "found": {}}},
        "identify": {"command": "identify", "data": about, "figures": {"pipeline": {"strict_f1": one}}},
        "kpp": {"command": "kpp", "data": {"name": "kpp", "texts": 100}, "figures": {"pipeline": {"f1": one}},
                "published_metric": {"nothing": {"precision": 1.0, "recall": 0.96, "f1": 0.981}}},
    }  # fmt: skip
    files["utility"] = {
        "command": "utility",
        "data": about,
        "figures": {"all masked": {"privacy": one, "balanced": one}},
    }
    files["query"]["figures"]["free"] = {"ps_cot": {"f1": one | {"value": 0.55}}}
    files["query"]["figures"]["given"]["ps_cot"] = {"f1": one}
    for name, content in files.items():
        (tmp_path / name).write_text(json.dumps(content))
    found = Measured(results=tuple(read_result(tmp_path / name) for name in files))
    needed = shown("pii-bench-7", found)
    assert cell(needed, "Naive", "measured here F1").here == Estimate(0.5, 0.4, 0.6, 30, "bootstrap", "single")
    assert [line.label for line in needed.lines if line.own] == ["mine"]
    assert cell(needed, "Naive", "GPT4o F1").here is None
    # What a model lists by itself is the published task; choosing from candidates stands in for it.
    assert cell(needed, "PS-CoT", "measured here F1").here.value == 0.55
    assert cell(shown("pii-bench-8", found), "everything", "Balanced").here.value == 0.5
    assert cell(shown("pii-bench-8", found), "mine", "Privacy").here.value == 1
    assert cell(shown("pii-bench-6", found), "pipeline", "Single Strict-F1").here.value == 0.5
    assert cell(shown("gama-v1-fig-3", found), "nothing", "F1").here.value == pytest.approx(98.1)


@pytest.mark.parametrize("content", ["{}", "[]", "no", '{"command": "bench", "data": {}, "figures": {}}'])
def test_other_files_are_no_results(tmp_path, content):
    (tmp_path / "x.json").write_text(content)
    with pytest.raises(InputError, match="not a file that --json"):
        read_result(tmp_path / "x.json")


# The order of methods.


def test_the_printed_figures_give_the_order_that_the_specification_reckons():
    four, seven = printed_standings(choose(tables(), ["gama-v2-1"])[0])
    assert four.test.ranks == pytest.approx({"Standard": 4, "SPP": 2.8, "AutoAgents": 2.2, "GAMA": 1})
    assert (four.test.statistic, four.test.p) == (pytest.approx(14.04), pytest.approx(0.002851, abs=1e-6))
    assert {name: four.test.z[name] for name in ("Standard", "SPP", "AutoAgents")} == pytest.approx(
        {"Standard": 3.6742, "SPP": 2.2045, "AutoAgents": 1.4697}, abs=1e-4
    )
    assert seven.datasets == ("LR on PLens", "PQA-K", "PQA-L")
    assert seven.test.ranks == pytest.approx({"Standard": 7, "SPP": 5.667, "AutoAgents": 5.333, "EPEAgents": 3.667,
                                              "MarisAgents": 3.333, "AgentSafe": 2, "GAMA": 1}, abs=1e-3)  # fmt: skip
    assert (seven.test.statistic, seven.test.p) == (pytest.approx(17.4286, abs=1e-4), pytest.approx(0.007831, abs=1e-6))


def test_the_printed_ranks_give_the_printed_statistic():
    ranks = [one.values[0] for one in choose(tables(), ["gama-v1-7"])[0].rows]
    statistic = friedman_statistic(ranks, 5)
    assert statistic == pytest.approx(22.485714, abs=1e-6)
    assert iman_davenport(statistic, 6, 5)[0] == pytest.approx(35.77, abs=0.005)
    assert any("F is then 35.77" in note for note in shown("gama-v1-7").notes)


def test_holms_rule_does_not_reject_all_that_is_printed_as_rejected():
    steps = printed_steps(choose(tables(), ["gama-v1-8"])[0])
    assert {name: one.rejected for name, one in steps.items()} == {
        "Self-Refine": True, "Std": True, "CoT": True, "SPP": False, "AutoAgents": False,
    }  # fmt: skip
    assert steps["Self-Refine"].adjusted == pytest.approx(0.0010014, abs=1e-7)
    assert steps["CoT"].adjusted == pytest.approx(0.0052802, abs=1e-7)
    assert (steps["SPP"].adjusted, steps["AutoAgents"].adjusted) == (
        pytest.approx(0.181938, abs=1e-6), pytest.approx(0.398025, abs=1e-6),
    )  # fmt: skip
    assert any("not rejected: SPP (adjusted p 0.182)" in note for note in shown("gama-v1-8").notes)


def test_ones_own_order_takes_the_methods_with_the_most_data_sets(measured):
    found = measured_standing(measured)
    assert found.datasets == ("kpp", "lpp", "tcw5") and found.left_out == ("GAMA <strict>",)
    assert found.test.ranks == {"std": 2, "gama": 1}
    ranks = shown("gama-v1-7", measured)
    assert cell(ranks, "Std", "Average rank").here.value == 2 and cell(ranks, "GAMA", "Average rank").here.value == 1
    steps = shown("gama-v1-8", measured)
    assert cell(steps, "Std", "z").here.value == pytest.approx(math.sqrt(3))
    assert any("Left out here for want of data sets that the others have: GAMA <strict>." in one for one in ranks.notes)


def test_the_statistic_agrees_with_scipys(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    rights = {"a": (1, 2, 3), "b": (2, 3, 4), "c": (4, 1, 5)}
    for solver, own in rights.items():
        for at, right in enumerate(own):
            write(tmp_path, f"d{at}", solver, [Item("x", right, 5)])
    found = measured_standing(Measured(read(tmp_path)))
    assert found.test.statistic == pytest.approx(friedmanchisquare(*rights.values()).statistic)


def test_leaks_rank_where_answers_are_not_marked_for_being_right(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    for solver, leaked in (("good", 0), ("bad", 3)):
        # Marks of this set tell whether an action can be read.
        write(tmp_path, "plens", solver, [Item("x", 1 if leaked else 0, scores=leak(leaked))])
        write(tmp_path, "lpp", solver, [Item("x", 0 if leaked else 1)])
    assert measured_standing(Measured(read(tmp_path))).test.ranks == {"good": 1, "bad": 2}


# Markdown, CSV, the page.


def test_a_table_of_markdown_is_whole(measured):
    text = markdown_table(shown("gama-v2-1", measured))
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert {line.count("|") - line.count("\\|") for line in rows} == {7} and len(rows) == 2 + 7 + 1
    assert "| GAMA | 83.3 · **80.0** n=2 |" in text
    assert "| EPEAgents |  |  | 24.3 | 52.7 | 76.1 |" in text
    assert "- Comparable: PQA-L. The same 150 letters" in text and "arXiv 2509.10018v2" in text


def test_every_figure_stands_in_the_csv_file(measured):
    sheets = [*overview(measured), *(sheet(one, measured) for one in tables())]
    rows = list(csv.DictReader(io.StringIO(csv_text(sheets))))
    published = [row for row in rows if row["published"]]
    assert len(published) == sum(value is not None for one in tables() for row in one.rows for value in row.values)
    (one,) = (row for row in rows if (row["table"], row["row"], row["column"]) == ("gama-v1-2", "GAMA", "LPP"))
    assert (one["published"], one["here"], one["items"], one["interval"]) == ("82.0", "83.333333", "6", "Wilson")
    assert one["comparable"] == "yes" and one["why"] and one["dataset"] == "lpp"
    assert {row["second_hand"] for row in rows if row["table"] == "seal-main"} == {"yes"}


class Tree(HTMLParser):
    """Checks that elements are closed in their order, and collects what a page holds."""

    VOID = {"meta", "br"}

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.tables, self.text, self.links, self.tags = [], [], [], [], [], []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.tags.append((tag, given))
        if "id" in given:
            self.ids.append(given["id"])
        if tag == "a" and given["href"].startswith("#"):
            self.links.append(given["href"][1:])
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append((tag, given, int(given.get("colspan", 1))))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.ids += [dict(attributes)["id"]] if "id" in dict(attributes) else []

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def tree(text):
    found = Tree()
    found.feed(text)
    found.close()
    assert not found.open
    return found


@pytest.fixture(scope="module")
def html(measured):
    sheets = [sheet(one, measured) for one in tables()]
    return page(overview(measured), sheets, measured.runs, plots(measured))


def test_the_page_is_sound(html):
    found = tree(html)
    assert len(set(found.ids)) == len(found.ids)
    assert found.links and set(found.links) <= set(found.ids)
    for _, given in found.tags:
        for name in ("aria-labelledby", "xlink:href", "clip-path"):
            for target in re.findall(r"[\w-]+", given.get(name, "").replace("url", "").replace("#", "")):
                assert target in found.ids, (name, target)


def test_tables_of_the_page_have_captions_scopes_and_even_rows(html):
    found = tree(html)
    tags = [tag for tag, _ in found.tags]
    assert tags.count("caption") == tags.count("table") == len(tables()) + 2
    for rows in found.tables:
        for cells in rows:
            assert all(given.get("scope") in ("col", "colgroup", "row") for tag, given, _ in cells if tag == "th")
        heads = [cells for cells in rows if all(tag == "th" for tag, _, _ in cells)]
        wide = sum(span for _, _, span in heads[0])
        assert {len(cells) for cells in rows[len(heads) :]} == {wide}


def test_the_page_fetches_nothing_runs_nothing_and_shows_no_text(html):
    found = tree(html)
    assert not {tag for tag, _ in found.tags} & {"script", "link", "img", "iframe", "object", "form"}
    for tag, given in found.tags:
        assert not [name for name in given if name.startswith("on")], tag
        assert not re.search(r"https?://(?!www\.w3\.org)", " ".join(value or "" for value in given.values())), given
    assert "default-src 'none'" in html and "url(http" not in html and "@import" not in html
    assert ANSWER not in html and "Quorlin" not in html


def test_names_from_logs_are_text_and_never_markup(html, measured):
    assert "GAMA &lt;strict&gt;" in html and "<strict>" not in html
    assert "<strict>" not in "".join(one.svg for one in plots(measured))


def test_the_page_of_published_tables_needs_no_log():
    found = tree(page([], [sheet(one) for one in tables()], None))
    text = " ".join(found.text)
    assert "nothing was measured here" in text and "second-hand" in text
    assert not [given for _, given in found.tags if given.get("class") == "here"]


def test_a_report_of_markdown_names_the_runs_and_what_is_left_out(measured):
    text = markdown(
        overview(measured), [shown("gama-v1-2", measured)], measured.runs, [("t", "alt text", "plots/t.svg")]
    )
    assert "- lpp, GAMA (gama); 20" in text and "public model openai:gpt-4o" in text
    assert "GAMA \\<strict> (gama\\_strict)" in text
    assert "![alt text](plots/t.svg)" in text and ANSWER not in text


# Plots.


def test_there_is_a_plot_of_each_kind_for_which_there_are_figures(measured):
    keys = [one.key for one in plots(measured)]
    assert keys == ["score-kpp", "score-lpp", "score-tcw5", "privacy-kpp", "privacy-lpp", "cost-kpp", "cost-lpp", "cost-tcw5",
                    "rounds", "rules"]  # fmt: skip


def test_plots_tell_their_figures_in_words_and_draw_them(measured):
    found = {one.key: one for one in plots(measured)}
    bars = found["score-kpp"]
    assert "Std 50.0 % (" in bars.alt and bars.alt.index("GAMA 80.0") < bars.alt.index("GAMA <strict> 60.0")
    assert GAMA in bars.svg and OTHERS in bars.svg and ">80.0</text>" in bars.svg and ">Std</text>" in bars.svg
    scatter = found["privacy-lpp"].alt
    assert "Std 33.3 % right at 0 %" in scatter and "GAMA 83.3 % right at 100 %" in scatter
    # Money is known of two methods alone; of these one cannot say less than of tokens.
    assert "0.25 $" in found["cost-kpp"].alt and "Std" not in found["cost-kpp"].alt
    assert "lpp, GAMA 2.0" in found["rounds"].alt and "lpp, GAMA <strict> 3.0" in found["rules"].alt


def test_plots_follow_the_theme_and_are_the_same_again(measured):
    first, again = plots(measured), plots(measured)
    assert [one.svg for one in first] == [one.svg for one in again]
    for one in first:
        assert "currentColor" in one.svg and "#1b1f24" not in one.svg and "metadata" not in one.svg
        found = tree(one.svg)
        assert found.tags[0] == ("svg", found.tags[0][1]) and found.tags[0][1]["role"] == "img"
        assert all(name.startswith(f"{one.key}-") for name in found.ids)
        assert "prefers-color-scheme: dark" in alone(one.svg).replace(":dark", ": dark")


def test_names_of_methods_at_the_same_place_stand_apart(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    for solver in ("first", "second", "third"):
        write(tmp_path, "lpp", solver, [Item("a", 0, scores=leak(5)), Item("b", 0, scores=leak(5))])
    for one in plots(Measured(read(tmp_path))):
        if one.key.startswith(("privacy", "cost")):
            places = []
            for name in ("first", "second", "third"):
                (tag,) = re.findall(rf"<text ([^>]*)>{name}</text>", one.svg)
                places.append([float(re.search(rf'{axis}="([-\d.]+)"', tag)[1]) for axis in "xy"])
            for (x, y), (across, up) in itertools.combinations(places, 2):
                assert abs(y - up) > 8 or abs(x - across) > 10, one.key


def test_colours_stand_out_from_light_and_dark_pages():
    def light(colour):
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        red, green, blue = (one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    for colour in (GAMA, OTHERS):
        assert 1.05 / (light(colour) + 0.05) >= 3 and (light(colour) + 0.05) / (light("#14171b") + 0.05) >= 3


def test_types_of_one_data_set_have_bars_of_their_own(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    write(
        tmp_path, "answers", "std", [Item("a", 1, kind="sums"), Item("b", 0, kind="dates"), Item("c", 1, kind="dates")]
    )
    found = {one.key: one for one in plots(Measured(read(tmp_path)))}
    assert "dates, std 50.0 %" in found["type-answers"].alt and "sums, std 100.0 %" in found["type-answers"].alt
