"""The registry of plugins: built-in ones and those of installed packages, by the same door."""

import warnings
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import EntryPoint, entry_points
from typing import Self, TypeVar, cast

from gama.state.errors import OptionError
from gama.tools.contract import GROUP, TERMS_OF, Kind, Plugin, Recognizer
from gama.tools.domains.packs import Pack

T = TypeVar("T")
_BUILTIN = EntryPoint(name="builtin", value="gama.tools.builtin:plugins", group=GROUP)
"""Taken where the package's metadata is missing, as in a plain checkout on the path."""


class Registry:
    """A set of plugins. Each object stands alone: nothing is registered by an import."""

    def __init__(self, plugins: Iterable[Plugin] = ()) -> None:
        """Take plugins.

        Raises:
            OptionError: two plugins of one kind share a name.
        """
        self._plugins: dict[tuple[Kind, str], Plugin] = {}
        self._made: dict[tuple[Kind, str], object] = {}
        for plugin in plugins:
            self.add(plugin)

    @classmethod
    def load(cls, disabled: Iterable[str] = ()) -> Self:
        """Return a registry of all that the entry-point group `gama.tools` offers.

        A plugin that cannot be loaded is left out, with a warning that names it.

        Args:
            disabled: names of plugins, or of whole entry points, to leave out.

        Raises:
            OptionError: a disabled name is unknown; lists the known ones.
        """
        off = frozenset(disabled)
        registry = cls()
        seen: set[str] = set()
        for point in _points():
            seen.add(point.name)
            if point.name in off:
                continue
            for plugin in _loaded(point):
                seen.add(plugin.name)
                if plugin.name in off:
                    continue
                try:
                    registry.add(plugin)
                except OptionError as error:
                    _warn(point.name, error)
        unknown = off - seen
        if unknown:
            raise OptionError(f"unknown plugin {', '.join(map(repr, sorted(unknown)))}; {_known(seen)}")
        return registry

    def add(self, plugin: Plugin) -> None:
        """Add one plugin.

        Raises:
            OptionError: the name is taken within its kind.
        """
        key = (plugin.kind, plugin.name)
        if key in self._plugins:
            raise OptionError(f"{plugin.kind} {plugin.name!r} is there already: give it another name or disable one")
        self._plugins[key] = plugin

    def names(self, kind: Kind | None = None) -> tuple[str, ...]:
        """Return the names of the plugins, of one kind or of all, sorted."""
        return tuple(sorted(name for have, name in self._plugins if kind in (None, have)))

    def plugin(self, kind: Kind, name: str) -> Plugin:
        """Return a plugin's declaration.

        Raises:
            OptionError: the name is unknown; lists the known ones.
        """
        if found := self._plugins.get((kind, name)):
            return found
        raise OptionError(f"unknown {kind} {name!r}; {_known(self.names(kind))}")

    def get(self, kind: Kind, name: str) -> object:
        """Return a plugin's object, made on first use.

        Raises:
            OptionError: the name is unknown, or what the plugin makes is not of its kind.
        """
        plugin = self.plugin(kind, name)
        if (kind, name) not in self._made:
            # `setdefault` keeps one object where two threads make it at once.
            self._made.setdefault((kind, name), build(plugin))
        return self._made[kind, name]

    def recognizers(self) -> tuple[Recognizer, ...]:
        """Return all recognizers, sorted by name; one that cannot be made is left out with a warning."""
        return tuple(self._all("recognizer", lambda made: cast(Recognizer, made)))

    def domain_packs(self) -> tuple[Pack, ...]:
        """Return all domain packs, sorted by name; one that cannot be made is left out with a warning."""
        return tuple(self._all("domain_pack", Pack.of))

    def _all(self, kind: Kind, read: Callable[[object], T]) -> Iterator[T]:
        for name in self.names(kind):
            try:
                made = read(self.get(kind, name))
            except Exception as error:  # A plugin may raise anything.
                _warn(name, error)
            else:
                yield made


def build(plugin: Plugin) -> object:
    """Make a plugin's object and check that it is of its kind.

    Raises:
        OptionError: the object lacks what its kind asks for.
    """
    made = plugin.make()
    if not isinstance(made, TERMS_OF[plugin.kind].makes):
        raise OptionError(f"plugin {plugin.name!r}: what it makes is no {plugin.kind} (see gama.tools.contract)")
    return made


def _points() -> list[EntryPoint]:
    found = {point.name: point for point in sorted(entry_points(group=GROUP), key=lambda point: point.name)}
    found.setdefault(_BUILTIN.name, _BUILTIN)
    # The built-in ones come first, so that a plugin cannot take a built-in name.
    return sorted(found.values(), key=lambda point: (point.name != _BUILTIN.name, point.name))


def _loaded(point: EntryPoint) -> tuple[Plugin, ...]:
    try:
        offered = point.load()
        offered = offered() if callable(offered) and not isinstance(offered, Plugin) else offered
        plugins = (offered,) if isinstance(offered, Plugin) else tuple(offered)
    except Exception as error:  # A plugin may raise anything while it is imported.
        _warn(point.name, error)
        return ()
    sound = tuple(plugin for plugin in plugins if isinstance(plugin, Plugin))
    if len(sound) < len(plugins):
        _warn(point.name, OptionError("it offers something that is no gama.tools.contract.Plugin"))
    return sound


def _warn(name: str, error: Exception) -> None:
    # The text of a foreign error may quote what the plugin saw; our own names the cure.
    problem = str(error) if isinstance(error, OptionError) else type(error).__name__
    warnings.warn(f"plugin {name!r} is left out: {problem}", RuntimeWarning, stacklevel=3)


def _known(names: Iterable[str]) -> str:
    return f"known names: {', '.join(sorted(names)) or 'none'}"
