"""Right clicks and the Menu key on every zone; letting a chosen cell go; what All stages marks and zooms together."""

from __future__ import annotations

from itertools import product

import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from attn_gui.views.spine.spine_items import StageNode

SMALL = "worked-example.npz"


def _menu(widget: QWidget, place: QPoint | None = None, *, keyboard: bool = False) -> QMenu:
    """The menu that a right click, or the Menu key, opens on a widget."""
    at = place or widget.rect().center()
    reason = QContextMenuEvent.Reason.Keyboard if keyboard else QContextMenuEvent.Reason.Mouse
    QApplication.sendEvent(widget, QContextMenuEvent(reason, at, widget.mapToGlobal(at)))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu), f"no menu on {widget.objectName()}"
    return menu


def _names(menu: QMenu) -> set[str]:
    return {
        action.objectName() or action.menu().objectName()
        for action in menu.actions()
        if action.objectName() or action.menu()
    }


def test_every_zone_has_a_menu_that_acts_on_what_it_was_opened_on(launch):
    person = launch()
    person.click_cell("weights", 1, 0)
    for zone, offered in (
        ("node.weights", {"action.copy", "menu.copy_as", "action.masks", "action.export_image"}),
        ("head.0", {"action.copy", "action.next_head"}),
        ("history.steps", {"action.undo", "action.redo", "action.copy"}),
        ("inspector.terms", {"action.copy", "action.previous_place", "action.release_cell"}),
    ):
        for keyboard in (False, True):
            target = person.find(zone)
            if keyboard:
                target.setFocus()
            menu = _menu(target, keyboard=keyboard)
            assert offered <= _names(menu), zone
            assert target.hasFocus(), zone
            menu.close()

    # the button itself, at the window, as it comes from the screen
    for name in ("node.scores", "head.1", "heatmap.weights"):
        target, met, again = person.find(name), [], QTimer(person.window, interval=5)

        def look(met=met, again=again):
            if (menu := QApplication.activePopupWidget()) is not None:
                again.stop()
                met.append(_names(menu))
                menu.close()

        again.timeout.connect(look)
        again.start()
        place = target.mapTo(person.window, target.rect().center())
        QTest.mouseClick(person.window.windowHandle(), Qt.MouseButton.RightButton, pos=place)
        person.until(lambda met=met: bool(met))
        assert "action.copy" in met[0], name

    person.again("all stages mark and zoom the place of the chosen score together")
    person.do("all_stages")
    person.click_cell("scores", 2, 3)
    for stage in ("scores", "scaled", "weights"):
        marks = person.find(f"heatmap.{stage}").overlay.marks
        assert (marks.row, marks.column) == (2, 3)

    # all stages zoom together and a stage keeps the zoom of the one before
    person.press("+", "+")
    window = person.find("heatmap.scores").box.in_view
    assert window[1] - window[0] < 16
    for stage in ("scaled", "weights"):
        assert person.find(f"heatmap.{stage}").box.in_view == pytest.approx(window)
    person.do("product")
    person.show_stage("weights")
    window = person.find("heatmap.weights").box.in_view
    assert window[1] - window[0] < 16
    person.show_stage("scaled")
    assert person.find("heatmap.scaled").box.in_view == pytest.approx(window)

    person.again("a map offers to copy itself and to let its cell go", SMALL)
    heatmap = person.find("heatmap.weights")
    heatmap.setFocus()
    menu = _menu(heatmap, heatmap.cell_rect(1, 0).center())
    assert {"action.copy", "menu.copy_as", "action.release_cell", "action.show_reach"} <= _names(menu)
    assert heatmap.chosen == (1, 0)
    person.action("release_cell").trigger()
    menu.close()
    assert heatmap.chosen is None
    assert not person.action("release_cell").isEnabled()

    person.again("escape or a click beside the maps lets the chosen cell go", SMALL)
    person.click_cell("weights", 1, 0)
    person.press("Esc")
    assert person.find("heatmap.weights").chosen is None
    for mode in ("product", "all_stages"):
        person.do(mode)
        person.click_cell("weights", 1, 0)
        ground = person.program.window.product if mode == "product" else person.program.window.all_stages.widget()
        QTest.mouseClick(ground, Qt.MouseButton.LeftButton, pos=QPoint(2, ground.height() - 3))
        assert person.find("heatmap.weights").chosen is None, mode


def test_every_map_of_the_spine_has_a_menu_one_after_another(launch):
    """Also where a menu was open before, in a narrow window, and with a mask."""
    person = launch(width=1024, height=700)
    person.window.mask_panel.add_layer("causal")
    for mode, keyboard in product(("product", "all_stages"), (False, True)):
        person.do(mode)
        person.wait()
        nodes = [node for node in person.window.findChildren(StageNode) if node.isVisible()]
        assert {"node.query", "node.scores", "node.masked", "node.weights"} <= {node.objectName() for node in nodes}
        for node in nodes:
            if keyboard:
                node.setFocus()
            menu = _menu(node, node.map_rect().center(), keyboard=keyboard)
            assert {"action.copy", "menu.copy_as", "action.export_image"} <= _names(menu), (mode, node.objectName())
            assert node.hasFocus()
            menu.close()
