"""What the larger tagger starts from, read from a file made on the spot; and other names for texts in other scripts."""

import struct
from random import Random

import numpy as np
import pytest

from gama.evals.datasets.corpus import parse
from gama.models.embedded import WINDOW
from gama.state.errors import InputError
from gama.training.names_in_scripts import Renaming, names_of

torch = pytest.importorskip("torch", reason="needs torch: pip install 'gama-privacy[train]'")

from gama.training.encoder import build_network  # noqa: E402
from gama.training.export import int8_words  # noqa: E402
from gama.training.multilingual import (  # noqa: E402
    kept_pieces,
    multilingual_start,
    read,
    tokenizer_of,
)

WIDTH, INNER, PLACES = 384, 64, 512
PIECES = ["<s>", "<pad>", "</s>", "<unk>", "▁", "a", "▁na", "me", "<mask>"]


def packed(values):
    """Return weights in four bits, as the package stores them."""
    blocks = values.reshape(-1, 32)
    farthest = np.take_along_axis(blocks, np.abs(blocks).argmax(axis=1)[:, None], axis=1)
    scales = (farthest / -8).astype("<f2")
    small = np.clip(np.round(blocks / scales.astype(np.float32)) + 8, 0, 15).astype(np.uint8)
    return np.concatenate([scales.view(np.uint8), small[:, :16] | (small[:, 16:] << 4)], axis=1).tobytes()


@pytest.fixture
def file(tmp_path):
    made = np.random.default_rng(3)
    shapes = {"emb.word": (len(PIECES), WIDTH), "emb.pos": (PLACES, WIDTH), "emb.type": (2, WIDTH)}
    norms = ["emb.ln", "l0.aln", "l0.oln"]
    for name, rows, columns in (
        *((part, WIDTH, WIDTH) for part in ("q", "k", "v", "ao")),
        ("fi", INNER, WIDTH),
        ("fo", WIDTH, INNER),
    ):
        shapes[f"l0.{name}.w"], shapes[f"l0.{name}.b"] = (rows, columns), (rows,)
    shapes |= {f"{name}.{part}": (WIDTH,) for name in norms for part in "wb"}
    four_bits = {name for name, shape in shapes.items() if len(shape) == 2 and name not in ("emb.pos", "emb.type")}
    blob = "".join(PIECES).encode()
    ends = np.cumsum([0, *(len(piece.encode()) for piece in PIECES)]).astype("<u4")
    head = b"E5S1" + struct.pack(
        "<I7ifi5iQ", 1, WIDTH, 1, 12, INNER, len(PIECES), PLACES, 2, 1e-12, 32, len(PIECES), 0, 2, 1, 3, len(blob)
    )
    head += ends.tobytes() + np.arange(0, -len(PIECES), -1).astype("<f4").tobytes() + blob
    head += struct.pack("<iI", 0, 0) + struct.pack("<i", len(shapes))
    values = {name: made.normal(size=shape).astype("<f4") for name, shape in shapes.items()}
    raw = {name: packed(value) if name in four_bits else value.tobytes() for name, value in values.items()}
    at = len(head) + sum(2 + len(name) + 1 + 4 + 16 for name in shapes)
    body = b""
    for name, data in raw.items():
        head += struct.pack(
            f"<H{len(name)}sBIQQ",
            len(name),
            name.encode(),
            int(name in four_bits),
            values[name].size,
            at + len(body),
            len(data),
        )
        body += data
    path = tmp_path / "start.bin"
    path.write_bytes(head + body)
    return path, values


def test_weights_and_vocabulary_are_read(file):
    path, values = file
    published = read(path)
    assert published.pieces == PIECES
    assert (published.layers, published.width) == (1, WIDTH)
    assert published.tensors["l0.q.b"].tolist() == values["l0.q.b"].tolist()
    near = published.tensors["l0.fi.w"].reshape(INNER, WIDTH)
    assert np.abs(near - values["l0.fi.w"]).max() < 0.4
    kept = kept_pieces(published)
    assert [published.pieces[row] for row in kept] == PIECES[:-1]
    assert '"▁na"' in tokenizer_of(published, kept)
    with pytest.raises(InputError, match=r"start\.bin"):
        path.write_bytes(b"GGUF")
        read(path)


def test_the_network_starts_with_them_and_four_bits_lose_nothing(file):
    path, values = file
    published = read(path)
    start = multilingual_start(published, kept_pieces(published))
    network = build_network(0.0, start).eval()
    assert len(network.layers) == 1
    assert network.places.weight.shape == (WINDOW + 2, WIDTH)
    expected = published.tensors["l0.k.w"].reshape(WIDTH, WIDTH)
    assert np.array_equal(network.layers[0].attend.weight.detach().numpy()[WIDTH : 2 * WIDTH], expected)
    table = network.words.weight.detach()
    ids = torch.arange(len(table))[None]
    assert torch.equal(int8_words(network, small=True).words(ids)[0], table)


def test_names_change_with_their_language_and_public_ones_stay():
    mine = [
        ("he", parse("⟦דנה|PER.first_name|A⟧ ו⟦גיא|PER.first_name|B⟧, ת״ז ⟦058213746|CODE.ssn|A⟧")),
        (
            "he",
            parse("⟦נועה|PER.first_name|A⟧ קראה את ⟦עמוס עוז|PER.full_name|-|public⟧; ⟦נועה|PER.first_name|A⟧ שמחה"),
        ),
        ("th", parse("โทร ⟦๐๘๙-๕๕๑|CODE.phone|A⟧")),
    ]
    renaming, rng = Renaming(mine), Random(1)
    seen = {renaming(*mine[1], rng).text for _ in range(60)}
    assert len(seen) > 5
    assert all("עמוס עוז" in text for text in seen)
    assert all(text.split()[0] == text.split("; ")[1].split()[0] for text in seen), "the same name, the same new one"
    digits = {renaming(*mine[2], rng).text for _ in range(30)}
    assert len(digits) > 5
    assert all(set(text.removeprefix("โทร ")) <= set("๐๑๒๓๔๕๖๗๘๙-") for text in digits)
    assert "דנה" in names_of("he")
    assert names_of("xx") == ()
