"""The files by which a Linux desktop knows the program agree with it and with one another."""

from __future__ import annotations

import configparser
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PySide6.QtGui import QColor, QIcon

import attn_gui
from attn_gui.cli import main
from attn_gui.paths import resource

LINUX = Path(__file__).resolve().parents[1] / "packaging" / "installers" / "linux"


def entry():
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str
    parser.read(LINUX / "attn-gui.desktop", encoding="utf-8")
    return parser["Desktop Entry"]


def tag(element):
    return element.tag.rpartition("}")[2]


def test_every_file_has_the_version_of_the_program():
    info = ElementTree.parse(LINUX / "attn-gui.metainfo.xml")
    newest = info.find("releases/release").attrib
    manual = (LINUX / "attn-gui.1").read_text(encoding="utf-8").splitlines()[0]
    assert newest["version"] == attn_gui.__version__
    assert f'{newest["date"]} "attn_gui {attn_gui.__version__}"' in manual


def test_sessions_belong_to_the_program():
    types = ElementTree.parse(LINUX / "attn-gui.xml").getroot()
    (session,) = (kind for kind in types if tag(kind) == "mime-type")
    patterns = [part.get("pattern") for part in session if tag(part) == "glob"]
    assert patterns == ["*.attn"]
    assert entry()["MimeType"] == session.get("type") + ";"
    provided = ElementTree.parse(LINUX / "attn-gui.metainfo.xml").find("provides/mediatype").text
    assert provided == session.get("type")


def test_desktop_and_window_name_each_other():
    launch_name = "attn-gui"
    assert entry()["Exec"].split() == [launch_name, "--in-window", "%f"], "there is no terminal to read a refusal in"
    start = (Path(attn_gui.__file__).parent / "app" / "shell" / "start.py").read_text(encoding="utf-8")
    assert f'setDesktopFileName("{launch_name}")' in start
    assert all(entry()[f"{name}[zh_CN]"] for name in ("Name", "GenericName", "Comment", "Keywords"))


def test_the_manual_names_every_command(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    usage = capsys.readouterr().out.split("\n\n")[0]
    manual = (LINUX / "attn-gui.1").read_text(encoding="utf-8")
    assert set(re.findall(r"^\.B attn-gui (\w+)$", manual, re.M)) == set(re.findall(r"attn-gui (\w+)", usage))


def test_the_icon_can_be_told_at_every_size(qapp):
    icon = QIcon(str(resource("icons", "program", "attn-gui.svg")))
    for side in (16, 32, 256):
        image = icon.pixmap(side, side).toImage()
        dark, pale = (QColor(image.pixel(side * x // 16, side * y // 16)).lightness() for x, y in ((3, 3), (9, 6)))
        assert dark < 100 < 150 < pale, side  # the first weight against what is masked
