"""Cells behind Comes from and Reaches; links below the explanation: trail, Walk, Copy, Set to…, Show its origin."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import NamedTuple, cast

import numpy as np
from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QApplication, QGridLayout, QHBoxLayout, QLabel, QMenu, QPushButton, QWidget

from attn_gui.engine import STAGE, Cell, Explanation
from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.errors import MINUS
from attn_gui.engine.graph.printed_digits import short_number
from attn_gui.engine.graph.symbols_and_titles import plain_name
from attn_gui.engine.problem import Problem
from attn_gui.figure.design_tokens import SPACING
from attn_gui.figure.text.number_formats import is_whole
from attn_gui.figure.text.rich_text import token_text
from attn_gui.views.map.marks import BACKWARD, FORWARD
from attn_gui.views.names import letter
from attn_gui.views.text_views import Link
from attn_gui.views.theme import icon, restyle, style_text
from attn_gui.views.widgets import FlowLayout, Retranslated, arrange, clear_layout, set_tip, space_grid

# --- comes from and reaches -----------------------------------------------------------------------
SMALL, LARGE = 1e-3, 1e6  # magnitudes that a column writes without a power of ten


class ReachedBoxes(NamedTuple):
    """The boxes of a stage that a cell reaches, and the lengths of the stage's axes."""

    stage: str
    boxes: Sequence[Box]
    shape: tuple[int, ...]


class OtherState(NamedTuple):
    """The explained cell in the state before: what the two states are called, its explanation there, its number (None
    behind a mask), and of weights its whole row."""

    names: tuple[str, str]
    explanation: Explanation
    value: float | None
    row: Array


class ExplainContext(NamedTuple):
    """The chosen cell as it is shown (row and column within the shown head), the tokens, the problem, its reach.

    `trail` holds (stage, row, column as shown) of the cells that led to it, the first one first; `before` is the cell
    in the state that stands beside the present one.
    """

    head: int
    row: int
    column: int
    query_tokens: Sequence[str] | None
    key_tokens: Sequence[str] | None
    problem: Problem
    reach: Sequence[ReachedBoxes] = ()
    trail: Sequence[tuple[str, int, int]] = ()
    before: OtherState | None = None

    def query_name(self, row: int) -> str:
        """Return the token of a query, or its number."""
        return _token(self.query_tokens, row)

    def key_name(self, row: int) -> str:
        """Return the token of a key, or its number."""
        return _token(self.key_tokens, row)

    def shown_name(self, stage: str, row: int, column: int) -> str:
        """Return `A[10, 13]`: columns of Q, K and V count over the whole matrix, others within the head."""
        if not STAGE[stage].input_side:
            return cell_name(stage, (row, column))
        return cell_name(stage, (row, column + self.head_of(stage) * self.head_width(stage)))

    def head_of(self, stage: str) -> int:
        """Return the shown head as Q, K or V count it: K and V may have fewer."""
        problem = self.problem
        return self.head // (problem.num_heads // problem.kv_heads) if STAGE[stage].by_key else self.head

    def head_width(self, stage: str) -> int:
        """Return the number of columns of Q, K or V of a head: keys may be wider than queries."""
        problem, entry = self.problem, STAGE[stage]
        if entry.target.name == "value":
            return problem.d_v
        return problem.d_key if entry.by_key else problem.d_k


def cell_name(name: str, index: Sequence[object]) -> str:
    """Return `A[10, 13]`: the symbol and the last two indices; a number without axes is its symbol alone."""
    places = ", ".join(str(place) for place in tuple(index)[-2:])
    return f"{letter(name)}[{places}]" if places else letter(name)


def running_name(first: Cell, last: Cell, letter: str, start: int) -> str:
    """Return `Q[10, c]`: the name of cells whose index runs from that of the first to that of the last; `Q[10, c − 2]`
    where it is 2 less than the letter, which runs from `start`."""

    def running(place: int) -> str:
        apart = place - start
        return f"{letter} {MINUS if apart < 0 else '+'} {abs(apart)}" if apart else letter

    places = zip(first.index, last.index, strict=True)
    return cell_name(first.name, [a if a == b else running(a) for a, b in places])


def role_of(name: str) -> str:
    """Return the role of the rows of Q, K and V; empty for other matrices."""
    if name not in STAGE or not STAGE[name].input_side:
        return ""
    return "key" if STAGE[name].by_key else "query"


def number(value: float, write: Callable[[float], str] = short_number) -> str:
    """Return a number in a sentence, in as many digits as formulas have it; `write` prints those that are not whole."""
    if is_whole(value) or not math.isfinite(value):
        return column_number(value, 0)
    return write(value).replace("-", MINUS)


