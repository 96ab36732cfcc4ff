"""The dialog of images on a low screen, at a zoom: its fields scroll, its buttons stay in sight."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from attn_gui.app.state import settings
from attn_gui.views.dialogs.export_choice import ExportChoice
from attn_gui.views.dialogs.export_dialog import ExportDialog
from attn_gui.views.dialogs.export_form import BUTTONS
from attn_gui.views.theme import apply_theme

STAGES = ("query", "scores", "weights", "output")


@pytest.fixture
def look(qapp: QApplication, request: pytest.FixtureRequest) -> Iterator[None]:
    lang, zoom = request.param
    settings.set_language(qapp, lang)
    apply_theme(qapp, "light", zoom)
    yield
    settings.set_language(qapp, "en")
    apply_theme(qapp, "light")


@pytest.fixture
def dialog(look: None, qtbot: QtBot) -> ExportDialog:
    paper = QImage(90, 60, QImage.Format.Format_RGB32)
    found = ExportDialog(STAGES, heads=5, draw=lambda _: paper, names=lambda _: ["x.png"], stem="x")
    found.set_choice(ExportChoice(folder="."))
    qtbot.addWidget(found)
    found.show()
    assert QTest.qWaitForWindowActive(found)
    return found


def scroll_area(dialog: ExportDialog) -> QScrollArea:
    found = dialog.findChild(QScrollArea)
    assert found is not None
    return found


def place_in(area: QScrollArea, widget: QWidget) -> QRect:
    return QRect(widget.mapTo(area.viewport(), widget.rect().topLeft()), widget.size())


@pytest.mark.parametrize("look", [("en", 1.0), ("zh", 1.0)], indirect=True)
def test_all_is_in_sight_where_there_is_room(dialog: ExportDialog) -> None:
    assert not scroll_area(dialog).verticalScrollBar().isVisible()


@pytest.mark.parametrize("look", [("en", 2.0), ("zh", 1.5), ("zh", 2.0)], indirect=True)
def test_at_a_zoom_the_fields_scroll_and_the_buttons_stay(dialog: ExportDialog) -> None:
    area = scroll_area(dialog)
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


@pytest.mark.parametrize("look", [("zh", 2.0)], indirect=True)
def test_the_field_that_is_reached_by_tab_comes_into_sight(dialog: ExportDialog) -> None:
    area = scroll_area(dialog)
    dialog.resize(dialog.width(), 600)
    QTest.qWait(0)
    assert not area.viewport().rect().contains(place_in(area, dialog.name))
    dialog.stages.setFocus(Qt.FocusReason.TabFocusReason)
    for _ in range(40):
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        if dialog.name.hasFocus():
            break
    assert dialog.name.hasFocus()
    assert area.viewport().rect().contains(place_in(area, dialog.name))
