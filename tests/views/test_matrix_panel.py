"""A matrix in its panel: what a person sees and does with keys and mouse; every row and every name whole."""

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor, QFontMetrics, QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QStyleOptionViewItem

from attn_gui.document.matrix_model import MatrixModel
from attn_gui.figure.colors import lut
from attn_gui.figure.design_tokens import SPACING, THEMES
from attn_gui.views.tables.inputs import GroupSwitch, shares
from attn_gui.views.tables.matrix_panel import MatrixPanel, WholeRows
from attn_gui.views.theme import apply_theme, scaled, ui_font
from tests.failing import each

ROWS, COLUMNS = 7, 11
TOKENS = ("zero", "<b>one</b>", "two", "three", "four", "five", "six")
Key, Modifier = Qt.Key, Qt.KeyboardModifier
NARROWEST = 300  # pixels of the column of tables
NAMES = ("X", "W_Q", "b_Q", "W_K", "b_K", "W_V", "b_V", "W_O", "b_O", "W_score_Q", "W_score_K", "w_score", "β")
LEFT = Qt.MouseButton.LeftButton
MANY = 60  # so often no table is laid out for one change of its size


class Desk:
    """A panel over an array; what is typed is written as the document would."""

    def __init__(self, array: np.ndarray, editable: bool = True) -> None:
        self.array = array
        self.panel = MatrixPanel("query")
        self.model = MatrixModel(self.panel)
        self.model.set_matrix(lambda: self.array, row_labels=TOKENS, editable=editable, renamable=True)
        self.model.typed.connect(self._write)
        self.panel.set_model(self.model)
        self.panel.view.rows.renamable = True
        self.view = self.panel.view

    def _write(self, row: int, column: int, value: float) -> None:
        self.array[row, column] = value
        self.model.cells_changed(slice(row, row + 1), slice(column, column + 1))

    def go(self, row: int, column: int) -> None:
        self.view.setFocus()
        self.panel.view.choose(row, column)

    def press(self, key: Key | str, modifier: Modifier = Modifier.NoModifier) -> None:
        """To whatever has the focus, as a keyboard does."""
        QTest.keyClick(QApplication.focusWidget(), key, modifier)

    def write(self, text: str) -> None:
        for letter in text:
            self.press(letter)

    def editor(self) -> QLineEdit | None:
        focused = QApplication.focusWidget()
        return focused if isinstance(focused, QLineEdit) else None

    def pixel(self, row: int, column: int, x: float = 0.1, y: float = 0.2) -> QColor:
        """The color at a fraction of a cell, as it is on the screen."""
        rect = self.view.visualRect(self.model.index(row, column))
        image = self.view.viewport().grab().toImage()
        return image.pixelColor(rect.left() + round(rect.width() * x), rect.top() + round(rect.height() * y))


class Ink:
    """Notes the last text that is painted with it."""

    text = ""

    def drawText(self, _room: QRect, _flags: int, text: str) -> None:
        self.text = text

    def __getattr__(self, _name: str) -> Callable[..., None]:
        return lambda *_: None


def painted_text(table: Desk, row: int, column: int) -> str:
    """The text of a cell as it is painted, when it is measured with the letters of the table."""
    ink, option, index = Ink(), QStyleOptionViewItem(), table.model.index(row, column)
    option.rect = table.view.visualRect(index)
    table.view.cells.paint(ink, option, index)
    room = option.rect.width() - scaled(SPACING.s)
    assert QFontMetrics(ui_font("body", tabular=True)).horizontalAdvance(ink.text) <= room, "Qt would cut its left side"
    return ink.text


@pytest.fixture
def desk(qtbot):
    made = []

    def make(array: np.ndarray | None = None, width: int = 600, height: int = 300, **options: bool) -> Desk:
        numbers = np.arange(ROWS * COLUMNS, dtype=float).reshape(ROWS, COLUMNS) / 10 if array is None else array
        found = Desk(numbers, **options)
        made.append(found)
        qtbot.addWidget(found.panel)
        found.panel.resize(width, height)
        found.panel.show()
        found.panel.activateWindow()
        QTest.qWaitForWindowExposed(found.panel, 120_000)
        return found

    return make


def test_a_refused_text_is_red(desk):
    table = desk()
    table.go(2, 3)
    table.write("1.2e")
    table.press(Key.Key_Return)
    assert table.editor().palette().text().color() == THEMES["light"].error


