"""The command line and Python on a machine without Qt's libraries: one sentence and a line to paste, never an abort."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from attn_gui import libraries, no_window
from attn_gui.paths import resource
from tests.failing import each

ROOT = Path(__file__).resolve().parents[1]
WORKED = str(resource("examples", "worked-example.npz"))
BARE = """
import sys
sys.platform = "linux"
from attn_gui import libraries
libraries.loads = lambda library: library not in {lacking!r}
libraries.shutil.which = lambda name: "/usr/bin/apt-get" if name == "apt-get" else None
libraries.os.geteuid = lambda: 1000
{code}
"""
RUN = "from attn_gui.cli import main; code = main({words!r}); assert 'PySide6' not in sys.modules; sys.exit(code)"


def without(lacking: set[str], code: str) -> subprocess.CompletedProcess[str]:
    source = BARE.format(lacking=lacking, code=code)
    return subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, cwd=ROOT, timeout=300)


@each("words", [[], [WORKED], ["export", WORKED, "-o", "nowhere"]])
def test_without_them_the_command_line_gives_the_line_to_paste(words: list[str]) -> None:
    done = without({"libGL.so.1", "libglib-2.0.so.0"}, RUN.format(words=words))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "attn-gui: Some system packages are missing. Paste this line, then try again:\n\n  sudo apt-get update && "
        "sudo apt-get install -y --no-install-recommends libgl1 libglib2.0-0\n\n"
    )


def test_what_needs_no_qt_needs_no_library() -> None:
    done = without(set(libraries.DRAWING), RUN.format(words=["verify", WORKED]))
    assert done.returncode == 0, done.stderr


@each("name", ["explore", "render"])
def test_without_them_python_is_told_too(name: str) -> None:
    done = without({"libEGL.so.1"}, f"import attn_gui; attn_gui.{name}")
    assert done.returncode == 1
    assert "ImportError: Some system packages are missing" in done.stderr
    assert " libegl1\n" in done.stderr


@each(
    ("environment", "lacking", "named"),
    [
        ({"DISPLAY": ":0"}, "libxcb-cursor.so.0", "libxcb-cursor0"),
        ({"DISPLAY": ":0"}, "libwayland-egl.so.1", None),
        ({"WAYLAND_DISPLAY": "w"}, "libwayland-cursor.so.0", "libwayland-cursor0"),
        ({"WAYLAND_DISPLAY": "w"}, "libxcb-cursor.so.0", None),
        ({"WAYLAND_DISPLAY": "w", "DISPLAY": ":0"}, "libxcb-cursor.so.0", None),
        ({"WAYLAND_DISPLAY": "w", "DISPLAY": ":0", "QT_QPA_PLATFORM": "xcb"}, "libxcb-cursor.so.0", "libxcb-cursor0"),
        ({"QT_QPA_PLATFORM": "offscreen"}, "libxcb-cursor.so.0", None),
        ({"DISPLAY": ":0"}, "libGL.so.1", "libgl1"),
        ({"QT_QPA_PLATFORM": "offscreen"}, "libGL.so.1", "libgl1"),
    ],
)
def test_a_window_needs_the_libraries_of_its_display(monkeypatch, environment, lacking, named) -> None:
    """Without those of X11 Qt would abort."""
    monkeypatch.setattr(no_window.sys, "platform", "linux")
    monkeypatch.setattr(no_window, "missing_display", lambda environment: None)
    monkeypatch.setattr(libraries, "loads", lambda library: library != lacking)
    monkeypatch.setattr(libraries.shutil, "which", lambda name: name if name == "apt-get" else None)
    reason = no_window.obstacle(environment)
    assert reason is None if named is None else reason.endswith(f" {named}\n")


def test_all_that_is_missing_is_asked_for_at_once(monkeypatch) -> None:
    monkeypatch.setattr(no_window.sys, "platform", "linux")
    monkeypatch.setattr(no_window, "missing_display", lambda environment: None)
    monkeypatch.setattr(libraries, "loads", lambda library: library not in ("libGL.so.1", "libxcb-cursor.so.0"))
    monkeypatch.setattr(libraries.shutil, "which", lambda name: name if name == "apt-get" else None)
    assert no_window.obstacle({"DISPLAY": ":0"}).endswith(" libgl1 libxcb-cursor0\n")
