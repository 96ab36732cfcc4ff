"""Ways out of a refusal, as buttons beside the sentence that says it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from PySide6.QtCore import QObject

from attn_gui.views.banner import Banner, Words


class Offer(NamedTuple):
    """What a button says, what it would do in a sentence, and the doing."""

    label: Words
    hint: Words
    take: Callable[[], None]


class Offers(QObject):
    """The offers of one kind of refusal; `kind` tells their buttons from those of others."""

    def __init__(self, banner: Banner, kind: str, parent: QObject) -> None:
        super().__init__(parent)
        self._banner, self._kind = banner, kind
        self._offers: tuple[Offer, ...] = ()
        banner.actionPicked.connect(self._on_banner_action_picked)

    def show(self, words: Words, offers: Sequence[Offer], *, refused: bool = True, focus: bool = True) -> None:
        """Say what was refused, or only does not fit yet, and offer the ways out, with `focus` the keyboard on one."""
        self._offers = tuple(offers)
        actions = [(f"{self._kind}.{place}", offer.label, offer.hint) for place, offer in enumerate(offers)]
        say = self._banner.show_error if refused else self._banner.show_info
        say(words, actions=actions, focus=focus)

    def _on_banner_action_picked(self, key: str) -> None:
        kind, _, place = key.rpartition(".")
        if kind == self._kind and place.isdigit() and int(place) < len(self._offers):
            self._offers[int(place)].take()
