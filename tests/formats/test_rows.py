"""Numbers written some rows at a time: the bytes of the whole, and nothing where something went wrong."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from attn_gui.engine import DenseEvaluation, Evaluation, Problem
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.formats import (
    ArrayRows,
    block_rows,
    field_rows,
    load_matrix,
    rows_of,
    save_matrix,
    save_members,
    save_rows,
    stage_rows,
)


@pytest.fixture(params=[DenseEvaluation, StreamingEvaluation])
def evaluation(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Evaluation:
    """Two items, n = 7, m = 5, three heads of d_k = 4, d_v = 2; read in blocks of two or three rows."""
    monkeypatch.setattr("attn_gui.formats.rows.AT_ONCE", 11)
    random = np.random.default_rng(2)
    shapes = {"query": (2, 7, 12), "key": (2, 5, 12), "value": (2, 5, 6)}
    arrays = {name: random.normal(size=shape) for name, shape in shapes.items()}
    return request.param(Problem(**arrays, num_heads=3, mask=[{"kind": "causal"}]))


@pytest.mark.parametrize("ending", ["npy", "csv", "tsv"])
def test_a_head_is_written_as_if_it_were_whole(evaluation: Evaluation, tmp_path: Path, ending: str) -> None:
    for stage, head in (("weights", 2), ("masked", 1), ("query", 1), ("output", None)):
        rows = block_rows(evaluation, stage, 1, head)
        whole = evaluation.block(stage, 1, head, slice(0, rows.shape[0]), slice(0, rows.shape[1]))
        names = {"row_labels": [f"={k}" for k in range(len(whole))], "column_labels": rows.column_numbers}
        labels = names | {"excel": ending != "npy"}
        save_rows(rows, tmp_path / f"rows.{ending}", **labels)
        save_matrix(whole, tmp_path / f"whole.{ending}", **labels)
        assert (tmp_path / f"rows.{ending}").read_bytes() == (tmp_path / f"whole.{ending}").read_bytes()
        np.testing.assert_array_equal(load_matrix(tmp_path / f"rows.{ending}"), whole)


def test_members_of_an_npz(evaluation: Evaluation, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    members = {"weights": stage_rows(evaluation, "weights", lambda *at: told.append(at)), "key": rows_of(np.eye(3))}
    save_members(members, tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as found:
        assert set(found) == {"weights", "key"}
        np.testing.assert_array_equal(
            found["weights"], evaluation.box("weights", tuple(map(slice, evaluation.shape("weights"))))
        )
    assert told[-1] == (2 * 3 * 7, 2 * 3 * 7)
    assert [done for done, _ in told] == sorted({done for done, _ in told})


@pytest.mark.parametrize("ending", ["npy", "csv", "npz"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError, MemoryError])
def test_what_breaks_off_leaves_the_old_file(tmp_path: Path, ending: str, error: type[BaseException]) -> None:
    def blocks() -> Iterator[np.ndarray]:
        yield np.ones((2, 3))
        raise error("what was said")

    target = tmp_path / f"a.{ending}"
    target.write_bytes(b"the old file")
    rows = ArrayRows((4, 3), np.dtype(float), blocks)
    with pytest.raises(error, match=r"^what was said$"):
        save_members({"a": rows}, target) if ending == "npz" else save_rows(rows, target)
    assert target.read_bytes() == b"the old file"
    assert os.listdir(tmp_path) == [target.name]


def endless(rows: int, columns: int) -> ArrayRows:
    """So many numbers that none must ever be asked for."""

    def blocks() -> Iterator[np.ndarray]:
        raise AssertionError("nothing should be computed")
        yield np.ones(1)

    return ArrayRows((rows, columns), np.dtype(np.float32), blocks)


def test_texts_end_at_ten_million_numbers(tmp_path: Path, refused: Callable[..., str]) -> None:
    for ending in ("csv", "tsv"):
        path = tmp_path / f"a.{ending}"
        sentence = refused(save_rows, endless(65536, 65536), path, path=path)
        assert sentence == (
            f"a.{ending} would hold 4,294,967,296 numbers as text, more than 10,000,000; choose NPY instead."
        )
    assert os.listdir(tmp_path) == []


def test_what_does_not_fit_on_the_disk_is_not_begun(tmp_path: Path, refused: Callable[..., str]) -> None:
    rows = endless(1, shutil.disk_usage(tmp_path).total)
    for save, path in ((save_rows, tmp_path / "a.npy"), (lambda r, p: save_members({"a": r}, p), tmp_path / "a.npz")):
        assert "there is no room left" in refused(save, rows, path, path=path)
    assert os.listdir(tmp_path) == []


def test_a_field_is_one_matrix_of_an_item_and_of_all_heads():
    rng = np.random.default_rng(4)
    arrays = {name: rng.normal(size=(3, 5, 8)) for name in ("query", "key", "value")}
    layers = [{"kind": "bias", "values": rng.normal(size=shape)} for shape in ((2, 5, 5), (3, 2, 5, 5), (5, 1))]
    problem = Problem(**arrays, num_heads=2, mask=layers)

    def written(field, item):
        return np.concatenate(list(field_rows(problem, field, item).blocks()))

    assert np.array_equal(written("query", 1), arrays["query"][1])
    assert np.array_equal(written("mask.0.values", 1), layers[0]["values"].reshape(10, 5))
    assert np.array_equal(written("mask.1.values", 1), layers[1]["values"][1].reshape(10, 5))
    assert np.array_equal(written("mask.2.values", 1), layers[2]["values"])
