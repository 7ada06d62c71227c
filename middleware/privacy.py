"""`PrivacyMiddleware`: a LangChain agent that works on placeholders, and gives its caller the real values."""

import asyncio
import copy
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, cast

from langchain.agents import create_agent
from langchain.agents.middleware.types import (
    AgentMiddleware,
    AgentState,
    ExtendedModelResponse,
    ModelRequest,
    ModelResponse,
    PrivateStateAttr,
)
from langchain_core.messages import AnyMessage, BaseMessage, SystemMessage, ToolMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.channels.binop import BinaryOperatorAggregate
from langgraph.config import get_config
from langgraph.graph.state import CompiledStateGraph
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.runtime import Runtime
from langgraph.types import Command, Overwrite, TracePolicy, interrupt, omit_payload

from gama.middleware.agent import RUN, Door, PrivateAgent
from gama.middleware.session import Session
from gama.middleware.tools import ShieldedTool, describe, schema_of, seal_result, words_of
from gama.middleware.values import map_message, map_value, refuse_media, strings
from gama.privacy.anonymizer import Anonymizer
from gama.privacy.decide import reckoning, refusing
from gama.state.errors import LeakError, OptionError, known_ones
from gama.state.options import Options
from gama.state.restoring import ToolPolicy, check_policies
from gama.vault.seal import Vault, default_home

NO_PAYLOAD = TracePolicy(process_inputs=omit_payload, process_outputs=omit_payload)
"""A hook is traced with its name and time, without what it was given."""

UNRESOLVED = "unresolved_placeholders"
"""Key of an answer's `response_metadata` that lists what reads as a placeholder and stands for nothing."""

WITHHELD = "withheld_values"
"""Key of an answer's `response_metadata` with how many values of each kind were not put into addresses, because these
lead to hosts that the conversation has not named."""

NOTE = (
    "Some values in this conversation are replaced by placeholders such as <name-1>. Each stands for one value that "
    "you cannot see. Write a placeholder exactly as it is wherever you mean its value, in answers and in arguments of "
    "tools; never make one up."
)
"""What the model is told once there is a placeholder."""


class PrivacyState(AgentState[Any]):
    """The agent's state, and the box."""

    privacy_box: NotRequired[Annotated[str, PrivateStateAttr]]
    """The box of the conversation, sealed; written by the hooks."""


def _name_of(tool: Any) -> str:
    """Return the name of a tool: a LangChain tool, a function, or a provider's own description of one."""
    if isinstance(tool, Mapping):
        tool = tool.get("function") or tool
        return str(tool.get("name", tool.get("type", "")))
    return str(getattr(tool, "name", getattr(tool, "__name__", "")))


class _Asking(AgentMiddleware[Any, Any, Any]):
    """Looks at what the model is asked, and at what it answers."""

    trace_policy = NO_PAYLOAD
    privacy: "PrivacyMiddleware"

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> Any:
        """Ask the model with placeholders only."""
        session = self.privacy.session(request.state)
        return self.privacy.answered(handler(self.privacy.model_ready(request, session)), session)

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> Any:
        """Ask the model with placeholders only."""
        session = self.privacy.session(request.state)
        ready = await asyncio.to_thread(self.privacy.model_ready, request, session)
        return self.privacy.answered(await handler(ready), session)


