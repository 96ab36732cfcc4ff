"""Hook of the build (pyproject.toml): wheel, sdist and editable install have the texts compiled wherever they begin."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent))

from checkout import QT, libraries
from compile_translations import compile_stale, stale


class TextsHook(BuildHookInterface):
    """Asks for Qt's lrelease only where texts have to be compiled: an sdist holds them as they are."""

    def dependencies(self) -> list[str]:
        needed = self.metadata.core.dependencies if stale(Path(self.root)) else []
        return [line for line in needed if line.lower().startswith(QT.lower())]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        try:
            compile_stale(Path(self.root))
        except SystemExit as failed:
            known = libraries(Path(self.root))  # where lrelease does not run, the window would not, either
            raise SystemExit(known.complaint(known.DRAWING) or str(failed)) from failed
