"""Interventions of a problem whose stages get other shapes: cut to the cells that are left."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attn_gui.engine.chain.following import computed_nodes
from attn_gui.engine.problem.fields import Fields
from attn_gui.engine.problem.interventions import Intervention
from attn_gui.engine.problem.shapes.drafts import drafted


def following(problem: Fields, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The field that changes with the others, if it does: interventions outside their stage are cut, or go."""
    if not problem.interventions:
        return {}
    before, after = (
        {node.name: node for node in computed_nodes(draft)} for draft in (problem, drafted(problem, fields))
    )
    found: list[Intervention | None] = []
    for record in fields.get("interventions", problem.interventions):
        old, new = before.get(record.stage), after.get(record.stage)
        resized = None if old is None or new is None else record.resized(old.stage.axes, old.shape, new.shape)
        found.append(resized)
    kept = tuple(record for record in found if record is not None)
    return {} if kept == problem.interventions else {"interventions": kept}
