"""The fonts and licenses that the program ships, and what the package says of itself."""

from __future__ import annotations

import os
import re
import tomllib
from importlib.metadata import requires
from pathlib import Path

from PySide6.QtGui import QRawFont

import attn_gui
from attn_gui.paths import notices, resource
from tests.failing import each

ROOT = Path(__file__).resolve().parents[1]


def test_there_is_one_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == attn_gui.__version__


def test_ci_can_be_run():
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


@each(
    ("font", "license_text", "most"),
    [
        ("Inter-Regular.otf", "Inter-OFL.txt", 250_000),
        ("Inter-SemiBold.otf", "Inter-OFL.txt", 250_000),
        ("NotoSansCJKsc-Subset.otf", "NotoSansCJK-OFL.txt", 1_900_000),
        ("STIXTwoMath-Subset.ttf", "STIXTwoMath-OFL.txt", 80_000),
    ],
)
def test_shipped_fonts_are_small_and_licensed(qapp, font, license_text, most):
    assert resource("fonts", font).stat().st_size < most
    assert "SIL OPEN FONT LICENSE" in resource("fonts", license_text).read_text(encoding="utf-8")
    assert font.split("-")[0] in notices()


def test_the_notices_name_what_is_installed_beside_it_and_nothing_else():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = [*project["dependencies"], *(need for extra in ("models", "xlsx") for need in extras(project, extra))]
    named = {bare(need) for need in needed}
    wanted = named | {bare(need) for name in named for need in requires(name) or () if "extra ==" not in need}
    rows = notices().partition("## Installed beside it")[2].partition("\n## ")[0]
    told = {bare(row.split()[0].strip(",")) for row in re.findall(r"^\| (.+?) \|", rows, re.M)}
    assert told - {"package"} == wanted


def bare(need):
    """The name of what is needed, as package registries compare names."""
    return re.split("[<>=!~; ]", need)[0].lower().replace("_", "-")


def extras(project, name):
    return project["optional-dependencies"][name]


def test_no_shown_character_lacks_a_glyph(qapp):
    """Every letter of our own texts, English and Chinese, is in a font that we ship."""
    files = [
        resource("translations", "attn_gui_zh.ts"),
        *resource("help").glob("*/*.md"),
    ]  # READMEs are no texts of the window
    texts = "".join(path.read_text(encoding="utf-8") for path in files)
    fonts = [QRawFont(str(resource("fonts", name)), 12) for name in ("Inter-Regular.otf", "NotoSansCJKsc-Subset.otf")]
    wanted = {letter for letter in texts if not letter.isspace()} | set("−×·…→↓↵√∞′ₖᵥ查询键值打分缩放掩码权重头输出ᵀ⋮␣")
    missing = {letter for letter in wanted if not any(font.supportsCharacter(ord(letter)) for font in fonts)}
    assert not missing


def test_every_icon_is_used():
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "attn_gui").rglob("*.py"))
    assert not [path.stem for path in resource("icons").glob("*.svg") if f'"{path.stem}"' not in sources]
