"""The title of the product picture with its formula and the button that names queries and keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QCoreApplication, QPoint, QRect, QRectF, QSizeF
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QWidget

from attn_gui.engine import STAGE
from attn_gui.figure.operands import KEY
from attn_gui.figure.tokens import FONT_SIZE, SPACING, Theme
from attn_gui.figure.typesetting import Formula, typeset
from attn_gui.views.formula import role_colors
from attn_gui.views.inspector.links import Link
from attn_gui.views.product.captions import top_words
from attn_gui.views.product.lettering import Word, paint_words, words_width
from attn_gui.views.product.product_layout import Places
from attn_gui.views.product.product_needs import line_height, padding
from attn_gui.views.product.scene import Scene
from attn_gui.views.theme import current_theme, scaled, ui_font
from attn_gui.views.words.head_words import head_words
from attn_gui.views.words.names import layer_words, stage_title

LEAST_FORMULA = 0.7
"""A formula is made smaller to fit its corner down to this share: its letters are then as high as the least type."""


class TokensButton(Link):
    """Stands after the title, else below the names of the rows; hidden where neither place has the room."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent=parent, size="small")
        self.setObjectName("product.tokens")
        self.retranslate()

    def retranslate(self) -> None:
        """All words in the present language."""
        self.set_words(QCoreApplication.translate("ProductPicture", "Tokens…"))
        self.setToolTip(QCoreApplication.translate("ProductPicture", "Name the queries and keys (Ctrl+T)"))

    def place(self, title: QRect, places: Places, right: int) -> None:
        """Beside a title that ends there, if that is left of `right`."""
        hint = self.sizeHint()
        beside, below = title.right() + 1 + hint.width() <= right, (places.left or places.stage).left() - title.left()
        self.setVisible(beside or hint.width() <= below)
        after_title = QPoint(title.right() + 1, title.top() + (title.height() - hint.height()) // 2)
        below_names = QPoint(title.left(), places.stage.bottom() + scaled(SPACING.m))
        self.setGeometry(QRect(after_title if beside else below_names, hint))


class Title:
    """Says what is shown in the upper left corner: stage, head, item and formula."""

    def __init__(self, scene: Scene, ground: QWidget) -> None:
        self._scene, self._ground = scene, ground
        self._formulas: tuple[Formula, ...] = ()
        self.layer: int | None = None  # of a model
        self.tokens = TokensButton(ground)

    def set_formula(self, forms: Sequence[str]) -> None:
        """The LaTeX of the formula in forms that get shorter; of several the first that has room."""
        self._formulas = tuple(map(typeset, forms))

    def head_height(self) -> int:
        """Pixels of title and formula above a map that has no operands beside them."""
        return max(round(self._height()), round(self._formula_size().height())) + scaled(SPACING.m)

    def corner_width(self) -> int:
        """Pixels that title, formula and the words at the top map would like to have beside one another."""
        if "top" not in self._scene.operands.shown:
            return 0
        words = max(words_width([word]) for word in top_words(self._scene)) + 2 * scaled(SPACING.l)
        return round(max(self._width(), self._formula_size().width() + words))

    def place_tokens(self, places: Places) -> None:
        """The button after the title, left of the words at a map above and of tokens over columns."""
        edge, width = padding(self._scene.tight), round(self._width() - self.tokens.sizeHint().width())
        above = places.top or places.stage
        right = above.left() if self._scene.picture.columns == KEY else self._ground.width()
        self.tokens.place(QRect(edge, edge, width, round(self._height())), places, right - scaled(SPACING.s))

    def paint(self, painter: QPainter, places: Places, theme: Theme) -> None:
        """The words, and the formula where it has room."""
        edge = padding(self._scene.tight)
        ascent = QFontMetricsF(ui_font("sentence", 600)).ascent()
        paint_words(painter, tuple(self._words()), edge, edge + ascent, theme)
        self._paint_formula(painter, places, edge + self._width() + scaled(SPACING.m))

    def _height(self) -> float:
        return QFontMetricsF(ui_font("sentence", 600)).height()

    def _width(self) -> float:
        """Pixels of the title with the button beside it."""
        return words_width(tuple(self._words())) + scaled(SPACING.m) + self.tokens.sizeHint().width()

    def _words(self) -> Iterator[Word]:
        stage, maps = self._scene.stage, self._scene.maps
        assert maps.evaluation is not None
        if self.layer is not None:
            yield layer_words(self.layer), "sentence", "text2", 600
        yield stage_title(stage), "sentence", "text", 600
        if not STAGE[stage].joined:
            head = QCoreApplication.translate("ProductPicture", "head {head}").format(head=maps.head)
            yield head, "body", "text2", 400
            if word := head_words(maps.evaluation.problem).get(maps.head):
                yield word, "body", "edit", 600
        if maps.evaluation.problem.batch_size > 1:
            item = QCoreApplication.translate("ProductPicture", "item {item}").format(item=maps.batch)
            yield item, "body", "text2", 400

    # --- formula ---------------------------------------------------------------------------------
    def _formula_size(self) -> QSizeF:
        """The first form at the size of the look and the present zoom of the window."""
        return _size_of(self._formulas[0]) if self._formulas else QSizeF()

    def _paint_formula(self, painter: QPainter, places: Places, title_end: float) -> None:
        """Paint the formula in the corner below the title; beside it where that has room and the corner has not."""
        for formula in self._formulas:
            size = _size_of(formula)
            rooms = [self._room_beside_title(places, title_end, size)]
            if places.top is not None:
                rooms.insert(0, self._room_below_title(places, places.top))
            fits = [min(1.0, room.width() / size.width(), room.height() / size.height()) for room in rooms]
            best = fits.index(max(fits))
            if fits[best] >= LEAST_FORMULA:
                em, colors = scaled(FONT_SIZE.formula) * fits[best], role_colors(current_theme().text)
                formula.paint(painter, rooms[best].topLeft(), em, colors)
                return

    def _room_below_title(self, places: Places, top_map: QRect) -> QRectF:
        """Left of the words at the map above."""
        edge = padding(self._scene.tight)
        top = edge + self._height() + scaled(SPACING.s)
        right = top_map.left() - scaled(SPACING.l) - max(words_width([word]) for word in top_words(self._scene))
        return QRectF(edge, top, right - edge, places.stage.top() - line_height() - top)

    def _room_beside_title(self, places: Places, title_end: float, size: QSizeF) -> QRectF:
        edge, left = padding(self._scene.tight), title_end + scaled(SPACING.m)
        right = self._ground.width() - edge
        if places.top is None:
            return QRectF(left, edge, right - left, size.height())
        bottom = places.top.top() - scaled(SPACING.xs)
        if self._scene.picture.columns == KEY:  # tokens stand there
            right = places.top.left()
        return QRectF(left, edge, right - left, bottom - edge)


def _size_of(formula: Formula) -> QSizeF:
    return QSizeF(formula.width, formula.height) * scaled(FONT_SIZE.formula)
