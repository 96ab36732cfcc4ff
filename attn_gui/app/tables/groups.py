"""Groups of tables that are looked at together."""

from __future__ import annotations

from attn_gui.engine import Problem, symbol
from attn_gui.engine.fields import GIVEN
from attn_gui.engine.interventions import Intervention
from attn_gui.engine.masks import Layer

COMPUTED = ("query", "key", "value")
GROUPED = ("query", "key", GIVEN, "value")
HEADED = {
    "query": "query",
    "w_query": "query",
    "b_query": "query",
    "key": "key",
    "w_key": "key",
    "b_key": "key",
    "value": "value",
    "w_value": "value",
    "b_value": "value",
}
ROWS = {"query": "query", GIVEN: "query", "x": "query", "key": "key", "value": "key", "context": "key"}
PARTS = (
    ("score", "a(q, k)", "score_params."),
    ("block", "N · W", "block."),
    ("masks", "M", f"{Layer.listed}."),
    ("by_hand", "H", f"{Intervention.listed}."),
)


def groups_of(problem: Problem, fields: list[str]) -> list[tuple[str, str, tuple[str, ...]]]:
    """The fields in groups that are looked at together: (key, text, fields)."""
    parts = [(key, text, tuple(field for field in fields if field.startswith(start))) for key, text, start in PARTS]
    taken = {*GROUPED, *(field for _, _, own in parts for field in own)}
    rest = tuple(field for field in fields if field not in taken)
    if problem.projected:
        groups = [("projected", "X · W", rest), ("computed", "Q · K · V", COMPUTED)]
    else:
        given = tuple(field for field in GROUPED if field in fields)
        groups = [("direct", " · ".join(map(symbol, given)), given), ("output", "W_O", rest)]
    return [group for group in (*groups, *parts) if group[2]]
