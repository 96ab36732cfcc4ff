"""The look: colors that can be read, sizes that grow together, icons in the colors of the theme."""

import gc
from itertools import product

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPalette
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QStyle,
    QStyleOptionButton,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from attn_gui.figure.design_tokens import THEMES
from attn_gui.figure.figure_kinds import PAGES
from attn_gui.paths import resource
from attn_gui.views.bars import ComparisonBar, FindBar
from attn_gui.views.lesson_panel import LessonPanel
from attn_gui.views.model_view import PredictionList
from attn_gui.views.page_canvas import OptionFields
from attn_gui.views.spine.operators import ListBox, MaskBox, QuietBox
from attn_gui.views.spine.spine_controls import NumberRow, ScaleBox
from attn_gui.views.theme import (
    apply_theme,
    current_theme,
    high_contrast,
    icon,
    set_background,
    style_text,
    theme_signal,
    ui_font,
)
from tests.failing import each
from tests.views.conftest import contrast

PROGRAM = "attn-gui"  # its own icon, of many colors, for menus of the desktop
ICONS = sorted({path.stem for path in resource("icons").glob("*.svg")} - {PROGRAM})
BACKGROUNDS = ("window", "surface", "raised", "sunken")
INKS = ("text", "text2", "text3", "accent", "query", "key", "edit", "error", "good")


def alike(one: QColor, other: QColor) -> bool:
    """Up to the rounding of premultiplied alpha."""
    return max(abs(one.red() - other.red()), abs(one.green() - other.green()), abs(one.blue() - other.blue())) <= 2


@each(("scheme", "ink", "background"), list(product(THEMES, INKS, BACKGROUNDS)))
def test_words_can_be_read_on_every_background(scheme, ink, background):
    theme = THEMES[scheme]
    assert contrast(getattr(theme, ink), getattr(theme, background)) >= 4.5


@each(("scheme", "role"), list(product(THEMES, ("accent", "query", "key", "edit", "error"))))
def test_roles_can_be_read_on_their_chips(scheme, role):
    theme = THEMES[scheme]
    assert contrast(getattr(theme, role), getattr(theme, f"{role}_soft")) >= 4.5
    assert contrast(theme.text, getattr(theme, f"{role}_soft")) >= 4.5


def test_a_scheme_dresses_everything_and_says_so(qapp, qtbot):
    with qtbot.waitSignal(theme_signal.changed) as said:
        apply_theme(qapp, "dark")
    assert said.args == [THEMES["dark"]]
    assert current_theme() is THEMES["dark"]
    assert qapp.palette().color(QPalette.ColorRole.Base) == THEMES["dark"].surface
    with qtbot.assertNotEmitted(theme_signal.changed):
        apply_theme(qapp, "dark")


def test_system_follows_the_desktop_live(qapp):
    apply_theme(qapp, "system")
    assert current_theme() is THEMES["light"]  # a desktop that does not say
    qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    assert current_theme() is THEMES["dark"]
    qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Light)
    assert current_theme() is THEMES["light"]
    apply_theme(qapp, "dark")
    qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Light)
    assert current_theme() is THEMES["dark"]


@each("zoom", [1.25, 2.0, 3.0])
def test_zoom_enlarges_words_and_controls_together(qapp, qtbot, zoom):
    apply_theme(qapp, "light")
    field, button = QLineEdit(), QPushButton("Copy text")
    for widget in (field, button):
        qtbot.addWidget(widget)
        widget.ensurePolished()
    before = field.sizeHint().height(), button.sizeHint().width(), ui_font().pixelSize()
    apply_theme(qapp, "light", zoom)
    after = field.sizeHint().height(), button.sizeHint().width(), ui_font().pixelSize()
    for small, large in zip(before, after, strict=True):
        assert large == pytest.approx(zoom * small, rel=0.08)
    assert qapp.font().pixelSize() == ui_font().pixelSize()
    assert "border: 1px solid" in qapp.styleSheet()


def test_what_qt_puts_into_a_widget_follows_the_zoom_with_it(qapp, qtbot):
    """Whichever widgets come first: tabs kept the size of their letters before, until the next zoom."""
    apply_theme(qapp, "light")
    shown = QWidget()
    column, tabs = QVBoxLayout(shown), [QTabWidget() for _ in range(40)]
    for part in tabs:
        part.addTab(QLabel("words"), "title")
        column.addWidget(part)
    qtbot.addWidget(shown)
    shown.show()
    for zoom in (2.0, 1.0, 3.0):
        apply_theme(qapp, "light", zoom)
        assert {part.tabBar().font().pixelSize() for part in tabs} == {ui_font().pixelSize()}


@each(("kind", "zoom"), list(product([QSpinBox, QComboBox, QLineEdit, QPushButton, QCheckBox], [1, 1.25, 1.5])))
def test_focus_moves_nothing(qapp, qtbot, kind, zoom):
    apply_theme(qapp, "light", zoom)
    field = kind()
    qtbot.addWidget(field)
    field.show()
    size = field.sizeHint()
    field.setFocus()
    field.activateWindow()
    qtbot.waitUntil(field.hasFocus)
    assert field.sizeHint() == size


