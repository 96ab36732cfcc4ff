"""Native files of a collected folder: drop what nothing loads, and what only the builder or a debugger needs.

Reads them with readelf and strip (binutils) and changes search paths with patchelf.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

MAGIC = b"\x7fELF"


def slim(folder: Path, programs: Iterable[Path], patchelf: Path) -> list[str]:
    """Drop what nothing reaches, strip the rest and forget the builder's folders; return the dropped names.

    `programs` are left as they are: PyInstaller appends an archive to them, which strip would cut off.
    """
    removed = drop_unreached(folder, programs)
    for path in natives_of(folder) - set(programs):
        if not path.parent.name.endswith(".libs"):  # patchelf moved parts of those in wheels: strip would break them
            subprocess.run(["strip", "--strip-unneeded", path], check=True)
        if any(os.path.isabs(place) for place in search_paths(path)):  # a folder of the builder, written over
            subprocess.run([patchelf, "--set-rpath", "$ORIGIN", path], check=True)
        path.chmod(0o644)
    return removed


def drop_unreached(folder: Path, programs: Iterable[Path]) -> list[str]:
    """Remove the libraries that no program, extension or plugin reaches, and links to them; return their names."""
    natives = natives_of(folder)
    dropped = sorted(natives - reached(folder, natives, programs))
    for path in dropped:
        path.unlink()
    for link in [path for path in folder.rglob("*") if path.is_symlink() and not path.exists()]:
        link.unlink()
    return [path.name for path in dropped]


def natives_of(folder: Path) -> set[Path]:
    """Return every ELF file of a folder; links to one are none."""
    return {path for path in folder.rglob("*") if is_native(path)}


def is_native(path: Path) -> bool:
    """Return whether a path is an ELF file itself; a link to one is not."""
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def reached(folder: Path, natives: set[Path], programs: Iterable[Path]) -> set[Path]:
    """Return the files that are loaded: by name, as extensions and plugins are, or because a loaded one needs them."""
    by_name = {path.name: path for path in natives}
    by_name |= {path.name: path.resolve() for path in folder.rglob("*.so*") if path.is_symlink()}
    found, left = set[Path](), [*programs, *(path for path in natives if is_loaded_by_name(path))]
    while left:
        path = left.pop()
        if path not in found:
            found.add(path)
            left += [by_name[name] for name in needed(path) if name in by_name]
    return found


def is_loaded_by_name(path: Path) -> bool:
    """Return whether Python imports a file as an extension, or Qt finds it as a plugin; libpython is opened by the
    program."""
    extension = re.search(r"\.(cpython-\w+|abi3)[\w-]*\.so$", path.name) or path.parent.name == "lib-dynload"
    return bool(extension) or "plugins" in path.parts or path.name.startswith("libpython")


def needed(path: Path) -> list[str]:
    """Return the names of the libraries that a native file asks the loader for."""
    return re.findall(r"\(NEEDED\).*\[(.+?)\]", _dynamic(path))


def search_paths(path: Path) -> list[str]:
    """Return the folders in which a native file has the loader look first."""
    return [
        place for line in re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*?)\]", _dynamic(path)) for place in line.split(":")
    ]


def _dynamic(path: Path) -> str:
    return subprocess.run(["readelf", "-dW", path], capture_output=True, text=True, check=True).stdout
