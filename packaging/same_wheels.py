"""Compares two wheels, such as that of the checkout and that of the sdist: the same files, with Chinese, byte by byte.

python packaging/same_wheels.py ONE.whl OTHER.whl
"""

from __future__ import annotations

import sys
from zipfile import ZipFile

WANTED = "attn_gui/resources/translations/attn_gui_zh.qm"
UNWANTED = ("resources/pictures/", ".ts", "__pycache__")


def contents(path: str) -> dict[str, bytes]:
    with ZipFile(path) as wheel:
        return {name: wheel.read(name) for name in wheel.namelist()}


def main(paths: list[str]) -> int:
    one, other = map(contents, paths)
    differing = sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))
    unwanted = [name for name in one if any(part in name for part in UNWANTED)]
    missing = [WANTED] if WANTED not in one else []
    for name in (*differing, *unwanted, *missing):
        print(name)
    print(
        f"{len(one)} and {len(other)} files: {len(differing)} differ, {len(unwanted)} unwanted, {len(missing)} missing"
    )
    return 1 if differing or unwanted or missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
