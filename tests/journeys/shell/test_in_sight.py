"""Whatever the window says, asks or has the keyboard in lies in sight, at the usual sizes and in both languages."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QScrollArea, QWidget

from attn_gui.views.banner import BannerOffer
from tests.seen import fault, faults, is_cut, worded

SIZES = [(1366, 700), (1440, 900), (1920, 1080)]
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


SAID = notice, refusal_at_a_cell, refusal_at_a_size, finding, comparison, history, exercise, brush, masks, by_hand


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_the_window_says_is_in_sight(launch, lang):
    found = []
    person = launch("worked-example.npz", lang=lang, width=SIZES[0][0], height=SIZES[0][1])
    for say in SAID:
        person.again(say.__name__)
        settled(person)
        said = say(person)
        for size in SIZES:
            person.window.resize(*size)
            settled(person)
            widgets = dict.fromkeys(part for panel in said for part in (panel, *worded(panel)))
            widgets[person.focus()] = None
            found += [f"{say.__name__} {size}: {one}" for one in faults(widgets)]
            assert (person.window.width(), person.window.height()) == size
    assert not found, "\n".join(found)

    person.again("every button of the tool bar")
    for size in [(1024, 700), (1200, 700), *SIZES, (1199, 700)]:
        person.window.resize(*size)
        settled(person)
        bar = person.find("toolbar")
        buttons = [bar.widgetForAction(action) for action in bar.actions() if action.icon()]
        assert len(buttons) > 8
        assert faults(button for button in buttons if button is not None) == [], size


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_word_of_the_window_has_its_room(launch, lang):
    person = launch("worked-example.npz", lang=lang)
    for example in ("worked-example", "thinking-machines", "minilm-layer2"):
        person.again(example, f"{example}.npz")
        person.click_cell("weights", 1, 0)
        for size in [(1440, 900), (1024, 700)]:
            person.window.resize(*size)
            settled(person)
            found = [widget for widget in worded(person.window) if not widget.visibleRegion().isEmpty()]
            found = [widget for widget in found if not isinstance(widget, QLineEdit)]  # its text scrolls
            assert len(found) > 20
            assert [fault(widget) for widget in found if is_cut(widget)] == [], size
            assert (person.window.width(), person.window.height()) == size


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


def test_tables_of_a_sentence_show_as_many_rows_as_the_column_has_room_for(launch):
    person = launch(width=1366, height=700, page=True)
    person.overwrite(person.find("start.sentence"), " ".join(f"word{k}" for k in range(24)))
    person.wait()
    person.do("simple")
    settled(person)
    row = person.table("x").rowHeight(0)

    def edge(widget, bottom):
        return widget.mapTo(person.window, widget.rect().bottomLeft() if bottom else QPoint()).y()

    first, second = person.table("x"), person.table("w_query")
    for size in ((1366, 700), (1440, 900)):
        person.window.resize(*size)
        settled(person)
        assert edge(person.find("control.d_model"), False) - edge(second, True) < 3 * row, size
        assert min(one.rowAt(one.viewport().height() - 1) for one in (first, second)) >= 5, size