class PrivacyMiddleware(_Asking):
    """Keeps what is private from the model, and from the state, checkpoints and callbacks of the agent.

    The agent must be sealed, which is what puts the caller's input out of sight before the graph sees it and the real
    values back into everything that comes out:

        privacy = PrivacyMiddleware(tools={"crm": "real"})
        agent = privacy.seal(create_agent(model, tools, middleware=[privacy, ..., privacy.gate]))

    or `privacy.create_agent(model, tools, middleware=[...])`, which puts both in their places.

    Args:
        options: see `Options`; those of finding and of placeholders count.
        tools: for each tool by name what it gets: `real` values, `placeholders`, or `ask`: the run is interrupted with
            the tool's name and arguments, and the answer `True` gives it the real values, any other the placeholders.
        other_tools: what tools get that `tools` does not name.
        media: what becomes of pictures, sounds and files in messages: they are refused, or pass as they are.
        note: whether the model is told what placeholders are.
        formulas: whether the model is told that it may reckon with what is hidden, and its formulas are evaluated: in
            what the caller gets, and in arguments of tools that get real values. Otherwise `{{ … }}` stays as it is.
        home: folder of the keys of threads that a checkpointer keeps; by default `GAMA_HOME` or the platform's place.
    """

    state_schema = PrivacyState

    def __init__(
        self,
        options: Options | None = None,
        *,
        tools: Mapping[str, ToolPolicy] | None = None,
        other_tools: ToolPolicy = "placeholders",
        media: Literal["refuse", "pass"] = "refuse",
        note: bool = True,
        formulas: bool = False,
        home: Path | None = None,
    ) -> None:
        """Make the middleware; models load on first use.

        Raises:
            OptionError: a policy, or what becomes of media, is none that there is.
        """
        super().__init__()
        check_policies({**(tools or {}), "other_tools": other_tools}, "PrivacyMiddleware")
        if media not in ("refuse", "pass"):
            raise OptionError(f"PrivacyMiddleware, media: {media!r} is unknown{known_ones(media, ('refuse', 'pass'))}")
        chosen = reckoning(refusing(options or Options.from_env()), formulas)
        self.door = Door(Anonymizer(chosen), Vault.at(home or default_home()), media)
        self.policy = dict(tools or {})
        self.other_tools = other_tools
        self.tells = note
        self.formulas = formulas
        self.privacy = self
        self.gate = ModelGate(self)
        """Put it last where other middleware changes what the model is asked."""

    def seal(self, agent: CompiledStateGraph[Any, Any, Any, Any]) -> "CompiledStateGraph[Any, Any, Any, Any]":
        """Return an agent of this middleware whose callers see real values and nobody else does."""
        return PrivateAgent.adopt(agent, self.door)

    def create_agent(
        self,
        model: Any,
        tools: Sequence[Any] = (),
        *,
        middleware: Sequence[AgentMiddleware[Any, Any]] = (),
        **more: Any,
    ) -> "CompiledStateGraph[Any, Any, Any, Any]":
        """Create a sealed agent; other middleware stands between this one and its gate.

        Tracers record the calls of other middleware without their payload, in which such middleware may have put what
        is private; one with a `trace_policy` of its own keeps it.

        Raises:
            OptionError: a policy names a tool that the agent does not have.
        """
        names = {_name_of(tool) for tool in tools}
        brought = {tool.name for one in middleware for tool in getattr(one, "tools", ())}
        for name in self.policy.keys() - names - brought:
            raise OptionError(
                f"PrivacyMiddleware, tools: there is no tool {name!r}{known_ones(name, sorted(names | brought))}"
            )
        stack: Any = [self, *map(_untold, middleware), *([self.gate] if middleware else [])]
        return self.seal(create_agent(model, list(tools), middleware=stack, **more))

    def forget(self, thread: str) -> bool:
        """Erase a thread's key: nothing of it can be restored again. Return whether there was one."""
        return self.door.vault.forget(thread)

    # What comes in is sealed; here it becomes placeholders, one hook at a time: the input, the results of tools, and at
    # the end the result of a tool that answers directly.

    def before_agent(self, state: PrivacyState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Turn what is sealed in a state into placeholders."""
        return self._settled(state)

    async def abefore_agent(self, state: PrivacyState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Turn what is sealed in a state into placeholders."""
        return await asyncio.to_thread(self._settled, state)

    before_model = after_agent = before_agent
    abefore_model = aafter_agent = abefore_agent

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolMessage | Command[Any]]
    ) -> ToolMessage | Command[Any]:
        """Run a tool on what its policy gives it, and seal its result."""
        session = self.session(request.state)
        result: ToolMessage | Command[Any] = seal_result(handler(self._shielded(request, session)), session)
        return result

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]]
    ) -> ToolMessage | Command[Any]:
        """Run a tool on what its policy gives it, and seal its result."""
        session = self.session(request.state)
        answer = await handler(self._shielded(request, session))
        result: ToolMessage | Command[Any] = seal_result(answer, session)
        return result

    def session(self, state: Any) -> Session:
        """Return the session of the run we are in, with the box of the state.

        Raises:
            OptionError: the agent is not sealed.
        """
        run = (get_config().get("configurable") or {}).get(RUN)
        session = self.door.sessions.get(run) if run else None
        if session is None:
            raise OptionError(
                "PrivacyMiddleware: the agent is not sealed, so its state and checkpoints would hold the input in "
                "clear. Nothing was sent. Seal it: agent = privacy.seal(create_agent(..., middleware=[privacy]))"
            )
        session.take(state.get("privacy_box") if isinstance(state, dict) else None)
        return session

    def _settled(self, state: PrivacyState) -> dict[str, Any] | None:
        session = self.session(state)
        update: dict[str, Any] = {}
        for key, value in cast(dict[str, Any], state).items():
            if key.startswith("privacy_") or key == "jump_to":
                continue
            if key == "messages":
                changed = [self._settle_message(one, session) for one in value if self._has_sealed(one, session)]
                if changed:
                    update[key] = changed
            elif any(session.is_sealed(text) for text in strings(value)):
                settled = map_value(value, session.settle)
                whole = isinstance(session.channels.get(key), BinaryOperatorAggregate)
                update[key] = Overwrite(settled) if whole else settled
        return self._with_box(update, session) or None

    def _settle_message(self, message: BaseMessage, session: Session) -> BaseMessage:
        if self.door.media == "refuse":
            refuse_media(message)
        kind = message.type
        settle = partial(session.settle, system=kind == "system", named=kind in ("human", "system"))
        return map_message(message, settle, artifacts=False)

    def _has_sealed(self, message: BaseMessage, session: Session) -> bool:
        return any(session.is_sealed(text) for text in strings(message, artifacts=False))

    def _with_box(self, update: dict[str, Any], session: Session) -> dict[str, Any]:
        saved = session.save()
        return update | {"privacy_box": saved} if saved else update

    def model_ready(self, request: ModelRequest[Any], session: Session) -> ModelRequest[Any]:
        """Return a request with placeholders in everything the model reads.

        Raises:
            LeakError: something private is where it cannot be replaced: in the name of a tool or the response format.
        """
        guard = session.guard()

        hide = partial(session.model_ready, guard=guard)
        hide_prompt = partial(hide, system=True, named=True)

        if self.door.media == "refuse":
            for message in request.messages:
                refuse_media(message)
        messages = [
            cast(AnyMessage, map_message(one, hide_prompt if one.type == "system" else hide, artifacts=False))
            for one in request.messages
        ]
        system = request.system_message
        if system is not None:
            system = cast(SystemMessage, map_message(map_message(system, session.without_lines), hide_prompt))
        tools = [describe(tool, hide) for tool in request.tools]
        # A setting of one word is the name of something.
        settings = map_value(request.model_settings, lambda text: hide(text) if " " in text else text)
        if self.tells and any(not entry.surrogate and entry.reversible for entry in session.box.entries):
            system = _told(system, NOTE)
        if self.formulas and (
            lines := session.tell(text for one in messages if one.type == "human" for text in strings(one))
        ):
            system = _told(system, lines)
        ready = request.override(messages=messages, system_message=system, tools=tools, model_settings=settings)
        self._check(ready, session)
        return ready

    def _check(self, request: ModelRequest[Any], session: Session) -> None:
        """Search all that is about to leave once more."""
        guard = session.guard()
        schemas = [one if isinstance(one, dict) else convert_to_openai_tool(one) for one in request.tools]
        answer = schema_of(request.response_format)
        for text in strings([*request.messages, request.system_message, schemas, request.model_settings, answer]):
            if not session.is_sealed(text):
                guard.check(text, what="A request to the model")
        words = " ".join(words_of(answer))
        if words and session.model_ready(words, guard) != words:
            raise LeakError(
                "The response format names something private, which cannot be replaced there. Nothing was sent. "
                "Describe its fields without it."
            )

    def answered(self, response: Any, session: Session) -> Any:
        """Return an answer of the model with the box for the state; nothing in it is news to the model."""
        model_response = response.model_response if isinstance(response, ExtendedModelResponse) else response
        messages = getattr(model_response, "result", [model_response])
        for at, message in enumerate(messages):
            # What the model itself has written is no news to it.
            written = list(strings(message))
            for text in written:
                session.wrote(text)
            unresolved, withheld = session.odd(written)
            if told := {key: value for key, value in ((UNRESOLVED, unresolved), (WITHHELD, withheld)) if value}:
                # A copy: a cache of models may hand the same message to another conversation.
                messages[at] = message.model_copy(update={"response_metadata": {**message.response_metadata, **told}})
        if isinstance(response, BaseMessage):
            response = messages[0]
        saved = session.save()
        if not saved:
            return response
        command: Command[Any] = Command(update={"privacy_box": saved})
        if isinstance(response, ExtendedModelResponse):
            return response
        if isinstance(response, BaseMessage):
            response = ModelResponse(result=[response])
        return ExtendedModelResponse(model_response=response, command=command)

    def _shielded(self, request: ToolCallRequest, session: Session) -> ToolCallRequest:
        if request.tool is None:
            return request
        policy = self.policy.get(request.tool.name, self.other_tools)
        trusted = policy == "real" or (policy == "ask" and _agreed(request))
        return request.override(tool=ShieldedTool.around(request.tool, request.tool_call, session, trusted=trusted))


