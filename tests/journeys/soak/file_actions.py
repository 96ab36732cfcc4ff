"""Actions of a walk that leave the window: files dropped, large pastes, sizes beyond reason, dialogs, menus."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from PySide6.QtCore import QPoint
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMenu

DIALOGS = (
    "new",
    "tokens",
    "export_image",
    "export_data",
    "set_target",
    "search_actions",
    "shortcuts",
    "about",
    "save_as",
    "import_matrix",
)
ZONES = ("spine", "heads.weights", "history", "inspector")
HUGE = (65_536, 30_000, 4_096, 700)


class FileActions:
    """One method a kind of action; each returns what it did."""

    def __init__(self, person: Any, rnd: Random, folder: Path) -> None:
        self._person, self._rnd, self._folder = person, rnd, folder
        self._window = person.window

    # --- sizes -----------------------------------------------------------------------------------
    def huge_size(self) -> str:
        """A size that a slip of the finger gives; taken back, whatever came of it."""
        name, value = self._rnd.choice(("n", "m", "d_k", "d_v", "batch_size")), self._rnd.choice(HUGE)
        box, before = self._person.find(f"control.{name}"), self._steps()
        if not (box.isVisible() and box.isEnabled()):
            return "nothing"
        was = box.value()
        self._person.overwrite(box, str(value))
        for _ in range(self._rnd.randrange(5)):
            QApplication.processEvents()
        if self._rnd.random() < 0.5:
            self._person.press("Esc")
        self._back_to(before)
        if box.value() != was:  # its step is gone from a history that is limited by bytes
            self._person.overwrite(box, str(was))
        return f"{name} = {value}"

    def _steps(self) -> int:
        return int(self._person.program.document.stack.index())

    def _back_to(self, step: int) -> None:
        """Drop what is still made, and undo what was."""
        self._person.program.runner.finish()
        while self._steps() > step:
            self._person.action("undo").trigger()

    # --- clipboard -------------------------------------------------------------------------------
    def paste(self) -> str:
        """Blocks of every size and layout, into a table or a map; then perhaps what the banner offers."""
        rows, columns = self._rnd.choice(((2, 2), (1, 9), (30, 3), (3, 40), (300, 200)))
        mark = self._rnd.choice(("\t", ",", ";", " ", " & ", " | "))
        text = "\n".join(mark.join(f"{self._rnd.gauss(0, 1):.3g}" for _ in range(columns)) for _ in range(rows))
        before = self._steps()
        self._person.clipboard(self._rnd.choice((text, text, text, "#DIV/0!\t2", "a\tb\n1\t2", "{{1,2},{3,4}}", "")))
        self._person.press("Ctrl+V")
        buttons = self._window.banner.buttons() if self._window.banner.isVisible() else ()
        if buttons and self._rnd.random() < 0.3:
            self._rnd.choice(buttons).click()
            QApplication.processEvents()
            if rows * columns > 300:
                self._back_to(before)
        return f"{rows} × {columns} by {mark!r}"

    # --- files -----------------------------------------------------------------------------------
    def file(self) -> str:
        """A file from elsewhere, good or bad, dropped on the window."""
        name, content = self._rnd.choice(self._files())()
        path = self._folder / name
        path.write_bytes(content)
        before = self._steps()
        self._person.drop(path)
        if path.suffix in (".csv", ".tsv"):
            self._back_to(before)
        return name

    def _files(self) -> tuple[Callable[[], tuple[str, bytes]], ...]:
        return (
            lambda: ("text.attn", b"hello"),
            lambda: ("cut.npz", b"PK\x03\x04" + self._rnd.randbytes(40)),
            lambda: ("block.csv", b"1,2\n3,4\n"),
            lambda: ("comma.csv", b"0,05\n0,25\n"),
            lambda: ("ragged.tsv", b"1\t2\n3\n"),
            lambda: ("layers.npz", self._npz(mask=[{"kind": "causal"}] * 3000)),
            lambda: ("window.npz", self._npz(mask=[{"kind": "window", "left": 10**20}])),
            lambda: ("surrogate.npz", self._npz(tokens=["\ud800", "b"])),
            lambda: ("hooked.npz", self._hooked("qkv")),
            lambda: ("hooked.npz", self._hooked("abc")),
            lambda: ("hooked.npz", self._hooked("QKVO")),
        )

    def _npz(self, **meta: object) -> bytes:
        path = self._folder / "made.npz"
        arrays = {name: np.eye(2) for name in ("query", "key", "value")}
        np.savez(path, **arrays, meta=np.array(json.dumps(meta)))
        return path.read_bytes()

    def _hooked(self, names: str) -> bytes:
        """Arrays as a hook in a model leaves them: their names have to be told what they are, in a dialog."""
        path, shape = self._folder / "made.npz", (2, self._rnd.randint(1, 6), 3)
        np.savez(
            path, **{f"h.3.attn.{name}": np.full(shape, number / 8) for number, name in enumerate(names)}, loss=1.5
        )
        return path.read_bytes()

    # --- dialogs and menus -----------------------------------------------------------------------
    def dialog(self) -> str:
        """Open one; what is done in it is drawn elsewhere."""
        name = self._rnd.choice(DIALOGS)
        if self._person.action(name).isEnabled():
            self._person.action(name).trigger()
        return name

    def menu(self) -> str:
        """The context menu of a zone, closed again."""
        zone = self._person.find(self._rnd.choice(ZONES))
        if not zone.isVisible():
            return "nothing"
        at = QPoint(self._rnd.randrange(max(1, zone.width())), self._rnd.randrange(max(1, zone.height())))
        target = zone.childAt(at) or zone
        inside = target.mapFrom(zone, at)
        event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, inside, target.mapToGlobal(inside))
        QApplication.sendEvent(target, event)
        opened = QApplication.activePopupWidget()
        if isinstance(opened, QMenu):
            opened.close()
        return zone.objectName()
