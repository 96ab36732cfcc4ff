"""The help as a window: pages, names of actions in {braces}; the list of keyboard shortcuts; About."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QSize, Qt
from PySide6.QtGui import QTextBlockFormat, QTextCursor, QTextDocument, QTextFormat
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QHeaderView,
    QListWidget,
    QTextBrowser,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from attn_gui.figure.design_tokens import SPACING
from attn_gui.paths import resource
from attn_gui.version import VERSION
from attn_gui.views.dialogs.dialog_base import BUTTONS
from attn_gui.views.names import unbroken
from attn_gui.views.text_views import WrappedLabel
from attn_gui.views.theme import scaled, style_text
from attn_gui.views.widgets import LineEdit, Retranslated, arrange

ACTION = re.compile(r"`[^`]*`|\{(\w+)\}")  # in code, braces are those of live numbers


@dataclass(frozen=True)
class HelpPage:
    """One page: its key is the name of its file, the same in every language."""

    key: str
    title: str
    text: str  # Markdown


def help_pages(language: str, actions: Mapping[str, str], absent: Collection[str] = ()) -> tuple[HelpPage, ...]:
    """Return all pages of a language; `{name}` stands for the words of an action.

    Paragraphs about actions that are `absent` in this program are left out. Raises KeyError for an unknown one.
    """
    return tuple(_page(path, actions, absent) for path in sorted(resource("help", language).glob("*.md"), key=_place))


def _place(path: Path) -> tuple[int, str]:
    """Return where a page stands: by the number that its name begins with, then by its name."""
    return int(path.stem.partition("-")[0]), path.stem


def _page(path: Path, actions: Mapping[str, str], absent: Collection[str]) -> HelpPage:
    parts = path.read_text(encoding="utf-8").split("\n\n")
    said = "\n\n".join(part for part in parts if not any(name in absent for name in ACTION.findall(part)))
    text = ACTION.sub(lambda found: f"**{actions[found[1]]}**" if found[1] else found[0], said)
    return HelpPage(path.stem, text.partition("\n")[0].removeprefix("# "), text)


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
        arrange(QHBoxLayout(self), self.titles, (self.text, 1), margins=SPACING.l, spacing=SPACING.m)
        self.retranslate()

    def sizeHint(self) -> QSize:
        return QSize(scaled(760), scaled(560))

    def open_page(self, key: str) -> None:
        """Turn to the page of a key; the first one where there is none of it."""
        keys = [page.key for page in self._pages]
        self.titles.setCurrentRow(keys.index(key) if key in keys else 0)

    def retranslate(self) -> None:
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


Rows = Sequence[tuple[str, str]]  # what it does, its keys


class ShortcutsDialog(Retranslated, QDialog):
    """Actions with their keys, and the keys that work where a map or a table has the focus."""

    def __init__(self, rows: Rows, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("dialog.shortcuts")
        self._rows = tuple(rows)
        self._groups: list[QTreeWidgetItem] = []
        self.filter, self.list = LineEdit(self), QTreeWidget(self)
        self.filter.setClearButtonEnabled(True)
        self.list.setColumnCount(2)
        self.list.setRootIsDecorated(False)
        self.list.setItemsExpandable(False)
        self.list.setSelectionMode(QTreeWidget.SelectionMode.NoSelection)
        self.list.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.list.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.list.header().setStretchLastSection(False)
        arrange(QVBoxLayout(self), self.filter, self.list, margins=SPACING.l, spacing=SPACING.m)
        self.filter.textChanged.connect(self._show_matching)
        self.retranslate()

    def sizeHint(self) -> QSize:
        return QSize(scaled(460), scaled(520))

    def retranslate(self) -> None:
        self.setWindowTitle(self.tr("Keyboard shortcuts"))
        self.filter.setPlaceholderText(self.tr("Search"))
        self.filter.setAccessibleName(self.tr("Search shortcuts"))
        self.list.setAccessibleName(self.tr("Keyboard shortcuts"))
        self.list.setHeaderLabels([self.tr("Action"), self.tr("Keys")])
        self.list.clear()
        self._groups = []
        for title, rows in (
            (self.tr("Everywhere"), self._rows),
            (self.tr("In a map"), self._in_a_map()),
            (self.tr("In a table"), self._in_a_table()),
        ):
            group = QTreeWidgetItem(self.list, [title])
            self._groups.append(group)
            font = group.font(0)
            font.setBold(True)
            group.setFont(0, font)
            for text, keys in rows:
                QTreeWidgetItem(group, [text, keys]).setTextAlignment(
                    1, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
                )
        self.list.expandAll()
        self._show_matching(self.filter.text())

    def _in_a_map(self) -> Rows:
        return (
            (self.tr("Move the chosen cell"), "←  ↑  ↓  →"),
            (self.tr("Move it by 10"), self.tr("Shift + arrows")),
            (self.tr("Go to its table cell, and back"), "Enter, Esc"),
            (self.tr("Previous or next head"), "[  ]"),
            (self.tr("Step of the formula"), "1 … 9"),
            (self.tr("Type a number into the chosen cell"), "F2"),
            (self.tr("Numbers in cells"), "V"),
            (self.tr("Show what the chosen cell reaches, where it comes from"), "R, Shift+R"),
            (self.tr("Zoom at the chosen cell, show everything"), "+  −  0"),
            (self.tr("Walk through the chosen cell"), self.tr("Space")),
            (self.tr("Open or close the cell of a custom mask"), self.tr("Space")),
            (self.tr("In a walk: play or pause, step, back to the map"), self.tr("Space, ←  →, Esc")),
        )

    def _in_a_table(self) -> Rows:
        return (
            (self.tr("Type over the number"), "0 … 9"),
            (self.tr("Edit the number"), "F2"),
            (self.tr("Down, right; with Shift back"), "Enter, Tab"),
            (self.tr("Keep the old number"), "Esc"),
            (self.tr("Set to zero"), self.tr("Delete")),
        )

    def _show_matching(self, text: str) -> None:
        """Hide what does not hold the text, and groups with nothing left."""
        wanted = text.casefold()
        for group in self._groups:
            rows = [group.child(row) for row in range(group.childCount())]
            for row in rows:
                row.setHidden(wanted not in row.text(0).casefold() and wanted not in row.text(1).casefold())
            group.setHidden(all(row.isHidden() for row in rows))


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
        style_text(self._title, letters="formula", strong=True)
        style_text(self._built, tone="text2")
        parts = self._title, self._what, self._built, (self.notices, 1), self.buttons
        arrange(QVBoxLayout(self), *parts, margins=SPACING.xl, spacing=SPACING.m)
        self.buttons.rejected.connect(self.reject)
        self.retranslate()

    def sizeHint(self) -> QSize:
        if not self.notices.toPlainText():
            return QSize(scaled(460), super().sizeHint().height())
        return QSize(scaled(720), scaled(560))

    def retranslate(self) -> None:
        self.setWindowTitle(self.tr("About"))
        self._title.setText(f"attn_gui {VERSION}")
        self._what.setText(self.tr("Take attention apart by hand: edit Q, K, V and watch every step follow."))
        parts = QCoreApplication.translate("Sentences", ", ").join(("NumPy", "Qt for Python", "pyqtgraph"))
        self._built.setText(self.tr("Made with {parts}.").format(parts=parts))
        self.notices.setAccessibleName(self.tr("Licenses"))
        self.buttons.button(BUTTONS.Close).setText(self.tr("Close"))
