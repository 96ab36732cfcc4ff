"""Window with the help: a list of pages beside the one that is read; the program stays usable."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QTextBlockFormat, QTextCursor, QTextDocument, QTextFormat
from PySide6.QtWidgets import QDialog, QHBoxLayout, QListWidget, QTextBrowser, QWidget

from attn_gui.figure.tokens import SPACING
from attn_gui.views.bases.retranslated import Retranslated
from attn_gui.views.help.help_pages import HelpPage
from attn_gui.views.theme import scaled
from attn_gui.views.words.names import unbroken

DIALECT = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML

LINE_HEIGHT = 125  # percent
CODE = QTextFormat.Property.BlockCodeLanguage.value


class HelpWindow(Retranslated, QDialog):
    """Reads its pages anew when the language changes, and stays on the one that was open."""

    def __init__(self, read: Callable[[], Sequence[HelpPage]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("dialog.help")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._read, self._pages = read, tuple[HelpPage, ...]()
        self.titles, self.text = QListWidget(self), QTextBrowser(self)
        self.text.setOpenLinks(False)
        self.text.document().setDocumentMargin(scaled(SPACING.xl))
        self.titles.currentRowChanged.connect(self._show)
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACING.l, SPACING.l, SPACING.l, SPACING.l)
        row.setSpacing(SPACING.m)
        row.addWidget(self.titles)
        row.addWidget(self.text, 1)
        self.retranslate()

    def sizeHint(self) -> QSize:
        return QSize(scaled(760), scaled(560))

    def open_page(self, key: str) -> None:
        """Turn to the page of a key; the first one where there is none of it."""
        keys = [page.key for page in self._pages]
        self.titles.setCurrentRow(keys.index(key) if key in keys else 0)

    def retranslate(self) -> None:
        """All words in the present language."""
        row = max(self.titles.currentRow(), 0)
        self.setWindowTitle(self.tr("Help"))
        self.titles.setAccessibleName(self.tr("Pages of the help"))
        self.text.setAccessibleName(self.tr("Text of the page"))
        self._pages = tuple(self._read())
        self.titles.clear()
        self.titles.addItems([page.title for page in self._pages])
        self.titles.setFixedWidth(self.titles.sizeHintForColumn(0) + scaled(SPACING.xl))
        self.titles.setCurrentRow(row)

    def _show(self, row: int) -> None:
        if 0 <= row < len(self._pages):
            self.text.document().setMarkdown(unbroken(self._pages[row].text), DIALECT)
            _loosen(self.text.document())
            self.text.moveCursor(QTextCursor.MoveOperation.Start)


def _loosen(document: QTextDocument) -> None:
    """Set the lines as in a book: Qt's Markdown leaves no room between paragraphs. Code stays together, and wraps."""
    document.setIndentWidth(scaled(SPACING.xl))
    block = document.begin()
    while block.isValid():
        form = block.blockFormat()
        form.setNonBreakableLines(False)
        form.setLineHeight(LINE_HEIGHT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        goes_on = form.hasProperty(CODE) and block.next().blockFormat().hasProperty(CODE)
        form.setBottomMargin(0 if goes_on else scaled(SPACING.m))
        QTextCursor(block).setBlockFormat(form)
        block = block.next()
