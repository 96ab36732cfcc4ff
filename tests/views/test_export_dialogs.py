"""The export dialogs ask for figures and numbers, say what will be written or why not, and fit low screens."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QLabel, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from attn_gui.app.state.settings import set_language
from attn_gui.views.dialogs.export_dialog import ExportDataDialog, ExportDialog
from attn_gui.views.dialogs.export_form import BUTTONS
from attn_gui.views.dialogs.form_fields import DataChoice, ExportChoice, heads_from_text
from attn_gui.views.theme import apply_theme
from tests.failing import each

STAGES = ("query", "scores", "weights", "output")


def _drawn(_choice: ExportChoice) -> QImage:
    image = QImage(90, 60, QImage.Format.Format_RGB32)
    image.fill(QColor("#3A9B93"))
    return image


def _files(choice: ExportChoice) -> list[str]:
    groups = ["all"] if choice.sheet and len(choice.heads) > 1 else [f"h{head}" for head in choice.heads]
    found = [f"{choice.name or 'x'}-{stage}-{part}.{choice.format}" for stage in choice.stages for part in groups]
    return [f"{choice.name}.{choice.format}"] if choice.name and len(found) == 1 else found


def _image_dialog(qtbot: QtBot, folder: Path, draw: Callable[[ExportChoice], QImage] = _drawn) -> ExportDialog:
    dialog = ExportDialog(STAGES, heads=5, items=3, draw=draw, names=_files, stem="x")
    dialog.set_choice(ExportChoice(heads=(3,), batch=2, folder=str(folder)))
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def _choose_heads(qtbot: QtBot, dialog: ExportDialog, text: str) -> None:
    dialog.heads.choice.setCurrentIndex(dialog.heads.choice.findData("some"))
    dialog.heads.numbers.selectAll()
    qtbot.keyClicks(dialog.heads.numbers, text)


def _said(dialog: QDialog) -> list[str]:
    return [label.text() for label in dialog.findChildren(QLabel) if label.isVisible()]


@each(
    ("text", "heads"),
    [
        ("", (0, 1, 2, 3, 4)), (" ALL ", (0, 1, 2, 3, 4)), ("全部", (0, 1, 2, 3, 4)), ("3", (3,)),
        ("0, 2-4", (0, 2, 3, 4)), ("4,4、1", (1, 4)), ("２－３", (2, 3)), ("3-2", (2, 3)),
    ],
)  # fmt: skip
def test_heads_as_people_write_them(text, heads):
    assert heads_from_text(text, 5) == heads


@each(
    ("text", "named"),
    [
        ("5", "no head 5"), ("0-9", "no head 9"), ("a", "“a”"), ("1.5", "“1.5”"), ("-1", "“-1”"), ("1--2", "“1--2”"),
        ("9" * 5000, "“9+”"),
    ],
)  # fmt: skip
def test_heads_that_are_not_there_are_refused(text, named):
    with pytest.raises(ValueError, match=named):
        heads_from_text(text, 5)


def test_what_is_asked_for_is_what_is_shown(qtbot, tmp_path):
    dialog = _image_dialog(qtbot, tmp_path)
    assert dialog.result_choice() == ExportChoice(heads=(3,), batch=2, folder=str(tmp_path))
    qtbot.keyClick(dialog.stages, Qt.Key.Key_Up)
    qtbot.keyClick(dialog.stages, Qt.Key.Key_Space)
    assert not dialog.arrangement.isEnabled()  # one head has nothing to share
    _choose_heads(qtbot, dialog, "0, 2-3")
    dialog.format.setCurrentIndex(dialog.format.findData("svg"))
    dialog.values.setCurrentIndex(dialog.values.findData("never"))
    dialog.width_cm.set_value(8.5)
    qtbot.mouseClick(dialog.colorbar, Qt.MouseButton.LeftButton, pos=QPoint(6, dialog.colorbar.height() // 2))
    assert dialog.arrangement.isEnabled()
    dialog.arrangement.setCurrentIndex(1)
    dialog.font_size.setText("12")
    dialog.transparent.click()
    dialog.title.click()
    dialog.outlines.click()
    dialog.colormap.setCurrentIndex(dialog.colormap.findData("viridis"))
    dialog.levels.choice.setCurrentIndex(dialog.levels.choice.findData("typed"))
    dialog.levels.low.setText("-5")
    dialog.levels.high.setText("7")
    assert dialog.result_choice() == ExportChoice(
        stages=("scores", "weights"),
        heads=(0, 2, 3),
        batch=2,
        format="svg",
        width=8.5,
        values=False,
        colorbar=False,
        sheet=True,
        folder=str(tmp_path),
        font_size=12,
        transparent=True,
        title=False,
        outlines=True,
        colormap="viridis",
        levels="typed",
        typed=(-5.0, 7.0),
    )
    assert not dialog.dpi.isEnabled()
    dialog.format.setCurrentIndex(dialog.format.findData("png"))
    assert not dialog.outlines.isEnabled()  # pixels have no letters
    assert not dialog.result_choice().outlines
    qtbot.keyClick(dialog.made_for, Qt.Key.Key_Down)
    assert dialog.result_choice().width is dialog.result_choice().font_size is None, "those of a paper's column"


def test_the_keyboard_begins_at_the_field_that_stands_first(qtbot, tmp_path):
    """It began in the folder, the last one."""
    dialog = _image_dialog(qtbot, tmp_path)
    dialog.activateWindow()
    assert dialog.focusWidget() is dialog.stages
    qtbot.keyClick(dialog.stages, Qt.Key.Key_Return)
    assert dialog.result() == QDialog.DialogCode.Accepted, "Enter exports from there, too"


def test_the_proposed_name_follows_until_another_is_typed(qtbot, tmp_path):
    dialog = _image_dialog(qtbot, tmp_path)
    assert dialog.name.text() == "x-weights-h3"
    dialog.stages.set_keys(("scores",))
    dialog.stages.ticked.emit()
    assert dialog.name.text() == "x-scores-h3"
    dialog.name.selectAll()
    qtbot.keyClicks(dialog.name, "figure1")
    assert "Writes figure1.png." in _said(dialog)
    dialog.format.setCurrentIndex(dialog.format.findData("svg"))
    assert dialog.name.text() == "figure1"
    assert dialog.result_choice().name == "figure1"
    _choose_heads(qtbot, dialog, "0,2")
    assert "Writes figure1-scores-h0.svg and figure1-scores-h2.svg." in _said(dialog)
    dialog.name.selectAll()
    qtbot.keyClick(dialog.name, Qt.Key.Key_Delete)
    dialog.heads.choice.setCurrentIndex(0)
    assert dialog.name.text() == "x-scores-h3"


def test_the_preview_follows_and_shows_the_first_figure(qtbot, tmp_path):
    asked: list[ExportChoice] = []

    def draw(choice: ExportChoice) -> QImage:
        asked.append(choice)
        return _drawn(choice)

    dialog = _image_dialog(qtbot, tmp_path, draw)
    qtbot.waitUntil(lambda: bool(asked))
    asked.clear()
    dialog.heads.set_heads((1, 2, 3, 4))
    dialog.heads.changed.emit()
    qtbot.waitUntil(lambda: bool(asked))
    assert [choice.heads for choice in asked] == [(1,)]
    dialog.arrangement.setCurrentIndex(1)
    dialog.preview.draw_now()
    assert asked[-1].heads == (1, 2, 3, 4)
    assert dialog.preview.grab().toImage().pixelColor(dialog.preview.rect().center()) == QColor("#3A9B93")


def test_a_preview_that_fails_says_why(qtbot, tmp_path):
    def draw(_choice: ExportChoice) -> QImage:
        raise ValueError("4,000,000 cells are too many for one figure.")

    dialog = _image_dialog(qtbot, tmp_path, draw)
    dialog.preview.draw_now()
    assert dialog.preview.image().isNull()
    assert dialog.preview.sentence() == "4,000,000 cells are too many for one figure."
    assert dialog.isVisible()


def test_options_are_remembered_but_not_what_is_shown(qtbot, tmp_path):
    dialog = _image_dialog(qtbot, tmp_path)
    dialog.set_choice(
        ExportChoice(
            stages=("scores",),
            heads=(1,),
            batch=1,
            format="pdf",
            width=12.5,
            dpi=600,
            values=True,
            colorbar=False,
            theme="dark",
            folder=str(tmp_path),
        )
    )
    other = _image_dialog(qtbot, tmp_path / "else")
    other.propose(other.result_choice(), dialog.state())
    assert other.result_choice() == replace(dialog.result_choice(), stages=("weights",), heads=(3,), batch=2)
    impossible = {"format": "bmp", "dpi": "many", "values": 3, "colorbar": None, "font_size": 1000}
    other.propose(other.result_choice(), impossible)
    assert other.result_choice().format == "pdf"


def test_numbers_are_asked_for_by_name(qtbot, tmp_path):
    dialog = ExportDataDialog(
        ("query", "weights", "output"),
        heads=5,
        items=1,
        names=lambda choice: [f"{name}.{choice.format}" for name in choice.arrays],
    )
    dialog.set_choice(DataChoice(arrays=("weights",), heads=(3,), folder=str(tmp_path)))
    qtbot.addWidget(dialog)
    dialog.show()
    assert dialog.result_choice() == DataChoice(arrays=("weights",), heads=(3,), folder=str(tmp_path))
    assert not dialog.heads.isEnabled()
    dialog.format.setCurrentIndex(dialog.format.findData("csv"))
    assert dialog.heads.isEnabled()
    dialog.bom.click()
    dialog.headers.click()
    qtbot.mouseClick(dialog.every, Qt.MouseButton.LeftButton)
    dialog.heads.setText("all")
    assert dialog.result_choice() == DataChoice(
        arrays=("query", "weights", "output"),
        heads=(0, 1, 2, 3, 4),
        format="csv",
        bom=True,
        headers=True,
        folder=str(tmp_path),
    )
    dialog.format.setCurrentIndex(dialog.format.findData("npy"))
    assert not dialog.result_choice().bom  # a mark for text has no place in it
    qtbot.mouseClick(dialog.none, Qt.MouseButton.LeftButton)
    dialog.accept()
    assert dialog.isVisible()
    assert "Tick at least one matrix." in _said(dialog)


@pytest.fixture
def look(qapp, request):
    lang, zoom = request.param
    set_language(qapp, lang)
    apply_theme(qapp, "light", zoom)
    yield
    set_language(qapp, "en")
    apply_theme(qapp, "light")


@pytest.fixture
def dialog(look, qtbot):
    paper = QImage(90, 60, QImage.Format.Format_RGB32)
    found = ExportDialog(STAGES, heads=5, draw=lambda _: paper, names=lambda _: ["x.png"], stem="x")
    found.set_choice(ExportChoice(folder="."))
    qtbot.addWidget(found)
    found.show()
    assert QTest.qWaitForWindowActive(found)
    return found


def place_in(area: QScrollArea, widget: QWidget) -> QRect:
    return QRect(widget.mapTo(area.viewport(), widget.rect().topLeft()), widget.size())


@pytest.mark.parametrize("look", [("en", 2.0), ("zh", 1.5), ("zh", 2.0)], indirect=True)
def test_at_a_zoom_the_fields_scroll_and_the_buttons_stay(dialog):
    area = dialog.findChild(QScrollArea)
    assert dialog.height() <= dialog.screen().availableSize().height()
    dialog.resize(dialog.minimumSizeHint().width(), 650)
    QTest.qWait(0)
    for button in (BUTTONS.Save, BUTTONS.Cancel):
        assert dialog.rect().contains(dialog.buttons.geometry())
        assert dialog.buttons.button(button).isVisible()
    assert area.verticalScrollBar().isVisible()
    for name in ("stages", "levels", "theme", "name", "target"):
        field = dialog.findChild(QWidget, f"export.{name}")
        assert field.width() >= field.minimumSizeHint().width(), name
        assert place_in(area, field).left() >= 0, name
        assert place_in(area, field).right() < area.viewport().width(), name
