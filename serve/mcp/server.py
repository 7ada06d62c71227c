"""The MCP server: tools of the official SDK, of which no private value reaches a log or an error."""

import hmac
import logging
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import Field, ValidationError
from typing_extensions import TypedDict

from gama.graph.client import Gama
from gama.privacy.anonymizer import Anonymizer
from gama.privacy.box import PrivacyBox
from gama.serve.choices import QUERY
from gama.serve.http.settings import LOOPBACK
from gama.state.errors import GamaError, InputError, Retold
from gama.state.options import Options
from gama.vault.box_store import BoxStore
from gama.vault.seal import Vault, default_home

TOOLS = ("anonymize", "restore", "ask")
"""The tools, in the order in which they are offered."""

_NAME = re.compile(r"[0-9a-f]{32}")
"""Names of conversations."""

INSTRUCTIONS = (
    "`anonymize` replaces private values by placeholders such as <name-1> and names the conversation; `restore` puts "
    "them back into a text of that conversation. `ask` answers a private text with the help of a public model that "
    "never sees what is private. Keep placeholders exactly as they are."
)

Text = Annotated[str, Field(description="The text.")]
Conversation = Annotated[
    str, Field(description="The conversation, as `anonymize` named it. Leave it out to begin a new one.")
]
Query = Annotated[str, Field(description=QUERY)]
Formulas = Annotated[
    bool,
    Field(description="Whether `instructions` are wanted that tell a model how to reckon with what is hidden."),
]
FileName = Annotated[str, Field(description="A file of the shared folder, instead of the text.")]
OutputName = Annotated[
    str, Field(description="A new file of the shared folder, for the outcome; its text is then not in the answer.")
]


class Anonymized(TypedDict):
    """What `anonymize` gives."""

    text: str
    """The text with placeholders; empty where it went into a file."""
    conversation: str
    instructions: str
    """What tells the model of formulas, where that was wanted: it stands before the text."""
    file: str
    warnings: list[str]


class RestoredText(TypedDict):
    """What `restore` gives."""

    text: str
    """The text with the real values; empty where it went into a file."""
    unresolved: list[str]
    withheld: list[str]
    """Kinds of values that were not put into addresses that lead to hosts which nobody has named."""
    file: str


class Answer(TypedDict):
    """What `ask` gives."""

    answer: str
    """The restored answer."""
    anonymized: str
    """The text that left for the public model."""
    conversation: str
    warnings: list[str]


