"""The panel of the explanation: order of its tabs, place, formula, heading of its table (“Keys of …”), covers."""

from __future__ import annotations

from collections.abc import Set
from itertools import pairwise

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QStackedWidget, QTabWidget, QVBoxLayout, QWidget

from attn_gui.engine.analysis.explanation import Explanation
from attn_gui.figure.design_tokens import FONT_SIZE, SPACING
from attn_gui.views.inspector.cell_relations import (
    Breadcrumbs,
    CellButtons,
    ExplainContext,
    OtherState,
    Relations,
    WalkButton,
    cell_name,
)
from attn_gui.views.inspector.cell_sentences import Sentences, as_one, by_step
from attn_gui.views.inspector.inspector_tabs import FirstSteps, SensitivityPage, VerifyPage
from attn_gui.views.inspector.terms import TermsView
from attn_gui.views.names import spoken
from attn_gui.views.pages_panel import PagesPanel
from attn_gui.views.text_views import FormulaView, SentenceView, WrappedLabel
from attn_gui.views.theme import style_text
from attn_gui.views.widgets import FittingPage, MenuZone, arrange

TABS = ("explain", "verify", "gradients", "pages")
PAGES = TABS.index("pages")


class Inspector(MenuZone):
    """Explains the chosen cell: place, sentence, formula with numbers, terms and neighbors; else the first steps."""

    cellRequested = Signal(str, tuple)  # stage or field, index: a link was followed
    placeRequested = Signal(int)  # a place of the trail
    backRequested = Signal()
    pageTurned = Signal()
    walkRequested = Signal()
    reachPicked = Signal(str)  # a direction of `marks.DIRECTIONS`, or none

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("inspector")
        self._explanation: Explanation | None = None
        self._context: ExplainContext | None = None
        self._sentences = Sentences(self)
        self._ordered: tuple[QWidget, ...] = ()
        self._offered: Set[str] = frozenset(TABS)
        self._here = True
        self._tabs = QTabWidget(self)
        self._explain_stack, own = (
            QStackedWidget(self._tabs),
            [FittingPage(self._tabs) for _ in ("verify", "sensitivity")],
        )
        self._pages_tab = QWidget(self._tabs)
        for holder in (self._explain_stack, *own, self._pages_tab):
            self._tabs.addTab(holder, "")
        self._first_page, self._cell_page = FittingPage(self._explain_stack), FittingPage(self._explain_stack)
        self._cell_page.setObjectName("inspector.page")
        self._covered_page = FittingPage(self._explain_stack)
        for shown in (self._first_page, self._cell_page, self._covered_page):
            self._explain_stack.addWidget(shown)
        self.first, self._page = FirstSteps(self._first_page.viewport()), QWidget(self._cell_page.viewport())
        page = self._page
        self._cell_page.hold(page)  # before it has parts, which would be measured
        self._trail, self._sentence = Breadcrumbs(page), SentenceView(page)
        self._sentence.setObjectName("inspector.sentence")
        self._formula = FormulaView(page)
        self._parts = FormulaView(page, size=FONT_SIZE.body, role="text2")
        self._before = FormulaView(page)
        self._states = QLabel(page), QLabel(page)  # the names of two, each above its formula
        self._caption, self._order_label, self._compared = QLabel(page), QLabel(page), WrappedLabel(page)
        covered = QWidget(self._covered_page.viewport())
        self._covered, self._covered_name, self._covered_hint = (
            FormulaView(covered),
            QLabel(covered),
            WrappedLabel(covered),
        )
        self._covered_page.hold(covered)
        self._terms, self.relations, self._remark = TermsView(page), Relations(page), WrappedLabel(page)
        self.foot, self.walk = CellButtons(self), WalkButton(page)
        self._foot_asked = True
        self.verify, self.sensitivity = VerifyPage(own[0].viewport()), SensitivityPage(own[1].viewport())
        self.pages = PagesPanel(self._pages_tab)
        held = (self.first, self.verify, self.sensitivity)
        for holder, one in zip((self._first_page, *own), held, strict=True):
            holder.hold(one)
        self._connect()
        self._build()
        self.retranslate()

    def set_explanation(self, explanation: Explanation, context: ExplainContext) -> None:
        """Explain a cell."""
        self._explanation, self._context = explanation, context
        self._show_explanation()
        self._explain_stack.setCurrentWidget(self._cell_page)

    def set_compared(self, text: str) -> None:
        """Say what the cell is in another state, and by how much it moved; nothing for an empty text."""
        self._compared.setText(text)
        self._compared.setVisible(bool(text))

    def set_remark(self, text: str) -> None:
        """Say below the terms what holds of every such comparison; nothing for an empty text."""
        self._remark.setText(text)
        self._remark.setVisible(bool(text))

    def set_nothing_chosen(self) -> None:
        """Show the first steps."""
        if self._explain_stack.currentWidget() is self._first_page:
            return
        self._explanation = self._context = None
        self._terms.terms().set_explanation(None, None)
        self._explain_stack.setCurrentWidget(self._first_page)

    def set_covered(self, name: str, latex: str) -> None:
        """Show the formula of a cell, and neither its number nor those that would tell it."""
        self.set_nothing_chosen()
        self._covered_name.setText(name)
        self._covered.set_formula(rf"{latex} = \text{{?}}", f"{spoken(latex)} = ?")
        self._explain_stack.setCurrentWidget(self._covered_page)

    def set_foot_shown(self, shown: bool) -> None:
        """Set whether the buttons of the foot have their place below an explained cell."""
        self._foot_asked = shown
        self._fit_foot()

    def _fit_foot(self) -> None:
        explained = self._explain_stack.currentWidget() is self._cell_page and self._tabs.currentIndex() == 0
        self.foot.setVisible(self._foot_asked and explained)

    def turn_to(self, page: QWidget | None) -> None:
        """Show another page than the explanation, or with None that."""
        if page is None:
            self._tabs.setCurrentIndex(0)
            return
        holders = [self._tabs.widget(place) for place in range(self._tabs.count())]
        place = next(place for place, one in enumerate(holders) if one is not None and one.isAncestorOf(page))
        self._tabs.setTabVisible(place, True)
        self._tabs.setCurrentIndex(place)

    def is_turned_to(self, tab: str) -> bool:
        """Return whether one of `TABS` is on show, or large in the place of the maps."""
        return TABS[self._tabs.currentIndex()] == tab or (tab == "pages" and not self._here)

    def set_parts(self, shown: Set[str]) -> None:
        """Show these tabs and buttons beside the explanation, which is always there."""
        self._offered = {"explain"} | shown
        if TABS[self._tabs.currentIndex()] not in self._offered:
            self._tabs.setCurrentIndex(0)
        self._show_tabs()
        self.relations.set_toggles_offered("reach" in shown)
        self.foot.set_more_offered("target" in shown)

    def _show_tabs(self) -> None:
        for place, tab in enumerate(TABS):
            self._tabs.setTabVisible(place, tab in self._offered and (self._here or place != PAGES))
        several = sum(map(self._tabs.isTabVisible, range(len(TABS)))) > 1
        for part in (self._tabs, self._tabs.tabBar()):  # one alone is a title
            part.setFocusPolicy(Qt.FocusPolicy.TabFocus if several else Qt.FocusPolicy.NoFocus)

    def set_pages_here(self, here: bool) -> None:
        """Set whether the pages of the catalog stand here, or are large somewhere else."""
        self._here = here
        if not here:
            self._tabs.setCurrentIndex(0)
        self._show_tabs()
        if here:
            layout = self._pages_tab.layout()
            assert layout is not None
            layout.addWidget(self.pages)
            self.pages.show()  # a stack that it leaves has hidden it

    def retranslate(self) -> None:
        for frame in (self, self._tabs):
            frame.setAccessibleName(self.tr("Explain"))
        titles = (self.tr("Explain"), self.tr("Verify"), self.tr("Gradients"), self.tr("Pages"))
        for place, title in enumerate(titles):
            self._tabs.setTabText(place, title)
        for part in (self._tabs, self._tabs.tabBar()):
            part.setWhatsThis(
                self.tr("The chosen cell explained, all steps verified, exact gradients, and further pages")
            )
        self._terms.setWhatsThis(
            self.tr("The terms of the number above, such as q · k: a click on one goes to the cell that it comes from")
        )
        self._order_label.setText(self.tr("by size"))
        self._covered_hint.setText(self.tr("A right answer uncovers the numbers here and in the maps."))
        if self._explanation is not None:
            self._show_explanation()

    def sizeHint(self) -> QSize:
        """Return no height: it scrolls, takes what is left, and what stands in its column with it comes first."""
        return QSize(super().sizeHint().width(), 0)

    def minimumSizeHint(self) -> QSize:
        """Return no height: on a low screen a lesson with a notice or a verdict on an answer needs all that is left."""
        return QSize(super().minimumSizeHint().width(), 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show nothing rather than a part of the tabs."""
        super().resizeEvent(event)
        self._tabs.setVisible(self.height() >= self._tabs.tabBar().sizeHint().height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Left and event.modifiers() & Qt.KeyboardModifier.AltModifier:
            self.backRequested.emit()
        else:
            super().keyPressEvent(event)

    def _show_explanation(self) -> None:
        explanation, context = self._explanation, self._context
        if explanation is None or context is None:
            return
        from_terms = self._terms.hasFocus()
        self._sentence.set_sentence(self._sentences.write(explanation, context))
        self._show_formula(explanation)
        self._show_before(context.before)
        self._terms.terms().set_explanation(explanation.computed or explanation, context)
        self._show_caption()
        self.relations.set_explanation(explanation, context)
        trail = (context.shown_name(*place) for place in context.trail)
        self._trail.set_places([*trail, cell_name(explanation.stage, explanation.index)])
        self._order_focus()
        if from_terms and self._terms.isHidden():  # a cell of one term: the way goes on along its links
            self.relations.links()[0].setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_formula(self, explanation: Explanation) -> None:
        """Show how the number comes about: step by step, or as one equation if asked for and there is one."""
        computed = explanation.computed
        if computed is not None:  # the number, and below it how it would have come about
            whole, below = by_step(explanation), by_step(computed)
            self.foot.set_one_offered(False)
            self._set_formula(whole.chain, (below.chain, *below.parts))
            return
        offered = explanation.per_query is not None
        self.foot.set_one_offered(offered)
        one = as_one(explanation) if self.foot.one else None
        shown = by_step(explanation) if one is None else one
        self._set_formula(shown.chain, shown.parts)

    def _show_before(self, before: OtherState | None) -> None:
        """Show the formula of the state that stands beside the present one, and whose each is."""
        for part in (*self._states, self._before):
            part.setVisible(before is not None)
        if before is not None:
            shown = by_step(before.explanation)
            chains = shown.chain, *shown.parts
            self._before.set_formula(chains, ", ".join(map(spoken, chains)))
            for label, name in zip(self._states, before.names, strict=True):
                label.setText(name)

    def _set_formula(self, chain: str, parts: tuple[str, ...]) -> None:
        self._formula.set_formula(chain, spoken(chain))
        self._parts.set_formula(parts, ", ".join(map(spoken, parts)))
        self._parts.setVisible(bool(parts))

    def _order_focus(self) -> None:
        """Put the links, which come and go, into the tab order where they stand."""
        order = (
            self._tabs.tabBar(),
            *self._trail.links(),
            self.walk.button,
            self._terms,
            *self.relations.links(),
            *self.foot.buttons(),
        )
        if order != self._ordered:
            self._ordered = order
            for before, after in pairwise(order):
                QWidget.setTabOrder(before, after)

    def _show_caption(self) -> None:
        terms, context = self._terms.terms(), self._context
        worth_it = terms.count() > 1 or (terms.count() == 1 and terms.of_weights())
        for widget in (self._caption, self._order_label, self._terms):
            widget.setVisible(worth_it)
        if context is None:
            return
        if terms.of_weights():
            every = terms.count() == context.problem.m
            self._caption.setText(
                self.tr("All keys of this query")
                if every
                else self.tr("Keys of this query, {count} of {all}").format(count=terms.count(), all=context.problem.m)
            )
        elif terms.has_tail():
            self._caption.setText(
                self.tr("Terms {product}, {count} of {all}").format(
                    product=terms.product(), count=terms.shown(), all=terms.count()
                )
            )
        else:
            self._caption.setText(self.tr("Terms {product}").format(product=terms.product()).strip())
        if context.before is not None and not terms.of_weights():
            self._caption.setText(f"{self._caption.text()} · {context.before.names[1]}")
        self._terms.setAccessibleName(self._caption.text())

    def _connect(self) -> None:
        self._trail.placeRequested.connect(self.placeRequested)
        self._terms.cellRequested.connect(self.cellRequested)
        self.relations.reachPicked.connect(self.reachPicked)
        self._terms.terms().modelReset.connect(self._show_caption)
        for links in (self.relations, self.sensitivity, self.verify):
            links.cellRequested.connect(self.cellRequested)
        self._tabs.currentChanged.connect(self.pageTurned)
        self.walk.button.clicked.connect(self.walkRequested)
        self.foot.oneClicked.connect(self._on_one_clicked)

    def _on_one_clicked(self) -> None:
        if self._explanation is not None:
            self._show_formula(self._explanation)

    def _build(self) -> None:
        style_text(self._caption, "section", strong=True)
        style_text(self._order_label, "small", "text3")
        for label in (self._caption, *self._states):
            label.setTextFormat(Qt.TextFormat.PlainText)
        for label in self._states:
            style_text(label, "small", "text2")
        self._before.setObjectName("inspector.before")
        self._compared.setObjectName("inspector.compared")
        self._compared.hide()
        self._remark.hide()
        caption = arrange(QHBoxLayout(), self._caption, 1, self._order_label)
        above = self._trail, self._sentence, self._compared, self._states[0], self._before, self._states[1]
        cell = self._formula, self._parts, self.walk, caption, self._terms, self.relations, self._remark
        arrange(QVBoxLayout(self._page), *above, *cell, 1, margins=0, spacing=SPACING.m)
        self._build_covered()
        self._build_tabs()

    def _build_covered(self) -> None:
        self._covered_page.setObjectName("inspector.covered")
        style_text(self._covered_name, "small", "text2")
        style_text(self._covered_hint, "small", "text2")
        page = self._covered_page.widget()
        assert page is not None
        arrange(
            QVBoxLayout(page), self._covered_name, self._covered, self._covered_hint, 1, margins=0, spacing=SPACING.m
        )

    def _build_tabs(self) -> None:
        self._explain_stack.setContentsMargins(0, SPACING.m, 0, 0)
        QVBoxLayout(self._pages_tab).setContentsMargins(0, 0, 0, 0)
        self.set_pages_here(True)
        arrange(QVBoxLayout(self), self._tabs, self.foot, margins=0)
        self._explain_stack.currentChanged.connect(self._fit_foot)
        self._tabs.currentChanged.connect(self._fit_foot)
        self._fit_foot()
