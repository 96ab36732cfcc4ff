"""Run the program or its tests from a fresh checkout; everything that is missing is set up first.

    python3 packaging/dev.py app [FILE] [--lang en|zh]
    python3 packaging/dev.py test [arguments for pytest]
    python3 packaging/dev.py bench [arguments for pytest]

Standard library only. Makes .venv beside this folder and installs into it when pyproject.toml has changed. On Linux
it looks for the system libraries that Qt needs: as root with apt it installs them, else it prints the line to paste.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
STAMP = VENV / "attn-gui-installed"
NEEDED = (3, 11)
BENCH = (
    "tests/bench", "-q", "--timeout=1800", "--benchmark-columns=median",
    "-o", "python_files=bench_*.py", "-o", "python_functions=bench_*",
)  # fmt: skip
PIP = ("-m", "pip", "--disable-pip-version-check")

# library: package of Debian and Ubuntu, package of Arch; rpm finds its packages by the library's name
QT = {
    "libGL.so.1": ("libgl1", "libglvnd"),
    "libEGL.so.1": ("libegl1", "libglvnd"),
    "libxkbcommon.so.0": ("libxkbcommon0", "libxkbcommon"),
    "libdbus-1.so.3": ("libdbus-1-3", "dbus"),
    "libfontconfig.so.1": ("libfontconfig1", "fontconfig"),
    "libglib-2.0.so.0": ("libglib2.0-0", "glib2"),
}
WINDOW = {
    "libxcb-cursor.so.0": ("libxcb-cursor0", "xcb-util-cursor"),
    "libxcb-icccm.so.4": ("libxcb-icccm4", "xcb-util-wm"),
    "libxcb-keysyms.so.1": ("libxcb-keysyms1", "xcb-util-keysyms"),
    "libxcb-shape.so.0": ("libxcb-shape0", "libxcb"),
    "libxcb-xkb.so.1": ("libxcb-xkb1", "libxcb"),
    "libxcb-image.so.0": ("libxcb-image0", "xcb-util-image"),
    "libxcb-render-util.so.0": ("libxcb-render-util0", "xcb-util-renderutil"),
    "libxkbcommon-x11.so.0": ("libxkbcommon-x11-0", "libxkbcommon-x11"),
    "libwayland-client.so.0": ("libwayland-client0", "wayland"),
    "libwayland-cursor.so.0": ("libwayland-cursor0", "wayland"),
    "libwayland-egl.so.1": ("libwayland-egl1", "wayland"),
}


def main(words: list[str]) -> int:
    if not words or words[0] not in ("app", "test", "bench"):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    command, arguments = words[0], words[1:]
    if sys.version_info < NEEDED:
        return with_newer_python(words)
    if not system_is_ready({**QT, **WINDOW} if command == "app" else QT):
        return 1
    python = prepared_python()
    if command == "app":
        return run([python, "-m", "attn_gui", *arguments])
    asked = [*BENCH, *arguments] if command == "bench" else arguments
    return run([python, "-m", "pytest", *asked], cwd=ROOT, env={**os.environ, "QT_QPA_PLATFORM": "offscreen"})


def with_newer_python(words: list[str]) -> int:
    """Hand over to a newer Python if this machine has one."""
    for minor in range(20, NEEDED[1] - 1, -1):
        newer = shutil.which(f"python3.{minor}")
        if newer:
            return run([newer, __file__, *words])
    print(f"Python {NEEDED[0]}.{NEEDED[1]} or newer is needed; this is {platform.python_version()}.", file=sys.stderr)
    return 1


def system_is_ready(libraries: dict[str, tuple[str, str]]) -> bool:
    """Whether everything that pip cannot install is there, after installing it where that is possible."""
    missing = missing_libraries(libraries)
    venv = importlib.util.find_spec("ensurepip") is not None
    if venv and not missing:
        return True
    install = install_command(missing, libraries, venv)
    if install is None:
        print(f"Missing on this machine: {', '.join([*missing, *([] if venv else ['ensurepip'])])}", file=sys.stderr)
        return False
    if install[0] == "apt-get" and os.geteuid() == 0:
        env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(["apt-get", "update", "-q"], env=env, check=False)  # an unreachable source may not be needed
        return subprocess.run(install, env=env, check=False).returncode == 0 and not missing_libraries(libraries)
    line = " ".join(f"'{word}'" if "(" in word else word for word in install)
    print(f"Some system libraries are missing. Paste this line, then try again:\n\n  sudo {line}\n", file=sys.stderr)
    return False


def missing_libraries(libraries: dict[str, tuple[str, str]]) -> list[str]:
    """Those that the loader does not find; other systems than Linux bring theirs along."""
    return [name for name in libraries if sys.platform == "linux" and not loads(name)]


def loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def install_command(missing: list[str], libraries: dict[str, tuple[str, str]], venv: bool) -> list[str] | None:
    """The command that installs what is missing with this machine's package manager."""
    debian, arch = ([libraries[name][column] for name in missing] for column in (0, 1))
    by_library = [f"{name}()(64bit)" for name in missing]
    python = [] if venv else [f"python3.{sys.version_info[1]}-venv"]
    pip = [] if venv else ["python3-pip"]
    commands = {
        "apt-get": ["apt-get", "install", "-y", "-q", "--no-install-recommends", *debian, *python],
        "dnf": ["dnf", "install", "-y", *by_library, *pip],
        "zypper": ["zypper", "install", "-y", *by_library, *pip],
        "pacman": ["pacman", "-S", "--needed", *dict.fromkeys(arch), *(["python"] if not venv else [])],
    }
    return next((command for manager, command in commands.items() if shutil.which(manager)), None)


def prepared_python() -> str:
    """The Python of .venv, with the program and its test tools installed as pyproject.toml wants them now."""
    python = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    wanted = hashlib.sha256((ROOT / "pyproject.toml").read_bytes() + str(ROOT).encode()).hexdigest()
    if python.exists() and STAMP.exists() and STAMP.read_text(encoding="utf-8") == wanted:
        return str(python)
    print("Setting up .venv; this takes a minute the first time.", file=sys.stderr, flush=True)
    if not python.exists():
        must([sys.executable, "-m", "venv", "--clear", str(VENV)])
    elif not has_pip(python):
        must([str(python), "-m", "ensurepip"])  # uv makes .venv without pip
    must([str(python), *PIP, "install", "-q", "-e", f"{ROOT}[test]"])
    STAMP.write_text(wanted, encoding="utf-8")
    return str(python)


def has_pip(python: Path) -> bool:
    return subprocess.run([python, *PIP, "--version"], capture_output=True, check=False).returncode == 0


def must(command: list[str]) -> None:
    """Run a step of the set-up, or stop with its exit code."""
    code = run(command)
    if code:
        raise SystemExit(code)


def run(command: list[str], **options: object) -> int:
    """The exit code of a command; what a shell would say if a signal ended it."""
    try:
        code = subprocess.call(command, **options)
    except KeyboardInterrupt:
        return 130
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
