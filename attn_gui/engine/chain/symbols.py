"""Names of the fields of a problem, and one way to ask for those of fields and stages alike."""

from __future__ import annotations

from collections.abc import Iterator

from attn_gui.engine.blocks import BLOCKS
from attn_gui.engine.graph.facts import Name
from attn_gui.engine.graph.stage import Stage
from attn_gui.engine.problem.interventions import Intervention
from attn_gui.engine.problem.layers import Layer
from attn_gui.engine.problem.masks import MASKS
from attn_gui.engine.scores import SCORES
from attn_gui.engine.stages import catalog, entries
from attn_gui.engine.stages.derived import DERIVED, entry_of

FIELDS = {
    "x": Name("X", "X", "x", "Sequence", "序列"),
    "context": Name("X₂", "X_2", "x^{(2)}", "Second sequence", "第二个序列"),
    "w_query": Name("W_Q", "W_Q", "w^Q", "Query projection", "查询投影"),
    "w_key": Name("W_K", "W_K", "w^K", "Key projection", "键投影"),
    "w_value": Name("W_V", "W_V", "w^V", "Value projection", "值投影"),
    "w_output": Name("W_O", "W_O", "w^O", "Output projection", "输出投影"),
    "b_query": Name("b_Q", "b_Q", "b^Q", "Query bias", "查询偏置"),
    "b_key": Name("b_K", "b_K", "b^K", "Key bias", "键偏置"),
    "b_value": Name("b_V", "b_V", "b^V", "Value bias", "值偏置"),
    "b_output": Name("b_O", "b_O", "b^O", "Output bias", "输出偏置"),
    "scale": Name("α", r"\alpha", r"\alpha"),
    "softcap": Name("cap", r"\mathrm{cap}", r"\mathrm{cap}"),
    "temperature": Name("T", "T", "T"),
    "rotary_theta": Name("θ", r"\theta", r"\theta"),
    "query_norm": Name("γ_Q", r"\gamma_Q", r"\gamma^Q", "Query norm weight", "查询归一化的缩放"),
    "key_norm": Name("γ_K", r"\gamma_K", r"\gamma^K", "Key norm weight", "键归一化的缩放"),
    "qk_norm_eps": Name("ε", r"\varepsilon", r"\varepsilon"),
    "rotary_frequencies": Name("Ω", r"\mathrm{freq}", r"\mathrm{freq}", "Rotary frequencies", "旋转频率"),
    "sink": Name("sink", r"\mathrm{sink}", r"\mathrm{sink}", "Attention sink", "注意力汇点"),
    **{f"block.{part}": table.name for block in BLOCKS.values() for part, table in block.tables.items()},
    **{
        f"block.{part}": Name("ε", r"\varepsilon", r"\varepsilon")
        for block in BLOCKS.values()
        for part in block.numbers
    },
}
COMPUTED = "computed."
LETTERS = {"d": "c", "f": "c", "o": "c", "a": "p"}  # how a summed index is called in a formula


def computed_name(stage: str) -> str:
    """The name of a stage as it is computed, where numbers are then changed by hand."""
    return COMPUTED + stage


def plain_name(name: str) -> str:
    """The stage that is meant, changed by hand or not."""
    return name.removeprefix(COMPUTED)


def symbol(name: str) -> str:
    """The plain symbol of a stage or a field; a mask layer is B (it adds) or M."""
    return _entry(name).letter


def cell_symbol(name: str) -> str:
    """The plain letter of one cell: s′ of S′, w of W_Q."""
    return _entry(name).cell_letter


def cell_latex(name: str) -> str:
    """The LaTeX of one cell, without its indices."""
    return _entry(name).cell


def matrix_latex(name: str) -> str:
    """The LaTeX of the whole matrix."""
    return _entry(name).matrix


def title(name: str, language: str) -> str:
    """The title of a stage or field in "en" or "zh"; empty for what has a letter alone."""
    found: str = getattr(_entry(name), language)
    return found


def about(name: str) -> str:
    """The meaning of the rows of a stage or field, in English; empty where the title says it."""
    return _entry(name).about


def is_counted(name: str) -> bool:
    """Whether a name is of a layer of the mask or of an intervention, of which there are any number."""
    return any(kind.position_of(name) is not None for kind in (Layer, Intervention))


def is_named(name: str) -> bool:
    """Whether there is a stage or a field of this name; layers and interventions are counted."""
    return name in FIELDS or is_counted(name) or name in _parameters() or _stage(plain_name(name)) is not None


def titles() -> Iterator[tuple[str, str]]:
    """The English and the Chinese words of every stage and field."""
    for stage in (*catalog(), *DERIVED):
        yield from stage.called.words().items()
        yield from stage.operator.words().items() if stage.operator is not None else ()
    for name in (*FIELDS.values(), *_parameters().values()):
        yield from name.words().items()


def _stage(name: str) -> Stage | None:
    """A stage or a derived map."""
    return entries().get(name) or entry_of(name)


def _called(name: str) -> Name:
    if (stage := _stage(name)) is None:
        raise KeyError(name)
    return stage.called


def _parameters() -> dict[str, Name]:
    """The names of what the score functions have beside queries and keys, by field."""
    return {f"score_params.{part}": name for score in SCORES.values() for part, name in score.parameters.items()}


def _closing() -> set[str]:
    """The tables of mask layers that open and close cells."""
    return {layer.table for layer in MASKS.values() if layer.table and not layer.adds}


def _computed(name: Name) -> Name:
    """The letter with a zero, as for what was there first."""
    cell = f"{{{name.cell}}}^{{0}}" if set("^'") & set(name.cell) else f"{name.cell}^{{0}}"
    return name._replace(letter=f"{name.letter}⁰", matrix=f"{{{name.matrix}}}^{{0}}", cell=cell)


def _entry(name: str) -> Name:
    if name.startswith(COMPUTED):
        return _computed(_entry(plain_name(name)))
    if (position := Intervention.position_of(name)) is not None:
        return Name("H", "H", f"h^{{({position})}}")
    if (position := Layer.position_of(name)) is not None:
        plain = "M" if name.rpartition(".")[2] in _closing() else "B"
        return Name(plain, plain, f"{plain.lower()}^{{({position})}}")
    if name.startswith("score_params."):
        return _parameters()[name]
    return FIELDS[name] if name in FIELDS else _called(name)
