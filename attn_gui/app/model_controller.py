"""Models opened; text, layer and changes as steps of the history, one after another; “not installed”."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog

from attn_gui.app.actions.action_table import Row
from attn_gui.app.actions.actions import Command
from attn_gui.app.app_context import AppContext, Controller
from attn_gui.app.files.files import FilesController
from attn_gui.app.state.background_task import WindowTask
from attn_gui.app.state.translated_errors import saying, sentences
from attn_gui.document.edits import Label, SetStudy
from attn_gui.document.working_arrays import released_arrays
from attn_gui.engine import Evaluation, Problem
from attn_gui.engine.arrays import Progress, within
from attn_gui.engine.errors import FieldError
from attn_gui.engine.evaluation.trace import evaluation_of
from attn_gui.formats.file_messages import FormatError
from attn_gui.formats.session import FileStamp, StudyRecord
from attn_gui.languages import N_
from attn_gui.models import KNOWN, KnownModel
from attn_gui.views.banner import BannerOffer
from attn_gui.views.dialogs.dialog_base import soon_over

if TYPE_CHECKING:
    from attn_gui.models.changed_layers import LayerEdit
    from attn_gui.models.model import Run
    from attn_gui.models.study import OpenedStudy, Study

    Edits = Mapping[int, LayerEdit]

LAYER = N_("History", "layer {layer}")
TEXT = N_("History", "text “{text}”")

LONGEST = 40
"""Letters of a text in the name of a step."""

MENU, CONTEXT = "models", "Models"


class StepWork(NamedTuple):
    """Computation of a step, and the way to make it of what came out; False where the document has moved meanwhile."""

    compute: Callable[[Progress], Any]
    take: Callable[[Any], bool]


class ModelStep(NamedTuple):
    """A step that is asked for; `begin` gives, once its turn has come, the work that it takes, None for none."""

    label: Label
    begin: Callable[[], StepWork | None]
    kind: str = ""  # a later one takes the place of an earlier one of its kind


class ModelSteps(Controller):
    """Queue of the steps of a model: each begins with the document that the one before has left; another document
    drops all."""

    ended = Signal()  # no step is to come any more

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._refused = False  # or dropped, one of those that are waited for
        self._asked: list[ModelStep] = []  # the first one is under way
        self._now: StepWork | None = None
        self._work = WindowTask(context.window, "making")
        self._work.ended.connect(self._on_work_ended)
        self._work.canceled.connect(self._on_work_canceled)
        context.document.opened.connect(self.forget)

    @property
    def busy(self) -> bool:
        """Whether a step is still to come."""
        return bool(self._asked)

    def ask(self, step: ModelStep) -> None:
        """Make this step after those that were asked for before."""
        kinds = [each.kind for each in self._asked]
        place = kinds.index(step.kind) if step.kind and step.kind in kinds else len(kinds)
        self._asked[place : place + 1] = [step]
        if place == 0:
            self._begin()

    def wait(self) -> bool:
        """Return whether all steps are made, within a moment; else that is said. A refused one is not made."""
        if not self.busy:
            return True
        self._refused = False
        if soon_over(self.ended, lambda: self.busy):
            return not self._refused
        step = self._asked[0].label
        self._window.banner.show_info(
            lambda: self.tr("“{step}” is still being computed: wait for it, or stop it with Esc.").format(step=step)
        )
        return False

    def forget(self) -> None:
        """Drop all steps."""
        self._asked.clear()
        self._begin()

    def _begin(self) -> None:
        """Begin the first step that changes anything, in the place of the one under way."""
        self._work.forget()
        self._now = None
        while self._asked and self._now is None:
            self._now = self._asked[0].begin()
            if self._now is None:
                del self._asked[0]
            else:
                self._work.start(self._now.compute, str(self._asked[0].label))
        if not self.busy:
            self.ended.emit()

    def _on_work_ended(self, outcome: Future[object]) -> None:
        step, work, self._now = self._asked.pop(0), self._now, None
        assert work is not None, "it has begun"
        try:
            self._take(step.label, work, outcome)
        finally:
            if not self._work.busy:  # else it has led to another one
                self._begin()

    def _take(self, label: Label, work: StepWork, outcome: Future[object]) -> None:
        try:
            found = outcome.result()
        except (ValueError, MemoryError) as error:
            self._refused = True
            self._window.banner.show_error(saying(error))
            return
        if found is not None and not work.take(found):
            self._refused = True
            self._window.banner.show_info(
                lambda: self.tr("“{step}” was dropped: the problem was changed while it was computed.").format(
                    step=label
                )
            )

    def _on_work_canceled(self) -> None:
        """Go on with the next step."""
        del self._asked[0]
        self._begin()


class _Made(NamedTuple):
    """Result of the work; the evaluation of its problem too, unless none can hold it."""

    placed: OpenedStudy
    evaluation: Evaluation | None


class ModelController(Controller):
    """Opens models and makes steps in them beside the window; where the document has moved meanwhile, not."""

    begun = Signal()  # a model is being opened
    opening = Signal()  # another model is about to be on the table
    opened = Signal()  # it is

    def __init__(self, context: AppContext, files: FilesController) -> None:
        super().__init__(context)
        self._files = files
        self._ran: tuple[Study, Run] | None = None  # the last run of a text
        self.steps = ModelSteps(context)
        files.steps_made = self.steps.wait

    def commands(self) -> dict[str, Command]:
        return {"open_model": Command(self.ask)}

    @property
    def busy(self) -> bool:
        """Whether a model or a step is still to come."""
        return self._files.opening.busy or self.steps.busy

    # --- ways ------------------------------------------------------------------------------------
    def ask(self) -> None:
        """Ask for the folder of a checkpoint."""
        name = QFileDialog.getExistingDirectory(self._window, self.tr("Open a model"), str(Path.home()))
        if name:
            self.open_path(Path(name))

    def open_known(self, key: str) -> None:
        """Open a model that is known by this name; where it is not installed, say the line that brings it."""
        known = KNOWN[key]
        if not known.installed:
            self._refuse(known.absence)
            return

        def read(_path: Path, progress: Progress) -> OpenedStudy:
            return _opened(known.folder(within(progress, 0, 2)), within(progress, 1, 2), known.title)

        self._begin(Path(known.title), read, partial(self.open_known, key))

    def open_path(self, path: Path) -> None:
        """Open a checkpoint with a text that suits it, its first layer on the table."""
        self._begin(path, _opened, partial(self.open_path, path))

    def open_session(self, path: Path, record: StudyRecord, asked: int | None = None) -> None:
        """Open a session of a model with the folder that it names, or another one that holds the same weights; the
        document of the revision `asked`, about which a person was asked, goes."""
        from attn_gui.models.study import opened_study

        read = FileStamp.of(path)
        if asked == self._document.revision or self._files.may_leave():
            if FileStamp.of(path) != read:  # saved when that was asked: the record is of before
                self._files.open_path(path)
                return
            own = [known.folder() for known in KNOWN.values() if not known.package]
            again = partial(self._files.open_path, path)  # with what it holds then
            self._begin(
                path,
                lambda _path, progress: opened_study(record, [*own, *self._settings.model_folders()], progress),
                again,
                record,
                self._document.revision,  # which was asked about above
            )

    def set_text(self, text: str) -> None:
        """Let the model read another text; what was changed in its layers stays where it still fits."""

        def with_text(study: Study, problem: Problem, _known: Run | None, progress: Progress) -> OpenedStudy | None:
            return study.with_text(problem, text, progress) if text != study.text else None

        shown = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
        self._ask(Label(TEXT, {"text": shown}), with_text, kind=str(TEXT))

    def set_layer(self, layer: int, before: Callable[[], object] = lambda: None) -> None:
        """Put another layer on the table; `before` is called when it is there."""

        def at(study: Study, problem: Problem, known: Run | None, progress: Progress) -> OpenedStudy | None:
            return study.at(problem, layer, progress, known) if layer != study.layer else None

        self._ask(Label(LAYER, {"layer": layer}), at, before, str(LAYER), navigates=True)

    def set_edits(self, label: Label, change: Callable[[Edits], Edits | None]) -> None:
        """Change what is changed by hand, in any layers, to what `change` makes of it; None leaves it as it is."""

        def with_edits(study: Study, problem: Problem, known: Run | None, progress: Progress) -> OpenedStudy | None:
            edits = change(study.edits(problem))
            return study.with_edits(edits, progress, known) if edits is not None else None

        self._ask(label, with_edits)

    # --- runs ------------------------------------------------------------------------------------
    def run_of(self, study: Study) -> Run | None:
        """Return the last run, whatever was changed in it, if it is of the text and model of a study."""
        return self._ran[1] if self._ran is not None and self._ran[0].is_of(study) else None

    def keep(self, study: Study, run: Run) -> None:
        """Keep a run of the study's text, of which steps take what is the same in it."""
        self._ran = study, run

    def forget(self) -> None:
        """Let go of the last run: no model is on the table."""
        self._ran = None

    def _ask(
        self,
        label: Label,
        work: Callable[[Study, Problem, Run | None, Progress], OpenedStudy | None],
        before: Callable[[], object] = lambda: None,
        kind: str = "",
        *,
        navigates: bool = False,
    ) -> None:
        """Ask for a step of what `work` makes of the study and the problem that are there then; None makes no step.

        `navigates` as in `SetStudy`.
        """

        def begin() -> StepWork | None:
            study, problem, generation = self._document.study, self._document.problem, self._document.generation
            if study is None:
                return None
            known = self.run_of(study)

            def take(made: _Made) -> bool:
                if generation == self._document.generation:
                    before()
                    self._take(made, label, navigates)
                    return True
                return False

            return StepWork(lambda progress: _made(work(study, problem, known, progress)), take)

        if self._document.study is not None:
            self.steps.ask(ModelStep(label, begin, kind))

    def _take(self, found: _Made, label: Label, navigates: bool) -> None:
        """Make a step of what was computed."""
        study, problem, run = found.placed[:3]
        self.keep(study, run)
        fields = _fields(self._document.problem, problem)
        with self._computation.handed(found.evaluation):
            self._runner.apply(SetStudy(fields, study, label, navigates), [*released_arrays(problem).values()])

    def _begin(
        self,
        path: Path,
        read: Callable[[Path, Progress], OpenedStudy],
        again: Callable[[], object],
        record: StudyRecord | None = None,
        asked: int | None = None,
    ) -> None:
        """Read a model of a folder or, with a record, of a session, and open it; `asked` as in `read_beside`."""

        def made(path: Path, progress: Progress) -> _Made | None:
            return _made(read(path, progress))

        take = partial(self._open, path, record)
        if self._files.read_beside(path, made, take, again, self._refuse, asked=asked, at_once=True):
            self.begun.emit()

    def _refuse(self, error: Exception, _revision: int = 0) -> None:
        self._window.banner.show_error(saying(error), offers=self._ways_out(error))

    def _ways_out(self, refusal: Exception) -> list[BannerOffer]:
        """Return a button that copies the line for a terminal, where a sentence names one."""
        line = refusal.values.get("line") if isinstance(refusal, FormatError) else None
        if not isinstance(line, str):
            return []

        def copied() -> None:
            QGuiApplication.clipboard().setText(line)
            self._window.banner.show_info(
                lambda: self.tr(
                    "Copied. Let the line run in a terminal, then open the model again; the window can stay."
                )
            )

        return [BannerOffer(lambda: self.tr("Copy the line"), lambda: line, copied)]

    def _open(self, path: Path, record: StudyRecord | None, found: _Made, stamp: FileStamp | None) -> None:
        study, run = found.placed.study, found.placed.run
        self.keep(study, run)
        self.opening.emit()
        with self._computation.handed(found.evaluation):
            self._files.open_study(path, record, found.placed, stamp)
        if notes := study.model.notes:
            self._window.banner.show_info(lambda: sentences(notes))
        self._settings.add_model_folder(study.model.folder.absolute())
        self.opened.emit()

    def show_recovered(self) -> None:
        """Show the model of a document that was recovered, where it is of one."""
        if self._document.study is not None:
            self.opened.emit()