@each("scheme", THEMES)
def test_a_ticked_box_shows_its_focus_whoever_gave_it(qapp, qtbot, scheme):
    """Qt frames the words of one only after a Tab, and its ground has the color of a frame."""
    apply_theme(qapp, scheme)
    box = QCheckBox("layer")
    qtbot.addWidget(box)
    box.setChecked(True)
    box.show()

    def border() -> QColor:
        option = QStyleOptionButton()
        box.initStyleOption(option)
        place = box.style().subElementRect(QStyle.SubElement.SE_CheckBoxIndicator, option, box)
        return box.grab().toImage().pixelColor(place.left(), place.center().y())

    assert border() == THEMES[scheme].accent
    box.setFocus()
    box.activateWindow()
    qtbot.waitUntil(box.hasFocus)
    assert border() == THEMES[scheme].text


@each(("scheme", "background"), list(product(THEMES, BACKGROUNDS)))
def test_backgrounds_follow_the_theme(qapp, qtbot, scheme, background):
    label = QLabel()
    qtbot.addWidget(label)
    set_background(label, background)
    apply_theme(qapp, scheme)
    assert label.grab().toImage().pixelColor(3, 3) == getattr(THEMES[scheme], background)


@each("name", ICONS)
def test_icons_wear_the_color_of_their_state(qapp, name):
    kept = QIcon(icon(name))
    gc.collect(0)  # of the new ones
    for scheme in THEMES:
        apply_theme(qapp, scheme)
        for mode, color in ((QIcon.Mode.Normal, "text2"), (QIcon.Mode.Disabled, "disabled")):
            image = kept.pixmap(QSize(32, 32), 1.0, mode).toImage()
            pixels = (image.pixelColor(x, y) for x, y in product(range(image.width()), range(image.height())))
            painted = [pixel for pixel in pixels if pixel.alpha() == 255]
            assert painted
            assert all(alike(pixel, getattr(THEMES[scheme], color)) for pixel in painted)


def test_what_is_hidden_wears_the_theme_as_well(qapp, qtbot):
    apply_theme(qapp, "light")
    top = QWidget()
    qtbot.addWidget(top)
    seen, hidden = QLabel("seen", top), QLabel("hidden", top)
    for label in (seen, hidden):
        style_text(label, tone="text2")
    top.show()
    hidden.hide()
    for scheme in ("dark", "light"):
        apply_theme(qapp, scheme)
        ink = current_theme().text2
        assert seen.palette().color(QPalette.ColorRole.WindowText) == ink
        qtbot.waitUntil(lambda ink=ink: hidden.palette().color(QPalette.ColorRole.WindowText) == ink)


@each("name", ["light", "dark"])
def test_high_contrast_writes_and_draws_everything_in_the_color_of_text(name):
    theme = high_contrast(THEMES[name])
    assert all(color == theme.text for color in (theme.text2, theme.text3, theme.line, theme.line_strong))
    assert abs(theme.text.lightness() - theme.window.lightness()) == 255
    assert theme.query == THEMES[name].query
    assert contrast(theme.disabled, theme.text) > 3  # what cannot be had is told by its color alone


def size_of(widget: QWidget) -> tuple[object, ...]:
    """What a layout asks of a widget, and the rows of one that has rows."""
    rows = [header.defaultSectionSize() for header in widget.findChildren(QHeaderView)]
    return widget.sizeHint().expandedTo(widget.minimumSize()), widget.minimumSize(), widget.maximumSize(), rows


def quiet_box() -> QWidget:
    box = QuietBox("normalize")
    box.set_choices([("softmax", "softmax"), ("sparsemax", "sparsemax")])
    box.set_quiet(True)
    return box


def lesson_panel() -> LessonPanel:
    panel = LessonPanel()
    panel.fill()
    return panel


SIZED = {
    "predictions": PredictionList,
    "options of a page": lambda: OptionFields("relations", PAGES["relations"].options),
    "numbers of a step": lambda: NumberRow(("temperature",)),
    "list of a step": lambda: ListBox("score"),
    "quiet list of a step": quiet_box,
    "scale": ScaleBox,
    "mask of a step": MaskBox,
    "way through a lesson": lesson_panel,
    "find": FindBar,
    "two states": ComparisonBar,
}


@each("name", SIZED)
def test_what_is_zoomed_later_is_as_large_as_what_is_made_at_that_zoom(qapp, qtbot, name):
    apply_theme(qapp, "light")
    before = SIZED[name]()
    qtbot.addWidget(before)
    before.show()
    apply_theme(qapp, "light", 2.0)
    fresh = SIZED[name]()
    qtbot.addWidget(fresh)
    fresh.show()
    fresh.resize(before.size())
    qapp.processEvents()
    pairs = zip([before, *before.findChildren(QWidget)], [fresh, *fresh.findChildren(QWidget)], strict=True)
    for one, other in pairs:
        assert size_of(one) == size_of(other), one.objectName() or type(one).__name__
