"""Trains the embedded attacker: linear heads over the shipped word vectors, on synthetic persons.

    gama train attacker --out models/weights

Takes some minutes on two cores. Each head learns which sentences give its attribute away; temperatures come from
sentences, and the calibration of what a whole text tells from persons, that no head was trained on.
`gama eval anonymize` measures on others again. Seed and sentences fix the outcome.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gama.evals.metrics.attributes import is_right
from gama.privacy.refining.attacker import Attacker, Floats, features, telling, words_of
from gama.privacy.refining.attributes import ATTRIBUTES
from gama.privacy.refining.inferences import sentence_spans
from gama.training.seal.profiles import Cue, Profile, cues, profiles

COST = 4.0
"""Inverse strength of the penalty; the best of a few on the sentences for tuning."""
NOTHING = 1.5
"""What neutral sentences, and what those that tell of other attributes, weigh together; those of this one weigh 1."""
LEAST = 0.15
"""Calibrated probability from which something is inferred: an attacker may guess."""
PERSONS = 300
"""Persons with whom what a text tells is calibrated."""


def train(sentences: Sequence[Cue], persons: Sequence[Profile]) -> tuple[Attacker, dict[str, Any]]:
    """Train the heads.

    Args:
        sentences: cues and neutral sentences; those for training and for tuning are used.
        persons: with whose texts the calibration is fitted.

    Returns:
        The attacker, and what `write` stores of it.
    """
    taught = [one for one in sentences if one.part == "train"]
    tuned = [one for one in sentences if one.part == "dev"]
    words = sorted({word for one in taught for word in words_of(one.text)})
    heads = _heads(taught, words)
    tuning = features([one.text for one in tuned], {word: at for at, word in enumerate(words)})
    temperatures = {}
    for name, (values, weights, bias) in heads.items():
        said, right = _labels(tuned, name)
        places = np.searchsorted(np.array(["", *values]), said[right])
        temperatures[name] = _temperature(np.asarray(tuning[right] @ weights + bias), places)
    stored = _stored(heads, words, temperatures)
    calibration = _calibration(_attacker(stored, {}), persons)
    made = _attacker(stored, calibration)
    return made, stored | {"card": {"heads": made.heads, "calibration": calibration, "least": LEAST}}


def _heads(sentences: Sequence[Cue], words: Sequence[str]) -> dict[str, tuple[tuple[str, ...], Floats, Floats]]:
    """Return for each attribute its values, and the weights and the bias of nothing and of each value."""
    from sklearn.linear_model import LogisticRegression

    x = features([one.text for one in sentences], {word: at for at, word in enumerate(words)})
    found = {}
    for attribute in (one.name for one in ATTRIBUTES):
        y, fits = _labels(sentences, attribute)
        known = y[fits] != ""
        neutral = np.array([not one.attribute for one in sentences])[fits]
        weigh = np.where(known, 1.0, NOTHING * known.sum() / (~known & ~neutral).sum())
        weigh[neutral] = NOTHING * known.sum() / neutral.sum()
        head = LogisticRegression(C=COST, max_iter=100, tol=2e-3).fit(x[fits], y[fits], weigh)
        values = tuple(str(value) for value in head.classes_[1:])
        found[attribute] = values, head.coef_.T.astype(np.float32), head.intercept_.astype(np.float32)
    return found


def _stored(
    heads: Mapping[str, tuple[tuple[str, ...], Floats, Floats]],
    words: Sequence[str],
    temperatures: Mapping[str, float],
) -> dict[str, Any]:
    """Return heads side by side, each by its temperature."""
    return {
        "heads": {name: values for name, (values, _, _) in heads.items()},
        "words": list(words),
        "weights": np.concatenate([weights / temperatures[name] for name, (_, weights, _) in heads.items()], axis=1),
        "bias": np.concatenate([bias / temperatures[name] for name, (_, _, bias) in heads.items()]),
    }


def _attacker(stored: Mapping[str, Any], calibration: Mapping[str, Sequence[float]]) -> Attacker:
    return Attacker(stored["heads"], stored["words"], stored["weights"], stored["bias"], calibration, LEAST)


def _labels(sentences: Sequence[Cue], attribute: str) -> tuple["np.ndarray[Any, Any]", "np.ndarray[Any, Any]"]:
    """Return the value that each sentence tells, and which sentences are examples for this attribute."""
    y = np.array([one.value if one.attribute == attribute else "" for one in sentences])
    return y, np.array([attribute != "gender" or not one.tells_gender for one in sentences])


def _temperature(logits: "np.ndarray[Any, Any]", places: "np.ndarray[Any, Any]") -> float:
    """Return the temperature under which the true values are the likeliest."""

    def loss(t: float) -> float:
        scaled = logits / t
        top = scaled.max(axis=1)
        return float(
            np.mean(top + np.log(np.exp(scaled - top[:, None]).sum(axis=1)) - scaled[range(len(places)), places])
        )

    return min((float(t) for t in np.linspace(0.5, 3.0, 51)), key=loss)


def _calibration(attacker: Attacker, persons: Sequence[Profile]) -> dict[str, list[float]]:
    """Return by what `telling` is weighed for each attribute, and an offset: guesses are then as true as is said."""
    from sklearn.linear_model import LogisticRegression

    scored = [attacker.scores([one.text[a:b] for a, b in sentence_spans(one.text)]) for one in persons]
    found = {}
    for attribute in ATTRIBUTES:
        told = [one[attribute.name].told.sum(axis=0) for one in scored]
        guesses = [attacker.heads[attribute.name][int(each.argmax())] for each in told]
        true = [
            is_right(attribute, guess, one.truth.get(attribute.name, ""))
            for guess, one in zip(guesses, persons, strict=True)
        ]
        fitted = LogisticRegression().fit([[telling(each)] for each in told], true)
        found[attribute.name] = [float(fitted.coef_[0, 0]), float(fitted.intercept_[0])]
    return found


def write(stored: Mapping[str, Any], file: Path) -> None:
    """Write the weights as eight bits each, with a scale for each column."""
    weights: Floats = stored["weights"]
    scales = np.maximum(np.abs(weights).max(axis=0), 1e-6) / 127
    np.savez_compressed(
        file,
        weights=np.round(weights / scales).astype(np.int8),
        scales=scales.astype(np.float32),
        bias=stored["bias"],
        words=np.frombuffer("\n".join(stored["words"]).encode(), dtype=np.uint8),
        card=np.frombuffer(json.dumps(stored["card"]).encode(), dtype=np.uint8),
    )


def main(flags: Sequence[str] | None = None) -> None:
    """Train and write; says where the file is."""
    parser = argparse.ArgumentParser(description="Train the embedded attacker.")
    parser.add_argument("--out", type=Path, required=True, help="folder of the weights")
    given = parser.parse_args(flags)
    _, stored = train(cues(), profiles("dev", PERSONS))
    file = given.out / "attacker.npz"
    write(stored, file)
    print(f"written: {file} ({file.stat().st_size:,} bytes)")


if __name__ == "__main__":
    main()
