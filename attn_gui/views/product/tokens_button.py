"""The button at the axes of the product picture that names queries and keys."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QPoint, QRect
from PySide6.QtWidgets import QWidget

from attn_gui.figure.tokens import SPACING
from attn_gui.views.inspector.links import Link
from attn_gui.views.product.product_layout import Places
from attn_gui.views.theme import scaled


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
