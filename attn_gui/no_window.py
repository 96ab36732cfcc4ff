"""Why no window can open: no display (QT_QPA_PLATFORM, ssh) or libraries missing; all of them in one sentence. Qt
itself would abort with a core dump. Imports no Qt."""

from __future__ import annotations

import os
import re
import socket
import sys
from collections.abc import Mapping
from contextlib import suppress

from attn_gui.libraries import DRAWING, WAYLAND, X11, Libraries, complaint, missing

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
