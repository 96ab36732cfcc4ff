"""Live maps of the spine by stage: each is kept as long as its stage is there; all are painted and marked together."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtWidgets import QWidget

from attn_gui.engine import Evaluation, Recomputed
from attn_gui.pictures.planes import FieldPlane
from attn_gui.views.map.marks import motion_reduced
from attn_gui.views.map.refresh import refresh_map
from attn_gui.views.product.marks import NOTHING, Cell, lines_of
from attn_gui.views.spine.spine_items import NODE, Entry, node_symbol
from attn_gui.views.spine.stage_node import StageNode
from attn_gui.views.words.names import stage_title

Place = tuple[int, int]  # item, head


class Nodes:
    """The nodes of the entries that are maps; `picked` is called with the stage of the one that is clicked."""

    def __init__(self, parent: QWidget, picked: Callable[[str], object]) -> None:
        self._parent, self._picked = parent, picked
        self._entries: dict[str, Entry] = {}
        self._nodes: dict[str, StageNode] = {}
        self._ahead: dict[str, StageNode] = {}  # made for entries that are about to be set

    def set_entries(self, entries: Iterable[Entry]) -> None:
        """Make a node for each new one, and drop those whose entries are gone."""
        self._entries = {entry.name: entry for entry in entries if entry.kind == NODE}
        for name in self._nodes.keys() - self._entries.keys():
            self._nodes.pop(name).deleteLater()
        for name in self._entries.keys() - self._nodes.keys():
            made = self._ahead.pop(name) if name in self._ahead else self._made(self._entries[name])
            self._nodes[name] = made
        for unused in self._ahead.values():
            unused.deleteLater()
        self._ahead.clear()

    def make_some(self, entries: Iterable[Entry], most: int) -> bool:
        """Make a few of the nodes that `set_entries` needs for these; False where there are all."""
        known = self._nodes.keys() | self._ahead.keys()
        missing = [entry for entry in entries if entry.kind == NODE and entry.name not in known]
        for entry in missing[:most]:
            self._ahead[entry.name] = self._made(entry)
            self._ahead[entry.name].hide()  # until it stands in the row
        return bool(missing)

    def __getitem__(self, name: str) -> StageNode:
        return self._nodes[name]

    def get(self, name: str) -> StageNode | None:
        """The node of a stage; None where the stage is not in the row."""
        return self._nodes.get(name)

    def stages(self) -> tuple[str, ...]:
        """The stages that the nodes choose, from left to right."""
        return tuple(dict.fromkeys(entry.chooses for entry in self._entries.values()))

    def height(self, compact: bool) -> int:
        """The height of the highest one."""
        return max((node.height_for(compact) for node in self._nodes.values()), default=0)

    # --- setters ---------------------------------------------------------------------------------
    def set_planes(self, evaluation: Evaluation, place: Place) -> None:
        """Show the matrices of an evaluation, for one item and head."""
        for name, entry in self._entries.items():
            self._nodes[name].set_plane(entry.plane(evaluation, *place), node_symbol(entry), stage_title(name))

    def refresh(self, recomputed: Recomputed) -> None:
        """Repaint the cells that hold new numbers, and put a dot on their maps."""
        for name, entry in self._entries.items():
            node = self._nodes[name]
            plane = node.map.plane
            if isinstance(plane, FieldPlane):  # it is told by what is made of it
                for box in recomputed.boxes.get(entry.chooses, ()):
                    node.map.refresh(box[-2], slice(0, plane.shape[1]))
            elif plane is not None and refresh_map(node.map, recomputed.boxes.get(name, ())):
                node.touch()

    def retake_levels(self) -> None:
        """Take the levels of the maps again, as at rest after edits."""
        for node in self._nodes.values():
            node.map.retake_levels()

    def hold_flashes(self, held: bool) -> None:
        """Leave the outlines of the last edit as strong as they are, or let them fade on."""
        for node in self._nodes.values():
            node.map.overlay.hold_flash(held)

    def choose(self, name: str) -> None:
        """Frame one node alone."""
        for other, node in self._nodes.items():
            node.set_chosen_step(other == name)

    def mark(self, evaluation: Evaluation | None, place: Place, cell: Cell | None) -> None:
        """Mark the row and column of a cell in every map that takes part in it."""
        lines = lines_of(evaluation, cell, *place, {name: node.map.plane for name, node in self._nodes.items()})
        for name, node in self._nodes.items():
            node.map.overlay.set_marks(**lines.get(name, NOTHING)._asdict())
            if motion_reduced():
                node.clear_touch()

    def follow_theme(self) -> None:
        """Colors and sizes of the present theme."""
        for node in self._nodes.values():
            node.map.follow_theme()
            node.updateGeometry()

    def set_maps_shown(self, shown: bool) -> None:
        """Whether there is anything to show in the maps."""
        for node in self._nodes.values():
            node.map.setVisible(shown)

    # --- inside ----------------------------------------------------------------------------------
    def _made(self, entry: Entry) -> StageNode:
        node = StageNode(entry.name, self._parent)
        node.clicked.connect(lambda _checked=False, stage=entry.chooses: self._picked(stage))
        return node
