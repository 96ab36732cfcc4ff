"""Reads one matrix out of a text or a file: at once where it is small, else beside the window."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QDialog

from attn_gui.app.state.translated_errors import saying, sentence
from attn_gui.app.state.window_task import WindowTask
from attn_gui.app.tables.new_shapes import shape_text
from attn_gui.document.document import Change, Document
from attn_gui.engine.progress import Tell, silent
from attn_gui.formats import AmbiguousTable, FormatError, Matrix, Note, matrices, open_matrix, suffixes
from attn_gui.formats.catalog import listings
from attn_gui.languages import QT_TRANSLATE_NOOP
from attn_gui.pictures.threads import outcome_of
from attn_gui.views.dialogs.asking import asked
from attn_gui.views.dialogs.progress import ReadingProgress
from attn_gui.views.main_window import MainWindow

LARGE_TEXT = 32_000  # characters or bytes; what is shorter is read within a frame
LARGE_ARRAY = 4 * 2**20  # bytes of numbers that need no reading
Take = Callable[[Matrix], object]
TakeParts = Callable[[Mapping[str, Matrix]], object]  # Q, K and V at once


class BlockReading(QObject):
    """One large block at a time: the next takes its place, and that is said; another document needs none."""

    def __init__(self, window: MainWindow, document: Document, take_parts: TakeParts) -> None:
        """`take_parts` is handed Q, K and V where a text holds all three and they are wanted at once."""
        super().__init__(window)
        self._window, self._take_parts = window, take_parts
        self._name: Callable[[], str] = str
        self._take: Take = lambda _matrix: None
        self._work = WindowTask(window, ReadingProgress(window))
        self._work.ended.connect(lambda outcome: self._hand(outcome, self._name, self._take))
        document.changed.connect(self._on_document_changed)

    @property
    def busy(self) -> bool:
        """Whether an answer is still to come."""
        return self._work.busy

    def read_text(self, text: str, take: Take) -> None:
        """Hand the matrix that stands on the clipboard to `take`; what cannot be read is said."""
        name = Note(QT_TRANSLATE_NOOP("Sentences", "The clipboard"))

        def read(tell: Tell) -> Matrix:
            from attn_gui.formats.text.text_table import read_table  # seldom, and takes a while

            try:
                return read_table(text, tell)
            except FormatError as error:
                error.values["file"] = name
                raise

        self._begin(lambda: sentence(name), len(text) > LARGE_TEXT, read, take)

    def read_file(self, path: Path, take: Take) -> None:
        """Hand the matrix of a file to `take`; what cannot be read is said."""
        binary = [kind for kind in matrices() if not kind.text]
        most = LARGE_ARRAY if path.suffix.lower() in suffixes(binary) else LARGE_TEXT
        large = path.is_file() and (path.stat().st_size > most or path.suffix.lower() in suffixes(listings()))
        self._begin(lambda: path.name, large, lambda tell: open_matrix(path, tell), take)

    def tell_gone(self, cells: str, shape: tuple[int, ...]) -> None:
        """Say that the cells which a block was read for are no longer there."""
        said = {"cells": cells, "block": shape_text(*shape)}
        self._window.banner.show_error(lambda: self.tr("{cells} is gone: {block} numbers were dropped.").format(**said))

    def cancel(self) -> None:
        """Drop what is being read; the keyboard is in a table then, which has a use for Esc of its own."""
        self._work.forget()

    def finish(self) -> None:
        """Drop what is being read, and wait until it has stopped; for the end of the program."""
        self._work.finish()

    def _begin(self, name: Callable[[], str], large: bool, read: Callable[[Tell], Matrix], take: Take) -> None:
        if large:
            if self._work.busy:
                self._say_dropped(self._name)
            self._name, self._take = name, take
            self._work.start(read, name())
            return
        self._hand(outcome_of(partial(read, silent)), name, take)

    def _say_dropped(self, name: Callable[[], str]) -> None:
        self._window.banner.show_info(
            lambda: self.tr("{name} was dropped: another block was asked for before it was read.").format(name=name())
        )

    def _hand(self, outcome: Future[Matrix], name: Callable[[], str], take: Take) -> None:
        refusal = outcome.exception()
        if isinstance(refusal, AmbiguousTable):
            self._ask(refusal, name, take)
        elif isinstance(refusal, FormatError):
            self._window.banner.show_error(saying(refusal))
        else:
            take(outcome.result())

    def _ask(self, several: AmbiguousTable, name: Callable[[], str], take: Take) -> None:
        from attn_gui.views.dialogs.readings import ReadingsDialog

        dialog = ReadingsDialog(name(), several=several.several, parent=self._window)
        parts = several.together()
        shapes = {field: shape_text(*matrix.values.shape) for field, matrix in parts.items()}
        words = self.tr("All at once: Q {query}, K {key}, V {value}").format(**shapes) if parts else ""
        each = [(sentence(one.words), one.matrix.values) for one in several.readings]
        dialog.set_readings([(words, None), *each] if parts else each)
        if asked(dialog) != QDialog.DialogCode.Accepted:
            return
        if parts and dialog.chosen == 0:
            self._take_parts(parts)
        else:
            take(several.readings[dialog.chosen - bool(parts)].matrix)

    def _on_document_changed(self, change: Change) -> None:
        if change.opened:
            self._work.forget()
