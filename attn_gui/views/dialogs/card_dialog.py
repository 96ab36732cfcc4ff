"""A card of the chosen cell: how it will look, in which form and theme, and whether it is copied or saved."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from attn_gui.figure.design_tokens import SPACING
from attn_gui.figure.export_settings import THEMES
from attn_gui.views.dialogs.export_dialog import Preview
from attn_gui.views.theme import scaled
from attn_gui.views.widgets import ChoiceBox, arrange

FORMS = ("card", "square_card")
PREVIEW = 560, 340
COPY, SAVE = 1, 2
"""What a person wants of the card, as `exec` returns it."""


class CardDialog(QDialog):
    """Shows the card of a form and a theme; `draw` paints it, or gives None for one that comes later, by `preview`."""

    def __init__(
        self, draw: Callable[[str, str], QImage | None], form: str, theme: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("dialog.card")
        self.form, self.theme = ChoiceBox(FORMS, self), ChoiceBox(THEMES, self)
        self.preview = Preview(lambda: draw(self.form.currentData(), self.theme.currentData()), self)
        self.copy, self.save = QPushButton(self.tr("Copy"), self), QPushButton(self.tr("Save PNG…"), self)
        self.form.set_key(form if form in FORMS else FORMS[0])
        self.theme.set_key(theme)
        self._build()
        self.preview.draw_now()
        self._show_ready()
        self.copy.setFocus()  # one key makes the card, Enter copies it

    def choice(self) -> tuple[str, str]:
        """Return the form and the theme."""
        return self.form.currentData(), self.theme.currentData()

    def _build(self) -> None:
        close = QPushButton(self.tr("Close"), self)
        self.setWindowTitle(self.tr("Card"))
        self.form.set_words({"card": self.tr("wide, 1,200 × 630"), "square_card": self.tr("square, 1,080 × 1,080")})
        self.theme.set_words({"light": self.tr("light"), "dark": self.tr("dark")})
        self.form.setAccessibleName(self.tr("form of the card"))
        self.theme.setAccessibleName(self.tr("colors of the card"))
        self.preview.setAccessibleName(self.tr("preview of the card"))
        self.copy.setToolTip(self.tr("Copy the picture, to paste it wherever you like"))
        self.save.setToolTip(self.tr("A PNG that opens as a session again"))
        self.form.setToolTip(self.tr("Wide for a post or a slide, square for a chat"))
        self.theme.setToolTip(self.tr("The colors of the card, whatever those of the window are"))
        close.setToolTip(self.tr("Leave without a card"))
        choices = QHBoxLayout()
        for words, box in ((self.tr("form"), self.form), (self.tr("colors"), self.theme)):
            label = QLabel(words, self)
            label.setBuddy(box)
            choices.addWidget(label)
            choices.addWidget(box)
            choices.addSpacing(SPACING.l)
            box.picked.connect(lambda _key: self.preview.draw_now())
        choices.addStretch(1)
        every = self.copy, self.save, close
        for button in every:
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            button.setAutoDefault(False)
        self.copy.setDefault(True)
        self.copy.clicked.connect(lambda: self.done(COPY))
        self.save.clicked.connect(lambda: self.done(SAVE))
        close.clicked.connect(self.reject)
        self.form.setObjectName("card.form")
        self.theme.setObjectName("card.theme")
        self.preview.setObjectName("card.preview")
        self.copy.setObjectName("card.copy")
        self.save.setObjectName("card.save")
        close.setObjectName("card.close")
        self.preview.setMinimumSize(scaled(PREVIEW[0]), scaled(PREVIEW[1]))
        self.preview.drawn.connect(self._show_ready)
        buttons = arrange(QHBoxLayout(), 1, *every)
        arrange(QVBoxLayout(self), choices, (self.preview, 1), buttons, margins=SPACING.xl, spacing=SPACING.l)

    def _show_ready(self) -> None:
        """Disable copying and saving of a card that cannot be drawn; the preview says why."""
        for button in (self.copy, self.save):
            button.setEnabled(not self.preview.sentence())
