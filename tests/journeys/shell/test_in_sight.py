"""Whatever the window says, asks or has the keyboard in lies in sight, at the usual sizes and in both languages."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QSize
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit, QMessageBox, QScrollArea, QWidget

from attn_gui.views.banner import BannerOffer
from tests.seen import fault, faults, worded

SIZES = [(1366, 700), (1440, 900), (1920, 1080)]
LOWEST = QSize(1366 - 10, 768 - 40)
"""The room for a dialog on the smallest screen, its frame left out."""
DIALOGS = (
    "new",
    "tokens",
    "export_image",
    "export_data",
    "card",
    "set_target",
    "worksheets",
    "multiply_cells",
    "search_actions",
    "shortcuts",
    "about",
)
SENTENCE = "This says at some length what was refused, where it was refused, and what was expected instead of it. " * 2


def settled(person):
    person.wait()
    for _ in range(5):  # what one panel asks for reaches the others in a few turns
        QApplication.processEvents()


def notice(person):
    offers = [BannerOffer(f"A way out, number {place}", "", lambda: None) for place in range(4)]
    person.program.window.banner.show_error(SENTENCE + "name_of_a_file_" * 9, offers=offers, focus=True)
    return [person.find("banner")]


def refusal_at_a_cell(person):
    person.go_to("value", 0, 0)
    person.type("abc")
    person.press("Return")
    return [tip for tip in person.window.findChildren(QWidget, "refusal") if tip.isVisible()]


def refusal_at_a_size(person):
    field = person.find("control.n")
    person.overwrite(field, "0")
    return [person.find("refusal")]


def masks(person):
    person.do("masks")
    return [person.find("panel.mask")]


def finding(person):
    person.do("find")
    return [person.find("find")]


def brush(person):
    person.do("mask_tool")
    return [person.find("brush")]


def comparison(person):
    person.do("pin")
    person.type_into("query", 0, 0, "3")
    person.do("show_difference")
    return [person.find("comparison")]


def history(person):
    return [person.find("history"), person.window.statusBar()]


def by_hand(person):
    person.do("interventions")
    return [person.find("panel.interventions")]


def exercise(person):
    person.show_stage("weights")
    person.click_cell("weights", 1, 1)
    person.do("leave_out")
    while person.program.late.exercises.busy:
        QTest.qWait(1)
    person.overwrite(person.find("exercise.answer", QLineEdit), "17")
    while person.program.late.exercises.busy:
        QTest.qWait(1)
    return [person.find("exercise"), person.find("exercise.verdict")]


@pytest.mark.family(4)
@pytest.mark.parametrize(
    "say",
    [notice, refusal_at_a_cell, refusal_at_a_size, masks, finding, brush, comparison, history, by_hand, exercise],
    ids=lambda say: say.__name__,
)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_the_window_says_is_in_sight(launch, say, lang):
    found = []
    person = launch("worked-example.npz", lang=lang, width=SIZES[0][0], height=SIZES[0][1])
    settled(person)
    said = say(person)
    for size in SIZES:
        person.window.resize(*size)
        settled(person)
        widgets = dict.fromkeys(part for panel in said for part in (panel, *worded(panel)))
        widgets[person.focus()] = None
        found += [f"{size}: {one}" for one in faults(widgets)]
        assert (person.window.width(), person.window.height()) == size
    assert not found, "\n".join(found)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_button_of_the_tool_bar_is_in_sight(launch, lang):
    person = launch("worked-example.npz", lang=lang)
    for size in [(1024, 700), (1200, 700), *SIZES, (1199, 700)]:
        person.window.resize(*size)
        settled(person)
        bar = person.find("toolbar")
        buttons = [bar.widgetForAction(action) for action in bar.actions() if action.icon()]
        assert len(buttons) > 8
        assert faults(button for button in buttons if button is not None) == [], size


def wrong_in(dialog):
    """Faults of a dialog: what it says and its buttons are in sight, or scroll without being cut at their sides."""
    QApplication.processEvents()
    wrong = faults(dict.fromkeys((*worded(dialog), dialog.focusWidget() or dialog)))
    for area in dialog.findChildren(QScrollArea):
        if area.widget() is not None and area.isVisible() and area.widget().width() > area.viewport().width():
            wrong.append(f"{area.widget()} is cut at its side")
    if dialog.size().expandedTo(LOWEST) != LOWEST:
        wrong.append(f"{dialog.size()} is more than a low screen has")
    return wrong


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_dialogs_and_a_question_ask_is_in_sight(launch, lang):
    person = launch("worked-example.npz", lang=lang, width=1366, height=700)
    found = []
    for name in DIALOGS:
        person.click_cell("weights", 0, 1)

        def look_at(dialog, name=name):
            found.extend(f"{name}: {wrong}" for wrong in wrong_in(dialog))
            dialog.reject()

        person.answering(QDialog, look_at, lambda name=name: person.do(name))
    person.type_into("query", 0, 0, "5")

    def look(box):
        found.extend(wrong_in(box))
        box.button(QMessageBox.StandardButton.Cancel).click()

    person.answering(QMessageBox, look, person.program.files.may_leave)
    assert not found, "\n".join(found)


def test_what_is_scrolled_away_or_covered_counts_as_unseen(qtbot):
    area, page = QScrollArea(), QWidget()
    qtbot.addWidget(area)
    page.resize(200, 900)
    line = QLineEdit("below", page)
    line.move(0, 800)
    area.setWidget(page)
    area.resize(300, 300)
    area.show()
    assert "out of sight" in fault(line)
    area.ensureWidgetVisible(line)
    assert not fault(line)
    cover = QWidget(area.viewport())
    cover.setAutoFillBackground(True)
    cover.resize(300, 300)
    cover.show()
    assert "out of sight" in fault(line)


@pytest.mark.parametrize("size", [(1366, 700), (1440, 900)])
def test_tables_of_a_sentence_show_as_many_rows_as_the_column_has_room_for(launch, size):
    person = launch(width=size[0], height=size[1], page=True)
    person.overwrite(person.find("start.sentence"), " ".join(f"word{k}" for k in range(24)))
    person.wait()
    person.do("simple")
    settled(person)
    row = person.table("x").rowHeight(0)

    def edge(widget, bottom):
        return widget.mapTo(person.window, widget.rect().bottomLeft() if bottom else QPoint()).y()

    first, second = person.table("x"), person.table("w_query")
    assert edge(person.find("control.d_model"), False) - edge(second, True) < 3 * row
    assert min(one.rowAt(one.viewport().height() - 1) for one in (first, second)) >= 5
