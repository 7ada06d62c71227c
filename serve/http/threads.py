"""`/threads`: conversations that are kept: begin, look before sending, go on, resume, look back, forget."""

import uuid
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Body
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from gama.graph.client import Gama, Progress
from gama.graph.sealed_graph import SealedGraph
from gama.privacy.box import PrivacyBox
from gama.privacy.question import query_of
from gama.serve.http.body import json_answer, server_events
from gama.serve.http.choices import chosen
from gama.serve.http.cookie import give_token
from gama.serve.http.errors import Told, body_of
from gama.serve.http.keys import Caller, caller_of
from gama.serve.http.looks import look_at, open_look, seal_look, shown_look
from gama.serve.http.relay import Relay, until_gone
from gama.serve.http.runnable import LETTER
from gama.serve.http.server import Server
from gama.serve.http.texts import looking, mentions, seal_box
from gama.serve.http.titles import conversations
from gama.state.decisions import Decision
from gama.state.errors import InputError

_EARLY = {"anonymize": ("anonymized",), "write_prompts": ("domains",)}
"""What is known of the reply after a private stage; the public ones bring their own news."""


class Task(BaseModel):
    """A task for a thread."""

    model_config = ConfigDict(extra="forbid")

    question: str
    query: str | None = Field(
        default=None, description="What is asked about the question's text: only what it does not need is hidden."
    )
    options: dict[str, Any] = Field(default_factory=dict, description="Options, as in `/gama/config_schema`.")


class Correction(BaseModel):
    """What a person changes after a look."""

    hide: list[str] = Field(default_factory=list, description="Texts to be hidden as well.")
    show: list[str] = Field(default_factory=list, description="Texts that may leave.")


class ReviewedTask(Task, Correction):
    """A task with a person's corrections."""

    decisions: list[Decision] = Field(
        default_factory=list,
        description="What is decided about stretches of the question; offsets count characters (code points).",
    )
    reviewed: str | None = Field(
        default=None, description="The anonymized text that was looked at: if another would leave, the run stops."
    )
    refinement: str | None = Field(
        default=None, description="What a look gave, sealed: the same text is not rewritten again, but taken as it was."
    )

    def task(self) -> dict[str, Any]:
        """Return the input of a run."""
        return {"question": self.question, "query": self.query, "decisions": self.decisions, "reviewed": self.reviewed}

    def choices(self) -> dict[str, Any]:
        """Return the options with the corrections in them."""
        out = dict(self.options)
        for name, words in (("deny", self.hide), ("allow", self.show)):
            if words:
                out[name] = [*out.get(name, []), *words]
        return out


class TaskToReview(ReviewedTask):
    """A task that is looked at before it is sent."""

    with_values: bool = Field(
        default=False, description="Whether each of the `entities` has its private value, as `text`."
    )
    leave: list[int] = Field(
        default_factory=list,
        description="Numbers of the `changes` of the look in `refinement` that are not made; the first is 1.",
    )


_TASK = Body(openapi_examples={"letter": {"value": {"question": LETTER}},
                               "corrected": {"value": {"question": LETTER, "hide": ["three months"]}}})  # fmt: skip


def given(server: Server, request: Request, task: ReviewedTask) -> dict[str, Any]:
    """Return the input of a run, with the refinement that was looked at.

    Raises:
        InputError: it cannot be read.
        SealError: it is another caller's.
    """
    if not task.refinement:
        return task.task()
    from gama.privacy.refining.engine import written

    look = open_look(server.vault, caller_of(request), task.refinement)
    return task.task() | {"refinement": written(look.chosen).decode()}


