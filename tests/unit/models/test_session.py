"""What the calls of one task have in common: the account of what it spends, and the memo of its replies."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from gama.models.calls import PublicCall, PublicReply
from gama.models.names import FREE, Price, estimate_tokens
from gama.models.session import SHORTEST_REPLY, Ledger, Memo
from gama.state.errors import LimitReached, ModelDenied, ModelTimeout, OptionError
from gama.state.task import PublicLimits

CALL = PublicCall(role="expert", system="s" * 300, user="u" * 600, task="t")
NEEDED = estimate_tokens(CALL.system, CALL.user)
PRICE = Price(2.0, 10.0)


def ledger(**bounds) -> Ledger:
    made = Ledger()
    made.bind(PublicLimits(**bounds))
    return made


def reserve(made: Ledger, price: Price | None = PRICE):
    return made.reserve(CALL, price, "openai:x")


def reply(tokens: int, cost: float = 0.0) -> PublicReply:
    return PublicReply("x", "m", input_tokens=tokens, cost=cost)


def test_without_bounds_nothing_is_bounded():
    assert reserve(ledger(), None).reply_tokens is None


def test_a_reply_may_use_a_part_of_what_is_left():
    made = ledger(max_tokens=NEEDED + 8000)
    first = reserve(made)
    assert (first.input_tokens, first.reply_tokens) == (NEEDED, 2000)
    second = reserve(made)
    assert second.reply_tokens == (6000 - NEEDED) // 4, "what the first has reserved is not there for the second"
    made.settle(first, reply(NEEDED + 10))
    made.settle(second, None, ModelDenied("no"))
    assert reserve(made).reply_tokens == (8000 - NEEDED - 10) // 4, "what was not used is there again"


@pytest.mark.parametrize(("spare", "fits"), [(SHORTEST_REPLY, True), (SHORTEST_REPLY - 1, False)])
def test_a_call_without_room_is_refused(spare, fits):
    made = ledger(max_tokens=NEEDED + spare)
    if fits:
        assert reserve(made).reply_tokens == SHORTEST_REPLY
        return
    with pytest.raises(LimitReached, match=r"0 of .* tokens spent\). Raise max_tokens"):
        reserve(made)
    assert made.untouched


def test_dollars():
    made = ledger(max_cost=0.05)
    first = reserve(made)
    input_cost = PRICE.cost(NEEDED, 0)
    assert first.reply_tokens == pytest.approx((0.05 - input_cost) * 1e5 / 4, abs=1)
    assert first.cost == pytest.approx(input_cost + first.reply_tokens * 1e-5)
    made.settle(first, reply(0, cost=0.0499))
    with pytest.raises(LimitReached, match=r"0.0499 of 0.05 US dollars spent\). Raise max_cost"):
        reserve(made)


def test_the_narrower_bound_counts():
    assert reserve(ledger(max_cost=0.05, max_tokens=NEEDED + 1200)).reply_tokens == 300
    assert reserve(ledger(max_cost=0.05), FREE).reply_tokens is None, "what is free is not bounded by money"


def test_dollars_need_a_price():
    with pytest.raises(OptionError, match="no price for 'openai:x'"):
        reserve(ledger(max_cost=1), None)
    assert reserve(ledger(max_tokens=100_000), None).cost == 0


def test_calls():
    made = ledger(max_calls=2)
    first, _ = reserve(made), reserve(made)
    with pytest.raises(LimitReached, match="has made its 2 calls"):
        reserve(made)
    made.settle(first, None, ModelDenied("no"))
    with pytest.raises(LimitReached):
        reserve(made)


def test_a_call_without_an_answer_in_time_has_been_paid_for():
    made = ledger(max_tokens=10_000)
    made.settle(reserve(made), None, ModelTimeout("slow"))
    assert reserve(made).reply_tokens == (10_000 - 2 * NEEDED) // 4


def test_the_graphs_count_is_taken_over_after_a_resumption():
    made = ledger(max_tokens=10_000, max_cost=1.0)
    made.note({"calls": 4, "input_tokens": 9_000, "output_tokens": 900, "cost_microusd": 20_000})
    with pytest.raises(LimitReached, match="9,900 of 10,000 tokens and 0.0200 of 1 US dollars"):
        reserve(made)
    made.note({"input_tokens": 1})
    with pytest.raises(LimitReached):
        reserve(made)
    assert not made.untouched


def test_side_by_side_nobody_spends_what_another_has_reserved():
    made = ledger(max_tokens=20_000)

    def one(_):
        try:
            reserved = reserve(made)
        except LimitReached:
            return 0
        return reserved.input_tokens + reserved.reply_tokens

    with ThreadPoolExecutor(8) as pool:
        spent = list(pool.map(one, range(64)))
    assert 19_000 < sum(spent) <= 20_000 and 0 in spent


REPLY = PublicReply("yes", "loop-1", input_tokens=5, output_tokens=1, cost=0.25)


def test_the_second_costs_nothing():
    memo, asked = Memo(), []
    first = memo.get("a", lambda: asked.append(1) or REPLY)
    second = memo.get("a", lambda: asked.append(2) or REPLY)
    other = memo.get("b", lambda: asked.append(3) or REPLY)
    assert asked == [1, 3] and first is REPLY and other is REPLY
    assert (second.text, second.calls, second.input_tokens, second.output_tokens, second.cost) == ("yes", 0, 0, 0, 0)


def test_threads_wait_for_the_first():
    memo, asked, entered, release = Memo(), [], threading.Event(), threading.Event()

    def ask() -> PublicReply:
        asked.append(1)
        entered.set()
        release.wait(60)
        return REPLY

    with ThreadPoolExecutor(5) as pool:
        first = pool.submit(memo.get, "a", ask)
        assert entered.wait(60)
        others = [pool.submit(memo.get, "a", ask) for _ in range(4)]
        release.set()
        calls = sorted([first.result().calls, *(other.result().calls for other in others)])
    assert asked == [1] and calls == [0, 0, 0, 0, 1]


async def test_tasks_wait_for_the_first_and_for_a_thread():
    memo, asked, release = Memo(), [], asyncio.Event()

    async def ask() -> PublicReply:
        asked.append(1)
        await release.wait()
        return REPLY

    tasks = [asyncio.create_task(memo.aget("a", ask)) for _ in range(4)]
    await asyncio.sleep(0)
    thread = asyncio.create_task(asyncio.to_thread(memo.get, "a", lambda: REPLY))
    await asyncio.sleep(0)
    release.set()
    replies = await asyncio.gather(*tasks, thread)
    assert asked == [1] and sum(reply.calls for reply in replies) == 1


async def test_a_failure_is_shared_and_not_kept():
    memo, asked, release = Memo(), [], asyncio.Event()

    async def fail() -> PublicReply:
        asked.append(1)
        await release.wait()
        raise ModelTimeout("slow")

    tasks = [asyncio.create_task(memo.aget("a", fail)) for _ in range(3)]
    await asyncio.sleep(0)
    release.set()
    errors = await asyncio.gather(*tasks, return_exceptions=True)
    assert [str(error) for error in errors] == ["slow"] * 3 and len({id(error) for error in errors}) == 3
    assert asked == [1]
    assert memo.get("a", lambda: REPLY).calls == 1


async def test_when_the_first_is_cancelled_the_next_takes_its_place():
    memo, asked, release = Memo(), [], asyncio.Event()

    async def ask() -> PublicReply:
        asked.append(1)
        await release.wait()
        return REPLY

    first = asyncio.create_task(memo.aget("a", ask))
    await asyncio.sleep(0)
    second = asyncio.create_task(memo.aget("a", ask))
    await asyncio.sleep(0)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    release.set()
    assert (await second).calls == 1 and asked == [1, 1]


async def test_one_who_waits_may_go_without_disturbing_the_first():
    memo, release = Memo(), asyncio.Event()

    async def ask() -> PublicReply:
        await release.wait()
        return REPLY

    first = asyncio.create_task(memo.aget("a", ask))
    await asyncio.sleep(0)
    second = asyncio.create_task(memo.aget("a", ask))
    await asyncio.sleep(0)
    second.cancel()
    with pytest.raises(asyncio.CancelledError):
        await second
    release.set()
    assert (await first).calls == 1
