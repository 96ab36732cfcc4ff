"""Set up the .venv of this checkout, then run the program, its tests, bench or soak in it; dev.py hands over to it.

Standard library only. On Linux it looks for the system libraries that Qt needs: as root with apt it installs them,
else it prints the line to paste. Packages come by uv where that is at hand, else by pip.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from types import ModuleType
from typing import IO, Any

import compile_translations
from steps import Trouble, clean_environment, quiet, say, watched

ROOT = Path(__file__).resolve().parents[1]
CONSTRAINTS = Path("packaging", "constraints.txt")
BUILD = ROOT / "packaging" / "installers" / "build.py"
QT = "PySide6-Essentials"
COMMANDS: dict[str, tuple[str, ...]] = {
    "app": ("-m", "attn_gui"),
    "test": ("-m", "pytest"),
    "bench": (
        "-m",
        "pytest",
        "tests/bench",
        "-q",
        "-n0",
        "--timeout=1800",
        "--benchmark-columns=median",
        "-o",
        "python_files=bench_*.py",
        "-o",
        "python_functions=bench_*",
    ),
    "wheel": (str(BUILD), "wheel"),
    "bundle": (str(BUILD), "bundle"),
    "deb": (str(BUILD), "deb"),
    "soak": (
        "-m",
        "pytest",
        "tests/journeys/soak/long_walk.py",
        "-q",
        "-n0",
        "-s",
        "-o",
        "python_files=long_walk.py",
        "-o",
        "python_functions=walk_*",
    ),
    "kills": ("-m", "pytest", "tests/journeys/kills/test_kills.py", "-q", "-n0", "--kills=1000"),
    "mutations": ("-m", "pytest", "tests/mutations", "-q", "--inputs=1000000"),
}
TESTING = ("test", "bench", "soak", "kills", "mutations")
"""Commands that need the test tools, and no screen."""
BY_SH = rb"#!/bin/sh\n'''exec' " + rb'"\1" "$0" "$@"' + rb"\n' '''\n"
"""A first line that may have blanks in it: sh reads it as a command, Python as a text."""
HAS_ALL = """
import importlib.metadata as installed, pathlib, re, sys, attn_gui
assert pathlib.Path(attn_gui.__file__).parents[1] == pathlib.Path(sys.argv[1])
for line in installed.requires("attn-gui"):
    if "extra" not in line or any(extra in line.partition("extra")[2] for extra in sys.argv[2].split(",")):
        installed.version(re.match(r"[\\w.-]+", line)[0])
"""


def main(words: list[str], usage: str, fits: str) -> int:
    """Run one of the commands; an exit code only where that could not be begun.

    `fits` is Python code that exits with 0 on the Pythons that the program runs on.
    """
    if not words or words[0] not in COMMANDS:
        say(usage)
        return 2
    command, arguments = words[0], words[1:]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that a step is ended with us
    checkout = Checkout(ROOT, fits, tests=command in TESTING)
    try:
        checkout.prepare()
        return checkout.run(command_line(command, arguments))
    except (Trouble, OSError) as trouble:  # such as a disk that is full or may not be written to
        say(str(trouble))
        return 1
    except KeyboardInterrupt:
        say("\nStopped; the same command goes on from here.")
        return 130


def command_line(command: str, arguments: list[str]) -> list[str]:
    """Return what Python is called with; files or folders of tests that are named take the place of a command's own."""
    named = any(word.startswith("tests") and (ROOT / word.partition("::")[0]).exists() for word in arguments)
    return [word for word in COMMANDS[command] if not (named and word.startswith("tests/"))] + arguments


