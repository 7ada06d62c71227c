"""The proofs of the other promises: round trip, mangling, isolation, failing closed, erasure, degradation."""

import html
import json
import random
import traceback
import uuid
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import quote

import httpx

from gama.evals.audit.canaries import NAMES
from gama.evals.audit.egress import answer_with_placeholders
from gama.evals.audit.forms import FORMS as NORMAL_FORMS
from gama.evals.audit.forms import is_searched
from gama.evals.audit.report import Report
from gama.evals.audit.search import Channels, Searcher
from gama.evals.audit.servers import ModelServer
from gama.evals.audit.store import rows
from gama.evals.audit.texts import planted
from gama.graph.client import Gama
from gama.guard.egress import EGRESS
from gama.guard.search import Guard
from gama.guard.transports import GuardedTransport
from gama.privacy.anonymizer import Anonymizer
from gama.privacy.box import PrivacyBox
from gama.state.errors import ExpertsFailed, GamaError, LeakError, LimitReached, SealError
from gama.state.options import Options
from gama.state.private_text import Sealed

Form = Callable[[str], str]

FORMS: dict[str, Form] = {name: write for group in NORMAL_FORMS.values() for name, write in group.items()}
"""Forms in which a value might leave."""
_GROUPS = {name: group for group, forms in NORMAL_FORMS.items() for name in forms}

MANGLED: dict[str, Form] = {
    "exact": str, "upper case": str.upper, "spaces inside": lambda t: t.replace("<", "< ").replace(">", " >"),
    "brackets lost": lambda t: t.strip("<>"), "square brackets": lambda t: f"[{t.strip('<>')}]",
    "braces": lambda t: "{" + t.strip("<>") + "}", "doubled brackets": lambda t: f"<{t}>",
    "bold": lambda t: f"**{t}**", "italics": lambda t: f"_{t}_",
    "code": lambda t: f"`{t}`",
    "link": lambda t: f"[{t}](https://x.example)", "HTML escapes": html.escape, "possessive": lambda t: f"{t}'s",
    "plural": lambda t: f"{t}s", "underscore": lambda t: t.replace("-", "_"),
    "en dash": lambda t: t.replace("-", "\u2013"),
    "JSON": lambda t: json.dumps({"who": t}), "quotes": lambda t: f'"{t}"', "comma behind": lambda t: f"{t},",
}  # fmt: skip
"""Changes that models make to placeholders."""


def round_trips(report: Report, until: float, least: int = 4) -> None:
    """Take texts there and back, mangle their placeholders, and send them through in chunks."""
    anonymizer = Anonymizer(Options())
    dice = random.Random(5)
    restored, tried, wrongs = dict.fromkeys(MANGLED, 0), 0, 0
    number = 0
    while number < least or (monotonic() < until and number < 400):
        text = planted(500_000 + number).text
        if number % 3 == 2:
            text += " It says <name-1>, [iban-2] and <<email-1>> as it stands."
        view = anonymizer.anonymize(text)
        report.check(2, anonymizer.restore(view.text, view.box).text == text, f"text {number} came back changed")
        chunks = [view.text[at : at + 3] for at in range(0, len(view.text), 3)]
        streamed = "".join(anonymizer.restore_stream(chunks, view.box))
        report.check(2, streamed == text, f"text {number} came back changed from a stream")
        pairs = [(entry.surface, entry.placeholder) for entry in view.box.entries]
        report.check(2, len({s for s, _ in pairs}) == len({p for _, p in pairs}) == len(pairs), "no bijection")
        entry = dice.choice(view.box.private_entries())
        others = {other.surface for other in view.box.entries if other.surface not in entry.surface}
        tried += 1
        for name, mangle in MANGLED.items():
            answer = anonymizer.restore(f"The answer is {mangle(entry.placeholder)} indeed.", view.box).text
            restored[name] += entry.surface.casefold() in html.unescape(answer).casefold() or (
                json.dumps(entry.surface)[1:-1] in answer
            )
            wrong = [other for other in others if other in answer and other not in "The answer is indeed."]
            wrongs += len(wrong)
            report.check(3, not wrong, f"{name}: another's value")
        unknown = anonymizer.restore("Dear <name-98765>, <iban-4321>.", view.box).text
        report.check(3, unknown == "Dear <name-98765>, <iban-4321>.", "an unknown placeholder was guessed")
        number += 1
    report.promise(2).figures = {"texts": number}
    rates = {name: round(count / tried, 3) for name, count in restored.items()}
    report.promise(3).figures = {"restored": rates, "placeholders": tried, "wrong values": wrongs}


