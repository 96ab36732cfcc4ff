"""Figures and numbers out of the window: files and the clipboard."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication, QImage

from attn_gui.app.computation import Computation
from attn_gui.app.look import LookController
from attn_gui.app.sentences import saying
from attn_gui.app.settings import Settings
from attn_gui.app.view_state import ViewState
from attn_gui.document.document import Document
from attn_gui.engine import Plane
from attn_gui.figure import sheet
from attn_gui.formats import save_arrays, save_matrix
from attn_gui.views.dialogs.export_choice import DataChoice, ExportChoice
from attn_gui.views.dialogs.export_data_dialog import ExportDataDialog
from attn_gui.views.dialogs.export_dialog import ExportDialog
from attn_gui.views.main_window import MainWindow

PREVIEW_DPI = 96
CLIPBOARD_DPI = 200


class ExportController(QObject):
    """Asks what to write, writes it, and says where it is."""

    def __init__(self, window: MainWindow, document: Document, computation: Computation, view: ViewState,
                 settings: Settings, look: LookController) -> None:  # fmt: skip
        super().__init__(window)
        self._window, self._document, self._computation = window, document, computation
        self._view, self._settings, self._look = view, settings, look
        window.product.maps.copyImageRequested.connect(self.copy_stage_image)
        window.product.maps.saveImageRequested.connect(self.export_stage_image)

    # --- figures ---------------------------------------------------------------------------------
    def copy_image(self) -> None:
        """The chosen stage as a figure on the clipboard."""
        self.copy_stage_image(self._view.look.stage)

    def copy_stage_image(self, stage: str) -> None:
        self._guarded(lambda: QGuiApplication.clipboard().setImage(self._drawn(self._proposal(stage), CLIPBOARD_DPI)))

    def export_image(self) -> None:
        self.export_stage_image(self._view.look.stage)

    def export_stage_image(self, stage: str) -> None:
        evaluation, problem = self._computation.evaluation, self._document.problem
        dialog = ExportDialog(evaluation.stages, heads=problem.num_heads, items=problem.batch_size,
                              draw=lambda choice: self._drawn(choice, PREVIEW_DPI),
                              names=lambda choice: [path.name for path in self._figure_paths(choice)],
                              parent=self._window)  # fmt: skip
        dialog.set_choice(self._proposal(stage))
        dialog.set_state(self._settings.record("export_image"))
        if dialog.exec():
            self._settings.put("export_image", dialog.state())
            self._guarded(lambda: self._tell(self._write_figures(dialog.result_choice())))

    def _proposal(self, stage: str) -> ExportChoice:
        look = self._view.look
        return ExportChoice(stages=(stage,), heads=(look.head,), batch=look.batch, folder=self._folder())

    def _drawn(self, choice: ExportChoice, dpi: float) -> QImage:
        heads = choice.heads if choice.sheet else choice.heads[0]
        return sheet.to_image(
            self._computation.evaluation, stage=choice.stages[0], heads=heads, batch=choice.batch, dpi=dpi,
            width_cm=choice.width, height_cm=choice.height, theme=choice.theme, lang=self._look.language,
            values=choice.values, colorbar=choice.colorbar,
        )  # fmt: skip

    def _figure_paths(self, choice: ExportChoice) -> list[Path]:
        return [path for _stage, _heads, path in self._figures(choice)]

    def _figures(self, choice: ExportChoice) -> Iterator[tuple[str, tuple[int, ...], Path]]:
        """(stage, heads, file) of every figure that is asked for."""
        for stage in choice.stages:
            groups = [choice.heads] if choice.sheet else [(head,) for head in self._heads_of(stage, choice.heads)]
            for heads in groups:
                part = "all" if choice.sheet else f"h{heads[0]}"
                yield stage, heads, self._path(choice.folder, stage, part, choice.batch, choice.format)

    def _write_figures(self, choice: ExportChoice) -> list[Path]:
        written: list[Path] = []
        for stage, heads, path in self._figures(choice):
            written += sheet.write(
                self._computation.evaluation, path, stage=stage, heads=heads, batch=choice.batch, format=choice.format,
                width_cm=choice.width, height_cm=choice.height, dpi=choice.dpi, theme=choice.theme,
                lang=self._look.language, values=choice.values, colorbar=choice.colorbar, sheet=choice.sheet,
            )  # fmt: skip
        return written

    # --- numbers ---------------------------------------------------------------------------------
    def export_data(self) -> None:
        problem, evaluation = self._document.problem, self._computation.evaluation
        names = list(dict.fromkeys((*problem.arrays(), *evaluation.stages)))
        dialog = ExportDataDialog(names, heads=problem.num_heads, items=problem.batch_size,
                                  names=lambda choice: [path.name for path, _ in self._tables(choice)],
                                  parent=self._window)  # fmt: skip
        look = self._view.look
        dialog.set_choice(DataChoice(arrays=(look.stage,), heads=(look.head,), batch=look.batch, folder=self._folder()))
        dialog.set_state(self._settings.record("export_data"))
        if dialog.exec():
            self._settings.put("export_data", dialog.state())
            self._guarded(lambda: self._tell(self._write_numbers(dialog.result_choice())))

    def _tables(self, choice: DataChoice) -> Iterator[tuple[Path, str]]:
        """(file, array) of every file; a .npz holds all arrays, whole."""
        if choice.format == "npz":
            yield Path(choice.folder) / f"{self._document_stem()}.npz", ""
            return
        evaluation = self._computation.evaluation
        for name in choice.arrays:
            if name in evaluation.stages and "head" in evaluation.axes(name):
                for head in choice.heads:
                    yield self._path(choice.folder, name, f"h{head}", choice.batch, choice.format), f"{name}:{head}"
            else:
                yield Path(choice.folder) / f"{self._document_stem()}-{name}.{choice.format}", name

    def _write_numbers(self, choice: DataChoice) -> list[Path]:
        written = []
        for path, name in self._tables(choice):
            if not name:
                save_arrays({each: self._whole(each) for each in choice.arrays}, path)
            else:
                values, rows, columns = self._table(name, choice.batch)
                labelled = choice.headers and choice.format in ("csv", "tsv")
                save_matrix(values, path, row_labels=rows if labelled else None,
                            column_labels=columns if labelled else None, excel=choice.bom)  # fmt: skip
            written.append(path)
        return written

    def _whole(self, name: str) -> NDArray[np.generic]:
        arrays, evaluation = self._document.problem.arrays(), self._computation.evaluation
        if name in arrays:
            return arrays[name]
        return evaluation.box(name, tuple(slice(0, length) for length in evaluation.shape(name)))

    def _table(self, name: str, batch: int) -> tuple[NDArray[np.generic], list[str], list[str]]:
        """Numbers with the labels of their rows and columns."""
        stage, _, head = name.partition(":")
        evaluation, problem = self._computation.evaluation, self._document.problem
        if stage in evaluation.stages:
            plane = Plane(evaluation, stage, batch, int(head) if head else None)
            values, _allowed = plane.block(*map(slice, plane.shape))
            axes = evaluation.axes(stage)[-2:]
        else:
            array = self._document.problem.arrays()[name]
            values = np.atleast_2d(array[min(batch, len(array) - 1)] if array.ndim > 2 else array)
            axes = ("row", "column")
        tokens = {"query": problem.query_tokens, "key": problem.key_tokens}
        if stage in ("query", "key", "value"):
            axes = ("query" if stage == "query" else "key", axes[1])
        labels = [
            list(tokens.get(axis) or map(str, range(count))) for axis, count in zip(axes, values.shape, strict=True)
        ]
        return values, labels[0], labels[1]

    # --- shared ----------------------------------------------------------------------------------
    def _heads_of(self, stage: str, heads: tuple[int, ...]) -> tuple[int, ...]:
        """A stage that all heads share is written once."""
        axes = self._computation.evaluation.axes(stage)
        evaluation = self._computation.evaluation
        whole = "head" not in axes and evaluation.head_columns(stage, 0).stop == evaluation.shape(stage)[-1]
        return heads[:1] if whole else heads

    def _path(self, folder: str, stage: str, part: str, batch: int, ending: str) -> Path:
        item = f"-b{batch}" if self._document.problem.batch_size > 1 else ""
        return Path(folder) / f"{self._document_stem()}-{stage}-{part}{item}.{ending}"

    def _document_stem(self) -> str:
        return Path(self._document.name).stem

    def _folder(self) -> str:
        path = self._document.path
        return self._settings.record("export_image").get("folder") or str(path.parent if path else Path.home())

    def _tell(self, written: list[Path]) -> None:
        names = ", ".join(path.name for path in written[:3]) + (" …" if len(written) > 3 else "")
        self._window.banner.show_info(
            lambda: self.tr("Wrote {names} to {folder}").format(names=names, folder=written[0].parent)
        )

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except (ValueError, OSError) as error:
            self._window.banner.show_error(saying(error))
