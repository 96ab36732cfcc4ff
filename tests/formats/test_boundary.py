"""The one boundary: only regular files come in, whatever goes wrong is one sentence, and it can be translated."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import attn_gui.formats
from attn_gui.engine import Problem
from attn_gui.formats import FormatError, load, load_matrix, open_file, save
from attn_gui.formats import file_format as boundary
from tests.failing import each

SOURCES = sorted(Path(attn_gui.formats.__file__).parent.glob("*.py"))


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes with names")
@pytest.mark.parametrize("read", [load, load_matrix])
def test_only_regular_files_are_opened(
    read: Callable[[Path], object], tmp_path: Path, refused: Callable[..., str]
) -> None:
    os.mkfifo(tmp_path / "pipe.npz")
    (tmp_path / "folder.npz").mkdir()
    (tmp_path / "empty.npz").touch()
    (tmp_path / "loop.npz").symlink_to("loop.npz")
    for name, words in (
        ("pipe.npz", "is a pipe; expected a regular file"),
        ("folder.npz", "is a folder; expected a file"),
        ("empty.npz", "is empty"),
        ("missing.npz", "does not exist"),
        ("empty.npz/under.npz", "does not exist"),
        ("loop.npz", "could not be read"),
        ("x" * 300, "could not be read"),
    ):
        assert words in refused(read, tmp_path / name, path=tmp_path / name)
    assert "device or socket" in refused(read, Path("/dev/zero"), path=Path("/dev/zero"))


def test_a_name_that_cannot_be_is_refused() -> None:
    with pytest.raises(FormatError, match="no file can have this name"):
        load("a\0b.npz")


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes with names")
def test_a_pipe_that_takes_the_place_of_a_file_is_seen(
    problem: Problem, tmp_path: Path, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, pipe = tmp_path / "a.attn", tmp_path / "pipe"
    save(problem, path)
    os.mkfifo(pipe)
    open_it = os.open
    monkeypatch.setattr("os.open", lambda name, flags: open_it(pipe, flags))
    assert "is a pipe" in refused(load, path, path=path)


def test_permission_and_memory_are_said_in_words(
    problem: Problem, tmp_path: Path, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.npz"
    save(problem, path)
    for error, words in (
        (PermissionError(13, "Permission denied"), "you have no permission"),
        (OSError(5, "Input/output error"), "could not be read: Input/output error"),
        (MemoryError(), "does not fit into the memory"),
        (ZeroDivisionError(), "damaged"),
    ):

        def fail(*arguments: object, error: BaseException = error) -> int:
            raise error

        monkeypatch.setattr("os.open", fail)
        assert words in refused(load, path, path=path)


def test_a_file_beyond_the_limit_is_not_read(tmp_path: Path, refused: Callable[..., str]) -> None:
    for read, name, size in ((load, "a.json", boundary.LARGEST_FILE), (load_matrix, "a.csv", 256 * 2**20)):
        path = tmp_path / name
        with path.open("wb") as file:
            file.truncate(size + 1)  # a hole: no room is taken
        assert "too large" in refused(read, path, path=path)


def test_a_matrix_is_no_problem_and_a_problem_no_matrix(
    problem: Problem, tmp_path: Path, refused: Callable[..., str]
) -> None:
    np.save(tmp_path / "a.npy", np.ones((2, 2)))
    (tmp_path / "a.csv").write_text("1,2\n")
    save(problem, tmp_path / "a.npz")
    for name in ("a.npy", "a.csv"):
        assert "holds one matrix" in refused(load, tmp_path / name, path=tmp_path / name)
    said = refused(load, tmp_path / "a.csv", path=tmp_path / "a.csv")
    assert "expected .attn, .npz, .safetensors, .json, .xlsx. Import it into a table" in said
    assert "holds a whole problem" in refused(load_matrix, tmp_path / "a.npz", path=tmp_path / "a.npz")


def test_the_content_counts_more_than_the_name(problem: Problem, tmp_path: Path) -> None:
    for suffix in (".attn", ".npz"):
        save(problem, tmp_path / f"a{suffix}")
        renamed = (tmp_path / f"a{suffix}").rename(tmp_path / f"b{suffix}.download")
        assert load(renamed) == problem


@each("name", ["a.csv.gz", "a.npy.bz2", "a.tsv.XZ", "a.npz.zst"])
def test_compressed_files_are_refused(name: str, tmp_path: Path, refused: Callable[..., str]) -> None:
    (tmp_path / name).write_bytes(b"\x1f\x8b\x08")
    assert "compressed; unpack it first" in refused(load_matrix, tmp_path / name, path=tmp_path / name)


def test_an_unknown_file_is_told_what_there_is(tmp_path: Path, refused: Callable[..., str]) -> None:
    path = tmp_path / "a.docx"
    path.write_bytes(b"something")
    assert "“.docx”; expected .attn, .npz, .safetensors, .json, .xlsx." in refused(load, path, path=path)


def test_names_from_files_cannot_break_the_sentence(tmp_path: Path, refused: Callable[..., str]) -> None:
    path = tmp_path / ("a\n\x1b[31m\u202e" + "x" * 90 + ".npz")
    path.write_bytes(b"PK\5\6" + bytes(18))
    with pytest.raises(FormatError) as caught:
        load(path)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 200


def test_every_sentence_can_be_translated() -> None:
    """Every template is marked, literal, names the file where it refuses one, and is raised with what it needs."""
    marked = []
    for source in SOURCES:
        for node in ast.walk(ast.parse(source.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "QT_TRANSLATE_NOOP":
                context, text = (ast.literal_eval(argument) for argument in node.args)
                assert context == "Sentences"
                marked.append(text)
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("FormatError", "Note"):
                assert not isinstance(node.args[0], ast.Constant | ast.JoinedStr), ast.unparse(node)
    assert len(marked) > 40
    assert sum("{file}" in text for text in marked) > 35


@pytest.mark.parametrize("ending", ["npz", "attn"])
def test_how_far_the_reading_is_only_grows(ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boundary, "STEP", 10_000)
    numbers = np.random.default_rng(3).normal(size=(3, 997, 7))
    given = Problem(query=numbers[0], key=numbers[1], value=numbers[2])
    save(given, tmp_path / f"large.{ending}")
    told: list[float] = []
    assert open_file(tmp_path / f"large.{ending}", told.append).problem == given
    assert told == sorted(told)
    assert (told[0], len(told) > 10) == (0, True)
    assert 0.9 < told[-1] <= 1


def test_whoever_is_told_can_end_the_reading(problem: Problem, tmp_path: Path) -> None:
    def enough(_share: float) -> None:
        told.append(1)
        raise TimeoutError

    told: list[int] = []
    save(problem, tmp_path / "a.attn")
    with pytest.raises(FormatError):
        open_file(tmp_path / "a.attn", enough)
    assert told == [1]
