"""System libraries that Qt needs: which are missing, their packages, the line that installs them. pip cannot install
them.

Standard library only, for it is asked before Qt is imported; packaging/checkout.py reads this very file by its path.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import sys
from collections.abc import Iterable
from typing import NamedTuple


class Packages(NamedTuple):
    """The packages that bring a library on Debian and Arch, and their kin; rpm finds them by the library's name."""

    debian: str
    arch: str


Libraries = dict[str, Packages]

DRAWING: Libraries = {
    "libGL.so.1": Packages("libgl1", "libglvnd"),
    "libEGL.so.1": Packages("libegl1", "libglvnd"),
    "libxkbcommon.so.0": Packages("libxkbcommon0", "libxkbcommon"),
    "libdbus-1.so.3": Packages("libdbus-1-3", "dbus"),
    "libfontconfig.so.1": Packages("libfontconfig1", "fontconfig"),
    "libglib-2.0.so.0": Packages("libglib2.0-0", "glib2"),
}
X11: Libraries = {
    "libxcb-cursor.so.0": Packages("libxcb-cursor0", "xcb-util-cursor"),
    "libxcb-icccm.so.4": Packages("libxcb-icccm4", "xcb-util-wm"),
    "libxcb-keysyms.so.1": Packages("libxcb-keysyms1", "xcb-util-keysyms"),
    "libxcb-shape.so.0": Packages("libxcb-shape0", "libxcb"),
    "libxcb-xkb.so.1": Packages("libxcb-xkb1", "libxcb"),
    "libxcb-image.so.0": Packages("libxcb-image0", "xcb-util-image"),
    "libxcb-render-util.so.0": Packages("libxcb-render-util0", "xcb-util-renderutil"),
    "libxkbcommon-x11.so.0": Packages("libxkbcommon-x11-0", "libxkbcommon-x11"),
}
WAYLAND: Libraries = {
    "libwayland-client.so.0": Packages("libwayland-client0", "wayland"),
    "libwayland-cursor.so.0": Packages("libwayland-cursor0", "wayland"),
    "libwayland-egl.so.1": Packages("libwayland-egl1", "wayland"),
}
COLLECTING: Libraries = {"libgssapi_krb5.so.2": Packages("libgssapi-krb5-2", "krb5")}
"""Qt's lupdate, by which a test collects all texts of the program."""

MANAGERS = {
    "apt-get": ("apt-get", "install", "-y", "--no-install-recommends"),
    "dnf": ("dnf", "install", "-y"),
    "zypper": ("zypper", "install", "-y"),
    "pacman": ("pacman", "-S", "--needed"),
}
VENV = {"dnf": "python3-pip", "zypper": "python3-pip", "pacman": "python"}
"""Package that brings Python's own venv where it is split off; Debian has one for each Python."""


def missing(libraries: Iterable[str]) -> list[str]:
    """Return the libraries that the loader does not find; other systems than Linux bring theirs along."""
    return [name for name in libraries if sys.platform == "linux" and not loads(name)]


def loads(library: str) -> bool:
    """Return whether the loader finds a library."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def complaint(libraries: Libraries) -> str | None:
    """Return one sentence on those that are missing, and the line to paste below it; None if all are there."""
    lacking = missing(libraries)
    return asking(lacking, install_command(lacking, libraries)) if lacking else None


def asking(lacking: list[str], command: list[str] | None) -> str:
    """Return a sentence that asks for what is missing, with the line to paste if the packages are known."""
    if command is None:
        return f"These system libraries are missing: {', '.join(lacking)}."
    first = f"{_sudo()}apt-get update && " if command[0] == "apt-get" else ""
    line = " ".join(f"'{word}'" if "(" in word else word for word in command)
    return f"Some system packages are missing. Paste this line, then try again:\n\n  {first}{_sudo()}{line}\n"


def install_command(lacking: Iterable[str], libraries: Libraries, *, venv: bool = False) -> list[str] | None:
    """Return the command that installs libraries, and Python's venv if asked.

    None where no package manager is known.
    """
    manager = next((name for name in MANAGERS if shutil.which(name)), None)
    if manager is None:
        return None
    packages = [_package(manager, name, libraries[name]) for name in lacking]
    tools = [VENV.get(manager, f"python3.{sys.version_info[1]}-venv")] if venv else []
    return [*MANAGERS[manager], *dict.fromkeys(packages + tools)]


def _package(manager: str, library: str, packages: Packages) -> str:
    named = {"apt-get": packages.debian, "pacman": packages.arch}
    return named.get(manager, f"{library}()(64bit)")


def _sudo() -> str:
    return "" if hasattr(os, "geteuid") and os.geteuid() == 0 else "sudo "
