"""Rooms that no first picture of the window needs; importing this imports what they alone stand on."""

from __future__ import annotations

from typing import NamedTuple

from attn_gui.app.files.export import ExportController
from attn_gui.app.lessons.exercises import Exercises
from attn_gui.app.lessons.lesson_steps import LessonsController
from attn_gui.app.lessons.solution_saving import SolutionSaving
from attn_gui.app.lessons.worksheet_writing import WorksheetsController
from attn_gui.app.maps.comparing import CompareController
from attn_gui.app.model.model_controller import ModelController
from attn_gui.app.model.model_showing import ModelShowing
from attn_gui.app.model.models_at_hand import ModelsAtHand
from attn_gui.app.model.row_takes import RowTakes
from attn_gui.app.pages.code_saving import CodeSaving
from attn_gui.app.pages.curve_fitting import CurveFitting
from attn_gui.app.pages.pages import PagesController
from attn_gui.app.rooms.ground import Ground


class LaterRooms(NamedTuple):
    """Pages, export, lessons and models."""

    pages: PagesController
    code: CodeSaving
    curve: CurveFitting
    export: ExportController
    exercises: Exercises
    worksheets: WorksheetsController
    solutions: SolutionSaving
    lessons: LessonsController
    models: ModelController
    model: ModelShowing
    at_hand: ModelsAtHand
    row_takes: RowTakes


def later_rooms(ground: Ground, compare: CompareController) -> LaterRooms:
    """Build the other rooms on the ground, and on the comparison that rows of a model are taken into."""
    window, document = ground.window, ground.document
    computation, view = ground.computation, ground.view
    making, files, settings, look, bars = ground.making, ground.files, ground.settings, ground.look, ground.bars
    pages = PagesController(window, document, computation, view, look, bars)
    export = ExportController(window, document, computation, ground.baseline, view, settings, look, pages)
    pages.exportAsked.connect(export.export_page)
    models = ModelController(window, document, computation, making, files, settings)
    model = ModelShowing(window, document, view, making, models)
    models.opening.connect(model.show_with_next)
    models.opened.connect(model.take_keyboard)  # of a model that came back, too
    pages.headAsked.connect(model.choose)
    model.changed.connect(lambda: pages.set_model(model.aim()))
    model.staleChanged.connect(pages.set_model_stale)
    model.changed.connect(bars.actions.show_states)
    model.headOffAsked.connect(bars.actions["head_off"].trigger)
    return LaterRooms(
        pages=pages,
        code=CodeSaving(window, document),
        curve=CurveFitting(window, document, computation, view, making),
        export=export,
        exercises=Exercises(window, document, computation, view, bars),
        worksheets=WorksheetsController(window, document, computation, settings, look, bars),
        solutions=SolutionSaving(window, document, view, look, bars),
        lessons=LessonsController(
            window, document, computation, view, making, files, pages, model, look, settings, bars
        ),
        models=models,
        model=model,
        at_hand=ModelsAtHand(window, models, bars),
        row_takes=RowTakes(
            window, document, computation, ground.baseline, making, models.steps, model, compare, view, bars
        ),
    )
