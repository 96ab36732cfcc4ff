"""Split maps: each gets the state before as its left half, and all of them one bar."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject

from attn_gui.app.state.baseline import Baseline
from attn_gui.app.state.computation import Computation
from attn_gui.app.state.view_state import ViewState
from attn_gui.engine import Evaluation, Plane
from attn_gui.engine.evaluation.proxies import Difference
from attn_gui.modes import BEFORE, SPLIT
from attn_gui.pictures.planes import FieldPlane, PlaneLike
from attn_gui.views.main_window import MainWindow
from attn_gui.views.map.map_drawing import MapDrawing, StateSplit


class SplitController(QObject):
    """Follows what the maps show; costs nothing while they are not split."""

    def __init__(self, window: MainWindow, computation: Computation, baseline: Baseline, view: ViewState) -> None:
        super().__init__(window)
        self._window, self._computation, self._baseline, self._view = window, computation, baseline, view
        self._splits: dict[MapDrawing, StateSplit] = {}
        self._before: dict[tuple[object, ...], PlaneLike] = {}  # the same one for as long as the states are the same
        view.follow(self.show, "evaluation", "baseline", "compare", "stage", "head", "batch", "mode", "split")
        computation.pictured.connect(self._on_computation_pictured)
        window.comparison.splitMoved.connect(self._move)

    def show(self) -> None:
        """Split every map, or none."""
        look = self._view.look
        split = look.compare == SPLIT and self._baseline.comparable
        self._window.comparison.set_split(look.split if split else None)
        if not split and not self._splits:
            self._before.clear()
            return
        face = self._baseline.face(BEFORE)
        self._before = {key: plane for key, plane in self._before.items() if getattr(plane, "evaluation", None) is face}
        drawings = self._window.findChildren(MapDrawing)
        for drawing in drawings:
            before = self._before_of(drawing.plane, face) if split else None
            if before is not None:
                self._split(drawing).set_before(before, look.split)
            elif drawing in self._splits:
                drawing.split = None
                self._splits.pop(drawing).end()
        for gone in self._splits.keys() - set(drawings):
            del self._splits[gone]

    def _split(self, drawing: MapDrawing) -> StateSplit:
        if drawing not in self._splits:
            found = drawing.split = self._splits[drawing] = StateSplit(drawing)
            found.moved.connect(self._move)
            found.gone.connect(partial(self._splits.pop, drawing, None))  # a stage or a head that is gone
        return self._splits[drawing]

    def _before_of(self, plane: PlaneLike | None, face: Evaluation) -> PlaneLike | None:
        """Matrix of the state before; None where it was not there."""
        assert isinstance(face, Difference)
        if isinstance(plane, Plane) and plane.stage in face.stages and _is_there(plane, face):
            key: tuple[object, ...] = (plane.stage, plane.batch, plane.head, plane.transposed)
            return self._before.setdefault(key, replace(plane, evaluation=face))
        if isinstance(plane, FieldPlane) and face.has_field(plane.field) and plane.batch < face.problem.batch_size:
            key = (plane.field, plane.batch, plane.head)
            return self._before.setdefault(key, FieldPlane(face, plane.field, plane.batch, plane.head))
        return None

    def _on_computation_pictured(self) -> None:
        """A ready-made state has followed the edit."""
        if not self._baseline.pinned:
            for split in self._splits.values():
                split.forget()

    def _move(self, share: float) -> None:
        self._view.set(split=share)


def _is_there(plane: Plane, face: Evaluation) -> bool:
    """Whether an evaluation has the item and the head of a plane: a map out of sight may show what is gone."""
    return all(k < length for k, length in zip(plane.index(0, 0), face.shape(plane.stage), strict=True))
