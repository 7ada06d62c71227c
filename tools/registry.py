"""The registry of plugins: built-in ones and those of installed packages, by the same door."""

import warnings
from collections.abc import Iterable, Iterator
from importlib.metadata import EntryPoint, entry_points
from typing import Self, cast

from gama.state.errors import OptionError
from gama.tools.contract import GROUP, PROTOCOLS, Kind, Plugin, Recognizer
from gama.tools.domains.packs import Pack

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
                    _warn(point.name, str(error))
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
        try:
            return self._plugins[kind, name]
        except KeyError:
            pass
        raise OptionError(f"unknown {kind} {name!r}; {_known(self.names(kind))}")

    def get(self, kind: Kind, name: str) -> object:
        """Return a plugin's object, made on first use.

        Raises:
            OptionError: the name is unknown, or what the plugin makes is not of its kind.
        """
        plugin = self.plugin(kind, name)
        key = (kind, name)
        if key not in self._made:
            # `setdefault` keeps one object where two threads make it at once.
            self._made.setdefault(key, build(plugin))
        return self._made[key]

    def recognizers(self) -> tuple[Recognizer, ...]:
        """Return all recognizers, sorted by name; one that cannot be made is left out with a warning."""
        found: list[Recognizer] = []
        for name in self.names("recognizer"):
            try:
                found.append(cast(Recognizer, self.get("recognizer", name)))
            except Exception as error:  # A plugin may raise anything.
                _warn(name, str(error) if isinstance(error, OptionError) else type(error).__name__)
        return tuple(found)

    def domain_packs(self) -> tuple[Pack, ...]:
        """Return all domain packs, sorted by name; one that cannot be made is left out with a warning."""
        found: list[Pack] = []
        for name in self.names("domain_pack"):
            try:
                found.append(Pack.of(self.get("domain_pack", name)))
            except Exception as error:  # A plugin may raise anything.
                _warn(name, str(error) if isinstance(error, OptionError) else type(error).__name__)
        return tuple(found)

    def __iter__(self) -> Iterator[Plugin]:
        """Iterate over the declarations, by kind and name."""
        return iter([self._plugins[key] for key in sorted(self._plugins)])

    def __len__(self) -> int:
        """Return how many plugins there are."""
        return len(self._plugins)


def build(plugin: Plugin) -> object:
    """Make a plugin's object and check that it is of its kind.

    Raises:
        OptionError: the object lacks what its kind asks for.
    """
    made = plugin.make()
    if not isinstance(made, PROTOCOLS[plugin.kind]):
        raise OptionError(f"plugin {plugin.name!r}: what it makes is no {plugin.kind} (see gama.tools.contract)")
    return made


def _points() -> list[EntryPoint]:
    found = {point.name: point for point in sorted(entry_points(group=GROUP), key=lambda point: point.name)}
    found.setdefault(_BUILTIN.name, _BUILTIN)
    # The built-in ones come first, so that a plugin cannot take a built-in name.
    return sorted(found.values(), key=lambda point: (point.name != _BUILTIN.name, point.name))


def _loaded(point: EntryPoint) -> tuple[Plugin, ...]:
    problem = ""
    plugins: tuple[object, ...] = ()
    try:
        offered = point.load()
        offered = offered() if callable(offered) and not isinstance(offered, Plugin) else offered
        plugins = (offered,) if isinstance(offered, Plugin) else tuple(offered)
    except Exception as error:  # A plugin may raise anything while it is imported.
        problem = str(error) if isinstance(error, OptionError) else type(error).__name__
    sound = tuple(plugin for plugin in plugins if isinstance(plugin, Plugin))
    if not problem and len(sound) < len(plugins):
        problem = "it offers something that is no gama.tools.contract.Plugin"
    if problem:
        _warn(point.name, problem)
    return sound


def _warn(name: str, problem: str) -> None:
    warnings.warn(f"plugin {name!r} is left out: {problem}", RuntimeWarning, stacklevel=3)


def _known(names: Iterable[str]) -> str:
    return f"known names: {', '.join(sorted(names)) or 'none'}"
