"""Error classes of the engine, such as FieldError, ShapeError and its fixes; notes that are translated later."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from attn_gui.engine import messages
from attn_gui.engine.messages import say

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Note:
    """A sentence, or a word of one, that can be translated later: `message` is `template` with `values` filled in."""

    template: str
    values: dict[str, object] = field(default_factory=dict)

    @property
    def message(self) -> str:
        return say(self.template, self.values)

    def __str__(self) -> str:
        return self.message


class MessageError(Exception):
    """An error that is said in one sentence: `template` with `values` filled in."""

    def __init__(self, template: str, **args: object) -> None:
        super().__init__(say(template, args))
        self.template = template
        self.values = args


class FieldError(MessageError, ValueError):
    """A value that a problem cannot have."""


class FieldTypeError(MessageError, TypeError):
    """A value of the wrong sort."""


class StageError(MessageError, KeyError):
    """A stage that the problem does not have."""

    def __str__(self) -> str:
        return str(self.args[0])


class PlaceError(MessageError, IndexError):
    """A cell or a box outside its stage."""


@dataclass(frozen=True)
class Fix:
    """One change that makes clashing shapes fit: `kind` "transpose", "resize" or "project" of `matrix`.

    `before` is the shape that the matrix has, `after` the one it gets, `shape` the same, or the shape of the new
    matrix that it is multiplied by. `whole`: the problem is valid then; else this clash is gone and another remains.
    """

    kind: Literal["transpose", "resize", "project"]
    matrix: str
    before: Shape
    after: Shape
    shape: Shape
    whole: bool = True

    @property
    def template(self) -> str:
        """The sentence for a button's hint, to be translated before `values` are filled in."""
        if not self.before:
            return messages.ADD_FIX
        return {"transpose": messages.TRANSPOSE_FIX, "resize": messages.RESIZE_FIX}.get(self.kind, messages.PROJECT_FIX)

    @property
    def values(self) -> dict[str, object]:
        sizes = {"before": self.before, "after": self.after, "shape": self.shape}
        return {"matrix": self.matrix, **{name: " × ".join(map(str, shape)) for name, shape in sizes.items()}}

    @property
    def message(self) -> str:
        return say(self.template, self.values)

    def __str__(self) -> str:
        return self.message


class ShapeError(MessageError, ValueError):
    """Matrices that do not fit together.

    `matrices` and `axes` name the clashing sides ("row", "column", "batch"), `expected` and `got` their sizes;
    `fixes` are the changes that would work.
    """

    offers: Callable[[], tuple[Fix, ...]] = tuple  # whoever has all fields says what would help
    given: Mapping[str, Any] | None = None  # the fields that clash, for whoever has not got them, as after reading

    def __init__(
        self,
        template: str,
        *,
        matrices: tuple[str, ...],
        axes: tuple[str, ...],
        expected: object,
        got: object,
        **args: object,
    ) -> None:
        args |= {"matrix": matrices[0], "expected": expected, "got": got}
        if len(matrices) > 1:
            args["other"] = matrices[1]
        super().__init__(template, **args)
        self.matrices, self.axes, self.expected, self.got = matrices, axes, expected, got

    @cached_property
    def fixes(self) -> tuple[Fix, ...]:
        """Changes that make the shapes fit, tried out when asked for; empty where no single change does."""
        return self.offers()
