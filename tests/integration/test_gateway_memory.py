"""What the gateway keeps in memory does not grow with its requests; counted in bytes that are held."""

import gc
import tracemalloc
from itertools import pairwise

import httpx
import pytest

from gama.privacy import link, names
from gama.serve.gateway import memory
from gama.tools.memo import Memo
from tests.support import serving

FACTOR = 64
FEW = 2

pytestmark = pytest.mark.timeout(600)


@pytest.mark.slow
def test_64_times_the_requests_hold_no_more(upstream, few_names, monkeypatch):
    # As many texts are remembered as may be from the first requests on; the rest of them goes.
    monkeypatch.setattr(memory.SpanMemory.__init__, "__defaults__", (4, 100))
    monkeypatch.setattr(names, "_ASKING", Memo(4))
    monkeypatch.setattr(link, "_OWNERS", Memo(4))
    held = []
    with serving.serving(upstream=upstream.url) as server, httpx.Client(base_url=server.v1, timeout=60) as http:

        def ask(numbers: range) -> None:
            for number in numbers:
                text = f"I am {serving.NAME}, and ask for number {number}."
                body = {"model": "m", "stream": bool(number % 2), "messages": [{"role": "user", "content": text}]}
                answer = http.post("/chat/completions", json=body, headers={"authorization": "Bearer k"})
                assert answer.status_code == 200
            # What the upstream and the log of the test note is no part of it.
            for notes in (upstream.record, upstream.requests, upstream.paths, server.log):
                notes.clear()
            gc.collect()
            held.append(tracemalloc.get_traced_memory()[0])

        # What is made once, for the first requests, counts for neither.
        tracemalloc.start()
        try:
            for number in range(3):
                ask(range(number * FEW * FACTOR, (number + 1) * FEW * FACTOR))
        finally:
            tracemalloc.stop()
        assert len(server.app.state.gateway.masker._memory) == 4
    # The digest of a text and what was found in it take more. What is kept grows each time; what is made once, late, does not.
    grown = min(after - before for before, after in pairwise(held))
    assert grown / (FEW * FACTOR) < 150, held
