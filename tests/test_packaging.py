"""Fonts, licenses, installers: what ships, what the package says of itself, and what a Linux desktop knows of it."""

import configparser
import importlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import requires
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PySide6.QtGui import QRawFont

import attn_gui
from attn_gui.paths import notices, resource
from tests.failing import each

ROOT = Path(__file__).resolve().parents[1]


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
    extras = project["optional-dependencies"]
    needed = [*project["dependencies"], *extras["models"], *extras["xlsx"]]
    named = {bare(need) for need in needed}
    wanted = named | {bare(need) for name in named for need in requires(name) or () if "extra ==" not in need}
    rows = notices().partition("## Installed beside it")[2].partition("\n## ")[0]
    told = {bare(row.split()[0].strip(",")) for row in re.findall(r"^\| (.+?) \|", rows, re.M)}
    assert told - {"package"} == wanted


def bare(need):
    """The name of what is needed, as package registries compare names."""
    return re.split("[<>=!~; ]", need)[0].lower().replace("_", "-")


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


# --- the files by which a Linux desktop knows the program agree with it and with one another ------
LINUX = ROOT / "packaging" / "installers" / "linux"


def test_every_file_has_the_version_of_the_program():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    newest = ElementTree.parse(LINUX / "attn-gui.metainfo.xml").find("releases/release").attrib
    manual = (LINUX / "attn-gui.1").read_text(encoding="utf-8").splitlines()[0]
    assert project["version"] == newest["version"] == attn_gui.__version__
    assert f'{newest["date"]} "attn_gui {attn_gui.__version__}"' in manual


def test_a_desktop_opens_sessions_with_the_program_and_knows_its_window():
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str
    parser.read(LINUX / "attn-gui.desktop", encoding="utf-8")
    entry = parser["Desktop Entry"]
    assert entry["Exec"].split() == ["attn-gui", "--in-window", "%f"], "there is no terminal to read a refusal in"
    assert all(entry[f"{name}[zh_CN]"] for name in ("Name", "GenericName", "Comment", "Keywords"))
    start = (ROOT / "attn_gui" / "app" / "start.py").read_text(encoding="utf-8")
    assert 'setDesktopFileName("attn-gui")' in start
    (session,) = ElementTree.parse(LINUX / "attn-gui.xml").getroot()
    assert [part.get("pattern") for part in session if part.tag.endswith("glob")] == ["*.attn"]
    provided = ElementTree.parse(LINUX / "attn-gui.metainfo.xml").find("provides/mediatype").text
    assert entry["MimeType"] == f"{provided};" == session.get("type") + ";"


def test_the_manual_is_what_the_parsers_say():
    wanted = installers("make_manual").manual()
    assert (LINUX / "attn-gui.1").read_text(encoding="utf-8") == wanted, "run packaging/make_manual.py"


@pytest.mark.skipif(shutil.which("man") is None, reason="needs man")
def test_the_manual_is_read_without_a_warning():
    call = ["man", "--warnings", "-l", "-Tutf8", str(LINUX / "attn-gui.1")]
    found = subprocess.run(call, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C.UTF-8"})
    assert (found.returncode, found.stderr) == (0, "")


def installers(name):
    """A module of the installers, which stand in no package."""
    sys.path[:0] = [str(LINUX.parent), str(LINUX.parents[1])]
    try:
        return importlib.import_module(name)
    finally:
        del sys.path[:2]


def collected(folder, source):
    """A folder as PyInstaller leaves it, with its lists of where each file came from."""
    inside, work = folder / "attn-gui" / "_internal", folder / "work"
    inside.mkdir(parents=True)
    work.mkdir()
    (inside / source.name).write_bytes(b"\x7fELF")
    (work / "COLLECT-00.toc").write_text(repr([[(source.name, str(source), "BINARY")]]), encoding="utf-8")
    (work / "PYZ-00.toc").write_text("[[]]", encoding="utf-8")
    return inside.parent, work


def test_a_library_or_a_wheel_that_no_line_names_is_not_shipped(tmp_path, monkeypatch):
    notices, source = installers("notices"), tmp_path / "unheard.so"
    source.touch()
    info = tmp_path / "unheard-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: unheard\nVersion: 1\n", encoding="utf-8")
    (info / "RECORD").write_text("unheard.so,,\n", encoding="utf-8")
    with pytest.raises(notices.Trouble, match=r"unheard would be shipped, and no line"):
        notices.write_notices(*collected(tmp_path / "wheel", source), tmp_path)
    said = subprocess.CompletedProcess([], 0, stdout="libunheard1: /usr/lib/libunheard.so.1\n")
    monkeypatch.setattr(notices.subprocess, "run", lambda *_, **__: said)
    with pytest.raises(notices.Trouble, match=r"libunheard\.so\.1 .* no line of resources/NOTICE\.md names it"):
        notices.write_notices(*collected(tmp_path / "system", Path("/usr/lib/libunheard.so.1")), tmp_path)


def test_the_debian_package_tells_of_every_part():
    notices = installers("notices")
    text = notices.debian_copyright([notices.Part("libz", "zlib License", ())])
    assert "Files: usr/lib/attn-gui/licenses/libz/*" in text
    assert "License: zlib-License-libz" in text


def test_no_library_under_the_gpl_is_shipped(tmp_path, monkeypatch):
    notices = installers("notices")
    page = tmp_path / "NOTICE.md"
    table = "| libraries | license |\n|---|---|\n| libfine | LGPL 2.1 |\n| libgnu, libother | GPL 3.0 |\n"
    page.write_text(f"## Libraries of the system\n{table}", encoding="utf-8")
    monkeypatch.setattr(notices, "NOTICE", page)
    assert notices.library_license("libfine.so.1") == "LGPL 2.1"
    with pytest.raises(notices.Trouble, match=r"libother\.so\.8 is under GPL 3\.0"):
        notices.library_license("libother.so.8")
