"""Controllers that the first picture needs."""

from __future__ import annotations

from attn_gui.app.app_context import AppContext
from attn_gui.app.editing.sizes_and_parts import ShapeController
from attn_gui.app.editing.variants import LayerController, VariantsController
from attn_gui.app.explain import ExplainController
from attn_gui.app.files.files import FilesController
from attn_gui.app.files.kept_view import SessionView
from attn_gui.app.maps.comparing import WipeController
from attn_gui.app.maps.head_readings import ReadingsController
from attn_gui.app.maps.maps import MapsController
from attn_gui.app.simple_window import SimpleWindowController
from attn_gui.app.tables.tables import TablesController
from attn_gui.app.title_and_status import ProgressController, StatusController, TitleController


class Controllers:
    """Maps, tables, what is set in the panels beside them, and files; all others are `LateControllers`."""

    def __init__(self, context: AppContext) -> None:
        self.title = TitleController(context)
        self.status = StatusController(context)
        context.runner.noted.connect(self.status.note)
        self.maps = MapsController(context)
        self.wiping = WipeController(context)
        self.readings = ReadingsController(context)
        self.progress = ProgressController(context)
        self.tables = TablesController(context)
        self.explain = ExplainController(context)

        self.shapes = ShapeController(context, self.status.note)
        context.computation.refused.connect(self.shapes.show_state)
        self.variants = VariantsController(context)
        context.computation.refused.connect(self.variants.show_state)
        self.layer = LayerController(context)

        self.files = FilesController(context)
        self.session_view = SessionView(context, self.files)
        self.parts = SimpleWindowController(context)
