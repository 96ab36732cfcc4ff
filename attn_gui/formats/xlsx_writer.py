"""A workbook written: blocks of steps, number formats and widths (###), which cells are formulas, “too many cells”.

Whoever changes a number of the problem in it has every step computed anew by the spreadsheet. Imports engine.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from attn_gui.engine.arrays import Array, Box, Progress, silent
from attn_gui.engine.evaluation.dense import DenseEvaluation
from attn_gui.engine.evaluation.evaluation import Evaluation
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.expressions import Cell
from attn_gui.engine.graph.nodes import Node
from attn_gui.engine.graph.stage import Stage
from attn_gui.engine.graph.symbols_and_titles import is_named, plain_name, symbol, title
from attn_gui.engine.problem import Problem
from attn_gui.formats import xlsx_formulas
from attn_gui.formats.file_format import stage_labels
from attn_gui.formats.file_messages import FormatError
from attn_gui.formats.named.array_names import META
from attn_gui.formats.problem_fields import split
from attn_gui.formats.untrusted_bytes import dump, visible_text
from attn_gui.formats.xlsx_reader import NO_LIBRARY, PARAMETERS, SHEETS
from attn_gui.languages import N_

if TYPE_CHECKING:
    from openpyxl import Workbook
    from openpyxl.worksheet.worksheet import Worksheet

MOST_CELLS = 60_000
LONGEST_FORMULA = 8_000  # letters: spreadsheets take 8,192
TYPICAL = 2.0  # a number that no formula has a shortcut for
LONGEST_TEXT = 32_000  # letters of a cell: spreadsheets take 32,767
ABOUT = (
    "Every cell of a step is a formula: change a number of the problem, and the steps after it follow. A closed cell "
    "holds −1E+300, shown as −∞, for spreadsheets have no infinity.",
    "每一步的每个单元格都是公式：修改算例中的任意数字，其后各步随之重算。"
    "被掩码屏蔽的单元格存的是 −1E+300，显示为 −∞，因为电子表格没有无穷大。",
)
CLOSED_FORMAT, FIRST_OWN_FORMAT = '"−∞"', 164  # smaller numbers of formats are Excel's
TOO_MANY = N_("A workbook would hold {got} cells; up to {most} are written. Export them as NPZ instead.")
TOO_LONG = N_("The formulas of {stage} would be longer than a spreadsheet takes. Export the numbers as NPZ instead.")


def workbook_bytes(problem: Problem, progress: Progress = silent) -> bytes:
    """Return the workbook of a problem as a file. Raises FormatError, one sentence, for one that is too large for it.

    `progress` gets the share done; what it raises ends the writing.
    """
    evaluation = DenseEvaluation(problem, keep=0)
    cells = sum(indices.count(indices.whole(node.shape)) for node in evaluation.nodes)
    if cells > MOST_CELLS:
        raise FormatError(TOO_MANY, got=f"{cells:,}", most=f"{MOST_CELLS:,}")
    try:
        from openpyxl import Workbook
    except ImportError as error:
        raise FormatError(NO_LIBRARY) from error
    book = Workbook()
    _Writer(evaluation, book, lambda written: progress(min(1.0, written / max(cells, 1)))).write()
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


class _Writer:
    """Fills a workbook stage by stage; arrays of the problem are written where they are first read."""

    def __init__(self, evaluation: Evaluation, book: Workbook, progress: Callable[[int], None]) -> None:
        self.evaluation, self.book, self._progress, self._written = evaluation, book, progress, 0
        self.nodes = {node.name: node for node in evaluation.nodes}
        self.sources = {source.field: source for source in evaluation.sources.values() if source.field}
        self.boards: dict[str, xlsx_formulas.ArraySheet] = {}
        self.numbers: set[str] = set()  # those of the boards that hold no formulas
        self.parameters: dict[str, int] = {}
        self.taken = {PARAMETERS, META}
        self.closed = xlsx_formulas.ClosedCells(evaluation.nodes)

    def write(self) -> None:
        """Write all sheets: first what the problem gives, then its stages."""
        first: Any = self.book.active
        first.title = PARAMETERS
        for row, text in enumerate(ABOUT, 1):
            first.cell(row, 1, text)
        steps = []
        read = {ref.name for node in self.nodes.values() for ref in node.inputs}
        for node in (node for node in self.nodes.values() if not node.stage.hidden or node.name in read):
            self.closed.check(node.name, self._whole(node.name))
            if node.stage.alias and node.inputs[0].name in self.evaluation.sources:
                self._given(node.name, np.broadcast_to(self._whole(node.name), node.shape))
            elif type(node.stage).explain is Stage.explain and node.stage.hidden:
                self._given(node.name, self._whole(node.name))
            else:
                steps.append(node)
        for field in dict.fromkeys(field for node in steps for field in node.fields if field in self.sources):
            self._take(field)
        for node in steps:
            xlsx_formulas.check_squares(node, self._whole)
            self.boards[node.name] = xlsx_formulas.ArraySheet(
                xlsx_formulas.sheet_name(node.name, self.taken), node.shape
            )
        for node in steps:
            self._step(node)
        for sheet in self.book.worksheets[1:]:
            _show_closed(sheet)
        self._write_hidden_sheet()

    def _write_hidden_sheet(self) -> None:
        """Write a hidden sheet with the options and the places of arrays, so that the workbook can be opened again.

        An array that no stage reads gets a sheet of its own.
        """
        arrays, options = split(self.evaluation.problem)
        sheets: dict[str, object] = {}
        for name, array in arrays.items():
            board = self.boards.get(name)
            if board is None or name not in self.numbers or board.cells != array.size:
                board = self._unread(name, array)
            exact = base64.b64encode(np.ascontiguousarray(array, "<f8").tobytes()).decode()  # a cell has 16 digits
            where = {"sheet": board.sheet, "board": board.shape}
            sheets[name] = where | {"shape": array.shape, "dtype": str(array.dtype), "exact": exact}
        numbers = {field: self._number(field) for field in self.parameters}
        hidden: Any = self.book.create_sheet(META)
        hidden.sheet_state = "hidden"
        text = dump({**options, SHEETS: sheets, PARAMETERS: numbers})
        for row, low in enumerate(range(0, len(text), LONGEST_TEXT), 1):
            hidden.cell(row, 1, text[low : low + LONGEST_TEXT]).data_type = "s"

    def _unread(self, name: str, array: Array) -> xlsx_formulas.ArraySheet:
        """Return a sheet of numbers that no stage reads; NaN and infinity are texts."""
        board = xlsx_formulas.ArraySheet(xlsx_formulas.sheet_name(name, self.taken), array.shape)
        sheet = self._sheet(board, name)
        for index in np.ndindex(*array.shape):
            value = float(array[index])
            _put(sheet, board.place(index), value if np.isfinite(value) else str(value))
        return board

    # --- numbers ---------------------------------------------------------------------------------
    def _whole(self, name: str) -> Array:
        shape = self.nodes[name].shape if name in self.nodes else self.evaluation.sources[name].shape
        with np.errstate(all="ignore"):
            return self.evaluation.fetch(name, indices.whole(shape))

    def _take(self, field: str) -> None:
        """Write a number or array of the problem once."""
        source = self.sources[field]
        if field in self.boards or field in self.parameters or field in self.evaluation.stages:
            return
        if source.shape:
            cells = source.read(indices.whole(source.shape))
            self.closed.check(field, cells)
            self._given(field, cells)
            return
        sheet, row = self.book[PARAMETERS], len(self.parameters) + len(ABOUT) + 2
        self.parameters[field] = row
        sheet.cell(row, 1, field)
        root = field == "scale" and self.evaluation.problem.scale is None and self._number(field) != 1
        sheet.cell(row, xlsx_formulas.LEFT, f"=1/SQRT({self.evaluation.problem.d_k})" if root else self._number(field))

    def _number(self, field: str) -> float:
        value = self.sources[field].read(())
        self.closed.check(field, value)
        return xlsx_formulas.number(float(value))

    def _given(self, name: str, cells: Array) -> None:
        """Write a sheet of given numbers."""
        board = self.boards[name] = xlsx_formulas.ArraySheet(xlsx_formulas.sheet_name(name, self.taken), cells.shape)
        self.numbers.add(name)
        sheet = self._sheet(board, name)
        for index in np.ndindex(*cells.shape):
            place = board.place(index)
            _put(sheet, place, xlsx_formulas.number(float(cells[index])))

    # --- formulas --------------------------------------------------------------------------------
    def _step(self, node: Node) -> None:
        board = self.boards[node.name]
        sheet = self._sheet(board, node.name)
        for block in board.blocks:
            for count in _Block(self, node, board, block).write(sheet):
                self._written += count
                self._progress(self._written)

    def place(self, cell: Cell) -> xlsx_formulas.SheetCell:
        """Return the cell of the workbook for a cell that a formula reads."""
        if cell.name in self.parameters:
            return xlsx_formulas.SheetCell(PARAMETERS, self.parameters[cell.name], xlsx_formulas.LEFT)
        return self.boards[cell.name].place(cell.index)

    def typical(self, name: str, box: Box) -> Array:
        """Return ordinary numbers in place of a stage's, so that formulas have the form that holds for all numbers."""
        if name in self.evaluation.sources:
            return self.evaluation.fetch(name, box)
        return np.full(indices.shape_of(box), True if self.nodes[name].stage.boolean else TYPICAL)

    # --- words -----------------------------------------------------------------------------------
    def _sheet(self, board: xlsx_formulas.ArraySheet, name: str) -> Worksheet:
        """Return a new sheet with its title, and headings around each block."""
        from openpyxl.styles import Font

        sheet: Worksheet = self.book.create_sheet(board.sheet)
        plain, known = plain_name(name), is_named(plain_name(name))
        words = [symbol(name), title(plain, "en"), title(plain, "zh"), f"({name})"] if known else [name]
        sheet.cell(1, 1, "  ".join(filter(None, words))).font = Font(bold=True)
        down, across = stage_labels(self.evaluation, name) if name in self.evaluation.stages else (None, None)
        rows, columns = board.size
        for block in board.blocks:
            head = board.head(block)
            sheet.cell(head, 1, " ".join(self._block_words(board, block)))
            for side, labels, count in ((0, down, rows), (1, across, columns)):
                for k in range(count):
                    text = labels[k] if labels is not None and len(labels) == count else k
                    cell = sheet.cell(head + 1 + k, 1) if side == 0 else sheet.cell(head, xlsx_formulas.LEFT + k)
                    _label(cell, text)
        return sheet

    def _block_words(self, board: xlsx_formulas.ArraySheet, block: tuple[int, ...]) -> Iterator[str]:
        words = ("batch", "head")[2 - len(block) :] if len(board.shape) == 4 else ("batch",)
        for word, place, length in zip(words, block, board.shape, strict=False):
            if length > 1:
                yield f"{word} {place}"


