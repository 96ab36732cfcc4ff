"""Names of the files of heads, in the window and on the command line: h3, h0,2-3 for a sheet of some, all."""

from __future__ import annotations

from collections.abc import Sequence


def heads_part(heads: Sequence[int], count: int) -> str:
    """The part of a file's name that tells its heads; `all` only where there are several and none is left out."""
    if len(heads) == count > 1:
        return "all"
    runs: list[list[int]] = []
    for head in sorted(heads):
        if runs and runs[-1][-1] == head - 1:
            runs[-1].append(head)
        else:
            runs.append([head])
    return "h" + ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
