"""Supplies the maps of a long problem with pictures from another thread: what they look at first, then the rest.

A map asks for what it shows and gets what is known; when more is, it is told and asks again. Everything here but
`Sheet.drawn` runs on the GUI thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal
from shiboken6 import isValid

from attn_gui.engine import Evaluation, Plane
from attn_gui.engine.arrays import Box
from attn_gui.engine.evaluation.pooling import block_edges
from attn_gui.pictures.geometry import Span
from attn_gui.pictures.planes import Block, FieldPlane, PlaneLike
from attn_gui.pictures.sheets import Place, Seen, Sheet, Touched, place_of
from attn_gui.pictures.threads import Outcomes, SideThread, outcome_of

# --- drawing --------------------------------------------------------------------------------------
# Drawing of sheets on another thread: their order, and pictures of other sizes shown meanwhile.


class Want(NamedTuple):
    """The pictures that a map looks at, its own first. One that `leads` is large, the others are thumbnails."""

    sheets: tuple[Sheet, ...]
    leads: bool


class Drawing:
    """A part of a sheet that is to be drawn."""

    def __init__(self, sheet: Sheet, outcomes: Outcomes) -> None:
        self.sheet, self._outcomes = sheet, outcomes
        self.band, self.part = sheet.next_part()
        self.version = int(sheet.versions[self.band])

    def run(self) -> None:
        """Draw, on a thread of a pool."""
        self._outcomes.done.emit(self, outcome_of(partial(self.sheet.drawn, self.part)))


def filled(found: Seen, coarser: Sequence[Seen]) -> Seen:
    """Fill unknown blocks from pictures of other sizes, the best of them first."""
    values, allowed, known = found
    for more, opened, there in sorted(coarser, key=lambda seen: -1.0 if seen[2] is None else -float(seen[2].mean())):
        if known is None:
            break
        here = ~np.broadcast_to(known, values.shape) & (True if there is None else there)
        values = np.where(here, more, values)
        if opened is not None:
            allowed = np.where(here, opened, True if allowed is None else allowed)
        known = known | here
    return values, allowed, known


def unfinished(wanted: Iterable[Sheet], wants: Sequence[Want]) -> list[Sheet]:
    """The sheets that are wanted and still to be drawn, the most urgent first."""
    leading = {sheet for want in wants if want.leads for sheet in want.sheets[:1]}
    heads = {sheet.place.head for sheet in leading}
    drawn = {sheet.place for sheet in leading if sheet.whole}
    waiting = [
        sheet
        for sheet in wanted
        if not (sheet.done or sheet.stopped or sheet.held)
        and (sheet in leading or not sheet.whole or sheet.place not in drawn)
    ]
    return sorted(
        waiting,
        key=lambda sheet: (
            not sheet.cheap,
            sheet not in leading,
            sheet.place.head not in heads,
            -sheet.values.size if sheet in leading else sheet.steps,
        ),
    )


# --- supply ---------------------------------------------------------------------------------------


AT_ONCE = 1 << 23
"""Cells that an edit may have computed and read on the GUI thread: some milliseconds, in turns of their own."""

KEPT = 1 << 26
"""Bytes of kept pictures that are not looked at."""

OVERVIEW = 512
"""Blocks of each axis of a picture that says how large the numbers of a long map are."""


class Supply(QObject):
    """Pictures of one evaluation's planes."""

    arrived = Signal(object, object)  # Sheet, slice of its rows that are new
    progressed = Signal(float)  # which share of what is looked at is drawn; 1 when nothing is left to do

    def __init__(self, evaluation: Evaluation, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._sheets: dict[tuple[object, ...], Sheet] = {}  # those looked at last stand last
        self._wants: WeakKeyDictionary[object, Want] = WeakKeyDictionary()
        self._asked: WeakKeyDictionary[object, list[Sheet]] = WeakKeyDictionary()
        self._touched = Touched()
        self._job: Drawing | None = None
        self._ended = False
        self._followed = False  # an edit just now, whose own numbers are painted first
        self._begun = 0  # steps that were left when there was nothing to do before
        self._thread = SideThread(self)
        self._outcomes = Outcomes()
        self._outcomes.done.connect(self._on_job_done)
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._on_soon_timeout)
        evaluation.supply = self

    # --- asking ----------------------------------------------------------------------------------
    def seen(
        self, owner: object, plane: PlaneLike, rows: Span, columns: Span, down: slice, right: slice, *, leads: bool
    ) -> Seen:
        """The known part of some bins of a map; the rest will come."""
        if isinstance(plane, Plane) and plane.transposed:
            values, allowed, known = self.seen(
                owner, replace(plane, transposed=False), columns, rows, right, down, leads=leads
            )
            return values.T, None if allowed is None else allowed.T, None if known is None else known.T
        self._touched.draw(place_of(plane))
        sheets = self._sheets_for(plane, rows, columns, leads)
        self._want(owner, Want(sheets, leads))
        sheet = sheets[0]
        edges = [span.cell_edges[bins.start : bins.stop + 1] for span, bins in ((rows, down), (columns, right))]
        found = sheet.part(down, right) if sheet.shape == (rows.bins, columns.bins) else sheet.resampled(*edges)
        if found[2] is None:
            return found
        others = (other for other in self._of(sheet.place) if other is not sheet)
        return filled(found, [other.resampled(*edges, fresh=True) for other in others])

    def look(self, owner: object, plane: PlaneLike) -> None:
        """Cells of the plane are shown one by one; how large its numbers are, its picture says."""
        rows, columns = plane.shape
        if isinstance(plane, Plane) and plane.transposed:
            plane, rows, columns = replace(plane, transposed=False), columns, rows
        self._want(owner, Want((self._whole(plane, min(rows, OVERVIEW), min(columns, OVERVIEW), False),), False))

    def ask(self, owner: object, sheet: Sheet) -> Sheet:
        """Have a sheet drawn beside what the owner looks at, or the one like it that is there already."""
        found = self._kept((type(sheet).__name__, sheet.place), lambda: sheet)
        self._touched.draw(found.place)
        asked = self._asked.setdefault(owner, [])
        if found not in asked:
            asked.append(found)
        if not found.done:
            self._wake()
        return found

    def _want(self, owner: object, want: Want) -> None:
        self._wants[owner] = want
        if any(not (sheet.done or sheet.stopped) for sheet in want.sheets):
            self._wake()

    def release(self, owner: object) -> None:
        """Release the pictures of an owner that looks at them no longer."""
        self._wants.pop(owner, None)
        self._asked.pop(owner, None)

    def overview(self, plane: PlaneLike) -> Sheet | None:
        """The whole picture of a plane of which most is known; None while nothing is."""
        self._touched.draw(place_of(plane))
        found = [sheet for sheet in self._of(place_of(plane)) if sheet.known.any()]
        return max(found, key=lambda sheet: (sheet.known.mean(), sheet.values.size), default=None)

    # --- following -------------------------------------------------------------------------------
    def follow(self, boxes: Mapping[str, Sequence[Box]]) -> None:
        """Cells of stages and fields have changed: a few are drawn in the next turns, the rest behind."""
        left, wanted = AT_ONCE, self._wanted()
        for sheet in list(self._sheets.values()):
            for box in boxes.get(sheet.name, ()):
                part = sheet.touched(box)
                if part is None:
                    continue
                price = sheet.price(*part) if sheet in wanted and sheet.fresh[part[0]].all() else left + 1
                if price > left:
                    sheet.spoil(part[0], seen=sheet in wanted)
                else:
                    left -= price
                    sheet.forestall(part[0])
                    self._touched.add(sheet, *part)
        self._followed = True
        self._wake()

    def at_rest(self) -> None:
        """Allow what waits for rest after edits to be drawn."""
        for sheet in self._sheets.values():
            sheet.held = False
        self._wake()

    def draw_anew(self, heads: Set[tuple[int, int]]) -> None:
        """Last digits of some (batch, head) may have changed: all stays as it is until it is drawn again."""
        items = {batch for batch, _ in heads}
        for sheet in self._sheets.values():
            batch, head = sheet.place.batch, sheet.place.head
            reached = batch in items if head is None else (batch, head) in heads
            if reached and type(sheet) is Sheet and not sheet.cheap:
                sheet.mark_drifted()
        self._wake()

    # --- stopping --------------------------------------------------------------------------------
    @property
    def busy(self) -> bool:
        """Whether something is still to come."""
        return self.behind or self._job is not None or any(self._unfinished())

    @property
    def behind(self) -> bool:
        """Whether an edit has touched what is about to be drawn."""
        return bool(self._touched)

    @property
    def stopped(self) -> bool:
        """Whether something that is looked at was given up."""
        return any(sheet.stopped and not sheet.done for sheet in self._wanted())

    def stop(self) -> None:
        """Give up what is still to come: what is known stays, the rest is drawn as not computed."""
        for sheet in self._unfinished():
            sheet.stopped = True
            sheet.known &= sheet.fresh
            self.arrived.emit(sheet, slice(0, sheet.shape[0]))
        self._tell()

    def resume(self) -> None:
        """Take up what was given up."""
        for sheet in self._sheets.values():
            sheet.stopped = False
        self._wake()

    def end(self) -> None:
        """Stop for good, for another evaluation or the end of the window; it is gone once no part is being drawn."""
        self._ended = True
        self._wants.clear()
        self._asked.clear()
        self._sheets.clear()
        self._touched.clear()
        self._soon.stop()
        if self._job is None:
            self._leave()

    def _leave(self) -> None:
        """Go without a thread: Qt would wait for one with Python's lock, which the thread needs to come to its end."""
        self.finish()
        self.deleteLater()

    def finish(self) -> None:
        """Wait for the part that is being drawn."""
        self._thread.waitForDone()

    # --- which sheets ----------------------------------------------------------------------------
    def _sheets_for(self, plane: PlaneLike, rows: Span, columns: Span, leads: bool) -> tuple[Sheet, ...]:
        """The sheet that a map shows; of a part of a plane also one of all of it, which says how large numbers are."""
        if rows.whole and columns.whole:
            return (self._whole(plane, rows.bins, columns.bins, leads),)
        place, edges = place_of(plane), (rows.cell_edges, columns.cell_edges)
        window = self._kept((place, *(part.tobytes() for part in edges)), lambda: Sheet(plane, *edges, whole=False))
        height, width = plane.shape
        return window, self._whole(plane, min(height, OVERVIEW), min(width, OVERVIEW), False)

    def _whole(self, plane: PlaneLike, rows: int, columns: int, exact: bool) -> Sheet:
        place = place_of(plane)
        if not exact:
            larger = [sheet for sheet in self._of(place) if sheet.shape[0] >= rows and sheet.shape[1] >= columns]
            if larger:
                return max(larger, key=lambda sheet: (sheet.done, sheet.values.size))
        edges = (block_edges(length, blocks) for length, blocks in zip(plane.shape, (rows, columns), strict=True))
        return self._kept((place, rows, columns), lambda: Sheet(plane, *edges, whole=True))

    def _kept(self, key: tuple[object, ...], made: Callable[[], Sheet]) -> Sheet:
        """The sheet under a key; of those not looked at the last are kept, as far as there is room."""
        if (sheet := self._sheets.pop(key, None)) is not None:
            self._sheets[key] = sheet
            return sheet
        sheet = self._sheets[key] = made()
        wanted, room = self._wanted() | {sheet}, KEPT
        for other, old in reversed(list(self._sheets.items())):
            if old not in wanted:
                room -= old.bytes
                if room < 0 or not old.whole:
                    del self._sheets[other]
        return sheet

    def _of(self, place: Place) -> list[Sheet]:
        """The pictures of all of a plane."""
        return [sheet for sheet in self._sheets.values() if sheet.whole and sheet.place == place]

    def _wanted(self) -> set[Sheet]:
        shown = {sheet for want in list(self._wants.values()) for sheet in want.sheets}
        return shown.union(*list(self._asked.values()))

    def _unfinished(self) -> list[Sheet]:
        """The pictures still to be drawn, the most urgent first."""
        return unfinished(self._wanted(), list(self._wants.values()))

    # --- drawing ---------------------------------------------------------------------------------
    def _wake(self) -> None:
        if not self._ended:  # whoever is not told yet of the evaluation that came instead may still ask
            self._soon.start()

    def _on_soon_timeout(self) -> None:
        """Draw some of what an edit has touched, or begin with the next part."""
        if self._followed:
            self._followed = False
            self._soon.start()
        elif self._touched:
            self._soon.start()
            self._touched.draw_some()
        else:
            self._go_on()

    def _go_on(self) -> None:
        """Draw the next part beside the window, once everything that an edit has touched is drawn."""
        if self._job is not None or self._ended or self._touched:
            return
        waiting = self._unfinished()
        self._tell(waiting)
        if waiting:
            self._job = Drawing(waiting[0], self._outcomes)
            self._thread.begin(self._job.run)

    def _on_job_done(self, job: Drawing, outcome: Future[Block]) -> None:
        self._job = None
        if self._ended:
            self._leave()
            return
        try:
            found = outcome.result()
        except Exception:
            job.sheet.stopped = True
            self._go_on()
            raise
        sheet, fresh = job.sheet, job.version == job.sheet.versions[job.band]
        new = fresh and not sheet.shows(job.part, found)
        if fresh:
            sheet.put(job.part, slice(0, sheet.shape[1]), found)
        self._go_on()  # before the maps are drawn, so that the other threads go on
        if new:
            self.arrived.emit(sheet, job.part)

    def _tell(self, waiting: Sequence[Sheet] | None = None) -> None:
        left = sum(round(sheet.steps * sheet.share_left) for sheet in waiting or self._unfinished())
        self._begun = max(self._begun, left) if left else 0
        self.progressed.emit(1 - left / self._begun if left else 1.0)


