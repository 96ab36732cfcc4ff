"""Arrays under their own names: axes, masks and heads as said, applied as to those of other names, or refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from attn_gui.cli import main
from attn_gui.engine import Problem
from attn_gui.formats import load, save

RANDOM = np.random.default_rng(11)
ARRAYS = {name: RANDOM.normal(size=(3, 4)) for name in ("query", "key", "value")}
STACKED = {name: RANDOM.normal(size=(2, 3, 4)) for name in ARRAYS}
OPEN = np.tril(np.ones((3, 3)))


def put(path: Path, **arrays: object) -> Path:
    np.savez(path, **arrays)
    return path


def test_layers_and_records_of_the_file_stay(tmp_path: Path) -> None:
    problem = Problem(
        **{name: array[0] for name, array in STACKED.items()},
        mask=[{"kind": "custom", "allowed": OPEN.astype(bool)}, {"kind": "causal"}],
        score="additive",
        score_params={"w_score_query": np.eye(2), "w_score_key": np.eye(2), "w_score": np.ones(2)},
        num_heads=2,
    )
    save(problem, tmp_path / "a.npz")
    assert load(tmp_path / "a.npz", num_heads=2) == problem


@pytest.mark.parametrize("meaning", ["keep", "block"])
def test_what_is_added_to_scores_neither_opens_nor_closes(
    meaning: str, tmp_path: Path, refused: Callable[..., str]
) -> None:
    path = put(tmp_path / "a.npz", **ARRAYS, mask=np.where(OPEN == 1, 0, -np.inf))
    said = refused(lambda: load(path, mask=meaning), path=path)
    assert f"the mask holds -inf; expected 0 and 1, or true and false, where it means “{meaning}”" in said
    assert load(path, mask="add").mask[0].kind == "bias"


@pytest.mark.parametrize(
    ("word", "about"),
    [
        ({"mask": "keep"}, "“mask” tells how to read mask"),
        ({"weights": "out,in"}, "“weights” tells how to read w_query, w_key, w_value, w_output"),
        (
            {"split": "part,head,column"},
            "“split” tells how to read query_key_value, w_query_key_value, b_query_key_value",
        ),
    ],
)
def test_a_word_on_what_is_not_there_is_refused(
    word: dict[str, str], about: str, tmp_path: Path, refused: Callable[..., str]
) -> None:
    path = put(tmp_path / "a.npz", **ARRAYS)
    said = refused(lambda: load(path, **word), path=path)
    assert f"{about}, and there is none; the parts are query, key, value." in said


# --- axes and heads ------------------------------------------------------------------------------
def test_axes_are_those_of_the_fields_until_others_are_said(tmp_path: Path, refused: Callable[..., str]) -> None:
    path = put(tmp_path / "a.npz", **STACKED, mask=OPEN)
    with pytest.warns(UserWarning, match=r"read as axes=\"batch,token,column\" \(items 2, tokens 3\)"):
        assert load(path, mask="keep").batch_size == 2
    (path.parent / "b").mkdir()
    bare = put(path.parent / "b" / "b.npz", **STACKED)
    assert 'axes="head,token,column" (heads 2, tokens 3)' in refused(lambda: load(bare, num_heads=2), path=bare)
    mask = [{"kind": "custom", "allowed": OPEN}]
    expected = Problem.from_heads(*STACKED.values(), axes="head,token,column", mask=mask)
    assert load(path, axes="head,token,column", mask="keep") == expected


@pytest.mark.parametrize("said", ["here", "in the file"])
def test_a_number_of_heads_decides_what_an_axis_is(said: str, tmp_path: Path, refused: Callable[..., str]) -> None:
    one = RANDOM.normal(size=(8, 5, 12))
    path = put(tmp_path / "a.npz", q=one, k=one, v=one, **({} if said == "here" else {"num_heads": 4}))
    names = {"query": "q", "key": "k", "value": "v"}
    more = {"num_heads": 4} if said == "here" else {}
    found = load(path, arrays=names, **more)
    assert (found.batch_size, found.num_heads, found.d_k) == (8, 4, 3)
    contradiction = refused(lambda: load(path, arrays=names, axes="head,token,column", **more), path=path)
    assert "cannot be read as head,token,column; expected batch,token,column" in contradiction


# --- what cannot be applied ----------------------------------------------------------------------


def test_a_session_has_no_arrays_by_name(tmp_path: Path, refused: Callable[..., str]) -> None:
    path = tmp_path / "a.attn"
    save(Problem(**ARRAYS), path)
    assert "holds no arrays by name" in refused(lambda: load(path, num_heads=2), path=path)
    assert load(path, weights="in,out") == Problem(**ARRAYS), "which says nothing"
    with pytest.warns(UserWarning, match="Arrays not used: attn_gui"):  # the options of a session by another suffix
        load(path.rename(tmp_path / "a.safetensors"), num_heads=2)


def test_the_command_line_applies_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = put(tmp_path / "a.npz", **ARRAYS)
    assert main(["export", str(path), "-o", str(tmp_path), "--num-heads", "2", "--format", "csv"]) == 0
    assert (tmp_path / "a-weights-h1.csv").exists()
    save(Problem(**ARRAYS), tmp_path / "a.attn")
    capsys.readouterr()
    for words in (["verify", str(tmp_path / "a.attn"), "--num-heads", "2"], ["--num-heads", "2"]):
        assert main(words) == 2
    said = capsys.readouterr().err
    assert "a.attn holds no arrays by name" in said
    assert "Options on arrays need a FILE" in said


def test_several_problems_do_not_open_without_what_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [str(put(tmp_path / f"{name}.npz", **ARRAYS)) for name in "ab"]
    assert main([*paths, "--num-heads", "2"]) == 2
    assert "Options on arrays are about one problem; a.npz, b.npz hold one each." in capsys.readouterr().err
