"""What the search of an app found: which planted values appeared where."""

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from gama.evals.audit.page import items, page, summary, table, verdict

READ_BY = {
    "stream": "whoever gets the stream", "events": "whoever gets the events", "callbacks": "callback handlers",
    "tracer of the process": "tracers registered for the process", "traces": "LangSmith, or what stands in its place",
    "OpenTelemetry spans": "an OpenTelemetry collector", "checkpoints": "whoever reads the checkpointer's database",
    "logs": "whoever reads the logs", "logs at DEBUG": "whoever reads the logs, turned up", "stdout": "the terminal",
    "stderr": "the terminal", "exceptions": "error pages and error trackers", "files": "whoever reads the folder",
    "sent to": "the server at that address",
}  # fmt: skip


@dataclass
class AppChannel:
    """One channel of an app."""

    name: str
    payloads: int = 0
    size: int = 0
    """Bytes."""
    found: dict[str, int] = field(default_factory=dict)
    """Planted values by kind and number, with the payloads they stood in."""
    places: list[str] = field(default_factory=list)
    """Where in the channel: events, loggers, files."""
    trusted: bool = False
    """Whether the user has said that it may see private text."""

    @property
    def read_by(self) -> str:
        """Who reads it."""
        return READ_BY.get(self.name) or READ_BY.get(self.name.split(":")[0]) or READ_BY["sent to"]


@dataclass
class AppReport:
    """The whole search."""

    graph: str
    planted: dict[str, str]
    """The made-up values, by kind and number."""
    texts: int
    seconds: float = 0.0
    channels: dict[str, AppChannel] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=dict)

    @property
    def leaking(self) -> list[AppChannel]:
        """The channels in which values appeared, but those that may see them."""
        return [channel for channel in self.ordered if channel.found and not channel.trusted]

    @property
    def ordered(self) -> list[AppChannel]:
        """The channels by name."""
        return [self.channels[name] for name in sorted(self.channels)]

    @property
    def clean(self) -> bool:
        """Whether the app was run, and nothing appeared anywhere."""
        return any(channel.payloads for channel in self.ordered) and not self.leaking and not self.failures

    def as_json(self) -> str:
        """Return it as JSON."""
        return json.dumps({"clean": self.clean} | asdict(self), indent=1, ensure_ascii=False)

    def lines(self) -> list[str]:
        """Return it as lines for a terminal."""
        sizes = sum(channel.size for channel in self.ordered) / 1e6
        payloads = sum(channel.payloads for channel in self.ordered)
        out = [
            f"{self.texts} texts with {len(self.planted)} planted values; {payloads:,} payloads ({sizes:,.1f} MB)",
            "",
            *(
                f"{channel.name:<34} {channel.payloads:>6,} payloads   {self._word(channel)}"
                for channel in self.ordered
            ),
        ]
        out += [f"not finished: {line}" for line in self.failures]
        return [*out, "", *(f"- {line}" for line in self.notes)]

    def _word(self, channel: AppChannel) -> str:
        if not channel.found:
            return "nothing"
        return f"{len(channel.found)} of {len(self.planted)} values{' (trusted)' if channel.trusted else ''}"


def app_page(report: AppReport) -> str:
    """Return the page of a search."""
    leaking = report.leaking
    bad = f"Planted values appeared in {len(leaking)} channel(s)." if leaking else "The app could not be tested."
    kinds = list(report.planted)
    rows: list[list[str | int]] = []
    for channel in report.ordered:
        outcome = verdict(not channel.found, "nothing", "trusted" if channel.trusted else "FOUND")
        found = ", ".join(channel.found) if len(channel.found) < len(kinds) else "all of them"
        rows.append([
            channel.name, channel.read_by, channel.payloads, channel.size, outcome,
            found if channel.found else "", ", ".join(channel.places[:8]),
        ])  # fmt: skip
    parts: list[Any] = [
        f'<p class="soft">{report.seconds:.0f} s. The values are made up.</p>',
        f"<p>{verdict(report.clean, 'No planted value appeared anywhere.', bad)}</p>",
        summary((
            (str(report.texts), "texts"), (str(len(kinds)), "planted values"),
            (f"{sum(c.payloads for c in report.ordered):,}", "payloads searched"),
            (f"{sum(c.size for c in report.ordered) / 1e6:,.1f} MB", "searched"),
        )),
        "<h2>Where they appeared</h2>",
        table(("channel", "read by", "payloads", "bytes", "", "values", "where"), rows),
    ]  # fmt: skip
    if report.failures:
        parts += ["<h2>What failed</h2>", items(report.failures)]
    parts += [
        "<h2>What was planted</h2>",
        table(("", "value"), report.planted.items()),
        "<h2>Notes</h2>",
        items(report.notes),
        f"<details><summary>versions</summary>{items(f'{k} {v}' for k, v in report.versions.items())}</details>",
    ]
    return page(f"Audit of {report.graph}", parts)
