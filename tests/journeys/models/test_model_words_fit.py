"""The words of a model's buttons and lists have their room, whatever was switched since the window was opened."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication, QComboBox, QPushButton, QStyle, QStyleOptionComboBox

WORDED = "model.head_off", "model.layer_off", "control.model_reading"


def settled(person):
    """Until layouts, and what follows the next paint, have asked for nothing more."""
    person.wait()
    QApplication.processEvents()  # another language comes by an event
    person.look()
    for _ in range(5):
        QApplication.processEvents()


def room(widget):
    """Pixels that the words of a button or list have, less those that they take."""
    if isinstance(widget, QComboBox):
        option = QStyleOptionComboBox()
        widget.initStyleOption(option)
        field, part = QStyle.ComplexControl.CC_ComboBox, QStyle.SubControl.SC_ComboBoxEditField
        place = widget.style().subControlRect(field, option, part, widget)
        return place.width() - widget.fontMetrics().horizontalAdvance(widget.currentText())
    assert isinstance(widget, QPushButton)
    return widget.width() - widget.minimumSizeHint().width()


def cut(person):
    view = person.find("model.view")
    outside = [name for name in WORDED if not view.rect().contains(place(person, name))]
    return outside + [name for name in WORDED if room(person.find(name)) < 0]


def place(person, name):
    view, widget = person.find("model.view"), person.find(name)
    return widget.rect().translated(widget.mapTo(view, widget.rect().topLeft()))


@pytest.fixture
def studying(launch):
    """Somebody before a model in a window of 1024 × 700."""
    person = launch("worked-example.npz", width=1440, height=900)
    person.do("language_zh")
    person.do("known_toy_induction")
    settled(person)
    person.window.resize(1024, 700)
    settled(person)
    return person


def test_no_theme_and_no_language_cuts_a_word(studying):
    for theme in ("theme_dark", "theme_light", "theme_dark"):
        studying.do(theme)
        settled(studying)
        assert cut(studying) == [], theme

    # a language cuts no word
    for language in ("language_en", "language_zh", "language_en"):
        studying.do(language)
        settled(studying)
        assert cut(studying) == [], language
