"""Captions of the maps around a stage: symbol, shape, range of the colors, and chips that repeat marked tokens."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QRect
from PySide6.QtGui import QFontMetricsF, QPainter

from attn_gui.engine import symbol
from attn_gui.figure.operands import KEY, QUERY
from attn_gui.figure.tokens import SPACING, Theme
from attn_gui.views.product.lettering import (
    Word,
    block_height,
    chip_width,
    paint_block,
    paint_chip,
    paint_words,
    range_text,
    words_width,
)
from attn_gui.views.product.operand_maps import WITH_BAR
from attn_gui.views.product.product_layout import Places
from attn_gui.views.product.product_needs import axis_names
from attn_gui.views.product.scene import Scene
from attn_gui.views.theme import scaled, ui_font

CHIPPED = ("factor", "result")
"""Places of maps of which a weight marks a row."""


def paint_captions(painter: QPainter, scene: Scene, places: Places, theme: Theme) -> None:
    """Paint everything over the maps that no chosen cell changes, and the names of the axes."""
    axis, away = axis_names(), scaled(SPACING.s)
    first, role = places.left or places.stage, scene.picture.rows
    if role in axis:
        metrics = QFontMetricsF(ui_font("small"))
        top = first.top() - away - metrics.descent() - metrics.ascent()
        paint_block(painter, ((axis[role], "small", role, 400),), first.left() - away, top, theme)
    chipped = chipped_maps(scene, places)
    for place, rect in _captioned_maps(scene, places).items():
        if place not in chipped:
            paint_caption(painter, scene, place, rect, theme)
    if places.top is not None:  # below one another, left of the map above
        words = top_words(scene)
        top = min(places.top.top(), places.top.bottom() - block_height(words))
        paint_block(painter, words, places.top.left() - scaled(SPACING.m), top, theme)


def paint_caption(painter: QPainter, scene: Scene, place: str, rect: QRect, theme: Theme) -> None:
    """Symbol and shape above a map, and a chip that repeats the token of its marked row."""
    heatmap = scene.operands.maps[place]
    words: list[Word] = [(_symbol(scene, place), "body", "text", 600)]
    if not scene.compact or place == "left":
        words.append(("{} × {}".format(*heatmap.shape), "small", "text3", 400))
    token = _marked_token(scene, place)
    if not scene.compact and place not in WITH_BAR and heatmap.taken.known:
        words.append((range_text(heatmap.levels), "micro", "text3", 400))
    while token is not None and len(words) > 1 and words_width(words) + chip_width(token[0]) > rect.width():
        words.pop()
    bottom = rect.top() - scaled(SPACING.s)
    end = paint_words(painter, words, rect.left(), bottom - QFontMetricsF(ui_font("small")).descent(), theme)
    if token is not None:
        right = rect.left() + rect.width()
        room = right - end + scaled(SPACING.m) - scaled(SPACING.s)
        paint_chip(painter, *token, right, bottom + scaled(SPACING.xs), room, theme)


def chipped_maps(scene: Scene, places: Places) -> dict[str, QRect]:
    """The maps that may carry the chip of a marked row."""
    if not scene.picture.marks_result:
        return {}
    return {place: rect for place, rect in _captioned_maps(scene, places).items() if place in CHIPPED}


def top_words(scene: Scene) -> list[Word]:
    """Symbol, shape and range of the map above, and the name of its columns."""
    heatmap = scene.operands.maps["top"]
    words: list[Word] = [
        (_symbol(scene, "top"), "body", "text", 600),
        ("{} × {}".format(*heatmap.shape), "small", "text3", 400),
    ]
    if not scene.compact and heatmap.taken.known:
        words.append((range_text(heatmap.levels), "micro", "text3", 400))
    if scene.picture.columns == KEY:
        words.append((QCoreApplication.translate("ProductPicture", "key →"), "small", KEY, 400))
    return words


def _captioned_maps(scene: Scene, places: Places) -> dict[str, QRect]:
    """The maps with a caption above them."""
    rects = {"left": places.left, "factor": places.factor, "result": places.result}
    return {place: rect for place, rect in rects.items() if rect is not None and place in scene.operands.shown}


def _symbol(scene: Scene, place: str) -> str:
    operand = scene.picture.operands()[place]
    return symbol(scene.operands.source(place)) + ("ᵀ" if operand.transposed else "")


def _marked_token(scene: Scene, place: str) -> tuple[str, str] | None:
    """Token and role of the row that a weight marks in V and O."""
    if not scene.picture.marks_result or place not in CHIPPED:
        return None
    (rows, columns), marked = scene.labels, scene.lines
    labels, at, role = (columns, marked.column, KEY) if place == "factor" else (rows, marked.row, QUERY)
    return (labels[at], role) if at is not None and at < len(labels) else None
