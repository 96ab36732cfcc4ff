"""Parts that the program is built of, by what else they do: answer actions, speak, write files, come to an end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from attn_gui.app.actions.actions import Command


@runtime_checkable
class Acting(Protocol):
    """A part that answers actions."""

    def commands(self) -> Mapping[str, Command]: ...


@runtime_checkable
class Speaking(Protocol):
    """A part that has words which no widget translates by itself."""

    def retranslate(self) -> None: ...


@runtime_checkable
class Writing(Protocol):
    """A part that writes files, which the end of the window waits for."""

    def wait(self) -> bool: ...


@runtime_checkable
class Ending(Protocol):
    """A part with work that has to be through before the window goes."""

    def finish(self) -> None: ...
