"""The outline of what was just recomputed: held, then faded, on Qt's one clock for all animations."""

from __future__ import annotations

from PySide6.QtCore import QObject, QVariantAnimation
from PySide6.QtWidgets import QApplication, QStyle

from attn_gui.figure.tokens import TIME_MS


class Flash(QVariantAnimation):
    """`valueChanged` carries the strength, 1 … 0."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        whole = TIME_MS.edited_outline_hold + TIME_MS.edited_outline_fade
        self.setDuration(whole)
        self.setStartValue(1.0)
        self.setKeyValueAt(TIME_MS.edited_outline_hold / whole, 1.0)
        self.setEndValue(0.0)

    def restart(self) -> None:
        """Hold and fade from the start; where the desktop asks for no motion nothing fades by itself."""
        self.stop()
        if not motion_reduced():
            self.start()

    def hold(self, held: bool) -> None:
        """Stand still while the next outline is on its way, or fade on if none came."""
        if held and self.state() == self.State.Running:
            self.pause()
        elif not held and self.state() == self.State.Paused:
            self.resume()


def motion_reduced() -> bool:
    """Whether the desktop asks programs not to animate."""
    return not QApplication.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration)
