"""Copies cells of the table, map or list that has the keyboard."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from attn_gui.app.actions.actions import Command
from attn_gui.app.state.background_task import BackgroundTask
from attn_gui.app.tables.table_edits import TableEdits
from attn_gui.app.tables.table_target import TableTarget
from attn_gui.document.clipboard import FORMS, Copied, TextForm
from attn_gui.views.clipboard import LateCopy, copy_source, mime_data
from attn_gui.views.main_window import MainWindow

AT_ONCE = 2_000  # cells that are written within a frame
MOST = 1_000_000  # cells that a clipboard should hold as text


class CopyController(QObject):
    """Every command that copies numbers, in each form of text; large blocks are written off the GUI thread."""

    def __init__(self, window: MainWindow, target: TableTarget, edits: TableEdits) -> None:
        super().__init__(window)
        self._window, self._target, self._edits = window, target, edits
        self._writing, self._late = BackgroundTask(self), LateCopy()
        self._writing.ended.connect(self._on_written)

    def commands(self) -> dict[str, Command]:
        """The rows of the table of actions that it answers."""
        copies = {form.action: Command(partial(self._on_asked, form)) for form in FORMS}
        return copies | {"cut": Command(self._target.acting(self.cut))}

    def cut(self) -> None:
        """The selected block of a table to the clipboard, zeros in its place."""
        if self._on_asked(next(form for form in FORMS if form.action == "copy")):
            self._edits.cut()

    def finish(self) -> None:
        """Wait for what is being written."""
        self._writing.wait()

    def _on_asked(self, form: TextForm) -> bool:
        """Copy from what has the keyboard, and tell where nothing there can be copied; whether it can."""
        source = copy_source(QApplication.focusWidget())
        copied = source.copied() if source is not None else None
        if copied is None:
            self._window.banner.show_info(
                lambda: self.tr("Nothing to copy here: click a cell of a table, a map or a list first.")
            )
        elif copied.shape[0] * copied.shape[1] > MOST:
            self._window.banner.show_error(partial(self._too_many, copied.shape))
        else:
            self._copy(form, copied)
            return True
        return False

    def _copy(self, form: TextForm, copied: Copied) -> None:
        self._writing.forget()
        cells = copied.read()  # now, for the next edit changes them in place
        held = replace(copied, read=lambda: cells)
        if copied.shape[0] * copied.shape[1] <= AT_ONCE:
            QGuiApplication.clipboard().setMimeData(mime_data(*_written(form, held)))
            self._tell(copied.shape)
        else:
            self._late.begin()
            self._writing.start(lambda _: (_written(form, held), copied.shape))

    def _on_written(self, outcome: Future[tuple[tuple[str, str], tuple[int, int]]]) -> None:
        texts, shape = outcome.result()
        if self._late.put(mime_data(*texts)):
            self._tell(shape)

    def _tell(self, shape: tuple[int, int]) -> None:
        self._window.recomputed.setText(self.tr("copied {rows} × {columns}").format(rows=shape[0], columns=shape[1]))

    def _too_many(self, shape: tuple[int, int]) -> str:
        said = self.tr("{rows} × {columns} cells are too many for the clipboard (at most {most}): export the numbers.")
        return said.format(rows=shape[0], columns=shape[1], most=f"{MOST:,}")


def _written(form: TextForm, copied: Copied) -> tuple[str, str]:
    """The cells as text, and as a table of HTML where the form has one."""
    return form.write(copied), form.html(copied) if form.html is not None else ""
