"""Package of the bundled program for Debian and its kin: its files in their places, and dpkg-deb."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from checkout import libraries
from native import drop_unreached
from notices import Part, debian_copyright
from steps import Trouble, say, watched

LINUX = Path(__file__).resolve().parent / "linux"
ROOT = LINUX.parents[2]
NAME = "attn-gui"
SIZES = (16, 24, 32, 48, 64, 128, 256)
CHECKS = {  # the system's own judges, where they are installed
    "desktop-file-validate": ("usr/share/applications/attn-gui.desktop",),
    "appstreamcli": ("usr/share/metainfo/io.github.attn_gui.metainfo.xml",),
    "xmllint": ("usr/share/mime/packages/attn-gui.xml",),
    "man": ("usr/share/man/man1/attn-gui.1.gz",),
}
OPTIONS = {"appstreamcli": ("validate", "--no-net"), "xmllint": ("--noout",), "man": ("--warnings", "-l", "-Tutf8")}


def debian_package(folder: Path, parts: list[Part], version: str, target: Path) -> Path:
    """Pack a bundle that holds `parts` of others; the path of the .deb.

    Raises Trouble where dpkg-deb is missing or a file is not valid.
    """
    if shutil.which("dpkg-deb") is None:
        raise Trouble("dpkg-deb is needed, which Debian and its kin have.")
    machine = subprocess.run(
        ["dpkg", "--print-architecture"], capture_output=True, text=True, check=True
    ).stdout.strip()
    made = target / f"{NAME}_{version}_{machine}.deb"
    with tempfile.TemporaryDirectory(dir=target) as work:
        tree = Path(work, "tree")
        tree.mkdir(mode=0o755)
        _lay_out(tree, folder, parts, version)
        _control(tree, version, machine)
        _validate(tree)
        watched(["dpkg-deb", "-Zxz", "--root-owner-group", "--build", tree, made], "Packing the .deb.")
    return made


def _lay_out(tree: Path, folder: Path, parts: list[Part], version: str) -> None:
    """Put every file where a Linux desktop looks for it."""
    inside = tree / "usr/lib" / NAME
    shutil.copytree(folder, inside, symlinks=True)
    _leave_to_the_system(inside)
    _link(tree / "usr/bin" / NAME, f"../lib/{NAME}/{NAME}")
    share = tree / "usr/share"
    _copy(LINUX / "attn-gui.desktop", share / "applications/attn-gui.desktop")
    _copy(LINUX / "attn-gui.xml", share / "mime/packages/attn-gui.xml")
    _copy(LINUX / "attn-gui.metainfo.xml", share / "metainfo/io.github.attn_gui.metainfo.xml")
    _copy(ROOT / "packaging/LICENSE", share / f"doc/{NAME}/copyright")
    (share / f"doc/{NAME}/copyright").write_text(debian_copyright(parts), encoding="utf-8")
    changes = share / f"doc/{NAME}/changelog"
    changes.write_text(_changes(version), encoding="utf-8")
    watched(["gzip", "-9n", changes], "Packing the changes.")
    _copy(LINUX / "lintian-overrides", share / f"lintian/overrides/{NAME}")
    manual = share / "man/man1/attn-gui.1"
    _copy(LINUX / "attn-gui.1", manual)
    watched(["gzip", "-9n", manual], "Packing the manual.")
    _complete(inside / NAME, tree)
    icon = ROOT / "resources/icons/program/attn-gui.svg"
    for kind in ("apps/attn-gui", "mimetypes/application-x-attn"):
        _copy(icon, share / f"icons/hicolor/scalable/{kind}.svg")
        for side in SIZES:
            _draw(icon, side, share / f"icons/hicolor/{side}x{side}/{kind}.png")


def _complete(program: Path, tree: Path) -> None:
    """Write what completes the command line in bash and zsh, by the program itself."""
    for shell, place in (("bash", f"bash-completion/completions/{NAME}"), ("zsh", f"zsh/vendor-completions/_{NAME}")):
        target = tree / "usr/share" / place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(subprocess.check_output([program, "completion", shell], text=True), encoding="utf-8")
        target.chmod(0o644)


def _changes(version: str) -> str:
    """Return the changelog in Debian's form: the version, its date and who packs it; what changed is in
    CHANGELOG.md."""
    info = ElementTree.parse(LINUX / "attn-gui.metainfo.xml").find("releases/release")
    assert info is not None
    day = datetime.fromisoformat(info.attrib["date"]).replace(tzinfo=UTC)
    packer = (LINUX / "control").read_text(encoding="utf-8").partition("Maintainer: ")[2].partition("\n")[0]
    return f"{NAME} ({version}) stable; urgency=low\n\n  * {version}.\n\n -- {packer}  {format_datetime(day)}\n"


def _leave_to_the_system(inside: Path) -> None:
    """Remove the libraries that the package depends on, and what only those need: the system keeps its own safe."""
    for name in _wanted():
        (inside / "_internal" / name).unlink(missing_ok=True)
    drop_unreached(inside, [inside / NAME])


def _wanted() -> dict[str, Any]:
    """Return the system libraries that Qt needs, with their packages."""
    known = libraries(ROOT)
    return {**known.DRAWING, **known.X11, **known.WAYLAND}


def _control(tree: Path, version: str, machine: str) -> None:
    names = sorted({f"{entry.debian} | {entry.debian}t64" for entry in _wanted().values()})  # renamed in 2024
    kibibytes = sum(path.lstat().st_size for path in tree.rglob("*")) >> 10  # a link is as large as its text
    text = (LINUX / "control").read_text(encoding="utf-8")
    control = tree / "DEBIAN/control"
    control.parent.mkdir(mode=0o755)
    control.write_text(text.format(version=version, machine=machine, size=kibibytes, libraries=", ".join(names)))


def _validate(tree: Path) -> None:
    for tool, files in CHECKS.items():
        if shutil.which(tool) is None:
            say(f"Not checked, since {tool} is not installed: {', '.join(Path(file).name for file in files)}")
            continue
        for file in files:
            watched([tool, *OPTIONS.get(tool, ()), tree / file], f"Checking {Path(file).name} with {tool}.")


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(0o644)


def _link(path: Path, target: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


def _draw(icon: Path, side: int, target: Path) -> None:
    """Draw the icon in pixels, by the Qt of the set-up."""
    from PySide6.QtCore import Qt
    from PySide6.QtGui import QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    target.parent.mkdir(parents=True, exist_ok=True)
    image = QImage(side, side, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(str(icon)).render(painter)
    painter.end()
    if not image.save(str(target)):
        raise Trouble(f"{target.name} cannot be written.")
