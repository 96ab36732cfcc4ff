"""Ground of every command of the command line: its parser, its refusals, the file that it is about, its progress."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from attn_gui.formats import Loaded, Progress

MOST_CHANGES = 6  # that are said of a file


class Refusal(Exception):
    """A refusal, in one sentence."""


class Parser(argparse.ArgumentParser):
    """Mistakes are one sentence, without the usage in front of it."""

    def error(self, message: str) -> NoReturn:
        raise Refusal(f"{message[:1].upper()}{message[1:].rstrip('.')}.")


def opened(path: Path) -> Loaded:
    """The problem in a file. Raises Refusal."""
    from attn_gui.formats import FormatError, open_file

    try:
        return open_file(path)
    except FormatError as error:
        raise Refusal(str(error)) from error


def told(loaded: Loaded) -> Loaded:
    """Say on stderr what the file holds and is left out, and which numbers are not as computed."""
    for note in loaded.notes:
        print(f"attn-gui: {note}", file=sys.stderr)
    if changes := _changes(loaded):
        print(f"attn-gui: Changed by hand: {'; '.join(changes)}.", file=sys.stderr)
    return loaded


def _changes(loaded: Loaded) -> list[str]:
    """Changes by hand in a problem, in words; of many the first ones."""
    from attn_gui.engine.graph.chain.hand_words import phrase

    records = [record for record in loaded.problem.interventions if record.enabled]
    said = [str(phrase(loaded.problem, record)) for record in records[:MOST_CHANGES]]
    return [*said, f"and {len(records) - MOST_CHANGES} more"] if len(records) > MOST_CHANGES else said


PATIENCE = 0.5  # seconds before progress is shown


class FileProgress:
    """Progress of a file, on one line of a terminal; whoever reads stderr from a pipe is spared it."""

    def __init__(self, path: Path) -> None:
        self._name, self._shown, self._begun = path.name, "", time.monotonic()
        self._terminal = sys.stderr.isatty()

    def __enter__(self) -> FileProgress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def show(self, share: float) -> None:
        """Called from any thread; the first half second is silent."""
        said = f"{self._name}: {share:.0%}"
        if self._terminal and said != self._shown and time.monotonic() > self._begun + PATIENCE:
            self._shown = said
            print(f"\r{said}\x1b[K", end="", file=sys.stderr, flush=True)

    def of(self, part: int, parts: int) -> Progress:
        """The progress of one of several equal parts of the file."""
        return lambda done, every: self.show((part + done / every) / parts)
