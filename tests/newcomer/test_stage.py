"""A stage that is new to the program, in one file: it computes, explains, verifies, is shown and exported.

Nothing but its entry in the catalog says anything of it.
"""

from collections.abc import Sequence

import numpy as np
import pytest
from PySide6.QtCore import QTranslator
from PySide6.QtWidgets import QLabel, QWidget

from attn_gui.app.program import Program
from attn_gui.app.state.view_state import ChosenCell
from attn_gui.cli import main
from attn_gui.engine import DenseEvaluation, Evaluation, Problem, explain, solve, stages, verify
from attn_gui.engine.arrays import Array
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.expressions import Expression, Leaves, Number
from attn_gui.engine.graph.stage import FormulaTemplate, Operator, Stage, StageName
from attn_gui.engine.graph.symbols_and_titles import titles
from attn_gui.figure.compose import compose_figure
from attn_gui.figure.export_settings import ExportSettings
from attn_gui.figure.stage_formulas import stage_latex
from attn_gui.formats import save
from attn_gui.views.spine.spine_items import formula_text


class Rectified(Stage):
    """Scores below 0 become 0."""

    name = "rectified"
    axes = ("batch", "head", "query", "key")
    formula = "logits[b h i j] = logits[b h i j]"
    called = StageName("S⁺", "S^{+}", "s^{+}", "Rectified scores", "整流后的分数")
    form = FormulaTemplate(r"{letter} = \mathrm{{ReLU}}({letter_before})", text="ReLU({before})")
    operator = Operator("rectify", "rectify", "整流", "ReLU")

    def forward(self, logits: Array) -> Array:
        return np.maximum(logits, 0.0)

    def pull_back(self, grad: Array, result: Array, logits: Array) -> Sequence[Array]:
        return [np.where(logits > 0, grad, 0.0)]

    def rounding(self, values: Sequence[Array], errors: Sequence[Array]) -> Array:
        return errors[0]

    def explain(self, at: tuple[int, ...], logits: Leaves) -> Expression:
        return logits.one if logits.one.value > 0 else Number(0.0)


@pytest.fixture(autouse=True)
def _registered(request, monkeypatch):
    """The catalog with the new stage after one that is there."""
    before, new = getattr(request, "param", "capped"), Rectified()
    place = 1 + next(k for k, stage in enumerate(stages.CATALOG) if stage.name == before)
    monkeypatch.setattr(stages, "CATALOG", (*stages.CATALOG[:place], new, *stages.CATALOG[place:]))
    as_they_were = [(table, dict(table)) for table in (stages.ENTRIES, stages.STAGE)]  # which others hold
    for table, stage_by_name in as_they_were:
        table.clear()
        for name, stage in stage_by_name.items():
            table |= {name: stage, new.name: new} if name == before else {name: stage}
    yield
    for table, stage_by_name in as_they_were:
        table.clear()
        table.update(stage_by_name)


@pytest.fixture
def problem():
    rng = np.random.default_rng(7)
    arrays = {name: rng.normal(size=(rows, 6)) for name, rows in (("query", 5), ("key", 7), ("value", 7))}
    return Problem(
        **arrays,
        num_heads=2,
        softcap=3.0,
        mask=({"kind": "causal", "align": "end"},),
        w_output=rng.normal(size=(6, 4)),
        query_tokens=tuple("abcde"),
        key_tokens=tuple("ABCDEFG"),
    )


def whole(evaluation: Evaluation, stage: str) -> Array:
    return np.array(evaluation.fetch(stage, indices.whole(evaluation.shape(stage))))


# --- numbers -------------------------------------------------------------------------------------
@pytest.mark.parametrize("_registered", ["scaled", "capped"], indirect=True)
def test_it_is_computed_where_it_stands(problem):
    evaluation = DenseEvaluation(problem)
    before = evaluation.stages[evaluation.stages.index("rectified") - 1]
    found = whole(evaluation, "rectified")
    np.testing.assert_array_equal(found, np.maximum(whole(evaluation, before), 0.0))
    assert (found != whole(evaluation, before)).any()
    shares = np.exp(whole(evaluation, evaluation.stages[evaluation.stages.index("weights") - 1]))
    np.testing.assert_allclose(whole(evaluation, "weights"), shares / shares.sum(axis=-1, keepdims=True), rtol=1e-12)


def test_a_long_problem_has_the_same_numbers_and_follows_edits(problem):
    dense, streaming = DenseEvaluation(problem), StreamingEvaluation(problem)
    for evaluation in (dense, streaming):
        changed = problem.key.copy()
        changed[3, 2] += 1.5
        box = (slice(3, 4), slice(2, 3))
        evaluation.update(problem.replace(key=changed), {"key": [box]})
    for stage in dense.stages:
        np.testing.assert_allclose(whole(streaming, stage), whole(dense, stage), rtol=1e-9, atol=1e-12)


