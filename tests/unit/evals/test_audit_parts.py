"""The parts of the audit: what it canaries and finds, what it reads, and what its page shows."""

import json
import re
import sys
from html.parser import HTMLParser
from random import Random

import pytest

from gama.evals.audit.app import audit_app
from gama.evals.audit.canaries import MAKERS
from gama.evals.audit.context import tell_context
from gama.evals.audit.loading import filled, input_of, load_app
from gama.evals.audit.page import audit_page
from gama.evals.audit.proofs import FORMS
from gama.evals.audit.report import PROMISES, Report, Told
from gama.evals.audit.search import Channels, Searcher
from gama.evals.audit.servers import plain_body
from gama.evals.audit.store import check_empty
from gama.evals.audit.texts import planted
from gama.privacy.refining.attributes import ATTRIBUTES
from gama.state.errors import InputError, OptionError

VALUE = "Thessaly Quornbeck"


@pytest.mark.parametrize("form", FORMS)
def test_the_search_finds_a_value_in_every_form(form):
    assert Searcher([VALUE]).find(f"so {FORMS[form](VALUE)} it is".encode()) == [VALUE]


@pytest.mark.parametrize("number", range(24))
def test_the_search_finds_all_that_is_planted(number):
    text = planted(number)
    values = {canary.value for canary in text.canaries}
    assert set(Searcher(values).find(text.text.encode())) == values


@pytest.mark.parametrize("make", MAKERS)
def test_canaries_of_a_kind_differ(make):
    rng = Random(1)
    assert len({make(rng).value for _ in range(8)}) > 2


def test_words_of_the_form_are_no_find():
    assert Searcher([VALUE, "Medicine Hat"], [b"Medicine Hat is a domain"]).find(b"Medicine Hat") == []


def test_a_channel_counts_what_it_carried():
    channels = Channels()
    found = channels.look("wire", [b"nothing", VALUE.upper().encode(), b"Ambrose Tilling"], Searcher([VALUE]),
                          Searcher([VALUE, "Ambrose Tilling"]))  # fmt: skip
    wire = channels.all["wire"]
    assert found == [VALUE] and (wire.payloads, wire.missed, wire.found) == (3, 1, {VALUE: 1})
    assert channels.size == wire.size == 7 + len(VALUE) + 15


def test_compressed_bodies_are_read():
    import gzip

    import zstandard

    assert plain_body(gzip.compress(b"abc"), "gzip") == b"abc"
    assert plain_body(zstandard.ZstdCompressor().compress(b"abc"), "zstd") == b"abc"


class TestTheReport:
    """The report is good only when every promise was put to the test."""

    def full(self):
        report = Report()
        for number in PROMISES:
            report.check(number, True, "fine")
        return report

    def test_held(self):
        assert self.full().held

    def test_a_promise_without_a_check_has_not_held(self):
        report = self.full()
        report.promise(4).checks = 0
        assert not report.held and "not tested" in audit_page(report)

    def test_a_broken_one_is_named(self):
        report = self.full()
        report.check(6, False, "bytes are <left>")
        assert not report.held
        shown = audit_page(report)
        assert "BROKEN" in shown and "bytes are &lt;left&gt;" in shown
        assert json.loads(report.as_json())["promises"][5]["broken"] == ["bytes are <left>"]

    def test_a_part_that_failed_is_no_success(self):
        report = self.full()
        report.failures.append("erasure: OSError")
        assert not report.held and "erasure: OSError" in audit_page(report)

    def test_what_context_tells_is_shown_and_breaks_no_promise(self):
        report = self.full()
        tell_context(report)
        assert report.held and report.context_texts == 5
        assert {one.attribute for one in report.context} <= {one.name for one in ATTRIBUTES}
        assert all(one.guess and 1 <= one.certainty <= 5 and one.sentences for one in report.context)
        report.context = [Told("some-1", "occupation", "nurse", 3, ["<name-1> handed over to the late shift."])]
        assert "&lt;name-1&gt; handed over to the late shift." in audit_page(report)
        (told,) = json.loads(report.as_json())["context"]
        assert told["guess"] == "nurse" and told["certainty"] == 3

    def test_the_page_needs_nothing_else(self):
        report = self.full()
        report.not_tested = ["A hosted model."]
        shown = audit_page(report)
        opened: list[str] = []

        class Reader(HTMLParser):
            def handle_starttag(self, tag, attributes):
                assert tag not in ("script", "link", "img", "iframe")
                assert not {"src", "href"} & dict(attributes).keys()
                if tag not in ("meta", "br"):
                    opened.append(tag)

            def handle_endtag(self, tag):
                assert opened.pop() == tag

        Reader().feed(shown)
        assert not opened and "prefers-color-scheme: dark" in shown and "A hosted model." in shown
        assert not re.search(r"https?://|url\(", shown)


class TestFindingAnApp:
    """Apps are found by the names that LangGraph's own tools take."""

    @pytest.mark.parametrize(
        "target", ["nothing", "no.such.module:graph", "gone.py:graph", "gone.json:graph", "json:dumps_"]
    )
    def test_unknown(self, target):
        with pytest.raises(OptionError, match="option --graph"):
            load_app(target)

    def test_no_graph(self):
        with pytest.raises(OptionError, match="no graph"):
            load_app("gama:__version__")

    def test_file_factory_and_list(self, tmp_path):
        (tmp_path / "one.py").write_text(
            "from langchain_core.runnables import RunnableLambda\n"
            "async def make(config):\n    return RunnableLambda(lambda text: text)\n"
        )
        (tmp_path / "langgraph.json").write_text('{"graphs": {"one": "./one.py:make"}}')
        assert load_app(f"{tmp_path}/one.py:make").invoke("hi") == "hi"
        assert load_app(f"{tmp_path}/langgraph.json:one").invoke("hi") == "hi"

    def test_input(self):
        from langgraph.graph import MessagesState, StateGraph
        from typing_extensions import TypedDict

        class Two(TypedDict):
            topic: str
            tone: str

        def compiled(state):
            return StateGraph(state).add_node("n", lambda s: {}).set_entry_point("n").compile()

        assert input_of(compiled(MessagesState), None) == {"messages": [{"role": "user", "content": "{text}"}]}
        with pytest.raises(InputError, match="'topic', 'tone'"):
            input_of(compiled(Two), None)
        with pytest.raises(InputError, match="no JSON"):
            input_of(compiled(Two), "{text}")
        with pytest.raises(InputError, match=re.escape("{text}")):
            input_of(compiled(Two), '{"topic": "x"}')
        given = input_of(compiled(Two), '{"topic": ["{text}"], "n": 3}')
        assert filled(given, 'a "b"') == {"topic": ['a "b"'], "n": 3}

    def test_an_app_that_cannot_be_used_says_so(self):
        with pytest.raises(InputError, match="no module"):
            audit_app("no_such_module:graph", texts=1)


def test_a_store_without_its_extra_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.setitem(sys.modules, "psycopg.sql", None)
    with pytest.raises(OptionError, match=r"gama-privacy\[postgres\]"):
        check_empty("postgresql://me@127.0.0.1/audit")
