"""One map of a matrix: the same class in the spine, the product picture, the heads and the tiles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtGui import QColor, QHideEvent
from PySide6.QtWidgets import QWidget

from attn_gui.document.copying import Copied
from attn_gui.figure.display import Levels, Values
from attn_gui.figure.levels import AUTO, TYPED, Shade
from attn_gui.figure.tokens import Theme
from attn_gui.pictures.planes import PlaneLike
from attn_gui.views.map.canvas import MapCanvas
from attn_gui.views.map.cell_words import cell_in_words
from attn_gui.views.map.flash import Flash
from attn_gui.views.map.levels.taken_levels import TakenLevels
from attn_gui.views.map.news import News
from attn_gui.views.map.overlay import Area, Marks
from attn_gui.views.map.reading import counts_of, has_faint, sample_of
from attn_gui.views.map.view import Cell


class Heatmap(MapCanvas):
    """Shows a plane in whole pixels, row 0 on top; asks it for what is in view and keeps nothing but pixels.

    A map that is not visible draws nothing, yet answers `cell_at` and `cell_rect`. `interactive` maps take focus,
    choose cells and leave room for the focus ring; the others are thumbnails that can be clicked.
    """

    levelsChanged = Signal(object)
    numbersArrived = Signal()  # what was not computed yet is

    def __init__(self, parent: QWidget | None = None, *, interactive: bool = True, zoomable: bool = False) -> None:
        self._plane: PlaneLike | None = None
        super().__init__(parent, interactive=interactive, zoomable=zoomable)
        self._taken = TakenLevels(self._cells)
        self._held = False
        self._palette_asked: str | None = None
        self._labels: tuple[Sequence[str], Sequence[str]] = ((), ())
        self._reduced_motion = False
        self._flash: Flash | None = None
        self._news = News(self, self._cells)
        self._news.arrived.connect(self._on_news_arrived)

    # --- what is shown ---------------------------------------------------------------------------
    @property
    def plane(self) -> PlaneLike | None:
        """The matrix on show."""
        return self._plane

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the matrix on show."""
        return self._plane.shape if self._plane is not None else (0, 0)

    def set_plane(self, plane: PlaneLike | None) -> None:
        """Show another matrix; takes its levels again unless they are held, typed or locked."""
        before = self.shape
        self._plane = self._cells.plane = self._taken.plane = plane
        self._news.follow(plane)
        if self.shape != before:
            self._forget_places()
        self._palette_follows()
        if not self._held:
            self.retake_levels()
        self._arrange()
        self.refresh_all()

    def refresh(self, rows: slice, columns: slice) -> None:
        """Take new numbers of these cells: draw and repaint them alone, with the present levels."""
        if self._stale or not self.isVisible():
            self._redraw()
        else:
            self._cells.render_part(rows, columns)
        if self.chosen is not None and rows.start <= self.chosen[0] < rows.stop:
            self._describe_chosen()

    def refresh_all(self) -> None:
        """All cells hold new numbers; the levels stay."""
        self._redraw()
        self._describe_chosen()

    def cell_at(self, row: int, column: int) -> tuple[float, QColor]:
        """The exact value of a cell and the color it is drawn with; IndexError outside the matrix."""
        if self._plane is None or not self._has(row, column):
            raise IndexError(f"no cell ({row}, {column}) in a map of {self.shape[0]} × {self.shape[1]}")
        self._arrange()
        self._before_drawing()
        values, _ = self._plane.block(slice(row, row + 1), slice(column, column + 1))
        return float(values[0, 0]), self._cells.color_of(row, column)

    def copied(self) -> Copied | None:
        """The whole matrix on show, with the names of its rows and columns."""
        plane = self._plane
        if plane is None:
            return None
        everything = slice(0, self.shape[0]), slice(0, self.shape[1])
        return Copied(self.shape, lambda: list(plane.block(*everything)[0].copy()), *self._labels)

    def counts(self) -> dict[int, int]:
        """The number of cells with each flag of `figure.display` other than ALLOWED, pooled or not."""
        return counts_of(self._plane) if self._plane is not None else {}

    def has_dots(self) -> bool:
        """Whether cells may stand as "·", as weights that are too small to be written do."""
        return self._cells.style.values_shown and self._plane is not None and has_faint(self._plane)

    @property
    def dots_below(self) -> float | None:
        """Below which number a cell stands as "·"; None while no numbers are written."""
        numbers = self._cells.numbers
        return 0.5 * 10.0**-numbers.decimals if numbers is not None else None

    # --- levels and colors -----------------------------------------------------------------------
    @property
    def levels(self) -> Levels:
        """The values at the two ends of the colors."""
        return self._taken.now()

    @property
    def levels_known(self) -> bool:
        """Whether anything is known of a long plane from which levels can be taken."""
        return self._taken.known

    @property
    def levels_policy(self) -> str:
        """The rule of the levels: one of `figure.levels.LEVEL_RULES`."""
        return self._taken.rule

    def set_levels(self, levels: Levels | None) -> None:
        """Typed levels, or None for automatic ones."""
        self.set_levels_policy(AUTO if levels is None else TYPED, levels)

    def set_levels_policy(self, policy: str, levels: Levels | None = None) -> None:
        """A rule of `figure.levels.LEVEL_RULES`; "typed" comes with `levels`, "locked" means those of now without."""
        self._taken.set(policy, levels)
        self._show_levels()

    @property
    def shade(self) -> Shade:
        """Levels and colors as they were chosen."""
        return Shade(self._taken.rule, self.levels if self._taken.given else None, self._palette_asked)

    def set_shade(self, shade: Shade) -> None:
        """Levels and colors; what is so already is left alone."""
        if shade == self.shade:
            return
        self._palette_asked = shade.palette
        self._palette_follows()
        self.set_levels_policy(shade.rule, shade.levels)

    def sample(self) -> Values:
        """Some of the finite numbers on show, enough to tell how they are spread."""
        return sample_of(self._plane, self._cells) if self._plane is not None else np.zeros(0)

    def set_levels_held(self, held: bool) -> None:
        """While held, another plane keeps the levels of the old one."""
        self._held = held

    def retake_levels(self) -> None:
        """Take automatic levels again: at load, for another head, stage or size, and at rest after edits."""
        if self._taken.given:
            return
        before = self._taken.kept
        self._taken.forget()
        if not self.isVisible():
            self._redraw()  # and taken when they are asked for
        elif self.levels != before:
            self._show_levels()

    def set_palette(self, name: str | None) -> None:
        """A color table by name; None for the one that fits the numbers."""
        self._palette_asked = name
        self._palette_follows()
        self._redraw()

    @property
    def palette_name(self) -> str:
        """The color table in use."""
        return self._cells.style.palette

    def set_theme(self, _theme: Theme) -> None:
        """The colors and sizes have changed; they are those of `views.theme`."""
        self._follow_theme()

    def set_values_shown(self, shown: bool) -> None:
        """Write the values into their cells where they fit."""
        self._cells.set_style(values_shown=shown)
        self._redraw()
        self.numbersArrived.emit()

    @property
    def dimmed(self) -> bool:
        """Whether what is shown is out of date."""
        return self._cells.style.dimmed

    def set_dimmed(self, dimmed: bool) -> None:
        """Dim the map: it shows the last good result, which does not fit what was entered."""
        self._cells.set_style(dimmed=dimmed)
        self._redraw()

    # --- marks -----------------------------------------------------------------------------------
    @property
    def marks(self) -> Marks:
        """Everything that is marked."""
        return self._overlay.marks

    @property
    def chosen(self) -> Cell | None:
        """The chosen cell."""
        return self._overlay.marks.chosen

    def set_labels(self, rows: Sequence[str], columns: Sequence[str]) -> None:
        """Names of rows and columns for the text that describes the chosen cell."""
        self._labels = (rows, columns)
        self._describe_chosen()

    def set_chosen(self, cell: Cell | None) -> None:
        """A square round a cell, brought into view; None for none."""
        cell = cell if cell is not None and self._has(*cell) else None
        if cell is not None and cell != self.chosen:
            self.show_cell(*cell)
        self._overlay.set_marks(chosen=cell)
        if self._reduced_motion:
            self.clear_flash()
        self._describe_chosen()

    def set_lines(
        self, row: int | None, column: int | None, *, row_role: str = "query", column_role: str = "key"
    ) -> None:
        """A pair of lines along a row and along a column, in the colors of their roles."""
        rows, columns = self.shape if row is not None or column is not None else (0, 0)
        row = row if row is not None and row < rows else None
        column = column if column is not None and column < columns else None
        self._overlay.set_marks(row=row, column=column, row_role=row_role, column_role=column_role)

    def set_bands(self, columns: Sequence[int]) -> None:
        """Thin lines before these columns, where bands of heads begin."""
        self._overlay.set_marks(bands=tuple(columns))

    def set_reached(self, areas: tuple[Area, ...] | None) -> None:
        """Make only these cells stand out from the others; None for all of them alike."""
        self._overlay.set_marks(reached=areas)

    def flash(self, rows: slice, columns: slice, *more: Area) -> None:
        """Outline what was just recomputed, one rectangle or several; it fades by itself."""
        if not self.isVisible():
            return  # it would be old news once the map is shown
        self._overlay.set_marks(edited=((rows, columns), *more), edited_strength=1.0)
        if self._reduced_motion:
            return
        if self._flash is None:
            self._flash = Flash(self)
            self._flash.valueChanged.connect(self._on_flash_value_changed)
        self._flash.restart()

    def clear_flash(self) -> None:
        """Take the outline away."""
        if self._flash is not None:
            self._flash.stop()
        self._overlay.set_marks(edited=(), edited_strength=0.0)

    def set_reduced_motion(self, reduced: bool) -> None:
        """Without motion the outline stays until a cell is chosen or something else is outlined."""
        self._reduced_motion = reduced

    # --- its own affairs -------------------------------------------------------------------------
    def _has(self, row: int, column: int) -> bool:
        rows, columns = self.shape
        return 0 <= row < rows and 0 <= column < columns

    def _forget_places(self) -> None:
        """The marks and the window of a matrix of another size."""
        self._home = None
        self._overlay.set_marks(chosen=None, row=None, column=None, hovered=None, edited=(), reached=None)
        if self._zoom is not None:
            self._zoom.set_cells(*self.shape)

    def _palette_follows(self) -> None:
        signed = self._plane is None or self._plane.signed
        self._cells.set_style(palette=self._palette_asked or ("signed" if signed else "weights"))

    def _show_levels(self) -> None:
        self._redraw()
        self.levelsChanged.emit(self.levels)

    def _on_news_arrived(self, rows: slice, columns: slice) -> None:
        """More of the plane is known, and with it perhaps a larger number."""
        before = self._taken.kept
        if not self._held:
            self._taken.forget()
        if not self.isVisible():
            self._redraw()
        elif self.levels != before:
            self._show_levels()
        elif self._interactive:
            self.refresh(rows, columns)
        else:
            self._redraw()
        self.numbersArrived.emit()

    def _before_drawing(self) -> None:
        self._cells.set_style(levels=self.levels)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._stale |= self._news.leave()

    def _set_hovered(self, cell: Cell | None) -> None:
        self._overlay.set_marks(hovered=cell)

    def _set_focus_shown(self, shown: bool) -> None:
        self._overlay.set_marks(focus=shown)

    def _on_flash_value_changed(self, strength: float) -> None:
        if strength > 0:
            self._overlay.set_marks(edited_strength=strength)
        else:
            self._overlay.set_marks(edited=(), edited_strength=0.0)

    def _describe_chosen(self) -> None:
        """The chosen cell in words, for screen readers."""
        chosen, plane = self.chosen, self._plane
        words = "" if chosen is None or plane is None else cell_in_words(plane, self._labels, *chosen)
        self.setAccessibleDescription(words)
