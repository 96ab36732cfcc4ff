"""Collect every text of the program into resources/translations and compile what is translated.

    python3 packaging/translate.py            after a text was added, changed or translated
    python3 packaging/translate.py --missing  list the texts that have no finished translation
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import PySide6

ROOT = Path(__file__).resolve().parents[1]
TRANSLATIONS = ROOT / "resources" / "translations"
CHINESE = TRANSLATIONS / "attn_gui_zh.ts"


def main(arguments: list[str]) -> int:
    if arguments == ["--missing"]:
        for context, source in unfinished(CHINESE):
            print(f"{context}: {source}")
        return 1 if unfinished(CHINESE) else 0
    collect(CHINESE)
    compile_texts(CHINESE, CHINESE.with_suffix(".qm"))
    print(f"{CHINESE.name}: {len(unfinished(CHINESE))} texts are not translated")
    return 0


def collect(target: Path) -> None:
    """Merge every marked text of the sources into the .ts file; what is gone from the sources leaves it."""
    sources = sorted(str(path) for path in (ROOT / "attn_gui").rglob("*.py"))
    # _ stands for QT_TRANSLATE_NOOP in the tables of actions; line numbers would change the file with every edit
    alias = ["-tr-function-alias", "QT_TRANSLATE_NOOP+=_"]
    options = ["-no-obsolete", "-locations", "none", "-source-language", "en", "-target-language", "zh_CN"]
    _run("lupdate", *alias, *options, *sources, "-ts", str(target))


def compile_texts(source: Path, target: Path) -> None:
    _run("lrelease", "-silent", str(source), "-qm", str(target))


def unfinished(path: Path) -> list[tuple[str, str]]:
    """(context, text) of everything that still waits for its translation."""
    found = []
    for context in ElementTree.parse(path).iter("context"):
        for message in context.iter("message"):
            translation = message.find("translation")
            if translation is None or translation.get("type") == "unfinished" or not "".join(translation.itertext()):
                found.append((context.findtext("name", ""), message.findtext("source", "")))
    return found


def _run(tool: str, *arguments: str) -> None:
    """Qt's own tools, which PySide6 brings along."""
    program = shutil.which(tool, path=str(Path(PySide6.__file__).parent))
    if program is None:
        raise SystemExit(f"PySide6 has no {tool}")
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{tool} failed:\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
