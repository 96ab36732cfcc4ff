"""When a walk begins and what ends it (Esc, edits), its names in another language, its status line, its export."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from attn_gui.app.actions.actions import Command
from attn_gui.app.app_context import AppContext
from attn_gui.app.editing.edit_runner import copied
from attn_gui.app.editing.masks import PaintingController
from attn_gui.app.files.file_dialogs import asked_path, folder_of
from attn_gui.app.files.writing import WritingController
from attn_gui.app.state.background_task import BackgroundTask
from attn_gui.app.state.view_state import ChosenCell
from attn_gui.app.title_and_status import StatusController
from attn_gui.document.document import DocumentChange
from attn_gui.engine import Evaluation
from attn_gui.engine.arrays import Progress
from attn_gui.engine.evaluation.proxies import stand_in
from attn_gui.engine.evaluation.trace import evaluation_of
from attn_gui.engine.graph import indices
from attn_gui.figure.stage_formulas import stage_plane
from attn_gui.formats.catalog import IMAGES
from attn_gui.modes import ACTIONS
from attn_gui.views.theme import current_theme, motion_reduced, theme_signal

if TYPE_CHECKING:
    from attn_gui.figure.walk import Walk
    from attn_gui.views.tables.matrix_panel import MatrixPanel
    from attn_gui.views.walk_view import WalkPlayer, WalkSteps, WalkView

SPEED = "walk/speed"
"""Setting that keeps how fast walks are played, a key of `walk_view.SPEEDS`."""
AHEAD_MS = 300
"""After which a cell that is looked at may be walked through: what else is to be shown has been painted."""


class WalkController(WritingController):
    """Shows a walk in the place of the maps, and ends it as soon as something else is looked at or edited.

    Figure and widgets are imported beside the window once there is a cell to walk through, and made for each walk.
    """

    def __init__(self, context: AppContext, status: StatusController, painting: PaintingController) -> None:
        super().__init__(context)
        self._status, self._painting = status, painting
        self._ahead, self._imports = QTimer(self, singleShot=True, interval=AHEAD_MS), BackgroundTask(self)
        self._ahead.timeout.connect(lambda: self._imports.start(_import))
        self._shown: tuple[WalkPlayer, WalkView, WalkSteps] | None = None
        self._held: QWidget | None = None  # what had the keyboard before
        self._pours = True  # whether the walk to a weight goes on to what it brings
        self._ended = False  # whether the change that the document tells of has ended a walk
        self._connect(context)
        self._offer()

    def commands(self) -> dict[str, Command]:
        """Return the commands of the action table that it answers."""
        return {"walk": Command(self.start, enabled=self.offered)}

    def follow_table(self, field: str, panel: MatrixPanel) -> None:
        """Walk through the cell of a computed table where Space is pressed."""
        panel.view.walkAsked.connect(lambda row, column: self._start_at(field, row, column))

    # --- beginning and ending --------------------------------------------------------------------
    def offered(self) -> bool:
        """Return whether the chosen cell is computed from others, some of them seen where it is covered."""
        cell, evaluation, cover = self._view.look.cell, self._view.explained, self._cover()
        if cell is None or self._computation.pending or cell.stage not in evaluation.stages:
            return False
        stage = stand_in(evaluation, cell.stage)
        made = [name for name in evaluation.stages if name not in evaluation.problem.arrays()]
        if stage not in made or cover is None or not self._view.withholds(cell):
            return stage in made
        first = made[0]
        return first != stage and not cover.left_out(first, indices.whole(evaluation.shape(first)))

    def _cover(self) -> Evaluation | None:
        """Return what an exercise lays over the numbers."""
        overlay = self._view.overlay
        return overlay if overlay is not None and overlay.covers else None

    def start(self, *, pour: bool = True, keyboard: bool = True) -> None:
        """Walk through the chosen cell, from the start; what an exercise covers is not reached.

        With `pour` the walk to a weight goes on to what it brings; the `keyboard` goes to the walk.
        """
        self._pours = pour
        if not self.offered() or not (walk := self._way()(self._view.explained)).beats:
            return
        from attn_gui.views.walk_view import SPEEDS, WalkPlayer, WalkSteps, WalkView

        self.leave()
        player = WalkPlayer(walk, self._window, still=motion_reduced())
        speed = self._settings.choice(SPEED, SPEEDS, "usual")
        player.speed = SPEEDS[speed]
        view = WalkView(player, self._window.pictures)
        steps = WalkSteps(player, view, self._window.right)
        player.setParent(view)
        view.speed.set_key(speed)
        view.leaveAsked.connect(self._on_view_leave_asked)
        view.exportAsked.connect(self._export)
        view.export.setVisible(self._cover() is None)
        view.speed.picked.connect(lambda key: self._settings.put(SPEED, key))
        player.turned.connect(self._show_step)
        player.renewed.connect(self._show_step)
        self._held = focus = QApplication.focusWidget()
        if focus is not None:
            focus.clearFocus()  # else Qt goes through the whole window for one that could have it
        self._shown = player, view, steps
        self._window.begin_walk(view, steps)
        stays = not keyboard and focus is not None and focus.isVisible()
        (focus if stays and focus is not None else view).setFocus(Qt.FocusReason.OtherFocusReason)
        self._show_step()
        player.toggle()

    def _start_at(self, field: str, row: int, column: int) -> None:
        """Choose a cell of a table, which shows all heads beside one another, and walk through it."""
        evaluation, look = self._view.explained, self._view.look
        for head in sorted(range(evaluation.problem.num_heads), key=lambda each: each != look.head):
            plane = stage_plane(evaluation, field, look.batch, head)
            place = column - plane.index(0, 0)[-1]
            if 0 <= place < plane.shape[1]:
                self._view.set(cell=ChosenCell(field, row, place), head=head, block=None)
                self.start()
                return

    def leave(self) -> None:
        """End the walk: the map comes back with its cell, and the keyboard to where it was unless it went elsewhere."""
        if self._shown is None:
            return
        (_, view, steps), self._shown = self._shown, None
        focus, held, self._held = QApplication.focusWidget(), self._held, None
        within = focus is None or any(part is focus or part.isAncestorOf(focus) for part in (view, steps))
        if within and focus is not None:
            focus.clearFocus()
        self._window.end_walk()
        self._window.spine.set_stage(self._view.look.stage)
        self._status.show_place()
        if within and held is not None and isValid(held) and held.isVisible():
            held.setFocus(Qt.FocusReason.OtherFocusReason)
        elif within:
            self._window.product.focus_map()

    def _way(self) -> Callable[[Evaluation], Walk]:
        """Return the walk of an evaluation through the chosen cell, in the present language and colors."""
        from attn_gui.figure.pages.page_kind import PageStyle
        from attn_gui.figure.walk import walk_of

        look = self._view.look
        assert look.cell is not None, "a cell is chosen"
        stage = stand_in(self._view.explained, look.cell.stage)
        style = PageStyle(current_theme().name, self._appearance.language)
        cell, pour, cover = look.cell[1:], self._pours, self._cover()
        return lambda evaluation: walk_of(evaluation, look.batch, look.head, stage, cell, style, pour=pour, cover=cover)

    def _make_again(self, *_: object) -> None:
        if self._shown is not None:
            self._shown[0].set_walk(self._way()(self._view.explained))

    retranslate = _make_again

    def _show_step(self) -> None:
        """Light the step that is made now, and name it in the status bar."""
        if self._shown is None:
            return
        from attn_gui.views.walk_view import words_of

        player = self._shown[0]
        beats, place = player.walk.beats, player.beat
        self._window.spine.set_stage(beats[place].stage)
        said = self.tr("Walk · step {place} of {count}: {title}")
        self._window.place.setText(said.format(place=place + 1, count=len(beats), title=words_of(beats[place].title)))

    # --- what ends it ----------------------------------------------------------------------------
    def _connect(self, context: AppContext) -> None:
        window, view = context.window, context.view
        window.inspector.walkRequested.connect(lambda: self.start())
        window.product.maps.toggleRequested.connect(self._on_maps_toggle_requested)
        view.follow(self._offer, "evaluation", "cell", "head", "batch", "blanks", "overlay", "compare")
        view.follow(self.leave, "evaluation", "cell", "head", "batch", "stage", "mode", "overlay", "blanks", "compare")
        view.mapWanted.connect(self.leave)
        window.spine.stagePicked.connect(self.leave)
        for name in ACTIONS.values():  # they bring the maps back
            context.bars.actions[name].triggered.connect(self.leave)
        window.pictures.currentChanged.connect(self._on_pictures_current_changed)
        window.escapePressed.connect(self._on_view_leave_asked)
        window.spacePressed.connect(self._on_space_pressed)
        context.computation.moving.connect(self._on_computation_moving)  # before anybody shows other numbers
        context.document.changed.connect(self._on_document_changed)
        theme_signal.changed.connect(self._make_again)
        context.appearance.changed.connect(self._on_appearance_changed)

    def _offer(self) -> None:
        offered = self.offered()
        self._window.inspector.walk.setVisible(offered)
        self._window.spine.set_walk_offered(offered)
        if offered and "attn_gui.views.walk_view" not in sys.modules:
            self._ahead.start()

    def _on_maps_toggle_requested(self, stage: str, _row: int, _column: int) -> None:
        """Walk through the chosen cell where Space is pressed on it, unless Space paints there."""
        if not self._painting.takes_space(stage):
            self.start()

    def _on_space_pressed(self) -> None:
        if self._shown is not None:
            self._shown[0].toggle()
        else:
            self.start()

    def _on_pictures_current_changed(self) -> None:
        """End it where something else has taken its place, as a page does."""
        if self._shown is not None and self._window.pictures.currentWidget() is not self._shown[1]:
            self.leave()

    def _on_computation_moving(self) -> None:
        self._ended = self._shown is not None
        self.leave()

    def _on_document_changed(self, change: DocumentChange) -> None:
        """Say why it ended, once all else is said of the change."""
        if self._ended and not change.opened:
            self._status.note(lambda: self.tr("Walk stopped: a number was changed"))
        self._ended = False

    def _on_appearance_changed(self) -> None:
        if self._shown is not None:
            self._shown[0].set_still(motion_reduced())

    def _on_view_leave_asked(self) -> None:
        """Call off the export under way; where there is none, end the walk."""
        if self.busy:
            self.stop()
        else:
            self.leave()

    # --- export ----------------------------------------------------------------------------------
    def _export(self, panels: bool) -> None:
        """Ask for a file, and write the walk into it beside the window."""
        from attn_gui.figure.walk import export_walk

        if self.waits():
            return
        kinds = {f".{key}": f"{key.upper()} (*.{key})" for key, kind in IMAGES.items() if kind.moving is not panels}
        title = self.tr("Export step panels") if panels else self.tr("Export GIF")
        proposal = folder_of(self._document, self._settings) / f"{self._document.name}-walk{next(iter(kinds))}"
        path = asked_path(self._window, title, proposal, kinds)
        evaluation, way = self._view.explained, self._way()
        now = evaluation is self._computation.evaluation
        problem = copied(self._window, self._document) if now else evaluation.problem
        if path is None or problem is None:
            return

        def work(progress: Progress) -> Iterator[Path]:
            yield export_walk(way(evaluation_of(problem)), path, progress=progress)

        self.begin(work)


def _import(_: Progress) -> None:
    """Import what the first walk needs, which takes the GUI thread three frames."""
    for name in ("attn_gui.figure.walk", "attn_gui.views.walk_view"):
        import_module(name)
