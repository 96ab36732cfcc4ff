from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter

from attn_gui.figure.cells import hatch_lines, paint_marks, paint_values
from attn_gui.figure.colors import LUT_ZERO, luminance, lut
from attn_gui.figure.design_tokens import THEMES
from attn_gui.figure.display import CellNumbers, Levels, argb, to_display
from attn_gui.figure.text.fonts import figure_font
from tests.failing import each


def painted(
    values: list[list[float]],
    allowed: npt.NDArray[np.bool_] | None = None,
    *,
    cell: int,
    theme: str = "light",
    numbers: CellNumbers | None = None,
    small: bool = False,
) -> npt.NDArray[np.uint32]:
    """The pixels of a map with its marks, `cell` pixels a cell."""
    matrix = np.array(values)
    rows, columns = matrix.shape
    table = lut("signed", theme)
    display = to_display(matrix, allowed, Levels(-1, 1))
    pixels = np.ascontiguousarray(argb(display, table, THEMES[theme]).repeat(cell, 0).repeat(cell, 1))
    image = QImage(pixels.data, columns * cell, rows * cell, columns * cell * 4, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    painter.setFont(figure_font(10))
    rect = QRectF(0, 0, columns * cell, rows * cell)
    paint_marks(painter, rect, display, table, THEMES[theme], small=small)
    if numbers is not None:
        paint_values(painter, rect, matrix, display, table, numbers)
    painter.end()
    return pixels | 0xFF000000


def drawn(pixels: npt.NDArray[np.uint32], cell: int, row: int, column: int) -> set[int]:
    """The colors in a cell."""
    block = pixels[row * cell : (row + 1) * cell, column * cell : (column + 1) * cell]
    return set(np.unique(block).tolist())


def test_hatching_covers_closed_cells_and_no_others() -> None:
    closed = np.array([[0, 1, 1, 0], [1, 1, 0, 0], [0, 0, 0, 1]], dtype=bool)
    covered = np.zeros(closed.shape)
    for line in hatch_lines(closed, QRectF(5, 3, 80, 60), 7.0):
        for part in np.linspace(0.002, 0.998, 400):
            point = line.pointAt(part)
            row, column = int((point.y() - 3) // 20), int((point.x() - 5) // 20)
            assert closed[row, column]
            covered[row, column] += line.length() / 400
    # a square of 20 under lines every 7 pixels along a row holds 20 · 20 · √2 / 7 pixels of line
    assert covered[closed] == pytest.approx(20 * 20 * 2**0.5 / 7, rel=0.2)


def test_hatching_runs_unbroken_through_cells() -> None:
    whole = hatch_lines(np.ones((1, 1), bool), QRectF(0, 0, 70, 70), 7.0)
    parts = hatch_lines(np.ones((10, 10), bool), QRectF(0, 0, 70, 70), 7.0)
    assert len(whole) == len(parts)
    assert [line.length() for line in parts] == pytest.approx([line.length() for line in whole])


@each("shape", [(0, 0), (0, 3), (3, 0), (2, 2)])
def test_nothing_closed_is_not_hatched(shape: tuple[int, int]) -> None:
    assert hatch_lines(np.zeros(shape, bool), QRectF(0, 0, 70, 70), 7.0) == []


@each("theme", THEMES)
@each("small", [False, True])
@each("cell", [5, 12, 40])
def test_every_special_value_looks_different(cell: int, small: bool, theme: str) -> None:
    values = [[np.nan, np.inf], [-np.inf, 0.0], [1.0, 1.0]]
    allowed = np.array([[True, True], [True, True], [True, False]])
    pixels = painted(values, allowed, cell=cell, small=small, theme=theme)
    kinds = [drawn(pixels, cell, row, column) for row in range(3) for column in range(2)]
    assert len({frozenset(colors) for colors in kinds}) == 6
    assert THEMES[theme].masked.rgb() in kinds[5]
    assert len(kinds[5]) > 1  # hatched
    assert pixels[cell + cell // 2, cell + cell // 2] == lut("signed", theme)[LUT_ZERO]  # a number is left alone


@each("theme", THEMES)
def test_a_nan_of_one_pixel_is_filled_with_the_color_of_its_mark(theme: str) -> None:
    pixels = painted([[0.0, 0.0, 0.0], [0.0, np.nan, 0.0]], cell=1, theme=theme)
    assert pixels[1, 1] == THEMES[theme].nan_mark.rgb()
    assert (pixels != pixels[0, 0]).sum() == 1


def test_plus_and_minus_infinity_point_up_and_down() -> None:
    up, down = (painted([[value]], cell=15) for value in (np.inf, -np.inf))
    widths = [[int((row != pixels[0, 0]).sum()) for row in pixels] for pixels in (up, down)]
    assert widths[0].index(max(widths[0])) > 7 > widths[1].index(max(widths[1]))


@each(("value", "allowed", "written"), [(0.0, True, True), (1.0, True, True), (-1.0, True, True), (1.0, False, False)])
def test_values_are_written_in_open_cells_only(value: float, allowed: bool, written: bool) -> None:
    mask = np.array([[allowed]])
    bare, full = (painted([[value]], mask, cell=40, numbers=numbers) for numbers in (None, CellNumbers(2)))
    assert bool((bare != full).any()) == written
    if written:
        lighter = luminance(full[bare != full]).mean() > luminance(bare).mean()
        assert lighter == (value != 0.0)  # both ends are dark in the light theme


def test_a_map_of_nothing_but_nan_is_painted_in_no_time() -> None:
    values = np.full((600, 600), np.nan)
    pixels = painted(values.tolist(), cell=1)
    assert (pixels == THEMES["light"].nan_mark.rgb()).all()