class Checkout:
    """A folder with the sources, and its .venv with what they need: the test tools too, or not."""

    def __init__(self, root: Path, fits: str, *, tests: bool) -> None:
        self.root, self.tests, self._fits = root, tests, fits
        self.venv = root / ".venv"
        self.python = self.venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        self.stamp = self.venv / "attn-gui-installed"

    @property
    def extras(self) -> str:
        """Extras of the package that are installed: what whoever runs the program may need, or the tests."""
        return "test" if self.tests else "models,xlsx"

    def prepare(self) -> None:
        """Bring everything that is missing; nothing is done, and nothing said, where nothing is."""
        with locked(self.root) or nullcontext():
            works = self._works()
            if works:
                self._heal()
            ready = works and self._is_installed()
            self._bring_libraries(venv=not (ready or found_uv() or importlib.util.find_spec("ensurepip")))
            if not ready:
                self._install(anew=not works)
            self._compile_texts()

    def run(self, arguments: list[str]) -> int:
        """Become the .venv's Python, so that signals and exit codes are its own; where that cannot be, its code."""
        environment = clean_environment()
        if self.tests:
            os.chdir(self.root)
            environment["QT_QPA_PLATFORM"] = "offscreen"
        if os.name != "nt":
            os.execve(self.python, [str(self.python), *arguments], environment)
        return subprocess.call([self.python, *arguments], env=environment)

    # --- what is there -----------------------------------------------------------------------------
    def _works(self) -> bool:
        """Return whether the Python of .venv runs, is still the one that it was made with, and one that fits."""
        try:
            made = re.search(r"^version(?:_info)? *= *(\d+\.\d+)", (self.venv / "pyvenv.cfg").read_text(), re.M)
            ask = [self.python, "-Ic", f"import sysconfig; print(sysconfig.get_python_version()); {self._fits}"]
            found = subprocess.run(ask, capture_output=True, text=True, check=True).stdout.strip()
        except (OSError, subprocess.SubprocessError):
            return False
        return made is not None and made[1] == found

    def _is_installed(self) -> bool:
        if not self.stamp.exists():  # made by uv itself
            return quiet([self.python, "-Ic", HAS_ALL, str(self.root), self.extras])
        noted = self._noted()
        return noted["wanted"] == self._wanted() and (noted["tests"] or not self.tests)

    def _noted(self) -> dict[str, Any]:
        nothing = {"root": "", "wanted": "", "tests": False}
        try:
            return nothing | json.loads(self.stamp.read_text(encoding="utf-8"))
        except (OSError, ValueError, TypeError):
            return nothing

    def _note(self, wanted: str) -> None:
        note = {"root": str(self.root), "wanted": wanted, "tests": self.tests}
        self.stamp.write_text(json.dumps(note), encoding="utf-8")

    def _wanted(self) -> str:
        files = (self.root / "pyproject.toml", self.root / CONSTRAINTS)
        return hashlib.sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()

    # --- what is done ------------------------------------------------------------------------------
    def _bring_libraries(self, *, venv: bool) -> None:
        """Bring everything that pip cannot install: as root with apt installed now, else asked for."""
        known = libraries(self.root)
        wanted = known.DRAWING | (known.COLLECTING if self.tests else known.X11 | known.WAYLAND)
        lacking = known.missing(wanted)
        if not (lacking or venv):
            return
        install = known.install_command(lacking, wanted, venv=venv)
        named = [*lacking, *(["ensurepip"] if venv else [])]
        if install is None or install[0] != "apt-get" or os.geteuid() != 0:
            raise Trouble(known.asking(named, install))
        os.environ["DEBIAN_FRONTEND"] = "noninteractive"
        update = ["apt-get", "update", "-o", "APT::Update::Error-Mode=any"]
        unreached = tried(update, "Asking which packages this system has (apt-get update).")
        wait = ("-o", "DPkg::Lock::Timeout=600")
        task = f"Installing what is missing for Qt and .venv with apt-get: {', '.join(named)}."
        if failed := tried([*install, *wait], task):
            raise unreached or failed  # a source that is not reached may not be needed

    def _heal(self) -> None:
        """Write the place of the folder anew where the old one stands: scripts, activation, links to the sources."""
        old, new = self._noted()["root"], str(self.root)
        if os.name == "nt" or old in ("", new):
            return
        say(f"This folder was {old} when .venv was made; its scripts are led here.")
        for path in [
            *self.venv.glob("bin/*"),
            *self.venv.glob("lib/*/site-packages/*.pth"),
            *self.venv.glob("*.cfg"),
            *self.venv.glob("lib/*/site-packages/*.dist-info/direct_url.json"),
        ]:
            if path.is_file() and not path.is_symlink():
                lead_here(path, old, new)
        self.stamp.write_text(json.dumps(self._noted() | {"root": new}), encoding="utf-8")

    def _install(self, *, anew: bool) -> None:
        uv = found_uv()
        if anew:
            self._make(uv)
        self._note(wanted="")  # what is stopped half way is not installed
        tool = [uv, "pip", "install", "--python", self.python] if uv else self._pip()
        wanted = f"{self.root}[{self.extras}]"
        what = "the program with its test tools (0.5 GB)" if self.tests else "the program (0.35 GB)"
        bring, by = [*tool, "-c", self.root / CONSTRAINTS], "uv" if uv else "pip"
        if compile_translations.stale(self.root):  # compiled first: else the build would bring Qt once more, for itself
            watched([*bring, QT], f"Installing Qt into .venv with {by}.")
            self._compile_texts()
        watched([*bring, "-e", wanted], f"Installing {what} into .venv with {by}; this is done once.")
        self._note(self._wanted())

    def _compile_texts(self) -> None:
        if compile_translations.stale(self.root):
            watched([self.python, self.root / "packaging" / "compile_translations.py"], "Compiling the Chinese texts.")

    def _make(self, uv: str | None) -> None:
        if self.venv.exists():
            say(".venv has no Python that fits (it was upgraded, or the set-up stopped half way); it is made anew.")
            shutil.rmtree(self.venv)
        base = getattr(sys, "_base_executable", sys.executable)  # never the .venv's own
        tool = [uv, "venv", "-q", "--python", base] if uv else [base, "-m", "venv"]
        watched([*tool, self.venv], "Making .venv.")

    def _pip(self) -> list[str | Path]:
        pip = [self.python, "-m", "pip", "--disable-pip-version-check"]
        if not quiet([*pip, "--version"]):
            watched([self.python, "-m", "ensurepip"], "Bringing pip into .venv.")  # uv makes it without
        return [*pip, "install", "--no-user", "--retries", "2"]


