"""Scripts that compute a problem without this program and print the same numbers. Imports engine, NumPy.

`dialects` the libraries that a script can use · `python_script` the script, line by line from the catalog of stages.
"""

from __future__ import annotations

from attn_gui.formats.scripts.dialects import SCRIPTS, Dialect
from attn_gui.formats.scripts.python_script import script_text

__all__ = ["SCRIPTS", "Dialect", "script_name", "script_text"]


def script_name(stem: str, key: str) -> str:
    """The name of the file: NAME-numpy.py."""
    return f"{stem}-{key}.py"
