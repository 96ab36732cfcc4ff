"""Window title and status bar: number pointed at, what was recomputed in words, how far maps are, Esc, F9, no
memory."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QLabel

from attn_gui.app.actions.actions import Command
from attn_gui.app.app_context import AppContext, Controller
from attn_gui.app.files.examples import shown_name
from attn_gui.app.state.baseline import cell_move, side_names
from attn_gui.app.state.translated_errors import sentence
from attn_gui.app.state.view_state import ChosenCell
from attn_gui.engine import Recomputed
from attn_gui.engine.errors import FieldError
from attn_gui.figure.design_tokens import SPACING
from attn_gui.figure.stage_formulas import by_hand_of, stage_plane
from attn_gui.figure.text.number_formats import sentence_number
from attn_gui.modes import SIDE_BY_SIDE
from attn_gui.pictures.planes import number_at
from attn_gui.views.dialogs.dialog_base import PATIENCE_MS
from attn_gui.views.names import layer_words, place_words, stage_title
from attn_gui.views.text_views import WrappedLabel
from attn_gui.views.theme import scaled, style_text

StatusNote = Callable[[Callable[[], str]], None]

FINE = 1000  # steps of the thin line


class TitleController(Controller):
    """Keeps the title of the window true: the document with its layer of a model, or the page in the place of both."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        context.view.follow(self.show, "evaluation")
        context.document.titleChanged.connect(self.show)
        context.window.pageShown.connect(self.show)
        self.show()

    def show(self) -> None:
        document, page = self._document, self._window.instead
        name = shown_name(document.path, document.name)
        if document.layer is not None:
            name = f"{name} · {layer_words(document.layer.number)}"
        if page is not None:
            name = self.tr("Start page") if self._window.start_shown else page.accessibleName()
        self._window.setWindowTitle(f"{name}[*]")
        self._window.setAccessibleName(name)
        self._window.setWindowModified(document.modified and page is None)

    retranslate = show


