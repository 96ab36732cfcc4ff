"""New, Open, Save, the menu of recent files, examples: what is asked before anything is lost, what is said then."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from os.path import exists  # which takes one that cannot be looked at for gone, where Path.exists raises
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from attn_gui.app.actions.actions import Command
from attn_gui.app.app_context import AppContext, Controller
from attn_gui.app.editing.edit_runner import Arrays
from attn_gui.app.editing.sizes_and_parts import ShapeFixes
from attn_gui.app.files.examples import EXAMPLES, Example, example_in, example_of, shown_name
from attn_gui.app.files.file_dialogs import (
    ChangedFileAnswer,
    ask_about_change,
    folder_of,
    path_to_save,
    paths_to_open,
    save_first,
)
from attn_gui.app.files.journaling import Journaling
from attn_gui.app.files.session_saving import SessionSaving
from attn_gui.app.state.background_task import LARGE, BackgroundTask, WindowTask
from attn_gui.app.state.settings import REOPEN, Settings
from attn_gui.app.state.translated_errors import saying, sentences
from attn_gui.document.edits import Label
from attn_gui.engine import Problem, ShapeError
from attn_gui.engine.arrays import Progress
from attn_gui.engine.fields import GIVEN
from attn_gui.formats import (
    SESSION,
    FileNote,
    Loaded,
    open_file,
    open_small,
)
from attn_gui.formats.file_messages import AmbiguousFile
from attn_gui.formats.session import FileStamp, KeptDocument, ModelNeeded, StudyRecord
from attn_gui.languages import N_
from attn_gui.views.banner import BannerOffer
from attn_gui.views.dialogs.dialog_base import asked
from attn_gui.views.widgets import plain_tip

if TYPE_CHECKING:
    from attn_gui.models.study import OpenedStudy, Study


Read = Callable[[Path, Progress], object]
TakeFile = Callable[[Any, FileStamp | None], object]  # gets what was read, and the file as it was before
RefuseFile = Callable[[Exception, int], object]  # gets the revision of the document that may go for the file
LONGEST_FOLDER = 48  # letters of a folder in the menu
LONGEST_NAME = 64  # and of a file


class RecentFiles(QObject):
    """Fills the menu of the files opened or saved last whenever it is about to be shown; which files are there is
    looked up beside the window, for a folder may be far away.
    """

    def __init__(self, menus: Mapping[str, QMenu], settings: Settings, open_path: Callable[[Path], object]) -> None:
        super().__init__(menus["recent"])
        self._menu, self._settings, self._open_path = menus["recent"], settings, open_path
        self._listed: dict[Path, QAction] = {}
        self._missing: QAction | None = None
        self._gone: frozenset[Path] = frozenset()  # as it was found last
        self._looking = BackgroundTask(self)
        self._looking.ended.connect(self._on_looked)
        for menu in ("recent", "file"):
            menus[menu].aboutToShow.connect(self.fill)

    def commands(self) -> dict[str, Command]:
        """Return the command of the action table that it answers."""
        settings = self._settings
        return {REOPEN: Command(partial(settings.put, REOPEN), checked=lambda: settings.flag(REOPEN, False))}

    def fill(self) -> None:
        """List the files opened last; those that are gone stay, greyed."""
        menu, files = self._menu, self._settings.recent()
        menu.clear()
        menu.setToolTipsVisible(True)
        self._listed = {path: self._action(path) for path in files}
        menu.addActions([*self._listed.values()])
        menu.setEnabled(bool(files))
        self._missing = None
        if files:
            menu.addSeparator()
            self._missing = menu.addAction(self.tr("Take the &missing ones off this list"))
            self._missing.triggered.connect(
                lambda: self._settings.keep_recent(path for path in self._settings.recent() if path not in self._gone)
            )
            self._missing.setObjectName("action.forget_missing")
            empty = menu.addAction(self.tr("&Empty this list"))
            empty.setObjectName("action.forget_all")
            empty.triggered.connect(lambda: self._settings.keep_recent(()))
            self._looking.start(lambda _: frozenset(path for path in files if not exists(path)))
        self._show_gone()

    def _action(self, path: Path) -> QAction:
        name = path.name if len(path.name) <= LONGEST_NAME else f"{path.name[: LONGEST_NAME // 2]}…{path.name[-24:]}"
        words = f"{_plain(name)}\t{_plain(_short(path.parent))}"
        action = QAction(words.replace("&", "&&"), self._menu)
        action.setToolTip(plain_tip(str(path)))
        action.triggered.connect(lambda: self._open_path(path))
        return action

    def _on_looked(self, outcome: Future[frozenset[Path]]) -> None:
        self._gone = outcome.result()
        self._show_gone()

    def _show_gone(self) -> None:
        for path, action in self._listed.items():
            action.setEnabled(path not in self._gone)
        if self._missing is not None:
            self._missing.setEnabled(not self._gone.isdisjoint(self._listed))


def _plain(text: str) -> str:
    """Return the text without tabs and new lines, which part a menu's columns."""
    return " ".join(text.split())