def _agreed(request: ToolCallRequest) -> bool:
    """Ask whoever runs the agent whether a tool may get the real values; only the answer `True` says so."""
    args = request.tool_call["args"]
    return (
        interrupt({"ask": "May the tool get the real values?", "tool": request.tool_call["name"], "args": args}) is True
    )


def _untold(other: AgentMiddleware[Any, Any]) -> AgentMiddleware[Any, Any]:
    """Return a middleware whose payloads no tracer records."""
    if other.trace_policy is not None:
        return other
    silent = copy.copy(other)
    silent.trace_policy = NO_PAYLOAD
    return silent


class ModelGate(_Asking):
    """The last look at what the model is asked, behind all other middleware."""

    def __init__(self, privacy: PrivacyMiddleware) -> None:
        """Take the middleware it belongs to."""
        super().__init__()
        self.privacy = privacy


def _told(system: SystemMessage | None, lines: str) -> SystemMessage:
    if system is None or not system.content:
        return SystemMessage(lines)
    if isinstance(system.content, str):
        content: Any = system.content if lines in system.content else f"{system.content}\n\n{lines}"
    else:
        known = any(isinstance(block, dict) and block.get("text") == lines for block in system.content)
        said = [block for block in system.content if not (isinstance(block, dict) and block.get("text") == "")]
        content = said if known else [*said, {"type": "text", "text": lines}]
    return system.model_copy(update={"content": content})
