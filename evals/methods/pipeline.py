"""The whole way of a text to the airlock, as `Anonymizer` goes it, and the same with a part left out."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gama.evals.methods.base import Hidden, digest, mask
from gama.evals.metrics.spans import Stretch
from gama.models.accurate import accurate_folder
from gama.models.embedded import WEIGHTS
from gama.privacy import pipeline as engine
from gama.privacy.anonymizer import Anonymizer
from gama.privacy.finders import private_llm, tagger
from gama.privacy.fuse import fuse, to_entities
from gama.privacy.question import check_question
from gama.privacy.select import selection_notes
from gama.state.entities import TYPE_OF, Entity
from gama.state.errors import LeakError
from gama.state.options import Options
from gama.tools.placeholders.mapping import map_text

STOPPED = "The pipeline refused to let a text leave (LeakError); its first look is scored instead."


class Pipeline:
    """Both views, fusion, linking, Map, and the second look: what is really replaced.

    A span counts as hidden where a placeholder stands in the outgoing text, whoever put it there: further
    mentions that Map replaces and finds of the second look are hidden, a mention that lost to a longer one is not a
    span of its own.
    """

    subjects = True

    def __init__(
        self, name: str, about: str, options: Options, *, kind: type[engine.Pipeline] = engine.Pipeline
    ) -> None:
        """Load the models.

        Args:
            name: as the tables show it.
            about: one line on what it is.
            options: what the anonymizer is made with.
            kind: the engine itself, or one with a part left out.

        Raises:
            ModelUnreachable: the weights are missing or damaged.
            OptionError: the private LLM is hosted and not trusted.
        """
        self.name, self.about = name, about
        # Before the work, not in the midst of it.
        tagger(options)
        private_llm(options)
        self._anonymizer = Anonymizer(pipeline=kind(options))

    def facts(self) -> Mapping[str, str]:
        """Return what its figures depend on; see `facts_of`."""
        return facts_of(self._anonymizer.options)

    def hide(self, text: str) -> Hidden:
        """Anonymize a text and tell what was replaced."""
        try:
            view = self._anonymizer.anonymize(text)
        except LeakError:
            stretches = [_of_entity(entity) for entity in self._anonymizer.identify(text)]
            return Hidden(stretches, mask(text, stretches), (STOPPED,))
        private = [(entity.start, entity.end) for entity in view.entities if entity.private]
        # Map is run once more, on the finished box, to learn where the placeholders stand.
        mapped = map_text(text, view.box, private, ignore_case=self._anonymizer.options.ignore_case)
        if mapped.text != view.text:
            raise AssertionError("Map is not repeatable: the scores would not be those of what leaves")
        entities = {(entity.start, entity.end): entity for entity in view.entities}
        entries = {entry.placeholder: entry for entry in view.box.entries}
        stretches = []
        for piece in mapped.pieces:
            entry, entity = entries[piece.placeholder], entities.get((piece.start, piece.end))
            if entry.subtype == "literal":
                continue  # text that already looked like a placeholder: protected, not hidden
            subtype, subject = (entity.subtype, entity.subject) if entity else (entry.subtype, entry.subject)
            stretches.append(Stretch(piece.start, piece.end, TYPE_OF[subtype], subtype, subject=subject))
        hidden = [(item.start, item.end) for item in stretches]
        stretches += [
            _of_entity(entity)
            for entity in view.entities
            if not entity.private and not any(start < entity.end and entity.start < end for start, end in hidden)
        ]
        told = frozenset(selection_notes(view.entities))  # What stays is measured, not told text by text.
        notes = [note for note in view.warnings if note not in told]
        return Hidden(sorted(stretches, key=lambda item: item[:2]), view.text, notes)


class WithoutContext(engine.Pipeline):
    """Everything that the first view finds is hidden; nobody judges the context (the ablation `no-pia`)."""

    def find(self, text: str, notes: list[str], *, system: bool = False) -> list[Entity]:
        """Return every mention that patterns and tagger find, all of them private; see `Pipeline.find`."""
        check_question(text, self.options.max_chars)
        return to_entities(text, fuse(self.identify(text), [], text, lambda left: left), self.options)


def facts_of(options: Options) -> dict[str, str]:
    """Return the hash of the tagger and the options that differ from the defaults, but no addresses of servers."""
    weights = WEIGHTS if options.weights is None else Path(options.weights)
    larger = accurate_folder() if options.detector != "embedded" and options.weights is None else None
    changed = {
        name: _shown(value)
        for name, value in options
        if value != Options.model_fields[name].get_default(call_default_factory=True) and "base_url" not in name
    }
    accurate = {} if larger is None else {"accurate_sha256": digest(larger / "identify.onnx")}
    return {"model_sha256": digest(weights / "identify.onnx")} | accurate | changed


def _of_entity(entity: Entity) -> Stretch:
    return Stretch(entity.start, entity.end, entity.type, entity.subtype, entity.private, entity.subject)


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else type(value).__name__ if hasattr(value, "invoke") else str(value)