class StatusController(Controller):
    """Keeps the three labels of the status bar true: a cell, what was recomputed, precision and size."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._note: tuple[Callable[[], str], int] | None = None  # and the generation that it is about
        context.view.follow(self.show, "evaluation")
        context.view.follow(self.show_place, "blanks", "overlay", "cell", "head", "batch", "baseline", "compare")
        context.computation.updated.connect(self._on_computation_updated)
        context.window.product.maps.hovered.connect(lambda *cell: self._window.place.setText(self._place(*cell)))
        context.window.product.maps.hoverLeft.connect(self.show_place)
        self.show()

    def show(self) -> None:
        self.show_place()
        self._show_note()
        problem = self._document.problem
        sizes = f"{problem.n} × {problem.m} × {problem.num_heads}"
        self._window.precision.setText(self.tr("exact, {dtype} · {sizes}").format(dtype=problem.dtype, sizes=sizes))

    retranslate = show

    def note(self, words: Callable[[], str]) -> None:
        """Say what was just done beside what was asked for, until the document changes again."""
        self._note = words, self._document.generation
        self._show_note()

    def _show_note(self) -> None:
        words, generation = self._note or (str, -1)
        self._window.recomputed.setText(words() if generation == self._document.generation else "")

    def show_place(self) -> None:
        cell = self._view.look.cell
        self._window.place.setText(self._place(*cell) if cell else "")

    def _place(self, stage: str, row: int, column: int) -> str:
        """Return `Weights · head 3 · it → tired (10, 13) = 0.610984`; compared, `= 0.998 → 0.611 (−0.387)`."""
        look, evaluation = self._view.look, self._computation.evaluation
        plane, problem = stage_plane(evaluation, stage, look.batch, look.head), evaluation.problem
        value, opened = number_at(plane, row, column)
        hidden = self._view.hides(ChosenCell(stage, row, column))
        number = sentence_number(value) if opened else self.tr("not allowed")
        if (found := cell_move(self._baseline, stage, look.batch, look.head, row, column)) is not None:
            number = f"{found.before} → {found.now}" + (f" ({found.change})" if found.change else "")
            if look.compare == SIDE_BY_SIDE:
                before, now = side_names(self._baseline)
                number = self.tr("{before} {old}, {now} {new}").format(
                    before=before, old=found.before, now=now, new=found.now
                )
        if any(
            down.start <= row < down.stop and across.start <= column < across.stop for down, across in by_hand_of(plane)
        ):
            number = self.tr("{number}, changed by hand").format(number=number)
        number = "?" if hidden else number
        if (entry := evaluation.node(stage).stage).input_side:  # columns are called as in the tables
            column += evaluation.head_columns(stage, look.head).start
        place = place_words(problem, evaluation.axes(stage), row, column)
        said = {"stage": stage_title(stage), "head": look.head, "place": place, "number": number}
        if entry.joined or problem.num_heads == 1:
            return self.tr("{stage} · {place} = {number}").format(**said)
        return self.tr("{stage} · head {head} · {place} = {number}").format(**said)

    def _on_computation_updated(self, recomputed: Recomputed) -> None:
        self.show_place()
        self._window.recomputed.setText(self._summary(recomputed))

    def _summary(self, recomputed: Recomputed) -> str:
        """Return `head 3, row 2: 16 scores, 16 weights, 32 outputs, 0.4 ms`."""
        cells, evaluation = recomputed.cells, self._computation.evaluation
        mixed, joined = (cells.get(stage, 0) for stage in (evaluation.mixed, evaluation.projection))
        outputs = mixed or joined  # W_O reaches no output of a head
        counted = (
            (cells.get(evaluation.scores, 0), self.tr("1 score"), self.tr("{count} scores")),
            (cells.get(evaluation.weights, 0), self.tr("1 weight"), self.tr("{count} weights")),
            (outputs, self.tr("1 output"), self.tr("{count} outputs")),
        )
        parts = [(one if count == 1 else many).format(count=count) for count, one, many in counted if count]
        time = (
            f"{recomputed.seconds * 1000:.2g} ms"
            if recomputed.seconds < 0.01
            else f"{recomputed.seconds * 1000:.0f} ms"
        )
        place = self._where(recomputed)
        text = self.tr(", ").join([*parts, time])
        return self.tr("{place}: {text}").format(place=place, text=text) if place else text

    def _where(self, recomputed: Recomputed) -> str:
        evaluation = self._computation.evaluation
        boxes = recomputed.boxes.get(evaluation.weights) or recomputed.boxes.get(evaluation.mixed) or []
        if len(boxes) != 1:
            return ""
        _, heads, rows, _ = boxes[0]
        one_head, one_row = heads.stop - heads.start == 1, rows.stop - rows.start == 1
        if one_head and one_row:
            return self.tr("head {head}, row {row}").format(head=heads.start, row=rows.start)
        return self.tr("head {head}").format(head=heads.start) if one_head else ""


class ProgressController(Controller):
    """Shows how far the maps of a long problem are, stops them at Esc, and says why maps too large to hold are none."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._share = 1.0
        self._patience = QTimer(self, singleShot=True, interval=PATIENCE_MS)
        self._patience.timeout.connect(self._show)
        self._words = QLabel(context.window)
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        context.window.statusBar().insertPermanentWidget(0, self._words)
        style_text(self._words, tone="text2")
        self._words.hide()
        self._notice = WrappedLabel(context.window.pictures)
        self._notice.setObjectName("maps.refused")
        self._notice.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._notice.setMargin(scaled(SPACING.xxl))
        context.window.pictures.addWidget(self._notice)
        context.computation.working.connect(context.window.progress.setVisible)
        context.computation.drawing.connect(self._on_computation_drawing)
        context.computation.refused.connect(self._on_computation_refused)
        context.view.follow(self._withdraw, "evaluation")
        context.window.stop_drawing = self._stop

    def commands(self) -> dict[str, Command]:
        return {"compute_rest": Command(self.resume)}

    def resume(self) -> None:
        """Compute what was given up."""
        if self._computation.tiles is not None:
            self._computation.tiles.resume()

    # --- how far ---------------------------------------------------------------------------------
    def _on_computation_drawing(self, share: float) -> None:
        """Show that `share` of what is looked at is drawn."""
        before, self._share = self._share, share
        if share >= 1:
            self._patience.stop()
            self._show()
        elif before >= 1:
            self._patience.start()
        elif not self._patience.isActive():
            self._show()

    def _show(self) -> None:
        bar, tiles = self._window.progress, self._computation.tiles
        stopped = tiles is not None and tiles.stopped
        if not self._computation.pending:  # else the bar has no end: an evaluation is being computed
            bar.setRange(0, FINE)
            bar.setValue(round(FINE * self._share))
            bar.setVisible(self._share < 1)
        self._words.setVisible(self._share < 1 or stopped)
        if self._share < 1:
            said = self.tr("{percent} % of the maps computed · Esc stops")
            self._words.setText(said.format(percent=int(100 * self._share)))
        elif stopped:
            self._words.setText(self.tr("Stopped: dotted cells are not computed · F9 computes the rest"))

    # --- stopping --------------------------------------------------------------------------------
    def _stop(self) -> bool:
        """Compute no more maps; whether any were computed."""
        tiles = self._computation.tiles
        if tiles is None or not self._computation.stoppable:
            return False
        tiles.stop()
        self._show()
        return True

    # --- what nothing can hold -------------------------------------------------------------------
    def _on_computation_refused(self, why: FieldError) -> None:
        """Put one sentence in the place of the maps; the tables stay."""
        self._view.set(cell=None)
        self._say(why)
        self._show_maps(False)

    def _say(self, why: FieldError) -> None:
        self._notice.setText(self.tr("No maps: {why}").format(why=sentence(why)))

    def _withdraw(self) -> None:
        """Withdraw the notice: there is an evaluation again."""
        if self._window.pictures.currentWidget() is self._notice:
            self._show_maps(True)
            self._window.set_mode(self._view.middle)

    def _show_maps(self, shown: bool) -> None:
        if not shown:
            self._window.pictures.setCurrentWidget(self._notice)
        self._window.set_heads_shown(shown)
        self._window.spine.set_maps_shown(shown)

    def retranslate(self) -> None:
        self._show()
        if self._computation.refusal is not None:
            self._say(self._computation.refusal)
