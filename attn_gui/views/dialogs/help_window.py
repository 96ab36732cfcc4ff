"""Help › Keyboard shortcuts: all of them in one list."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QDialog, QHeaderView, QLineEdit, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from attn_gui.figure.tokens import SPACING
from attn_gui.views.bases.retranslated import Retranslated
from attn_gui.views.theme import scaled

Rows = Sequence[tuple[str, str]]  # what it does, its keys


class ShortcutsDialog(Retranslated, QDialog):
    """Actions with their keys, and the keys that work where a map or a table has the focus."""

    def __init__(self, rows: Rows, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("dialog.shortcuts")
        self._rows = tuple(rows)
        self._groups: list[QTreeWidgetItem] = []
        self.filter, self.list = QLineEdit(self), QTreeWidget(self)
        self.filter.setClearButtonEnabled(True)
        self.list.setColumnCount(2)
        self.list.setRootIsDecorated(False)
        self.list.setItemsExpandable(False)
        self.list.setSelectionMode(QTreeWidget.SelectionMode.NoSelection)
        self.list.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.list.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.list.header().setStretchLastSection(False)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACING.l, SPACING.l, SPACING.l, SPACING.l)
        column.setSpacing(SPACING.m)
        column.addWidget(self.filter)
        column.addWidget(self.list)
        self.filter.textChanged.connect(self._show_matching)
        self.retranslate()

    def sizeHint(self) -> QSize:
        return QSize(scaled(460), scaled(520))

    def retranslate(self) -> None:
        """All words in the present language."""
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
            (self.tr("Open or close the cell of a custom mask"), self.tr("Space")),
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
