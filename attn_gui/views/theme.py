"""The look of all widgets: palette, style sheet, icons, high contrast, sizes and type at a zoom (tabs too), motion.

`apply_theme` sets it, `current_theme` tells it, `theme_signal.changed` announces it (a new scheme or a new zoom).
Whoever paints asks `current_theme()` while painting and `scaled(px)` for every size, and keeps neither."""

from __future__ import annotations

import functools
import re
from functools import lru_cache
from typing import TypeAlias, get_args

from PySide6.QtCore import QByteArray, QCoreApplication, QEvent, QObject, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QIcon, QIconEngine, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QAbstractItemView, QApplication, QCheckBox, QLabel, QStyle, QWidget

from attn_gui.figure.design_tokens import FONT_FAMILIES, FONT_SIZE, RADIUS, SIZE, SPACING, THEMES, Theme
from attn_gui.paths import resource

SCHEMES = ("light", "dark", "system")
BACKGROUNDS = {
    "window": QPalette.ColorRole.Window,
    "surface": QPalette.ColorRole.Base,
    "raised": QPalette.ColorRole.AlternateBase,
    "sunken": QPalette.ColorRole.Midlight,
}
TextWidget: TypeAlias = QLabel | QCheckBox | QAbstractItemView
"""The widgets whose words `style_text` sets: a rule of the sheet for all (*) is tried on each of a thousand."""


class ThemeSignal(QObject):
    """Holds the signal `changed`: the theme or the zoom is another one."""

    changed = Signal(object)  # Theme


class _Appearance:
    """The appearance applied at the moment."""

    theme: Theme = THEMES["light"]
    scheme: str = "light"
    zoom: float = 1.0
    still: bool | None = None
    sheet: str = ""
    watched: QApplication | None = None


theme_signal = ThemeSignal()
_appearance = _Appearance()


def current_theme() -> Theme:
    """Return the colors in use."""
    return _appearance.theme


@lru_cache(maxsize=512)
def scaled(px: float) -> int:
    """Return a size at 100 % as whole pixels at the present zoom; what is not nothing stays visible.

    Remembered until there is another zoom: a paint asks for a hundred of them.
    """
    return max(round(px * _appearance.zoom), 1 if px > 0 else 0)


def ui_font(size: str = "body", weight: int = 400, tabular: bool = False) -> QFont:
    """Return the font of the window in a size of the tokens ("micro" … "sentence").

    `tabular` gives all digits one width.
    """
    return QFont(_font(size, weight, tabular))


@lru_cache(maxsize=64)
def _font(size: str, weight: int, tabular: bool) -> QFont:
    font = QFont()
    font.setFamilies(list(FONT_FAMILIES))
    font.setPixelSize(scaled(getattr(FONT_SIZE, size)))
    font.setWeight(QFont.Weight.DemiBold if weight >= 600 else QFont.Weight(weight))
    if tabular:
        font.setFeature(QFont.Tag("tnum"), 1)
    return font


def motion_reduced() -> bool:
    """Return whether nothing is to move by itself: as was chosen, else as the desktop asks of programs."""
    if _appearance.still is not None:
        return _appearance.still
    return not QApplication.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration)


def reduce_motion(reduced: bool | None) -> None:
    """Have things move or stand still; None: as the desktop asks."""
    _appearance.still = reduced


def apply_theme(app: QApplication, scheme: str, zoom: float = 1.0) -> None:
    """Dress the program in a scheme ("system" follows the desktop, live) at a zoom."""
    if scheme not in SCHEMES:
        raise ValueError(f"no scheme {scheme!r}; there are {', '.join(SCHEMES)}")
    _appearance.scheme, _appearance.zoom = scheme, zoom
    for remembered in (scaled, _font):
        remembered.cache_clear()
    _follow_system(app)
    _dress_program(app, _theme_of(app))


def style_text(widget: TextWidget, letters: str = "", tone: str = "", strong: bool | None = None) -> None:
    """Give a label, check box or list its type size ("micro" … "section") and tone ("text2", "query", "error", …).

    Unlike a font or palette set once, these follow theme and zoom.
    """
    for name, value in (("letters", letters), ("tone", tone)):
        if value:
            widget.setProperty(name, value)
    if strong is not None:
        widget.setProperty("strong", "true" if strong else "false")
    restyle(widget)


def restyle(widget: QWidget) -> None:
    """Look at the style sheet again after a property that it reads has changed; it does so by itself before a widget
    is shown first."""
    if widget.testAttribute(Qt.WidgetAttribute.WA_WState_Polished):
        widget.style().unpolish(widget)
        widget.style().polish(widget)
    widget.updateGeometry()


