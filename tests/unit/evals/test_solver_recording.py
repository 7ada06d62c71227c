import asyncio

import pytest
from langchain_core.callbacks import BaseCallbackHandler, CallbackManager
from langchain_core.messages import AIMessage
from langchain_openai import ChatOpenAI

from gama.evals.solvers.base import Usage
from gama.evals.solvers.recording import Recording
from gama.state.errors import LimitReached, ModelError
from gama.state.options import Options
from tests.support.solving import Replying, letter, replying, solved, solver


def counted(text, given, taken):
    usage = {"input_tokens": given, "output_tokens": taken, "total_tokens": given + taken}
    return AIMessage(text, usage_metadata=usage)


async def test_tokens_are_the_providers_where_it_counts_them():
    public = replying(("Examine", counted("Verdict: to be mended", 7, 2)), counted("Paris", 10, 1))
    solution = await solved("self-refine", public)
    assert solution.used == Usage(3, 27, 4)
    assert not any("estimates" in note for note in solution.notes)


async def test_tokens_that_nobody_counted_are_estimated_and_marked():
    public = replying(("Examine", "Verdict: to be mended"), counted("Paris", 10, 1))
    solution = await solved("self-refine", public)
    assert "The provider reported no tokens for 1 of 3 calls: their counts are estimates." in solution.notes
    assert solution.used.input_tokens > 20 + len("Examine the last answer") // 3


async def test_a_request_that_failed_was_sent_and_counts_as_no_call():
    model, recording = Recording.of(replying(ModelError("no")))
    with pytest.raises(ModelError):
        await model.ainvoke("Hello", {"metadata": {"thread_id": "t"}})
    kept = recording.take(["t"])
    assert kept.sent == ("Hello",) and kept.used == Usage()


async def test_a_call_that_was_cancelled_leaves_nothing_behind():
    class Slow(Replying):
        async def _agenerate(self, *args, **kwargs):
            await asyncio.Event().wait()

    made = solver("std", Slow(reply=None))
    run = asyncio.create_task(made.solve(letter()))
    while not made._recording._open:
        await asyncio.sleep(0)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert not made._recording._open and not made._recording._requests


async def test_the_temperature_is_a_fact(loopback):
    public = ChatOpenAI(model="tester", base_url=loopback.url, api_key="none", temperature=0)
    facts = solver("std", public).facts()
    assert facts["public"] == "tester" and facts["public_temperature"] == "0"


async def test_what_is_taken_is_forgotten_and_other_threads_are_left():
    model, recording = Recording.of(replying("yes"))
    for thread in ("a", "b"):
        await model.ainvoke(f"I am {thread}", {"metadata": {"thread_id": thread}})
    assert recording.take(["a"]).sent == ("I am a",)
    assert recording.take(["a"]).sent == ()
    assert recording.take(["b", "c"]).used.calls == 1


async def test_a_models_own_handlers_stay():
    class Own(BaseCallbackHandler):
        started = 0

        def on_chat_model_start(self, *args, **kwargs):
            self.started += 1

    for callbacks in ([one := Own()], CallbackManager([two := Own()])):
        own = replying("yes").model_copy(update={"callbacks": callbacks})
        model, recording = Recording.of(own)
        await model.ainvoke("Hello", {"metadata": {"thread_id": "t"}})
        assert recording.take(["t"]).used.calls == 1
        # The model that was given is recorded nowhere.
        await own.ainvoke("Hello", {"metadata": {"thread_id": "t"}})
        assert not recording.take(["t"]).sent
    assert one.started == two.started == 2


@pytest.mark.parametrize("key", ["std", "std-mvpi", "gama-strict"])
async def test_requests_over_a_provider_are_told_as_the_server_got_them(key, loopback):
    public = ChatOpenAI(model="tester", base_url=loopback.url, api_key="none", max_retries=0)
    solution = await solved(key, public)
    got = ["\n".join(message["content"] for message in request["messages"]) for request in loopback.requests]
    assert sorted(solution.sent) == sorted(got)
    assert solution.used.calls == len(got) and not any("estimates" in note for note in solution.notes)


async def test_a_server_that_is_busy_is_asked_again(loopback):
    loopback.faults = [429]
    public = ChatOpenAI(model="tester", base_url=loopback.url, api_key="none", max_retries=0)
    solution = await solved("std", public)
    assert solution.used.calls == 1 and len(solution.sent) == 2


async def test_a_run_makes_no_more_calls_than_it_may():
    public = replying("Paris")
    with pytest.raises(LimitReached):
        await solver("self-refine", public, options=Options(max_calls=2)).solve(letter())
    # The refusal comes before the third call.
    assert len(public.asked) == 2