def test_every_explanation_gives_the_cell_and_none_leaves_it_out(problem):
    evaluation = DenseEvaluation(problem)
    for stage in evaluation.stages:
        index = (0, 1, 3, 2)[-len(evaluation.shape(stage)) :] if stage != "concat" else (0, 3, 2)
        index = (0, *index[1:])
        found = explain(evaluation, stage, index)
        np.testing.assert_allclose(found.expression.value, found.value, rtol=1e-9, atol=1e-12)
        assert found.latex
        assert found.text
    weight = explain(evaluation, "weights", (0, 1, 3, 2))
    last = evaluation.stages[evaluation.stages.index("weights") - 1]
    assert weight.per_query is not None
    assert weight.per_query.expression.value == pytest.approx(weight.value)
    assert f"e^({stages.STAGE[last].symbol}[3, 2])" in weight.query_text  # and not e^(q·k/√d), which is not true here
    assert "Q[" not in weight.query_text


def test_a_target_is_reached_or_said_not_to_be_and_the_reference_does_not_bless_it(problem):
    stage, index = "weights", (0, 1, 4, 2)
    value = float(whole(DenseEvaluation(problem), stage)[index])
    wanted = value * 0.9
    found = solve(problem, stage, index, wanted)
    reached = float(whole(DenseEvaluation(found.problem), stage)[index])
    assert found.reached == pytest.approx(reached)
    assert not found.feasible or reached == pytest.approx(wanted, abs=1e-6)
    report = verify(problem)
    assert report.complaint is None
    assert "rectified" in str(report.unjudged)


# --- the window ----------------------------------------------------------------------------------
class Words(QTranslator):
    """What packaging/update_translations.py would write into the .ts file: the words on the entries."""

    def isEmpty(self) -> bool:
        return False  # or the window would not be told of the language

    def translate(self, context: str, text: str, _comment: str | None = None, _n: int = -1) -> str | None:
        return dict(titles()).get(text) if context == "Names" else None


@pytest.fixture
def program(qapp, problem):
    """The window in Chinese, whose words stand on the entry."""
    words, found = Words(qapp), Program(qapp, lang="zh")
    qapp.installTranslator(words)
    found.begin(None)
    found.document.open(problem, None, "newcomer")
    found.window.show()
    qapp.processEvents()
    yield found
    qapp.removeTranslator(words)
    found.end()


def shown_text(widget: QWidget) -> str:
    shown = [label for label in widget.findChildren(QWidget) if label.isVisible()]
    return "\n".join(label.text() if isinstance(label, QLabel) else label.accessibleName() for label in shown)


def test_the_window_shows_it_with_true_words(qapp, program):
    window, name = program.window, "整流后的分数"

    def show(**look):
        program.view.set(**look)
        program.view.notify_all()
        qapp.processEvents()
        return [word[0] for word in window.product._words.title._words()]

    assert window.findChild(QWidget, "heatmap.rectified") is not None
    assert window.findChild(QWidget, "node.rectified").isVisible()
    box = window.spine.boxes.box("rectify")
    assert box.isVisible()
    assert "整流" in shown_text(box)
    assert "ReLU" in shown_text(box)
    assert show(stage="rectified", head=1, cell=ChosenCell("rectified", 3, 2)) == [name, "头 1"]
    assert name in window.product.maps.map("rectified").accessibleName()
    told = shown_text(window.inspector)
    assert "查询 d 与键 C 的整流后的分数" in told
    assert "乘积" not in told
    assert len(show(stage="output")) == 1, "no head, where there are none"


def test_formulas_and_titles_of_figures_hold_it(qapp, problem):
    evaluation = DenseEvaluation(problem)
    assert "ReLU(cap · tanh(Q Kᵀ / √dₖ / cap))" in formula_text(evaluation)
    assert "S^{+}" in stage_latex(evaluation, "rectified")
    for lang, title in (("en", "Rectified scores"), ("zh", "整流后的分数")):
        assert title in str(compose_figure(evaluation, ExportSettings(stage="rectified", lang=lang), (1,)).title)


# --- files ---------------------------------------------------------------------------------------
def test_it_is_exported(problem, tmp_path):
    save(problem, tmp_path / "new.attn")
    words = ["--stage", "rectified", "-o", str(tmp_path), "--heads", "1", "--format", "svg", "npy"]
    assert main(["export", str(tmp_path / "new.attn"), *words]) == 0
    assert (tmp_path / "new-rectified-h1.svg").exists()
    written = np.load(tmp_path / "new-rectified-h1.npy")
    np.testing.assert_array_equal(written, whole(DenseEvaluation(problem), "rectified")[0, 1])