def column_number(value: float, decimals: int) -> str:
    """Return a number in a column: fixed decimals also for small ones, so that points stand below one another."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+∞" if value > 0 else MINUS + "∞"
    if abs(value) >= LARGE:
        return _power_of_ten(value)
    text = f"{value:.{decimals}f}"
    return text.replace("-", MINUS if float(text) else "")


def column_writer(values: Iterable[float], decimals: int) -> Callable[[float], str]:
    """Return the number format of a column: powers of ten where the largest, or one of them, would lose its
    digits otherwise."""
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    if 0 < largest < 10.0 ** (1 - decimals):
        return lambda value: number(value) if value == 0 or not math.isfinite(value) else _power_of_ten(value)
    return lambda value: _power_of_ten(value) if 0 < abs(value) < SMALL else column_number(value, decimals)


def _power_of_ten(value: float) -> str:
    mantissa, exponent = f"{value:.2e}".split("e")
    return f"{mantissa}e{int(exponent)}".replace("-", MINUS)


def _token(tokens: Sequence[str] | None, row: int) -> str:
    """Return a token as it is shown; one of blanks alone is its number."""
    return (token_text(tokens[row]).strip() if tokens and row < len(tokens) else "") or str(row)


RUNNING = "·"
MANY = 64  # terms of which the first and the last say as well as all which index runs


@dataclass(frozen=True)
class Neighbor:
    """The words of a link and the cell that it leads to."""

    text: str
    name: str
    index: tuple[int, ...]


def sources(explanation: Explanation) -> tuple[Neighbor, ...]:
    """Return one link a matrix: its cell with the value, or its row or column with a dot where the index runs.

    A link to a row or column leads to the cell in it whose term is the largest.
    """
    computed = explanation.computed
    if computed is not None:  # its own number first, then what it would have come from
        here = computed.stage, computed.index
        own = [cell for cell in explanation.some_sources(MANY) if (cell.name, cell.index) != here]
        return (*_linked(own, explanation), *sources(computed))
    return _linked(explanation.some_sources(MANY), explanation)


def _linked(found: Sequence[Cell], explanation: Explanation) -> tuple[Neighbor, ...]:
    order = {name: place for place, name in enumerate(dict.fromkeys(cell.name for cell in found))}
    cells = sorted(found, key=lambda cell: order[cell.name])
    return tuple(_source(list(group), explanation) for _, group in groupby(cells, key=lambda cell: cell.name))


def reaches(reach: Iterable[ReachedBoxes], head: int) -> tuple[Neighbor, ...]:
    """Return one link a stage, in order: `A[10, ·]`, of the shown head where that is reached."""
    return tuple(_reached(one, head) for one in reach)


def covered(boxes: Sequence[Box]) -> int:
    """Return the number of cells in any of the boxes, cells of several counted once; batch and heads left out."""
    edges = [sorted({edge for box in boxes for edge in (box[axis].start, box[axis].stop)}) for axis in (-2, -1)]
    grid = np.zeros([max(len(line) - 1, 0) for line in edges], bool)
    for box in boxes:
        grid[
            tuple(slice(line.index(cut.start), line.index(cut.stop)) for line, cut in zip(edges, box[-2:], strict=True))
        ] = True
    rows, columns = (np.diff(line) for line in edges)
    return int(rows @ grid @ columns)


def shown_boxes(boxes: Sequence[Box], head: int) -> tuple[Box, ...]:
    """Return the boxes of one head: the shown one where it is reached, else the first that is."""
    if len(boxes[0]) < 4:
        return tuple(boxes)
    mine = tuple(box for box in boxes if box[1].start <= head < box[1].stop)
    first = boxes[0][1].start
    return mine or tuple(box for box in boxes if box[1].start <= first < box[1].stop)


def _source(cells: list[Cell], explanation: Explanation) -> Neighbor:
    stage = STAGE[plain_name(explanation.stage)]
    own = next((cell for cell in cells if stage.shares and cell.index == explanation.index), None)
    if len(cells) == 1 or own is not None:  # a softmax reads its whole row; its own score says most
        cell = own or cells[0]
        text = f"{cell_name(cell.name, cell.index)} = {number(cell.value)}"
        # whichever head is on show, this one comes from one of them, unless it was set by hand
        if stage.wording == "joint" and len(cell.index) > len(explanation.index):
            text = QCoreApplication.translate("Relations", "{cell}, head {head}").format(cell=text, head=cell.index[1])
        return Neighbor(text, plain_name(cell.name), cell.index)
    axes = zip(*(cell.index for cell in cells), strict=True)
    chief = next((cell for cell in _largest_term(explanation) if cell.name == cells[0].name), cells[0])
    return Neighbor(cell_name(chief.name, [_one_or_dot(axis) for axis in axes]), chief.name, chief.index)


def _largest_term(explanation: Explanation) -> tuple[Cell, ...]:
    sizes = np.abs(explanation.terms.values)
    return explanation.terms[int(np.nan_to_num(sizes, nan=-1.0).argmax())].cells if sizes.size else ()


def _one_or_dot(places: Iterable[int]) -> object:
    distinct = set(places)
    return distinct.pop() if len(distinct) == 1 else RUNNING


def _reached(one: ReachedBoxes, head: int) -> Neighbor:
    boxes = shown_boxes(one.boxes, head)
    index = [cut.start for cut in boxes[0]]
    if len(index) == 4 and boxes[0][1].start <= head < boxes[0][1].stop:
        index[1] = head
    return Neighbor(_reached_text(one, boxes), one.stage, tuple(index))


def _reached_text(one: ReachedBoxes, boxes: Sequence[Box]) -> str:
    """Return a row or a column by its name, what is neither by its number of cells."""
    if len(boxes) > 1:
        words = QCoreApplication.translate("Relations", "{symbol}, {count} cells")
        return words.format(symbol=cell_name(one.stage, ()), count=covered(boxes))
    places = [_span(cut, length) for cut, length in zip(boxes[0], one.shape, strict=True)]
    return cell_name(one.stage, places)


def _span(cut: slice, length: int) -> str:
    if cut.stop - cut.start == 1:
        return str(cut.start)
    return RUNNING if cut.stop - cut.start == length else f"{cut.start} … {cut.stop - 1}"


# --- links ----------------------------------------------------------------------------------------
ARROW = "→ "
BUTTONS = {BACKWARD: "inspector.origin", FORWARD: "inspector.reach"}


class LinkRow(QWidget):
    """Neighbors as links, in rows that wrap; `lead` stands before every one but the first."""

    cellRequested = Signal(str, tuple)  # stage or field, and the index in its axes

    def __init__(self, parent: QWidget | None = None, *, lead: str = "") -> None:
        super().__init__(parent)
        self.links: list[Link] = []
        self._lead = lead
        self._row = FlowLayout(self, gap=SPACING.s)

    def set_neighbors(self, neighbors: Sequence[Neighbor]) -> None:
        """Show links to these cells; buttons are kept and renamed, so that the keyboard stays where it was."""
        while len(self.links) > len(neighbors):
            link = self.links.pop()
            self._row.removeWidget(link)
            link.hide()
            link.deleteLater()
        while len(self.links) < len(neighbors):
            self.links.append(Link("", self))
            self.links[-1].clicked.connect(self._on_link_clicked)
            self._row.addWidget(self.links[-1])
            self.links[-1].show()
        for place, (link, neighbor) in enumerate(zip(self.links, neighbors, strict=True)):
            tip = self.tr("Explain {cell}").format(cell=neighbor.text)
            link.set_words(neighbor.text, self._lead if place else "", tip)
            link.setProperty("neighbor", neighbor)

    def _on_link_clicked(self) -> None:
        neighbor = self.sender().property("neighbor")
        self.cellRequested.emit(neighbor.name, neighbor.index)


class Relations(Retranslated, QWidget):
    """Links to what the explained cell comes from and to what it reaches, and switches that show both in the maps."""

    cellRequested = Signal(str, tuple)  # stage or field, and the index in its axes
    reachPicked = Signal(str)  # a direction of `marks.DIRECTIONS`, or none

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._captions = (QLabel(self), QLabel(self))
        self._rows = (LinkRow(self), LinkRow(self, lead=ARROW))
        self._other = QLabel(self)
        self._offered, self._sided = True, dict[str, bool]()
        self._toggles = {direction: self._toggle(direction, name) for direction, name in BUTTONS.items()}
        grid = space_grid(QGridLayout(self), SPACING.m, 0, 1)
        for place, (caption, row) in enumerate(zip(self._captions, self._rows, strict=True)):
            style_text(caption, "body", "text2")
            caption.setContentsMargins(0, SPACING.xs, 0, SPACING.xs)
            row.cellRequested.connect(self.cellRequested)
            grid.addWidget(caption, place, 0, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
            grid.addWidget(row, place, 1)
        below = QWidget(self)
        wrapped = FlowLayout(below, gap=SPACING.s)
        for widget in (*self._toggles.values(), self._other):
            wrapped.addWidget(widget)
        style_text(self._other, "small", "text2")
        grid.setRowMinimumHeight(len(self._rows), SPACING.s)
        grid.addWidget(below, len(self._rows) + 1, 0, 1, 2)
        self.retranslate()

    def set_explanation(self, explanation: Explanation, context: ExplainContext) -> None:
        """Set the neighbors of a cell."""
        found = (sources(explanation), reaches(context.reach, context.head))
        for caption, row, neighbors in zip(self._captions, self._rows, found, strict=True):
            row.set_neighbors(neighbors)
            caption.setVisible(bool(neighbors))
            row.setVisible(bool(neighbors))
        self._sided = {direction: bool(side) for direction, side in zip(self._toggles, found, strict=True)}
        self._show_toggles()

    def set_toggles_offered(self, offered: bool) -> None:
        """Set whether maps and tables can be asked to show both directions whole."""
        self._offered = offered
        self._show_toggles()

    def _show_toggles(self) -> None:
        for direction, toggle in self._toggles.items():
            toggle.setVisible(self._offered and self._sided.get(direction, False))

    def set_reach_shown(self, shown: str, other: str) -> None:
        """Set the direction that the maps show, and the name of the cell if it is not this one."""
        for direction, toggle in self._toggles.items():
            toggle.setChecked(direction == shown)
        self._other.setText(other)
        self._other.setVisible(bool(other))

    def links(self) -> tuple[QWidget, ...]:
        """Return the links and the button, in order."""
        return *(link for row in self._rows for link in row.links), *self._toggles.values()

    def retranslate(self) -> None:
        self._captions[0].setText(self.tr("Comes from"))
        self._captions[1].setText(self.tr("Reaches"))
        self._toggles[BACKWARD].setText(self.tr("Show its origin"))
        self._toggles[FORWARD].setText(self.tr("Show its reach"))
        set_tip(self._toggles[BACKWARD], self.tr("Show in tables and maps all that this cell is computed from"))
        set_tip(self._toggles[FORWARD], self.tr("Show in tables and maps all that is computed from this cell"))

    def _toggle(self, direction: str, name: str) -> QPushButton:
        button = QPushButton(self)
        button.setObjectName(name)
        button.setCheckable(True)
        button.clicked.connect(lambda shown: self.reachPicked.emit(direction if shown else ""))
        return button


LONGEST = 4  # so many places are named: the first one, where the way began, and the last ones


class Breadcrumbs(QWidget):
    """`A[10, 13] › S′[10, 13]`: the last place is here, the others lead back."""

    placeRequested = Signal(int)  # the place of a breadcrumb

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names: tuple[str, ...] = ()
        self._links: list[Link] = []
        self._here: QLabel | None = None
        self._row = FlowLayout(self, gap=SPACING.s)

    def set_places(self, names: Sequence[str]) -> None:
        """Set the names of the places, the present one last."""
        before, self._names = self._names, tuple(names)
        if len(before) == len(names) and before[:-1] == self._names[:-1]:
            if before != self._names and self._here is not None:
                self._here.setText(names[-1])  # making it again takes longer than all else in the panel
                self.setAccessibleName(" › ".join(names))
            return
        had_focus = any(link.hasFocus() for link in self.links())
        self._links, self._here = [], None
        clear_layout(self._row)
        named = [0, *range(max(1, len(names) - LONGEST + 1), len(names) - 1)] if len(names) > 1 else []
        for previous, position in pairwise([-1, *named]):
            if position - previous > 1:
                self._add_sign("… ›")
            self._links.append(self._link(names[position], position))
            self._add(self._links[-1])
            self._add_sign("›")
        if names:
            self._here = sentence_label(names[-1], self, "text", strong=True)
            self._add(self._here)
        self.setAccessibleName(" › ".join(names))
        if had_focus and self._links:
            self._links[-1].setFocus()

    def links(self) -> tuple[Link, ...]:
        """Return the links back, in order."""
        return tuple(self._links)

    def _link(self, name: str, position: int) -> Link:
        link = Link(parent=self, size="sentence")
        link.set_words(name, tip=self.tr("Back to {cell}").format(cell=name))
        link.clicked.connect(lambda _checked=False: self.placeRequested.emit(position))
        return link

    def _add_sign(self, sign: str) -> None:
        self._add(sentence_label(sign, self, "text3"))

    def _add(self, widget: QWidget) -> None:
        self._row.addWidget(widget)
        widget.show()


def sentence_label(text: str, parent: QWidget, tone: str, *, strong: bool = False) -> QLabel:
    """Return a label in the type of sentences."""
    label = QLabel(text, parent)
    style_text(label, "sentence", tone, strong=strong)
    return label


class WalkButton(Retranslated, QWidget):
    """The button that starts the walk through the explained cell, and the key that does so on the map."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.button, self._key = QPushButton(self), QLabel(self)
        cast(QApplication, QApplication.instance()).focusChanged.connect(self._on_focus_changed)
        self.button.setObjectName("inspector.walk")
        self._key.setObjectName("inspector.walk.key")
        style_text(self._key, "small", "text3")
        arrange(QHBoxLayout(self), self.button, self._key, 1, margins=0, spacing=SPACING.m)
        self.set_main(True)
        self.retranslate()

    def _on_focus_changed(self, _before: QWidget | None, now: QWidget | None) -> None:
        """Name the key but where it types a blank: in a field, or in a table."""
        self._key.setVisible(now is None or not now.testAttribute(Qt.WidgetAttribute.WA_InputMethodEnabled))

    def set_main(self, main: bool) -> None:
        """Fill the button, or leave that to another one of the column."""
        self.button.setProperty("filled", str(main).lower())
        self.button.setIcon(icon("play", "on_accent" if main else "text2"))
        restyle(self.button)

    def retranslate(self) -> None:
        self.button.setText(self.tr("Walk through this cell"))
        set_tip(self.button, self.tr("Show step by step, with its numbers, how this cell is computed"))
        self._key.setText(self.tr("Space key"))


