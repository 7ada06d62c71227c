"""What a task takes: time, memory, processor, GPU memory, tokens and money.

Time, tokens and money are the task's own. Memory and processor are this *process's* while the task was under way: where
several tasks are under way at once none of them can be told from the others, and `beside` says how many there were. A
model that runs in another process (Ollama, a server) takes nothing here.
"""

import sys
import threading
from time import perf_counter
from types import TracebackType
from typing import Any, NamedTuple

from gama.evals.metrics.judges import Spent
from gama.models.names import Price

MEGA = 1e6
"""Bytes of a megabyte."""

EVERY = 0.05
"""Seconds between two looks at the memory."""


class Used(NamedTuple):
    """What a task took."""

    seconds: float
    """From its begin to its end, waiting included."""
    peak_rss_mb: float
    """Most memory of the process meanwhile."""
    grown_mb: float
    """The same, less what the process held at the task's begin."""
    cpu_percent: float
    """Processor time of the process by the task's seconds; 100 is one core."""
    gpu_mb: float | None
    """Most GPU memory of the process's tensors meanwhile; None: torch uses no GPU."""
    beside: int
    """Most other tasks under way at a time: above 0, memory and processor are theirs as well."""
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    money: float | None = None
    """In US dollars; None: the model's price is not known."""

    def spending(self, spent: Spent, price: Price | None) -> "Used":
        """Return the same with what calls of a model took, at its price."""
        money = None if price is None else price.cost(spent.input_tokens, spent.output_tokens)
        return self._replace(**spent._asdict(), money=money)


class Meter:
    """Measures a task; used as a context, around whatever the task awaits or runs.

    Example:
        >>> with Meter() as meter:
        ...     answer = sum(range(10))
        >>> meter.used.seconds > 0
        True
    """

    def __init__(self) -> None:
        """Measure nothing yet."""
        self._used: Used | None = None
        self.beside = 0
        self.rss = self.gpu = 0.0

    @property
    def used(self) -> Used:
        """What the task took.

        Raises:
            RuntimeError: it has not ended.
        """
        if self._used is None:
            raise RuntimeError("the task is still under way: ask when its context has ended")
        return self._used

    def __enter__(self) -> "Meter":
        """Begin."""
        self._before, self._peak_before, self._gpu_before = _rss(), _peak_rss(), _gpu()
        self._cpu, self._began = _cpu(), perf_counter()
        _WATCH.open(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End."""
        seconds = perf_counter() - self._began
        worked = _cpu() - self._cpu
        _WATCH.close(self)
        # Where the process has never held so much, the system knows its peak; otherwise the looks at it do.
        peak = _peak_rss()
        peak = peak if peak > self._peak_before else max(self.rss, self._before)
        gpu, before = _gpu(), self._gpu_before or (0.0, 0.0)
        most = None if gpu is None else gpu[1] if gpu[1] > before[1] else max(self.gpu, before[0])
        self._used = Used(
            seconds,
            peak / MEGA,
            (peak - self._before) / MEGA,
            100 * worked / seconds if seconds > 0 else 0.0,
            None if most is None else most / MEGA,
            self.beside,
        )


class _Watch:
    """Looks at the memory of the process for all tasks under way, on one thread while there are any."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: set[Meter] = set()
        self._ended = threading.Event()

    def open(self, meter: Meter) -> None:
        with self._lock:
            self._open.add(meter)
            for one in self._open:
                one.beside = max(one.beside, len(self._open) - 1)
            if len(self._open) == 1:
                self._ended = threading.Event()
                threading.Thread(target=self._run, args=(self._ended,), name="gama-meter", daemon=True).start()

    def close(self, meter: Meter) -> None:
        self._look()
        with self._lock:
            self._open.discard(meter)
            if not self._open:
                self._ended.set()

    def _run(self, ended: threading.Event) -> None:
        while not ended.wait(EVERY):
            self._look()

    def _look(self) -> None:
        rss, gpu = _rss(), _gpu()
        with self._lock:
            for one in self._open:
                one.rss = max(one.rss, rss)
                one.gpu = max(one.gpu, gpu[0] if gpu else 0.0)


_WATCH = _Watch()


def _process() -> Any:
    import psutil

    return psutil.Process()


def _rss() -> float:
    return float(_process().memory_info().rss)


def _cpu() -> float:
    times = _process().cpu_times()
    return float(times.user + times.system)


def _peak_rss() -> float:
    """Return the most memory that the process ever held; nought where the system does not tell."""
    try:
        from resource import RUSAGE_SELF, getrusage
    except ImportError:  # Windows
        return float(getattr(_process().memory_info(), "peak_wset", 0))
    peak = getrusage(RUSAGE_SELF).ru_maxrss
    return float(peak if sys.platform == "darwin" else peak * 1024)


def _gpu() -> tuple[float, float] | None:
    """Return what tensors hold on all GPUs now, and the most that they ever held; None where torch uses none."""
    cuda = getattr(sys.modules.get("torch"), "cuda", None)
    if cuda is None or not cuda.is_available() or not cuda.is_initialized():
        return None
    devices = range(cuda.device_count())
    return (
        float(sum(cuda.memory_allocated(one) for one in devices)),
        float(sum(cuda.max_memory_allocated(one) for one in devices)),
    )
