"""The attacks carried out: hostile replies and hostile documents go the whole way."""

import json
import re
import uuid
import warnings
from collections.abc import Callable
from functools import partial
from itertools import zip_longest
from time import monotonic
from typing import Any

from gama.evals.audit.attacks import DOCUMENTS, REPLIES, guess
from gama.evals.audit.egress import answer_with_placeholders, box_of, kind_in
from gama.evals.audit.recorders import logged
from gama.evals.audit.report import Report
from gama.evals.audit.search import Channels, Searcher
from gama.evals.audit.servers import ModelServer
from gama.graph.client import Gama
from gama.privacy.anonymizer import Anonymizer
from gama.state.errors import FaultError, GamaError, InputError, LimitReached
from gama.state.options import Options

PATIENCE_S = 120.0
"""Seconds after which an attack counts as a hang."""
LONGEST_ANSWER = 40_000
"""Characters of an answer that are kept (`PublicLimits.max_answer_chars`)."""

_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")

VICTIM = "Rosalind Oakshott"
BYSTANDER = "Ambrose Tilling"
LETTER = (
    "Dear Sir or Madam, my name is {0}, my mail is r.oakshott@planted.example and my account is GB29 NWBK 6016 1331 "
    "9268 19. The contract says that the notice period is three months. How long is it?\n\nKind regards,\n{0}"
)


class Attacks:
    """Carries out attacks and checks what came of them.

    Args:
        report: gets checks and names of attacks.
        channels: gets what was carried.
        gama: keeps its conversations, so that boxes can be opened.
        server: stands in for the public model.
        harmless: a request with nothing private in it.
    """

    def __init__(
        self, report: Report, channels: Channels, gama: Gama, server: ModelServer, harmless: list[bytes]
    ) -> None:
        """Set it up; a bystander has a conversation that no attack may touch."""
        self._report, self._channels, self._gama, self._server = report, channels, gama, server
        self._harmless = harmless
        self._bystander = uuid.uuid4().hex
        server.reply = answer_with_placeholders
        self._ask(f"My name is {BYSTANDER}, call me on +44 7700 900461. Who am I?", self._bystander)
        self._bystanders = box_of(gama, self._bystander).model_dump_json()

    def run(self, until: float) -> None:
        """Carry out the attacks, documents and replies in turn; those for which no time is left are named."""
        replies = {**REPLIES, "guesses the name": guess(VICTIM)}
        steps: list[tuple[str, Callable[[], None]]] = []
        for reply, document in zip_longest(replies, DOCUMENTS):
            if reply is not None:
                steps.append((f"reply: {reply}", partial(self._reply, replies[reply])))
            if document is not None:
                steps.append((f"document: {document}", partial(self._document, DOCUMENTS[document](VICTIM))))
        self._server.reply, self._calm = answer_with_placeholders, self._ask(LETTER.format(VICTIM), uuid.uuid4().hex)
        self._server.taken()
        left = 0
        with logged() as logs, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for name, step in steps:
                if monotonic() > until:
                    left += 1
                    continue
                self._carry_out(name, step)
                lines = [line for _, line in logs.taken()]
                found = self._channels.look("logs under attack", lines, Searcher([VICTIM, BYSTANDER]))
                self._report.check(1, not found, f"logs under attack, {name}")
        if left:
            self._report.notes.append(f"{left} attack(s) were left out for want of time; give more with --seconds.")

    def _carry_out(self, name: str, step: Callable[[], None]) -> None:
        self._name = name
        began = monotonic()
        problem = ""
        try:
            step()
        except FaultError as error:
            problem = str(error)
        except GamaError as error:
            self._report.check(1, not Searcher([VICTIM, BYSTANDER]).find(str(error).encode()), f"error text, {name}")
        except Exception as error:
            problem = type(error).__name__
        self._report.check(7, not problem, f"{name}: {problem}")
        self._report.check(7, monotonic() - began < PATIENCE_S, f"{name}: took too long")
        kept = box_of(self._gama, self._bystander).model_dump_json()
        self._report.check(4, kept == self._bystanders, f"{name}: another conversation's box changed")
        self._report.attacks += 1
        self._report.attack_names.append(name)

    def _ask(self, question: str, thread: str) -> dict[str, Any]:
        return dict(self._gama.invoke({"question": question}, {"configurable": {"thread_id": thread}}))

    def _reply(self, attack: str) -> None:
        """Let the model answer an attack, in answers and in verdicts, to a letter."""
        verdicts = iter([json.dumps({"contradiction": True, "reason": attack[:5_000]}), attack])
        self._server.reply = lambda request: next(verdicts, attack) if "response_format" in request else attack
        thread = uuid.uuid4().hex
        try:
            reply = self._ask(LETTER.format(VICTIM), thread)
        finally:
            self._server.reply = answer_with_placeholders
            self._sent(thread, excused=[VICTIM] if VICTIM in attack else [])
        check, name = self._report.check, self._name
        check(1, reply["anonymized"] == self._calm["anonymized"], f"{name}: what left is another text")
        check(3, [e["text"] for e in reply["entities"]] == [e["text"] for e in self._calm["entities"]], f"{name}: box")
        check(7, not _CONTROLS.search(reply["answer"]), f"{name}: control characters in the answer")
        longest = max(len(entity["text"]) for entity in reply["entities"])
        check(7, len(reply["answer"]) <= LONGEST_ANSWER * longest, f"{name}: an endless answer")
        check(4, not Searcher([BYSTANDER]).find(reply["answer"].encode()), f"{name}: another's value in the answer")
        # Values whose placeholders the reply did not name are not put in.
        check(3, "planted.example" not in reply["answer"] or "email" in attack, f"{name}: a value nobody named")

    def _document(self, text: str) -> None:
        """Ask about a hostile document, and take it there and back."""
        thread = uuid.uuid4().hex
        try:
            self._ask(text, thread)
        except (LimitReached, InputError) as error:
            # Too long, or nothing in it: refused before anything is read.
            self._report.check(7, not self._server.taken(), f"{self._name}: sent, though {type(error).__name__}")
            return
        self._sent(thread)
        anonymizer = Anonymizer(Options())
        view = anonymizer.anonymize(text)
        back = anonymizer.restore(view.text, view.box).text
        self._report.check(2, back == text, f"{self._name}: another text came back")

    def _sent(self, thread: str, excused: list[str] | None = None) -> None:
        """Search what was sent for the values of a conversation's box.

        Args:
            thread: the conversation.
            excused: what the model itself has said first: repeating it tells it nothing.
        """
        sent = self._server.taken()
        box = box_of(self._gama, thread)
        values = [value for value in box.values() if not _inside(value, excused or [])]
        found = self._channels.look("wire under attack", sent, Searcher(values, self._harmless))
        kinds = ", ".join(sorted({kind_in(box, value) for value in found}))
        self._report.check(1, not found, f"wire, {self._name}: {kinds}")


def _inside(value: str, texts: list[str]) -> bool:
    return any(value.casefold() in text.casefold() for text in texts)
