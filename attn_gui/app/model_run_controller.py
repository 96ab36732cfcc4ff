"""What is shown of the open model after a change: texts, grid, prediction; rows of its second text taken over."""

from __future__ import annotations

from concurrent.futures import Future
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QCoreApplication, Qt, QTimer, Signal

from attn_gui.app.actions.action_table import Row
from attn_gui.app.actions.actions import Command
from attn_gui.app.app_context import AppContext, Controller
from attn_gui.app.editing.map_cells import CellChanges
from attn_gui.app.maps.comparing import CompareController
from attn_gui.app.model_controller import ModelController, ModelStep, ModelSteps, StepWork
from attn_gui.app.state.background_task import BackgroundTask
from attn_gui.app.state.translated_errors import saying, sentences
from attn_gui.document.document import DocumentChange
from attn_gui.document.edits import Label
from attn_gui.engine import Problem
from attn_gui.engine.analysis.head_readings import READINGS
from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.creation.interventions import off_heads
from attn_gui.figure.pages.page_kind import ModelContext
from attn_gui.formats.file_messages import FileNote
from attn_gui.formats.untrusted_bytes import visible_text
from attn_gui.languages import N_
from attn_gui.modes import ACTIONS, MODEL, PRODUCT
from attn_gui.views.banner import Words
from attn_gui.views.head_grid import PICTURES, HeadPlace
from attn_gui.views.names import letter, stage_title
from attn_gui.views.theme import current_theme, theme_signal

if TYPE_CHECKING:
    from attn_gui.app.model_results import ChangedLayers, ModelResult
    from attn_gui.models.attribution import LikelyToken
    from attn_gui.models.model import Run
    from attn_gui.models.study import Study
    from attn_gui.views.model_view import ModelView

AS_BEFORE = N_("What it predicts is shown as it was before.")