def test_typing_survives_a_change_of_the_cell(desk):
    table = desk()
    table.go(2, 3)
    table.write("77")
    table.array[:] = 0
    table.model.cells_changed(slice(0, ROWS), slice(0, COLUMNS))
    assert table.editor().text() == "77"


@each("composed", [True, False])
def test_an_input_method_loses_nothing(desk, composed):
    table = desk()
    table.go(2, 3)
    if composed:
        QApplication.sendEvent(table.view, QInputMethodEvent("wu", []))
    event = QInputMethodEvent()
    event.setCommitString("５")  # full-width, as Chinese input methods give it
    QApplication.sendEvent(table.view, event)
    table.press(Key.Key_Return)
    assert table.array[2, 3] == 5


@each(
    ("key", "place", "block"),
    [
        (Key.Key_Right, (2, COLUMNS - 1), (slice(2, 3), slice(3, COLUMNS))),
        (Key.Key_Left, (2, 0), (slice(2, 3), slice(0, 4))),
        (Key.Key_Up, (0, 3), (slice(0, 3), slice(3, 4))),
        (Key.Key_Down, (ROWS - 1, 3), (slice(2, ROWS), slice(3, 4))),
    ],
)
def test_control_and_an_arrow_go_to_the_border(desk, key, place, block):
    table = desk()
    table.go(2, 3)
    table.press(key, Modifier.ControlModifier)
    index = table.panel.view.currentIndex()
    assert (index.row(), index.column()) == place
    table.go(2, 3)
    table.press(key, Modifier.ControlModifier | Modifier.ShiftModifier)
    assert table.panel.selection() == block


