"""Name and note of a snapshot."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget

from attn_gui.figure.tokens import SPACING
from attn_gui.views.dialogs.asking import BUTTONS
from attn_gui.views.theme import scaled

SNAPSHOT_WIDTH, LINES = 360, 5


class SnapshotDialog(QDialog):
    """A line for the name, which may not be empty, and room for a note; `longest` limits both, in letters."""

    def __init__(self, name: str, note: str, longest: tuple[int, int], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("dialog.snapshot")
        self.setWindowTitle(self.tr("Snapshot"))
        self._longest = longest
        self.name, self.note = QLineEdit(name, self), QPlainTextEdit(note, self)
        captions = QLabel(self.tr("&Name"), self), QLabel(self.tr("N&ote"), self)
        self.name.setMaxLength(longest[0])
        self.name.selectAll()
        self.name.setAccessibleName(self.tr("Name"))
        self.name.setToolTip(self.tr("By this name it is listed, and called in maps and figures"))
        self.note.setAccessibleName(self.tr("Note"))
        self.note.setToolTip(self.tr("Whatever is worth knowing about this state; it is saved with it"))
        self.note.setTabChangesFocus(True)
        self.note.setFixedHeight(LINES * self.note.fontMetrics().lineSpacing() + scaled(SPACING.l))
        self.buttons = QDialogButtonBox(BUTTONS.Ok | BUTTONS.Cancel, self)
        self.buttons.button(BUTTONS.Ok).setText(self.tr("OK"))
        self.buttons.button(BUTTONS.Cancel).setText(self.tr("Cancel"))
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.name.textChanged.connect(self._look)
        self.note.textChanged.connect(self._look)
        column = QVBoxLayout(self)
        column.setSpacing(SPACING.m)
        for caption, field in zip(captions, (self.name, self.note), strict=True):
            caption.setBuddy(field)
            column.addWidget(caption)
            column.addWidget(field)
        column.addWidget(self.buttons)
        self.setMinimumWidth(scaled(SNAPSHOT_WIDTH))
        self._look()

    def answer(self) -> tuple[str, str]:
        """Name and note as they were typed."""
        return " ".join(self.name.text().split()), self.note.toPlainText().strip()

    def _look(self) -> None:
        name, note = self.answer()
        self.buttons.button(BUTTONS.Ok).setEnabled(bool(name) and len(note) <= self._longest[1])
