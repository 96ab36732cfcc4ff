"""A sentence in which some words carry a role: painted as plain text, so a token is never read as markup."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from string import Formatter

from PySide6.QtCore import QEvent, QPointF, QSize
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPaintEvent, QTextCharFormat, QTextLayout, QTextOption
from PySide6.QtWidgets import QSizePolicy, QWidget

from attn_gui.views.theme import current_theme, ui_font
from attn_gui.views.words.names import unbroken

LINE_HEIGHT = 1.2


@dataclass(frozen=True)
class Run:
    """A piece of a sentence: `role` is the theme's color, strong text is semi-bold."""

    text: str
    role: str = "text"
    strong: bool = False


def strong(text: object, role: str = "text") -> Run:
    """A word that stands out."""
    return Run(str(text), role, True)


def runs(template: str, **words: object) -> tuple[Run, ...]:
    """The template cut at its {names}, each replaced by a Run, several Runs, or the text of what is given."""
    out: list[Run] = []
    for literal, name, _, _ in Formatter().parse(template):
        out.extend([Run(literal)] if literal else [])
        if name is not None:
            word = words[name]
            out.extend(word if isinstance(word, tuple) else [word if isinstance(word, Run) else Run(str(word))])
    return tuple(out)


def plain(sentence: Sequence[Run]) -> str:
    """The words alone."""
    return "".join(run.text for run in sentence)


class SentenceView(QWidget):
    """Paints a sentence, broken to the width it gets; the accessible name holds its words."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sentence: tuple[Run, ...] = ()
        self._known: dict[float, tuple[QTextLayout, float]] = {}  # by width: Qt asks for heights again and again
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def set_sentence(self, sentence: Sequence[Run]) -> None:
        self._sentence = tuple(sentence)
        self.setAccessibleName(plain(sentence))
        self._changed()

    def text(self) -> str:
        """The words alone."""
        return plain(self._sentence)

    # --- what Qt asks ----------------------------------------------------------------------------
    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return round(self._laid_out(width)[1] + 0.5)

    def sizeHint(self) -> QSize:
        natural = QFontMetricsF(_font()).horizontalAdvance(self.text())
        return QSize(min(round(natural) + 8, 320), self.heightForWidth(self.width() or 320))

    def minimumSizeHint(self) -> QSize:
        return QSize(80, round(_line_height()))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        layout, _ = self._laid_out(self.width())
        layout.draw(painter, QPointF(0, 0))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.PaletteChange, QEvent.Type.StyleChange):
            self._changed()
        super().changeEvent(event)

    def _changed(self) -> None:
        self._known.clear()
        self.updateGeometry()
        self.update()

    def _laid_out(self, width: float) -> tuple[QTextLayout, float]:
        if width not in self._known:
            self._known[width] = self._lay_out(width)
        return self._known[width]

    def _lay_out(self, width: float) -> tuple[QTextLayout, float]:
        layout = QTextLayout(unbroken(self.text()), _font())
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.setFormats(_formats(self._sentence))
        layout.beginLayout()
        y = 0.0
        while (line := layout.createLine()).isValid():
            line.setLineWidth(max(width, 1))
            line.setPosition(QPointF(0, y))
            y += max(line.height(), _line_height())
        layout.endLayout()
        return layout, y


def _font() -> QFont:
    return ui_font("sentence")


def _line_height() -> float:
    return QFontMetricsF(_font()).height() * LINE_HEIGHT


def _formats(sentence: Sequence[Run]) -> list[QTextLayout.FormatRange]:
    theme, out, start = current_theme(), [], 0
    for run in sentence:
        form = QTextCharFormat()
        form.setForeground(getattr(theme, run.role))
        if run.strong:
            form.setFontWeight(QFont.Weight.DemiBold)
        piece = QTextLayout.FormatRange()
        piece.start, piece.length, piece.format = start, len(run.text.encode("utf-16-le")) // 2, form
        out.append(piece)
        start += piece.length
    return out