def lead_here(path: Path, old: str, new: str) -> None:
    """Replace a folder's old place by its new one in a small file; a script whose place has blanks goes by sh."""
    before = path.read_bytes() if path.stat().st_size < 100_000 else b""
    places = {os.fsencode(old): os.fsencode(new), Path(old).as_uri().encode(): Path(new).as_uri().encode()}
    either = b"|".join(map(re.escape, places))
    after = re.sub(rb'(%b)(?=/\.venv|["\r\n]|\Z)' % either, lambda found: places[found[1]], before)
    after = re.sub(rb"\A#!(/[^\n]* [^\n]*)\n", BY_SH, after)
    if after != before:
        path.write_bytes(after)


def locked(root: Path) -> IO[str] | None:
    """Wait until no other set-up of the same checkout is under way; the lock ends with what is returned."""
    try:
        import fcntl

        held = (root / "pyproject.toml").open()
    except (ImportError, OSError):
        return None
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        say("Waiting for another set-up of this folder to end.")
        fcntl.flock(held, fcntl.LOCK_EX)
    except OSError:  # some file systems have none
        held.close()
        return None
    return held


def tried(command: list[Any], task: str) -> Trouble | None:
    """Run a step and return what went wrong, if anything did."""
    try:
        watched(command, task)
    except Trouble as trouble:
        return trouble
    return None


def libraries(root: Path) -> ModuleType:
    """Return the program's own list of system libraries, read without the package around it."""
    spec = importlib.util.spec_from_file_location("attn_gui_libraries", root / "attn_gui" / "libraries.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def found_uv() -> str | None:
    """Return the path of uv if it is there and runs."""
    uv = shutil.which("uv")
    return uv if uv and quiet([uv, "--version"]) else None
