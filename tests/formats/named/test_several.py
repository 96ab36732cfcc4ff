"""Several files together: one problem by the names of the files, or as somebody arranges it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from attn_gui.cli import main
from attn_gui.engine import Problem
from attn_gui.formats import FormatError
from attn_gui.formats.named.array_mapping import ArrayMapping, propose_mapping
from attn_gui.formats.named.roles import ForeignNames
from attn_gui.formats.named.several_files import holds_arrays, list_several, open_several, several_name, whole_ones

RANDOM = np.random.default_rng(5)
ARRAYS = {name: RANDOM.normal(size=(4, 3)) for name in ("query", "key", "value")}


def put(folder: Path, **arrays: np.ndarray) -> list[Path]:
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
    return [folder / f"{name}.npy" for name in arrays]


def test_files_named_as_parts_open_as_they_are(tmp_path: Path) -> None:
    paths = put(tmp_path, **ARRAYS)
    np.savetxt(tmp_path / "value.csv", ARRAYS["value"], delimiter=",", fmt="%r")
    for third in (paths[2], tmp_path / "value.csv"):
        assert open_several([*paths[:2], third], None).problem == Problem(**ARRAYS)


@pytest.mark.parametrize("text", ["True,False,True,True\n" * 4, ",0,1,2,3\n" + "0,true,FALSE,true,true\n"])
def test_a_mask_in_words_says_who_may_attend(tmp_path: Path, text: str) -> None:
    (tmp_path / "mask.csv").write_text(text)
    found = open_several([*put(tmp_path, **ARRAYS), tmp_path / "mask.csv"], None).problem
    allowed = np.tile([True, False, True, True], (len(text.splitlines()) - text.startswith(","), 1))
    assert found == Problem(**ARRAYS, mask=[{"kind": "custom", "allowed": allowed}])


def test_others_are_proposed_by_the_names_of_their_files(tmp_path: Path) -> None:
    paths = put(tmp_path, q=ARRAYS["query"], k=ARRAYS["key"], v=ARRAYS["value"])
    with pytest.raises(ForeignNames):
        open_several(paths, None)
    listing = list_several(paths)
    assert [array.name for array in listing.arrays] == ["q", "k", "v"]
    assert open_several(paths, propose_mapping(listing)).problem == Problem(**ARRAYS)


def test_a_vector_stays_one_and_options_come_from_any_file(tmp_path: Path) -> None:
    x, bias = RANDOM.normal(size=(5, 4)), RANDOM.normal(size=4)
    weights = {f"w_{name}": RANDOM.normal(size=(4, 4)) for name in ("query", "key", "value")}
    (tmp_path / "weights.json").write_text(
        json.dumps({name: array.tolist() for name, array in weights.items()} | {"num_heads": 2})
    )
    paths = [*put(tmp_path, x=x, b_query=bias), tmp_path / "weights.json"]
    found = open_several(paths, None).problem
    assert found == Problem(x=x, b_query=bias, **weights, num_heads=2)


def test_equal_names_are_told_apart_by_their_files(tmp_path: Path) -> None:
    for name in "ab":
        np.savez(tmp_path / f"{name}.npz", q=ARRAYS["query"], **{f"k{name}": ARRAYS["key"]})
    names = [array.name for array in list_several([tmp_path / "a.npz", tmp_path / "b.npz"]).arrays]
    assert names == ["a.npz/q", "ka", "b.npz/q", "kb"]
    roles = {"query": "b.npz/q", "key": "ka", "value": "kb"}
    found = open_several([tmp_path / "a.npz", tmp_path / "b.npz"], ArrayMapping(roles)).problem
    np.testing.assert_array_equal(found.query, ARRAYS["query"])


def test_problems_stay_apart_unless_a_matrix_lies_beside_them(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", **ARRAYS)
    np.savez(tmp_path / "b.npz", q=ARRAYS["query"])
    both = [tmp_path / "a.npz", tmp_path / "b.npz"]
    assert whole_ones(both) == both[:1]
    assert whole_ones([*both, *put(tmp_path, mask=np.eye(4))]) == []
    assert [holds_arrays(Path(name)) for name in ("a.npy", "a.NPZ", "a.xlsx", "a.attn", "a.png", "a")] == [
        *[True] * 3,
        *[False] * 3,
    ]


def test_what_is_wrong_names_the_file_that_is(tmp_path: Path) -> None:
    paths = put(tmp_path, q=ARRAYS["query"], k=ARRAYS["key"])
    (tmp_path / "v.npy").write_bytes(b"\x93NUMPY")
    with pytest.raises(FormatError, match=r"^v\.npy: "):
        list_several([*paths, tmp_path / "v.npy"])
    with pytest.raises(FormatError, match=r"^q\.npy, k\.npy has no array|^q\.npy, k\.npy: "):
        open_several(paths, ArrayMapping({"query": "z"}))
    assert several_name(paths) == "q.npy, k.npy"


def test_the_command_line_takes_several_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = put(tmp_path, q=ARRAYS["query"], k=ARRAYS["key"], v=ARRAYS["value"])
    arrays = ["--array", "query=q", "key=k", "value=v"]
    words = ["verify", *map(str, paths)]
    assert main(words) == 2
    assert "Say which is which" in capsys.readouterr().err
    assert main([*words, *arrays]) == 0
    assert main(["export", *words[1:], "-o", str(tmp_path), "--format", "npy", *arrays]) == 0
    assert (tmp_path / "q-weights-h0.npy").exists()