def threads_router(server: Server) -> APIRouter:
    """Return the routes."""
    router = APIRouter(prefix="/threads", tags=["threads"])

    async def kept_graph() -> SealedGraph:
        if not server.settings.keep:
            raise InputError("This server keeps no threads.")
        graph: SealedGraph = await server.on_thread(lambda: server.gama.graph)
        return graph

    @router.post("", summary="Begin a thread", status_code=201)
    async def create(request: Request, response: Response) -> dict[str, str]:
        """Give a thread a name that nobody guesses; it exists once something has been asked.

        On a server without keys, the answer brings the cookie that owns the threads of those who send it.
        """
        if not server.keys.required:
            give_token(request.headers, response, secure=request.url.scheme == "https")
        return {"thread": uuid.uuid4().hex}

    @router.get("", summary="List the threads")
    async def listed(request: Request, titles: bool = False) -> dict[str, Any]:
        """List the threads of this key, or of this browser; with `titles`, what each begins with and when it ran."""
        caller = caller_of(request)
        names = [name for name in await server.on_thread(server.gama.threads) if caller.owns(name)]
        out: dict[str, Any] = {"threads": [caller.outside(name) for name in names]}
        if titles:
            found = await server.on_thread(conversations, server.gama, names)
            out["conversations"] = [one | {"thread": caller.outside(one["thread"])} for one in found]
        return out

    @router.post("/{thread}/review", summary="See what would leave")
    async def review(request: Request, thread: str, task: Annotated[TaskToReview, _TASK]) -> dict[str, Any]:
        """Anonymize a task with the thread's placeholders, and show it. Nothing is sent or kept.

        What you would change goes into `decisions`, or by words into `hide` and `show`, here to look again, and then
        into the run. Where the text is rewritten (option `refine`), `changes` shows how; with the `refinement` given
        back, `leave` undoes some of them, and the run takes the text as it was looked at. `earlier` are the turns of
        the thread that go along, as they leave.
        """
        caller = caller_of(request)
        name = caller.inside(thread)

        def work() -> dict[str, Any]:
            box = _box(server.gama, name)
            anonymizer, query = looking(server, task.choices()), query_of(task.task())
            before = open_look(server.vault, caller, task.refinement) if task.refinement else None
            view, look = look_at(
                anonymizer, task.question, query, box=box, decisions=task.decisions, before=before, leave=task.leave
            )
            # Whoever takes the text elsewhere restores the answer from there with this box, at `/restore`.
            found = mentions(view, values=task.with_values)
            turns, notes = server.gama.going_along(name, view.box, anonymizer.options)
            return {"thread": thread, "anonymized": view.text, "entities": found, "warnings": [*view.warnings, *notes],
                    "earlier": [{"text": turn.text, "answer": turn.answer} for turn in turns],
                    "question_spans": view.question_spans, "box": seal_box(server.vault, caller, view.box),
                    "changes": shown_look(look, view.box) if look else [],
                    "refinement": seal_look(server.vault, caller, look) if look else None}  # fmt: skip

        found: dict[str, Any] = await server.on_thread(work)
        return found

    @router.post("/{thread}/runs", summary="Ask, or go on")
    async def run(request: Request, thread: str, task: Annotated[ReviewedTask, _TASK]) -> Response:
        """Answer a task on the thread; the same values have the same placeholders in all its turns."""
        config: Any = {"configurable": {"thread_id": caller_of(request).inside(thread)}}
        context = chosen(server.options, task.choices())
        work = server.gama.ainvoke(given(server, request, task), config, context=context)
        return _reply(request, await until_gone(request, work))

    @router.post("/{thread}/stream", summary="Ask, and watch it")
    async def stream(request: Request, thread: str, task: Annotated[ReviewedTask, _TASK]) -> Response:
        """Answer a task as `runs` does, and tell each stage as it ends, as server-sent events.

        `stage` has the name, the seconds and what came of it, as it crossed: domains, answers, contradictions,
        rounds. `reply` has the whole reply. `error` ends a run that failed, `end` every other.
        """
        caller = caller_of(request)
        config: Any = {"configurable": {"thread_id": caller.inside(thread)}}
        context = chosen(server.options, task.choices())
        source = _stages(server.gama.awatch(given(server, request, task), config, context=context), caller)
        return Relay(server_events(source), stall_s=server.settings.stall_s)

    @router.post("/{thread}/resume", summary="Take up an interrupted run")
    async def resume(request: Request, thread: str) -> Response:
        """Go on where a run of the thread stopped; experts that have answered are not asked again."""
        config: Any = {"configurable": {"thread_id": caller_of(request).inside(thread)}}
        graph = await kept_graph()
        state = await graph.aget_state(config)
        # Not `next`: it leaves out steps that are done and saved, while their outcome waits to be put together.
        if not state.values and not state.tasks:
            return _missing()
        if not state.tasks:
            return _reply(request, await server.on_thread(server.gama.reply, config["configurable"]["thread_id"]))
        out = await until_gone(request, graph.ainvoke(None, config, durability="sync"))
        return _reply(request, out["reply"])

    @router.get("/{thread}", summary="Look at a thread")
    async def look(request: Request, thread: str) -> Response:
        """Return the last reply of the thread with the sealed box that restores its texts, or where its run stopped."""
        caller = caller_of(request)
        name = caller.inside(thread)
        graph = await kept_graph()
        state = await graph.aget_state({"configurable": {"thread_id": name}})
        if not state.values and not state.tasks:
            return _missing()
        if state.tasks:
            stopped = [task.name for task in state.tasks]
            return json_answer({"thread": thread, "status": "interrupted", "next": stopped})
        try:
            reply = dict(await server.on_thread(server.gama.reply, name))
        except InputError:
            return json_answer({"thread": thread, "status": "empty", "next": []})
        box = await server.on_thread(lambda: seal_box(server.vault, caller, server.gama.box(name)))
        done = {"thread": thread, "status": "done", "next": [], "reply": reply | {"thread": thread}, "box": box}
        return json_answer(done)

    @router.delete("/{thread}", summary="Forget a thread")
    async def forget(request: Request, thread: str) -> Response:
        """Erase the thread: its key first, then its checkpoints. Nothing of it can be read afterwards."""
        known = await server.on_thread(server.gama.forget, caller_of(request).inside(thread))
        return json_answer({"thread": thread, "forgotten": True}) if known else _missing()

    return router


async def _stages(run: AsyncIterator[Progress], caller: Caller) -> AsyncIterator[tuple[str, Any]]:
    """Yield `stage` for each stage that ends, then `reply`."""
    async for progress in run:
        if progress.stage == "done":
            yield "reply", progress.reply | {"thread": caller.outside(progress.reply["thread"])}
            continue
        early = {name: progress.reply[name] for name in _EARLY.get(progress.stage, ()) if name in progress.reply}
        yield "stage", {"stage": progress.stage, "seconds": progress.seconds, **early, **progress.news}


def _box(gama: Gama, thread: str) -> PrivacyBox | None:
    """Return the box of a thread's earlier turns, or None."""
    try:
        return gama.box(thread)
    except InputError:
        return None


def _reply(request: Request, reply: Any) -> Response:
    return json_answer(dict(reply) | {"thread": caller_of(request).outside(reply["thread"])})


def _missing() -> Response:
    return json_answer(body_of(Told(404, "thread_unknown", "There is no such thread here."), "gama"), 404)