class ModelRunController(Controller):
    """Follows the document: an answer for a state that has gone is dropped; the last one stays until the next."""

    changed = Signal()  # another answer is there, or none
    staleChanged = Signal(bool)  # whether what is shown is of a state that is gone
    built = Signal(object)  # the view, once a model is first there

    def __init__(self, context: AppContext, models: ModelController) -> None:
        super().__init__(context)
        self._models = models
        self._actions = context.bars.actions
        self.answer: ModelResult | None = None
        self._panel: ModelView | None = None
        self._changes: ChangedLayers | None = None
        self._reading, self._position = PICTURES, -1
        self._likely: tuple[LikelyToken, ...] = ()
        self._unknown: tuple[FileNote, ...] = ()
        self._unknown_words: Words = ""
        self._stale = False  # whether what is shown is of a state that is gone
        self._asked = 0, 0  # the generation and the writes of the document that is run
        self._job, self._predicting = BackgroundTask(self), BackgroundTask(self)
        self._job.ended.connect(self._on_job_ended)
        self._predicting.ended.connect(self._on_predicting_answered)
        self._soon = QTimer(self, singleShot=True, interval=0)  # the edit is painted first
        self._soon.timeout.connect(self._ask)
        self._made_soon = QTimer(self, singleShot=True, interval=0)  # that it is being opened is painted first
        self._made_soon.timeout.connect(self._make)
        models.begun.connect(self._made_soon.start)
        models.opening.connect(lambda: self._view.set_with_next(mode=MODEL))
        models.opened.connect(self._take_keyboard)  # of a model that came back, too
        context.document.changed.connect(self._on_document_changed)
        context.view.follow(self._show_chosen, "head")
        context.view.follow(self._show_second, "second_text")
        theme_signal.changed.connect(self._on_theme_changed)

    def commands(self) -> dict[str, Command]:
        showing = Command(
            lambda _on: self.show(), lambda: self._view.look.mode == MODEL, lambda: self._document.study is not None
        )
        return {ACTIONS[MODEL]: showing}

    def context(self) -> ModelContext | None:
        """Return the runs, the layer and the place that pages look at."""
        found = self.answer
        if found is None:
            return None
        return ModelContext(found.run, found.clean, found.study.layer, self._place(), self._likely, found.second)

    @property
    def second(self) -> Run | None:
        """The run of the second text."""
        return self.answer.second if self.answer is not None else None

    @property
    def busy(self) -> bool:
        """Whether an answer is still to come."""
        return self._soon.isActive() or self._job.busy or self._predicting.busy

    def show(self) -> None:
        """Bring the model into the middle of the window."""
        self._view.set(mode=MODEL)

    def _take_keyboard(self) -> None:
        """Show the model that has just been opened, and put the keyboard on the grid of its heads."""
        self.show()
        if self._panel is not None:
            self._panel.heads.setFocus(Qt.FocusReason.OtherFocusReason)

    def choose(self, layer: int, head: int) -> None:
        """Put a layer on the table and one of its heads on show."""
        study = self._document.study
        if study is None or layer == study.layer:
            self._view.set(head=head)
        # asked for the present layer, too: it takes the place of a step to another one that still waits
        self._models.set_layer(layer, lambda: self._view.set_with_next(head=head))

    # --- asking ----------------------------------------------------------------------------------
    def _on_document_changed(self, change: DocumentChange) -> None:
        study = self._document.study
        self._job.forget()
        self._predicting.forget()
        if study is None:
            if change.opened or change.study:
                self._leave()
            return
        self._make()
        if change.opened:
            self._position = -1
            self._put_away()
        if change.study:
            self._show_place()
        else:
            self._show_chosen()
        self._set_stale(self.answer is not None and (self._stale or not self._looks_only(change, study)))
        self._soon.start()

    def _looks_only(self, change: DocumentChange, study: Study) -> bool:
        """Return whether nothing but the layer on the table is another than in the last answer."""
        before = self.answer.study if self.answer is not None else study
        return change.study and before.is_of(study) and before.layer != study.layer

    def _set_stale(self, stale: bool) -> None:
        if stale != self._stale and self._panel is not None:
            self._stale = stale
            self._panel.set_stale(stale)
            self.staleChanged.emit(stale)

    def _leave(self) -> None:
        """Bring the maps back for a document that is of no model."""
        self._soon.stop()
        self._models.forget()
        if self._view.look.mode == MODEL:
            self._view.set(mode=PRODUCT)
        if self.answer is not None:
            self._put_away()

    def _put_away(self) -> None:
        """Show nothing of a run: there is none yet of what is on the table, and perhaps there never will be."""
        had, self.answer, self._likely = self.answer is not None, None, ()
        self._set_stale(False)
        if self._panel is not None:
            self._panel.clear()
        if had:
            self.changed.emit()

    def _ask(self) -> None:
        from attn_gui.app.model_results import WantedReading, answer

        study, problem = self._document.study, self._document.problem
        if study is not None:
            before, known = self.answer, self._models.run_of(study)
            wanted = WantedReading(self._reading, self._view.look.second_text, current_theme())
            self._asked = self._version()
            self._job.start(lambda progress: answer(study, problem, before, known, wanted, progress))

    def _version(self) -> tuple[int, int]:
        return self._document.generation, self._document.writes

    def _on_job_ended(self, outcome: Future[ModelResult]) -> None:
        if self._asked != self._version():
            return
        try:
            found = outcome.result()
        except (ValueError, MemoryError) as error:
            said = (error,) if self.answer is None else (error, FileNote(AS_BEFORE))
            self._window.banner.show_error(lambda: sentences(said))
            return
        unchanged = self.answer is not None and self.answer.other is found.other
        self._say_unknown(found.run.notes)
        if self.answer is not None and self.answer.place != found.place:
            self._position = -1  # of another text, in which it is anywhere
        self.answer, self._likely = found, ()
        self._models.keep(found.study, found.run)
        if isinstance(found.other, ValueError) and not unchanged:
            self._window.banner.show_error(saying(found.other))
        self._show()
        if found.run.model.ends.head is None:
            self._set_stale(False)
            self.changed.emit()  # else once the prediction is there

    def _say_unknown(self, notes: tuple[FileNote, ...]) -> None:
        """Say what of a text the model does not know, and take back what was said so of the text before."""
        if notes != self._unknown:
            self._window.banner.withdraw(self._unknown_words)
            self._unknown, self._unknown_words = notes, lambda: sentences(notes)
            if notes:
                self._window.banner.show_info(self._unknown_words)

    # --- showing ---------------------------------------------------------------------------------
    def _show(self) -> None:
        """Show everything that is known."""
        self._show_place()
        self._show_maps()
        if self.answer is not None and self._panel is not None and self._changes is not None:
            run, position = self.answer.run, self._place()
            self._panel.heads.heads.set_changed(self._changes.set_answer(self.answer))
            self._panel.tokens.set_tokens(run.texts, position)
            self._panel.set_similar(self._similar())
            self._predict()

    retranslate = _show

    def _show_place(self) -> None:
        """Show the model and text, and the layer and head that are on the table."""
        study, panel = self._document.study, self._panel
        if study is None or panel is None:
            return
        model, grid = study.model, panel.heads.heads
        if (grid.rowCount(), grid.columnCount()) != (model.num_layers, model.num_heads):
            grid.set_shape(model.num_layers, model.num_heads)
        words = self.tr("{name}: {family}, {layers} layers of {heads} heads")
        said = words.format(name=model.name, family=model.family, layers=model.num_layers, heads=model.num_heads)
        panel.set_model(said, study.text)
        pictures = (PICTURES, self.tr("their weights"))
        fitting = [key for key, reading in READINGS.items() if reading.fits(study.base)]
        words_of = [(key, QCoreApplication.translate("Readings", READINGS[key].title)) for key in fitting]
        panel.set_readings([pictures, *words_of], self._reading)
        self._show_chosen()

    def _show_chosen(self) -> None:
        """Mark the head on show, and say whether it is off."""
        if self._document.study is not None and self._panel is not None:
            head, off = self._view.look.head, off_heads(self._document.problem)
            self._panel.heads.set_chosen(HeadPlace(self._document.study.layer, head))
            self._panel.set_off(head in off, len(off) == self._document.problem.num_heads)

    def _show_second(self) -> None:
        """Show the second text, which is run together with the first; without a model on the table, too."""
        if self._panel is not None:
            self._panel.set_second_text(self._view.look.second_text)
            self._soon.start()

    def _show_maps(self) -> None:
        if self.answer is None or self._panel is None:
            return
        grid = self._panel.heads.heads
        grid.set_pictures(self.answer.maps.pictures)
        title = QCoreApplication.translate("Readings", READINGS[self._reading].title) if self._reading else ""
        grid.set_numbers(title, self.answer.numbers)

    def _similar(self) -> str:
        """Return the likeness of the text's embedding to the one before, and to the second text's, in a model of
        sentences."""
        from attn_gui.app.model_results import cosine_text

        found = self.answer
        assert found is not None
        words = []
        if found.run.embedding is not None and found.edits:
            said = self.tr("Embedding of the text, now and before: cosine {cosine}")
            words.append(said.format(cosine=cosine_text(found.run, found.clean)))
        if found.run.embedding is not None and (other := self.second) is not None:
            said = self.tr("Embeddings of both texts: cosine {cosine}")
            words.append(said.format(cosine=cosine_text(found.run, other)))
        return "\n".join(words)

    # --- the prediction --------------------------------------------------------------------------
    def _place(self) -> int:
        """Return the token at which the prediction is read."""
        assert self.answer is not None
        count = len(self.answer.run.tokens)
        return self._position if 0 <= self._position < count else self.answer.place

    def _predict(self) -> None:
        from attn_gui.figure.pages.model import MOST
        from attn_gui.models.attribution import likely

        found = self.answer
        if found is not None and found.run.model.ends.head is not None:
            position = self._place()
            self._predicting.start(lambda _: likely(found.run, found.clean, position, MOST))

    def _on_predicting_answered(self, outcome: Future[tuple[LikelyToken, ...]]) -> None:
        self._likely = outcome.result()
        self._set_stale(False)
        self._show_prediction(self._likely)
        self.changed.emit()

    def _show_prediction(self, rows: tuple[LikelyToken, ...]) -> None:
        if self.answer is None or self._panel is None:
            return
        run = self.answer.run
        token = visible_text(run.texts[self._place()])
        causal = self.tr("After “{token}”"), self.tr("In the place of “{token}”")
        words = causal[0] if run.model.sizes.causal else causal[1]
        self._panel.set_prediction_title(words.format(token=token))
        self._panel.predictions.rows.set_rows(rows, two=bool(self.answer.edits))

    # --- what is wanted --------------------------------------------------------------------------
    def _make(self) -> None:
        """Make the view, while the first model is being opened or when it is there."""
        from attn_gui.app.model_results import ChangedLayers
        from attn_gui.views.model_view import ModelView

        if self._panel is not None:
            return
        panel = self._panel = ModelView(self._window.pictures)
        self._window.add_mode(MODEL, panel)
        panel.textAsked.connect(self._models.set_text)
        panel.heads.headAsked.connect(self.choose)
        panel.heads.doubleClicked.connect(lambda _index: self._view.set(mode=PRODUCT))
        panel.reading.picked.connect(self._on_reading_asked)
        panel.otherAsked.connect(lambda text: self._view.set(second_text=text))
        panel.head_off.clicked.connect(self._actions["head_off"].trigger)
        panel.tokens.tokenPicked.connect(self._on_token_picked)
        self._changes = ChangedLayers(panel, self._document, self._runner, self._models)
        self.built.emit(panel)

    def _on_theme_changed(self, *_: object) -> None:
        if self._document.study is not None:
            self._soon.start()

    def _on_reading_asked(self, key: str) -> None:
        self._reading = key
        self._soon.start()

    def _on_token_picked(self, position: int) -> None:
        self._position = position
        self._predict()


# --- second text ----------------------------------------------------------------------------------
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
        from attn_gui.models.attribution import rows_taken

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
