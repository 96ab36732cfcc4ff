"""`attn-gui verify`: the engine against the plain reference, in words. Imports the engine only."""

from __future__ import annotations

from collections.abc import Iterator

from attn_gui.engine import Problem
from attn_gui.engine.verification import StageCheck, Verification, verify

NOTHING = 1e-300  # a tolerance below is shown as 0: the cell was given, not computed
_WORDS = {True: "ok", False: "FAILED", None: "-"}


def verified(problem: Problem) -> Verification:
    """The verification of a problem from a file; large maps are never held whole."""
    return verify(problem)


def report(found: Verification) -> Iterator[str]:
    """What was recomputed, the worst difference of every stage, the invariants, and what the tolerances are."""
    if found.sampled:
        yield f"Recomputed {found.rows} of {found.all_rows} query rows in plain loops (a sample, seed {found.seed})."
    else:
        yield f"Recomputed all {found.all_rows} query rows in plain loops."
    yield from map(_stage_line, found.stages)
    for invariant in found.invariants:
        yield f"{invariant.name:<24} {_WORDS[invariant.holds]:<6} {invariant.note}"
    yield str(found.reason)


def complaint(found: Verification) -> str | None:
    """One sentence on the first thing that is wrong; None where all is well."""
    for check in found.stages:
        if not check.within:
            return (
                f"{check.stage} differs from the reference by {check.difference:.3g} at {check.index}, "
                f"more than the tolerance {check.tolerance:.3g}."
            )
    broken = next((invariant for invariant in found.invariants if invariant.holds is False), None)
    return None if broken is None else f"{broken.name} does not hold: {broken.note}"


def _stage_line(check: StageCheck) -> str:
    tolerance = check.tolerance if check.tolerance > NOTHING else 0.0
    place = f" at {check.index}" if check.difference else ""
    return (
        f"{check.stage:<24} {_WORDS[check.within]:<6} worst difference {check.difference:.3g} "
        f"(relative {check.relative:.3g}){place}, tolerance {tolerance:.3g}, {check.cells} cells"
    )
