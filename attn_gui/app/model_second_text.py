"""Rows of the second text taken into the first, as steps; its layer as the state compared with."""

from __future__ import annotations

from concurrent.futures import Future
from typing import NamedTuple

from attn_gui.app.actions.action_table import Row
from attn_gui.app.actions.actions import Command
from attn_gui.app.app_context import AppContext, Controller
from attn_gui.app.editing.map_cells import CellChanges
from attn_gui.app.maps.comparing import CompareController
from attn_gui.app.model_controller import ModelStep, ModelSteps, StepWork
from attn_gui.app.model_results import ModelResult
from attn_gui.app.model_run_controller import ModelRunController
from attn_gui.app.state.background_task import BackgroundTask
from attn_gui.app.state.translated_errors import saying
from attn_gui.document.edits import Label
from attn_gui.engine import Problem
from attn_gui.engine.arrays import Array, Box
from attn_gui.languages import N_
from attn_gui.models.attribution import rows_taken
from attn_gui.models.model import Run
from attn_gui.models.study import Study
from attn_gui.views.model_view import ModelView
from attn_gui.views.names import letter, stage_title

ROW = N_("History", "row {row} of {stage} taken from row {place} of the second text")
ALL = N_("History", "all rows of {stage} taken from the second text")
TAKES = Row(
    "take_second_row",
    "by_hand",
    N_("Actions", "Take this row from the second te&xt"),
    words="patch activation copy other text 第二段 文本 取自 修补",
    needs=N_("Actions", "Open a model, give a second text, and choose a cell of a map"),
    full=True,
)


class _HeldLayer(NamedTuple):
    """The state that is compared with, of a layer of a run, and its name."""

    problem: Problem
    run: Run
    layer: int
    name: str


class SecondTextController(Controller):
    """Reads the rows as a step of the model, and the layer to compare with beside it."""

    def __init__(
        self, context: AppContext, steps: ModelSteps, showing: ModelRunController, compare: CompareController
    ) -> None:
        super().__init__(context)
        self._showing, self._compare = showing, compare
        self._changes = CellChanges(context.document, context.runner)
        self._panel: ModelView | None = None
        self._steps = steps
        self._held: _HeldLayer | None = None
        self._comparing = BackgroundTask(self)
        self._comparing.ended.connect(self._on_comparing_answered)
        showing.built.connect(self._follow)
        showing.changed.connect(self.show)
        context.bars.add([TAKES])

    def commands(self) -> dict[str, Command]:
        return {TAKES.name: Command(self.take_chosen, enabled=self._takes)}

    @property
    def busy(self) -> bool:
        """Whether the layer to compare with is still being read."""
        return self._comparing.busy

    def _follow(self, panel: ModelView) -> None:
        self._panel = panel
        panel.second.rowAsked.connect(self.take_row)
        panel.second.allAsked.connect(self.take_all)
        panel.second.compareAsked.connect(self.compare)

    def show(self) -> None:
        """Show the tokens of the second text, the steps that the layer has, and the layer of the comparison."""
        second, answer = self._showing.second, self._showing.answer
        if self._panel is not None:
            first = answer.run.texts if answer is not None else ()
            self._panel.second.set_tokens(second.texts if second is not None else (), first)
            if answer is not None:  # those of a document without a model would change what is chosen
                stages = self._computation.evaluation.stages
                self._panel.second.set_stages([(stage, f"{letter(stage)}  {stage_title(stage)}") for stage in stages])
        if self._held is not None and self._baseline.problem is self._held.problem:
            self._follow_layer(second)
        elif self._document.study is None:
            self._held = None

    retranslate = show

    def _follow_layer(self, second: Run | None) -> None:
        """Compare with the same layer as the one on the table."""
        study = self._document.study
        assert self._held is not None
        if second is None or study is None:
            self._compare.unpin()
        elif (self._held.run, self._held.layer) != (second, study.layer):
            self.compare()

    # --- rows ------------------------------------------------------------------------------------
    def take_row(self, stage: str, place: int, row: int) -> None:
        """Put a row of the second text in the place of a present row."""
        label = Label(ROW, {"row": row, "stage": letter(stage), "place": place})
        self._take(stage, slice(row, row + 1), place, label)

    def _takes(self) -> bool:
        """Return whether there is a second text, and a cell is chosen.

        Not during an exercise, which it could answer.
        """
        look = self._view.look
        return self._showing.second is not None and look.cell is not None and not look.blanks

    def take_chosen(self) -> None:
        """Put the row that the chosen cell is in, over all heads, there from the same place of the second text."""
        cell = self._view.look.cell
        if cell is not None and cell.stage in self._computation.evaluation.stages:
            row = self._view.index_of(cell)[-2]
            self.take_row(cell.stage, row, row)

    def take_all(self, stage: str) -> None:
        """Put all rows of a step there."""
        self._take(stage, None, 0, Label(ALL, {"stage": letter(stage)}))

    def _take(self, stage: str, rows: slice | None, place: int, label: Label) -> None:
        study, answer, second = self._document.study, self._showing.answer, self._showing.second
        if study is None or answer is None or second is None or self._is_behind(study, answer):
            return

        def put(found: tuple[Box, Array]) -> bool:
            if self._document.study is study:
                self._changes.set(stage, *found, label)
            return self._document.study is study

        work = StepWork(lambda _: rows_taken(answer.run, second, study.layer, stage, rows, place), put)
        self._steps.ask(ModelStep(label, lambda: work))

    def _is_behind(self, study: Study, answer: ModelResult) -> bool:
        """Return whether the run on show is of the text before; then that is said."""
        if behind := not answer.study.is_of(study):
            self._window.banner.show_info(lambda: self.tr("The text is still being run: try again once it is."))
        return behind

    # --- comparing -------------------------------------------------------------------------------
    def compare(self) -> None:
        """Compare the layer on the table with the same one of the second text, where both have as many tokens."""
        second, study, answer = self._showing.second, self._document.study, self._showing.answer
        if second is None or study is None or answer is None or self._is_behind(study, answer):
            return
        first, other = len(answer.run.ids), len(second.ids)
        if first != other:
            self._compare.unpin()
            self._held = None
            self._window.banner.show_info(
                lambda: self.tr(
                    "The texts have {first} and {second} tokens: only texts of the same number of tokens can be "
                    "compared cell by cell. Rows of one can be put into the other all the same."
                ).format(first=first, second=other)
            )
            return

        layer, name = study.layer, answer.wanted.other
        self._comparing.start(lambda _: _HeldLayer(second.problem(layer), second, layer, name))

    def _on_comparing_answered(self, outcome: Future[_HeldLayer]) -> None:
        try:
            found = outcome.result()
        except (ValueError, MemoryError) as error:
            self._window.banner.show_error(saying(error))
            return
        study = self._document.study
        if found.run is not self._showing.second or study is None:
            return  # the text has gone meanwhile
        if found.layer != study.layer:
            self.compare()
            return
        self._held = found
        self._compare.compare_with_state(found.problem, found.name)
