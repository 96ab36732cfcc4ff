"""Blocks of numbers that do not fit into their table: the reason, and every way to make them fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject

from attn_gui.app.maps.status import Tell
from attn_gui.app.problem.clash import Clashes
from attn_gui.app.state.making import Arrays, Making
from attn_gui.app.state.translated_errors import saying, sentences
from attn_gui.app.tables.new_shapes import done_text, followers_text, shape_text
from attn_gui.app.tables.table_target import Cuts, Place, TableTarget
from attn_gui.document.document import Document, cast_cells
from attn_gui.document.edits import Edit, Edits, Label, SetFields
from attn_gui.document.matrix_model import field_symbol
from attn_gui.engine import FieldError, Problem, clash_of, outlined, reshaped, resize
from attn_gui.engine.creation.interventions import with_by_hand
from attn_gui.engine.fields import GIVEN
from attn_gui.engine.shape_errors import drafted, fields_with
from attn_gui.formats import Note
from attn_gui.languages import QT_TRANSLATE_NOOP
from attn_gui.views.banner import BannerOffer
from attn_gui.views.main_window import MainWindow

SIZES = {"query": ("n", "d_k"), "key": ("m", "d_k"), "value": ("m", "d_v"), "x": ("n", "d_model"), GIVEN: ("n", "m")}
KEEP = "d_model"

Fields = Mapping[str, object]


class UnfitBlocks(QObject):
    """Changes nothing by itself; each way out that is picked is one step. What is offered is decided by shapes."""

    def __init__(self, window: MainWindow, document: Document, target: TableTarget, making: Making, tell: Tell) -> None:
        super().__init__(window)
        self._document, self._target, self._making, self._tell = document, target, making, tell
        self._banner, self._clashes = window.banner, Clashes(window.banner, self, making, window.inputs)

    def refuse(self, place: Place, cuts: Cuts, block: NDArray[Any], notes: Sequence[Note] = ()) -> None:
        """Say that the block is too large, and offer a larger matrix, or the block as the matrix with what follows.

        `notes` say how the block was read.
        """
        field, problem = place.field, self._document.problem
        grown = self._outline(field, cuts)
        growing = [] if grown is None else [self._growing(place, cuts, block, grown)]
        said = self._too_large(cuts, block, grown, notes)
        shape = replacing_shape(problem, field, block) if cuts[0].start == cuts[1].start == 0 else None
        clash = clash_of(problem, {field: shape}) if shape is not None else None
        if shape is None or (clash is None and growing):
            say = self._banner.show_info if growing else self._banner.show_error
            say(said, offers=growing, focus=True)
        elif clash is None:
            self._banner.show_info(said, offers=[self._replacing(field, block)], focus=True)
        else:
            reason, kept = saying(clash), self._target.model.turned(block)
            self._clashes.offer(
                clash,
                self._fields,
                lambda: replaced(self._document.problem, field, kept),
                lambda fixed, fresh: self._accept(field, block, fixed, fresh),
                words=lambda: self.tr("{refusal} {reason}").format(refusal=said(), reason=reason()),
                before=growing,
                brought=field,
            )

    def _fields(self) -> Fields:
        return self._document.problem.fields()

    def _too_large(
        self, cuts: Cuts, block: NDArray[Any], grown: Problem | None, notes: Sequence[Note]
    ) -> Callable[[], str]:
        """The sentence: what does not fit, and which matrices would grow with this one."""
        field = self._target.field
        shapes = {} if grown is None else reshaped(self._document.problem, grown)
        said = _said(field, block) | {
            "size": shape_text(self._target.model.rowCount(), self._target.model.columnCount()),
            "row": cuts[0].start,
            "column": cuts[1].start,
        }

        def words() -> str:
            text = self.tr("{block} numbers do not fit into {symbol} ({size}) at row {row}, column {column}.")
            parts = [text.format(**said), *([followers_text(field, shapes)] if len(shapes) > 1 else [])]
            return sentences([*parts, *notes])

        return words

    # --- the ways out ----------------------------------------------------------------------------
    def _outline(self, field: str, cuts: Cuts) -> Problem | None:
        problem = self._document.problem
        return grown_outline(problem, field, *roomy(problem, field, cuts))

    def _growing(self, place: Place, cuts: Cuts, block: NDArray[Any], grown: Problem) -> BannerOffer:
        """A matrix as large as the block needs it, and the others with it."""
        field = place.field
        words = {"symbol": field_symbol(field), "size": shape_text(*grown.arrays()[field].shape[-2:])}
        shapes = reshaped(self._document.problem, grown)

        def grow() -> None:
            problem = self._document.problem
            size = roomy(problem, field, cuts)  # the matrix may be larger by now
            said = words | {"size": shape_text(*size)}
            label = Label(QT_TRANSLATE_NOOP("History", "grew {symbol} to {size}"), said)

            def take(fields: Fields, fresh: Arrays) -> None:
                self._target.use(field)
                larger: tuple[Edit, ...] = (SetFields(fields, label),) if fields else ()
                self._apply(Edits((*larger, self._target.cells(place, cuts, block, label)), label), fresh)
                self._target.select(place, cuts)

            self._making.begin(label, lambda: grown_fields(problem, field, *size), take)

        return BannerOffer(
            lambda: self.tr("Grow {symbol} to {size}").format(**words), lambda: followers_text(field, shapes), grow
        )

    def _replacing(self, field: str, block: NDArray[Any]) -> BannerOffer:
        """The block in place of the whole matrix, where that needs nothing else."""
        return BannerOffer(
            lambda: self.tr("Make {symbol} {block}").format(**_said(field, block)),
            "",
            lambda: self._replace(field, block),
        )

    def _replace(self, field: str, block: NDArray[Any]) -> None:
        self._target.use(field)
        problem, kept = self._document.problem, self._target.model.turned(block)
        self._making.begin(
            _replacing_label(field, block),
            lambda: replaced(problem, field, kept),
            lambda changes, fresh: self._accept(field, block, changes, fresh),
        )

    def _accept(self, field: str, block: NDArray[Any], changes: Fields, fresh: Arrays) -> None:
        followed, notes = with_by_hand(self._document.problem, changes)
        self._target.use(field)
        self._apply(SetFields(followed, _replacing_label(field, block)), fresh, notes)

    def _apply(self, edit: Edit, fresh: Arrays, notes: Sequence[object] = ()) -> None:
        """Carry out a way out, and tell what went with it, or what it did to the shapes."""
        before = self._document.problem
        self._document.apply(edit, fresh)
        shapes = reshaped(before, self._document.problem)
        self._tell(lambda: sentences(notes) if notes else done_text(shapes))


def replacing_shape(problem: Problem, field: str, block: NDArray[Any]) -> tuple[int, ...] | None:
    """The shape of a matrix that a block takes the place of; None where it cannot."""
    array = problem.arrays()[field]
    flags = array.dtype != bool or bool(((block == 0) | (block == 1)).all())
    if array.ndim > 2 or (array.ndim == 1 and len(block) != 1) or not flags:
        return None
    return block.shape[-array.ndim :]


def replaced(problem: Problem, field: str, block: NDArray[Any]) -> dict[str, Any]:
    """The fields of the problem with a block in place of a whole matrix; raises EditError for what does not fit in."""
    array = problem.arrays()[field]
    return fields_with(problem, {field: cast_cells(block, array.dtype).reshape(block.shape[-array.ndim :])})


def roomy(problem: Problem, field: str, cuts: Cuts) -> tuple[int, int]:
    """The rows and columns of a table with room for a block, never fewer than it has."""
    rows, columns = np.atleast_2d(problem.arrays()[field]).shape[-2:]
    return max(cuts[0].stop, rows), max(cuts[1].stop, columns)


def grown_outline(problem: Problem, field: str, rows: int, columns: int) -> Problem | None:
    """The shapes that give a table this size; None where new columns would not stand at its right."""
    try:
        for size in growing_sizes(problem, field, rows, columns):
            problem = outlined(problem, keep=KEEP, **size)
    except FieldError:
        return None
    return problem if problem.arrays()[field].shape[-2:] == (rows, columns) else None


def grown_fields(problem: Problem, field: str, rows: int, columns: int) -> dict[str, Any]:
    """The fields that give a table this size."""
    changed: dict[str, Any] = {}
    for size in growing_sizes(problem, field, rows, columns):
        fields = resize(problem, keep=KEEP, **size).fields
        changed |= fields
        problem = drafted(problem, fields)
    return changed


def growing_sizes(problem: Problem, field: str, rows: int, columns: int) -> list[dict[str, int]]:
    """The sizes to change, one after another, for a table of this size; none where its columns belong to heads."""
    if field not in SIZES or (problem.projected and field != "x"):
        return []
    row_size, column_size = SIZES[field]
    heads = {"query": problem.num_heads, "key": problem.kv_heads, "value": problem.kv_heads}.get(field, 1)
    if columns != getattr(problem, column_size) * heads and heads > 1:
        return []  # each head would grow at its own end
    wanted = {row_size: rows, column_size: columns // heads}
    return [{name: value} for name, value in wanted.items() if value != getattr(problem, name)]


def _replacing_label(field: str, block: NDArray[Any]) -> Label:
    return Label(QT_TRANSLATE_NOOP("History", "put {block} numbers into {symbol}"), _said(field, block))


def _said(field: str, block: NDArray[Any]) -> dict[str, object]:
    return {"symbol": field_symbol(field), "block": shape_text(*block.shape)}
