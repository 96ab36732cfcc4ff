"""Arrays by name, as others write them into files of every kind; and what is said when they are read."""

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import safetensors.numpy


def put(path: Path, arrays: dict[str, Any], options: dict[str, Any] | None = None) -> Path:
    """The arrays as the suffix says, with options beside them."""
    meta = json.dumps(options or {})
    if path.suffix == ".npz":
        np.savez(path, **arrays, **({"meta": meta} if options else {}))
    elif path.suffix == ".json":
        path.write_text(
            json.dumps({name: np.asarray(array).tolist() for name, array in arrays.items()} | (options or {}))
        )
    elif path.suffix == ".safetensors":
        held = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
        safetensors.numpy.save_file(held, path, metadata={"meta": meta} if options else None)
    else:
        book = openpyxl.Workbook()
        book.remove(book.active)
        for name, array in arrays.items():
            sheet = book.create_sheet(name.replace("/", "_"))
            for row in np.atleast_2d(array).tolist():
                sheet.append(row)
        if options:
            book.create_sheet("meta").append([meta])
        book.save(path)
    return path


def said_by(call: Callable[[], Any]) -> tuple[Any, list[str]]:
    """What a call gives, and what it warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = call()
    return found, [str(warning.message) for warning in caught]
