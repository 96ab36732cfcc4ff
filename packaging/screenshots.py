"""Takes the pictures of the window, so that anyone can look again.

.venv/bin/python packaging/screenshots.py [FOLDER]     default: resources/pictures
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from compile_translations import compile_stale
from PySide6.QtCore import QCoreApplication, QEvent, QSettings, Qt, QTimer, QVariantAnimation
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTableView

from attn_gui.app.program import Program
from attn_gui.app.state.view_state import ChosenCell
from attn_gui.engine import Problem
from attn_gui.figure.text.fonts import load_fonts
from attn_gui.views.theme import reduce_motion

FOLDER = Path(__file__).resolve().parents[1] / "resources" / "pictures"
DUE_MS = 1000  # what is due later is no part of a picture


@dataclass(frozen=True)
class Picture:
    """One picture: how the window is dressed, and what is done in it before it is taken."""

    name: str
    theme: str = "light"
    lang: str = "en"
    size: tuple[int, int] = (1440, 900)
    example: str = "minilm"
    steps: Callable[[Program], None] = lambda program: None
    rest: float = 0.4  # after levels are taken anew (0.15 s)


def choose(stage: str, row: int, column: int) -> Callable[[Program], None]:
    """Close the line above the picture and choose a cell."""

    def steps(program: Program) -> None:
        program.window.banner.hide()
        program.view.set(stage=stage, cell=ChosenCell(stage, row, column))

    return steps


def edit(stage: str, row: int, column: int) -> Callable[[Program], None]:
    """Choose a cell, then type −2.5 into Q[10, 97] as a person does."""

    def steps(program: Program) -> None:
        choose(stage, row, column)(program)
        settle(0.2)
        table = program.window.findChild(QTableView, "table.query")
        table.setFocus()
        table.setCurrentIndex(table.model().index(10, 97))
        QTest.keyClicks(table, "-")
        QTest.keyClicks(QApplication.focusWidget(), "2.5")
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)

    return steps


def all_stages(program: Program) -> None:
    program.window.banner.hide()
    program.view.set(mode="all", cell=ChosenCell("weights", 10, 13))


def masks(program: Program) -> None:
    choose("masked", 9, 6)(program)
    program.late.masks.show_masks()


def curve(program: Program) -> None:
    """Fit w to the points, choose a query of the curve and look at it."""
    program.window.banner.hide()
    program.late.curve.fit()
    while not program.document.stack.index():  # it is fitted off the window's thread
        settle(0.1)
    program.view.set(cell=ChosenCell("weights", 20, 20))
    program.late.pages.open("curve")


def reach(program: Program) -> None:
    """Show the reach of a number of K behind the mask."""
    program.window.banner.hide()
    program.view.set(stage="masked", cell=ChosenCell("key", 6, 40), reach="forward")


def long(program: Program) -> None:
    """2048 tokens that look at one another where their phases meet, head by head more slowly; zoomed into a part."""
    program.window.banner.hide()
    program.document.open(long_problem(2048, num_heads=8), name="2048-tokens")
    wait(program)
    program.view.set(stage="masked", head=2)
    wait(program)
    program.view.set(cell=ChosenCell("masked", 1234, 1218))
    program.window.product.maps.map("masked").box.zoom(9 * 120, (1234, 1218))
    wait(program)


def toy(program: Program) -> None:
    """Put the toy model on the table, the head that looks back switched off."""
    program.window.banner.hide()
    program.late.models.open_known("toy-induction")
    wait(program)
    program.bars.actions["head_off"].trigger()
    wait(program)


def long_problem(n: int, num_heads: int) -> Problem:
    numbers, phases = np.random.default_rng(2048), np.arange(n)[:, None] * np.geomspace(0.004, 0.7, 8)
    waves = np.concatenate([np.cos(phases), np.sin(phases)], axis=1)
    heads = [waves * (2.4 - 0.2 * head) for head in range(num_heads)]
    query, key, value = (
        np.concatenate(heads, axis=1) + 0.35 * numbers.standard_normal((n, 16 * num_heads)) for _ in range(3)
    )
    return Problem(query=query, key=key, value=value, num_heads=num_heads, mask=({"kind": "causal"},))


PICTURES = (
    Picture("1-light-en", steps=choose("weights", 10, 13)),
    Picture("2-dark-en-after-edit", "dark", steps=edit("scaled", 10, 13)),
    Picture("3-light-zh-after-edit", lang="zh", steps=edit("weights", 10, 13)),
    Picture("4-dark-zh-causal", "dark", "zh", example="smollm2", steps=choose("weights", 13, 12)),
    Picture("5-light-en-1024x700", size=(1024, 700), steps=choose("weights", 10, 13)),
    Picture("6-all-stages", steps=all_stages),
    Picture("7-projected", example="thinking", steps=choose("query", 1, 1)),
    Picture("8-first-start"),
    Picture("9-worked-example-zh", lang="zh", example="worked", steps=choose("weights", 1, 1)),
    Picture("10-masks-dark", "dark", example="smollm2", steps=masks),
    Picture("11-curve", example="nadaraya", steps=curve),
    Picture("12-reach-dark", "dark", example="smollm2", steps=reach),
    Picture("13-long", steps=long),
    Picture("14-model", steps=toy),
)


def settle(seconds: float) -> None:
    """Let the window live for a while, on a busy machine until nothing is due any more."""
    end = time.monotonic() + seconds
    while time.monotonic() < end or moves():
        QCoreApplication.processEvents()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def moves() -> bool:
    """Return whether something in the window is due, or on its way, that ends by itself."""
    owners = [QCoreApplication.instance(), *QApplication.topLevelWidgets()]
    timers = (timer for owner in owners if owner for timer in owner.findChildren(QTimer) if timer.isSingleShot())
    fades = (fade for owner in owners if owner for fade in owner.findChildren(QVariantAnimation))
    return any(timer.isActive() and timer.interval() <= DUE_MS for timer in timers) or any(
        fade.state() == fade.State.Running and fade.loopCount() > 0 for fade in fades
    )


def wait(program: Program) -> None:
    """Wait until everything that is computed off the window's thread is there and on show."""
    settle(0.3)
    parts = program.computation, program.late.models, program.late.model
    while program.computation.pending or any(part.busy for part in parts):
        settle(0.1)
    settle(0.3)


def take(app: QApplication, picture: Picture, folder: Path) -> Path:
    program = Program(app, lang=picture.lang)
    program.appearance.set_scheme(picture.theme)
    reduce_motion(True)  # an edit's outline stands until it is on the picture
    program.files.open_example_unasked(picture.example)
    program.view.notify_all()  # a window that has not been told of any document cannot be painted
    program.complete()
    program.window.resize(*picture.size)
    program.window.show()
    settle(0.3)
    program.late.keys.to_map()
    picture.steps(program)
    settle(picture.rest)
    path = folder / f"{picture.name}.png"
    program.window.grab().save(str(path))
    program.end()
    settle(0.05)
    return path


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0]) if arguments else FOLDER
    compile_stale(FOLDER.parents[1])  # else what is Chinese would stay English
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        app = QApplication([])
        load_fonts()
        for picture in PICTURES:  # each in a home of its own: a program remembers how it was looked at
            os.environ["XDG_DATA_HOME"] = f"{home}/{picture.name}"  # what the one before left is not offered here
            QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, f"{home}/{picture.name}")
            print(take(app, picture, folder))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