def set_background(widget: QWidget, background: str) -> None:
    """Fill the widget with "window", "surface", "raised" or "sunken"; follows the theme."""
    widget.setAutoFillBackground(True)
    widget.setBackgroundRole(BACKGROUNDS[background])


def _dress_program(app: QApplication, theme: Theme) -> None:
    sheet = _style_sheet(theme)
    if sheet == _appearance.sheet and theme == _appearance.theme:
        return
    _appearance.theme, _appearance.sheet = theme, sheet
    app.setPalette(_palette(theme))
    app.setFont(ui_font())
    # a sheet that replaces another dresses each widget again for every widget that it stands in (600 ms), unless the
    # style has forgotten whom it has dressed
    app.style().unpolish(app)
    app.setStyleSheet(sheet)
    event = QEvent(QEvent.Type.StyleChange)
    roots = [widget for widget in app.allWidgets() if widget.parentWidget() is None]
    for root in roots:
        # parents first: what Qt itself puts into a widget, as the bar of its tabs, takes the font that this has by then
        for widget in (root, *root.findChildren(QWidget)):
            widget.style().polish(widget)
            QCoreApplication.sendEvent(widget, event)
    theme_signal.changed.emit(theme)


def _theme_of(app: QApplication, of_system: Qt.ColorScheme | None = None) -> Theme:
    """Return the theme of the scheme in force, in strong colors where the desktop asks for high contrast.

    `of_system` is the desktop's scheme where that is known; a desktop that does not say counts as light.
    """
    hints = app.styleHints()  # kept here: what it hands out is gone with it
    dark = (hints.colorScheme() if of_system is None else of_system) == Qt.ColorScheme.Dark
    theme = THEMES[_appearance.scheme if _appearance.scheme != "system" else "dark" if dark else "light"]
    strong = hints.accessibility().contrastPreference() == Qt.ContrastPreference.HighContrast
    return high_contrast(theme) if strong else theme


def high_contrast(theme: Theme) -> Theme:
    """Return a theme whose words and lines all have the color of its text, on backgrounds as far from it as can be.

    What is disabled keeps its own color: nothing else would tell it.
    """
    background = QColor("black" if theme.name == "dark" else "white")
    text = QColor("white" if theme.name == "dark" else "black")
    theme = theme._replace(window=background, surface=background, raised=background, sunken=background)
    return theme._replace(text=text, text2=text, text3=text, line=text, line_strong=text)


def _follow_system(app: QApplication) -> None:
    """Give frames and dialogs of the desktop our scheme; while that is "system", take theirs."""
    schemes = {"light": Qt.ColorScheme.Light, "dark": Qt.ColorScheme.Dark, "system": Qt.ColorScheme.Unknown}
    if _appearance.watched is not app:
        app.setStyle("Fusion")
        hints = app.styleHints()
        hints.colorSchemeChanged.connect(_on_system_scheme_changed)
        hints.accessibility().contrastPreferenceChanged.connect(lambda _: _on_system_scheme_changed(None))
        _appearance.watched = app
    app.styleHints().setColorScheme(schemes[_appearance.scheme])


def _on_system_scheme_changed(scheme: Qt.ColorScheme | None) -> None:
    if _appearance.watched is not None:
        _dress_program(_appearance.watched, _theme_of(_appearance.watched, scheme))


def _palette(theme: Theme) -> QPalette:
    roles, groups = QPalette.ColorRole, QPalette.ColorGroup
    palette = QPalette()
    for role, color in {
        roles.Window: theme.window,
        roles.WindowText: theme.text,
        roles.Base: theme.surface,
        roles.AlternateBase: theme.raised,
        roles.Text: theme.text,
        roles.PlaceholderText: theme.text3,
        roles.Button: theme.surface,
        roles.ButtonText: theme.text,
        roles.BrightText: theme.error,
        roles.Highlight: theme.accent,
        roles.HighlightedText: theme.on_accent,
        roles.Accent: theme.accent,
        roles.Link: theme.accent,
        roles.LinkVisited: theme.accent,
        roles.ToolTipBase: theme.raised,
        roles.ToolTipText: theme.text,
        roles.Light: theme.surface,
        roles.Midlight: theme.sunken,
        roles.Mid: theme.line,
        roles.Dark: theme.line_strong,
        roles.Shadow: theme.line_strong,
    }.items():
        palette.setColor(role, color)
    for role in (roles.WindowText, roles.Text, roles.ButtonText):
        palette.setColor(groups.Disabled, role, theme.disabled)
    return palette


