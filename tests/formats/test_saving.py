"""Saving never costs the old file: full disks, crashes, names that are no files."""

from __future__ import annotations

import os
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from attn_gui.engine import Problem
from attn_gui.formats import save, save_matrix, write_file

OLD = b"the old file"
FULL_DISK = """
import resource, signal, sys
from attn_gui.formats import FormatError, write_file
path, size = sys.argv[1], int(sys.argv[2])
for limit in range(0, size, max(size // 40, 1)):
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    try:
        write_file(path, bytes(size))
    except FormatError as error:
        assert str(error) == "a.bin could not be saved: there is no room left. Nothing was changed.", error
    else:
        sys.exit(f"saved {size} bytes into {limit}")
"""


@pytest.fixture
def target(tmp_path: Path) -> Path:
    path = tmp_path / "a.bin"
    path.write_bytes(OLD)
    return path


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on the size of files")
@pytest.mark.parametrize("size", [80, 3_000_000])
def test_a_full_disk_costs_nothing(size: int, target: Path) -> None:
    done = subprocess.run([sys.executable, "-c", FULL_DISK, target, str(size)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert target.read_bytes() == OLD
    assert os.listdir(target.parent) == ["a.bin"]


def test_a_disk_that_lies_is_found_out(
    target: Path, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some file systems report every write as done and keep half of it."""
    write = os.write
    monkeypatch.setattr("os.write", lambda descriptor, data: write(descriptor, data[:-1]) + 1)
    assert "does not read back the same" in refused(write_file, target, b"the new file", path=target)
    assert target.read_bytes() == OLD
    assert os.listdir(target.parent) == ["a.bin"]


def test_writes_that_come_up_short_are_gone_on_with(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr("os.write", lambda descriptor, data: write(descriptor, data[:7]))
    write_file(target, b"the new file, much longer than seven bytes")
    assert target.read_bytes() == b"the new file, much longer than seven bytes"


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_an_interruption_at_any_step_costs_nothing(step: str, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(f"os.{step}", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_file(target, b"the new file")
    assert target.read_bytes() == OLD
    assert os.listdir(target.parent) == ["a.bin"]


def test_what_a_crash_left_is_swept_away(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A killed process leaves one hidden file at most, under a name that the next save takes."""
    with monkeypatch.context() as patch:
        patch.setattr("os.replace", lambda *names: os._exit)
        patch.setattr(Path, "unlink", lambda path: None)
        write_file(target, b"killed before the swap")
    left = {name for name in os.listdir(target.parent) if name != "a.bin"}
    assert len(left) == 1
    assert left.pop().startswith(".")
    write_file(target, b"the new file")
    assert os.listdir(target.parent) == ["a.bin"]
    assert target.read_bytes() == b"the new file"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither links for all nor modes")
def test_a_link_stays_a_link_and_the_mode_stays(target: Path) -> None:
    target.chmod(0o640)
    link = target.with_name("link.bin")
    link.symlink_to(target.name)
    write_file(link, b"the new file")
    assert link.is_symlink()
    assert target.read_bytes() == b"the new file"
    assert target.stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes with names")
def test_only_files_are_replaced(tmp_path: Path, refused: Callable[..., str]) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    assert "folder of that name" in refused(write_file, tmp_path / "folder", b"", path=tmp_path / "folder")
    assert "not a regular file" in refused(write_file, tmp_path / "pipe", b"", path=tmp_path / "pipe")
    refused(write_file, tmp_path / "loop", b"", path=tmp_path / "loop")
    nowhere = tmp_path / "nowhere" / "a.bin"
    assert "its folder" in refused(write_file, nowhere, b"", path=nowhere)
    away = tmp_path / "away"
    away.symlink_to(nowhere)
    assert "does not exist" not in refused(write_file, away, b"", path=away)
    under = tmp_path / "a.bin" / "b.bin"
    (tmp_path / "a.bin").write_bytes(OLD)
    assert "does not exist" in refused(write_file, under, b"", path=under)
    long = tmp_path / ("x" * 300)
    assert "name is too long" in refused(write_file, long, b"", path=long)


@pytest.mark.skipif(sys.platform == "win32", reason="names there are Unicode")
@pytest.mark.parametrize("name", [b"x" * 255, b"\xff\xfe.attn", " 注意.attn".encode(), b"-rf"])
def test_every_legal_name_is_a_name(name: bytes, tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(name)
    write_file(path, b"1")
    write_file(path, b"2")
    assert path.read_bytes() == b"2"
    assert os.listdir(os.fsencode(tmp_path)) == [name]


def test_a_folder_that_may_not_be_written_is_said(
    target: Path, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbid(*arguments: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.open", forbid)  # root may write anywhere, so a real folder would prove nothing
    assert "you may not write there" in refused(write_file, target, b"new", path=target)
    assert target.read_bytes() == OLD


@pytest.mark.parametrize("ending", ["attn", "npz", "npy"])
def test_a_file_is_written_from_the_arrays_themselves(tmp_path: Path, ending: str) -> None:
    """No file is put together in memory first, which would take as much again as its numbers."""
    cells = np.ones((1000, 1000))
    problem = Problem(cells[:, :50], cells[:, :50], cells)
    tracemalloc.start()
    try:
        if ending in ("attn", "npz"):
            save(problem, tmp_path / f"large.{ending}")
        else:
            save_matrix(cells, tmp_path / f"large.{ending}")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    whole = (tmp_path / f"large.{ending}").stat().st_size
    assert whole > 4_000_000
    assert peak < whole * 0.3