class _Block:
    """The formulas of one item and head of a stage, with named parts beside them."""

    def __init__(self, writer: _Writer, node: Node, board: xlsx_formulas.ArraySheet, block: tuple[int, ...]) -> None:
        self.writer, self.node, self.board, self.block = writer, node, board, block
        self.columns: Mapping[str, tuple[int, bool]] = {}  # of a part: its first column, and whether rows share it
        self.places: dict[tuple[str, int, int], xlsx_formulas.SheetCell] = {}
        self.here: tuple[int, int]  # the cell whose formula is written
        self.named: dict[str, dict[int, str]] = {}  # parts of the first row in words, by column
        self.extra: dict[xlsx_formulas.SheetCell, str] = {}

    def write(self, sheet: Worksheet) -> Iterator[int]:
        """Write the formulas of the block; yield the number of cells after each row."""
        rows, columns = self.board.size
        self._lay_out_parts(columns)
        for name, (column, _) in self.columns.items():
            sheet.cell(self.board.head(self.block), column, name)
        formulas = xlsx_formulas.CellFormulas(self.writer.place, self._part, self.writer.closed.names)
        for row in range(rows):
            for column in range(columns):
                self.here = row, column
                index = self._index(row, column)
                _put(sheet, self.board.place(index), self._finished(self._text(formulas, index)))
            yield columns
        for place, text in self.extra.items():
            _put(sheet, place, self._finished(text))

    def _index(self, row: int, column: int) -> tuple[int, ...]:
        return (*self.block, row, column)[-len(self.board.shape) :]

    def _text(self, formulas: xlsx_formulas.CellFormulas, index: tuple[int, ...]) -> str:
        return formulas.marked_text(self.node.general(index, self.writer.typical))

    def _finished(self, text: str) -> str:
        formula = "=" + xlsx_formulas.unmarked(text, self.board.sheet)
        if len(formula) > LONGEST_FORMULA:
            raise FormatError(TOO_LONG, stage=plain_name(self.node.name))
        return formula

    def _lay_out_parts(self, columns: int) -> None:
        """Find the named parts, and which of them are the same for all cells of a row."""
        gathered = xlsx_formulas.CellFormulas(self.writer.place, self._gather, self.writer.closed.names)
        for column in range(columns):
            self.here = 0, column
            self._text(gathered, self._index(0, column))
        start, found = xlsx_formulas.LEFT + columns + 1, {}
        for name, texts in self.named.items():
            shared = len(set(texts.values())) == 1
            found[name] = start, shared
            start += 2 if shared else columns + 1
        self.columns = found

    def _gather(self, name: str, text: Callable[[], str]) -> str:
        own, column = self.named.setdefault(name, {}), self.here[1]
        if column not in own:  # a sum mentions the largest with every term
            own[column] = text()
        return f"({own[column]})"

    def _part(self, name: str, text: Callable[[], str]) -> str:
        """Return the cell beside the block for a named part, which is written at its first use."""
        start, shared = self.columns[name]
        row, column = self.here[0], 0 if shared else self.here[1]
        key = name, row, column
        if key not in self.places:
            place = xlsx_formulas.SheetCell(self.board.sheet, self.board.place(self._index(row, 0)).row, start + column)
            self.places[key] = place
            self.extra[place] = text()
        return xlsx_formulas.marked(self.places[key])


def _put(sheet: Worksheet, place: xlsx_formulas.SheetCell, content: float | str) -> None:
    sheet.cell(place.row, place.column, content)


def _show_closed(sheet: Worksheet) -> None:
    """Have every closed cell shown as −∞, by a rule: a number format with a condition keeps other numbers from fitting
    the width of their column, and LibreOffice then shows ###."""
    from openpyxl.formatting.rule import Rule
    from openpyxl.styles.differential import DifferentialStyle
    from openpyxl.styles.numbers import NumberFormat

    looks = DifferentialStyle(numFmt=NumberFormat(FIRST_OWN_FORMAT, CLOSED_FORMAT))
    sheet.conditional_formatting.add(
        sheet.dimensions, Rule("cellIs", operator="lessThan", formula=[xlsx_formulas.LOWEST], dxf=looks)
    )


def _label(cell: Any, text: str | int) -> None:
    """Write a heading, so that no spreadsheet takes it for a formula, and without what XML forbids."""
    from openpyxl.styles import Alignment

    if isinstance(text, int):
        cell.value = text
        return
    cell.value = visible_text(text)
    cell.data_type = "s"
    cell.alignment = Alignment(horizontal="right")
