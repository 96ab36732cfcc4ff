"""Licenses of what the collected folder holds: every file belongs to a row of resources/NOTICE.md, its text is there.

Files of wheels belong to the wheel; files of the system to the Debian package that dpkg names; the rest is Python's.
"""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import NamedTuple

from steps import Trouble

ROOT = Path(__file__).resolve().parents[2]
NOTICE = ROOT / "resources" / "NOTICE.md"
COMMON = Path("/usr/share/common-licenses")
COMMON_TEXTS = {"LGPL 3.0": ("LGPL-3", "GPL-3"), "Apache License 2.0": ("Apache-2.0",)}
"""Texts of the licenses of wheels that carry none; LGPL 3 is written as additions to GPL 3."""
COPYLEFT = re.compile(r"(?<!L)GPL(?!.*Exception)")
"""Licenses under which the whole folder would have to be given away."""


class Part(NamedTuple):
    """A package of others in the folder: what it is called, its license, the files that hold the text."""

    name: str
    license: str
    texts: tuple[Path, ...]


def write_notices(folder: Path, work: Path, site: Path) -> list[Part]:
    """Write the text of every license in the folder to `licenses/`; return the parts.

    `work` is where PyInstaller left its lists of what it took, `site` the site-packages that it took them from. Raises
    Trouble where a file belongs to no row of NOTICE.md, its license is the GPL, or its text is not on this machine.
    """
    parts = {part.name: part for part in _parts(folder, work, site)}
    target = folder / "licenses"
    shutil.copytree(ROOT / "resources" / "fonts", target / "fonts", ignore=shutil.ignore_patterns("*.[ot]tf"))
    shutil.copy(NOTICE, target)
    for part in parts.values():
        place = target / part.name
        place.mkdir(exist_ok=True)
        for number, text in enumerate(part.texts):
            shutil.copy(text, place / (f"{number}-{text.name}" if (place / text.name).exists() else text.name))
    return [parts[name] for name in sorted(parts, key=str.lower)]


def rows(heading: str) -> dict[str, str]:
    """Return the license of every name in the first column of a table of NOTICE.md, the name in small letters."""
    table = NOTICE.read_text(encoding="utf-8").partition(heading)[2].partition("\n\n\n")[0].partition("\n## ")[0]
    found = re.findall(r"^\| (.+?) \|(?: .+? \|)* (.+?) \|$", table, re.M)
    return {name.strip(" `").lower(): license_ for names, license_ in found for name in re.split(",| and ", names)}


def library_license(library: str) -> str:
    """Return the license of a system library, named as `libz.so.1`. Raises Trouble without a row, or for the GPL."""
    known = rows("## Libraries of the system")
    name = library.partition(".so")[0].lower()
    if name not in known:
        raise Trouble(f"{library} would be shipped, and no line of resources/NOTICE.md names it.")
    if COPYLEFT.search(known[name]):
        raise Trouble(f"{library} is under {known[name]}: the folder may not hold it.")
    return known[name]


def _parts(folder: Path, work: Path, site: Path) -> Iterator[Part]:
    owners = {site / file: each for each in distributions(path=[str(site)]) for file in each.files or ()}
    python = Path(sys.base_prefix)
    for name, source in _taken(folder, work):
        if source in owners:
            yield _of_wheel(owners[source])
        elif source.is_relative_to(python):
            yield Part("Python", "PSF License", tuple(python.glob("lib/python3.*/LICENSE.txt")))
        elif name.startswith("lib") and ".so" in name:
            yield _of_system(name, source)


def _taken(folder: Path, work: Path) -> Iterator[tuple[str, Path]]:
    """(name, source) of every file that PyInstaller put into the folder and is still there, and of every module."""
    for toc, inside in ((work / "COLLECT-00.toc", True), (work / "PYZ-00.toc", False)):
        for group in ast.literal_eval(toc.read_text(encoding="utf-8")):
            for entry in group if isinstance(group, list) else ():
                name, source, kind = entry[:3]
                if kind == "SYMLINK" or (inside and not (folder / "_internal" / name).exists()):
                    continue
                yield name, Path(source)


def _of_wheel(wheel: Distribution) -> Part:
    name = wheel.metadata["Name"]
    known = rows("## Installed beside it") | rows("## In the folder") | {"attn-gui": "MIT"}
    plain = name.lower().replace("_", "-")
    found = next((text for row, text in known.items() if row.replace("_", "-").split(" ")[0] == plain), None)
    if found is None:
        raise Trouble(f"{name} would be shipped, and no line of resources/NOTICE.md names it.")
    own = [file for file in wheel.files or () if re.search(r"licen[cs]e|copying|notice", file.name, re.I)]
    texts = [Path(str(wheel.locate_file(file))) for file in own if ".dist-info" in str(file)]
    texts = texts or [COMMON / text for start, names in COMMON_TEXTS.items() if start in found for text in names]
    if not texts:
        raise Trouble(f"{name} carries no text of its license, {found}.")
    return Part(name, found, tuple(texts))


def _of_system(name: str, source: Path) -> Part:
    asked = [source, Path("/usr", *source.parts[1:]), source.resolve()]  # dpkg knows one name of merged folders
    for path in asked:
        said = subprocess.run(["dpkg", "-S", path], capture_output=True, text=True, check=False).stdout
        if said:
            package = said.partition(":")[0]
            text = Path("/usr/share/doc", package, "copyright")
            return Part(package, library_license(name), (text,))
    raise Trouble(f"dpkg does not know which package {source} is of, so that its license is not known.")


def debian_copyright(parts: list[Part]) -> str:
    """Return the `copyright` of the Debian package: the program's license, and where those of the parts are."""
    own = (ROOT / "packaging" / "LICENSE").read_text(encoding="utf-8")
    holder = next(line for line in own.splitlines() if line.startswith("Copyright"))
    lines = "\n".join(f" {line or '.'}" for line in own.splitlines())
    text = (
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"
        f"Upstream-Name: attn_gui\n\nFiles: *\nCopyright: {holder.removeprefix('Copyright').strip()}\n"
        f"License: Expat\n{lines}\n"
    )
    for part in parts:
        if part.name != "attn-gui":
            text += (
                f"\nFiles: usr/lib/attn-gui/licenses/{part.name}/*\nCopyright: as its text says\n"
                f"License: {re.sub(r'[^A-Za-z0-9.+-]+', '-', part.license).strip('-')}-{part.name}\n"
                f" {part.license}; the text is in /usr/lib/attn-gui/licenses/{part.name}.\n"
            )
    return text + "\nComment: On Debian the LGPL is in /usr/share/common-licenses/LGPL-2.1 and LGPL-3, too.\n"
