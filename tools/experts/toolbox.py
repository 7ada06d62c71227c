"""The tools that public experts are offered: chosen plugins, the tools of MCP servers, and look-up for packs' experts.

Nothing is offered that was not chosen by whoever built the graph, and nothing of the private space can be.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple, cast

from gama.guard.egress import check_egress
from gama.state.errors import LeakError, OptionError, ToolError
from gama.state.options import Options
from gama.tools.contract import ExpertTool, Plugin
from gama.tools.domains.packs import Pack, join_packs, read_pack
from gama.tools.experts.documents import SCHEMA as DOCUMENTS_SCHEMA
from gama.tools.experts.documents import DocumentSearch
from gama.tools.experts.servers import McpServer
from gama.tools.registry import Registry, build

DOCUMENTS = "documents"
"""Name of the look-up in packs' documents."""
BUILT_IN = frozenset({"calculator", "puzzle", DOCUMENTS})
"""Tools of our own: their words are fixed and hold nothing of a task."""
LONGEST_SCHEMA = 8_000
"""A tool whose description and schema are longer is not offered."""


@dataclass(frozen=True)
class ToolLimits:
    """Bounds of the tool calls of one expert."""

    calls: int = 4
    """Calls of all tools together."""
    chars: int = 8_000
    """A longer result is cut."""
    seconds: float = 20.0
    """How long one call may take."""


@dataclass(frozen=True)
class OfferedTool:
    """A tool as an expert sees it."""

    name: str
    """Letters, digits, `_` and `-`, at most 64: what every provider takes."""
    description: str
    schema: Mapping[str, Any]
    call: Callable[[Mapping[str, Any]], str] = field(repr=False)
    local: bool = False
    """Whether a call sends nothing off this machine."""
    fixed: bool = False
    """Whether its words are ours."""

    @property
    def words(self) -> str:
        """Its description and schema, as they are sent."""
        return json.dumps({"name": self.name, "description": self.description, "parameters": self.schema})


class Offer(NamedTuple):
    """What one expert may call."""

    tools: tuple[OfferedTool, ...] = ()
    warnings: tuple[str, ...] = ()
    """What could not be offered, and why; for the user."""
    own: OfferedTool | None = None
    """The look-up in the documents of the expert's own pack: it is asked before the expert is."""


class Toolbox:
    """All tools of a graph. Safe to share between threads; MCP servers are started when first asked.

    Args:
        plugins: the chosen expert tools.
        packs: domain packs; an expert of one may search its documents.
        servers: MCP servers.
        limits: bounds of the calls.
        everywhere: whether every expert may search the documents of all packs.
        standalone: the graph runs on a machine of its own, where no private space exists to compare with.
    """

    def __init__(
        self,
        plugins: Sequence[Plugin] = (),
        packs: Sequence[Pack] = (),
        servers: Sequence[McpServer] = (),
        limits: ToolLimits | None = None,
        *,
        everywhere: bool = False,
        standalone: bool = False,
    ) -> None:
        """Make the tools of the plugins.

        Raises:
            OptionError: a plugin is not an expert tool, or does not make one.
        """
        for plugin in plugins:
            if plugin.kind != "expert_tool":
                raise OptionError(
                    f"plugin {plugin.name!r} is a {plugin.kind}: only expert tools are offered to experts"
                )
        self.limits = limits or ToolLimits()
        self.standalone = standalone
        self.packs = tuple(packs)
        self._own = tuple(_offered(plugin) for plugin in plugins)
        self._servers = tuple(servers)
        documented = [pack for pack in self.packs if pack.documents]
        self._searches = {pack.name: _search([pack]) for pack in documented}
        self._everywhere = _search(documented) if everywhere and documented else None

    def offered(self, domain: str) -> Offer:
        """Return what the expert of a domain may call in the running task.

        MCP servers are asked here, which takes time on first use. A tool whose words hold a private value of the
        task is not offered; the warning does not quote it.
        """
        own = self._searches.get(domain)
        search = own or self._everywhere
        tools = [*([search] if search else []), *self._own]
        warnings: list[str] = []
        for server in self._servers:
            try:
                tools += [_of_server(server, *tool) for tool in server.tools()]
            except ToolError as error:
                warnings.append(f"The MCP server {server.label!r} {error}; its tools were not offered.")
        named: dict[str, OfferedTool] = {}
        for tool in tools:
            if not tool.fixed and len(tool.words) > LONGEST_SCHEMA:
                warnings.append(f"The tool {tool.name!r} was not offered: its description is too long.")
            elif not tool.fixed and not _clean(tool.words):
                warnings.append(f"The tool {tool.name!r} was not offered: its description holds a private value.")
            else:
                name = _free(tool.name, named)
                named[name] = replace(tool, name=name)
        return Offer(tuple(named.values()), tuple(warnings), own if own in named.values() else None)

    def close(self) -> None:
        """End the connections to MCP servers."""
        for server in self._servers:
            server.close()


