"""What the private space finds with, as the options name it. Each finder is made once and shared."""

import os
from functools import lru_cache, partial
from typing import cast

from gama.nodes.private.space import Complete, Finder, PrivateSpace
from gama.state.entities import Span
from gama.state.options import Options
from gama.tools.experts.toolbox import all_packs
from gama.vault.seal import Vault


def private_space(options: Options, vault: Vault) -> PrivateSpace:
    """Put the private space together: patterns and embedded tagger, and the finders, LLM and packs that are named."""
    # Packs are read when the graph is built: no run's context changes them.
    packs = lru_cache(maxsize=1)(partial(all_packs, options))
    return PrivateSpace(vault, options, patterns, tagger, private_llm, other_finders, packs)


def patterns(options: Options) -> Finder:
    """Return the pattern recognizers: the built-in ones, those of plugins, and the user's own file.

    Raises:
        OptionError: the file cannot be used, or a disabled name is unknown.
    """
    if "patterns" not in options.pner:
        return _nothing
    file = options.recognizers
    # A changed file is read anew.
    stamp = os.stat(file).st_mtime_ns if file is not None and os.path.exists(file) else 0
    return _patterns(options.default_region, file, stamp, options.disable)


@lru_cache(maxsize=16)
def _patterns(region: str | None, file: str | None, stamp: int, disabled: tuple[str, ...]) -> Finder:
    from gama.tools.recognizers.base import Recognizer
    from gama.tools.recognizers.custom import load_rules
    from gama.tools.recognizers.engine import PatternEngine
    from gama.tools.recognizers.phone import phone_recognizer
    from gama.tools.registry import Registry

    # All recognizers come in by the plugins' door; the one for telephone numbers takes the region.
    found = list(Registry.load(disabled).recognizers())
    if any(one.name == "phone" for one in found):
        found = [one for one in found if one.name != "phone"] + [cast(Recognizer, phone_recognizer(region))]
    if file is None:
        return PatternEngine(found).find
    rules = load_rules(file)
    engine = PatternEngine([*found, *rules.recognizers])

    def find(text: str) -> list[Span]:
        return rules.allow.keep(text, engine.find(text))

    return find


def tagger(options: Options) -> Finder:
    """Return the embedded tagger: the shipped one, or the one in the folder that the options name.

    Raises:
        ModelUnreachable: its files are missing or do not fit.
    """
    if options.weights is None:
        from gama.models.embedded import embedded_tagger

        return embedded_tagger().spans
    return _own_tagger(options.weights)


@lru_cache(maxsize=4)
def _own_tagger(folder: str) -> Finder:
    from pathlib import Path

    from gama.models.embedded import Tagger

    return Tagger(Path(folder)).spans


def other_finders(options: Options) -> tuple[Finder, ...]:
    """Return the finders of other makers that the options name.

    Raises:
        OptionError: a package is missing; says which to install.
        ModelUnreachable: a checkpoint cannot be loaded.
    """
    return tuple(_other(name) for name in options.pner if name not in ("patterns", "embedded"))


@lru_cache(maxsize=4)
def _other(name: str) -> Finder:
    engine, _, model = name.partition(":")
    if engine == "huggingface":
        from gama.models.huggingface_ner import TokenClassifier

        return TokenClassifier(model).spans
    if engine == "presidio":
        from gama.models.presidio import PresidioPatterns

        return PresidioPatterns().spans
    from gama.models.gliner import GlinerTagger

    return (GlinerTagger(model) if model else GlinerTagger()).spans


def private_llm(options: Options) -> Complete | None:
    """Return the private LLM, or None where none is named."""
    if options.private_model is None:
        return None
    from gama.models.private import private_model

    return private_model(
        options.private_model,
        base_url=options.private_base_url,
        trusted=options.trust_private_model,
        seed=options.seed,
    ).complete


def _nothing(text: str) -> list[Span]:
    return []
