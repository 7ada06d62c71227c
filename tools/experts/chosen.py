"""The tools and packs that options choose, or, for a public graph on a machine of its own, the environment."""

from gama.state.options import Options
from gama.tools.domains.packs import Pack, join_packs, read_pack
from gama.tools.experts.toolbox import Toolbox, ToolLimits, make_toolbox
from gama.tools.registry import Registry


def standalone_toolbox() -> Toolbox | None:
    """Return the toolbox that `GAMA_TOOLS`, `GAMA_MCP` and `GAMA_DOMAIN_PACKS` name (each a list with `;` between).

    Packs are there for their documents: which expert is asked is settled at home.

    Raises:
        OptionError: one of them names what is not there.
    """
    options = Options.from_env()
    return toolbox_of(options, all_packs(options), standalone=True)


def toolbox_of(options: Options, packs: tuple[Pack, ...] = (), *, standalone: bool = False) -> Toolbox | None:
    """Return the toolbox that options name; None when there is nothing to offer."""
    return make_toolbox(
        tools=options.tools,
        mcp=options.mcp,
        packs=packs,
        limits=ToolLimits(options.tool_calls, options.tool_chars, options.tool_seconds),
        standalone=standalone,
    )


def all_packs(options: Options) -> tuple[Pack, ...]:
    """Return the domain packs of installed packages and those that options name.

    Raises:
        OptionError: an option names none, or two packs share a name.
    """
    return join_packs(map(read_pack, options.domain_packs), Registry.load().domain_packs())
