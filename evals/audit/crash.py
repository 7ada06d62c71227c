"""Crashes: a process is killed in the middle of a call, and another takes up where it stopped.

The killed process is one of its own (`python -m gama.evals.audit.crash HOME MODEL_URL THREAD`): nothing of it runs on.
Where its checkpoints are kept stands in `GAMA_STORE`, or it is the home folder.
"""

import json
import os
import subprocess
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

from gama.evals.audit.egress import answer_with_placeholders
from gama.evals.audit.report import Report
from gama.evals.audit.search import Channels, Searcher
from gama.evals.audit.servers import ModelServer
from gama.evals.audit.store import rows
from gama.evals.audit.texts import planted
from gama.graph.client import Gama
from gama.state.options import Options

TEXT = planted(1_100_007)
"""What the killed process was asked: a text of two domains, so that experts are fused."""
PATIENCE_S = 120.0


def crashes(report: Report, channels: Channels, server: ModelServer, home: Path, store: str | None = None) -> None:
    """Kill a process while experts are fused, and again while the answer is disproved; then let another resume.

    Args:
        report: takes the outcome.
        channels: what is searched.
        server: stands in for the public model.
        home: folder of keys, and of checkpoints.
        store: a PostgreSQL database that takes the checkpoints instead.
    """
    killed = 0
    for number, where in enumerate(("fuse", "disprove")):
        folder = home / where
        folder.mkdir(parents=True)
        if _killed_and_resumed(report, channels, server, folder, where, f"audit-crash-{number}", store):
            killed += 1
    kept = " on PostgreSQL" if store else ""
    report.promise(5).figures[f"processes killed in mid-call and resumed{kept}"] = killed


def _killed_and_resumed(
    report: Report, channels: Channels, server: ModelServer, home: Path, where: str, thread: str, store: str | None
) -> bool:
    reached, go_on = threading.Event(), threading.Event()
    asked: list[str] = []

    def reply(request: dict[str, Any]) -> str:
        role = role_of(request)
        asked.append(role)
        if role == where and not go_on.is_set():
            reached.set()
            go_on.wait(PATIENCE_S)
        return answer_with_placeholders(request)

    server.reply = reply
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("LANGSMITH_", "LANGCHAIN_"))}
    clean |= {"GAMA_STORE": store} if store else {}
    command = [sys.executable, "-m", "gama.evals.audit.crash", str(home), server.url, thread]
    process = subprocess.Popen(command, env=clean, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=home)
    try:
        if not report.check(5, reached.wait(PATIENCE_S), f"the process never came to the call ({where})"):
            return False
    finally:
        process.kill()
        process.wait()
        go_on.set()
    experts = asked.count("expert")
    report.check(5, experts > 1, "no experts had answered before the crash")
    values = Searcher([canary.value for canary in TEXT.canaries])
    files = [path.read_bytes() for path in sorted(home.rglob("*")) if path.is_file()]
    kept = rows(store) if store else []
    report.check(5, bool(kept or not store), "the killed process had kept nothing")
    calm = Gama(_options(server), home=home, store=store)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            done = list(calm.watch("", thread=thread, resume=True))
        answer = done[-1].reply["answer"]
        values = Searcher([entity["text"] for entity in done[-1].reply["entities"] if entity["private"]])
        if store:
            calm.forget(thread)
    finally:
        calm.close()
        server.reply = answer_with_placeholders
        server.taken()
    report.check(5, TEXT.canaries[0].value in answer, f"the resumed run has another answer ({where})")
    report.check(5, asked.count("expert") == experts, f"an expert was asked twice ({where})")
    leaks = channels.look("files of a killed process", files, values)
    report.check(1, not leaks, f"files of a killed process: {len(set(leaks))} value(s)")
    if store:
        leaks = channels.look("rows of a killed process in PostgreSQL", kept, values)
        report.check(1, not leaks, f"rows of a killed process: {len(set(leaks))} value(s)")
    return True


def role_of(request: dict[str, Any]) -> str:
    """Tell which of the public agents sent a request."""
    if "response_format" in request:
        return "disprove"
    system = str(request["messages"][0]["content"]).split("\n")[0]
    if "disprove" in system:
        return "disprove"
    return "fuse" if "answers" in system and "one of several" not in system else "expert"


def _options(server: ModelServer) -> Options:
    return Options(public_model="openai:audit", public_base_url=f"{server.url}/v1", k=3, max_rounds=1)


def main(home: str, url: str, thread: str) -> None:
    """Be the process that is killed."""
    warnings.simplefilter("ignore")
    options = Options(public_model="openai:audit", public_base_url=f"{url}/v1", k=3, max_rounds=1)
    gama = Gama(options, home=Path(home))
    reply = gama.invoke({"question": TEXT.text}, {"configurable": {"thread_id": thread}})
    print(json.dumps(len(reply["answer"])))


if __name__ == "__main__":
    main(*sys.argv[1:])