def isolation(report: Report, channels: Channels, server: ModelServer, until: float, most: int = 300) -> None:
    """Run conversations side by side; every answer asks for placeholders that others have too."""
    server.reply = lambda request: "It is <name-1>, <name-2>, <iban-1> and <phone-1>."
    gama = Gama(
        Options(public_model="openai:audit", public_base_url=f"{server.url}/v1", k=1, disprove="off"), keep=False
    )
    first, last = (NAMES["English"][place].split() for place in (0, 1))
    people = [f"{a} {b}-{c}" for a in first for b in last for c in last if b != c]
    everyone = Searcher(people)

    def one(number: int) -> bool:
        if monotonic() > until and number >= 16:
            return False
        name = people[number % len(people)]
        text = f"My name is {name}, call me on +44 7700 900{number % 1000:03d}. Who am I?"
        reply = gama.invoke({"question": text}, {"configurable": {"thread_id": f"{number}-{uuid.uuid4().hex}"}})
        found = everyone.find(reply["answer"].encode())
        report.check(4, found == [name], "an answer has another's name, or lacks its own")
        report.check(4, name not in reply["anonymized"], "a name crossed")
        return True

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with ThreadPoolExecutor(8) as pool:
            done = sum(pool.map(one, range(most)))
    report.threads = done
    report.promise(4).figures = {"conversations side by side": done, "threads of the process": 8}
    found = channels.look("wire of conversations side by side", server.taken(), everyone)
    report.check(1, not found, "wire of conversations side by side")


def fail_closed(report: Report, channels: Channels, server: ModelServer, texts: int = 40) -> None:
    """Try to send values in every form, and without a guard; nothing may arrive."""
    values = [
        canary.value
        for number in range(texts)
        for canary in planted(900_000 + number).canaries
        if len(canary.value) > 5
    ]
    values = [value for value in dict.fromkeys(values) if all(ord(char) < 65536 for char in value)]
    server.taken()
    tried = 0
    token = EGRESS.set(None)
    try:
        with httpx.Client(transport=GuardedTransport()) as client:
            report.check(5, bool(_refused(client, server.url, "hello")), "a request without a guard was sent")
            for number, value in enumerate(values):
                EGRESS.set(Guard([value]))
                said: list[str] = []
                for name in [name for name in list(FORMS)[number % 3 :: 3] if is_searched(_GROUPS[name], name, value)]:
                    body = json.dumps({"messages": [{"role": "user", "content": f"so {FORMS[name](value)} it is"}]})
                    said.append(_refused(client, server.url, body))
                    report.check(5, bool(said[-1]), f"form {name!r} was sent")
                    tried += 1
                said.append(_refused(client, f"{server.url}/{quote(value)}", "x"))
                report.check(5, bool(said[-1]), "a value in the address was sent")
                said.append(_refused(client, server.url, "x", {"x-user": quote(value)}))
                report.check(5, bool(said[-1]), "a value in a header was sent")
                told = channels.look("exceptions", [text.encode() for text in said], Searcher([value]))
                report.check(1, not told, "the text of an error or its traceback names the value")
    finally:
        EGRESS.reset(token)
    arrived = len(server.taken())
    report.check(5, not arrived, "a refused request has arrived all the same")
    figures = {"requests with a value in some form": tried, "forms": len(FORMS), "arrived": arrived}
    report.promise(5).figures |= figures


def _refused(client: httpx.Client, url: str, body: str, headers: dict[str, str] | None = None) -> str:
    """Send a request; returns what the error that stopped it said, traceback included; empty when it was sent."""
    try:
        client.post(url, content=body.encode("utf-8", "surrogatepass"), headers=headers)
    except LeakError as error:
        return "".join(traceback.format_exception(error))
    except httpx.HTTPError:
        # It went out; what came of it is no matter.
        return ""
    return ""


def tools(report: Report, channels: Channels, server: ModelServer) -> None:
    """Let experts call a tool; neither its schema nor its arguments and results may carry a value."""
    calls = 0

    def reply(request: dict[str, Any]) -> str | dict[str, Any]:
        nonlocal calls
        results = [message for message in request["messages"] if message["role"] == "tool"]
        if not request.get("tools") or results:
            return answer_with_placeholders(request)
        calls += 1
        function = {"name": "calculator", "arguments": json.dumps({"expressions": ["2600 * 12"]})}
        return {"content": None, "tool_calls": [{"id": "c", "type": "function", "function": function}]}

    options = Options(
        public_model="openai:audit", public_base_url=f"{server.url}/v1", k=2, max_rounds=0, tools=("calculator",)
    )
    server.reply = reply
    gama = Gama(options, keep=False)
    try:
        for number in range(3):
            text = planted(1_200_000 + number)
            reply_ = gama.invoke({"question": text.text})
            values = [entity["text"] for entity in reply_["entities"] if entity["private"]]
            sent = server.taken()
            found = channels.look("wire with tools", sent, Searcher(values))
            report.check(1, not found, f"wire with tools: {len(set(found))} value(s)")
            used = sum(b'"role": "tool"' in body or b'"role":"tool"' in body for body in sent)
            report.check(1, bool(used), "no tool was called: the search has nothing to look at")
    finally:
        gama.close()
        server.reply = answer_with_placeholders
    report.promise(1).figures["calls of tools"] = calls


