"""The shipped Chinese font is taken unless the system has a whole one of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QFontMetricsF

from attn_gui.figure.design_tokens import FONT_SIZE
from attn_gui.figure.text.fonts import code_font
from attn_gui.paths import resource
from tests.failing import each

ROOT = Path(__file__).resolve().parents[3]
OWN = "NotoSansCJKsc-Subset.otf"
CONFIG = '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>{dir}</dir></fontconfig>'
USED = """
from PySide6.QtGui import QFontDatabase, QGuiApplication, QTextLayout
app = QGuiApplication([])
there = [name for name in QFontDatabase.families() if name.endswith(('Backs', 'SC'))]
from attn_gui.figure.text import fonts
fonts.load_fonts()
layout = QTextLayout("注意力分数，", fonts.figure_font(20))
layout.beginLayout(); layout.createLine(); layout.endLayout()
print(sorted({run.rawFont().familyName() for run in layout.glyphRuns()}), fonts.CHINESE in fonts._loaded, there)
"""


def renamed(family: str, into: Path) -> None:
    """Our own font under another name of the same length."""
    name, other = "Noto Sans CJK SC".encode("utf-16-be"), family.encode("utf-16-be")
    assert len(name) == len(other)
    into.mkdir()
    (into / "system.otf").write_bytes(resource("fonts", OWN).read_bytes().replace(name, other))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="fontconfig tells which fonts a system has")
@each(("system", "ours"), [("Droid Sans Backs", True), ("Noto Sans CJK SC", False)])
def test_a_stray_chinese_font_does_not_replace_ours(tmp_path: Path, system: str, ours: bool) -> None:
    renamed(system, tmp_path / "fonts")
    (tmp_path / "fonts.conf").write_text(CONFIG.format(dir=tmp_path / "fonts"))
    env = {
        **os.environ,
        "FONTCONFIG_FILE": str(tmp_path / "fonts.conf"),
        "XDG_CACHE_HOME": str(tmp_path),
        "QT_QPA_PLATFORM": "offscreen",
    }
    done = subprocess.run([sys.executable, "-c", USED], env=env, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.stdout == f"['Noto Sans CJK SC'] {ours} ['{system}']\n", done.stdout + done.stderr


def test_code_has_letters_of_one_width(qapp) -> None:
    letters = QFontMetricsF(code_font(FONT_SIZE.small))
    assert letters.horizontalAdvance("iiii....") == letters.horizontalAdvance("MMMM====")
