"""Help › About: what the program is, its version, and the licenses of what it carries."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QSize
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QVBoxLayout, QWidget

from attn_gui.figure.tokens import SPACING
from attn_gui.version import VERSION
from attn_gui.views.bases.retranslated import Retranslated
from attn_gui.views.bases.wrapped_label import WrappedLabel
from attn_gui.views.dialogs.asking import BUTTONS
from attn_gui.views.help.help_window import DIALECT
from attn_gui.views.theme import dress, scaled


class AboutDialog(Retranslated, QDialog):
    """Name, version, one sentence, and the notices, in Markdown, in full when there are any."""

    def __init__(self, parent: QWidget | None = None, *, notices: str = "") -> None:
        super().__init__(parent)
        self.setObjectName("dialog.about")
        self._title, self._what, self._built = (WrappedLabel(self) for _ in range(3))
        self.notices = QTextBrowser(self)
        self.notices.setOpenExternalLinks(True)
        self.notices.document().setMarkdown(notices, DIALECT)
        self.notices.moveCursor(QTextCursor.MoveOperation.Start)
        self.notices.setVisible(bool(notices))
        self.buttons = QDialogButtonBox(BUTTONS.Close, self)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACING.xl, SPACING.xl, SPACING.xl, SPACING.xl)
        column.setSpacing(SPACING.m)
        for label in (self._title, self._what, self._built):
            column.addWidget(label)
        dress(self._title, letters="formula", strong=True)
        dress(self._built, tone="text2")
        column.addWidget(self.notices, 1)
        column.addWidget(self.buttons)
        self.buttons.rejected.connect(self.reject)
        self.retranslate()

    def sizeHint(self) -> QSize:
        if not self.notices.toPlainText():
            return QSize(scaled(460), super().sizeHint().height())
        return QSize(scaled(720), scaled(560))

    def retranslate(self) -> None:
        """All words in the present language."""
        self.setWindowTitle(self.tr("About"))
        self._title.setText(f"attn_gui {VERSION}")
        self._what.setText(self.tr("Take attention apart by hand: edit Q, K, V and watch every step follow."))
        parts = QCoreApplication.translate("Sentences", ", ").join(("NumPy", "Qt for Python", "pyqtgraph"))
        self._built.setText(self.tr("Made with {parts}.").format(parts=parts))
        self.notices.setAccessibleName(self.tr("Licenses"))
        self.buttons.button(BUTTONS.Close).setText(self.tr("Close"))
