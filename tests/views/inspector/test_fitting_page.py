"""A page that scrolls comes to rest, also where a scroll bar makes it so narrow that it needs none."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from attn_gui.views.widgets import FittingPage

MANY = 300


class Square(QWidget):
    """As high as it is wide, like a picture."""

    asked = 0

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        self.asked += 1
        return width if self.asked < 10 * MANY else 10  # a page that does not come to rest is let go


@pytest.mark.parametrize("height", [200, 296, 299, 300, 400])
def test_a_picture_that_is_lower_where_it_is_narrower_comes_to_rest(qtbot, height):
    page, square = QWidget(), Square()
    column = QVBoxLayout(page)
    column.setContentsMargins(0, 0, 0, 0)
    column.addWidget(square)
    area = FittingPage()
    area.hold(page)
    qtbot.addWidget(area)
    area.resize(300, height)
    area.show()
    for _ in range(50):
        QApplication.processEvents()
    assert square.asked < MANY
    assert area.verticalScrollBar().isVisible() == (height < 300)
    assert page.width() == area.viewport().width()
    assert page.height() == max(page.width(), area.viewport().height())
