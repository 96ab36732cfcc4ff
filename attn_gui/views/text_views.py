"""Texts as widgets: wrapped labels, formulas, sentences with raised or lowered parts (e^(−∞), W_Q), links."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from string import Formatter
from typing import Generic, TypeVar

from PySide6.QtCore import QEvent, QPointF, QRect, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QFontMetricsF,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QTextCharFormat,
    QTextFormat,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QStyle, QStyleOptionButton, QStylePainter, QWidget

from attn_gui.figure.design_tokens import FONT_SIZE, SPACING
from attn_gui.figure.formula_typesetting import (
    INDENT,
    FormulaPiece,
    baselines_of,
    laid_out,
    line_heights,
    typeset,
    whole_sides,
)
from attn_gui.views.names import unbroken
from attn_gui.views.theme import current_theme, scaled, ui_font
from attn_gui.views.widgets import KeyboardButton, paint_focus_ring, plain_tip, set_tip

MAY_BREAK = "\u200b"
LONG = re.compile(r"[^\s\u200b\u2e80-\uffef]{25,}")
"""A word, often the name of a file, that may not fit into a line of a narrow label; Chinese breaks anywhere."""


class WrappedLabel(QLabel):
    """A label of plain text that wraps, sizes such as "4 × 5" kept on one line and long names cut in pieces.

    `text` returns what was set.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._said = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)

    def text(self) -> str:
        return self._said

    def setText(self, text: str) -> None:
        self._said = text
        super().setText(LONG.sub(lambda word: MAY_BREAK.join(_pieces(word[0])), unbroken(text)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy what is selected as it was said."""
        if event.matches(QKeySequence.StandardKey.Copy) and self.hasSelectedText():
            QGuiApplication.clipboard().setText(self.selectedText().replace(MAY_BREAK, ""))
        else:
            super().keyPressEvent(event)


def _pieces(word: str) -> list[str]:
    """Return the parts of a name, each with the signs behind it, longer ones in several."""
    return re.findall(r"[^\W_]{1,16}[\W_]{0,4}|[\W_]{1,8}", word)


Layout = TypeVar("Layout")


class BrokenView(QWidget, Generic[Layout]):
    """Base of views whose text is broken to the width they get; `_lay_out` breaks it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._known: dict[float, Layout] = {}  # by width: Qt asks for heights again and again
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def hasHeightForWidth(self) -> bool:
        return True

    def changeEvent(self, event: QEvent) -> None:
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.PaletteChange, QEvent.Type.StyleChange):
            self._changed()
        super().changeEvent(event)

    def _changed(self) -> None:
        self._known.clear()
        self.updateGeometry()
        self.update()

    def _laid_out(self, width: float) -> Layout:
        """Return the text broken to a width."""
        if width not in self._known:
            self._known[width] = self._lay_out(width)
        return self._known[width]

    def _lay_out(self, width: float) -> Layout:
        raise NotImplementedError


WIDEST = 16_000.0


class FormulaView(BrokenView[tuple[list[FormulaPiece], int]]):
    """Paints one or more chains "a = b = c". A chain breaks at "=" and, if one side alone is too wide, at "+"."""

    def __init__(self, parent: QWidget | None = None, *, size: float = FONT_SIZE.formula, role: str = "text") -> None:
        super().__init__(parent)
        self._chains: tuple[str, ...] = ()
        self._size, self._role = size, role

    def set_formula(self, latex: str | Sequence[str], text: str) -> None:
        """Show one chain, or several after one another; `text` says the same in plain words and numbers."""
        chains = (latex,) if isinstance(latex, str) else tuple(latex)
        if chains != self._chains:
            for side in (side for chain in chains for side in whole_sides(chain)):
                # here, where an error can still be raised: Qt does not survive one when it asks for sizes
                typeset(side)
            self._chains = chains
            self._changed()
        self.setAccessibleName(text)

    def latex(self) -> tuple[str, ...]:
        """Return the chains on show."""
        return self._chains

    def lines(self, width: float) -> int:
        """Return the number of lines of the formula at a width."""
        return len({piece.line for piece in self._laid_out(width)[0]})

    def heightForWidth(self, width: int) -> int:
        return self._laid_out(width)[1]

    def sizeHint(self) -> QSize:
        pieces, height = self._laid_out(WIDEST)
        return QSize(_ceil(max((piece.x + piece.width for piece in pieces), default=0.0)), height)

    def minimumSizeHint(self) -> QSize:
        return QSize(min(self.sizeHint().width(), 80), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            pieces, _ = self._laid_out(self.width())
            baselines, colors = baselines_of(pieces), role_colors(getattr(current_theme(), self._role))
            for piece in pieces:
                top = baselines[piece.line] - piece.formula.ascent * piece.size
                piece.formula.paint(painter, QPointF(piece.x, top), piece.size, colors)

    def _lay_out(self, width: float) -> tuple[list[FormulaPiece], int]:
        pieces = laid_out(self._chains, width, float(scaled(self._size)), scaled(INDENT))
        return pieces, _ceil(sum(up + down for up, down in line_heights(pieces)))


def role_colors(text: QColor) -> dict[str, QColor]:
    """Return the color of every role of a formula in the present theme, in which plain text has the given one."""
    theme = current_theme()
    return {"text": text, "query": theme.query, "key": theme.key}


def _ceil(length: float) -> int:
    return int(length + 0.999)


# --- A sentence in which some words carry a role: painted as plain text, so a token is never read as markup ---
LINE_HEIGHT = 1.2


@dataclass(frozen=True)
class SentenceRun:
    """A piece of a sentence: `role` is the theme's color, strong text is semi-bold.

    A `script` stands raised ("^") or lowered ("_"), and is said with this sign before it.
    """

    text: str
    role: str = "text"
    strong: bool = False
    script: str = ""


def strong(text: object, role: str = "text") -> SentenceRun:
    """Return a word that stands out."""
    return SentenceRun(str(text), role, True)


def runs(template: str, **words: object) -> tuple[SentenceRun, ...]:
    """Return the template cut at its {names}, each replaced by a Run, several Runs, or the text of what is given."""
    out: list[SentenceRun] = []
    for literal, name, _, _ in Formatter().parse(template):
        out.extend([SentenceRun(literal)] if literal else [])
        if name is not None:
            word = words[name]
            out.extend(
                word if isinstance(word, tuple) else [word if isinstance(word, SentenceRun) else SentenceRun(str(word))]
            )
    return tuple(out)


def plain(sentence: Sequence[SentenceRun]) -> str:
    """Return the words alone."""
    return "".join(run.script + run.text for run in sentence)


SCRIPT = re.compile(
    r"(?<=[\w)])\^(−?[\d.]*\d|[a-z](?![A-Za-z0-9])|\([^()]*\))"
    r"|(?<=(?<![A-Za-z0-9])[A-Za-z])_(model|[A-Za-z0-9](?![A-Za-z0-9_])|\([^()]*\))"
)
"""What stands raised or lowered in plain text: e^0.577, d_k, h_(t−1); names such as batch_first stay as they are."""


def with_scripts(run: SentenceRun) -> list[SentenceRun]:
    """Cut a run where its text has exponents and subscripts; the parentheses that hold one together are left out."""
    found, end = list[SentenceRun](), 0
    for match in SCRIPT.finditer(run.text):
        found += [replace(run, text=run.text[end : match.start()])]
        script = (match[1] or match[2]).removeprefix("(").removesuffix(")")
        found += [replace(run, text=script, script=run.text[match.start()])]
        end = match.end()
    return [each for each in (*found, replace(run, text=run.text[end:])) if each.text]


def scripts_markup(text: str) -> str:
    """Return plain text as the rich text of a label, with its subscripts no smaller than the look's smallest type."""
    pixels = scaled(FONT_SIZE.micro) * 3 // 2  # Qt draws a subscript at two thirds of the size asked for
    lowered = f'<span style="vertical-align:sub; font-size:{pixels}px">{{}}</span>'
    pieces = with_scripts(SentenceRun(text))
    return "".join((lowered if piece.script == "_" else "{}").format(escape(piece.text)) for piece in pieces)


class SentenceView(BrokenView[tuple[QTextLayout, int]]):
    """Paints a sentence with its exponents and subscripts, broken to the width it gets; the accessible name holds its
    words."""

    def __init__(self, parent: QWidget | None = None, *, size: str = "sentence") -> None:
        super().__init__(parent)
        self._sentence: tuple[SentenceRun, ...] = ()
        self._size, self._words = size, ""

    def set_sentence(self, sentence: Sequence[SentenceRun]) -> None:
        self._sentence = tuple(piece for run in sentence for piece in with_scripts(run))
        self._words = plain(sentence)
        self.setAccessibleName(self._words)
        self._changed()

    def text(self) -> str:
        """Return the words alone."""
        return self._words

    def lines(self) -> list[QRect]:
        """Return where the lines are at the present width."""
        pitch = _line_height(ui_font(self._size))
        return [
            QRect(0, line * pitch, self.width(), pitch) for line in range(self._laid_out(self.width())[0].lineCount())
        ]

    def heightForWidth(self, width: int) -> int:
        return self._laid_out(width)[1]

    def sizeHint(self) -> QSize:
        natural = QFontMetricsF(ui_font(self._size)).horizontalAdvance(self.text())
        return QSize(min(round(natural) + 8, 320), self.heightForWidth(self.width() or 320))

    def minimumSizeHint(self) -> QSize:
        return QSize(80, _line_height(ui_font(self._size)))

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            layout, _ = self._laid_out(self.width())
            layout.draw(painter, QPointF(0, 0))

    def _lay_out(self, width: float) -> tuple[QTextLayout, int]:
        return laid_out_sentence(self._sentence, ui_font(self._size), width)


def laid_out_sentence(sentence: Sequence[SentenceRun], font: QFont, width: float) -> tuple[QTextLayout, int]:
    """Return a sentence broken to a width, and its height."""
    text = "".join(run.text for run in sentence).replace("\n", "\u2028")
    layout = QTextLayout(unbroken(text), font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    layout.setFormats(_formats(sentence, font.pixelSize()))
    layout.beginLayout()
    metrics, pitch = QFontMetricsF(font), _line_height(font)
    baseline = round(metrics.ascent() + (pitch - metrics.height()) / 2)
    while (line := layout.createLine()).isValid():
        line.setLineWidth(max(width, 1))
        # by the baseline: a line with another script, or with raised or lowered text, is higher for Qt
        line.setPosition(QPointF(0, (layout.lineCount() - 1) * pitch + baseline - line.ascent()))
    layout.endLayout()
    return layout, layout.lineCount() * pitch


def paint_words(painter: QPainter, room: QRect, words: SentenceRun, font: QFont) -> None:
    """Paint one line with its exponents and subscripts on the baseline of plain text in the middle of a height; what is
    too wide is elided."""
    metrics = QFontMetrics(font)
    if metrics.horizontalAdvance(words.text) > room.width():
        words = replace(words, text=metrics.elidedText(words.text, Qt.TextElideMode.ElideRight, room.width()))
    layout, _ = laid_out_sentence(with_scripts(words), font, 2 * room.width())
    line, baseline = layout.lineAt(0), room.top() + (room.height() - metrics.height()) // 2 + metrics.ascent()
    layout.draw(painter, QPointF(room.left(), baseline - line.y() - line.ascent()))


class ScriptsButton(QPushButton):
    """A button in whose text symbols such as W_Q have their subscripts lowered."""

    def paintEvent(self, event: QPaintEvent) -> None:
        if "_" not in self.text():
            super().paintEvent(event)
            return
        painter, option = QStylePainter(self), QStyleOptionButton()
        self.initStyleOption(option)
        option.text = ""
        painter.drawControl(QStyle.ControlElement.CE_PushButton, option)
        font = ui_font("body", weight=600 if self.isChecked() else 400)
        layout, height = laid_out_sentence(with_scripts(SentenceRun(self.text())), font, self.width())
        width = layout.lineAt(0).naturalTextWidth()
        layout.draw(painter, QPointF((self.width() - width) / 2, (self.height() - height) / 2))


def _line_height(font: QFont) -> int:
    return round(QFontMetricsF(font).height() * LINE_HEIGHT)


_ALIGNED = {
    "^": QTextCharFormat.VerticalAlignment.AlignSuperScript,
    "_": QTextCharFormat.VerticalAlignment.AlignSubScript,
}


SCRIPT_SIZE, RAISED, LOWERED = 0.8 * 3 / 2, 38, 24
"""Qt draws raised and lowered text at two thirds of its size: at four fifths the O of W_O is still a capital letter.
How far it is raised or lowered, in per cent of its height."""


def _formats(sentence: Sequence[SentenceRun], pixels: int) -> list[QTextLayout.FormatRange]:
    theme, out, start = current_theme(), [], 0
    for run in sentence:
        form = QTextCharFormat()
        form.setForeground(getattr(theme, run.role))
        if run.strong:
            form.setFontWeight(QFont.Weight.DemiBold)
        if run.script:
            form.setVerticalAlignment(_ALIGNED[run.script])
            form.setProperty(QTextFormat.Property.FontPixelSize, round(pixels * SCRIPT_SIZE))
            form.setSuperScriptBaseline(RAISED)
            form.setSubScriptBaseline(LOWERED)
        piece = QTextLayout.FormatRange()
        piece.start, piece.length, piece.format = start, len(run.text.encode("utf-16-le")) // 2, form
        out.append(piece)
        start += piece.length
    return out


LINE_OF_TEXT = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine


class Link(KeyboardButton):
    """Text in the accent color that acts like a button; painted plain, elided when it is too long."""

    def __init__(self, text: str = "", parent: QWidget | None = None, *, size: str = "body") -> None:
        super().__init__(parent)
        self._size, self._lead = size, ""
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.set_words(text)

    def set_words(self, text: str, lead: str = "", tip: str = "") -> None:
        """Set the text on show, "&" stays what it is; `lead` stands before it and is no part of the link's name."""
        if (text, lead, plain_tip(tip)) == (self.text(), self._lead, self.toolTip()):
            return  # else the panel would be laid out after every edit
        self._lead = lead
        self.setText(text)
        self.setAccessibleName(text)
        set_tip(self, tip)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(self._link_font())
        return QSize(metrics.horizontalAdvance(self._lead + self.text()) + 2 * SPACING.xs, metrics.height() + SPACING.s)

    def minimumSizeHint(self) -> QSize:
        hint = self.sizeHint()
        return QSize(min(hint.width(), 40), hint.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        with QPainter(self) as painter:
            font = self._link_font()
            room = self.rect().adjusted(SPACING.xs, 0, -SPACING.xs, 0)
            if self._lead:
                painter.setFont(font)
                painter.setPen(theme.text3)
                painter.drawText(room, LINE_OF_TEXT, self._lead)
                room.setLeft(room.left() + QFontMetrics(font).horizontalAdvance(self._lead))
            font.setUnderline(self.underMouse() or self.isDown())
            words = SentenceRun(self.text(), "accent" if self.isEnabled() else "text3")
            paint_words(painter, room.adjusted(0, 0, 1, 0), words, font)
            if self.ring_shown():
                paint_focus_ring(painter, self.rect())

    def _link_font(self) -> QFont:
        return ui_font(self._size, weight=500)
