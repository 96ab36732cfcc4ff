"""A block of numbers that does not fit into its table: why not, and every way to make it fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject

from attn_gui.app.clash import Clashes
from attn_gui.app.offers import Offer, Offers
from attn_gui.app.sentences import sentence
from attn_gui.app.table_target import Cuts, TableTarget
from attn_gui.document.document import Document
from attn_gui.document.edits import Edit, Edits, Label, SetFields
from attn_gui.document.names import field_symbol
from attn_gui.engine import Problem, ShapeError, resize
from attn_gui.engine.drafts import fields_with
from attn_gui.formats.sentences import QT_TRANSLATE_NOOP
from attn_gui.views.main_window import MainWindow

SIZES = {"query": ("n", "d_k"), "key": ("m", "d_k"), "value": ("m", "d_v"), "x": ("n", "d_model")}

Fields = Mapping[str, object]


class UnfitBlocks(QObject):
    """Changes nothing by itself; each way out that is picked is one step."""

    def __init__(self, window: MainWindow, document: Document, target: TableTarget) -> None:
        super().__init__(window)
        self._window, self._document, self._target = window, document, target
        self._offers = Offers(window.banner, "block", self)
        self._clashes = Clashes(window.banner, "clash", self, window.inputs)

    def refuse(self, cuts: Cuts, block: NDArray[Any]) -> None:
        """Say that the block is too large, and offer a larger matrix, or the block as the matrix with what follows."""
        field, problem, too_large = self._target.field, self._document.problem, self._too_large(cuts, block)
        growing = self._growing(field, cuts, block)
        changes = replaced(problem, field, block) if cuts[0].start == cuts[1].start == 0 else None
        clash = clash_of(problem, changes) if changes is not None else None
        if changes is None or (clash is None and growing):
            self._offers.show(too_large, growing, refused=not growing)
        elif clash is None:
            self._offers.show(too_large, [self._replacing(field, block, changes)], refused=False)
        else:
            self._clashes.offer(
                clash, self._fields, changes, lambda fixed: self._replace(field, block, fixed),
                words=lambda: self.tr("{refusal} {reason}").format(refusal=too_large(), reason=sentence(clash)),
                before=growing, brought=field,
            )  # fmt: skip

    def _fields(self) -> Fields:
        return self._document.problem.fields()

    def _too_large(self, cuts: Cuts, block: NDArray[Any]) -> Callable[[], str]:
        said = _said(self._target.field, block) | {
            "size": size_text(self._target.model.rowCount(), self._target.model.columnCount()),
            "row": cuts[0].start, "column": cuts[1].start,
        }  # fmt: skip
        return lambda: self.tr(
            "{block} numbers do not fit into {symbol} ({size}) at row {row}, column {column}."
        ).format(**said)

    # --- the ways out ----------------------------------------------------------------------------
    def _growing(self, field: str, cuts: Cuts, block: NDArray[Any]) -> list[Offer]:
        """A matrix as large as the block needs it, and the others with it; not where heads lie side by side."""
        model = self._target.model
        rows, columns = max(cuts[0].stop, model.rowCount()), max(cuts[1].stop, model.columnCount())
        if grown_fields(self._document.problem, field, rows, columns) is None:
            return []
        words = {"symbol": field_symbol(field), "size": size_text(rows, columns)}

        def grow() -> None:
            label = Label(QT_TRANSLATE_NOOP("History", "grew {symbol} to {size}"), words)
            fields = grown_fields(self._document.problem, field, rows, columns)
            self._target.use(field)
            edits: tuple[Edit, ...] = (SetFields(fields, label),) if fields else ()
            self._target.apply(Edits((*edits, self._target.cells(cuts, block, label)), label))

        return [Offer(lambda: self.tr("Grow {symbol} to {size}").format(**words), "", grow)]

    def _replacing(self, field: str, block: NDArray[Any], changes: Fields) -> Offer:
        """The block in place of the whole matrix, where that needs nothing else."""
        return Offer(
            lambda: self.tr("Make {symbol} {block}").format(**_said(field, block)),
            "",
            lambda: self._replace(field, block, changes),
        )

    def _replace(self, field: str, block: NDArray[Any], changes: Fields) -> None:
        label = Label(QT_TRANSLATE_NOOP("History", "put {block} numbers into {symbol}"), _said(field, block))
        self._target.use(field)
        self._document.apply(SetFields(changes, label))


def replaced(problem: Problem, field: str, block: NDArray[Any]) -> dict[str, object] | None:
    """The fields of the problem with a block in place of a whole matrix; None where it cannot stand there."""
    array = problem.arrays()[field]
    flags = array.dtype != bool or bool(np.isin(block, (0, 1)).all())
    if array.ndim > 2 or (array.ndim == 1 and len(block) != 1) or not flags:
        return None
    return fields_with(problem, {field: block.reshape(block.shape[-array.ndim :]).astype(array.dtype)})


def clash_of(problem: Problem, changes: Fields) -> ShapeError | None:
    """What would not fit if these fields were changed."""
    try:
        Problem(**{**problem.fields(), **changes})
    except ShapeError as clash:
        return clash
    return None


def grown_fields(problem: Problem, field: str, rows: int, columns: int) -> dict[str, object] | None:
    """The fields that give a table this size; None where new columns would not stand at its right."""
    if field not in SIZES or (problem.projected and field != "x"):
        return None
    row_size, column_size = SIZES[field]
    heads = {"query": problem.num_heads, "key": problem.kv_heads, "value": problem.kv_heads}.get(field, 1)
    changed: dict[str, object] = {}
    if rows != getattr(problem, row_size):
        changed = dict(resize(problem, keep="d_model", **{row_size: rows}).fields)
        problem = problem.replace(**changed)
    if columns != getattr(problem, column_size) * heads:
        if heads > 1:
            return None  # each head would grow at its own end
        changed |= resize(problem, keep="d_model", **{column_size: columns}).fields
    return changed


def size_text(rows: int, columns: int) -> str:
    return f"{rows} × {columns}"


def _said(field: str, block: NDArray[Any]) -> dict[str, object]:
    return {"symbol": field_symbol(field), "block": size_text(*block.shape)}
