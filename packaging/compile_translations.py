"""Compile the translated texts (.ts) to the files that Qt loads (.qm), by the lrelease that PySide6 brings along.

python packaging/compile_translations.py    every .ts that is newer than its .qm

Standard library only: the set-up of a checkout, the build of a wheel (build_hook.py) and the tests begin with it.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main() -> int:
    compile_stale(ROOT)
    return 0


def compile_stale(root: Path) -> None:
    """Bring the texts of a checkout up to date; nothing is done where nothing is to do."""
    for source in stale(root):
        compile_texts(source, source.with_suffix(".qm"))


def stale(root: Path) -> list[Path]:
    """Return the .ts files of a checkout that are newer than what was made of them."""
    sources = sorted((root / "resources" / "translations").glob("*.ts"))
    return [source for source in sources if source.stat().st_mtime_ns > _time(source.with_suffix(".qm"))]


def _time(path: Path) -> int:
    return path.stat().st_mtime_ns if path.exists() else -1


def compile_texts(source: Path, target: Path) -> None:
    """Write the .qm file of a .ts file, whole or not at all: another run may be reading it."""
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        made = Path(folder, target.name)
        run("lrelease", "-silent", str(source), "-qm", str(made))
        os.replace(made, target)


def run(tool: str, *arguments: str) -> None:
    """Run one of Qt's own tools; SystemExit with its words where it is missing or fails."""
    program = next((found for folder in _folders() if (found := shutil.which(tool, path=folder))), None)
    if program is None:
        raise SystemExit(f"Qt's {tool} is needed, which PySide6-Essentials brings; {sys.executable} has none.")
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{tool} failed:\n{done.stdout}{done.stderr}")


def _folders() -> Iterator[str]:
    """Yield the folders of PySide6, found without importing it: that would load Qt."""
    package = importlib.util.find_spec("PySide6")
    yield from (package.submodule_search_locations or ()) if package else ()


if __name__ == "__main__":
    sys.exit(main())
