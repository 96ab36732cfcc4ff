"""Reasons why no window could be shown: Qt itself would abort with a core dump. Imports no Qt."""

from __future__ import annotations

import os
import re
import socket
import sys
from collections.abc import Mapping
from contextlib import suppress

from attn_gui.libraries import DRAWING, WAYLAND, X11, Libraries, complaint, missing

_X_DISPLAY = re.compile(r"(?:(?P<host>[^:/]*)(?:/unix)?):(?P<number>\d{1,5})(?:\.\d+)?")
_PATIENCE = 3.0  # seconds for an X server on another machine


def obstacle(environment: Mapping[str, str] = os.environ) -> str | None:
    """One sentence on what keeps a window from opening, the display or libraries; None if it can open."""
    return missing_display(environment) or complaint(DRAWING | _window_libraries(environment))


def missing_display(environment: Mapping[str, str] = os.environ) -> str | None:
    """One sentence that says why no window can open, None if one can; only Linux and its kin can lack a display."""
    if not sys.platform.startswith(("linux", "freebsd")) or _needs_none(environment.get("QT_QPA_PLATFORM", "")):
        return None
    wayland, x_display = environment.get("WAYLAND_DISPLAY"), environment.get("DISPLAY")
    if not wayland and not x_display:
        return "There is no display (DISPLAY and WAYLAND_DISPLAY are not set); “attn-gui export” works without one."
    if (wayland and _answers_wayland(wayland, environment)) or (x_display and _answers_x(x_display)):
        return None
    return f"The display {wayland or x_display} does not answer; “attn-gui export” works without one."


def _window_libraries(environment: Mapping[str, str]) -> Libraries:
    """The libraries that Qt loads for the display in use; where both kinds are there it takes the one that works."""
    forced = environment.get("QT_QPA_PLATFORM", "")
    if _needs_none(forced):
        return {}
    usable = [
        libraries
        for name, variable, libraries in (("wayland", "WAYLAND_DISPLAY", WAYLAND), ("xcb", "DISPLAY", X11))
        if environment.get(variable) and (name in forced or not forced)
    ]
    return min(usable, key=lambda libraries: len(missing(libraries)), default={})


def _needs_none(platforms: str) -> bool:
    """Whether Qt is told of a platform that draws elsewhere, as offscreen; `xcb;wayland:option` are tried in turn."""
    names = {platform.partition(":")[0] for platform in platforms.split(";")}
    return bool(names - {"", "xcb", "wayland", "wayland-egl"})


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
