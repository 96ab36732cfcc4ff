"""Several files dropped or chosen at once: arrays make one problem, documents get a window each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QProcess, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from attn_gui.engine import Problem
from attn_gui.formats import save
from attn_gui.views.dialogs.arrays_dialog import ArraysDialog

RANDOM = np.random.default_rng(13)
ARRAYS = {name: RANDOM.normal(size=(4, 3)) for name in ("query", "key", "value")}


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files for which another window was started."""
    begun: list[str] = []

    def begin(_program: str, words: list[str]) -> None:
        assert words[-2] == "--in-window", "no one reads what another program says of a file on stderr"
        begun.append(words[-1])

    monkeypatch.setattr(QProcess, "startDetached", begin)
    return begun


def put(folder: Path, *names: str) -> list[Path]:
    for name, array in zip(names, ARRAYS.values(), strict=True):
        np.save(folder / f"{name}.npy", array)
    return [folder / f"{name}.npy" for name in names]


def is_there(person: Any) -> bool:
    return bool(person.program.document.snapshot() == Problem(**ARRAYS))


def test_files_dropped_or_opened_together_are_one_problem_or_a_window_each(person, tmp_path, windows):
    person.drop(*put(tmp_path, "query", "key", "value"))
    person.until(lambda: is_there(person))
    document = person.program.document
    assert (document.name, document.path, document.modified) == (tmp_path.name, None, False)
    assert tmp_path not in person.program.settings.recent(), "a folder opens nothing"
    person.do("example_worked")
    paths = [tmp_path / f"{name}.npy" for name in ARRAYS]
    person.choose_file(" ".join(f'"{path}"' for path in paths), lambda: person.do("open"))
    person.until(lambda: is_there(person))
    assert windows == []

    person.again("arrays that are whole problems stay apart")
    windows.clear()
    for name in "ab":
        np.savez(tmp_path / f"{name}.npz", **ARRAYS)
    person.drop(tmp_path / "a.npz", tmp_path / "b.npz")
    person.until(lambda: is_there(person))
    assert person.program.document.name == "a"
    assert windows == [str(tmp_path / "b.npz")]

    person.again("of several documents the first opens here the others beside")
    windows.clear()
    for name in "abc":
        save(Problem(**ARRAYS), tmp_path / f"{name}.attn")
    paths = [tmp_path / f"{name}.attn" for name in "abc"]
    person.drop(*paths)
    person.until(lambda: person.program.document.path == paths[0])
    assert windows == [str(path) for path in paths[1:]]
    assert "b.attn, c.attn" in person.banner()

    person.again("files whose axes can be read in two ways are asked about")
    windows.clear()
    heads = {name: RANDOM.normal(size=(1, 2, 4, 3)) for name in ("query", "key", "value")}
    for name, array in heads.items():
        np.save(tmp_path / f"{name}.npy", array)

    def choose(dialog: ArraysDialog) -> None:
        assert dialog.fields.axes.key() is None
        person.click(dialog.fields.axes.button("batch,head,token,column"))
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)

    def drop() -> None:
        person.drop(*(tmp_path / f"{name}.npy" for name in heads))
        person.until(lambda: not person.program.late.arrays.busy)

    expected = Problem.from_heads(**heads, axes="batch,head,token,column")
    person.answering(ArraysDialog, choose, drop)
    person.until(lambda: bool(person.program.document.snapshot() == expected))
    assert windows == []

    person.again("files of other names are asked about once")
    windows.clear()
    person.do("language_zh")
    paths = put(tmp_path, "q", "k", "v")
    titles: list[str] = []

    def take(dialog: ArraysDialog) -> None:
        titles.append(dialog.windowTitle())
        person.until(lambda: bool(dialog.preview.text()))
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)

    def drop() -> None:
        person.drop(*paths)
        person.until(lambda: not person.program.late.arrays.busy)

    person.answering(ArraysDialog, take, drop)
    person.until(lambda: is_there(person))
    assert "q.npy, k.npy, v.npy" in titles[0]
    person.do("undo") if person.action("undo").isEnabled() else None
    assert is_there(person), "opening is where the history begins"
    assert windows == []
