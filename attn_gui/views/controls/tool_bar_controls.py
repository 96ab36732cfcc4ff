"""Controls of the tool bar: the list of states (Now, Before, Difference) and why one is gray; Simple / Full."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from attn_gui.modes import BEFORE, DIFFERENCE, GRADIENT, NOW, SIDE_BY_SIDE, STATES, WIPE
from attn_gui.views.widgets import ChoiceBox, arrange, set_tip


class CompareBox(ChoiceBox):
    """List of the states to show: with no state to compare with only the present one and its gradient."""

    def __init__(self, parent: QWidget | None = None, states: Sequence[str] = STATES) -> None:
        super().__init__((*states, GRADIENT), parent)
        self.setObjectName("control.compare")
        self._states = states
        self._offered = dict.fromkeys((*states, GRADIENT), False) | {NOW: True}
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # Tab passes the tool bar, whose actions have keys of their own
        self.retranslate()

    def set_offered(self, *, compared: bool, gradient: bool) -> None:
        """Set whether there is something to compare with, and a cell of which a gradient can be taken."""
        offered = dict.fromkeys(self._states, compared) | {NOW: True, GRADIENT: gradient}
        if offered != self._offered:  # else the tool bar would be laid out again at every click on a cell
            self._offered = offered
            self._show_offered()

    def _show_offered(self) -> None:
        model = self.model()
        assert isinstance(model, QStandardItemModel)
        for mode, offered in self._offered.items():
            item = model.item(self.findData(mode))
            item.setEnabled(offered)
            item.setData(None if offered else self._why(mode), Qt.ItemDataRole.ToolTipRole)
        self.setToolTip(self.accessibleName() if self._offered[BEFORE] else self._why(BEFORE))

    def retranslate(self) -> None:
        words = {NOW: self.tr("Now"), BEFORE: self.tr("Before"), GRADIENT: self.tr("Gradient"), **self.both_words()}
        self.set_words({mode: words[mode] for mode in self._offered})
        self.setAccessibleName(self.tr("State on show"))
        self._show_offered()

    @staticmethod
    def both_words() -> dict[str, str]:
        """Return the words of the modes that show something of either state."""
        return {
            SIDE_BY_SIDE: QCoreApplication.translate("CompareBox", "Side by side"),
            WIPE: QCoreApplication.translate("CompareBox", "Wipe"),
            DIFFERENCE: QCoreApplication.translate("CompareBox", "Difference"),
        }

    def _why(self, mode: str) -> str:
        if mode == GRADIENT:
            return self.tr("Choose a cell of a map first; not during an exercise")
        return self.tr("Nothing to compare with: pin a state first, or choose one in the menu Compare")


class SimpleSwitch(QWidget):
    """Switch between the simple window and the full one: two buttons side by side, of which one is down."""

    picked = Signal(bool)  # whether the simple window is wanted

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("switch")
        self._buttons = {name: QPushButton(self) for name in ("simple", "full")}
        arrange(QHBoxLayout(self), *self._buttons.values(), margins=0, spacing=0)
        for name, button in self._buttons.items():
            button.setObjectName(f"switch.{name}")
            button.setCheckable(True)
            button.setProperty("segment", "last" if name == "full" else "true")
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # Tab passes the tool bar; the View menu has the same
            button.clicked.connect(lambda _=False, simple=name == "simple": self._on_button_clicked(simple))
        self.retranslate()

    def set_simple(self, simple: bool) -> None:
        """Show which window it is."""
        for name, button in self._buttons.items():
            button.setChecked((name == "simple") == simple)

    def retranslate(self) -> None:
        words = {
            "simple": (self.tr("Simple"), self.tr("Simple window: what a first lesson needs")),
            "full": (self.tr("Full"), self.tr("Full window: everything")),
        }
        for name, (text, tip) in words.items():
            self._buttons[name].setText(text)
            set_tip(self._buttons[name], tip)

    def _on_button_clicked(self, simple: bool) -> None:
        self.set_simple(simple)  # a press on the one that is down leaves it down
        self.picked.emit(simple)
