"""Words of the command line: what they mean, or why they mean nothing. Imports the standard library alone."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable, Sequence

_RANGE = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?")


def heads(text: str) -> tuple[int, ...] | None:
    """`all` (None), or heads and ranges of them: 0,2-3."""
    if text == "all":
        return None
    found: dict[int, None] = {}
    for part in text.split(","):
        match = _RANGE.fullmatch(part.strip())
        if match is None or int(match[2] or match[1]) < int(match[1]):
            raise argparse.ArgumentTypeError(f"expected all, or heads such as 0,2-3, got {text!r}")
        found |= dict.fromkeys(range(int(match[1]), int(match[2] or match[1]) + 1))
    return tuple(found)


def cell(text: str) -> tuple[int, int]:
    parts = text.split(",")
    if len(parts) != 2 or not all(re.fullmatch(r"\d{1,9}", part.strip(), re.ASCII) for part in parts):
        raise argparse.ArgumentTypeError(f"expected a row and a column such as 10,13, got {text!r}")
    return int(parts[0]), int(parts[1])


def setting(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign:
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, got {text!r}")
    return name, value


def whole(lowest: int, highest: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not re.fullmatch(r"\d{1,9}", text, re.ASCII) or not lowest <= int(text) <= highest:
            raise argparse.ArgumentTypeError(f"expected a whole number from {lowest} to {highest}, got {text!r}")
        return int(text)

    return parse


def joined(words: Sequence[str]) -> list[str]:
    """The words with `--levels -5,7` as one: argparse would take -5,7 for an option."""
    found: list[str] = []
    for word in words:
        if found and found[-1] == "--levels":
            found[-1] = f"--levels={word}"
        else:
            found.append(word)
    return found


def points(text: str) -> float:
    size = _number(text)
    if size is None or not 4 <= size <= 72:
        raise argparse.ArgumentTypeError(f"expected points from 4 to 72, got {text!r}")
    return size


def levels(text: str) -> tuple[float, float]:
    found = [_number(part) for part in text.split(",")]
    if len(found) != 2 or found[0] is None or found[1] is None or not found[0] < found[1]:
        raise argparse.ArgumentTypeError(f"expected two numbers such as -5,7, the lower one first, got {text!r}")
    return found[0], found[1]


def _number(text: str) -> float | None:
    """A finite number; None for anything else."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def centimeters(text: str) -> float:
    try:
        length = float(text)
    except ValueError:
        length = 0.0
    if not 1 <= length <= 500:
        raise argparse.ArgumentTypeError(f"expected centimeters from 1 to 500, got {text!r}")
    return length
