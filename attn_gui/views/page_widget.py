"""One page as a widget: fields of its options, Copy and Save above code, Fit w above the curve."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QCoreApplication, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QSlider, QVBoxLayout, QWidget

from attn_gui.figure.design_tokens import SPACING
from attn_gui.figure.pages.page_kind import ChoiceOption, NumberOption, PageContext, PageKind, PageOption, SliderOption
from attn_gui.figure.text.figure_words import joined
from attn_gui.views.controls.typed_field import NumberField
from attn_gui.views.dialogs.progress import WorkLine
from attn_gui.views.inspector.cell_relations import column_number
from attn_gui.views.page_canvas import PageCanvas
from attn_gui.views.text_views import WrappedLabel
from attn_gui.views.theme import scaled, style_text, theme_signal
from attn_gui.views.widgets import ChoiceBox, FlowLayout, Retranslated, arrange, set_tip

NUMBER, SLIDER = 64, 200
"""Widths of fields."""


class OptionFields(QWidget):
    """Fields for the options of a page; `turned` carries an option's key and the value that a person chose."""

    turned = Signal(str, object)  # an option's key, and its new value

    def __init__(self, page: str, options: tuple[PageOption, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._options = options
        self._captions: dict[str, QLabel] = {}
        self._fields: dict[str, QWidget] = {}
        flow = FlowLayout(self, gap=SPACING.m, between=SPACING.s)
        for option in sorted(
            options, key=lambda option: not isinstance(option, SliderOption)
        ):  # sliders are turned most
            holder = QWidget(self)
            caption, field = QLabel(holder), self._field(option, holder)
            caption.setTextFormat(Qt.TextFormat.PlainText)
            style_text(caption, "small", "text2")
            field.setObjectName(f"page.{page}.{option.key}")
            arrange(QVBoxLayout(holder), caption, field, margins=0, spacing=SPACING.xs)
            self._captions[option.key], self._fields[option.key] = caption, field
            flow.addWidget(holder)
        theme_signal.changed.connect(self._fit_widths)
        self._fit_widths()
        self.setVisible(bool(options))

    def set_values(self, context: PageContext, values: Mapping[str, Any]) -> None:
        """Show these values, and what can be chosen here."""
        for option in self._options:
            field, value, place = self._fields[option.key], values[option.key], ""
            if isinstance(option, ChoiceOption) and isinstance(field, ChoiceBox):
                words = {
                    key: joined(text, QCoreApplication.translate)
                    for key, text in option.offered(context, values).items()
                }
                if [field.itemData(place) for place in range(field.count())] != list(words):
                    field.set_choices(list(words.items()))
                field.set_words(words)
                field.set_key(value)
            elif isinstance(option, SliderOption) and isinstance(field, QSlider):
                with QSignalBlocker(field):
                    field.setRange(0, option.last(context, values))
                    field.setValue(value)
                place = option.place_words(context, values, value)
            elif isinstance(field, NumberField):
                field.set_value(value)
            caption = _said(option.caption)
            self._captions[option.key].setText(f"{caption} {place}".strip())
            field.setAccessibleName(f"{caption} {place}".strip())
            set_tip(field, _said(option.tip))
        self._fit_widths()

    def _field(self, option: PageOption, parent: QWidget) -> QWidget:
        if isinstance(option, ChoiceOption):
            box = ChoiceBox((), parent)
            box.picked.connect(lambda value, key=option.key: self.turned.emit(key, value))
            return box
        if isinstance(option, SliderOption):
            slider = QSlider(Qt.Orientation.Horizontal, parent)
            slider.valueChanged.connect(lambda value, key=option.key: self.turned.emit(key, value))
            return slider
        assert isinstance(option, NumberOption)
        field = NumberField(parent, finite=True)
        whole = option.whole
        field.committed.connect(
            lambda value, key=option.key: self.turned.emit(key, round(value) if whole else float(value))
        )
        return field

    def _fit_widths(self, *_: object) -> None:
        """Give the fields their widths at the present zoom; what follows from the problem may have all its digits."""
        for field in self._fields.values():
            if isinstance(field, NumberField):
                digits = field.fontMetrics().horizontalAdvance(field.text()) + scaled(3 * SPACING.m)
                field.setFixedWidth(min(max(scaled(NUMBER), digits), scaled(SLIDER)))
            else:
                field.setMinimumWidth(scaled(SLIDER if isinstance(field, QSlider) else NUMBER))


def _said(text: str) -> str:
    return QCoreApplication.translate("Pages", text)


class PageWidget(QWidget):
    """The widget `page.NAME` of a page, empty until `fill` is called when it is first shown."""

    spotChosen = Signal(object)  # Spot
    turned = Signal(str, object)  # an option's key, and its new value
    stopRequested = Signal()

    def __init__(self, kind: PageKind[Any], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kind = kind
        self.setObjectName(f"page.{kind.name}")
        self._column = arrange(QVBoxLayout(self), margins=0, spacing=SPACING.s)
        self.canvas: PageCanvas | None = None
        self.content: Any = None

    def put_above(self, widget: QWidget) -> None:
        """Put a widget with further controls above the page."""
        self._column.insertWidget(0, widget)

    def fill(self, lang: str) -> PageCanvas:
        """Make what it consists of, unless that is there; its canvas."""
        if self.canvas is None:
            self._fields = OptionFields(self.kind.name, self.kind.options, self)
            self._sentence, self.progress = WrappedLabel(self), WorkLine("page", self, of=self.kind.name)
            # as high as its button: no status bar has to keep its height here
            self.progress.cancel.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
            self._sentence.hide()
            style_text(self._sentence, "sentence", "text2")
            self.canvas = PageCanvas(self.kind, self)
            arrange(self._column, self._sentence, self.progress, (self.canvas, 1), self._fields)
            self._fields.turned.connect(self.turned)
            self.canvas.spotChosen.connect(self.spotChosen)
            self.progress.cancelRequested.connect(self.stopRequested)
        self.canvas.set_language(lang)
        return self.canvas

    def set_options(self, context: PageContext) -> None:
        """Set the values of the options, and what can be chosen."""
        if self.kind.options:
            self._fields.set_values(context, context.options)
            self._fields.show()

    def set_content(self, content: Any, layer: int | None = None) -> None:
        """Show what was read, of a layer of a model where it looks at one."""
        assert self.canvas is not None
        self.content = content
        self.progress.end()
        self._sentence.hide()
        self.canvas.show()
        self.canvas.set_content(content, layer)

    def set_stale(self, stale: bool) -> None:
        """Show faintly what was read of a state that is gone."""
        if self.canvas is not None:
            self.canvas.set_stale(stale)

    def set_sentence(self, text: str) -> None:
        """Say why there is nothing to be seen."""
        assert self.canvas is not None
        self.content = None
        self.progress.end()
        self._sentence.setText(text)
        self._sentence.show()
        self.canvas.set_content(None)
        self.canvas.hide()

    def set_needs(self, text: str) -> None:
        """Say what the problem lacks for this page; the knobs are hidden."""
        self.set_sentence(text)
        self._fields.hide()

    def title(self) -> str:
        """Return its title in the present language."""
        return QCoreApplication.translate("Pages", self.kind.title)


class CodeControls(Retranslated, QWidget):
    """Buttons above the page of code: copy it, save it as a file."""

    copyRequested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._copy, self.save = QPushButton(self), QPushButton(self)
        self._copy.setObjectName("button.copy_code")
        self.save.setObjectName("button.save_code")
        self._copy.clicked.connect(self.copyRequested)
        arrange(QHBoxLayout(self), self._copy, self.save, 1, margins=0, spacing=SPACING.s)
        self.retranslate()

    def retranslate(self) -> None:
        self._copy.setText(self.tr("Copy the code"))
        self._copy.setToolTip(self.tr("The whole script as text, onto the clipboard"))
        self.save.setText(self.tr("Save as .py…"))
        self.save.setToolTip(self.tr("The script as a file, which prints the same numbers without this program"))


DIGITS = 4  # of the error


class FitControls(Retranslated, QWidget):
    """Controls above the page of a curve: the error of predicting each point from the others, a button that fits w."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("fit")
        self._error: float | None = None
        self._missed = WrappedLabel(self)
        self.fit_button = QPushButton(self)
        self.fit_button.setObjectName("button.fit")
        style_text(self._missed, "body", "text2")
        button = (self.fit_button, 0, Qt.AlignmentFlag.AlignLeft)
        arrange(QVBoxLayout(self), self._missed, button, margins=0, spacing=SPACING.s)
        self.retranslate()

    def set_error(self, error: float | None) -> None:
        """Set the mean squared error of every point predicted from the others; None while it is not known."""
        self._error = error
        self.retranslate()

    def retranslate(self) -> None:
        self.fit_button.setText(self.tr("Fit w to the points"))
        number = "…" if self._error is None else column_number(self._error, DIGITS)
        text = self.tr("Every point predicted from the others: mean squared error {error}")
        self._missed.setText(text.format(error=number))
