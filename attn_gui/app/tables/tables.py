"""Which tables stand at the left (given, computed from X, before, gradient), what each shows, decimals, scrolling."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtCore import QCoreApplication

from attn_gui.app.actions.action_table import DECIMALS
from attn_gui.app.actions.actions import Command, choices
from attn_gui.app.app_context import AppContext, Controller
from attn_gui.app.state.baseline import Baseline
from attn_gui.app.state.view_state import ViewSettings, ViewState
from attn_gui.document.document import DocumentChange
from attn_gui.document.edits import Label, SetFields
from attn_gui.document.matrix_model import Matrix, MatrixModel, Read, field_symbol, has_maps, shown_part, table_cells
from attn_gui.engine import Box, Evaluation, Problem, Recomputed, symbol
from attn_gui.engine.arrays import Array
from attn_gui.engine.evaluation.reach import parts_of
from attn_gui.engine.fields import DIRECT, GIVEN
from attn_gui.engine.graph.nodes import CellPart
from attn_gui.engine.interventions import Intervention
from attn_gui.engine.masks import Layer
from attn_gui.languages import N_
from attn_gui.modes import BEFORE, DIFFERENCE, GRADIENT, NOW
from attn_gui.views.names import mask_polarity, stage_title
from attn_gui.views.product.stage_maps import ROLES
from attn_gui.views.tables.headers import Mark
from attn_gui.views.tables.matrix_panel import KeptTable, MatrixPanel, TablesAside

GROUPED = ("query", "key", GIVEN, "value")
HEADED = {prefix + role: role for role in DIRECT for prefix in ("", "w_", "b_")}
ROWS = {"query": "query", GIVEN: "query", "x": "query", "key": "key", "value": "key", "context": "key"}
PARTS = (
    ("score", "a(q, k)", "score_params."),
    ("block", "N · W", "block."),
    ("masks", "M", f"{Layer.listed}."),
    ("by_hand", "H", f"{Intervention.listed}."),
)

CellOrBlock = tuple[int, int] | tuple[slice, slice]

TITLES = {
    BEFORE: N_("TwoStates", "{title}, before"),
    DIFFERENCE: N_("TwoStates", "{title}, now − before"),
    GRADIENT: N_("TwoStates", "{title}, gradient"),
}

COMPACT_DECIMALS = 2


def groups_of(problem: Problem, fields: list[str]) -> list[tuple[str, str, tuple[str, ...]]]:
    """Return the fields in groups that are looked at together: (key, text, fields)."""
    parts = [(key, text, tuple(field for field in fields if field.startswith(start))) for key, text, start in PARTS]
    taken = {*GROUPED, *(field for _, _, own in parts for field in own)}
    rest = tuple(field for field in fields if field not in taken)
    if problem.projected:
        groups = [("projected", "X · W", rest), ("computed", "Q · K · V", DIRECT)]
    else:
        given = tuple(field for field in GROUPED if field in fields)
        groups = [("direct", " · ".join(map(symbol, given)), given), ("output", "W_O", rest)]
    return [group for group in (*groups, *parts) if group[2]]


@dataclass(frozen=True)
class StageCells:
    """A stage without heads, of one item."""

    evaluation: Evaluation
    stage: str
    batch: int
    ndim = 2

    @property
    def shape(self) -> tuple[int, ...]:
        return self.evaluation.shape(self.stage)[-2:]

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.evaluation.dtype

    def item(self, row: int, column: int) -> Any:
        return self[row, column].item()

    def __getitem__(self, place: CellOrBlock) -> Any:
        """Return one number, or the block of two slices."""
        rows, columns = (part if isinstance(part, slice) else slice(part, part + 1) for part in place)
        found = self.evaluation.block(self.stage, self.batch, None, rows, columns)
        return found if isinstance(place[0], slice) else found[0, 0]


@dataclass(frozen=True)
class TableDifference:
    """Now − before; of switches 1 where one was opened and −1 where it was closed. NaN where there was none."""

    now: Matrix
    before: Matrix | None
    ndim = 2

    @property
    def shape(self) -> tuple[int, ...]:
        return self.now.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        if self.now.dtype.kind == "b":
            return np.dtype(np.float32)
        return self.now.dtype if self.before is None else np.result_type(self.now.dtype, self.before.dtype)

    def item(self, row: int, column: int) -> Any:
        return self[row, column].item()

    def __getitem__(self, place: CellOrBlock) -> Any:
        """Return one number, or the block of two slices."""
        now = self.now[place]
        if self.before is None or self.before.shape != self.now.shape:
            return np.full(np.shape(now), np.nan)[()]
        before: Array = self.before[place]
        with np.errstate(all="ignore"):
            return now.astype(self.dtype) - before


class TwoStates:
    """Reads what tables show of another state, read-only: the matrices before, now − before, or a gradient."""

    def __init__(self, baseline: Baseline, view: ViewState) -> None:
        self._baseline, self._view = baseline, view
        self._shown: tuple[object, ...] = (NOW, None)

    @property
    def mode(self) -> str:
        """The mode of the tables: BEFORE, DIFFERENCE, GRADIENT, or NOW where they are the document's."""
        if self._view.overlay is not None and self._view.overlay.kind == GRADIENT:
            return GRADIENT
        mode = self._view.look.compare
        return mode if mode in (BEFORE, DIFFERENCE) and self._baseline.comparable else NOW

    @property
    def locked(self) -> bool:
        """Whether the tables show another state than the document's."""
        return self.mode != NOW

    @property
    def scientific(self) -> bool:
        """Whether numbers have powers of ten: by choice, and of gradients, most of which are small."""
        return self._view.look.scientific or self.mode == GRADIENT

    def moved(self) -> bool:
        """Return whether the tables show another state than when this was asked last."""
        shown = self._view.overlay or (self._baseline.evaluation if self.locked else None)
        before, self._shown = self._shown, (self.mode, shown)
        return before != self._shown

    def title(self, title: str) -> str:
        """Return the title of a table with the state that it shows."""
        return QCoreApplication.translate("TwoStates", TITLES[self.mode]).format(title=title) if self.locked else title

    def show_now(self) -> None:
        """Show the document's numbers again."""
        self._view.set(compare=NOW)

    def reader(self, field: str, now: Read) -> Read:
        """Return a reader of the part of an array that a table shows: rows and columns of the item and head on show."""
        if not self.locked:
            return now
        if self.mode == GRADIENT:
            return self._read_of(self._view.shown, field)
        before = self._before(field)
        if self.mode == BEFORE:
            return before

        def read() -> Matrix | None:
            shown = now()
            return None if shown is None or not shown.ndim else _less(shown, before())

        return read

    def _read_of(self, gradient: Evaluation, field: str) -> Read:
        """Return a gradient by the part of an array that a table shows, read once."""
        if field not in gradient.problem.arrays():
            if field not in gradient.stages:  # it has just come, and the gradient by it is still to be taken
                return lambda: None
            cells = StageCells(gradient, field, self._view.look.batch)
            return lambda: cells
        found = self._part(field, gradient.field(field))
        return lambda: found

    def _before(self, field: str) -> Read:
        problem, evaluation = self._baseline.problem, self._baseline.evaluation
        assert problem is not None
        assert evaluation is not None
        array = problem.arrays().get(field)
        if array is None:
            if field not in evaluation.stages:
                return lambda: None
            cells = StageCells(evaluation, field, self._view.look.batch)
            return lambda: cells
        return lambda: self._part(field, array)

    def _part(self, field: str, array: Array) -> Array | None:
        """Return the part of an array that a table shows; one number is a table of one cell."""
        return shown_part(field, np.atleast_1d(array), self._view.look.batch, self._view.look.head)


