"""Beats of scale, softcap, activation, mask, formula, numbers given, copied or by hand: sentences and pictures."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np
from PySide6.QtCore import QPointF, QRectF

from attn_gui.engine.errors import Note
from attn_gui.engine.graph.expressions import Cell, Expression, Function, Named, NamedPart, Number, Product, Quotient
from attn_gui.engine.graph.symbols_and_titles import plain_name, symbol
from attn_gui.engine.masks import MASKS
from attn_gui.engine.scores import SCORES
from attn_gui.figure.pages.plot import Numbers, nice_scale
from attn_gui.figure.text.rich_text import escaped, lowered, strong, write_paragraph
from attn_gui.figure.walk.equations import Beat, WalkEquation, shortened
from attn_gui.figure.walk.walk_canvas import CURVE, SMALL, CurveGraph, WalkCanvas, between, part, tick_text
from attn_gui.figure.walk.walk_context import Index, WalkContext
from attn_gui.figure.writers import END, MIDDLE
from attn_gui.languages import N_

# --- scale ----------------------------------------------------------------------------------------
FEW_KEYS = 3
"""So many keys of a row have boxes of their own; of more the cell's own one."""
AXIS = 400.0, 748.0, 286.0
MOST_DOTS, DROP = 128, 14.0


class ScaleBeat(Beat):
    """The scores of a row shrink on one axis."""

    seconds, hurried = 1.0, 0.8

    def __init__(self, context: WalkContext, stage: str, index: Index, before: str) -> None:
        super().__init__(context, stage, index)
        self.before, problem = before, context.evaluation.problem
        self.root = problem.scale is None and SCORES[problem.score].root_scale
        self.d_k = problem.d_k
        self.factor = problem.d_k**0.5 if self.root else problem.effective_scale
        self.row_before, self.row_after = context.row(before, index), context.row(stage, index)
        key = index[-1]
        others = [place for place in range(len(self.row_before)) if len(self.row_before) <= FEW_KEYS or place == key]
        self.keys = others
        join = Quotient if self.root else Product
        self.equations = {
            place: WalkEquation(
                context, join(Number(self.row_before[place]), Number(self.factor)), float(self.row_after[place])
            )
            for place in self.keys
        }
        self.equation = self.equations[key]
        self.of_root = WalkEquation(context, Function("sqrt", Number(self.d_k)), self.factor) if self.root else None
        for name, row in ((before, self.row_before), (stage, self.row_after)):
            context.printed.alike(row[self.keys].tolist(), name)

    @property
    def sign(self) -> str:
        """The sign before the number that all scores are divided or multiplied by."""
        return "÷" if self.root else "×"

    @property
    def title(self) -> str:
        return f"÷ √d{lowered('k')}" if self.root else f"× {self.context.number(self.factor)}"

    @property
    def sentence(self) -> str:
        number, key = self.context.number, self.index[-1]
        values = {
            "root": "" if self.of_root is None else f"√d{lowered('k')} = {self.of_root.left}{self.of_root.right}",
            "factor": number(self.factor),
            "before": number(float(self.row_before[key])),
            "after": self.context.strong(self.value),
        }
        if self.root:
            text = self.context.words(N_("Walk", "Divide by {root}: {before} becomes {after}"), **values)
        else:
            text = self.context.words(N_("Walk", "Multiply by {factor}: {before} becomes {after}"), **values)
        others = [place for place in self.keys if place != key]
        if others:
            pairs = [(number(float(self.row_before[k])), number(float(self.row_after[k]))) for k in others]
            text += "".join(
                self.context.words(N_("Walk", ", the {before} in its row {after}"), before=before, after=after)
                for before, after in pairs
            )
        return text + self.context.words(N_("Walk", "."))

    def paint(self, canvas: WalkCanvas, progress: float) -> None:
        share = part(progress, 0.05, 0.85)
        board = self.context.board(self.before, self.index)
        board.paint(canvas)
        after, theme, number = self.board.map.color, canvas.theme, self.context.number
        pitch = min(144.0, 348.0 / len(self.keys))
        for k, place in enumerate(self.keys):
            own = place == self.index[-1]
            upper = QRectF(412 + k * pitch, 38, min(112, pitch - 12), 52)
            lower, middle = upper.translated(0, 120), upper.center().x()
            name = escaped(self.context.plain_key(place))
            canvas.text(middle, 29, strong(name) if own else name, 13, theme.key if own else theme.text2, MIDDLE, pitch)
            before_, after_ = float(self.row_before[place]), float(self.row_after[place])
            canvas.box(upper, number(before_), board.map.color(before_), pixels=20)
            canvas.arrow(QPointF(middle, 96), QPointF(middle, 152))
            if len(self.keys) <= 2:
                canvas.text(middle + 10, 128, f"{self.sign} {number(self.factor)}", 13, theme.text2)
            if share < 1.0:
                canvas.slot(lower)
            if share > 0:
                moving = lower.translated(0, (share - 1) * DROP)
                border = theme.ink if own else theme.line_strong
                canvas.box(moving, number(after_), after(after_), border, pixels=18, width=2.2 if own else 1.0)
        row = self.context.words(N_("Walk", "row {number}"), number=self.index[-2])
        for name, top in ((self.before, 38), (self.made, 158)):
            canvas.text(400, top + 24, strong(escaped(symbol(name))), 15, theme.text, END)
            canvas.text(400, top + 40, row, SMALL, theme.text2, END)
        self._paint_axis(canvas, share)

    def _paint_axis(self, canvas: WalkCanvas, share: float) -> None:
        theme, (left, right, y) = canvas.theme, AXIS
        numbers = np.concatenate([self.row_before, self.row_after, [0.0]])
        scale = nice_scale(numbers[np.isfinite(numbers)], 6)

        def place(value: float) -> float:
            return left + (value - scale.low) / (scale.high - scale.low) * (right - left)

        canvas.line(QPointF(left, y), QPointF(right, y))
        for tick in scale.ticks():
            canvas.line(QPointF(place(tick), y), QPointF(place(tick), y + 4))
            canvas.text(place(tick), y + 17, tick_text(scale.text(tick)), SMALL, theme.text2, MIDDLE)
        own, count = self.index[-1], len(self.row_before)
        shown = {*range(0, count, max(1, -(-count // MOST_DOTS))), own}
        for key in sorted(shown, key=lambda each: each == own):
            before, after = float(self.row_before[key]), float(self.row_after[key])
            if not (np.isfinite(before) and np.isfinite(after)):
                continue
            ink, up = (theme.key, 32.0) if key == own else (theme.text3, 14.0)
            start, end = QPointF(place(before), y - up), QPointF(place(after), y - up)
            if key in self.keys:
                now = between(start, end, share)
                if abs(now.x() - start.x()) > 16:
                    side = 6 if end.x() > start.x() else -6
                    canvas.arrow(start + QPointF(side, 0), now - QPointF(side * 1.3, 0), ink, 1.5)
                canvas.dot(start, ink, hollow=True)
            canvas.dot(between(start, end, share), ink)


# --- curve ----------------------------------------------------------------------------------------
class CurveBeat(Beat):
    """A number climbs to the curve of a function: a softcap, an activation."""

    seconds = 1.2

    def __init__(
        self, context: WalkContext, stage: str, index: Index, function: Callable[[Numbers], Numbers], title: str
    ) -> None:
        super().__init__(context, stage, index)
        explanation = context.explain(stage, index)
        self.equation = WalkEquation(context, shortened(explanation.expression), explanation.value)
        self.function, self.heading = function, title
        self.argument = explanation.terms[0].cells[0] if len(explanation.terms) else None

    @property
    def sentence(self) -> str:
        return self.context.words(N_("Walk", "{name}: {equation}."), name=self.title, equation=self.equation)

    def paint(self, canvas: WalkCanvas, progress: float) -> None:
        share, number = part(progress, 0.05, 0.75), self.context.number
        x, y = (0.0 if self.argument is None else self.argument.value), self.value
        if np.isfinite([x, y]).all():
            across = nice_scale(np.array([-1.0, 1.0, 1.25 * x]), 6)
            xs = np.linspace(across.low, across.high, 121)
            with np.errstate(all="ignore"):
                ys = np.asarray(self.function(xs), np.float64)
            up = nice_scale(np.append(ys[np.isfinite(ys)], y), 5)

            graph = CurveGraph(canvas, across, up)
            graph.paint(xs.tolist(), ys.tolist())
            graph.paint_point(x, y, share, canvas.theme.key, right=x < 0)
            graph.write_point(x, y, (number(x), number(y)), share, canvas.theme.key, right=x < 0)
        self.land(canvas, progress, CURVE.bottom() - 20, self.board.map.color(self.value))


# --- mask -----------------------------------------------------------------------------------------
class MaskBeat(Beat):
    """The layers of the mask let a score through, or close its cell. Without a key: those of a whole row."""

    seconds = 0.8
    usual = N_("Walk", "Mask")

    def __init__(self, context: WalkContext, stage: str, index: Index, before: str, *, row: bool = False) -> None:
        super().__init__(context, stage, index)
        self.before, self.whole = before, row
        self.layers = context.evaluation.layers_at(index)
        self.scores = context.row(before, index)
        found = context.evaluation.allowed(index[0], index[1], slice(index[2], index[2] + 1), slice(0, None))
        self.open = np.ones(len(self.scores), bool) if found is None else np.asarray(found[0])
        self.closed = None if row else next((layer for layer, open_ in self.layers if not open_), None)

    def _said(self, layer: int) -> str:
        """Return a layer and its rule at the places of the cell: `causal: 9 ≤ 10`."""
        kind = MASKS[self.context.evaluation.problem.mask[layer].kind].label
        name, rule = escaped(self.context.style.translate("Masks", kind)), self._rule(layer)
        if not rule:
            return name
        return self.context.words(N_("Walk", "{layer}: {rule}"), layer=name, rule=rule)

    def _rule(self, layer: int) -> str:
        """Return the condition of a layer with the places of the cell in it; empty for one that is a table."""
        problem = self.context.evaluation.problem
        rule = problem.mask[layer].rule(problem.n, problem.m).values.get("rule")
        translate = self.context.style.translate
        text = rule.translated(translate, "Masks") if isinstance(rule, Note) else str(rule or "")
        for letter, place in zip(("i", "j"), self.index[-2:], strict=True):
            text = re.sub(rf"\b{letter}\b", str(place), text)
        return escaped(text)

    @property
    def sentence(self) -> str:
        values = {"query": self.context.query(self.index[-2]), "key": self.context.key(self.index[-1])}
        if self.whole:
            return self.context.words(
                N_("Walk", "The mask: {query} sees {count} of {all} keys."),
                count=int(self.open.sum()),
                all=len(self.open),
                **values,
            )
        if self.closed is None:
            rules = "; ".join(self._said(layer) for layer, _open in self.layers)
            return self.context.words(
                N_("Walk", "The mask ({rules}): allowed, {query} sees {key}. {value} stays."),
                rules=rules,
                value=self.context.strong(self.value),
                **values,
            )
        return self.context.words(
            N_("Walk", "The mask ({rules}) does not hold, so {query} does not see {key}: {before} becomes {value}."),
            rules=self._said(self.closed),
            before=self.context.number(float(self.scores[self.index[-1]])),
            value=self.context.strong(self.value),
            **values,
        )

    @property
    def result(self) -> str:
        if self.whole:
            return self.context.words(
                N_("Walk", "{count} of {all} allowed"), count=int(self.open.sum()), all=len(self.open)
            )
        word = N_("Walk", "allowed") if self.closed is None else N_("Walk", "masked")
        layer = self.layers[0][0] if self.closed is None else self.closed
        rule = self._rule(layer) or self._said(layer)
        if self.closed is not None and re.fullmatch(r"[−\d]+ ≤ [−\d]+", rule):
            rule = rule.replace("≤", "&gt;")
        return rule + self.context.words(N_("Walk", ", ")) + strong(self.context.words(word))

    def paint(self, canvas: WalkCanvas, progress: float) -> None:
        share, theme = part(progress, 0.1, 0.9), canvas.theme
        index = (*self.index[:-1], 0) if self.whole else self.index
        self.context.board(self.made, index, column=not self.whole).paint(canvas)
        shown = self._shown_keys()
        pitch = min(44.0, 268.0 / max(len(shown), 1))
        small, large = (max(SMALL, min(size, pitch * 0.6)) for size in (13, 15))
        map_ = self.context.board(self.before, index, column=not self.whole).map
        own = None if self.whole else self.index[-1]
        for k, key in enumerate(shown):
            place = QRectF(480, 48 + k * pitch, 110, pitch - 5)
            name, mine = escaped(self.context.plain_key(key)), key == own
            ink = theme.key if mine else theme.text2
            canvas.text(470, place.center().y() + 4, strong(name) if mine else name, small, ink, END, 100)
            value = float(self.scores[key])
            if self.open[key] or share < 1.0:
                border = theme.ink if mine else None
                canvas.box(place, self.context.number(value), map_.color(value), border, pixels=large)
            if not self.open[key]:
                lid = QRectF(place.left(), place.top(), place.width() * share, place.height())
                canvas.hatched(lid)
                if share >= 1.0:
                    canvas.text(place.center().x(), place.center().y() + 5, strong("−∞"), large, theme.text, MIDDLE)
            word = N_("Walk", "allowed") if self.open[key] else N_("Walk", "masked")
            canvas.text(602, place.center().y() + 4, self.context.words(word), SMALL, ink)
        if len(shown) < len(self.scores):
            rest = self.context.words(N_("Walk", "{count} others"), count=len(self.scores) - len(shown))
            canvas.text(470, 48 + len(shown) * pitch + 12, rest, 12, theme.text2, END)

    def _shown_keys(self) -> Sequence[int]:
        count = len(self.scores)
        if count <= 16:
            return range(count)
        at = self.index[-1] if not self.whole else int(np.flatnonzero(self.open)[-1]) if self.open.any() else 0
        start = min(max(at - 5, 0), count - 12)
        return range(start, start + 12)


# --- formula --------------------------------------------------------------------------------------
MOST_PARTS = 5
"""So many numbers of a formula stand above it; of more none."""


class FormulaBeat(Beat):
    """A formula with its numbers, of a cell, or of a part of it that has a name."""

    seconds = 1.2

    def __init__(
        self, context: WalkContext, stage: str, index: Index, expression: Expression, value: float, name: str = ""
    ) -> None:
        super().__init__(context, stage, index)
        self.equation, self.value, self.name = WalkEquation(context, shortened(expression), value), value, name
        self.parts = _parts_of(context, expression)

    @property
    def lands(self) -> bool:
        """Whether it is the number of the cell."""
        return not self.name

    @property
    def _letter(self) -> str:
        return self.name or self.context.cell(self.made, self.index)

    @property
    def title(self) -> str:
        return self.heading or self._letter

    @property
    def sentence(self) -> str:
        return self.context.words(N_("Walk", "{name} = {equation}."), name=self._letter, equation=self.equation)

    def paint(self, canvas: WalkCanvas, progress: float) -> None:
        theme, color = canvas.theme, self.board.map.color(self.value)
        shown = self.parts if len(self.parts) <= MOST_PARTS else []
        pitch = 360.0 / max(len(shown), 1)
        share = part(progress, 0.0, 0.5)
        for k, (label, value) in enumerate(shown):
            place = QRectF(400 + k * min(pitch, 100), 60, min(pitch, 100) - 16, 41)
            canvas.text(place.center().x(), 48, label, SMALL, theme.text2, MIDDLE, pitch)
            canvas.box(place, self.context.number(value), theme.raised, pixels=15)
            if share > 0:
                canvas.line(
                    place.center() + QPointF(0, 22),
                    QPointF(place.center().x(), 60 + 41 + 24 * share),
                    theme.line_strong,
                    1.0,
                    dotted=True,
                )
        formula = f"{self._letter} = {self.equation.left}"
        write_paragraph(canvas.painter, QRectF(400, 130, 364, 60), formula, theme.text, 16)
        total = QRectF(400, 196, 110, 52)
        if share >= 1.0:
            canvas.text(390, 227, "=", 18, theme.text, END)
            canvas.box(total, strong(self.context.number(self.value)), color, theme.ink, pixels=20, width=2.0)
        else:
            canvas.slot(total)
        if self.lands:
            self.land(canvas, progress, 230, color)
        else:
            self.board.paint(canvas, landed=False)


def _parts_of(context: WalkContext, expression: Expression) -> list[tuple[str, float]]:
    """Return names and numbers of what stands in a formula: named parts as they are, and cells."""
    if isinstance(expression, NamedPart):
        return [(_plain(expression.symbols), expression.value)]
    if isinstance(expression, Cell):
        return [(context.cell(expression.name, expression.shown), expression.value)]
    found = [one for part_ in expression.parts[: MOST_PARTS + 1] for one in _parts_of(context, part_)]
    return list(dict(found).items())


def formula_beats(context: WalkContext, stage: str, index: Index, expression: Expression, value: float) -> list[Beat]:
    """Return a beat for every named part of a formula, inner ones first, and one for the cell."""
    named = named_beats(context, stage, index, expression)
    return [*named, FormulaBeat(context, stage, index, expression, value)]


def named_beats(context: WalkContext, stage: str, index: Index, expression: Expression) -> list[Beat]:
    """Return a beat for every part of a formula that has a name of its own, inner ones first."""
    return [
        FormulaBeat(context, stage, index, named.part, named.value, _plain(named.symbols))
        for named in _named_inner_first(expression)
    ]


def _named_inner_first(expression: Expression) -> list[Named]:
    found: dict[str, Named] = {}
    for one in expression.kinds:
        for named in _named_inner_first(one):
            found.setdefault(named.name, named)
    if isinstance(expression, Named) and expression.name not in found and not isinstance(expression.part, Cell):
        found[expression.name] = expression
    return list(found.values())


def _plain(latex: str) -> str:
    """Return a short symbol of LaTeX as rich text."""
    text = (
        latex.replace(r"\|", "‖")
        .replace("-", "−")
        .replace(r"\mu", "μ")
        .replace(r"\sigma", "σ")
        .replace(r"\max", "max")
        .replace(r"\left", "")
        .replace(r"\right", "")
    )
    text = re.sub(r"\^\{?(\w)\}?", r"<sup>\1</sup>", text)
    text = re.sub(r"_\{([^{}]*)\}", r"<sub>\1</sub>", text)
    return re.sub(r"\\[a-zA-Z]+|[{}\\]", "", text).strip() or "="


# --- numbers that are there -----------------------------------------------------------------------
class GivenBeat(Beat):
    """A number that is given, a copy of another one, or one that was set in place of the computed one."""

    seconds = 1.0

    def __init__(
        self, context: WalkContext, stage: str, index: Index, title: str, text: str, source: Cell | None = None
    ) -> None:
        super().__init__(context, stage, index)
        self.usual, self._text, self.source = title, text, source

    @property
    def sentence(self) -> str:
        context, source = self.context, self.source
        return context.words(
            self._text,
            cell=context.cell(self.made, self.index),
            value=context.strong(self.value),
            source=self._source_name,
            head=context.head_name(self.made, self.index),
            before="" if source is None else context.number(source.value),
        )

    @property
    def _source_name(self) -> str:
        return "" if self.source is None else self.context.cell(self.source.name, self.source.shown)

    @property
    def result(self) -> str:
        if self.source is None:
            return self.context.strong(self.value)
        edited = plain_name(self.source.name) == self.stage
        before = self.context.number(self.source.value) if edited else self._source_name
        return f"{before} → {self.context.strong(self.value)}"

    def paint(self, canvas: WalkCanvas, progress: float) -> None:
        theme, color = canvas.theme, self.board.map.color
        share = part(progress, 0.0, 0.6)
        place = QRectF(520, 150, 110, 56)
        if self.source is not None:
            origin = QRectF(400, 150, 84, 56)
            canvas.text(origin.center().x(), 138, self._source_name, 12, theme.text2, MIDDLE, 120)
            if np.isneginf(self.source.value):
                canvas.hatched(origin)
                canvas.text(origin.center().x(), origin.center().y() + 6, strong("−∞"), 16, theme.text, MIDDLE)
            else:
                canvas.box(origin, self.context.number(self.source.value), color(self.source.value), pixels=16)
            canvas.arrow(QPointF(origin.right() + 6, 178), QPointF(place.left() - 6, 178))
        canvas.text(
            place.center().x(), 138, strong(self.context.cell(self.made, self.index)), 12, theme.text, MIDDLE, 130
        )
        if share > 0.5:
            canvas.box(
                place, strong(self.context.number(self.value)), color(self.value), theme.ink, pixels=20, width=2.0
            )
        else:
            canvas.slot(place)
        self.land(canvas, progress, 230, color(self.value))


GIVEN = N_("Walk", "Given"), N_("Walk", "{cell} is given, not computed: {value}.")
COPIED = N_("Walk", "Carry over"), N_("Walk", "{cell} is {source} itself: {value}.")
OF_HEAD = N_("Walk", "Carry over"), N_("Walk", "{cell} is {source} of {head}: {value}.")
CLOSED = (N_("Walk", "−∞ becomes 0"), N_("Walk", "{source} is −∞, so the weight {cell} is {value}."))
CONSTANT = (N_("Walk", "Constant"), N_("Walk", "{cell} depends on no number: it is {value}."))
SET = (N_("Walk", "Edited"), N_("Walk", "{cell} is edited: {before} as computed, now {value}."))
"""Title and sentence of a number that is given, copied (of a head), a weight behind the mask, always the same, or set
in place of the computed one."""
