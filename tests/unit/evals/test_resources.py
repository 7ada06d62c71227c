"""What a task takes: its own time and tokens, and the process's memory and processor, told as such."""

import asyncio
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

from gama.evals.metrics import resources
from gama.evals.metrics.judges import Spent
from gama.evals.metrics.resources import Meter
from gama.models.names import Price


def test_seconds_are_the_clocks(monkeypatch):
    times = iter([10.0, 12.5])
    monkeypatch.setattr(resources, "perf_counter", lambda: next(times))
    monkeypatch.setattr(resources, "_cpu", iter([1.0, 2.0]).__next__)
    with Meter() as meter:
        pass
    assert meter.used.seconds == 2.5 and meter.used.cpu_percent == 40.0 and meter.used.beside == 0


@pytest.mark.parametrize(
    ("held", "peaks", "most"),
    [
        # Never has the process held so much: the system knows the peak, though nobody looked.
        ([2e6, 2e6], [5e6, 9e6], 9.0),
        # It once held more: what is seen at the looks, at the least what was held at the begin.
        ([2e6, 3e6], [9e6, 9e6], 3.0), ([4e6, 3e6], [9e6, 9e6], 4.0),
    ],
)  # fmt: skip
def test_the_peak_is_the_tasks(monkeypatch, held, peaks, most):
    monkeypatch.setattr(resources, "EVERY", 1000)
    monkeypatch.setattr(resources, "_rss", iter(held).__next__)
    monkeypatch.setattr(resources, "_peak_rss", iter(peaks).__next__)
    with Meter() as meter:
        pass
    assert (meter.used.peak_rss_mb, meter.used.grown_mb) == (most, most - held[0] / 1e6)


def test_memory_that_is_given_back_was_seen():
    with Meter() as meter:
        held = np.ones(20_000_000)
        before = meter._before
        assert any(meter.rss - before > held.nbytes / 2 or time.sleep(0.05) for _ in range(400))
        del held
    assert meter.used.grown_mb > 80 and meter.used.peak_rss_mb > meter.used.grown_mb


def test_work_is_seen():
    with Meter() as meter:
        until = time.process_time() + 0.1
        while time.process_time() < until:
            pass
    assert meter.used.cpu_percent > 0


def test_tasks_that_are_under_way_together_say_so():
    async def task(started, go_on):
        with Meter() as meter:
            started.set()
            await go_on.wait()
        return meter.used.beside

    async def both():
        started, go_on = [asyncio.Event(), asyncio.Event()], asyncio.Event()
        tasks = [asyncio.create_task(task(one, go_on)) for one in started]
        for one in started:
            await one.wait()
        go_on.set()
        return await asyncio.gather(*tasks)

    assert asyncio.run(both()) == [1, 1]
    with Meter() as alone:
        pass
    assert alone.used.beside == 0


def test_nothing_watches_when_nothing_is_under_way():
    with Meter(), pytest.raises(ValueError), Meter():
        assert any(one.name == "gama-meter" for one in threading.enumerate())
        raise ValueError
    for one in threading.enumerate():
        if one.name == "gama-meter":
            one.join(10)
    assert not any(one.name == "gama-meter" for one in threading.enumerate())


def test_a_task_under_way_has_no_figures():
    with Meter() as meter, pytest.raises(RuntimeError, match="under way"):
        meter.used  # noqa: B018


@pytest.mark.parametrize(
    ("readings", "most"),
    [
        # A new peak is the task's; without one, what is held at the looks.
        ([(2e6, 5e6), (1e6, 9e6), (1e6, 9e6)], 9.0), ([(2e6, 9e6), (3e6, 9e6), (3e6, 9e6)], 3.0),
        ([None, (4e6, 4e6), (4e6, 4e6)], 4.0),
    ],
)  # fmt: skip
def test_gpu_memory_is_the_peak_of_the_task(monkeypatch, readings, most):
    left = list(readings)
    monkeypatch.setattr(resources, "EVERY", 1000)
    monkeypatch.setattr(resources, "_gpu", lambda: left.pop(0) if len(left) > 1 else left[0])
    with Meter() as meter:
        pass
    assert meter.used.gpu_mb == most


def test_gpus_are_added_up_where_torch_uses_them(monkeypatch):
    cuda = SimpleNamespace(
        is_available=lambda: True, is_initialized=lambda: True, device_count=lambda: 2,
        memory_allocated=lambda at: [1, 2][at], max_memory_allocated=lambda at: [10, 20][at],
    )  # fmt: skip
    monkeypatch.setitem(resources.sys.modules, "torch", SimpleNamespace(cuda=cuda))
    assert resources._gpu() == (3.0, 30.0)
    cuda.is_initialized = lambda: False
    assert resources._gpu() is None


def test_tokens_and_money_come_from_the_calls():
    with Meter() as meter:
        pass
    used = meter.used.spending(Spent(2, 1_000_000, 500_000), Price(2.0, 8.0))
    assert (used.calls, used.input_tokens, used.output_tokens, used.money) == (2, 1_000_000, 500_000, 6.0)
    assert used.seconds == meter.used.seconds
    assert meter.used.spending(Spent(1, 2, 3), None).money is None
    assert set(used._asdict()) >= {
        "calls", "input_tokens", "output_tokens", "seconds", "money", "peak_rss_mb", "cpu_percent", "gpu_mb",
    }  # fmt: skip