def _less(now: Matrix, before: Matrix | None) -> Matrix:
    """Return now − before, read where it is asked for; of a vector at once."""
    if not isinstance(now, np.ndarray) or now.ndim > 1:
        return TableDifference(now, before)
    old = before[None] if isinstance(before, np.ndarray) and before.shape == now.shape else None
    whole: Array = TableDifference(now[None], old)[:, :]
    return np.asarray(whole[0])


class TablesController(Controller):
    """One panel for every array of the problem, and for Q, K, V where they are computed."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self.states = TwoStates(context.baseline, context.view)
        self.models: dict[str, MatrixModel] = {}
        self._aside, self._compact = TablesAside(), False
        self._ahead: dict[str, KeptTable] = {}  # filled for what is about to be shown
        self._connected: list[Callable[[str, MatrixPanel], object]] = []
        context.computation.updated.connect(self._on_computation_updated)
        context.document.changed.connect(self._on_document_changed)
        context.view.follow(self._show_in_turns, "evaluation", "batch")
        context.view.follow(self._show_other, "compare", "baseline", "overlay")
        context.view.follow(self._show_first, "document")
        context.view.follow(self._show_decimals, "decimals", "scientific")
        context.view.follow(self._show_masks, "head", "blocked")
        context.view.follow(self._show_head, "head")
        context.view.follow(self._show_chosen, "cell", "head", "document")
        context.window.compactChanged.connect(self._on_window_compact_changed)

    def commands(self) -> dict[str, Command]:
        view = self._view
        decimals = {f"decimals_{count}": count for count in DECIMALS}
        return {
            "scientific": Command(lambda on: view.set(scientific=on), lambda: view.look.scientific),
            **choices(decimals, lambda: view.look.decimals, lambda count: view.set(decimals=count)),
        }

    def on_new_table(self, connect: Callable[[str, MatrixPanel], object]) -> None:
        """Call `connect(field, panel)` for every table there is and will be."""
        self._connected.append(connect)
        for field, panel in self._window.inputs.panels.items():
            connect(field, panel)

    def locked(self, field: str) -> bool:
        """Return whether the table cannot be typed into: it shows what was computed, or another state."""
        return self.states.locked or self.computed(field)

    def computed(self, field: str) -> bool:
        """Return whether the table shows what was computed."""
        return field in DIRECT and self._document.problem.projected

    def projected_from(self, field: str) -> str:
        """Return the field that a computed table is a projection of: X, or the second sequence."""
        return "context" if field != "query" and not self._document.problem.self_attention else "x"

    def _show_in_turns(self) -> Iterator[None]:
        """Show the tables; new ones are made and filled before, one a turn."""
        known = self._window.inputs.panels.keys() | self._ahead.keys()
        for field in [field for field in self._fields() if field not in known]:
            panel, self.models[field] = self._ahead[field] = self._aside.take(field) or self._new_table(field)
            self._window.inputs.hold(panel)
            self._show_table(field, panel)
            yield
        self.show(set(self._ahead))

    def _fields(self) -> list[str]:
        """Return the arrays that have a table."""
        problem = self._document.problem
        fields = [field for field, array in problem.arrays().items() if array.ndim]  # one number has its cell in a map
        return [*fields, *DIRECT] if problem.projected else fields

    def show(self, filled: Collection[str] = ()) -> None:
        """Show the panels of the present problem, but for those `filled`; those that it keeps stay where they are."""
        problem, fields = self._document.problem, self._fields()
        there = {field: KeptTable(panel, self.models[field]) for field, panel in self._window.inputs.panels.items()}
        self._aside.put(there | self._ahead)
        self._ahead.clear()
        tables = {field: self._aside.take(field) or self._new_table(field) for field in fields}
        self._aside.clear()
        panels = {field: table.panel for field, table in tables.items()}
        self.models = {field: table.model for field, table in tables.items()}
        for field in fields:
            if field not in filled and not (self.computed(field) and self._computation.pending):  # it follows then
                self._show_table(field, panels[field])
        self._window.inputs.set_panels(panels, groups_of(problem, fields))
        self._set_marks(*self.marked())

    retranslate = show

    def _show_other(self) -> None:
        """Show another of two states; what is pinned beside the one on show changes no table."""
        if self.states.moved():
            self.show()
            self._show_decimals()

    def _new_table(self, field: str) -> KeptTable:
        panel = self._window.inputs.new_panel(field)
        model = self.models[field] = MatrixModel(panel)  # goes with its table
        panel.set_model(model)
        model.renamed.connect(lambda row, text: self._rename(field, row, text))
        panel.headPicked.connect(lambda head: self._view.set(head=head * self._heads_per_table_head(field)))
        panel.titleDoubleClicked.connect(lambda: self._window.inputs.stretch(field))
        for connect in self._connected:
            connect(field, panel)
        return KeptTable(panel, model)

    def _show_table(self, field: str, panel: MatrixPanel) -> None:
        problem, model, locked = self._document.problem, self.models[field], self.locked(field)
        role = ROWS.get(field)
        labels = problem.query_tokens if role == "query" else problem.names_of_keys if role == "key" else None
        model.set_decimals(self._decimals(), self.states.scientific)
        model.inverted, model.covered = self._view.look.blocked, bool(self._view.look.blanks)
        reader = self.states.reader(field, self._reader_of_now(field))
        model.set_matrix(reader, row_labels=labels or (), editable=not locked, renamable=role is not None)
        panel.set_title(field_symbol(field), self.states.title(self._title(field)))
        panel.set_computed(locked)
        panel.bar.set_choices()
        panel.view.rows.renamable = role is not None and not locked
        count, width = self._cut(field)
        panel.set_shape(model.rowCount(), model.columnCount(), (count, width) if field in HEADED else None)
        panel.set_heads(count, width, self._view.look.head // self._heads_per_table_head(field))

    def _title(self, field: str) -> str:
        if self.computed(field):
            x, w = field_symbol(self.projected_from(field)), field_symbol(f"w_{field}")
            return self.tr("= {x}·{w} (computed)").format(x=x, w=w)
        if self.models[field].dtype.kind == "b":
            return f"{stage_title(field)}, {mask_polarity(self._view.look.blocked)}"
        if field == GIVEN and self._document.problem.num_heads > 1:
            return self.tr("{title}, head {head}").format(title=stage_title(field), head=self._view.look.head)
        return stage_title(field)

    def _cut(self, field: str) -> tuple[int, int]:
        """Return the cut of the columns: heads and columns a head; (1, all) where heads mean nothing."""
        problem, role = self._document.problem, HEADED.get(field)
        if role is None:
            return 1, self.models[field].columnCount()
        heads = problem.num_heads if role == "query" else problem.kv_heads
        return heads, {"query": problem.d_k, "key": problem.d_key, "value": problem.d_v}[role]

    def shown_head(self, field: str) -> int | None:
        """Return the head of a table that is on show; None where heads mean nothing."""
        return self._view.look.head // self._heads_per_table_head(field) if self._cut(field)[0] > 1 else None

    def width(self, field: str) -> int:
        """Return the columns of a head of a table."""
        return self._cut(field)[1]

    def _heads_per_table_head(self, field: str) -> int:
        """Return how many heads share one head of a table: of K and V as many as share a K/V head."""
        problem = self._document.problem
        return 1 if HEADED.get(field, "query") == "query" else problem.num_heads // problem.kv_heads

    def _reader_of_now(self, field: str) -> Read:
        if not self.computed(field):
            return self._document.reader(field, self._view.look.batch, self._view.look.head)

        def read() -> StageCells | None:
            """Return the cells; None where another document without this stage has come, until the table goes."""
            evaluation = self._view.overlay or self._computation.evaluation
            return StageCells(evaluation, field, self._view.look.batch) if field in evaluation.stages else None

        return read

    # --- following -------------------------------------------------------------------------------
    def _show_first(self) -> None:
        """Show the first group of tables of a document that was opened, each from its top and the head on show on."""
        self._window.inputs.show_first()
        for panel in self._window.inputs.panels.values():
            panel.scroll_home()
        self._show_head()

    def _on_computation_updated(self, recomputed: Recomputed) -> None:
        for field in DIRECT if self._document.problem.projected else ():
            self._repaint(field, recomputed.boxes.get(field, ()))

    def _on_document_changed(self, change: DocumentChange) -> None:
        if self._computation.pending and None in change.fields.values():
            self.show()  # a table need not wait for the maps, and whoever types into it must see the document's numbers
        for field, boxes in change.fields.items():
            if field not in self.models:
                continue
            if boxes is None:
                self.models[field].all_changed()
            else:
                self._repaint(field, boxes)

    def _repaint(self, field: str, boxes: Sequence[Box]) -> None:
        look, shape = self._view.look, self._shape(field)
        for box in boxes:
            cuts = table_cells(field, shape, box, look.batch, look.head)
            if cuts is not None:
                self.models[field].cells_changed(*cuts)
                self._window.inputs.panels[field].view.flash(*cuts)

    def _shape(self, field: str) -> tuple[int, ...]:
        if self.computed(field):
            return self._computation.evaluation.shape(field)
        return self._document.arrays[field].shape

    def _on_window_compact_changed(self, compact: bool) -> None:
        self._compact = compact
        self._show_decimals()

    def _show_decimals(self) -> None:
        for model in self.models.values():
            model.set_decimals(self._decimals(), self.states.scientific)

    def _decimals(self) -> int:
        """Return the chosen decimals; one less than usual where columns are narrow."""
        decimals = self._view.look.decimals
        return COMPACT_DECIMALS if self._compact and decimals == ViewSettings.decimals else decimals

    def _show_head(self) -> None:
        """Show the band of the shown head, at the left border."""
        for field, panel in self._window.inputs.panels.items():
            head = self._view.look.head // self._heads_per_table_head(field)
            panel.set_heads(*self._cut(field), head)
            panel.scroll_to_head(head)

    def _show_masks(self) -> None:
        for field, panel in self._window.inputs.panels.items():
            if has_maps(field):
                self._show_table(field, panel)

    def marked(self) -> tuple[dict[str, tuple[Mark, ...]], dict[str, int]]:
        """Return the rows, each with its role, and columns of the tables that made the chosen cell, by field."""
        rows: dict[str, tuple[Mark, ...]] = {}
        columns: dict[str, int] = {}
        for part in self._parts():
            row, column, owner = part.line(-2), part.line(-1), ROLES.get(part.owner(-2) if len(part.axes) > 1 else "")
            if part.name in ROWS and row is not None and owner is not None:
                rows[part.name] = tuple(dict.fromkeys([*rows.get(part.name, ()), (row, owner)]))
            if column is not None and not has_maps(part.name):
                columns[part.name] = column
        return rows, columns

    def _parts(self) -> tuple[CellPart, ...]:
        cell, evaluation = self._view.look.cell, self._computation.evaluation
        if cell is None or self._computation.pending or cell.stage not in evaluation.stages:
            return ()
        return parts_of(evaluation, cell.stage, self._view.index_of(cell))

    def _set_marks(self, rows: Mapping[str, tuple[Mark, ...]], columns: Mapping[str, int]) -> None:
        for field, panel in self._window.inputs.panels.items():
            panel.set_marks(rows.get(field, ()), columns.get(field))

    def _show_chosen(self) -> None:
        """Mark what made the chosen cell, and bring it to the eye."""
        rows, columns = self.marked()
        self._set_marks(rows, columns)
        for field, panel in self._window.inputs.panels.items():
            for row, _ in reversed(rows.get(field, ())):  # the query last: it stays in sight
                panel.scroll_to_row(row)
            if field in columns:
                panel.scroll_to_column(columns[field])

    def _rename(self, field: str, row: int, text: str) -> None:
        problem, name = self._document.problem, f"{ROWS[field]}_tokens"
        count = problem.n if ROWS[field] == "query" else problem.m
        tokens = list(getattr(problem, name) or map(str, range(count)))
        tokens[row] = text
        shared = problem.self_attention and problem.key_tokens in (None, problem.query_tokens)
        names = {name} | ({"query_tokens", "key_tokens"} if shared else set())
        label = Label(N_("History", "renamed row {row}"), {"row": row})
        self._runner.apply(SetFields(dict.fromkeys(names, tuple(tokens)), label))