def _short(folder: Path) -> str:
    """Return a folder as a menu has room for it: the home folder as ~, of a long path its end."""
    text = f"~/{folder.relative_to(Path.home())}" if folder.is_relative_to(Path.home()) else str(folder)
    return text if len(text) <= LONGEST_FOLDER else f"…{text[-LONGEST_FOLDER:]}"


class OpenRequest(NamedTuple):
    """A file that is read beside the window: what was so when that was asked for, and what follows."""

    path: Path
    stamp: FileStamp | None  # as the file was then
    revision: int  # of the document that may go for it
    take: TakeFile
    refuse: RefuseFile
    again: Callable[[], object]  # asks for it once more


class FilesController(Controller):
    """Begins and keeps documents; asks before anything unsaved is lost."""

    chosen = Signal(list)  # the files that are to be opened
    documentLeft = Signal()  # the document may go for another one: whatever was being opened before is wanted no more
    foreign = Signal(Path, object)  # a file of arrays about which a person has to say more, and the FormatError on it
    modelNeeded = Signal(
        Path, object, object
    )  # a session of a model: its StudyRecord, the revision of the document that may go for it

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._menus = context.bars.menus
        self.steps_made: Callable[[], bool] = lambda: True  # those that what was typed has led to; else it is said
        self.view_of: Callable[[], Mapping[str, object]] = dict  # the view that a saved session carries
        self.view: Mapping[str, object] = {}  # that the file carries, or that suits the example
        self.about: Mapping[str, str] = {}  # title, model, licence: what is known about what was opened
        self._clashes = ShapeFixes(context.window.banner, self, context.runner)
        self.opening = WindowTask(context.window, "opening")
        self.journaling = Journaling(context.window, context.document)
        self.saving = SessionSaving(context, self.journaling)
        self.journaling.set_source(self._kept, lambda: self.saving.busy)
        self.saving.saved.connect(self._on_saved)
        self.saving.elsewhere.connect(self.save_as)
        self.saving.ended.connect(self.journaling.wake)
        self._stamp: FileStamp | None = None  # the document's file as it was when it was read or written last
        self._request: OpenRequest | None = None  # read beside the window now
        self.opening.ended.connect(self._on_opening_ended)
        self.documentLeft.connect(self.opening.forget)
        context.window.banner.closed.connect(self._on_banner_closed)
        self.recent = RecentFiles(context.bars.menus, context.settings, self.open_path)
        self.retranslate()

    def commands(self) -> dict[str, Command]:
        own = {name: Command(getattr(self, name)) for name in ("new", "open", "save", "save_as")}
        return own | self.recent.commands()

    def retranslate(self) -> None:
        """Name the examples in their menu, and the document if it is no file's, in the present language."""
        self._menus["examples"].clear()
        for example in EXAMPLES:
            action = self._menus["examples"].addAction(example.title_text())
            action.setObjectName(f"action.example_{example.key}")
            action.triggered.connect(lambda _=False, key=example.key: self.open_example(key))

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
            self.open_made(dialog.result_choice().fields)

    def open_made(self, fields: Callable[[], Mapping[str, object]]) -> None:
        """Open the problem that `fields` makes; a large one is made beside the window."""
        if not self.may_leave():
            return
        revision, again = self._document.revision, partial(self.open_made, fields)

        name = Label(N_("FilesController", "untitled"), context="FilesController")

        def take(made: Mapping[str, object], _fresh: Arrays) -> None:
            if self._may_still_go(str(name), revision, again):
                self._adopt(Loaded(Problem.over(made)), None, name, {})

        self._runner.begin(Label(N_("History", "new problem")), fields, take)

    def open(self) -> None:
        if paths := paths_to_open(self._window, self._folder()):
            self.chosen.emit(paths)

    def open_path(self, path: Path) -> bool:
        """Open a file as a new document; False where it is refused with one sentence, or a large one is still read."""
        stamp = FileStamp.of(path)
        try:
            loaded = open_small(path, LARGE)
        except ValueError as error:
            self._refuse(path, error)
            return False
        if loaded is None:
            self.open_beside(path)  # opened anew: what is asked first may save this very file
        elif self.may_leave():
            if FileStamp.of(path) != stamp:  # saved when that was asked: it holds something else now
                return self.open_path(path)
            self._take(path, loaded, stamp)
            return True
        return False

    def open_beside(self, path: Path, read: Read = open_file, name: str = "", asked: int | None = None) -> None:
        """Open what `read` makes of a file, read beside the window; `asked` as in `read_beside`.

        `name` is that of the document where the file holds more than it.
        """
        take = partial(self._take, path, name=name, whole=read is open_file)
        again = partial(self.open_beside, path, read, name)
        self.read_beside(path, read, take, again, partial(self._refuse, path), asked=asked)

    def read_beside(
        self,
        path: Path,
        read: Read,
        take: TakeFile,
        again: Callable[[], object],
        refuse: RefuseFile | None = None,
        *,
        asked: int | None = None,
        at_once: bool = False,
    ) -> bool:
        """Read a file, lesson or model beside the window once the document may go for it; False where it stays.

        What was read goes to `take`, which opens it; an error to `refuse`, else to the banner. Where the document has
        changed meanwhile, the file is offered `again`. A document of the revision `asked`, about which a person was
        asked, goes; `at_once` as in `WindowTask.start`.
        """
        if may := asked == self._document.revision or self.may_leave():
            stamp, refuse = FileStamp.of(path), refuse or self._say_refusal
            self._request = OpenRequest(path, stamp, self._document.revision, take, refuse, again)
            self.opening.start(partial(read, path), path.name, at_once=at_once)
        return may

    def _on_opening_ended(self, outcome: Future[Any]) -> None:
        request, self._request = self._request, None
        assert request is not None, "it was asked for"
        try:
            found = outcome.result()
        except (ValueError, MemoryError) as error:
            request.refuse(error, request.revision)
            return
        if self._may_still_go(request.path.name, request.revision, request.again):
            request.take(found, request.stamp)

    def _may_still_go(self, file: str, revision: int, again: Callable[[], object]) -> bool:
        """Return whether the document goes for a file that was read, as it was allowed to at a revision.

        Where it has changed since, the file is offered again: a sudden question would be a surprise.
        """
        name = shown_name(self._document.path, self._document.name)
        goes = self._window.commit_typed() and (not self._document.modified or self._document.revision == revision)
        if not goes:
            offer = BannerOffer(
                lambda: self.tr("Open it now"), lambda: self.tr("It is asked first whether to save the changes"), again
            )
            self._window.banner.show_info(
                lambda: self.tr("{file} was not opened: {name} was changed while it was read.").format(
                    file=file, name=name
                ),
                offers=[offer],
            )
        return goes

    def open_resumed(self, loaded: Loaded, kept: KeptDocument, study: Study | None) -> None:
        """Open what a journal held, as a document that is not saved."""
        self._stamp = file = kept.file
        self._adopt(loaded, file.path if file else None, kept.name, loaded.view, study)
        self._show_notes(loaded.notes)
        self._document.mark_unsaved()

    def _take(self, path: Path, loaded: Loaded, stamp: FileStamp | None, name: str = "", *, whole: bool = True) -> None:
        """Open what was read of a file, the `whole` of it or what was arranged."""
        example = example_in(path) if whole else None
        view = example.view if example is not None else loaded.view
        self._adopt(loaded, path if path.suffix in SESSION.suffixes else None, name or path.stem, view)
        self._stamp = stamp  # what another program has written since it was read is not ours
        self.journaling.begin_from(stamp if whole else None)  # what was arranged is in no file
        if path.is_file():
            self._settings.add_recent(path.resolve(), loaded.problem)
        self._show_notes(loaded.notes)

    def _say_refusal(self, error: Exception, _revision: int) -> None:
        self._window.banner.show_error(saying(error))

    def _refuse(self, path: Path, error: Exception, asked: int | None = None) -> None:
        """Say what is wrong with a file; where its matrices only do not fit together, offer to make them fit."""
        if isinstance(error, ModelNeeded):
            self.modelNeeded.emit(path, error.record, asked)
            return
        clash = error.__cause__
        if isinstance(error, AmbiguousFile):
            self.foreign.emit(path, error)
            return
        if not isinstance(clash, ShapeError) or clash.given is None:
            self._window.banner.show_error(saying(error))
            return
        fields = dict(clash.given)

        def accept(changes: Mapping[str, object], _fresh: Arrays) -> None:
            problem = Problem.of({**fields, **changes})
            if self.may_leave():
                self._adopt(Loaded(problem), None, path.stem, {})

        self._clashes.offer(clash, lambda: fields, dict, accept, words=saying(error))

    def open_example(self, key: str, *, announced: bool = True) -> bool:
        """Open one of the problems that come along; False where the document stays."""
        if may := self.may_leave():
            self.open_example_unasked(key, announced=announced)
        return may

    def open_example_unasked(self, key: str, *, announced: bool = True) -> None:
        """Open one of the problems that come along, whatever becomes of the one before, and say in the banner
        what it shows if it is `announced`."""
        loaded = (example := example_of(key)).load()
        cell = {"cell": [GIVEN, *example.cell]} if example.cell else {}
        self._adopt(loaded, None, example.name, {**example.view, **cell})
        if announced:
            self._show_about(example, loaded)

    def open_study(self, path: Path, record: StudyRecord | None, placed: OpenedStudy, stamp: FileStamp | None) -> None:
        """Open a layer of a model, of its folder or of a session that holds it; the document before is left."""
        if record is None:
            self._adopt(Loaded(placed.problem), None, placed.study.model.name, {}, placed.study)
        else:
            self._adopt(Loaded(placed.problem, snapshots=placed.snapshots), path, path.stem, record.view, placed.study)
            self._stamp = stamp
            self._settings.add_recent(path.resolve(), placed.problem)

    def open_problem(self, problem: Problem, name: str | Label, study: Study | None = None) -> None:
        """Open a copy of a problem that is no file's; the document before, and what was to take its place, is left."""
        self.documentLeft.emit()
        self._adopt(Loaded(problem.replace()), None, name, {}, study)

    def open_fallback_example(self, example: Example) -> None:
        """Open an example since the file that was to be opened first was not; what is said of that stays."""
        loaded = example.load()
        self.about, self.view = loaded.about, example.view
        self._document.adopt(loaded.problem, name=example.name)

    def note_first_example(self, example: Example, loaded: Loaded, *, announced: bool) -> None:
        """Take up what belongs to the example that the document holds from the start, and say in the banner
        what it shows if it is `announced`."""
        self.about, self.view = loaded.about, example.view
        if announced:
            self._show_about(example, loaded)

    def _show_about(self, example: Example, loaded: Loaded) -> None:
        about, text = f"told/{example.key}", loaded.text
        if not self._settings.flag(about, False):
            self._window.banner.show_info(lambda: example.about_text(text), about=about)

    def _adopt(
        self,
        loaded: Loaded,
        path: Path | None,
        name: str | Label,
        view: Mapping[str, object],
        study: Study | None = None,
    ) -> None:
        self._window.banner.hide()
        self.about, self.view = loaded.about, view
        self._document.adopt(loaded.problem, path, name, loaded.snapshots, study)

    def _show_notes(self, notes: Sequence[FileNote]) -> None:
        if notes:
            self._window.banner.show_info(lambda: sentences(notes))

    # --- keeping ---------------------------------------------------------------------------------
    def save(self) -> bool:
        """Save the document in its file; one that another program has changed meanwhile is asked about."""
        path, known = self.saving.path, self._stamp
        if path is None:
            return self.save_as()
        if self.saving.busy or known is None or known.path != path or known.is_current() or not path.exists():
            return self._write(path)
        way = ask_about_change(self._window, path.name)
        if way is ChangedFileAnswer.RELOAD:
            self.documentLeft.emit()
            self.open_beside(path, asked=self._document.revision)
        if way is ChangedFileAnswer.SAVE_OVER:
            return self._write(path)
        return way is ChangedFileAnswer.SAVE_AS and self.save_as()

    def save_as(self) -> bool:
        path = path_to_save(self._window, self._folder(), self._document.name + SESSION.suffixes[0])
        return path is not None and self._write(path)

    def _write(self, path: Path) -> bool:
        return self.steps_made() and self.saving.save(path, self.view_of(), self.about)

    def _kept(self) -> KeptDocument:
        return KeptDocument(file=self._stamp, about=self.about, view=self.view_of())

    def _on_saved(self) -> None:
        self._stamp = FileStamp.of(self._document.path) if self._document.path else None
        self.journaling.go_on_from(self._stamp)

    def may_leave(self) -> bool:
        """Wait for what is being written, ask to save what is not saved, half typed or not; False means stay."""
        written = self._window.commit_typed() and self.steps_made() and self.saving.wait()
        if may := written and (not self._document.modified or self._save_first()):
            self.documentLeft.emit()
        return may

    def _save_first(self) -> bool:
        name = shown_name(self._document.path, self._document.name)
        return save_first(self._window, name, lambda: self.save() and self.saving.wait())

    def finish(self) -> None:
        """Drop what is being read, and write to its end what is being written; for the end of the program."""
        self.opening.finish()
        self.saving.finish()
        self.journaling.finish()

    def _folder(self) -> str:
        return str(folder_of(self._document, self._settings))
