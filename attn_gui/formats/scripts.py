"""Scripts of NumPy and PyTorch that compute the problem: all around the lines on the entries of the engine."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from attn_gui.engine import Problem
from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.evaluation.dense import DenseEvaluation
from attn_gui.engine.fields import MATRICES
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.nodes import Node
from attn_gui.engine.graph.sources import layer_name
from attn_gui.engine.graph.stage import LinearStage, Role
from attn_gui.engine.graph.symbols_and_titles import COMPUTED, is_counted, plain_name, title
from attn_gui.engine.interventions import Intervention
from attn_gui.engine.shape_errors import BATCHED
from attn_gui.formats.file_messages import FormatError
from attn_gui.languages import N_

MOST_NUMBERS = 30_000  # numbers that are written out in a script at most
LINE = 100  # characters of a line of numbers at most

TOO_MANY = N_("A script would hold {count} numbers; up to {most} are written. Export them as NPZ instead.")
NOT_FINITE = N_("A script is written for finite numbers only; {field} holds others.")
NO_STAGE = N_("There is no script for the stage {stage} yet.")
NO_LAYER = N_("There is no script for the mask layer {kind} yet.")
NO_INTERVENTION = N_("There is no script for the intervention {kind} yet.")

HEADS = '''
def heads(rows, count):
    """(…, n, h·d) as (…, h, n, d)."""
    return rows.reshape(*rows.shape[:-1], count, -1).swapaxes(-3, -2)
'''
JOINED = '''
def joined(parts):
    """(…, h, n, d) as (…, n, h·d)."""
    parts = parts.swapaxes(-3, -2)
    return parts.reshape(*parts.shape[:-2], -1)
'''
PRINTED = "for name, numbers in stages.items():\n    print(name, *numbers.shape)\n    print(numbers)"


# The libraries that a script can compute with: a new one is one entry of SCRIPTS.
class ScriptLibrary(NamedTuple):
    """A library that scripts can use: its title, the name of its module, and lines of code.

    The lines set it up, make an array, copy {name}, repeat its heads {count} times, and give the complementary error
    function.
    """

    key: str
    title: str
    module: str
    imports: tuple[str, ...]
    array: str
    copied: str
    shared: str
    erfc: str


_ENTRIES = (
    ScriptLibrary(
        "numpy",
        "NumPy",
        "np",
        ("import numpy as np", "", "np.set_printoptions(precision=4, suppress=True)"),
        "np.array",
        "{name}.copy()",
        "{name}.repeat({count}, axis=-3)",
        "np.vectorize(erfc)",
    ),
    ScriptLibrary(
        "pytorch",
        "PyTorch",
        "torch",
        (
            "import torch",
            "",
            "torch.set_default_dtype(torch.float64)",
            "torch.set_printoptions(precision=4, sci_mode=False)",
        ),
        "torch.tensor",
        "{name}.clone()",
        "{name}.repeat_interleave({count}, dim=-3)",
        "torch.erfc",
    ),
)

SCRIPTS: Mapping[str, ScriptLibrary] = MappingProxyType({dialect.key: dialect for dialect in _ENTRIES})
"""The libraries by the words of the command line."""


# --- script ---------------------------------------------------------------------------------------
def script_text(problem: Problem, dialect: ScriptLibrary) -> str:
    """Return the whole script. Raises FormatError for a problem that no script can be written for."""
    _check(problem)
    return _Script(problem, dialect).text()


def _check(problem: Problem) -> None:
    arrays = problem.arrays()
    if (count := sum(array.size for array in arrays.values())) > MOST_NUMBERS:
        raise FormatError(TOO_MANY, count=f"{count:,}", most=f"{MOST_NUMBERS:,}")
    for name, array in arrays.items():
        added = is_counted(name)  # these may close a key by −∞
        if not (np.isfinite(array) | (np.isneginf(array) & added)).all():
            raise FormatError(NOT_FINITE, field=name)


class _Script:
    """Lines and helpers of a script, collected stage by stage.

    Maps are n × m, with an axis of heads in front where there are several heads, or a batch, and one of the batch in
    front of that.
    """

    def __init__(self, problem: Problem, dialect: ScriptLibrary) -> None:
        self.problem, self.dialect = problem, dialect
        self.evaluation = DenseEvaluation(problem, keep=0)
        self.batched = any(np.ndim(getattr(problem, name)) > 2 for name in BATCHED)
        self.axes = 4 if self.batched else 3 if problem.num_heads > 1 else 2
        self.numbers: dict[str, str] = {}
        self.steps: list[str] = []
        self.helpers: dict[str, None] = {}

    def text(self) -> str:
        """Return the script from its first line to its last."""
        read = {ref.name for node in self.evaluation.nodes for ref in node.inputs}
        for node in self.evaluation.nodes:
            if not node.stage.hidden or node.name in read:
                self._add(node)
        shown = [node.name for node in self.evaluation.nodes if not node.stage.hidden]
        stages = "stages = {\n" + "".join(f'    "{name}": {name},\n' for name in shown) + "}"
        body = "\n".join([*self.numbers.values(), "", *self.steps, "", stages, PRINTED])
        named = {"xp": self.dialect.module, "erfc": self.dialect.erfc}
        helpers = "\n\n".join(text.format(**named).rstrip() for text in self.helpers)
        first = f'"""Attention step by step in {self.dialect.title}, written by attn_gui."""\n'
        used = [name for name in ("erfc", "inf") if re.search(rf"(?<![.\w]){name}\b", body + helpers)]
        if used:
            first += f"\nfrom math import {', '.join(used)}\n"
        return "\n".join([first, *self.dialect.imports, *(["", helpers, "", ""] if helpers else [""]), body, ""])

    # --- stages ----------------------------------------------------------------------------------
    def _add(self, node: Node) -> None:
        """Add the line of a stage, and those of its interventions."""
        name = _variable(node.name)
        if node.inputs and node.inputs[0].name == COMPUTED + node.name:
            before = _variable(COMPUTED + node.name)
            self.steps.append(f"{name} = {self.dialect.copied.format(name=before)}  # changed by hand")
            for record in self.problem.interventions:
                if record.enabled and record.stage == node.name:
                    self.steps.append(self._change(node, record, name, before))
            return
        code = self._sum(node) if isinstance(node.stage, LinearStage) else self._from_entry(node)
        if code != name:
            named = not node.stage.hidden or node.name.startswith(COMPUTED)
            said = title(plain_name(node.name), "en").lower() if named else ""
            shape = " × ".join(map(str, self._shape(node)))
            self.steps.append(f"{name} = {code}  # {said}, {shape}" if said else f"{name} = {code}")

    def _sum(self, node: Node) -> str:
        """Return a sum of products, as in the formula."""
        assert isinstance(node.stage, LinearStage)
        terms, start = [], 0
        for count in node.stage.counts:
            places = range(start, start + count)
            start += count
            if not any(node.inputs[place].optional for place in places):
                terms.append(self._product(node, *places))
        return " + ".join(terms)

    def _product(self, node: Node, *places: int) -> str:
        self._check_gated(node, places)
        names = [self._input(node, place) for place in places]
        axes = [node.inputs[place].axes for place in places]
        if len(names) == 1 or not all(axes):
            return " * ".join(names)
        if axes[0][-1][-1] == axes[1][-1][-1]:  # both end with what is summed
            names[1] += ".T" if self.axes == 2 else ".swapaxes(-1, -2)"
        return " @ ".join(names)

    def _check_gated(self, node: Node, places: Sequence[int]) -> None:
        """Raise FormatError for infinity or NaN at a weight of 0, which a product in a script lets through."""
        for place in node.stage.gates:
            ref = node.inputs[place]
            cells = self.evaluation.fetch(ref.name, indices.whole(self.evaluation.shape(ref.name)))
            if place in places and not np.isfinite(cells).all():
                raise FormatError(NOT_FINITE, field=plain_name(ref.name))

    def _from_entry(self, node: Node) -> str:
        """Return the `code` of the stage, with the names of its inputs."""
        stage = node.stage
        if not stage.code:
            raise FormatError(NO_STAGE, stage=plain_name(node.name))
        if stage.helper:
            self.helpers[stage.helper] = None
        names = ["None" if ref.optional else self._input(node, place) for place, ref in enumerate(node.inputs)]
        while names and names[-1] == "None":
            names.pop()
        shape = self._shape(node)
        return stage.code.format(*names, inputs=", ".join(names), xp=self.dialect.module, shape=shape)

    def _shape(self, node: Node) -> tuple[int, ...]:
        """Return the shape that a stage has in the script."""
        return tuple(length for axis, length in zip(node.stage.axes, node.shape, strict=True) if self._has(axis))

    def _has(self, axis: str) -> bool:
        return self.batched if axis == "batch" else axis != "head" or self.axes > 2

    # --- inputs ----------------------------------------------------------------------------------
    def _input(self, node: Node, place: int) -> str:
        """Return the name of an input as a stage reads it, with heads split or joined as in the formula."""
        ref = node.inputs[place]
        name = self._named(ref.name, node.fields[place])
        if self.axes == 2 or not ref.axes or ref.name in self.evaluation.sources:
            return name
        if node.stage.per_head and len(ref.axes[-1]) > 1:
            return self._parted(name, shared="r" not in ref.axes[-1])
        if not node.stage.per_head and "h" in ref.axes:
            self.helpers[JOINED] = None
            return f"joined({name})"
        return name

    def _parted(self, name: str, *, shared: bool) -> str:
        """Return the heads of Q, K or V; those of K and V are repeated for the heads of Q that share them."""
        self.helpers[HEADS] = None
        count = self.problem.num_kv_heads if shared else self.problem.num_heads
        code = f"heads({name}, {count})"
        if count < self.problem.num_heads:
            code = self.dialect.shared.format(name=code, count=self.problem.num_heads // count)
        self.steps.append(f"{name}_heads = {code}")
        return f"{name}_heads"

    def _named(self, name: str, field: str) -> str:
        """Return the name of a stage or source, which is written when it is first read."""
        if name not in self.evaluation.sources:
            return _variable(name)
        variable = _variable(field or name)
        if variable not in self.numbers:
            self.numbers[variable] = f"{variable} = {self._value(name, field)}"
        return variable

    def _value(self, name: str, field: str) -> str:
        rules = {layer_name(k): layer for k, layer in enumerate(self.problem.mask) if layer.cells is None}
        if name in rules:
            return self._rule(rules[name].code(self.problem.map_shape), rules[name].kind)
        if name == "scale" and self.problem.scale is None and self.problem.effective_scale != 1.0:
            return f"{self.problem.d_k} ** -0.5  # 1/√d_k"
        cells = np.asarray(self.evaluation.sources[name].cells)
        if self.batched and field in BATCHED:
            cells = np.broadcast_to(cells, (self.problem.batch_size, *cells.shape[-2:]))
        shape = f"  # {' × '.join(map(str, cells.shape))}" if cells.ndim else ""
        return self._literal(cells) + shape

    def _rule(self, code: str, kind: str) -> str:
        """Return a mask layer that is a rule of i (queries) and j (keys)."""
        if not code:
            raise FormatError(NO_LAYER, kind=kind)
        module, problem = self.dialect.module, self.problem
        self.numbers.setdefault("i", f"i = {module}.arange({problem.n})[:, None]  # queries")
        self.numbers.setdefault("j", f"j = {module}.arange({problem.m})  # keys")
        return f"{code.format(array=self.dialect.array)}  # {kind}"

    def _literal(self, cells: Array) -> str:
        """Return a number, or an array as nested lists with a row a line."""
        if cells.ndim == 0:
            return repr(cells.astype(float).item())
        if cells.ndim > 2 and cells.ndim > self.axes:
            cells = cells.reshape(cells.shape[-self.axes :])  # an item or a head alone
        if cells.ndim == 1 and len(cells) > 1 and np.array_equal(cells, np.arange(len(cells))):
            return f"{self.dialect.module}.arange({len(cells)}.0)"
        return f"{self.dialect.array}({_nested(cells, '')})"

    # --- interventions ---------------------------------------------------------------------------
    def _change(self, node: Node, record: Intervention, name: str, before: str) -> str:
        if not record.code:
            raise FormatError(NO_INTERVENTION, kind=record.kind)
        box = record.box(node.stage.axes, node.shape)
        own, origin = f"{name}[{self._index(node, box)}]", record.origin(box, node.stage.axes)
        taken = "" if origin is None else f"{before}[{self._index(node, origin)}]"
        given = "" if record.cells is None else self._literal(np.asarray(record.cells))
        if node.stage.role is not Role.CLOSE or record.replaces:
            return f"{own} = {record.code.format(own=own, given=given, taken=taken)}"
        where = f"{self.dialect.module}.where({own} == -inf"  # what is closed stays so
        open_ones = f"{where}, 0.0, {own})"
        return f"{own} = {where}, -inf, {record.code.format(own=open_ones, given=given, taken=taken)})"

    def _index(self, node: Node, box: Box) -> str:
        """Return a box of a stage in the axes that the stage has in the script."""
        cuts = zip(node.stage.axes, node.shape, box, strict=True)
        return ", ".join(
            ":" if (cut.start, cut.stop) == (0, length) else f"{cut.start}:{cut.stop}"
            for axis, length, cut in cuts
            if self._has(axis)
        )


def _variable(name: str) -> str:
    """Return a name of a stage or field as a Python identifier."""
    for prefix in ("score_params.", "block."):
        name = name.removeprefix(prefix) if name.removeprefix(prefix) not in MATRICES else name
    return name.replace(".", "_")


def _nested(cells: Array, before: str) -> str:
    """Return nested lists with one row below another."""
    if cells.ndim == 1:
        return _row([repr(cell) for cell in cells.tolist()], before)
    rows = "".join(f"{before}    {_nested(row, before + '    ')},\n" for row in cells)
    return f"[\n{rows}{before}]"


def _row(numbers: list[str], before: str) -> str:
    """Return a row on one line, or on several of limited length."""
    line = ", ".join(numbers)
    if len(line) <= LINE:
        return f"[{line}]"
    lines = [f"{before}    "]
    for number in numbers:
        if len(lines[-1]) + len(number) > LINE:
            lines.append(f"{before}    ")
        lines[-1] += f"{number}, "
    return "[\n" + "\n".join(line.rstrip() for line in lines) + f"\n{before}]"


def script_name(stem: str, key: str) -> str:
    """Return the name of the file: NAME-numpy.py."""
    return f"{stem}-{key}.py"
