"""Line that installs a package into the Python that runs this."""

from __future__ import annotations

import shlex
import subprocess
import sys


def install_line(*words: str) -> str:
    """The command for a terminal, whichever folder it stands in; `words` are what pip is given."""
    parts = [sys.executable, "-m", "pip", "install", *words]
    return subprocess.list2cmdline(parts) if sys.platform == "win32" else shlex.join(parts)