def test_a_row_is_brought_to_the_middle_unless_it_is_in_sight(desk):
    table = desk(np.zeros((101, COLUMNS)), height=200)
    table.panel.scroll_to_row(50)
    top, rows = table.view.rowAt(0), table.view.visible_rows()
    assert abs(50 - (top + rows // 2)) <= 1
    table.panel.scroll_to_row(top)
    assert table.view.rowAt(0) == top


@each(("scheme", "share"), [("light", 0.32), ("dark", 0.45)])
def test_cells_are_tinted_with_the_signed_map(desk, scheme, share):
    apply_theme(QApplication.instance(), scheme)
    numbers = np.zeros((ROWS, COLUMNS))
    numbers[1, 2], numbers[3, 4] = 4.0, -4.0
    table = desk(numbers)
    background = THEMES[scheme].surface
    for row, column, entry in ((1, 2, 511), (3, 4, 0)):
        color = QColor.fromRgb(int(lut("signed", scheme)[entry]))
        seen = table.pixel(row, column)
        for part in ("red", "green", "blue"):
            wanted = share * getattr(color, part)() + (1 - share) * getattr(background, part)()
            assert abs(getattr(seen, part)() - wanted) <= 2


@each(("role", "row"), [("query", 2), ("key", 4)])
def test_the_marked_row_lies_between_lines_of_its_role(desk, role, row):
    table = desk(np.zeros((ROWS, COLUMNS)))
    table.panel.set_marks([(row, role)])
    color = getattr(THEMES["light"], role)
    assert table.pixel(row, 1, y=0) == color
    assert table.pixel(row, 1, y=0.95) == color
    table.panel.set_marks()
    assert table.pixel(row, 1, y=0) != color


def test_nan_is_written_in_red(desk):
    numbers = np.ones((ROWS, COLUMNS))
    numbers[2, 2] = np.nan
    table, error = desk(numbers), THEMES["light"].error
    for place in (2, 3):
        image = table.view.viewport().grab(table.view.visualRect(table.model.index(place, place))).toImage()
        colors = [image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height())]
        reds = sum(abs(color.red() - error.red()) < 30 and color.green() < 120 for color in colors)
        assert (reds > 5) == (place == 2)


@each("numbers", [(1, 999999.5, 2e6), (-2e6, -999999.5, 1), (-1, -2e-7, 1e-7), (1, -2, np.nan)])
def test_every_measured_number_is_whole(desk, numbers):
    table = desk(np.array([numbers] * 30))
    table.model.set_decimals(6)
    table.panel.set_compact(True)  # and measured again
    shown = [table.model.cell(0, column)[0] for column in range(3)]
    assert [painted_text(table, 0, column) for column in range(3)] == shown


def test_a_number_without_room_keeps_its_sign_and_its_first_digits(desk):
    table = desk(np.full((3, 2), -123.456))
    table.view.setColumnWidth(0, 40)
    text = painted_text(table, 0, 0)
    assert text.endswith("…")
    assert "−123.456".startswith(text.removesuffix("…"))


def test_a_head_is_a_band_of_columns(desk, qtbot):
    table = desk(np.zeros((ROWS, 60)), width=300)
    table.panel.set_heads(5, 12, 1)
    ruler = table.panel._ruler
    for head in (0, 2, 4):
        with qtbot.waitSignal(table.panel.headPicked) as heard:
            QTest.mouseClick(ruler, Qt.MouseButton.LeftButton, pos=ruler.box(head).center())
        assert heard.args == [head]
    table.panel.scroll_to_head(2)
    assert table.view.columnAt(2) == 24
    assert ruler.grab().toImage().pixelColor(ruler.box(1).topLeft() + QPoint(2, 2)) == THEMES["light"].accent


@each("count", [2, 7, len(NAMES)])
def test_no_name_of_a_table_is_cut_however_many_there_are(qtbot, count):
    switch = GroupSwitch()
    qtbot.addWidget(switch)
    switch.set_choices([(name, name, "") for name in NAMES[:count]], NAMES[0])
    switch.resize(NARROWEST, switch.sizeHint().height())
    switch.show()
    qtbot.waitExposed(switch)
    buttons = switch.buttons()
    assert all(button.width() >= button.fontMetrics().horizontalAdvance(button.text()) for button in buttons)
    assert all(button.geometry().right() < NARROWEST for button in buttons)
    assert len({button.geometry().topLeft().toTuple() for button in buttons}) == count


def test_tables_take_what_they_need_of_the_column_and_leave_the_rest_to_others():
    assert shares([70, 70, 60], 400) == [98, 98, 204]  # all whole, with a step between
    assert shares([60, 300, 300], 460) == [60, 200, 200]
    assert shares([300, 60, 500], 460) == [200, 60, 200]


@pytest.fixture
def count(monkeypatch):
    """How often the table was cut to whole rows; one that never comes to rest is stopped."""
    found, fit = [0], WholeRows.fit

    def counted(self: WholeRows) -> None:
        found[0] += 1
        assert found[0] < MANY, "the table never comes to rest"
        fit(self)

    monkeypatch.setattr(WholeRows, "fit", counted)
    return found


def shown(qtbot, *shape: int) -> MatrixPanel:
    panel, model, cells = MatrixPanel("query"), MatrixModel(), np.ones(shape)
    qtbot.addWidget(panel)
    model.set_matrix(lambda: cells)
    panel.set_model(model)
    panel.show()
    return panel


def settle() -> None:
    for _ in range(20):
        QApplication.processEvents()


def test_scroll_bars_that_need_one_another_come_to_rest(qtbot, count):
    panel = shown(qtbot, 3, 5)
    for width in range(280, 340, 8):
        for height in range(90, 170, 8):
            count[0] = 0
            panel.resize(width, height)
            settle()


@each("drawn", [{2: 13}, {0: 20, 3: 25}, {0: 14, 1: 150}], one_of=3)
def test_columns_that_a_person_drew_come_to_rest(qtbot, count, drawn):
    """A narrow one made room for another column, which took the room away: the window stood still for good."""
    panel = shown(qtbot, 8, 4)
    for width in range(200, 360, 20):
        count[0] = 0
        panel.resize(width, 190)
        panel.view.draw_columns(4, {})
        settle()
        count[0] = 0
        panel.view.draw_columns(4, drawn)
        settle()
        shares = {column: panel.view.columnWidth(column) for column in range(4)}
        assert {column: shares[column] for column in drawn} == drawn
        count[0] = 0
        panel.resize(width + 2, 140)
        settle()


def test_a_column_drawn_with_the_mouse_leaves_the_others_as_they_are(qtbot, count):
    panel = shown(qtbot, 8, 4)
    panel.resize(314, 190)
    settle()
    before = [panel.view.columnWidth(column) for column in range(4)]
    header, edge = panel.view.columns, panel.view.columnViewportPosition(2) + before[2] - 1
    middle = header.height() // 2
    QTest.mousePress(header.viewport(), LEFT, pos=QPoint(edge, middle))
    for place in (edge - 20, edge - 30):
        QTest.mouseMove(header.viewport(), QPoint(place, middle))
    QTest.mouseRelease(header.viewport(), LEFT, pos=QPoint(edge - 30, middle))
    settle()
    assert [panel.view.columnWidth(column) for column in range(4)] == [*before[:2], before[2] - 30, before[3]]
