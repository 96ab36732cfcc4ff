"""Grid of layers by heads or tokens: one map or several, a number for each place, and which head a click chooses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PySide6.QtGui import QPainter

from attn_gui.engine.graph.stage import Role
from attn_gui.engine.stages import stage_of
from attn_gui.figure.display import Levels, Values
from attn_gui.figure.pages.frame import body_width, framed
from attn_gui.figure.pages.ink import Ink
from attn_gui.figure.pages.knobs import Choice
from attn_gui.figure.pages.map_grid import MapGrid, PageMap
from attn_gui.figure.pages.page_drawing import Drawing, Spot
from attn_gui.figure.text.numbers import format_number
from attn_gui.figure.text.page_words import page_words
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP

LEAST = 200.0
HEADS, TOKENS = "heads", "tokens"
COLUMNS = {
    HEADS: page_words(QT_TRANSLATE_NOOP("Pages", "results of the heads")),
    TOKENS: page_words(QT_TRANSLATE_NOOP("Pages", "tokens after each layer")),
}
OF = Choice("of", QT_TRANSLATE_NOOP("Pages", "of"), lambda aim, values: COLUMNS)
"""The knob that chooses between heads and tokens."""
RESULT = stage_of(Role.MIX)
"""The stage of the results of the heads."""


@dataclass(frozen=True, eq=False)
class LayerMap:
    """(layers, columns) numbers under a title."""

    title: str
    values: Values


@dataclass(frozen=True, eq=False)
class LayerGrid:
    """Maps of one shape; `heads` says that the columns are heads, else they are the tokens of `names`.

    `chosen` is (layer, column).
    """

    maps: tuple[LayerMap, ...]
    heads: bool
    names: tuple[str, ...] = ()
    chosen: tuple[int, int] | None = None
    signed: bool = False

    def drawing(
        self,
        ink: Ink,
        size: tuple[float | None, float | None],
        *,
        title: str,
        subtitle: str,
        note: str = "",
        written: Callable[[float], str] = lambda value: format_number(value, 2),
    ) -> Drawing:
        """The page."""
        shown = [self._map(ink, one, written) for one in self.maps]
        frame = framed(
            ink,
            *size,
            title=title,
            subtitle=subtitle,
            note=note,
            tall=lambda across: MapGrid.own_height(across, shown),
            least=(LEAST, MapGrid.least_height(body_width(size[0]), shown)),
        )
        grid = MapGrid(frame.body, shown, ink)

        def spot(number: int, row: int, column: int) -> Spot:
            value = format_number(float(self.maps[number].values[row, column]), 4)
            name = ink.words.head.format(column) if self.heads else self.names[column]
            layer = ink.translate("Pages", "layer {layer}").format(layer=row)
            return Spot(f"{layer}, {name}: {value}", head=(row, column) if self.heads else None)

        def paint(painter: QPainter) -> None:
            frame.paint(painter)
            grid.paint(painter)

        said = f"{title}. {subtitle}. {note}"
        return Drawing(frame.width, frame.height, title, said, paint, grid.fields(spot))

    def _map(self, ink: Ink, one: LayerMap, written: Callable[[float], str]) -> PageMap:
        finite = one.values[np.isfinite(one.values)]
        most = float(np.abs(finite).max(initial=0.0)) or 1.0
        layer = ink.translate("Pages", "layer")
        across = ink.translate("Pages", "head") if self.heads else ink.translate("Pages", "token")
        return PageMap(
            one.title,
            one.values,
            Levels(-most if self.signed else 0.0, most),
            signed=self.signed,
            axes=(layer, across),
            tokens=tuple(map(str, range(len(one.values)))),
            chosen=self.chosen,
            written=written,
        )