class QuietServer(MCPServer[Any]):
    """A server whose errors quote nothing of what a tool was given or has raised."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        """Call a tool; see `MCPServer.call_tool`.

        Raises:
            ToolError: it failed; says why in words of ours.
        """
        # The SDK logs the text of an error, and the traceback of what it does not expect.
        with Retold(lambda error: ToolError(_told(name, error)) if isinstance(error, ToolError) else None):
            return await super().call_tool(name, arguments, context)


def _told(name: str, error: ToolError) -> str:
    cause = error.__cause__
    if isinstance(cause, GamaError):
        return str(cause)
    if isinstance(cause, ValidationError):
        fields = sorted({".".join(map(str, item["loc"])) for item in cause.errors(include_input=False)})
        return f"The arguments of {name!r} do not fit its schema: {', '.join(fields)}."
    if cause is None:
        return f"There is no tool of this name. Tools: {', '.join(TOOLS)}."
    return f"The tool {name!r} failed ({type(cause).__name__})."


class Desk:
    """What the tools do; their descriptions are those of its methods."""

    def __init__(self, options: Options, home: Path, folder: Path | None) -> None:
        """Make the desk; models load on first use."""
        self.options = options
        self.folder = folder.resolve() if folder else None
        self.boxes = BoxStore(Vault.at(home))
        self.gama = Gama(options, home=home)
        self.anonymizer = Anonymizer(options)

    def anonymize(
        self,
        text: Text = "",
        conversation: Conversation = "",
        file: FileName = "",
        output: OutputName = "",
        query: Query = "",
        formulas: Formulas = False,
    ) -> Anonymized:
        """Replace what is private in a text by placeholders such as <name-1>."""
        conversation = conversation or self.boxes.new()
        data, kind, target = self._given(text, file, output)
        anonymizer = self.anonymizer.reckoning(formulas)
        while True:
            version, box = self._box(conversation)
            if kind is None:
                view = anonymizer.anonymize(text, query, box=box)
                hidden, after, warnings = view.text.encode("utf-8", "surrogatepass"), view.box, view.warnings
                told = anonymizer.instructions(view) if formulas else ""
            else:
                made = anonymizer.anonymize_document(data, kind, query, box=box)
                hidden, after, warnings = made.data, made.box, made.warnings
                told = anonymizer.instructions(made) if formulas else ""
            content = after.model_dump_json().encode("utf-8", "surrogatepass")
            # Another call may have gone on with the conversation meanwhile: then its placeholders come first.
            if self.boxes.save(conversation, version, content):
                break
        return Anonymized(
            text=_put(hidden, target), conversation=conversation, instructions=told, file=output, warnings=warnings
        )

    def restore(
        self, conversation: Conversation, text: Text = "", file: FileName = "", output: OutputName = ""
    ) -> RestoredText:
        """Put the private values back into a text with placeholders; formulas, if told of, are evaluated first."""
        version, box = self._box(conversation)
        if version == 0:
            raise InputError("There is no such conversation. Name it as `anonymize` did.")
        data, kind, target = self._given(text, file, output)
        known = len(box)
        if kind is None:
            found = self.anonymizer.restore(text, box)
            shown, unresolved, withheld = found.text.encode("utf-8", "surrogatepass"), found.unresolved, found.withheld
        else:
            shown, unresolved, withheld, _ = self.anonymizer.restore_document(data, kind, box)
        if len(box) > known:
            # What formulas gave; where the conversation went on meanwhile, that goes first.
            self.boxes.save(conversation, version, box.model_dump_json().encode("utf-8", "surrogatepass"))
        return RestoredText(text=_put(shown, target), unresolved=list(unresolved), withheld=list(withheld), file=output)

    def ask(self, question: Text, conversation: Conversation = "", query: Query = "") -> Answer:
        """Answer a text full of private data with the help of a public model that never sees that data."""
        config: Any = {"configurable": {"thread_id": conversation or self.boxes.new()}}
        reply = self.gama.invoke({"question": question, "query": query}, config)
        return Answer(
            answer=reply["answer"], anonymized=reply["anonymized"], conversation=reply["thread"],
            warnings=reply["warnings"],
        )  # fmt: skip

    def _box(self, conversation: str) -> tuple[int, PrivacyBox]:
        """Return the box of a conversation with its version; an empty one, of version 0, for a new conversation.

        Raises:
            InputError: the name is none that a server of this home has given.
            SealError: the conversation is being forgotten.
        """
        if not _NAME.fullmatch(conversation):
            raise InputError("There is no such conversation. Leave it out to begin a new one.")
        version, content = self.boxes.load(conversation)
        if content is not None:
            return version, PrivacyBox.model_validate_json(content)
        options = self.options
        return 0, PrivacyBox(style=options.style, order=options.index_order, seed=options.seed)

    def _given(self, text: str, file: str, output: str) -> tuple[bytes, str | None, Path | None]:
        """Read what a tool is given.

        Returns:
            The bytes of the file with its kind, or None for a text; and the file for the outcome.

        Raises:
            InputError: there is neither a text nor a file, or both; or a file cannot be used.
        """
        from gama.tools.documents.kinds import BINARY, kind_of

        source = self._inside(file) if file else None
        if (source is None) == (not text.strip()):
            raise InputError("Give either a text or a file.")
        kind = (kind_of(file) or "txt") if source else None
        if kind in BINARY and not output:
            raise InputError(f"A {kind} document is no text: name a file for the outcome.")
        return _read(source) if source else b"", kind, self._fresh(output)

    def _inside(self, name: str) -> Path:
        """Return a file of the shared folder.

        Raises:
            InputError: there is no shared folder, or the file is not in it.
        """
        if self.folder is None:
            raise InputError("Files are not shared with this server: start it with --files FOLDER.")
        path = (self.folder / name).resolve()
        if not path.is_relative_to(self.folder) or path == self.folder:
            raise InputError("The file is not in the shared folder.")
        return path

    def _fresh(self, name: str) -> Path | None:
        if not name:
            return None
        path = self._inside(name)
        if path.exists():
            raise InputError("There is a file of this name already. Name another one.")
        return path


def _put(data: bytes, target: Path | None) -> str:
    """Write an outcome into its file, or return its text."""
    if target is None:
        return data.decode("utf-8", "surrogatepass")
    target.write_bytes(data)
    return ""


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
    raise InputError(f"The file cannot be read: {reason}.")


def build_server(
    options: Options | None = None,
    *,
    home: Path | None = None,
    tools: Sequence[str] = TOOLS,
    folder: Path | None = None,
) -> MCPServer[Any]:
    """Build the server.

    Args:
        options: models and switches; by default those of the environment.
        home: folder for keys, boxes and checkpoints; by default `GAMA_HOME` or the platform's place.
        tools: which tools are offered.
        folder: files in it may be named instead of texts, so that a client need not see them.
    """
    from gama import __version__

    desk = Desk(options or Options.from_env(), home or default_home(), folder)
    server = QuietServer("gama", instructions=INSTRUCTIONS, version=__version__, log_level="WARNING")
    quiet_logs()

    for name in tools:
        if name not in TOOLS:
            raise InputError(f"option --tool: {name!r} is none of {', '.join(TOOLS)}")
        # The SDK calls what is not asynchronous on a thread.
        server.add_tool(getattr(desk, name), name=name)
    return server


def quiet_logs() -> None:
    """Keep libraries from logging what they carry: frames of the protocol, tracebacks of parse errors."""
    for name in ("mcp", "sse_starlette", "httpx", "httpcore", "uvicorn.access"):
        logging.getLogger(name).setLevel(logging.WARNING)
    logger = logging.getLogger("mcp")
    if not any(isinstance(one, _NoDetails) for one in logger.handlers):
        logger.addHandler(_NoDetails())
        logger.propagate = False


class _NoDetails(logging.Handler):
    """Writes the message of a record to standard error, without arguments and traceback."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write where it comes from and what went wrong, in the library's own words."""
        from gama.guard.terminal import say

        say(f"{record.levelname.lower()}: {record.name}: {record.msg}")


def guarded_app(server: MCPServer[Any], host: str, token: str | None) -> Any:
    """Return the ASGI application of a server, for streamable HTTP.

    On a local address it answers requests of local names only, so that no web page can reach it through a browser;
    on another one the token alone decides.
    """
    security = None if host in LOOPBACK else TransportSecuritySettings(enable_dns_rebinding_protection=False)
    app = server.streamable_http_app(host=host, json_response=True, transport_security=security)
    return _Token(app, token) if token else app


class _Token:
    """Lets requests with the token through."""

    def __init__(self, app: Any, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve a request, or answer 401."""
        if scope["type"] == "http":
            given = dict(scope["headers"]).get(b"authorization", b"")
            if not hmac.compare_digest(given, self._expected):
                headers = [(b"content-type", b"text/plain"), (b"www-authenticate", b"Bearer")]
                await send({"type": "http.response.start", "status": 401, "headers": headers})
                await send({"type": "http.response.body", "body": b"The token is missing or wrong."})
                return
        await self._app(scope, receive, send)