def _fields(present: Problem, wanted: Problem) -> dict[str, object]:
    """Return the fields to set so that one problem becomes another."""
    fields = wanted.fields()
    return dict.fromkeys(present.fields().keys() - fields.keys()) | fields


def _made(placed: OpenedStudy | None) -> _Made | None:
    if placed is None:
        return None
    with suppress(FieldError):  # said where the evaluation is asked for again
        return _Made(placed, evaluation_of(placed.problem))
    return _Made(placed, None)


def _opened(path: Path, progress: Progress, name: str = "") -> OpenedStudy:
    from attn_gui.models.model import read_model
    from attn_gui.models.study import open_layer, sample_text

    model = read_model(path, within(progress, 0, 2), name=name)
    return open_layer(model, sample_text(model), 0, {}, within(progress, 1, 2))


class ModelsAtHand(Controller):
    """Lists the models known by name in their menu; one that is not installed says how to install it when it is asked
    for.
    """

    def __init__(self, context: AppContext, models: ModelController) -> None:
        super().__init__(context)
        self._actions, self._models = context.bars.actions, models
        self._known = {key: known for key, known in KNOWN.items() if known.obtainable}
        context.bars.add([_row(key, known) for key, known in self._known.items()])
        context.bars.menus[MENU].aboutToShow.connect(self.retranslate)
        models.opened.connect(self.retranslate, Qt.ConnectionType.QueuedConnection)
        self.retranslate()

    def commands(self) -> dict[str, Command]:
        return {_action(key): Command(partial(self._models.open_known, key)) for key in self._known}

    def retranslate(self) -> None:
        """Show layers × heads beside each name, in the present language: one may have been installed meanwhile."""
        for key, known in self._known.items():
            action, beside = self._actions[_action(key)], known.size if known.installed else self.tr("not installed")
            action.setText(f"{_said(known.label)}\t{beside}")
            action.setToolTip(_said(known.about))


def out_of_reach() -> list[str]:
    """Return names of the actions of models that are not to be had here."""
    return [_action(key) for key, known in KNOWN.items() if not known.obtainable]


def _action(key: str) -> str:
    return f"known_{key.replace('-', '_')}"


def _row(key: str, known: KnownModel) -> Row:
    return Row(_action(key), MENU, known.label, words=f"{known.title} {known.package}", context=CONTEXT)


def _said(words: str) -> str:
    return QCoreApplication.translate(CONTEXT, words)
