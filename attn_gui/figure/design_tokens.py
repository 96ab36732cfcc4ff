"""Colors of both themes, distances, sizes, type and times that widgets and figures share."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from PySide6.QtGui import QColor


class Theme(NamedTuple):
    """The colors of one theme, one for every token."""

    name: str
    window: QColor
    surface: QColor
    raised: QColor
    sunken: QColor
    line: QColor
    line_strong: QColor
    disabled: QColor
    text: QColor
    text2: QColor
    text3: QColor
    accent: QColor
    on_accent: QColor
    accent_soft: QColor
    query: QColor
    query_soft: QColor
    key: QColor
    key_soft: QColor
    edit: QColor
    edit_soft: QColor
    error: QColor
    error_soft: QColor
    good: QColor
    masked: QColor
    hatch: QColor
    ink: QColor
    casing: QColor
    nan: QColor
    nan_mark: QColor


def _theme(name: str, colors: Mapping[str, str]) -> Theme:
    return Theme(name=name, **{token: QColor(color) for token, color in colors.items()})


# fmt: off
THEMES: Mapping[str, Theme] = MappingProxyType(
    {
        "light": _theme("light", {
            "window": "#F1F3F5", "surface": "#FFFFFF", "raised": "#F7F8FA", "sunken": "#E9ECEF",
            "line": "#D8DCE2", "line_strong": "#7C8593", "disabled": "#7C8593",
            "text": "#1A1E24", "text2": "#454D59", "text3": "#5F6875",
            "accent": "#0A5FC2", "on_accent": "#FFFFFF", "accent_soft": "#E1EDFB",
            "query": "#6438C2", "query_soft": "#EEE8FC", "key": "#855400", "key_soft": "#FBF0D9",
            "edit": "#B01C7C", "edit_soft": "#FBE6F3", "error": "#B3261E", "error_soft": "#FCE9E7", "good": "#17713A",
            "masked": "#ECEEF1", "hatch": "#A9B0BA",
            "ink": "#0E1116", "casing": "#FFFFFF", "nan": "#FFFFFF", "nan_mark": "#B3261E",
        }),
        "dark": _theme("dark", {
            "window": "#191C20", "surface": "#1F2328", "raised": "#262B31", "sunken": "#14171A",
            "line": "#353C45", "line_strong": "#77818F", "disabled": "#77818F",
            "text": "#E8EBEF", "text2": "#B9C1CB", "text3": "#98A2AF",
            "accent": "#6FB4FF", "on_accent": "#0B1520", "accent_soft": "#1C3450",
            "query": "#BFA8FF", "query_soft": "#322A55", "key": "#E9BC52", "key_soft": "#3B3015",
            "edit": "#FF8ACD", "edit_soft": "#47203A", "error": "#FF8F86", "error_soft": "#432321", "good": "#62CF86",
            "masked": "#292E35", "hatch": "#59626E",
            "ink": "#FFFFFF", "casing": "#0B0D0F", "nan": "#14171A", "nan_mark": "#FF8F86",
        }),
    }
)
# fmt: on

Stops = tuple[tuple[float, str], ...]
"""Positions and colors of a color map: −1 … 1 for a signed one, 0 … 1 for the weights."""

SIGNED_STOPS: Mapping[str, Stops] = MappingProxyType(
    {
        "light": (
            (-1, "#08306B"),
            (-0.6, "#2B6CB3"),
            (-0.25, "#9CC3E4"),
            (0, "#F6F6F4"),
            (0.25, "#F3B899"),
            (0.6, "#CF5B34"),
            (1, "#7A1A0C"),
        ),
        "dark": (
            (-1, "#A8DAFF"),
            (-0.6, "#4E9BE0"),
            (-0.25, "#244C75"),
            (0, "#1C1F23"),
            (0.25, "#763A22"),
            (0.6, "#DE7A4B"),
            (1, "#FFD0AE"),
        ),
    }
)
WEIGHTS_STOPS: Mapping[str, Stops] = MappingProxyType(
    {
        "light": (
            (0, "#F7F8F5"),
            (0.15, "#CDE9DA"),
            (0.35, "#84C8AE"),
            (0.55, "#3A9B93"),
            (0.75, "#1B6A7A"),
            (1, "#0B2A48"),
        ),
        "dark": (
            (0, "#1C1F23"),
            (0.15, "#18404C"),
            (0.35, "#1B666B"),
            (0.55, "#36937C"),
            (0.75, "#84C385"),
            (1, "#F6F4B6"),
        ),
    }
)


class Spacing(NamedTuple):
    """Distances, in logical pixels."""

    xs: int = 2
    s: int = 4
    m: int = 8
    l: int = 12  # noqa: E741  the token's own name
    xl: int = 16
    xxl: int = 24
    panel_padding: int = 12
    panel_padding_compact: int = 8
    map_gap: int = 18
    map_gap_compact: int = 14


class Radius(NamedTuple):
    """Corners, in logical pixels."""

    control: int = 3
    chip: int = 3
    frame: int = 4


class LineWidths(NamedTuple):
    """Widths of lines, in logical pixels."""

    hairline: float = 1
    row_and_column: float = 2
    row_and_column_small_map: float = 1
    chosen_cell: float = 2.4
    casing: float = 1
    edited: float = 2
    focus: float = 2
    focus_gap: float = 2
    cell_share: float = 0.55


class Size(NamedTuple):
    """Sizes of zones and controls, in logical pixels; heights of text are left to the style."""

    strip: int = 112
    strip_compact: int = 88
    left: int = 338
    left_compact: int = 252
    right: int = 326
    right_compact: int = 248
    strip_map: int = 60
    strip_map_compact: int = 44
    head_map: int = 50
    head_map_compact: int = 30
    control: int = 24
    button: int = 22
    table_row: int = 18
    table_header: int = 19
    table_column: int = 49
    table_column_compact: int = 42
    table_row_header: int = 58
    terms_row: int = 18
    icon: int = 16
    value_min_cell_height: int = 18
    lined_cell: int = 24
    compact_below_width: int = 1200
    low_below_height: int = 800
    least_width: int = 640
    hatch: float = 7.0
    hatch_small_map: float = 3.5


class FontSize(NamedTuple):
    """Sizes of type, in logical pixels; nothing is smaller than micro."""

    micro: int = 10
    small: int = 11
    body: int = 12
    sentence: int = 13
    value: int = 15
    value_large: int = 20
    stage_symbol: int = 13
    section: int = 12
    heading: int = 16
    title: int = 20
    formula: int = 15
    formula_strip: int = 14


class FontWeight(NamedTuple):
    """Weights of type, as OpenType numbers them."""

    text: int = 400
    strong: int = 600


class TimeMs(NamedTuple):
    """Times, in milliseconds."""

    edited_outline_hold: int = 800
    edited_outline_fade: int = 400


SPACING = Spacing()
RADIUS = Radius()
LINE = LineWidths()
SIZE = Size()
FONT_SIZE = FontSize()
FONT_WEIGHT = FontWeight()
TIME_MS = TimeMs()
CHINESE_FAMILIES: tuple[str, ...] = ("Noto Sans CJK SC", "Source Han Sans SC", "Microsoft YaHei", "PingFang SC")
"""Whole families for simplified Chinese; the first is also the one that is shipped, as a subset."""
FONT_FAMILIES: tuple[str, ...] = ("Inter", *CHINESE_FAMILIES, "Noto Sans", "DejaVu Sans")
CODE_FAMILIES: tuple[str, ...] = ("DejaVu Sans Mono", "Menlo", "Consolas", "Noto Sans Mono", "Liberation Mono")
"""Families for code: each system has one of them."""
