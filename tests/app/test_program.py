"""The program as a whole: each action has one part that answers it, and what it built comes to an end."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from attn_gui.app.actions.action_table import ACTIONS
from attn_gui.app.program import Finishable, HasCommands, Program


@pytest.fixture
def program(qapp: QApplication) -> Iterator[Program]:
    opened = Program(qapp, lang="en")
    opened.begin(None)
    yield opened
    opened.end()


def parts_of(program: Program) -> dict[str, object]:
    """By name, each of its controllers among them."""
    return vars(program) | vars(program.first) | vars(program.late)


def test_every_action_is_answered_by_one_part(program):
    parts = parts_of(program).values()
    answered = Counter(name for part in parts if isinstance(part, HasCommands) for name in part.commands())
    assert answered == Counter(row.name for row in program.bars.actions.rows)


def test_every_part_that_can_be_ended_is_ended_with_the_program(program, monkeypatch):
    ended = Counter[str]()
    parts = {name: part for name, part in parts_of(program).items() if isinstance(part, Finishable)}
    for name, part in parts.items():
        monkeypatch.setattr(part, "finish", lambda name=name, finish=part.finish: (ended.update([name]), finish()))
    assert {"runner", "table_blocks", "verify", "targets", "export", "sensitivity", "curve", "copying"} <= set(parts)
    program.end()
    assert set(ended) == set(parts)


def test_what_a_checked_action_says_is_what_is_shown(program):
    actions = program.bars.actions
    actions["decimals_6"].trigger()
    assert program.view.look.decimals == 6
    assert [row.name for row in ACTIONS if row.group == "mode" and actions[row.name].isChecked()] == ["product"]
    program.view.set(mode="all", decimals=2)
    assert actions["all_stages"].isChecked()
    assert not actions["product"].isChecked()
    assert actions["decimals_2"].isChecked()
    assert not actions["decimals_6"].isChecked()


@pytest.mark.parametrize("name", ["bad.attn", "bad.npz", "bad.md", "gone.npz", ""])
def test_a_window_says_itself_what_is_wrong_with_the_file_that_it_starts_with(qapp, qtbot, tmp_path, name):
    if name.startswith("bad"):
        (tmp_path / name).write_bytes(b"nonsense")
    program = Program(qapp, lang="en", opens=True)
    try:
        program.show_first(tmp_path / name)
        program.window.show()
        program.complete()
        qtbot.waitUntil(program.window.banner.isVisible)
        assert (name or tmp_path.name) in program.window.banner.text()
        assert not program.document.modified
        assert (program.document.name, program.view.look.head) == ("minilm-layer2", 3)
    finally:
        program.end()


def test_a_window_closed_before_everything_is_built_closes_once_it_is(qapp):
    program = Program(qapp, lang="en")
    program.show_first(None)
    program.window.show()
    program.window.close()
    assert program.window.isVisible()
    program.complete()
    assert not program.window.isVisible()
    program.end()


# --- window layout --------------------------------------------------------------------------------
# The place and size of the window at its first start.

SIDES, TITLE_BAR = 10, 40
"""What the frame of a window adds at most in openbox and in Windows."""


def test_the_first_window_lies_on_the_screen_with_its_frame(qapp: QApplication) -> None:
    program = Program(qapp, lang="en")
    program.begin(None)
    screen = QGuiApplication.primaryScreen().availableSize()
    for again in (lambda: None, program.layout.reset):
        again()
        assert program.window.width() + SIDES <= screen.width()
        assert program.window.height() + TITLE_BAR <= screen.height()
    program.end()


# --- end ------------------------------------------------------------------------------------------
# The end of a program: whoever opens one window after another from Python holds one of them.


def objects_after_a_program(app: QApplication) -> int:
    """How many objects of Qt there are once a program has ended."""
    program = Program(app, lang="zh")
    program.begin(None)
    program.window.show()
    program.end()
    del program
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    gc.collect()
    return sum(isinstance(found, QObject) for found in gc.get_objects())


def test_a_program_that_has_ended_leaves_no_object_behind(qapp):
    before = [objects_after_a_program(qapp) for _ in range(2)][-1]
    assert objects_after_a_program(qapp) == before
