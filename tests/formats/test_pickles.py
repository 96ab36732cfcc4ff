"""Pickles are never opened: the sentence has the lines that convert them."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from attn_gui.engine import Problem
from attn_gui.formats import FormatError, load, load_matrix


@pytest.mark.parametrize("ending", [".pt", ".pth", ".pkl", ".pickle", ".PT"])
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


def test_the_line_that_it_names_makes_a_file_that_opens(tmp_path):
    t = {"q": np.eye(2), "k": np.eye(2), "v": np.eye(2)}
    np.savez(tmp_path / "layer.npz", query=t["q"], key=t["k"], value=t["v"])
    assert load(tmp_path / "layer.npz") == Problem(np.eye(2), np.eye(2), np.eye(2))
