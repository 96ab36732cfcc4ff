"""The dialogs “Export image” with its preview, “Export numbers”, and the card."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QCoreApplication, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from attn_gui.figure.colors import PALETTES
from attn_gui.figure.design_tokens import SPACING
from attn_gui.figure.export_settings import THEMES
from attn_gui.figure.figure_kinds import PICTURES
from attn_gui.formats.catalog import IMAGES, number_formats
from attn_gui.formats.file_format import Format
from attn_gui.modes import STATES, WIPE
from attn_gui.views.controls.count_box import CountBox
from attn_gui.views.controls.tool_bar_controls import CompareBox
from attn_gui.views.dialogs.export_form import ExportForm, HeadsFields, SizeFields
from attn_gui.views.dialogs.form_fields import (
    REMEMBERED,
    VALUES,
    WINDOW,
    CheckList,
    DataChoice,
    ExportChoice,
    LevelsFields,
    ScrolledForm,
    first_of,
    heads_from_text,
    lay_out,
    opening_size,
)
from attn_gui.views.names import stage_title, unbroken
from attn_gui.views.text_views import WrappedLabel
from attn_gui.views.theme import current_theme, scaled, style_text
from attn_gui.views.widgets import ChoiceBox, arrange

# --- image: the figure, its size, colors and files -------------------------------------------------
DELAY_MS = 150  # a picture is drawn when typing rests
PAPER = QColor("white")


class Preview(QWidget):
    """Asks for its picture a moment after the last change; an error is said in its place.

    `draw` gives None for a picture that comes later, by `show_later`.
    """

    drawn = Signal()  # there is a picture, or a reason why there is none

    def __init__(self, draw: Callable[[], QImage | None], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._draw = draw
        self._image = QImage()
        self._sentence = ""
        self._coming = False
        self._timer = QTimer(self, singleShot=True, interval=DELAY_MS)
        self._timer.timeout.connect(self.draw_now)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def sizeHint(self) -> QSize:
        return QSize(scaled(460), scaled(400))

    def minimumSizeHint(self) -> QSize:
        return QSize(scaled(240), scaled(200))

    def image(self) -> QImage:
        """Return the picture on show; null when there is none."""
        return self._image

    def sentence(self) -> str:
        """Return the reason why there is no picture; empty when there is one, and while the next one is not drawn."""
        return "" if self._timer.isActive() else self._sentence

    def draw_waiting(self) -> None:
        """Draw what waits for the typing to rest."""
        if self._timer.isActive():
            self.draw_now()

    def draw_soon(self) -> None:
        """Draw again once nothing has changed for a moment."""
        self._timer.start()

    def draw_now(self) -> None:
        """Draw again at once."""
        self._timer.stop()
        self._coming = False
        try:
            found = self._draw()
        except (ValueError, OSError, MemoryError) as error:
            self._show(QImage(), str(error))
            return
        self._coming = found is None
        self._show(QImage() if found is None else found, "")

    def show_later(self, image: QImage, sentence: str = "") -> None:
        """Show a picture that was computed later, or a sentence in its place, unless it is not wanted any more."""
        if self._coming:
            self._coming = False
            self._show(image, sentence)

    def _show(self, image: QImage, sentence: str) -> None:
        self._image, self._sentence = image, sentence
        self.setAccessibleDescription(sentence)
        self.update()
        self.drawn.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), current_theme().sunken)
            room = self.rect().adjusted(SPACING.l, SPACING.l, -SPACING.l, -SPACING.l)
            if self._image.isNull():
                painter.setPen(current_theme().error if self._sentence else current_theme().text3)
                said = self.tr("The preview is being drawn…") if self._coming else unbroken(self._sentence)
                painter.drawText(room, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, said)
                return
            ratio = self.devicePixelRatioF()
            size = self._image.size().scaled(room.size() * ratio, Qt.AspectRatioMode.KeepAspectRatio)
            size = size.boundedTo(self._image.size())  # never blown up
            picture = self._image.scaled(
                size, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
            )
            picture.setDevicePixelRatio(ratio)
            place = picture.deviceIndependentSize().toSize()
            left, top = room.center().x() - place.width() // 2, room.center().y() - place.height() // 2
            painter.fillRect(left, top, place.width(), place.height(), PAPER)
            painter.drawImage(left, top, picture)


FILES, SHEET = "files", "sheet"
FIGURES_OF_TWO = tuple(mode for mode in STATES if mode != WIPE)  # a bar in a figure could not be moved


class ExportDialog(ExportForm):
    """Asks which figures to write. `draw` makes the preview of a choice, `names` tells the files it will write.

    A preview that takes a while is None and comes later, see `preview`. Both may raise ValueError or OSError with a
    sentence, shown in their place. `pictures` are the kinds of figures there are; `compares`: there is another state;
    `gradient`: a cell is chosen; `carries`: a file may have the session inside.
    """

    remembered = REMEMBERED

    def __init__(
        self,
        stages: Sequence[str],
        *,
        heads: int,
        items: int = 1,
        draw: Callable[[ExportChoice], QImage | None],
        names: Callable[[ExportChoice], Sequence[str]],
        pictures: Iterable[str] = ("map", "product"),
        stem: str = "",
        compares: bool = False,
        gradient: bool = False,
        carries: bool = True,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(names, stem, parent)
        self.setObjectName("dialog.export_image")
        self._draw = draw
        self.stages = CheckList(stages, stage_title, self)
        self.picture, self.compare = ChoiceBox(pictures, self), CompareBox(self, FIGURES_OF_TWO)
        self.compare.set_offered(compared=compares, gradient=gradient)
        self.heads, self.item = HeadsFields(heads, self), CountBox(self, minimum=0, maximum=items - 1)
        self.arrangement = ChoiceBox((FILES, SHEET), self)
        self.format, self.values = ChoiceBox(tuple(IMAGES), self), ChoiceBox(VALUES, self)
        self.theme, self.colormap = ChoiceBox(THEMES, self), ChoiceBox((WINDOW, *PALETTES), self)
        self.levels = LevelsFields(self)
        self._sizes = SizeFields(self)
        self.made_for, self.dpi = self._sizes.style, self._sizes.dpi
        self.width_cm, self.height_cm, self.font_size = self._sizes.numbers
        self.colorbar, self.transparent, self.session = QCheckBox(self), QCheckBox(self), QCheckBox(self)
        self.session.setVisible(carries)
        self.title, self.outlines = QCheckBox(self), QCheckBox(self)
        self.preview = Preview(self._picture, self)
        self._shown = WrappedLabel(self)
        self._build(items)
        self.set_choice(ExportChoice(stages=first_of(stages)))
        self.resize(opening_size(self))

    def objection(self) -> str:
        """Return the reason why nothing can be written yet, that of a picture that has no room on its page included."""
        return super().objection() or self.preview.sentence()

    def accept(self) -> None:
        self.preview.draw_waiting()
        super().accept()

    def _say_choices(self) -> None:
        """Set the words in the fields and lists."""
        self.values.set_words(
            {"auto": self.tr("where they fit"), "always": self.tr("always"), "never": self.tr("never")}
        )
        self.theme.set_words({"light": self.tr("light, on white"), "dark": self.tr("dark")})
        self.arrangement.set_words({FILES: self.tr("one file each"), SHEET: self.tr("all on one sheet")})
        self.format.set_words({key: key.upper() for key in IMAGES})
        there = (kind for kind in PICTURES.values() if self.picture.findData(kind.key) >= 0)
        self.picture.set_words({kind.key: QCoreApplication.translate(kind.context, kind.title) for kind in there})
        maps = {name: QCoreApplication.translate("Palettes", palette.title) for name, palette in PALETTES.items()}
        self.colormap.set_words({WINDOW: self.tr("as in the window"), **maps})

    def _fields(self) -> dict[str, QWidget]:
        return {
            "batch": self.item,
            "stages": self.stages,
            "picture": self.picture,
            "compare": self.compare,
            "format": self.format,
            "style": self.made_for,
            "width": self.width_cm,
            "height": self.height_cm,
            "dpi": self.dpi,
            "font_size": self.font_size,
            "theme": self.theme,
            "colorbar": self.colorbar,
            "title": self.title,
            "outlines": self.outlines,
            "transparent": self.transparent,
            "session": self.session,
        }

    def _show_rest(self, choice: ExportChoice) -> None:
        self.heads.set_heads(choice.heads)
        self.values.set_key(next(key for key, value in VALUES.items() if value is choice.values))
        self.arrangement.set_key(SHEET if choice.sheet else FILES)
        self.colormap.set_key(choice.colormap or WINDOW)
        self.levels.set_levels(choice.levels, choice.typed)
        self._sizes.propose()

    def _build(self, items: int) -> None:
        self.setWindowTitle(self.tr("Export image"))
        self._say_choices()
        self.item.setEnabled(items > 1)
        right = arrange(QVBoxLayout(), (self.preview, 1), self._shown, self._said, self.buttons, spacing=SPACING.m)
        arrange(QHBoxLayout(self), self._form(), (right, 1), margins=SPACING.xl, spacing=SPACING.xl)
        style_text(self._shown, letters="small", tone="text3")
        self.buttons.ok.setDefault(True)
        self._listen()

    def _form(self) -> ScrolledForm:
        """Lay out captions above their editors, three columns; they scroll where a screen is low."""
        form = ScrolledForm(self)
        item = self._field("item", self.item, self.tr("item"))
        of_heads = (
            self._field("heads", self.heads, self.tr("heads"), 2),
            self._field("arrangement", self.arrangement, self.tr("several heads")),
        )
        form.lay_out(
            (
                (self._field("stages", self.stages, self.tr("stages"), 3),),
                (
                    self._field("picture", self.picture, self.tr("picture"), 2),
                    self._field("compare", self.compare, self.tr("state")),
                ),
                of_heads,
                (
                    self._field("format", self.format, self.tr("format")),
                    self._field("dpi", self.dpi, self.tr("dots per inch")),
                    item,
                ),
                (
                    self._field("width", self.width_cm, self.tr("width in cm")),
                    self._field("height", self.height_cm, self.tr("height in cm")),
                    self._field("font_size", self.font_size, self.tr("type in points")),
                ),
                (
                    self._field("levels", self.levels, self.tr("levels"), 2),
                    self._field("colormap", self.colormap, self.tr("color map")),
                ),
                (
                    self._field("style", self.made_for, self.tr("made for")),
                    self._field("values", self.values, self.tr("numbers in cells")),
                    self._field("theme", self.theme, self.tr("theme")),
                ),
                (
                    self._switch(self.title, self.tr("title")),
                    self._switch(self.colorbar, self.tr("color bar")),
                    self._switch(self.transparent, self.tr("transparent background")),
                ),
                (
                    self._switch(self.outlines, self.tr("letters as outlines")),
                    self._switch(self.session, self.tr("session inside")),
                ),
                (self._name_field(),),
                (self._folder_field(),),
            )
        )
        needless = [*(of_heads if self.heads.count == 1 else ()), *([item] if self.item.maximum() == 0 else [])]
        for label, editor, _ in needless:
            if label is not None:
                label.hide()
            editor.hide()
        return form

    def _listen(self) -> None:
        super()._listen()
        for signal in (
            self.heads.changed,
            self.levels.changed,
            *(box.picked for box in (self.values, self.arrangement, self.colormap)),
        ):
            signal.connect(self._show_choice)
        self.preview.drawn.connect(self.say_outcome)

    def _lacking(self) -> str:
        return "" if self.stages.keys() else self.tr("Tick at least one stage.")

    def _heads(self) -> tuple[int, ...]:
        return self.heads.heads()

    def _choice(self, heads: tuple[int, ...]) -> ExportChoice:
        choice: ExportChoice = super()._choice(heads)
        return replace(
            choice,
            heads=heads,
            values=VALUES[self.values.currentData()],
            sheet=self.arrangement.currentData() == SHEET,
            levels=self.levels.key(),
            typed=self.levels.typed(),
            colormap=None if (name := self.colormap.currentData()) == WINDOW else name,
        )

    def _show_choice(self, *_: object) -> None:
        """Show what will be written, or why nothing can be; the preview follows."""
        kind, several = PICTURES[self.picture.currentData()], len(self.heads.readable()) > 1
        form = IMAGES[self.format.currentData()]
        self.dpi.setEnabled(form.pixels)
        self.outlines.setEnabled(not form.pixels)
        self.transparent.setEnabled(not form.moving)
        self.session.setEnabled(form.carries)
        self.arrangement.setEnabled(several and kind.on_sheets)
        self.stages.setEnabled(kind.of_stage)
        for editor in (self.levels, self.colormap):
            editor.setEnabled(kind.of_stage)
        self.preview.draw_soon()  # first: what was said of the picture before is no reason any more
        super()._show_choice()

    def _picture(self) -> QImage | None:
        """Return the first of the figures."""
        choice = self.result_choice()
        if not choice.stages or not choice.heads:
            raise ValueError(super().objection())
        together = choice.sheet and PICTURES[choice.picture].on_sheets
        first = replace(choice, stages=choice.stages[:1], heads=choice.heads if together else choice.heads[:1])
        title = stage_title(first.stages[0]) if PICTURES[choice.picture].of_stage else self.picture.currentText()
        one_of_several = len(first.heads) == 1 < self.heads.count
        of_head = self.tr("{stage}, head {head}").format(stage=title, head=first.heads[0])
        self._shown.setText(of_head if one_of_several else title)
        return self._draw(first)


# --- numbers: what is written, the format and the files --------------------------------------------
class ExportDataDialog(ExportForm):
    """Asks which fields and stages to write as numbers; `names` tells the files that a choice will write."""

    remembered = ("format", "bom", "headers", "folder")

    def __init__(
        self,
        arrays: Sequence[str],
        *,
        heads: int,
        items: int = 1,
        names: Callable[[DataChoice], Sequence[str]],
        stem: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(names, stem, parent)
        self.setObjectName("dialog.export_data")
        self._head_count, self._all = heads, tuple(arrays)
        self.arrays = CheckList(arrays, self._title, self)
        self.every, self.none = QPushButton(self.tr("All"), self), QPushButton(self.tr("None"), self)
        self.format, self.heads = ChoiceBox(parent=self), QLineEdit(self)
        self.item = CountBox(self, minimum=0, maximum=items - 1)
        self.bom, self.headers = QCheckBox(self), QCheckBox(self)
        self._build(items)
        self.set_choice(DataChoice(arrays=first_of(self._all)))

    def _file_words(self, kind: Format[Any]) -> str:
        """Return words for what one file of a format holds."""
        if kind.write_problem is not None:
            return self.tr("{name}, every step as formulas")
        return self.tr("{name}, a matrix each") if kind.holds_matrix else self.tr("{name}, all in one file")

    def _title(self, name: str) -> str:
        return f"{stage_title(name)}  ({name})"

    def _build(self, items: int) -> None:
        self.setWindowTitle(self.tr("Export numbers"))
        for key, kind in number_formats().items():
            self.format.addItem(self._file_words(kind).format(name=key.upper()), key)
        self.heads.setPlaceholderText(self.tr("all"))
        self.heads.setToolTip(self.tr("all, or numbers such as 0, 2-3"))
        self.item.setEnabled(items > 1)
        for button in (self.every, self.none):
            button.setAutoDefault(False)
        self._lay_out(self._form())
        self.every.clicked.connect(lambda: self._tick(self._all))
        self.none.clicked.connect(lambda: self._tick(()))
        self.heads.textChanged.connect(self._show_choice)
        self._listen()

    def _form(self) -> QGridLayout:
        ticks = QWidget(self)
        arrange(QHBoxLayout(ticks), self.every, self.none, 1, margins=0, spacing=SPACING.s)
        grid = QGridLayout()
        lay_out(
            grid,
            (
                (self._field("arrays", self.arrays, self.tr("matrices and stages"), 3),),
                ((None, ticks, 3),),
                (
                    self._field("format", self.format, self.tr("format")),
                    self._field("heads", self.heads, self.tr("heads")),
                    self._field("item", self.item, self.tr("item")),
                ),
                (self._switch(self.headers, self.tr("tokens and column numbers as headers"), 3),),
                (self._switch(self.bom, self.tr("mark the file as UTF-8 for Excel (BOM)"), 3),),
                (self._name_field(),),
                (self._folder_field(),),
            ),
        )
        for column, stretch in enumerate((3, 2, 1)):
            grid.setColumnStretch(column, stretch)
        grid.setRowStretch(1, 1)
        return grid

    def _tick(self, names: Sequence[str]) -> None:
        self.arrays.set_keys(names)
        self._show_choice()

    def _lacking(self) -> str:
        every = number_formats()[self.format.currentData()].write_problem is not None
        return "" if every or self.arrays.keys() else self.tr("Tick at least one matrix.")

    def _heads(self) -> tuple[int, ...]:
        return heads_from_text(self.heads.text(), self._head_count)

    def _fields(self) -> dict[str, QWidget]:
        return {
            "arrays": self.arrays,
            "batch": self.item,
            "format": self.format,
            "bom": self.bom,
            "headers": self.headers,
        }

    def _show_rest(self, choice: DataChoice) -> None:
        self.heads.setText(", ".join(map(str, choice.heads)))

    def _choice(self, heads: tuple[int, ...]) -> DataChoice:
        choice: DataChoice = super()._choice(heads)
        return replace(choice, heads=heads)

    def _show_choice(self, *_: object) -> None:
        """Show what will be written, or why nothing can be."""
        kind = number_formats()[self.format.currentData()]
        self.headers.setEnabled(kind.text)
        self.bom.setEnabled(kind.spreadsheet)
        self.heads.setEnabled(kind.holds_matrix)
        self.item.setEnabled(kind.holds_matrix and self.item.maximum() > 0)
        for widget in (self.arrays, self.every, self.none):
            widget.setEnabled(kind.write_problem is None)
        super()._show_choice()


# --- a card of the chosen cell: how it will look, in which form and theme, copied or saved ----------
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