def supply_of(plane: PlaneLike | None) -> Supply | None:
    """The supply of pictures of a plane; None where there is none, and maps read the plane where it is."""
    found = plane.evaluation.supply if isinstance(plane, Plane | FieldPlane) else None
    return found if isinstance(found, Supply) else None


# --- listeners ------------------------------------------------------------------------------------
# Tells a map when more of its plane is known, and its supply when the map is no longer looked at.


class News(QObject):
    """Listens for one map, whose cells are the `owner` of what is asked for."""

    arrived = Signal(object, object)  # rows and columns of the plane as it is shown

    def __init__(self, parent: QObject, owner: object) -> None:
        super().__init__(parent)
        self._owner = owner
        self._plane: PlaneLike | None = None
        self._supply: Supply | None = None

    def follow(self, plane: PlaneLike | None) -> None:
        """Listen for news of this plane."""
        supply = supply_of(plane)
        self.leave()
        if supply is not self._supply:
            if self._supply is not None and isValid(self._supply):  # it goes with its evaluation
                self._supply.arrived.disconnect(self._on_supply_arrived)
            if supply is not None:
                supply.arrived.connect(self._on_supply_arrived)
        self._supply, self._plane = supply, plane

    def leave(self) -> bool:
        """Stop watching for a map that is hidden; returns whether it has to ask again when it is shown."""
        if self._supply is not None:
            self._supply.release(self._owner)
        return self._supply is not None

    def _on_supply_arrived(self, sheet: Sheet, part: slice) -> None:
        if self._plane is None or sheet.place != place_of(self._plane):
            return
        rows = slice(int(sheet.row_edges[part.start]), int(sheet.row_edges[part.stop]))
        columns = slice(int(sheet.column_edges[0]), int(sheet.column_edges[-1]))
        turned = isinstance(self._plane, Plane) and self._plane.transposed
        self.arrived.emit(*((columns, rows) if turned else (rows, columns)))