def toolbox_of(options: Options, packs: Sequence[Pack] = (), *, standalone: bool = False) -> Toolbox | None:
    """Return the toolbox of the tools, MCP servers and limits that options name; None when there is nothing to offer.

    Raises:
        OptionError: an expert tool is unknown, or the name of an MCP server is invalid.
    """
    limits = ToolLimits(options.tool_calls, options.tool_chars, options.tool_seconds)
    chosen = [name for name in dict.fromkeys(options.tools) if name != DOCUMENTS]
    if not (chosen or options.mcp or any(pack.documents for pack in packs)) or not limits.calls:
        return None
    known = Registry.load(options.disable) if chosen else Registry()
    for name in chosen:
        if name not in known.names("expert_tool"):
            names = ", ".join(sorted({*known.names("expert_tool"), DOCUMENTS}))
            raise OptionError(f"option 'tools': there is no expert tool {name!r}; known: {names}")
    return Toolbox(
        [known.plugin("expert_tool", name) for name in chosen],
        packs,
        [McpServer(target, limits.seconds) for target in dict.fromkeys(options.mcp)],
        limits,
        everywhere=DOCUMENTS in options.tools,
        standalone=standalone,
    )


def all_packs(options: Options) -> tuple[Pack, ...]:
    """Return the domain packs of installed packages and those that options name.

    Raises:
        OptionError: a pack that an option names is missing or invalid, or two packs share a name.
    """
    return join_packs(map(read_pack, options.domain_packs), Registry.load(options.disable).domain_packs())


def _offered(plugin: Plugin) -> OfferedTool:
    tool = cast(ExpertTool, build(plugin))
    ours = plugin.name in BUILT_IN and type(tool).__module__.startswith("gama.tools.experts.")
    return OfferedTool(
        _wire_name(plugin.name), tool.description, plugin.schema, tool.call, bool(getattr(tool, "local", False)), ours
    )


def _search(packs: Sequence[Pack]) -> OfferedTool:
    made = DocumentSearch(packs)
    # The names of packs stand in its description: they are the user's words, not ours.
    return OfferedTool(DOCUMENTS, made.description, DOCUMENTS_SCHEMA, made.call, local=True)


def _of_server(server: McpServer, name: str, description: str, schema: Mapping[str, Any]) -> OfferedTool:
    whole = {"type": "object", "properties": {}} | dict(schema)
    return OfferedTool(_wire_name(name), description, whole, partial(server.call, name))


def _clean(words: str) -> bool:
    try:
        check_egress(words)
    except LeakError:
        return False
    return True


def _wire_name(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]+", "_", name)[:60] or "tool"


def _free(name: str, taken: Mapping[str, object]) -> str:
    return next(n for n in (name, *(f"{name}_{i}" for i in range(2, 1_000))) if n not in taken)
