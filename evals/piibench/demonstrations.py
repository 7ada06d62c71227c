"""Worked examples for Auto-CoT, made by the model itself (spec 03 §3.7): diverse queries, each with its own reasoning.

As in Auto-CoT the queries are those of the data set, which has no training part: they are clustered by an encoder and
k-means, and of each cluster the query nearest to its centre that the model reasons about readably serves. What is right
is not looked at. A text never gets the example that was made of it.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gama.models.json_replies import read_list
from gama.models.shipped import word_vectors
from gama.privacy.finders import Complete
from gama.privacy.select import need_message, need_system, surface_of
from gama.state.errors import InputError, ModelReplyError
from gama.state.private_text import PrivateText

Encode = Callable[[Sequence[str]], NDArray[np.float32]]
"""Gives a row of unit length for each text."""

COUNT = 3
"""Examples, as in the paper."""
LONGEST_TEXT = 2_400
"""Characters of a text that an example is made of."""
LONGEST_REASONING = 900
"""Characters of its reasoning: Auto-CoT takes short ones."""
_TRIES = 5


class Demonstration(NamedTuple):
    """A worked example."""

    text: str
    query: str
    reasoning: str
    needed: tuple[str, ...]


def encode_offline(texts: Sequence[str]) -> NDArray[np.float32]:
    """Return the shipped word vectors' means."""
    words = word_vectors()
    return np.stack([words.embed(text) for text in texts])


def clusters(queries: Sequence[str], count: int, seed: int, encode: Encode = encode_offline) -> list[list[int]]:
    """Return the queries of each cluster by their places, those nearest to its centre first; the largest cluster first.

    Args:
        queries: what is asked.
        count: how many clusters, at the most as many as there are different queries.
        seed: seed of k-means.
        encode: gives the vectors.
    """
    from sklearn.cluster import KMeans

    vectors = encode(queries).astype(np.float64)
    model = KMeans(min(count, len(np.unique(vectors.round(6), axis=0))), n_init=4, random_state=seed).fit(vectors)
    distances = np.linalg.norm(vectors - model.cluster_centers_[model.labels_], axis=1)
    groups: dict[int, list[int]] = {}
    for at in np.lexsort((np.arange(len(queries)), distances)):
        groups.setdefault(int(model.labels_[at]), []).append(int(at))
    return sorted(groups.values(), key=lambda group: (-len(group), group[0]))


def generate(
    complete: Complete,
    texts: Sequence[str],
    queries: Sequence[str],
    *,
    count: int = COUNT,
    seed: int = 0,
    encode: Encode = encode_offline,
) -> list[Demonstration]:
    """Let the model make worked examples of diverse queries.

    Args:
        complete: the model; it is asked to think step by step.
        texts: the texts.
        queries: what is asked about each.
        count: how many.
        seed: seed of the clusters.
        encode: gives the vectors of the queries.

    Raises:
        ModelReplyError: it reasoned readably about none of them.
    """
    short = [at for at, text in enumerate(texts) if len(text) <= LONGEST_TEXT] or list(range(len(texts)))
    found = []
    for group in clusters([queries[at] for at in short], count, seed, encode):
        for place in group[:_TRIES]:
            text, query = texts[short[place]], queries[short[place]]
            user = PrivateText(need_message(text, query, (), "self_cot"))
            told: list[dict[str, str | PrivateText]] = [
                {"role": "system", "content": need_system("self_cot")},
                {"role": "user", "content": user},
            ]
            if made := _read(text, query, complete(told).reveal()):
                found.append(made)
                break
    if not found:
        raise ModelReplyError("The model reasoned readably about none of the queries: no example could be made.")
    return found


def _read(text: str, query: str, reply: str) -> Demonstration | None:
    items = [surface for item in read_list(reply) or () if (surface := surface_of(item).strip())]
    reasoning = " ".join(reply[: reply.rfind("[")].split())
    usable = items and all(one in text for one in items) and 0 < len(reasoning) <= LONGEST_REASONING
    return Demonstration(text, query, reasoning, tuple(dict.fromkeys(items))) if usable else None


def shown(demonstrations: Sequence[Demonstration], text: str) -> str:
    """Return the examples as the prompt for a text has them, without one that was made of it."""
    others = [one for one in demonstrations if one.text != text]
    return "\n\n".join(
        f"Example {number}\nText: {one.text}\nQuery: {one.query}\nReasoning: {one.reasoning}\n"
        f"List: {json.dumps(one.needed, ensure_ascii=False)}"
        for number, one in enumerate(others, 1)
    )


def kept(path: Path | None, settings: dict[str, Any], make: Callable[[], list[Demonstration]]) -> list[Demonstration]:
    """Return the examples of a file, or make them and write it; only the user may read it, for it holds the texts.

    Raises:
        InputError: the file was made with other settings, or is none of these.
    """
    if path is None:
        return make()
    digest = hashlib.sha256(json.dumps(settings, sort_keys=True, default=str).encode()).hexdigest()
    if path.exists():
        try:
            told = json.loads(path.read_text(encoding="utf-8"))
            same = told["digest"] == digest
            found = [
                Demonstration(str(text), str(query), str(reasoning), tuple(map(str, needed)))
                for text, query, reasoning, needed in told["demonstrations"]
            ]
        except (ValueError, KeyError, TypeError, IndexError):
            raise InputError(f"{path}: not a file of worked examples; name another one") from None
        if not same:
            raise InputError(f"{path}: made with another model, data set or seed; name another file")
        return found
    made = make()
    path.touch(0o600)
    path.write_text(json.dumps({"digest": digest, "demonstrations": made}, ensure_ascii=False) + "\n", "utf-8")
    return made
