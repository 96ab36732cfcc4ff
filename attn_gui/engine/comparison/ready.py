"""Comparisons that are ready made: what the present problem would be without one thing. A line each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from attn_gui.engine.problem.problem import Problem

Words = tuple[str, str]
"""In English and in Chinese; of a head with a place for its number."""


@dataclass(frozen=True)
class ReadyMade:
    """A problem beside the same one without something: `title` says of what, `before` and `after` call the two sides.

    `without(problem, head)` are the fields that are other before; `applies` says whether that would change anything.
    """

    key: str
    title: Words
    before: Words
    after: Words
    without: Callable[[Problem, int], dict[str, Any]]
    applies: Callable[[Problem], bool]
    of_head: bool = False

    def made(self, problem: Problem, head: int = 0) -> Problem:
        """The problem before, over the arrays of the present one: nothing is copied, edits in place show through."""
        return Problem.over(problem.fields() | self.without(problem, head))

    def words(self) -> Mapping[str, str]:
        """The Chinese words by the English ones."""
        return dict((self.title, self.before, self.after))


READY: Mapping[str, ReadyMade] = MappingProxyType(
    {
        each.key: each
        for each in (
            ReadyMade(
                "with-scale",
                ("With and without scaling", "有无缩放"),
                ("without scaling", "不缩放"),
                ("with scaling", "缩放"),
                lambda problem, head: {"scale": 1.0},
                lambda problem: problem.effective_scale != 1.0,
            ),
            ReadyMade(
                "with-mask",
                ("With and without the mask", "有无掩码"),
                ("without the mask", "无掩码"),
                ("with the mask", "有掩码"),
                lambda problem, head: {"mask": ()},
                lambda problem: any(layer.enabled for layer in problem.mask),
            ),
        )
    }
)
"""The ready-made comparisons by their keys, in the order in which they are offered."""
