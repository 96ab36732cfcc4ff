"""How every change is carried out: weighed, made beside the window, refused, dropped; “still being computed”."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, TypeVar

from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QObject, Signal

from attn_gui.app.state.background_task import LARGE, WindowTask
from attn_gui.app.state.computation import Computation
from attn_gui.app.state.translated_errors import saying, sentences
from attn_gui.document.document import Document, DocumentChange
from attn_gui.document.edits import Edit, Label, SetFields
from attn_gui.engine import Note, Problem
from attn_gui.engine.arrays import carried_out, check, weigh
from attn_gui.engine.creation.interventions import with_carried_interventions
from attn_gui.views.main_window import MainWindow

T = TypeVar("T")
Arrays = Sequence[NDArray[Any]]
Take = Callable[[T, Arrays], object]  # gets what was made, and the arrays in it, to which nothing else refers


def copied(window: MainWindow, document: Document) -> Problem | None:
    """Return a copy of the problem for work beside the window; None, and said, where it would take too much memory."""
    try:
        return document.snapshot()
    except ValueError as error:
        window.banner.show_error(saying(error))
        return None


def is_computed(window: MainWindow, computation: Computation) -> bool:
    """Return whether the maps show the present problem; if not, say that nothing was changed: what is chosen in them
    may be gone."""
    if computation.pending:
        window.banner.show_error(
            lambda: QCoreApplication.translate(
                "EditRunner", "The problem is still being computed: nothing was changed."
            )
        )
    return not computation.pending


class EditRunner(QObject):
    """Refuses what is too large before anything is allocated; what is large is made beside the window.

    The document stays as it is until everything is made; where it changes meanwhile, what was made for it is dropped.
    """

    refused = Signal()  # nothing was changed: controls show the document again
    noted = Signal(object)  # words on what a change did beside the wish

    def __init__(self, window: MainWindow, document: Document) -> None:
        super().__init__(window)
        self._window, self._document = window, document
        self._take: Take[Any] | None = None
        self._name: object = ""
        self._work = WindowTask(window, "making")
        self._work.ended.connect(self._on_work_ended)
        self._work.canceled.connect(self._on_work_canceled)
        document.changed.connect(self._on_document_changed)

    @property
    def busy(self) -> bool:
        """Whether something is still being made."""
        return self._work.busy

    def change(
        self, label: Label, make: Callable[[], Mapping[str, object]], then: Callable[[], object] = lambda: None
    ) -> None:
        """Change the fields that `make` gives, as one step of the history; what is changed by hand follows them.

        `then` is called once that is done; not if it is refused.
        """

        def take(fields: Mapping[str, object], fresh: Arrays) -> None:
            followed, notes = with_carried_interventions(self._document.problem, fields)
            self._document.apply(SetFields(followed, label), fresh)
            self.note(notes)
            then()

        self.begin(label, make, take)

    def note(self, notes: Sequence[Note]) -> None:
        """Say which changes an edit needed besides what was asked for, if any."""
        if notes:
            self.noted.emit(lambda: sentences(notes))

    def apply(
        self, edit: Edit, fresh: Arrays = (), *, instead: bool = False, then: Callable[[], object] = lambda: None
    ) -> bool:
        """Carry out an edit whose numbers are there, as one step, `instead` in place of the last one; one that cannot
        be is said, and changes nothing.

        Whether there is a step; `then` is called after an edit that changes nothing, too, not after a refusal.
        """
        try:
            stepped = (self._document.apply_instead if instead else self._document.apply)(edit, fresh)
        except (ValueError, TypeError) as error:
            self._refuse(error)
            return False
        then()
        return stepped

    def begin(self, name: object, make: Callable[[], T], take: Take[T]) -> None:
        """Hand what `make` gives to `take`, with the arrays that it made; `str(name)` says what it is.

        `make` is called twice: first without allocating anything, to learn how many bytes it will take, then, if they
        are there, in earnest. A ValueError or TypeError of `make` or `take` is shown, and the document stays as it is;
        one of the first call leaves work that is under way alone.
        """
        try:
            size = weigh(make)
            check(size)
            made = carried_out(make) if size <= LARGE else None
        except (ValueError, TypeError) as error:
            self._refuse(error)
            return
        if made is not None:
            self._hand(take, *made)
            return
        if self._work.busy:
            self._drop()
        self._take, self._name = take, name
        self._work.start(lambda progress: carried_out(make, progress, size), str(name))

    def finish(self) -> None:
        """Drop what is being made, and wait until it has stopped; for the end of the program."""
        self._forget()
        self._work.finish()

    def _forget(self) -> None:
        """Drop what is being made, and what it was made of."""
        self._work.forget()
        self._take = None

    def _on_work_canceled(self) -> None:
        self._take = None
        self.refused.emit()

    def _on_work_ended(self, outcome: Future[tuple[Any, Arrays]]) -> None:
        take, self._take = self._take, None
        try:
            made, fresh = outcome.result()
        except (ValueError, TypeError) as error:
            self._refuse(error)
            return
        if take is not None:
            self._hand(take, made, fresh)

    def _hand(self, take: Take[Any], made: object, fresh: Arrays) -> None:
        try:
            take(made, fresh)
        except (ValueError, TypeError) as error:
            self._refuse(error)

    def _on_document_changed(self, change: DocumentChange) -> None:
        """Withdraw earlier refusals; what there is to say of a new document is said where it is opened."""
        if change.opened:  # nothing is missed that belongs to the document before
            self._forget()
            return
        if not self._window.banner.isHidden():
            self._window.banner.withdraw_refusal()
        if self._work.busy:
            self._drop()

    def _drop(self) -> None:
        """Forget what is being made, and say so."""
        self._forget()
        name = self._name
        self._window.banner.show_info(
            lambda: self.tr("“{step}” was dropped: the problem was changed while its numbers were made.").format(
                step=name
            )
        )

    def _refuse(self, error: Exception) -> None:
        self._window.banner.show_error(saying(error))
        self.refused.emit()
