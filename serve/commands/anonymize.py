"""`gama anonymize`: show what would leave."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from gama.serve import choices


def anonymize(
    task: choices.Task = None,
    box: Annotated[
        Path | None, typer.Option(help="Keep the box in this file, for `gama restore`.", show_default=False)
    ] = None,
    clear_box: Annotated[
        bool, typer.Option("--clear-box", help="Write the box in clear instead of encrypted.")
    ] = False,
    jsonl: Annotated[
        bool, typer.Option("--jsonl", help='Read lines {"id", "text", "query"?}, write lines with the outcome.')
    ] = False,
    as_json: choices.Json = False,
    private: choices.Private = None,
    private_base_url: choices.PrivateBaseUrl = None,
    trust_private: choices.TrustPrivate = False,
    fusion: choices.Fusion = None,
    style: choices.Style = None,
    seed: choices.Seed = None,
    region: choices.Region = None,
    deny: choices.Deny = None,
    allow: choices.Allow = None,
    max_chars: choices.MaxChars = None,
    encoding: choices.Encoding = None,
    home: choices.Home = None,
) -> None:
    """Replace what is private by placeholders and print the text that would leave."""
    chosen = choices.options(
        private_model=private,
        private_base_url=private_base_url,
        trust_private_model=trust_private or None,
        fusion=fusion,
        style=style,
        seed=seed,
        default_region=region,
        deny=deny,
        allow=allow,
        max_chars=max_chars,
    )
    from gama.graph.anonymizer import Anonymizer
    from gama.serve.inputs import read_task
    from gama.state.box import PrivacyBox

    anonymizer = Anonymizer(chosen)
    kept = PrivacyBox.load(box, home=home) if box is not None and box.exists() else None
    if jsonl:
        for line, number in _lines(task, encoding):
            kept = _one_line(anonymizer, line, number, kept if box is not None else None)
    else:
        view = anonymizer.anonymize(read_task(task, encoding=encoding, max_chars=chosen.max_chars), box=kept)
        kept = view.box
        if as_json:
            print(
                json.dumps(
                    {"anonymized": view.text, "entities": _entities(view), "warnings": view.warnings},
                    ensure_ascii=False,
                )
            )
        else:
            print(view.text, end="" if view.text.endswith("\n") else "\n")
            for note in view.warnings:
                print(f"note: {note}", file=sys.stderr)
    if box is not None and kept is not None:
        kept.save(box, encrypt=not clear_box, home=home)


def _entities(view: Any) -> list[dict[str, Any]]:
    return [
        entity.model_dump(mode="json") | {"placeholder": view.box.placeholder(entity.text) if entity.private else None}
        for entity in view.entities
    ]


def _lines(source: str | None, encoding: str | None) -> Iterator[tuple[str, int]]:
    from gama.state.errors import InputError

    if source in (None, "-"):
        stream: Any = sys.stdin
    else:
        assert source is not None
        try:
            stream = Path(source).open(encoding=encoding or "utf-8-sig")
        except (OSError, LookupError) as error:
            reason = getattr(error, "strerror", None) or type(error).__name__
            raise InputError(f"The file {source!r} cannot be read: {reason}.") from None
    with stream:
        number = 0
        try:
            for number, line in enumerate(stream, 1):
                if line.strip():
                    yield line, number
        except UnicodeDecodeError:
            raise InputError(
                f"Line {number + 1} is not in the encoding {encoding or 'utf-8'}; name it by --encoding."
            ) from None


def _one_line(anonymizer: Any, line: str, number: int, box: Any) -> Any:
    from gama.state.errors import InputError

    try:
        record = json.loads(line)
    except ValueError:
        record = None
    if not isinstance(record, dict) or not isinstance(record.get("text"), str):
        raise InputError(f'Line {number} is no JSON object with a "text". Earlier lines are done.')
    view = anonymizer.anonymize(record["text"], record.get("query"), box=box)
    out = {"id": record.get("id"), "anonymized": view.text, "entities": _entities(view)}
    print(json.dumps(out, ensure_ascii=False), flush=True)
    return view.box
