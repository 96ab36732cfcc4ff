"""What an export dialog was asked for."""

from __future__ import annotations

from dataclasses import dataclass

IMAGE_FORMATS = ("png", "svg", "pdf")
DATA_FORMATS = ("npz", "npy", "csv", "tsv")
TEXT_FORMATS = ("csv", "tsv")


@dataclass(frozen=True)
class ExportChoice:
    """Figures to write; a width or height of None is left to the painter, `values` None means where they fit."""

    stages: tuple[str, ...] = ("weights",)
    heads: tuple[int, ...] = (0,)
    batch: int = 0
    format: str = "png"
    width: float | None = None
    height: float | None = None
    dpi: int = 300
    values: bool | None = None
    colorbar: bool = True
    sheet: bool = False
    theme: str = "light"
    folder: str = ""


@dataclass(frozen=True)
class DataChoice:
    """Numbers to write: fields and stages by name; heads only where a file holds one matrix."""

    arrays: tuple[str, ...] = ()
    heads: tuple[int, ...] = (0,)
    batch: int = 0
    format: str = "npz"
    bom: bool = False
    headers: bool = False
    folder: str = ""
