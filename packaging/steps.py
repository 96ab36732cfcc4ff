"""Steps of a set-up: run one, show that it lives, and say in a sentence why it failed."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from typing import Any

PAUSE = 10.0  # seconds between two signs of life
LAST_LINES = 15  # of a step that failed
UNREACHABLE = (  # as pip, uv and apt say it
    "NewConnectionError",
    "ConnectTimeoutError",
    "ReadTimeoutError",
    "ProxyError",
    "Network is unreachable",
    "Temporary failure in name resolution",
    "Name or service not known",
    "nodename nor servname",
    "dns error",
    "error sending request",
    "Temporary failure resolving",
    "Could not resolve",
    "Could not connect to",
)
UNTRUSTED = ("CERTIFICATE_VERIFY_FAILED", "invalid peer certificate", "UnknownIssuer")  # as pip and uv say it
FOREIGN = ("PYTHONPATH", "PYTHONHOME", "PIP_USER", "PIP_TARGET", "PIP_PREFIX")
"""Variables that would bring packages of elsewhere in, or lead ours there."""


class Trouble(Exception):
    """A step of the set-up that failed; the message is all that is said."""


def watched(command: list[Any], task: str) -> None:
    """Run a step: its task is said, a line every few seconds shows that it lives, its own words only if it fails."""
    say(task)
    words, lines = [str(word) for word in command], list[str]()
    with subprocess.Popen(
        words,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        env=clean_environment(),
        text=True,
        errors="replace",
    ) as process:
        reader = threading.Thread(target=keep_lines, args=(process, lines), daemon=True)
        try:
            reader.start()
            show_signs(reader, lines)
        except BaseException:
            process.terminate()
            raise
    if process.returncode:
        raise Trouble(failure(task, lines, process.returncode))


def show_signs(reader: threading.Thread, lines: list[str]) -> None:
    """Say every few seconds the time passed and the last line read, until all is read."""
    start = time.monotonic()
    while reader.is_alive():
        reader.join(PAUSE)
        if reader.is_alive():
            say(f"  {time.monotonic() - start:.0f} s: {lines[-1].strip()[:100] if lines else '…'}")


def keep_lines(process: subprocess.Popen[str], lines: list[str]) -> None:
    for line in process.stdout or ():
        lines.append(line)


def failure(task: str, lines: list[str], code: int) -> str:
    """Return one sentence where the network is to blame, else the last lines of the step."""
    if any(sign in line for line in lines for sign in UNTRUSTED):
        return (
            "The network answers with a certificate that is not known here, as those of companies and schools do. "
            "Name the file of theirs in PIP_CERT and SSL_CERT_FILE; then the same command goes on from here."
        )
    if any(sign in line for line in lines for sign in UNREACHABLE):
        return "The packages cannot be reached over the network; with it, the same command goes on from here."
    return f"{''.join(lines[-LAST_LINES:])}This failed with exit code {code}: {task}"


def quiet(command: list[Any]) -> bool:
    """Return whether a command works; what it says is of no interest."""
    try:
        return subprocess.run(command, capture_output=True, env=clean_environment(), check=False).returncode == 0
    except OSError:
        return False


def clean_environment() -> dict[str, str]:
    """Return the environment without what leads Python and pip elsewhere."""
    return {name: value for name, value in os.environ.items() if name not in FOREIGN}


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
