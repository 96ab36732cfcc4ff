"""Search actions: how actions are ranked by typed words, slips of typing forgiven, its list."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QSize, Qt
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QDialog, QHeaderView, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from attn_gui.figure.design_tokens import SPACING
from attn_gui.views.text_views import WrappedLabel
from attn_gui.views.theme import current_theme, scaled, style_text
from attn_gui.views.widgets import LineEdit, arrange, plain_tip

SEPARATOR = " › "
ALIKE = 0.75  # of two words that differ by a slip of a finger
MISSPELLED = 5  # the distance of such words; the nearer ones fit as they are
NAMED = 1  # the distance of words that stand in the label
LEAST_LETTERS = 4  # of a word that may be taken for another
MOST_LETTERS = 30  # of a phrase of which parts are looked for
KEYS = QEvent.Type.KeyPress, QEvent.Type.KeyRelease, QEvent.Type.ShortcutOverride
OTHER_INPUT = frozenset(
    (
        *(QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonRelease, QEvent.Type.MouseButtonDblClick),
        *(QEvent.Type.MouseMove, QEvent.Type.Wheel, QEvent.Type.TouchBegin),
        *(QEvent.Type.DragEnter, QEvent.Type.Drop, QEvent.Type.Close),
    )
)
"""What a modal dialog keeps from the window below it."""


def without_access_key(label: str) -> str:
    """Return `Open…` of `&Open…`, 打开… of 打开(&O)…: Chinese adds the letter behind the words. `R&D` of `R&&D`."""
    return re.sub(r"\(&[^&]\)|&(&?)", r"\1", label)


def way_to(menus: Sequence[str], label: str) -> str:
    """Return `View › Theme › Dark`: the menus that lead to a label, without what is there for keys."""
    return SEPARATOR.join(map(without_access_key, (*menus, label.partition("\t")[0])))


@dataclass(frozen=True)
class ActionOffer:
    """An action with its menus (`View › Theme`), other words for it, and why it is disabled, if it is.

    `switch` brings what the window leaves out into sight, before the action is done.
    """

    action: QAction
    menus: tuple[str, ...] = ()
    words: str = ""
    needs: str = ""
    switch: Callable[[], object] | None = None

    @cached_property
    def path(self) -> str:
        """`View › Theme › Dark`."""
        return way_to(self.menus, self.label)

    @cached_property
    def label(self) -> str:
        """The words of the action, without what a menu shows behind them."""
        return without_access_key(self.action.text().partition("\t")[0])

    @cached_property
    def _folded(self) -> tuple[str, str, str]:
        return self.label.casefold(), self.path.casefold(), self.words.casefold()

    def distance(self, wanted: str, farthest: int) -> int | None:
        """Return the distance from the typed words, 0 for nothing.

        None where one of them fits nowhere up to the farthest.
        """
        found = [_distance(word, *self._folded, farthest) for word in wanted.casefold().split()]
        return None if None in found else sum(step for step in found if step is not None)


class ActionSearch(QDialog):
    """A line to type in above the actions that fit, the best one first; Enter does the chosen one."""

    def __init__(self, offers: Sequence[ActionOffer], parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("dialog.search_actions")
        self.setWindowTitle(self.tr("Search actions"))
        self._offers, self._shown, self._below = tuple(offers), tuple(offers), parent.window()
        self._line, self._list, self._none = LineEdit(self), QTreeWidget(self), WrappedLabel(self)
        self._line.setObjectName("palette.search")
        self._list.setObjectName("palette.found")
        self._line.setPlaceholderText(self.tr("Type what you want to do"))
        self._line.setAccessibleName(self.tr("Search actions"))
        self._list.setAccessibleName(self.tr("Actions found"))
        self._build()
        self._show("")

    def exec(self) -> int:
        """Ask, and take the keys that still go to the window below, since the window manager gives the keyboard a
        moment later: Qt drops them beside a modal dialog, which one that is on show before `exec` does not become."""
        self._below.windowHandle().installEventFilter(self)
        self.show()
        return super().exec()

    def done(self, answer: int) -> None:
        """Leave its input to the window below before the chosen action is done, which may be to quit."""
        self._below.windowHandle().removeEventFilter(self)
        super().done(answer)

    def found(self) -> tuple[str, ...]:
        """Return the paths on show, the best one first."""
        return tuple(offer.path for offer in self._shown)

    def sizeHint(self) -> QSize:
        return QSize(scaled(560), scaled(420))

    def _build(self) -> None:
        self._list.setColumnCount(2)
        self._list.setHeaderHidden(True)
        self._list.setRootIsDecorated(False)
        self._list.setUniformRowHeights(True)
        self._list.header().setStretchLastSection(False)
        self._list.header().setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        self._list.header().setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)  # names come first
        style_text(self._none, tone="text2")
        arrange(QVBoxLayout(self), self._line, self._none, self._list, margins=SPACING.l, spacing=SPACING.m)
        self._line.textChanged.connect(self._show)
        self._line.returnPressed.connect(self._do_chosen)
        self._list.itemActivated.connect(self._do_chosen)
        self._line.installEventFilter(self)

    def _show(self, wanted: str) -> None:
        """Show the actions that fit, those at the same distance as menus have them; else those that are misspelled."""
        self._shown = self._near(wanted, MISSPELLED - 1) or self._near(wanted, MISSPELLED) or self._partly(wanted)
        self._list.clear()
        self._list.addTopLevelItems([self._item(offer) for offer in self._shown])
        nothing = self.tr("Nothing fits “{text}”. Try another word, in English or Chinese.")
        self._none.setText(nothing.format(text=" ".join(wanted.split())))
        self._none.setVisible(not self._shown)
        self._choose(0)

    def _near(self, wanted: str, farthest: int) -> tuple[ActionOffer, ...]:
        near = [(offer.distance(wanted, farthest), offer) for offer in self._offers]
        fitting = [(distance, offer) for distance, offer in near if distance is not None]
        return tuple(offer for _distance, offer in sorted(fitting, key=lambda found: found[0]))

    def _partly(self, wanted: str) -> tuple[ActionOffer, ...]:
        """Return the actions that fit the longest part of a phrase that fits nowhere as a whole: of Chinese, which has
        no blanks, 撤销 of 怎么撤销, of English a word."""
        runs = re.findall(r"[!-~]{4,}|[^\x00-\x7f]{2,}", wanted[:MOST_LETTERS].casefold())
        said = "\n".join(text for offer in self._offers for text in (offer.path, offer.words)).casefold()
        for length in range(max(map(len, runs), default=0), 1, -1):
            parts = [
                run[at : at + length]
                for run in runs
                for at in range(len(run) - length + 1)
                if (len(run) == length or not run.isascii()) and run[at : at + length] in said
            ]
            for farthest in (NAMED, MISSPELLED - 1):  # those that are called so, or have it in other words
                if near := {offer: None for part in parts for offer in self._near(part, farthest)}:
                    return tuple(near)
        return ()

    def _choose(self, row: int) -> None:
        self._list.setCurrentIndex(self._list.model().index(max(0, min(len(self._shown) - 1, row)), 0))

    def _do_chosen(self) -> None:
        place = self._list.indexOfTopLevelItem(self._list.currentItem())
        chosen = self._shown[place] if 0 <= place < len(self._shown) else None
        if chosen is not None and (chosen.action.isEnabled() or chosen.switch is not None):
            self.accept()
            if chosen.switch is not None:
                chosen.switch()
            chosen.action.trigger()

    def _item(self, offer: ActionOffer) -> QTreeWidgetItem:
        """Return one row: the path, and its keys, why it cannot be done now, or that the full window has it."""
        enabled = offer.action.isEnabled() or offer.switch is not None
        beside = offer.action.shortcut().toString() if enabled else offer.needs
        if offer.switch is not None:
            beside = self.tr("Switches to the full window")
        item = QTreeWidgetItem([offer.path, beside])
        for column in (0, 1):
            if not enabled:
                item.setForeground(column, current_theme().text3)
            item.setToolTip(column, plain_tip(item.text(column)))
        if offer.switch is not None:
            item.setForeground(1, current_theme().accent)
        return item

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let Up and Down move in the list and letters go to the line, which has the keys of the window below."""
        if watched is not self._line and event.type() in KEYS:
            QCoreApplication.sendEvent(self._line, event)
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()  # else the window would do what the keys stand for in it, behind the list
            return True
        if watched is not self._line and event.type() in OTHER_INPUT:
            event.ignore()
            return True
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()), 0)
            if step and self._shown:
                self._choose(self._list.indexOfTopLevelItem(self._list.currentItem()) + step)
                return True
        return super().eventFilter(watched, event)


def _distance(word: str, label: str, path: str, words: str, farthest: int) -> int | None:
    """Return 0 where the label begins with the word … MISSPELLED; None where it fits nowhere so near."""
    known = words.split()
    begun = any(other.startswith(word) for other in known)
    if not word.isascii():
        begun = begun or word in words  # part of a Chinese word; part of an English one is an accident
    fits = (label.startswith(word), word in label, word in known, word in path, begun)
    if any(fits[: farthest + 1]):
        return fits.index(True)
    if len(word) < LEAST_LETTERS or farthest < MISSPELLED:
        return None
    if not word.isascii():  # two Chinese words have no blank between them
        cuts = ((word[:place], word[place:]) for place in range(2, len(word) - 1))
        if any(all(one in path or one in words for one in cut) for cut in cuts):
            return MISSPELLED
    return MISSPELLED if get_close_matches(word, (*re.split(r"\W+", path), *known), n=1, cutoff=ALIKE) else None
