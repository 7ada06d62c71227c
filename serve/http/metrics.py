"""Prometheus metrics. No label comes from a caller: routes by their pattern, kinds, states."""

import os
from pathlib import Path
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""Environment variable with the folder where several workers count together; set before this module is imported."""


class Metrics:
    """The metrics of one server; where it has several workers, `page` sums them up."""

    content_type = CONTENT_TYPE_LATEST

    def __init__(self) -> None:
        """Register them."""
        self._registry = CollectorRegistry()
        kept: dict[str, Any] = {"registry": self._registry}
        self.requests = Counter("gama_requests", "Requests.", ["route", "method", "status"], **kept)
        self.seconds = Histogram(
            "gama_request_seconds", "Seconds of a request.", ["route"], buckets=_SECONDS, **kept
        )  # fmt: skip
        self.running = Gauge(
            "gama_requests_running", "Requests under way.", multiprocess_mode="livesum", **kept
        )  # fmt: skip
        self.masking = Histogram(
            "gama_masking_seconds", "Seconds to anonymize a request.", buckets=_SECONDS, **kept
        )  # fmt: skip
        self.texts = Counter("gama_texts", "Texts of requests: read, or remembered.", ["how"], **kept)
        self.upstream = Counter("gama_upstream_answers", "Answers of the upstream.", ["protocol", "status"], **kept)
        self.first = Histogram(
            "gama_upstream_first_seconds", "Seconds until the upstream began to answer.", ["protocol"],
            buckets=_SECONDS, **kept,
        )  # fmt: skip
        self.unresolved = Counter(
            "gama_unresolved", "Placeholders in answers that are none of the conversation's.", **kept
        )
        self.stopped = Counter("gama_stopped", "Requests that were stopped before a byte left.", ["why"], **kept)

    def page(self) -> bytes:
        """Return the page that Prometheus reads."""
        folder = os.environ.get(FOLDER)
        if not folder:
            return generate_latest(self._registry)
        # A worker that was killed has nothing under way any more.
        for path in Path(folder).glob("gauge_live*_*.db"):
            pid = path.stem.rpartition("_")[2]
            if pid.isdecimal() and not _alive(int(pid)):
                mark_process_dead(int(pid), folder)  # type: ignore[no-untyped-call]
        registry = CollectorRegistry()
        MultiProcessCollector(registry, folder)  # type: ignore[no-untyped-call]
        return generate_latest(registry)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
