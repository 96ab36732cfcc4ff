"""What the simple window leaves out, and what makes each part come back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractSpinBox, QWidget

from attn_gui.app.app_context import AppContext, Controller
from attn_gui.engine.analysis.head_readings import Entropy
from attn_gui.engine.normalizers import NORMALIZERS
from attn_gui.engine.scores import SCORES
from attn_gui.languages import N_
from attn_gui.modes import GRADIENT, MODEL, PRODUCT

Asked = Callable[[AppContext], bool]

KEPT = {"verify", "gradients", "pages", "history"}
"""Parts that, once asked for, stay until another document or the switch: a tab does not go while one reads another."""


class Part(NamedTuple):
    """A part of the window: whether the present document or view asks for it, and how the search finds it.

    Without a control it is found by its actions.
    """

    name: str
    asked: Asked = lambda _context: False
    control: str = ""  # the objectName of what the search leads to
    label: str = ""
    words: str = ""
    context: str = "ShapePanel"  # whose text the label is


def _compares(context: AppContext) -> bool:
    """Return whether a pinned state is compared, or a gradient shown: a ready-made one has all in its line."""
    return context.baseline.pinned or context.view.look.compare == GRADIENT


def _maps_vary(context: AppContext) -> bool:
    """Return whether something else than the product is in sight, or can be: all stages, or a model."""
    opened = MODEL in context.window.modes and context.bars.actions["model"].isEnabled()
    return opened or context.view.look.mode != PRODUCT


# fmt: off
PARTS = (
    Part("num_heads", lambda at: at.document.problem.num_heads > 1, "control.num_heads",
         N_("ShapePanel", "Heads"), "multi-head count 头数 多头"),
    Part("num_kv_heads", lambda at: at.document.problem.num_kv_heads < at.document.problem.num_heads,
         "control.num_kv_heads", N_("ShapePanel", "Key and value heads"),
         "grouped query gqa mqa K/V 分组查询 键 值 头"),
    Part("batch", lambda at: at.document.problem.batch_size > 1, "control.batch_size",
         N_("ShapePanel", "Items in the batch"), "batch item size 样本 批量"),
    Part("dtype", control="control.dtype", label=N_("ShapePanel", "Precision"),
         words="dtype float32 float64 精度 浮点"),
    Part("d_model", lambda at: at.document.problem.projected or at.document.problem.num_heads > 1, "control.d_model",
         N_("ShapePanel", "d_model, width of all heads together"), "d_model width keep fixed 宽度 保持"),
    Part("score", lambda at: at.document.problem.score != next(iter(SCORES))),
    Part("normalize", lambda at: at.document.problem.normalize != next(iter(NORMALIZERS))),
    Part("tokens"),
    Part("readings", lambda at: at.view.look.reading != Entropy.key or at.view.look.counted),
    Part("verify", lambda at: at.window.inspector.is_turned_to("verify")),
    Part("gradients", lambda at: at.window.inspector.is_turned_to("gradients")),
    Part("pages", lambda at: at.window.inspector.is_turned_to("pages")),
    Part("reach", lambda at: bool(at.view.look.reach)),
    Part("target", control="inspector.one_equation", label=N_("CellButtons", "As one equation"),
         words="formula sum 公式 求和式", context="CellButtons"),
    Part("history", lambda at: at.document.stack.count() > 0, "history.fold",
         N_("HistoryView", "History"), "steps changes undo 步骤 更改", "HistoryView"),
    Part("snapshots", lambda at: bool(at.document.snapshots.all)),
    Part("pin", _compares),
    Part("compare", _compares),
    Part("interventions", lambda at: bool(at.document.problem.interventions)),
    Part("product", _maps_vary),
    Part("all_stages", _maps_vary),
    Part("model", _maps_vary),
)
# fmt: on
"""The last ones are tools of the tool bar, by the names of their actions."""

ALL_PARTS = frozenset(part.name for part in PARTS)


class SimpleWindowController(Controller):
    """Shows in the simple window the parts that are asked for, and all of them in the full one."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._context = context
        self._kept: set[str] = set()
        self._shown: frozenset[str] | None = None
        window = context.window
        context.appearance.changed.connect(self._on_appearance_changed)
        context.document.changed.connect(self._on_document_changed)
        context.document.snapshots.changed.connect(self.show)
        window.inspector.pageTurned.connect(self.show)
        followed = ("evaluation", "baseline", "compare", "mode", "reach", "reading", "counted", "parts")
        context.view.follow(self.show, *followed)
        self.show()

    def show(self, *_: object) -> None:
        """Bring the parts of the window up to date."""
        context = self._context
        shown = ALL_PARTS
        if context.appearance.simple:
            asked = {part.name for part in PARTS if part.asked(context)} | context.view.look.parts
            self._kept |= asked & KEPT
            shown = frozenset(asked | self._kept)
        if shown != self._shown:  # an edit lays nothing out anew
            self._shown = shown
            context.window.set_parts(shown)
        context.bars.set_simple(context.appearance.simple, shown)

    def offers(self) -> Iterator[tuple[QAction, str, bool]]:
        """Yield for the search an action that leads to a part, other words for it, and whether the part is in sight."""
        for part in PARTS:
            control = self._context.window.findChild(QWidget, part.control) if part.control else None
            if control is not None:
                action = QAction(QCoreApplication.translate(part.context, part.label), self)
                action.triggered.connect(lambda _=False, control=control: _reach(control))
                yield action, part.words, control.isVisible() or not self._context.appearance.simple

    def _on_appearance_changed(self) -> None:
        self._kept.clear()
        self.show()

    def _on_document_changed(self, change: object) -> None:
        if getattr(change, "opened", False):
            self._kept.clear()
        self.show()


def _reach(control: QWidget) -> None:
    """Give a control the keyboard; what is typed takes the place of its number."""
    control.setFocus()
    if isinstance(control, QAbstractSpinBox):  # selects all of itself for the Tab key alone
        control.selectAll()
