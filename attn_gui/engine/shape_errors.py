"""Fixes for clashing shapes: every change that is offered was tried on the shapes first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Literal

from attn_gui.engine.problem import sentences
from attn_gui.engine.problem.errors import Fix, Shape, ShapeError
from attn_gui.engine.problem.fields import Fields
from attn_gui.engine.problem.interventions import Intervention
from attn_gui.engine.problem.layers import Layer

from .drafts import clash_with, drafted, of_shapes, shapes_of

PLACES = {"batch": 0, "head": -3, "row": -2, "column": -1}
MULTIPLIED = (
    sentences.INNER,
    sentences.EQUAL_WIDTH,
    sentences.COLUMNS,
    sentences.HEADS,
    sentences.EVEN_WIDTH,
    sentences.BLOCK_WIDTH,
)
NEVER_RESIZED = (sentences.AXES, sentences.EMPTY, sentences.COTANGENT, sentences.OUTSIDE, sentences.SET_VALUES)
ACCOMPANY = ("b_query", "b_key", "b_value", "b_output", "query_tokens", "key_tokens")


def fixes_of(problem: Fields, clash: ShapeError) -> tuple[Fix, ...]:
    """Every change of one matrix that lifts the clash: transposed, resized, then projected.

    Changes after which the problem is valid; where no single one does that, those that leave another clash.
    """
    search = _Search(problem, clash)
    tried = (*search.transposed(), *search.resized(), *search.projected())
    found = [fix for fix in dict.fromkeys(tried) if fix is not None]
    whole = [fix for fix in found if fix.whole]
    return tuple(whole or found)


def clash_of(problem: Fields, shapes: Mapping[str, Shape]) -> ShapeError | None:
    """The clash if these arrays had other shapes, with the changes that would help; no number is made.

    What is changed by hand stands in the way of none, but for numbers of its own: it goes with its cells.
    """
    if all(Intervention.position_of(name) is None for name in shapes):
        problem = drafted(problem, {"interventions": ()})
    clash = clash_with(problem, shapes)
    if isinstance(clash, ShapeError):
        clash.offers = partial(fixes_of, of_shapes(problem, shapes), clash)
        return clash
    return None


def with_company(problem: Fields, clash: ShapeError, shapes: dict[str, Shape]) -> tuple[dict[str, Shape], object]:
    """The shapes, with those of biases, tokens and mask layers that must follow them, and what is still wrong."""
    shapes = dict(shapes)
    while True:
        left = clash_with(problem, shapes)
        if not isinstance(left, ShapeError) or left.matrices[0] in (*shapes, *_kept(clash)):
            return shapes, left
        if not _accompanies(left.matrices[0], clash):
            return shapes, left
        following = _Search(problem, left, shapes).lengths(0)
        if not following:
            return shapes, left
        shapes[left.matrices[0]] = following[0]


def _kept(clash: ShapeError) -> tuple[str, ...]:
    """The fields of the clash: they change on purpose or not at all; an odd head has its partner follow it."""
    return () if clash.template == sentences.EVEN_WIDTH else clash.matrices


def _accompanies(name: str, clash: ShapeError) -> bool:
    partner = clash.template == sentences.EVEN_WIDTH and name.removeprefix("w_") in ("query", "key")
    return partner or name in ACCOMPANY or Layer.position_of(name) is not None


class _Search:
    """The changes to try for one clash."""

    def __init__(self, problem: Fields, clash: ShapeError, changed: dict[str, Shape] | None = None) -> None:
        self.problem, self.clash = problem, clash
        self.shapes = shapes_of(problem) | (changed or {})
        self.names = [self._real(name) for name in clash.matrices]
        self.queries, self.keys, self.values = (
            f"w_{part}" if problem.projected else part for part in ("query", "key", "value")
        )

    def transposed(self) -> Iterator[Fix | None]:
        """Matrices of the clash first; another one only if it puts everything right."""
        others = [name for name in self.shapes if name not in self.names and "." not in name]
        for name in (*self.names, *others):
            shape = self.shapes.get(name, ())
            if len(shape) < 2 or shape[-1] == shape[-2]:
                continue
            after = (*shape[:-2], shape[-1], shape[-2])
            fix = self._tried("transpose", name, after, after)
            if fix is not None and (fix.whole or name in self.names):
                yield fix

    def resized(self) -> Iterator[Fix | None]:
        """One for each matrix of the clash: the least change that works."""
        for side in range(len(self.clash.matrices)):
            yield self._first("resize", side)
        if self.clash.template == sentences.BROADCAST:
            yield self._rows_of_mask("query", -2)
            yield self._rows_of_mask("key", -1)

    def projected(self) -> Iterator[Fix | None]:
        """One new matrix between the two of the clash."""
        if self.clash.template not in MULTIPLIED:
            return
        if self.clash.template == sentences.BLOCK_WIDTH and self.clash.matrices[0] == "concat":
            width = self.problem.num_heads * self.problem.d_v, int(self.problem.x.shape[-1])
            yield self._tried("project", "w_output", width, width)
            return
        found = (self._first("project", side) for side in range(len(self.clash.matrices)))
        yield next((fix for fix in sorted(filter(None, found), key=lambda fix: not fix.whole)), None)

    # --- one change ------------------------------------------------------------------------------
    def _first(self, kind: Literal["resize", "project"], side: int) -> Fix | None:
        name = self.names[side]
        if kind == "project" and len(self.shapes.get(name, ())) < 2:
            return None
        shapes = self.lengths(side)
        if kind == "resize":
            shapes = [self._settled(name, after) for after in shapes]
        tried = [self._tried(kind, name, after, self._factor(kind, side, after)) for after in shapes]
        return next(iter(sorted(filter(None, tried), key=lambda fix: not fix.whole)), None)

    def _settled(self, name: str, after: Shape) -> Shape:
        """The shape with its other axes right too: what was pasted may be too long and too wide."""
        for _ in after:
            shapes, left = with_company(self.problem, self.clash, {name: after})
            if not isinstance(left, ShapeError):
                break
            search = _Search(self.problem, left, shapes)
            sides = [side for side, other in enumerate(search.names) if other == name]
            options = [shape for side in sides for shape in search.lengths(side)]
            after = min(options, key=lambda shape: self._left(left, name, shape), default=after)
        return after

    def _left(self, clash: ShapeError, name: str, after: Shape) -> int:
        """0: nothing is wrong any more, 1: something else is, 2: the same."""
        _, left = with_company(self.problem, self.clash, {name: after})
        if not isinstance(left, ShapeError):
            return 0
        return 2 if (left.matrices, left.axes) == (clash.matrices, clash.axes) else 1

    def _factor(self, kind: str, side: int, after: Shape) -> Shape:
        """The shape that is shown: a new matrix goes from the columns there are to those that are read."""
        if kind != "project":
            return after
        place = self._place(side)
        before = self.shapes[self.names[side]]
        return (before[-1], after[-1]) if place == -1 else (after[-2], before[-2])

    def _tried(
        self, kind: Literal["transpose", "resize", "project"], name: str, after: Shape, shape: Shape
    ) -> Fix | None:
        _, left = with_company(self.problem, self.clash, {name: after})
        if left is None:
            return Fix(kind, name, self.shapes.get(name, ()), after, shape)
        same = isinstance(left, ShapeError) and left.matrices == self.clash.matrices
        if same or not isinstance(left, ShapeError) or min(after) < 1:
            return None
        return Fix(kind, name, self.shapes.get(name, ()), after, shape, whole=False)

    def _rows_of_mask(self, axis: str, place: int) -> Fix | None:
        """A mask is right and the queries or the keys are not."""
        name = self._real("key") if axis == "key" else "x" if self.problem.projected else "query"
        length = self.shapes[self.clash.matrices[0]][place]
        before = self.shapes[name]
        if before[-2] == length:
            return None
        after = (*before[:-2], length, before[-1])
        return self._tried("resize", name, after, after)

    # --- lengths ---------------------------------------------------------------------------------
    def lengths(self, side: int) -> list[Shape]:
        """The shapes that may fit for one side of the clash, the smallest change first."""
        name, template = self.names[side], self.clash.template
        if name not in self.shapes or template in NEVER_RESIZED:
            return []
        shape = self.shapes[name]
        if template == sentences.BROADCAST:
            sizes = self._map_shape()[4 - len(shape) :]
            return [tuple(k if k in (1, size) else size for k, size in zip(shape, sizes, strict=True))]
        place = self._place(side)
        lengths = {length for length in self._wanted(side, shape[place]) if length > 0} - {shape[place]}
        nearest = sorted(lengths, key=lambda length: (abs(length - shape[place]), -length))
        return [_put(shape, place, length) for length in nearest]

    def _place(self, side: int) -> int:
        if self.clash.matrices[side] == "concat":
            return -1
        return max(PLACES[self.clash.axes[side]], -len(self.shapes[self.names[side]]))

    def _wanted(self, side: int, length: int) -> Iterator[int]:
        """Sizes that match the other side; heads come in wholes."""
        heads = {
            self.queries: self.problem.num_heads,
            self.keys: self.problem.num_kv_heads,
            self.values: self.problem.num_kv_heads,
        }
        own = heads.get(self.names[side], 1)
        if self.clash.template in (sentences.HEADS, sentences.EVEN_WIDTH):
            yield from (own * width for width in (length // own - 1, length // own, length // own + 1))
            for name, count in heads.items():
                if name in self.shapes:
                    yield own * (self.shapes[name][-1] // count)
            if "w_output" in self.shapes:
                yield own * (self.shapes["w_output"][0] // self.problem.num_heads)
            return
        wanted = int(str((self.clash.expected, self.clash.got)[side]))
        yield wanted
        if own > 1 and self.clash.axes[side] == "column":
            yield wanted * own
            yield wanted * own // self.problem.num_heads

    def _map_shape(self) -> Shape:
        expected = self.clash.expected
        assert isinstance(expected, tuple)
        return expected

    def _real(self, name: str) -> str:
        """The field that holds what the clash speaks of; a projected problem has keys in its second sequence or x."""
        projected = self.problem.projected
        if name == "key" and projected:
            return "x" if self.problem.context is None else "context"
        return {"concat": "w_value" if projected else "value"}.get(name, name)


def _put(shape: Shape, place: int, length: int) -> Shape:
    place %= len(shape)
    return (*shape[:place], length, *shape[place + 1 :])
