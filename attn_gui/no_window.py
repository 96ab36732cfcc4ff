"""Reasons why no window could be shown, where Qt would abort with a core dump: libraries that are missing, no display.

Imports no Qt."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import socket
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import NamedTuple

# --- libraries of the system, which pip cannot install: which are missing, and the line that installs them ---
#
# Standard library only, for it is asked before Qt is imported; packaging/checkout.py reads this very file by its path.


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


# --- reasons ---------------------------------------------------------------------------------------
DRAWN_ELSEWHERE = frozenset({"offscreen", "vnc"})
"""Platforms of Qt on which a window opens everywhere."""

ON_DISPLAYS = frozenset({"", "wayland", "wayland-egl", "xcb"})
"""Those that need a display; without a name Qt takes one of them."""

ON_DEVICES = {"eglfs": "/dev/dri", "minimalegl": "/dev/dri", "vkkhrdisplay": "/dev/dri", "linuxfb": "/dev/fb0"}
"""Those that draw on a device, without which Qt aborts or has no screen."""

_X_DISPLAY = re.compile(r"(?:(?P<host>[^:/]*)(?:/unix)?):(?P<number>\d{1,5})(?:\.\d+)?")
_PATIENCE = 3.0  # seconds for an X server on another machine


def obstacle(environment: Mapping[str, str] = os.environ) -> str | None:
    """Return one sentence on what keeps a window from opening, the display or libraries; None if it can open."""
    return missing_display(environment) or complaint(DRAWING | _window_libraries(environment))


def missing_display(environment: Mapping[str, str] = os.environ) -> str | None:
    """Return one sentence that says why no window can open, None if one can.

    Only Linux and its kin can lack a display.
    """
    platforms = _platforms(environment)
    if not sys.platform.startswith(("linux", "freebsd")) or _needs_none(platforms):
        return None
    if not platforms & ON_DISPLAYS:
        expected = ", ".join(sorted((ON_DISPLAYS | DRAWN_ELSEWHERE) - {""}))
        return (
            f"QT_QPA_PLATFORM is “{environment['QT_QPA_PLATFORM']}”, which shows no window here; expected {expected}."
        )
    wayland, x_display = environment.get("WAYLAND_DISPLAY"), environment.get("DISPLAY")
    if not wayland and not x_display:
        return "There is no display (DISPLAY and WAYLAND_DISPLAY are not set); “attn-gui export” works without one."
    if (wayland and _answers_wayland(wayland, environment)) or (x_display and _answers_x(x_display)):
        return None
    return f"The display {wayland or x_display} does not answer; “attn-gui export” works without one."


def _window_libraries(environment: Mapping[str, str]) -> Libraries:
    """Return the libraries that Qt loads for the display in use.

    Where both kinds are there it takes the one that works.
    """
    forced = _platforms(environment) - {""}
    if _needs_none(forced):
        return {}
    usable = [
        libraries
        for name, variable, libraries in (("wayland", "WAYLAND_DISPLAY", WAYLAND), ("xcb", "DISPLAY", X11))
        if environment.get(variable) and (not forced or any(each.startswith(name) for each in forced))
    ]
    return min(usable, key=lambda libraries: len(missing(libraries)), default={})


def _platforms(environment: Mapping[str, str]) -> set[str]:
    """Return the platforms named in QT_QPA_PLATFORM, such as `xcb;wayland:option`, without their options."""
    return {platform.partition(":")[0] for platform in environment.get("QT_QPA_PLATFORM", "").split(";")}


def _needs_none(platforms: set[str]) -> bool:
    """Return whether one of these platforms needs no display."""
    return bool(platforms & DRAWN_ELSEWHERE) or any(os.path.exists(ON_DEVICES.get(name, "")) for name in platforms)


def _answers_wayland(name: str, environment: Mapping[str, str]) -> bool:
    return _connects(socket.AF_UNIX, os.path.join(environment.get("XDG_RUNTIME_DIR", ""), name))


def _answers_x(name: str) -> bool:
    found = _X_DISPLAY.fullmatch(name)
    if found is None:
        return name.startswith("/") and _connects(socket.AF_UNIX, name.rpartition(":")[0])  # launchd sockets
    number = int(found["number"])
    if found["host"] not in ("", "unix"):
        return _connects(socket.AF_INET, (found["host"], 6000 + number))
    path = f"/tmp/.X11-unix/X{number}"
    return _connects(socket.AF_UNIX, path) or _connects(socket.AF_UNIX, f"\0{path}")


def _connects(family: socket.AddressFamily, address: str | tuple[str, int]) -> bool:
    with suppress(OSError, OverflowError, UnicodeError), socket.socket(family, socket.SOCK_STREAM) as end:
        end.settimeout(_PATIENCE)
        end.connect(address)
        return True
    return False
