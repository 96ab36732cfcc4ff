"""New, open, save, recent files, examples, drag and drop: every way in which a document begins or is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QMenu

from attn_gui.app.actions.actions import Command
from attn_gui.app.files.examples import EXAMPLES, Example, example_of
from attn_gui.app.files.journaling import Journaling
from attn_gui.app.files.opening import FOLDERS, ModelAway, Opening, Read, Resumed, resume
from attn_gui.app.files.questions import Way, ask_about_change, may_go, path_to_save, paths_to_open, save_first
from attn_gui.app.files.recent import RecentFiles
from attn_gui.app.files.session_saving import SessionSaving
from attn_gui.app.problem.clash import Clashes
from attn_gui.app.state.making import Arrays, Making
from attn_gui.app.state.settings import Settings
from attn_gui.app.state.translated_errors import saying, sentences
from attn_gui.document.document import Document
from attn_gui.document.edits import Label
from attn_gui.engine import Problem, ShapeError
from attn_gui.formats import SESSION, Loaded, Note, open_file
from attn_gui.formats.file_sentences import Unsettled
from attn_gui.formats.session import Kept, ModelNeeded, Stamp, StudyRecord
from attn_gui.languages import QT_TRANSLATE_NOOP
from attn_gui.views.banner import BannerOffer
from attn_gui.views.dialogs.asking import asked
from attn_gui.views.main_window import MainWindow

if TYPE_CHECKING:
    from attn_gui.models.study import Placed, Study


class FilesController(QObject):
    """Begins and keeps documents; asks before anything unsaved is lost."""

    recovered = Signal(Path)  # the journal whose document is open now
    chosen = Signal(list)  # the files that are to be opened
    left = Signal()  # the document may go for another one: whatever was being opened before is wanted no more
    foreign = Signal(Path, object)  # a file of arrays about which a person has to say more, and the FormatError on it
    modelNeeded = Signal(Path, object, object)  # a session of a model: its StudyRecord, the revision left for it

    def __init__(
        self, window: MainWindow, document: Document, settings: Settings, making: Making, menus: Mapping[str, QMenu]
    ) -> None:
        super().__init__(window)
        self._making, self._menus = making, menus
        self._window, self._document, self._settings = window, document, settings
        self.steps_made: Callable[[], bool] = lambda: True  # those that what was typed has led to; else it is said
        self._view_of: Callable[[], Mapping[str, object]] = dict
        self.view: Mapping[str, object] = {}  # that the file carries, or that suits the example
        self.about: Mapping[str, str] = {}  # title, model, licence: what is known about what was opened
        self._clashes = Clashes(window.banner, self, making)
        self.opening = Opening(window)
        self.journaling = Journaling(window, document)
        self.saving = SessionSaving(window, document, settings, self.journaling)
        self.journaling.set_source(self._kept, lambda: self.saving.busy)
        self.saving.saved.connect(self._on_saved)
        self.saving.elsewhere.connect(self.save_as)
        self.saving.ended.connect(self.journaling.wake)
        self._known: Stamp | None = None  # the document's file as it was when it was read or written last
        self._asked: tuple[Path, Read, int, Stamp | None, str] = Path(), open_file, 0, None, ""  # and the revision left
        self.opening.ended.connect(self._on_opening_ended)
        self.left.connect(self.opening.forget)
        window.banner.closed.connect(self._on_banner_closed)
        self.recent = RecentFiles(menus, settings, self.open_path)
        self.retranslate()
        window.inspector.exampleRequested.connect(self.open_example)
        window.inspector.newRequested.connect(self.new)
        window.inspector.openRequested.connect(self.open)

    def commands(self) -> dict[str, Command]:
        """The rows of the table of actions that it answers."""
        own = {name: Command(getattr(self, name)) for name in ("new", "open", "save", "save_as")}
        return own | self.recent.commands()

    def set_view_source(self, view_of: Callable[[], Mapping[str, object]]) -> None:
        """Set the source of the view that a saved session carries."""
        self._view_of = view_of

    def retranslate(self) -> None:
        """The examples in their menu and among the first steps, in the present language."""
        self._menus["examples"].clear()
        for example in EXAMPLES:
            action = self._menus["examples"].addAction(example.title_text())
            action.setObjectName(f"action.example_{example.key}")
            action.triggered.connect(lambda _=False, key=example.key: self.open_example(key))
        self._window.inspector.set_examples([(each.key, each.title_text(), "", each.size) for each in EXAMPLES])

    def _on_banner_closed(self, about: str) -> None:
        if about:
            self._settings.put(about, True)  # what was told and closed is not told again

    # --- beginning -------------------------------------------------------------------------------
    def new(self) -> None:
        from attn_gui.views.dialogs.new_dialog import NewDialog

        dialog = NewDialog(self._window)
        dialog.set_state(self._settings.record("new"))
        if asked(dialog):
            self._settings.put("new", dialog.state())
            self._make(dialog.result_choice().fields)

    def _make(self, fields: Callable[[], Mapping[str, object]]) -> None:
        """Open the problem that `fields` makes; a large one is made beside the window."""
        if not self.may_leave():
            return
        name, revision, again = self.tr("untitled"), self._document.revision, partial(self._make, fields)

        def take(made: Mapping[str, object], _fresh: Arrays) -> None:
            if may_go(self._window, self._document, name, revision, again):
                self._begin(Loaded(Problem.over(made)), None, name, {})

        self._making.begin(Label(QT_TRANSLATE_NOOP("History", "new problem")), fields, take)

    def open(self) -> None:
        if paths := paths_to_open(self._window, self._folder()):
            self.chosen.emit(paths)

    def open_path(self, path: Path) -> bool:
        """Open a file as a new document; False where it is refused with one sentence, or a large one is still read."""
        stamp = Stamp.of(path)
        try:
            loaded = self.opening.at_once(path)
        except ValueError as error:
            self._refuse(path, error)
            return False
        if loaded is None:
            self.open_beside(path)
        elif self.may_leave():
            if Stamp.of(path) != stamp:  # saved when that was asked: it holds something else now
                return self.open_path(path)
            self._take(path, loaded, stamp)
            return True
        return False

    def open_beside(self, path: Path, read: Read = open_file, name: str = "") -> None:
        """Open what `read` makes of a file, read beside the window; the document is left once that is allowed.

        `name` is that of the document where the file holds more than it.
        """
        if self.may_leave():
            self._begin_reading(path, read, name)

    def _begin_reading(self, path: Path, read: Read = open_file, name: str = "") -> None:
        self._asked = path, read, self._document.revision, Stamp.of(path), name
        self.opening.begin(path, read)

    def recover(self, path: Path) -> None:
        """Open what a journal kept as an unsaved document, as it was."""
        opened = [Path(name) for name in self._settings.entries(FOLDERS, "folders") if isinstance(name, str)]
        self.open_beside(path, partial(resume, opened=opened))

    def _recover_with(self, path: Path, away: ModelAway) -> None:
        """Ask for the folder of a journal's model, and open what it kept; without an answer the refusal stays."""
        name = QFileDialog.getExistingDirectory(self._window, self.tr("Folder of the model"), self._folder())
        if name:
            self.open_beside(path, partial(resume, opened=[Path(name)]))
        else:
            self._refuse(path, away)

    def _on_opening_ended(self, outcome: Future[Loaded | Resumed]) -> None:
        path, read, revision, stamp, name = self._asked
        if isinstance(refusal := outcome.exception(), ValueError):
            self._refuse(path, refusal, revision)
            return
        found = outcome.result()
        again = partial(self.open_beside, path, read, name)
        if may_go(self._window, self._document, path.name, revision, again):
            if isinstance(found, Resumed):
                self._take_resumed(path, found)
            else:
                self._take(path, found, stamp, read, name)

    def _take_resumed(self, path: Path, found: Resumed) -> None:
        self._known = file = found.kept.file
        self._begin(found.loaded, file.path if file else None, found.kept.name, found.loaded.view, found.study)
        self._tell(found.loaded.notes)
        self._document.mark_unsaved()
        self.recovered.emit(path)

    def _take(self, path: Path, loaded: Loaded, stamp: Stamp | None, read: Read = open_file, name: str = "") -> None:
        self._begin(loaded, path if path.suffix in SESSION.suffixes else None, name or path.stem, loaded.view)
        self._known = stamp  # of before it was read: what another program has written since is not ours
        self.journaling.begin_from(self._known if read is open_file else None)  # what was arranged is in no file
        if path.is_file():
            self._settings.add_recent(path.resolve())
        self._tell(loaded.notes)

    def _refuse(self, path: Path, error: Exception, left: int | None = None) -> None:
        """Say what is wrong with a file; where its matrices only do not fit together, offer to make them fit."""
        if isinstance(error, ModelNeeded):
            self.modelNeeded.emit(path, error.record, left)
            return
        clash = error.__cause__
        if isinstance(error, Unsettled):
            self.foreign.emit(path, error)
            return
        if isinstance(error, ModelAway):
            choose = BannerOffer(
                lambda: self.tr("Choose its folder…"),
                lambda: self.tr("The same checkpoint at its new place; its weights are compared"),
                partial(self._recover_with, path, error),
            )
            self._window.banner.show_error(saying(error), offers=[choose])
            return
        if not isinstance(clash, ShapeError) or clash.given is None:
            self._window.banner.show_error(saying(error))
            return
        fields = dict(clash.given)

        def accept(changes: Mapping[str, object], _fresh: Arrays) -> None:
            problem = Problem.of({**fields, **changes})
            if self.may_leave():
                self._begin(Loaded(problem), None, path.stem, {})

        self._clashes.offer(clash, lambda: fields, dict, accept, words=saying(error))

    def open_example(self, key: str) -> None:
        if self.may_leave():
            self.begin_with_example(key)

    def begin_with_example(self, key: str) -> None:
        """Open one of the problems that come along, whatever becomes of the one before."""
        loaded = (example := example_of(key)).load()
        self._begin(loaded, None, example.name, example.view)
        self._tell_of(example, loaded)

    def begin_study(self, path: Path, record: StudyRecord | None, placed: Placed, stamp: Stamp | None) -> None:
        """Open a layer of a model, of its folder or of a session that holds it; the document before is left."""
        if record is None:
            self._begin(Loaded(placed.problem), None, placed.study.model.name, {}, placed.study)
        else:
            self._begin(Loaded(placed.problem, snapshots=placed.snapshots), path, path.stem, record.view, placed.study)
            self._known = stamp
            self._settings.add_recent(path.resolve())

    def begin_problem(self, problem: Problem, name: str, study: Study | None = None) -> None:
        """Open a copy of a problem that is no file's; the document before, and what was to take its place, is left."""
        self.left.emit()
        self._begin(Loaded(problem.replace()), None, name, {}, study)

    def began_with(self, example: Example, loaded: Loaded, *, told: bool) -> None:
        """Take up what belongs to the example that the document holds from the start; `told` says what it shows."""
        self.about, self.view = loaded.about, example.view
        if told:
            self._tell_of(example, loaded)

    def _tell_of(self, example: Example, loaded: Loaded) -> None:
        about, text = f"told/{example.key}", loaded.text
        if not self._settings.flag(about, False):
            self._window.banner.show_info(lambda: example.about_text(text), about=about)

    def _begin(
        self, loaded: Loaded, path: Path | None, name: str, view: Mapping[str, object], study: Study | None = None
    ) -> None:
        self._window.banner.hide()
        self.about, self.view = loaded.about, view
        self._document.adopt(loaded.problem, path, name, loaded.snapshots, study)

    def _tell(self, notes: Sequence[Note]) -> None:
        if notes:
            self._window.banner.show_info(lambda: sentences(notes))

    # --- keeping ---------------------------------------------------------------------------------
    def save(self) -> bool:
        """Save the document in its file; one that another program has changed meanwhile is asked about."""
        path, known = self.saving.path, self._known
        if path is None:
            return self.save_as()
        if self.saving.busy or known is None or known.path != path or known.is_current() or not path.exists():
            return self._write(path)
        way = ask_about_change(self._window, path.name)
        if way is Way.RELOAD:
            self.left.emit()
            self._begin_reading(path)
        return self._write(path) if way is Way.SAVE_OVER else way is Way.SAVE_AS and self.save_as()

    def save_as(self) -> bool:
        path = path_to_save(self._window, self._folder(), self._document.name + SESSION.suffixes[0])
        return path is not None and self._write(path)

    def _write(self, path: Path) -> bool:
        return self.steps_made() and self.saving.save(path, self._view_of(), self.about)

    def _kept(self) -> Kept:
        return Kept(file=self._known, about=self.about, view=self._view_of())

    def _on_saved(self) -> None:
        self._known = Stamp.of(self._document.path) if self._document.path else None
        self.journaling.go_on_from(self._known)

    def may_leave(self) -> bool:
        """Wait for what is being written, ask to save what is not saved, half typed or not; False means stay."""
        settled = self._window.settle() and self.steps_made() and self.saving.wait()
        if may := settled and (not self._document.modified or self._save_first()):
            self.left.emit()
        return may

    def _save_first(self) -> bool:
        return save_first(self._window, self._document.name, lambda: self.save() and self.saving.wait())

    def finish(self) -> None:
        """Drop what is being read, and write to its end what is being written; for the end of the program."""
        self.opening.finish()
        self.saving.finish()
        self.journaling.finish()

    def _folder(self) -> str:
        recent = self._settings.recent()
        return str(self._document.path.parent if self._document.path else recent[0].parent if recent else Path.home())
