"""Files dropped, chosen or given at the start, handed to what opens their kind; several in windows of their own."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QProcess

from attn_gui.app.files.files import FilesController
from attn_gui.app.files.import_arrays import ArraysController
from attn_gui.app.lessons.lessons import LessonsController
from attn_gui.app.model_controller import ModelController
from attn_gui.app.tables.table_edits import TableTarget
from attn_gui.app.tables.table_pasting import TableBlocks
from attn_gui.formats.named.array_mapping import ArrayMapping
from attn_gui.formats.named.several_files import holds_arrays, holds_maps, holds_matrix
from attn_gui.paths import is_lesson, is_model
from attn_gui.views.main_window import MainWindow

MOST_WINDOWS = 8
"""So many files at most are opened in windows of their own at a time."""


class IncomingFiles(QObject):
    """Matrices and arrays of several files make one problem; of several documents the first is opened here, each of the
    others in a window of its own."""

    def __init__(
        self,
        window: MainWindow,
        files: FilesController,
        arrays: ArraysController,
        blocks: TableBlocks,
        target: TableTarget,
        lessons: LessonsController,
        models: ModelController,
    ) -> None:
        super().__init__(window)
        self._window, self._files, self._arrays = window, files, arrays
        self._blocks, self._target = blocks, target
        self._lessons, self._models = lessons, models
        arrays.apart.connect(self._open_documents)

    def take(self, paths: Sequence[Path], field: str = "", mapping: ArrayMapping | None = None) -> None:
        """Open these files; a single matrix goes into the table below it, or is offered to all.

        `mapping`: the parts that arrays of several files are, where it is given.
        """
        together = [path for path in paths if not (is_model(path) or is_lesson(path)) and holds_arrays(path)]
        if len(together) > 1:
            self._arrays.open_together(tuple(together), mapping)
            self._open_beside([path for path in paths if path not in together])
        elif len(paths) == 1 and any(map(holds_matrix, together)) and (field or not holds_maps(paths[0])):
            self._import(paths[0], field)
        else:
            self._open_documents(paths)

    def _open_documents(self, paths: Sequence[Path]) -> None:
        for path in paths[:1]:
            if is_lesson(path):
                self._lessons.open(path)
            elif is_model(path):
                self._models.open_path(path)
            else:
                self._files.open_path(path)
        self._open_beside(paths[1:])

    def _import(self, path: Path, field: str) -> None:
        if not self._window.commit_typed():
            return
        if not field:
            self._blocks.offer_path(path)
            return
        self._target.use(field)
        if self._target.writable():
            self._blocks.import_path(path)

    def _open_beside(self, paths: Sequence[Path]) -> None:
        """Open each in a window of its own, which is a program of its own: what befalls one leaves the others alone."""
        program = [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-m", "attn_gui"]
        for path in paths[:MOST_WINDOWS]:
            QProcess.startDetached(program[0], [*program[1:], "--in-window", str(path.absolute())])
        if not paths:
            return
        names = ", ".join(path.name for path in paths[:MOST_WINDOWS])
        left = len(paths) - MOST_WINDOWS

        def words() -> str:
            if left > 0:
                said = self.tr("In windows of their own: {files}. Not opened: {count} more files.")
                return said.format(files=names, count=left)
            return self.tr("In windows of their own: {files}.").format(files=names)

        self._window.banner.show_info(words)
