"""The parts that the first picture needs, on which every later room is built."""

from __future__ import annotations

from typing import NamedTuple

from attn_gui.app.actions.bars import Bars
from attn_gui.app.files.files import FilesController
from attn_gui.app.maps.maps import MapsController
from attn_gui.app.maps.status import StatusController
from attn_gui.app.problem.shape_edits import ShapeController
from attn_gui.app.state.baseline import Baseline
from attn_gui.app.state.computation import Computation
from attn_gui.app.state.look import LookController
from attn_gui.app.state.making import Making
from attn_gui.app.state.settings import Settings
from attn_gui.app.state.view_state import ViewState
from attn_gui.app.tables.tables import TablesController
from attn_gui.document.document import Document
from attn_gui.views.main_window import MainWindow


class Ground(NamedTuple):
    """The window, the document and its view, and the rooms that are there from the start."""

    window: MainWindow
    document: Document
    computation: Computation
    view: ViewState
    baseline: Baseline
    making: Making
    settings: Settings
    look: LookController
    bars: Bars
    status: StatusController
    maps: MapsController
    tables: TablesController
    shapes: ShapeController
    files: FilesController
