"""The model on the table: opened, given a text, turned to a layer; every way is one step of the history."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog

from attn_gui.app.actions.actions import Command
from attn_gui.app.files.files import FilesController
from attn_gui.app.files.questions import may_go
from attn_gui.app.state.computation import Computation
from attn_gui.app.state.making import Making
from attn_gui.app.state.settings import Settings
from attn_gui.app.state.side_work import SideWork
from attn_gui.app.state.translated_errors import saying
from attn_gui.document.document import Document
from attn_gui.document.edits import Label, SetStudy
from attn_gui.document.ownership import given_up
from attn_gui.engine import Evaluation, Problem
from attn_gui.engine.evaluation.choice import evaluation_of
from attn_gui.engine.problem.errors import FieldError
from attn_gui.engine.tell import Tell, within
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, FormatError
from attn_gui.formats.sessions.study_record import StudyRecord
from attn_gui.models import KNOWN, KnownModel, open_model
from attn_gui.models.run import Run
from attn_gui.models.studies.layer_edit import LayerEdit
from attn_gui.models.studies.sample_texts import sample_text
from attn_gui.models.studies.study import Placed, Study, placed
from attn_gui.models.studies.study_files import opened_study
from attn_gui.views.banner import Offer
from attn_gui.views.dialogs.progress.opening_progress import OpeningProgress
from attn_gui.views.main_window import MainWindow

LAYER = QT_TRANSLATE_NOOP("History", "layer {layer}")
TEXT = QT_TRANSLATE_NOOP("History", "text “{text}”")
FOLDERS, MOST_FOLDERS = "models/opened", 10
LONGEST = 40
"""Letters of a text in the name of a step."""


class _Asked(NamedTuple):
    """Work under way: a model that is opened, or a step in the one that there is."""

    label: Label | None
    generation: int
    again: Callable[[], object] = lambda: None  # asks for the model once more
    before: Callable[[], object] = lambda: None  # called when it is there, before the step is made


class _Made(NamedTuple):
    """Result of the work; the evaluation of its problem too, unless none can hold it."""

    placed: Placed
    evaluation: Evaluation | None


class ModelController(QObject):
    """Computes beside the window what a step needs, then makes it; where the document has moved meanwhile, not."""

    begun = Signal()  # a model is being opened
    opening = Signal()  # another model is about to be on the table
    opened = Signal()  # it is

    def __init__(
        self,
        window: MainWindow,
        document: Document,
        computation: Computation,
        making: Making,
        files: FilesController,
        settings: Settings,
    ) -> None:
        super().__init__(window)
        self._window, self._document, self._making, self._files = window, document, making, files
        self._computation, self._settings = computation, settings
        self._ran: tuple[Study, Run] | None = None  # the last run of a text
        self._work = SideWork(window, OpeningProgress(window))
        self._work.ended.connect(self._on_work_ended)
        self._asked = _Asked(None, 0)
        self._path = Path()  # of what is opened
        self._record: StudyRecord | None = None  # of a session
        files.left.connect(self._work.forget)
        files.recovered.connect(self._on_files_recovered)

    def commands(self) -> dict[str, Command]:
        """The rows of the table of actions that it answers."""
        return {"open_model": Command(self.ask)}

    @property
    def busy(self) -> bool:
        """Whether a step is still to come."""
        return self._work.busy

    def finish(self) -> None:
        """Drop what is computed; for the end of the program."""
        self._work.finish()

    # --- ways ------------------------------------------------------------------------------------
    def ask(self) -> None:
        """Ask for the folder of a checkpoint."""
        name = QFileDialog.getExistingDirectory(self._window, self.tr("Open a model"), str(Path.home()))
        if name:
            self.open_path(Path(name))

    def open_known(self, key: str) -> None:
        """Open a model that is known by this name; where it is not installed, say the line that brings it."""
        known = KNOWN[key]
        if not known.installed or self._files.may_leave():
            self._path, self._record = Path(known.title), None
            again = partial(self.open_known, key)
            self._begin(known.title, lambda tell: _opened_known(known, tell), again=again)

    def open_path(self, path: Path) -> None:
        """Open a checkpoint with a text that suits it, its first layer on the table."""
        if self._files.may_leave():
            self._path, self._record = path, None
            self._begin(path.name, lambda tell: _opened(path, tell), again=partial(self.open_path, path))

    def open_session(self, path: Path, record: StudyRecord) -> None:
        """Open a session of a model with the folder that it names, or another one that holds the same weights."""
        if self._files.may_leave():
            self._path, self._record = path, record
            folders = [*(known.folder() for known in KNOWN.values() if not known.package), *self._known()]
            again = partial(self.open_session, path, record)
            self._begin(path.name, lambda tell: opened_study(record, folders, tell), again=again)

    def set_text(self, text: str) -> None:
        """Let the model read another text; what was changed in its layers stays where it still fits."""
        study, problem = self._document.study, self._document.problem
        if study is not None and text != study.text:
            shown = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
            self._begin(text, lambda tell: study.with_text(problem, text, tell), Label(TEXT, {"text": shown}))

    def set_layer(self, layer: int, before: Callable[[], object] = lambda: None) -> None:
        """Put another layer on the table; `before` is called when it is there."""
        study, problem = self._document.study, self._document.problem
        if study is not None and layer != study.layer:
            known, label = self.run_of(study), Label(LAYER, {"layer": layer})
            self._begin(str(layer), lambda tell: study.at(problem, layer, tell, known), label)
            self._asked = self._asked._replace(before=before)

    def set_edits(self, label: Label, edits: Mapping[int, LayerEdit]) -> None:
        """Change what is changed by hand, in any layers."""
        study = self._document.study
        if study is not None:
            known = self.run_of(study)
            self._begin(str(label), lambda tell: study.with_edits(edits, tell, known), label)

    # --- runs ------------------------------------------------------------------------------------
    def run_of(self, study: Study) -> Run | None:
        """The last run, whatever was changed in it, if it is of the text and model of a study."""
        return self._ran[1] if self._ran is not None and self._ran[0].is_of(study) else None

    def keep(self, study: Study, run: Run) -> None:
        """Keep a run of the study's text, of which steps take what is the same in it."""
        self._ran = study, run

    def forget(self) -> None:
        """Let go of the last run: no model is on the table."""
        self._ran = None

    # --- inside ----------------------------------------------------------------------------------
    def _begin(
        self,
        name: str,
        work: Callable[[Tell], Placed],
        label: Label | None = None,
        again: Callable[[], object] = lambda: None,
    ) -> None:
        document = self._document
        self._asked = _Asked(label, document.revision if label is None else document.generation, again)
        self._work.start(name, lambda tell: _made(work(tell)))
        if label is None:
            self.begun.emit()

    def _on_work_ended(self, found: object) -> None:
        (label, generation, again, before), self._asked = self._asked, _Asked(None, 0)
        if isinstance(found, (ValueError, MemoryError)):
            self._window.banner.show_error(saying(found), offers=self._ways_out(found))
        elif isinstance(found, Exception):
            raise found
        elif isinstance(found, _Made):
            if label is None:
                if may_go(self._window, self._document, self._path.name, generation, again):
                    self._open(found)
            elif generation == self._document.generation:
                before()
                self._take(found, label)
            else:
                self._window.banner.show_info(
                    lambda: self.tr("“{step}” was dropped: the problem was changed while it was computed.").format(
                        step=label
                    )
                )

    def _ways_out(self, refusal: Exception) -> list[Offer]:
        """A button that copies the line for a terminal, where a sentence names one."""
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

        return [Offer(lambda: self.tr("Copy the line"), lambda: line, copied)]

    def _take(self, found: _Made, label: Label) -> None:
        """Make a step of what was computed."""
        study, problem, run = found.placed
        self.keep(study, run)
        fields = _fields(self._document.problem, problem)
        with self._computation.handed(found.evaluation):
            self._making.apply(SetStudy(fields, study, label), [*given_up(problem).values()])

    def _open(self, found: _Made) -> None:
        study, _problem, run = found.placed
        self.keep(study, run)
        self.opening.emit()
        with self._computation.handed(found.evaluation):
            self._files.begin_study(self._path, self._record, found.placed)
        self._record = None
        folder = study.model.folder
        known = [str(path) for path in self._known() if path != folder]
        self._settings.put(FOLDERS, {"folders": [str(folder.absolute()), *known][:MOST_FOLDERS]})
        self.opened.emit()

    def _on_files_recovered(self, _journal: Path) -> None:
        if self._document.study is not None:
            self.opened.emit()

    def _known(self) -> list[Path]:
        """Folders of models that were opened, the last one first."""
        found = self._settings.record(FOLDERS).get("folders", [])
        return [Path(each) for each in found if isinstance(each, str)] if isinstance(found, list) else []


def _fields(present: Problem, wanted: Problem) -> dict[str, object]:
    """The fields to set so that one problem becomes another."""
    fields = wanted.fields()
    return dict.fromkeys(present.fields().keys() - fields.keys()) | fields


def _made(placed: Placed) -> _Made:
    with suppress(FieldError):  # said where the evaluation is asked for again
        return _Made(placed, evaluation_of(placed.problem))
    return _Made(placed, None)


def _opened(path: Path, tell: Tell, name: str = "") -> Placed:
    model = open_model(path, within(tell, 0, 2), name=name)
    return placed(model, sample_text(model), 0, {}, within(tell, 1, 2))


def _opened_known(known: KnownModel, tell: Tell) -> Placed:
    return _opened(known.folder(within(tell, 0, 2)), within(tell, 1, 2), known.title)
