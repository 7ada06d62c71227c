"""The tools and packs that options choose, or, for a public graph on a machine of its own, the environment."""

from gama.state.options import Options
from gama.tools.domains.packs import Pack, join_packs, read_pack
from gama.tools.experts.toolbox import Toolbox, ToolLimits, make_toolbox
from gama.tools.registry import Registry


def toolbox_of(options: Options, packs: tuple[Pack, ...] = (), *, standalone: bool = False) -> Toolbox | None:
    """Return the toolbox that options name; None when there is nothing to offer."""
    return make_toolbox(
        tools=options.tools,
        mcp=options.mcp,
        packs=packs,
        limits=ToolLimits(options.tool_calls, options.tool_chars, options.tool_seconds),
        registry=Registry.load(options.disable) if options.tools else None,
        standalone=standalone,
    )


def all_packs(options: Options) -> tuple[Pack, ...]:
    """Return the domain packs of installed packages and those that options name.

    Raises:
        OptionError: an option names none, or two packs share a name.
    """
    return join_packs(map(read_pack, options.domain_packs), Registry.load(options.disable).domain_packs())