def _style_sheet(theme: Theme) -> str:
    """Return the sheet with colors and sizes filled in; a name that no token has is an error."""
    source = resource("style", "style.qss").read_text(encoding="utf-8")
    source = re.sub(r"/\*.*?\*/", "", source, flags=re.DOTALL)
    words = _words(theme)
    kinds = [kind.__name__ for kind in get_args(TextWidget)]
    source = re.sub(r"@text_widgets(\[.*?\])", lambda found: ", ".join(kind + found[1] for kind in kinds), source)
    source = re.sub(r"\b(\d+)px", lambda found: _pixels(int(found[1])), source)
    return re.sub(r"@(\w+)", lambda found: words[found[1]], source)


def _words(theme: Theme) -> dict[str, str]:
    colors = {name: value.name() for name, value in theme._asdict().items() if isinstance(value, QColor)}
    letters = {f"font_{name}": scaled(px) for name, px in FONT_SIZE._asdict().items()}
    sizes = {**letters, **_insides(), **_bars(), "radius": scaled(RADIUS.control), "icon": scaled(SIZE.icon)}
    arrows = resource("style", theme.name).as_posix()
    return {**colors, "arrows": arrows, **{name: f"{px}px" for name, px in sizes.items()}}


def _bars() -> dict[str, int]:
    """Return the heights of what stands in the tool and status bar, for letters of the first font.

    Qt makes room for the line height of the Chinese one, 3 pixels more in each bar, though its letters fit into this:
    the maps of a low window lost their numbers to them.
    """
    line = QFontMetrics(ui_font("body")).height()
    return {"status": line, "tool": max(scaled(SIZE.icon), line) + 3}  # Qt adds 3 to a tool button


def _insides() -> dict[str, int]:
    """Return the inner sizes of controls with a border of 1, and of 2 when focused.

    Qt adds 3 to the height of a spin box.
    """
    control, button = scaled(SIZE.control), scaled(SIZE.button)
    whole = {"field": control, "spin": control - 3, "button": button}
    sides = {"side": scaled(SPACING.m), "edge": scaled(SPACING.s)}
    whole["tick"] = scaled(12) + 2
    inside = {name: px - 2 for name, px in whole.items()} | {name: px - 1 for name, px in sides.items()}
    focused = {name: px - 4 for name, px in whole.items()} | {name: px - 2 for name, px in sides.items()}
    return inside | {f"{name}_focus": px for name, px in focused.items()}


def _pixels(px: int) -> str:
    """Return a length of the style sheet at the present zoom; lines, of 2 pixels at most, stay as they are."""
    return f"{px}px" if px <= 2 else f"{scaled(px)}px"


# --- Line icons in the colors of the theme, drawn when they are needed: a new theme or screen needs no new icon ---
def icon(name: str, tone: str = "text2") -> QIcon:
    """Return the icon drawn in resources/icons/NAME.svg, in a color of the theme."""
    _drawing(name)  # an unknown name fails here and not in the middle of painting
    return QIcon(_LineIcon(name, tone))


@functools.cache
def _drawing(name: str) -> str:
    return resource("icons", f"{name}.svg").read_text(encoding="utf-8")


@functools.cache
def _renderer(name: str, color: str) -> QSvgRenderer:
    return QSvgRenderer(QByteArray(_drawing(name).replace("currentColor", color).encode()))


class _LineIcon(QIconEngine):
    def __init__(self, name: str, tone: str) -> None:
        super().__init__()
        self._name, self._tone = name, tone

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        theme = current_theme()
        color: QColor = theme.disabled if mode == QIcon.Mode.Disabled else getattr(theme, self._tone)
        side = min(rect.width(), rect.height())
        box = QRectF(0, 0, side, side)
        box.moveCenter(QRectF(rect).center())
        _renderer(self._name, color.name()).render(painter, box)

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        return self.scaledPixmap(size, mode, state, 1.0)

    def scaledPixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State, scale: float) -> QPixmap:
        """Return the icon with as many pixels as the screen has for `size`."""
        pixmap = QPixmap(size * scale)
        if pixmap.isNull():
            return pixmap  # of a button that is squeezed to nothing
        pixmap.setDevicePixelRatio(scale)
        pixmap.fill(Qt.GlobalColor.transparent)
        with QPainter(pixmap) as painter:
            self.paint(painter, QRect(QPoint(0, 0), size), mode, state)
        return pixmap

    def clone(self) -> QIconEngine:
        return _LineIcon(self._name, self._tone)
