"""Letters (S′, W_Q, a⁰) in text and LaTeX, and English and Chinese titles, of every step and matrix."""

from __future__ import annotations

from collections.abc import Iterator

from attn_gui.engine import stages
from attn_gui.engine.blocks import BLOCKS
from attn_gui.engine.graph.stage import Stage, StageName
from attn_gui.engine.interventions import Intervention
from attn_gui.engine.masks import MASKS, Layer
from attn_gui.engine.scores import SCORES
from attn_gui.engine.stages import DERIVED, derived_stage

FIELDS = {
    "x": StageName("X", "X", "x", "Sequence", "序列"),
    "context": StageName("X₂", "X_2", "x^{(2)}", "Second sequence", "第二个序列"),
    "w_query": StageName("W_Q", "W_Q", "w^Q", "Query projection", "查询投影"),
    "w_key": StageName("W_K", "W_K", "w^K", "Key projection", "键投影"),
    "w_value": StageName("W_V", "W_V", "w^V", "Value projection", "值投影"),
    "w_output": StageName("W_O", "W_O", "w^O", "Output projection", "输出投影"),
    "b_query": StageName("b_Q", "b_Q", "b^Q", "Query bias", "查询偏置"),
    "b_key": StageName("b_K", "b_K", "b^K", "Key bias", "键偏置"),
    "b_value": StageName("b_V", "b_V", "b^V", "Value bias", "值偏置"),
    "b_output": StageName("b_O", "b_O", "b^O", "Output bias", "输出偏置"),
    "scale": StageName("α", r"\alpha", r"\alpha"),
    "softcap": StageName("cap", r"\mathrm{cap}", r"\mathrm{cap}"),
    "temperature": StageName("T", "T", "T"),
    "rotary_theta": StageName("θ", r"\theta", r"\theta"),
    "query_norm": StageName("γ_Q", r"\gamma_Q", r"\gamma^Q", "Query norm weight", "查询归一化的缩放"),
    "key_norm": StageName("γ_K", r"\gamma_K", r"\gamma^K", "Key norm weight", "键归一化的缩放"),
    "qk_norm_eps": StageName("ε", r"\varepsilon", r"\varepsilon"),
    "rotary_frequencies": StageName("Ω", r"\mathrm{freq}", r"\mathrm{freq}", "Rotary frequencies", "旋转频率"),
    "sink": StageName("sink", r"\mathrm{sink}", r"\mathrm{sink}", "Attention sink", "注意力汇点"),
    **{f"block.{part}": table.name for block in BLOCKS.values() for part, table in block.tables.items()},
    **{
        f"block.{part}": StageName("ε", r"\varepsilon", r"\varepsilon")
        for block in BLOCKS.values()
        for part in block.numbers
    },
}
COMPUTED = "computed."


def computed_name(stage: str) -> str:
    """Return the name of a stage as computed, before its interventions."""
    return COMPUTED + stage


def plain_name(name: str) -> str:
    """Return the name of the stage itself, given that or its `computed_name`."""
    return name.removeprefix(COMPUTED)


def symbol(name: str) -> str:
    """Return the plain symbol of a stage or field; that of a mask layer is B if it adds, else M."""
    return _entry(name).letter


def cell_symbol(name: str) -> str:
    """Return the plain letter of one cell: s′ of S′, w of W_Q."""
    return _entry(name).cell_letter


def cell_latex(name: str) -> str:
    """Return the LaTeX of one cell, without its indices."""
    return _entry(name).cell


def matrix_latex(name: str) -> str:
    """Return the LaTeX of the whole matrix."""
    return _entry(name).matrix


def title(name: str, language: str) -> str:
    """Return the title of a stage or field in "en" or "zh"; empty where it has only a letter."""
    found: str = getattr(_entry(name), language)
    return found


def about(name: str) -> str:
    """Return what the rows of a stage or field stand for, in English; empty where the title says it."""
    return _entry(name).about


def is_counted(name: str) -> bool:
    """Return whether a name is of a mask layer or an intervention, which are numbered."""
    return any(kind.position_of(name) is not None for kind in (Layer, Intervention))


def is_named(name: str) -> bool:
    """Return whether there is a stage or field of this name; numbered layers and interventions count."""
    known = name in FIELDS or _stage(plain_name(name)) is not None or is_counted(name)
    return known or name in _parameters()


def titles() -> Iterator[tuple[str, str]]:
    """Yield the English and the Chinese words of every stage and field."""
    for stage in (*stages.CATALOG, *DERIVED):
        yield from stage.called.words().items()
        yield from stage.operator.words().items() if stage.operator is not None else ()
    for name in (*FIELDS.values(), *_parameters().values()):
        yield from name.words().items()


def _stage(name: str) -> Stage | None:
    """Return a stage or a derived map."""
    return stages.ENTRIES.get(name) or derived_stage(name)


def _parameters() -> dict[str, StageName]:
    """Return the names of what the score functions have beside queries and keys, by field."""
    return {f"score_params.{part}": name for score in SCORES.values() for part, name in score.parameters.items()}


def _computed(name: StageName) -> StageName:
    """Return the letter with a zero, as for what was there first."""
    cell = f"{{{name.cell}}}^{{0}}" if set("^'") & set(name.cell) else f"{name.cell}^{{0}}"
    return name._replace(letter=f"{name.letter}⁰", matrix=f"{{{name.matrix}}}^{{0}}", cell=cell)


def _entry(name: str) -> StageName:
    if name in FIELDS:
        return FIELDS[name]
    if (stage := _stage(name)) is not None:
        return stage.called
    if name.startswith(COMPUTED):
        return _computed(_entry(plain_name(name)))
    if (position := Intervention.position_of(name)) is not None:
        return StageName("H", "H", f"h^{{({position})}}")
    if (position := Layer.position_of(name)) is not None:
        closing = {layer.table for layer in MASKS.values() if layer.table and not layer.adds}
        plain = "M" if name.rpartition(".")[2] in closing else "B"
        return StageName(plain, plain, f"{plain.lower()}^{{({position})}}")
    return _parameters()[name]
