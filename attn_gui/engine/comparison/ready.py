"""Comparisons that are ready made: what the present problem would be without one thing. A line each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from attn_gui.engine.chain.following import computed_nodes
from attn_gui.engine.graph.facts import Role
from attn_gui.engine.problem.interventions.scale_cells import Scale
from attn_gui.engine.problem.problem import Problem
from attn_gui.engine.stages import STAGE, stage_of

NOTHING = Scale(stage=stage_of(Role.SCORE), factor=1.0, enabled=False)
"""In the place of what was set by hand in a stage that is not there."""

Words = tuple[str, str]
"""In English and in Chinese; of a head with a place for its number."""


class ReadyMade(NamedTuple):
    """A problem beside the same one without something: `title` says of what, `before` and `after` call the two sides.

    `without(problem, head)` are the fields that are other before; `applies` says whether that would change anything.
    """

    key: str
    title: Words
    before: Words
    after: Words
    without: Callable[[Problem, int], dict[str, Any]]
    applies: Callable[[Problem], bool]

    def made(self, problem: Problem, head: int = 0) -> Problem:
        """The problem before, over the arrays of the present one: nothing is copied, edits in place show through.

        What was set by hand in a stage that it does not have goes with that stage; the others keep their names.
        """
        fields: dict[str, Any] = {"interventions": (), **problem.fields(), **self.without(problem, head)}
        bare = Problem.over(fields | {"interventions": ()})
        stages = {node.name for node in computed_nodes(bare)}
        kept = [each if _stage_of(each) in stages else NOTHING for each in fields["interventions"]]
        return Problem.over(fields | {"interventions": tuple(kept)})

    def words(self) -> Mapping[str, str]:
        """The Chinese words by the English ones."""
        return dict((self.title, self.before, self.after))


def _stage_of(given: Any) -> str:
    """The stage of an intervention, a record or what is to become one."""
    return str(given["stage"] if isinstance(given, Mapping) else given.stage)


def _head_off(problem: Problem, head: int) -> dict[str, Any]:
    """A head switched off: its results are multiplied by 0, after whatever was done to them by hand.

    Without a head that there is not, a problem is what it was.
    """
    if head >= problem.num_heads:
        return {}
    mixed = next(name for name, stage in STAGE.items() if stage.per_head and not stage.square)
    off = {"kind": "scale", "stage": mixed, "at": {"head": head}, "factor": 0.0}
    return {"interventions": (*problem.interventions, off)}


READY: Mapping[str, ReadyMade] = MappingProxyType(
    {
        each.key: each
        for each in (
            ReadyMade(
                "with-scale",
                ("With and without scaling", "有 / 无缩放"),
                ("without scaling", "不缩放"),
                ("with scaling", "缩放"),
                lambda problem, head: {"scale": 1.0},
                lambda problem: problem.effective_scale != 1.0,
            ),
            ReadyMade(
                "with-mask",
                ("With and without the mask", "有 / 无掩码"),
                ("without the mask", "无掩码"),
                ("with the mask", "有掩码"),
                lambda problem, head: {"mask": ()},
                lambda problem: any(layer.enabled for layer in problem.mask),
            ),
            ReadyMade(
                "with-head",
                ("With and without head {head}", "保留 / 关闭头 {head}"),
                ("without head {head}", "关闭头 {head}"),
                ("with head {head}", "保留头 {head}"),
                _head_off,
                lambda problem: problem.mixes,
            ),
            ReadyMade(
                "with-interventions",
                ("With and without what was set by hand", "有 / 无手动修改"),
                ("without what was set by hand", "无手动干预"),
                ("with what was set by hand", "有手动干预"),
                lambda problem, head: {"interventions": ()},
                lambda problem: any(each.enabled for each in problem.interventions),
            ),
        )
    }
)
"""The ready-made comparisons by their keys, in the order in which they are offered."""
