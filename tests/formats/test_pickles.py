"""Pickles are never opened: the sentence has the lines that convert them."""

from __future__ import annotations

import io
import pickle
import zipfile

import numpy as np
import pytest

from attn_gui.formats import FormatError, list_arrays, load, load_matrix, save_arrays
from tests.failing import each

from .test_npz import with_end64


@each("ending", [".pt", ".pth", ".pkl", ".pickle", ".PT"])
def test_a_pickle_is_refused_with_the_lines_that_convert_it(tmp_path, ending):
    ran = tmp_path / "ran"

    class Hostile:
        def __reduce__(self):
            return open, (str(ran), "w")

    path = tmp_path / f"layer{ending}"
    path.write_bytes(pickle.dumps({"q": Hostile()}))
    for read in (load, load_matrix):
        with pytest.raises(FormatError) as refused:
            read(path)
        assert f"torch.load('layer{ending}', weights_only=True)" in str(refused.value)
    assert not ran.exists()


def saved_by_torch(compression: int = zipfile.ZIP_STORED) -> bytes:
    """What `torch.save` writes: a zip with an end as zips of more than 4 GiB have."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        archive.writestr("archive/data.pkl", pickle.dumps({"q": 1}, protocol=2))
        archive.writestr("archive/data/0", np.ones(12, np.float32).tobytes())
        archive.writestr("archive/version", "3\n")
    return with_end64(out.getvalue())


TORCHES = {
    "a zip": saved_by_torch(),
    "TorchScript": saved_by_torch(zipfile.ZIP_DEFLATED),
    "before 1.6": b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.",
    "by pickle": pickle.dumps({"q": [1.0]}),
}


@each("name", ["a.bin", "b.ckpt", "pytorch_model.bin", "c.npz", "d.th", "e", "f.csv"])
@each("kind", TORCHES)
def test_what_torch_saves_is_told_by_its_content(tmp_path, kind, name):
    """A .bin or .ckpt had "a directory of 421 bytes; expected at most 1.0 MB"."""
    path = tmp_path / name
    path.write_bytes(TORCHES[kind])
    for read in (load, load_matrix, list_arrays):
        with pytest.raises(FormatError, match="is a pickle, which could run code") as refused:
            read(path)
        assert f"torch.load('{name}', weights_only=True)" in str(refused.value)


def test_a_safetensors_file_that_begins_as_a_pickle_does_is_none(tmp_path):
    path, arrays = tmp_path / "q.safetensors", {name: np.eye(2) for name in ("query", "key", "value")}
    for width in range(0x280):  # its first bytes are the length of its header
        save_arrays({**arrays, "x" * (width + 1): np.eye(2)}, path)
        if path.read_bytes()[:2] == b"\x80\2":
            break
    assert path.read_bytes()[:2] == b"\x80\2"
    assert len(list_arrays(path).arrays) == 4