class CellButtons(Retranslated, QWidget):
    """Buttons below an explanation: copies, the same as one equation, and a target for the cell."""

    copyRequested = Signal(str)  # "text" or "latex", "query_text" or "query_latex" for the one equation
    oneClicked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._more, self._has_one, self._has_target = True, False, False
        self._one, self._copy, self.target = QPushButton(self), QPushButton(self), QPushButton(self)
        forms = QMenu(self._copy)
        self._forms = {kind: forms.addAction(kind) for kind in ("text", "latex")}
        self._one.setCheckable(True)
        self._one.setObjectName("inspector.one_equation")
        self._copy.setObjectName("inspector.copy")
        self.target.setObjectName("inspector.target")
        self._copy.setIcon(icon("copy"))
        self._copy.setMenu(forms)
        flow = FlowLayout(self, between=SPACING.s)
        for button in self.buttons():
            flow.addWidget(button)
        self._one.clicked.connect(self.oneClicked)
        for kind, action in self._forms.items():
            action.setObjectName(f"action.explanation_{kind}")
            action.triggered.connect(lambda _=False, kind=kind: self._ask_to_copy(kind))
        self.retranslate()

    def set_one_offered(self, offered: bool) -> None:
        """Set whether there is one equation for the whole query."""
        self._has_one = offered
        self._show_buttons()

    def set_target_offered(self, offered: bool) -> None:
        """Set whether the explained cell can be given a target."""
        self._has_target = offered
        self._show_buttons()

    def set_more_offered(self, offered: bool) -> None:
        """Set whether more than a copy is offered."""
        self._more = offered
        self._show_buttons()

    def _show_buttons(self) -> None:
        self._one.setVisible(self._more and self._has_one)
        self.target.setVisible(self._more and self._has_target)

    @property
    def one(self) -> bool:
        """Whether the one equation is offered and wanted."""
        return self._one.isChecked() and not self._one.isHidden()

    def buttons(self) -> tuple[QPushButton, ...]:
        """Return all of them in order."""
        return self._copy, self._one, self.target

    def retranslate(self) -> None:
        self._one.setText(self.tr("As one equation"))
        self._copy.setText(self.tr("Copy"))
        self._forms["text"].setText(self.tr("As text"))
        self._forms["latex"].setText(self.tr("As LaTeX"))
        self.target.setText(self.tr("Set to…"))
        set_tip(self._one, self.tr("All steps of this query in one equation, such as a = softmax(q Kᵀ / √dₖ)"))
        set_tip(self._copy, self.tr("Copy the equations on show, with their numbers, as plain text or LaTeX"))
        set_tip(self.target, self.tr("Give this cell another number: what Q, K, V or X have to be for it is solved"))

    def _ask_to_copy(self, kind: str) -> None:
        self.copyRequested.emit(f"query_{kind}" if self.one else kind)
