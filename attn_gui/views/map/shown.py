"""The one value that says what a map shows: a matrix, the names at it, its levels and colors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from attn_gui.document.clipboard import Copied
from attn_gui.figure.levels import PLAIN, Shade
from attn_gui.figure.operands import by_hand_of, off_areas
from attn_gui.pictures.planes import PlaneLike


@dataclass(frozen=True, eq=False)
class Shown:
    """A matrix and how it is shown; `bands` are the columns where bands of heads begin, `dimmed` is out of date."""

    plane: PlaneLike | None = None
    row_names: Sequence[str] = ()
    column_names: Sequence[str] = ()
    bands: tuple[int, ...] = ()
    shade: Shade = PLAIN
    values: bool = False
    dimmed: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the matrix."""
        return self.plane.shape if self.plane is not None else (0, 0)

    def copied(self, block: tuple[slice, slice] | None = None) -> Copied | None:
        """The whole matrix or a block of it, with the names of its rows and columns."""
        plane = self.plane
        if plane is None:
            return None
        rows, columns = block or (slice(0, self.shape[0]), slice(0, self.shape[1]))
        shape = rows.stop - rows.start, columns.stop - columns.start
        names = self.row_names[rows], self.column_names[columns]
        return Copied(shape, lambda: list(plane.block(rows, columns)[0].copy()), *names)

    def marks(self) -> dict[str, object]:
        """Marks that stand as long as the matrix does: bands of heads, heads that are off, cells changed by hand."""
        return {"bands": self.bands, "off": off_areas(self.plane), "by_hand": by_hand_of(self.plane)}

    @property
    def signed(self) -> bool:
        """Whether colors go both ways from 0; without a matrix they do."""
        return self.plane is None or self.plane.signed

    @property
    def palette(self) -> str:
        """The name of the color map."""
        return self.shade.palette_for(self.signed)
