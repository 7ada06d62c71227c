"""Prometheus metrics. No label comes from a caller: routes by their pattern, kinds, states."""

from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)


class Metrics:
    """The metrics of one server."""

    content_type = CONTENT_TYPE_LATEST

    def __init__(self) -> None:
        """Register them."""
        self._registry = CollectorRegistry()
        kept: dict[str, Any] = {"registry": self._registry}
        self.requests = Counter("gama_requests", "Requests.", ["route", "method", "status"], **kept)
        self.seconds = Histogram(
            "gama_request_seconds", "Seconds of a request.", ["route"], buckets=_SECONDS, **kept
        )  # fmt: skip
        self.running = Gauge("gama_requests_running", "Requests under way.", **kept)
        self.masking = Histogram(
            "gama_masking_seconds", "Seconds to anonymize a request.", buckets=_SECONDS, **kept
        )  # fmt: skip
        self.texts = Counter("gama_texts", "Texts of requests: read, or remembered.", ["how"], **kept)
        self.upstream = Counter("gama_upstream_answers", "Answers of the upstream.", ["protocol", "status"], **kept)
        self.first = Histogram(
            "gama_upstream_first_seconds", "Seconds until the upstream began to answer.", ["protocol"],
            buckets=_SECONDS, **kept,
        )  # fmt: skip
        self.stopped = Counter("gama_stopped", "Requests that were stopped before a byte left.", ["why"], **kept)

    def page(self) -> bytes:
        """Return the page that Prometheus reads."""
        return generate_latest(self._registry)
