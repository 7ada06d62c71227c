"""The methods by name, and how they are chosen."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from gama.evals.methods import detectors
from gama.evals.methods.annotator import Annotator
from gama.evals.methods.base import Method
from gama.evals.methods.ner_pre import NerPre
from gama.evals.methods.pipeline import Pipeline, WithoutContext
from gama.evals.methods.subjects import private_subjects, public_subjects
from gama.state.errors import OptionError
from gama.state.options import Options

Make = Callable[[Options], Method]


def _under(name: str, about: str, **changes: Any) -> Make:
    """Return what makes the pipeline under changed options."""
    return lambda options: Pipeline(name, about, options.model_copy(update=changes))


def _without_context(options: Options) -> Method:
    about = "no view of the context: everything that patterns and tagger find is hidden"
    return Pipeline("no-pia", about, options, kind=WithoutContext)


MAKERS: dict[str, Make] = {
    "pipeline": _under("pipeline", "what really leaves: two views, fusion, Map and a second look"),
    "strict": _under(
        "strict",
        "what leaves under `--privacy strict`, where nothing stays since the text asks about it",
        privacy="strict",
    ),
    "embedded": _under("embedded", "the pipeline without the private LLM", private_model=None),
    "tagger": lambda options: detectors.tagger(),
    "accurate": lambda options: detectors.accurate(),
    "patterns": lambda options: detectors.patterns(options.default_region),
    "no-pia": _without_context,
    "no-fusion": _under("no-fusion", "what either view found is hidden, nothing is arbitrated", fusion="union"),
    "presidio": lambda options: detectors.presidio(),
    "regex": lambda options: detectors.regex(),
    "nothing": lambda options: detectors.nothing(),
    "ner-pre": NerPre,
    "ner-pre-published": partial(NerPre, as_published=True),
    "llm-subjects": private_subjects,
    "public-llm-subjects": public_subjects,
}
"""How each method is made."""

NAMED = frozenset({"strict", "accurate", "ner-pre", "ner-pre-published", "llm-subjects", "public-llm-subjects"})
"""Methods that run only where they are named: a stricter level, the larger tagger, baselines of the papers' tables, and
those that ask a model about every text."""

OPTIONAL = frozenset({"presidio"})
"""Methods whose package need not be there: among the usual methods they are then left out."""


class Choice(NamedTuple):
    """The methods of a run."""

    methods: list[Method]
    left_out: list[str]
    """One line for each of the usual methods that cannot run here."""


def choose(
    options: Options,
    names: Sequence[str] | None = None,
    *,
    huggingface: Sequence[str] = (),
    weights: Sequence[str] = (),
    marks: Sequence[str] = (),
    bilstm: Path | None = None,
    competitors: Sequence[str] = (),
) -> Choice:
    """Make methods, their models loaded.

    Args:
        options: Of the pipeline.
        names: Names from `MAKERS`, the first of which the others are compared with; None takes all that can run
            but those of `NAMED` (`embedded` only beside a private LLM).
        huggingface: Token classifiers, as `NAME`, `NAME@REVISION` or a folder.
        weights: Further embedded taggers, as `NAME=FOLDER`, each put into the whole pipeline.
        marks: Other annotations of the same texts, as `NAME=PATH`.
        bilstm: Folder of a BiLSTM-CRF.
        competitors: Other tools, as `NAME=PYTHON`.

    Raises:
        OptionError: A name is unknown or given twice, or a named method needs a package that is missing.
        ModelError: A model cannot be loaded.
        InputError: An annotation cannot be read.
    """
    chosen = _usual(options) if names is None else list(names)
    if unknown := [name for name in chosen if name not in MAKERS]:
        raise OptionError(f"option --methods: unknown method {unknown[0]!r}; known methods: {', '.join(MAKERS)}")
    if not chosen:
        raise OptionError(f"option --methods: name at least one of {', '.join(MAKERS)}")
    others = [_weights(given) for given in weights]
    annotators = [Annotator(*_named("--marks", given, "PATH")) for given in marks]
    methods: list[Method] = []
    left_out: list[str] = []
    for name in chosen:
        try:
            methods.append(MAKERS[name](options))
        except OptionError as error:
            if names is not None or name not in OPTIONAL:
                raise
            left_out.append(f"{name} is left out: {error}")
    for name, folder in others:
        with_weights = options.model_copy(update={"weights": str(folder)})
        methods.append(Pipeline(name, f"the pipeline with the weights of {folder.name!r}", with_weights))
    for given in huggingface:
        classifier = detectors.huggingface(given)
        if any(method.name == classifier.name for method in methods):
            classifier.name = given  # two folders of one name
        methods.append(classifier)
    methods += [*annotators, *([detectors.bilstm(bilstm)] if bilstm is not None else [])]
    for given in competitors:
        other = detectors.competitor(given)
        if any(method.name == other.name for method in methods):
            other.name = given.rpartition("=")[0]  # Presidio's patterns alone, or one tool with two models
        methods.append(other)
    names_taken = [method.name for method in methods]
    if twice := next((name for name in names_taken if names_taken.count(name) > 1), None):
        raise OptionError(f"two methods are called {twice!r}: name each once")
    return Choice(methods, left_out)


def _usual(options: Options) -> list[str]:
    left = NAMED | (frozenset({"embedded"}) if options.private_model is None else frozenset())
    return [name for name in MAKERS if name not in left]


def _weights(given: str) -> tuple[str, Path]:
    name, folder = _named("--weights", given, "FOLDER")
    if not folder.is_dir():
        raise OptionError(f"option --weights: the folder {str(folder)!r} does not exist")
    return name, folder


def _named(option: str, given: str, place: str) -> tuple[str, Path]:
    name, _, path = given.partition("=")
    if not name or not path:
        raise OptionError(f"option {option}: {given!r} is not NAME={place}")
    return name, Path(path)
