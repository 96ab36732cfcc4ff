"""No word is cut: every label, button and field has the room that it asks for, in both languages and both sizes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QAbstractSpinBox, QApplication, QComboBox, QLabel, QMainWindow, QWidget

from attn_gui.app.program import Program
from attn_gui.app.state.view_state import ChosenCell
from attn_gui.figure.design_tokens import THEMES
from tests.failing import each

KINDS = (QLabel, QAbstractButton, QAbstractSpinBox, QComboBox)
SPARE = 2  # pixels by which styles round
SIZES = [(1440, 900), (1024, 700)]
GROUNDS = ("window", "surface", "raised", "sunken")
LETTERS = ("text", "text2", "text3", "accent", "query", "key", "edit", "error", "good")


@pytest.fixture
def window(qapp: QApplication, request: pytest.FixtureRequest) -> Iterator[QMainWindow]:
    lang, size, example = request.param
    program = Program(qapp, lang=lang)
    program.files.begin_with_example(example)
    program.window.banner.hide()
    program.view.set(cell=ChosenCell("weights", 1, 0))
    program.window.resize(*size)
    program.window.show()
    assert QTest.qWaitForWindowExposed(program.window, 120_000)
    program.computation.finish()
    for _ in range(5):  # layouts and what follows the next paint ask for a few more turns of the loop
        QCoreApplication.processEvents()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    yield program.window
    program.end()


def cases() -> list[object]:
    return [
        pytest.param((lang, size, example), id=f"{lang}-{size[0]}-{example}")
        for lang in ("en", "zh")
        for size in SIZES
        for example in ("minilm", "thinking", "worked")
    ]


@pytest.mark.family(4)
@pytest.mark.parametrize("window", cases(), indirect=True)
def test_every_word_has_its_room_in_a_window_that_keeps_to_its_size(window, request):
    found = worded(window)
    assert len(found) > 20
    assert [described(widget) for widget in found if is_cut(widget)] == []
    _lang, size, _example = request.node.callspec.params["window"]
    assert (window.width(), window.height()) == size


@each("name", sorted(THEMES))
@each("ground", GROUNDS)
@each("letters", LETTERS)
def test_text_stands_out(name, ground, letters):
    theme = THEMES[name]
    assert contrast(getattr(theme, letters), getattr(theme, ground)) >= 4.5


def worded(window: QMainWindow) -> list[QWidget]:
    found = [widget for kind in KINDS for widget in window.findChildren(kind)]
    return [widget for widget in found if widget.isVisible() and not widget.visibleRegion().isEmpty()]


def is_cut(widget: QWidget) -> bool:
    if isinstance(widget, QLabel) and widget.wordWrap():
        return widget.height() + SPARE < widget.heightForWidth(widget.width())
    return widget.width() + SPARE < widget.minimumSizeHint().width()


def described(widget: QWidget) -> str:
    words = widget.text() if hasattr(widget, "text") else ""
    return f"{type(widget).__name__} {widget.objectName()!r} {words!r}: {widget.width()} < {widget.sizeHint().width()}"


def contrast(one, other) -> float:
    """WCAG 2.1's contrast ratio of two colors."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def luminance(color) -> float:
    parts = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (color.redF(), color.greenF(), color.blueF())
    ]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