def bounds(report: Report, server: ModelServer) -> None:
    """Ask for more than the limits of size and calls allow: an error before anything is sent."""
    server.taken()
    limits: tuple[dict[str, Any], ...] = (
        {"max_chars": 20},
        {"max_calls": 1, "k": 3, "topk_mode": "paper", "effort": "full"},
    )
    for limit in limits:
        options = Options(public_model="openai:audit", public_base_url=f"{server.url}/v1", **limit)
        problem: GamaError | None = None
        try:
            Gama(options, keep=False).invoke({"question": planted(1_300_000).text})
        except GamaError as error:
            problem = error
        name = next(iter(limit))
        report.check(7, isinstance(problem, LimitReached), f"{name}: no error says that the limit is reached")
        report.check(7, not server.taken(), f"{name}: something was sent all the same")
    endless = json.dumps({"contradiction": True, "reason": "Once more."})
    server.reply = lambda request: endless if "response_format" in request else answer_with_placeholders(request)
    options = Options(public_model="openai:audit", public_base_url=f"{server.url}/v1", k=1, max_rounds=2)
    reply = Gama(options, keep=False).invoke({"question": planted(1_300_001).text})
    report.check(7, len(server.taken()) <= 2 + 3 * 2, "disproof went on after its last round")
    report.check(7, reply["rounds"] == 2, "disproof did not go as many rounds as asked")
    server.reply = answer_with_placeholders


def erasure(report: Report, server: ModelServer, home: Path, count: int = 8, store: str | None = None) -> None:
    """Forget conversations; neither keys nor rows nor bytes of them may be left.

    Args:
        report: takes the outcome.
        server: stands in for the public model.
        home: folder of keys, and of checkpoints.
        count: conversations, half of which are forgotten.
        store: a PostgreSQL database that takes the checkpoints instead; the others are forgotten in the end.
    """
    server.reply = answer_with_placeholders
    gama = Gama(
        Options(public_model="openai:audit", public_base_url=f"{server.url}/v1", k=1, disprove="off"),
        home=home, store=store,
    )  # fmt: skip
    with closing(gama), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        marks: dict[str, list[bytes]] = {}
        sealed: dict[str, Sealed] = {}
        for number in range(count):
            thread = f"audit-forget-{uuid.uuid4().hex}"
            gama.invoke({"question": planted(700_000 + number).text}, {"configurable": {"thread_id": thread}})
            state = gama.graph.get_state({"configurable": {"thread_id": thread}}).values
            sealed[thread] = state["sealed_box"]
            marks[thread] = [thread.encode(), state["public_thread"].encode(), state["sealed_box"].ct]
        forgotten = list(marks)[: count // 2]
        for thread in forgotten:
            report.check(6, gama.forget(thread), "a conversation could not be forgotten")
        for thread, box in sealed.items():
            report.check(
                6, _opens(gama, thread, box) == (thread not in forgotten), "a forgotten key opens, or a kept one not"
            )
        kept = b"\n".join(rows(store)) if store else b""
        if store:
            there = all(mark in kept for thread in marks if thread not in forgotten for mark in marks[thread][:2])
            report.check(6, there, "a kept conversation is not in the database")
            for thread in set(marks) - set(forgotten):
                gama.forget(thread)
    server.taken()
    files = kept + b"\n".join(path.read_bytes() for path in sorted(home.rglob("*")) if path.is_file())
    for thread in forgotten:
        for mark in marks[thread]:
            report.check(6, mark not in files, "bytes of a forgotten conversation are on the disk")
    place = " in PostgreSQL" if store else ""
    figures = {"forgotten": len(forgotten), "kept": count - len(forgotten), "bytes searched": len(files)}
    report.promise(6).figures |= {f"{name}{place}": figure for name, figure in figures.items()}


def _opens(gama: Gama, thread: str, box: Sealed) -> bool:
    try:
        PrivacyBox.model_validate_json(gama.graph.vault.open(thread, box))
    except SealError:
        return False
    return True


def degradation(report: Report, server: ModelServer) -> None:
    """Let one expert fail, then all."""
    server.reply = answer_with_placeholders
    options = Options(
        public_model="openai:audit", public_base_url=f"{server.url}/v1", k=3, disprove="off", timeout_s=20
    )
    gama = Gama(options, keep=False)
    text = planted(800_000)
    values = Searcher([canary.value for canary in text.canaries])
    calls: list[Any] = []

    def first_fails(request: dict[str, Any]) -> str:
        calls.append(request)
        return "" if len(calls) == 1 else answer_with_placeholders(request)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        server.reply = first_fails
        reply = gama.invoke({"question": text.text})
        failed = [expert for expert in reply["experts"] if expert["error"]]
        report.check(8, bool(reply["answer"]) and len(failed) <= 1, "one failing expert failed the task")
        report.check(
            8, len(failed) == len([note for note in reply["warnings"] if "did not answer" in note]), "no note of it"
        )
        server.reply = lambda request: ""
        problem: GamaError | None = None
        try:
            gama.invoke({"question": text.text})
        except GamaError as error:
            problem = error
    report.check(8, isinstance(problem, ExpertsFailed), "no expert answered, and no error says so")
    report.check(1, not values.find(str(problem).encode()), "the text of an error")
    report.promise(8).figures = {
        "of 3 experts failed, and the task was answered": 1,
        "of 3 failed, and an error said so": 3,
    }
    server.reply = answer_with_placeholders
    server.taken()
