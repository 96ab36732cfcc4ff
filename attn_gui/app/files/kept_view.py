"""The view kept in a session and between starts: head, stage, cell, mode, decimals, levels, palettes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from attn_gui.app.actions.action_table import DECIMALS
from attn_gui.app.app_context import AppContext, Controller
from attn_gui.app.files.files import FilesController
from attn_gui.app.state.settings import Settings
from attn_gui.app.state.view_state import ChosenCell, ViewSettings, ViewState
from attn_gui.engine.analysis.head_readings import READINGS
from attn_gui.figure.colors import AUTO, LEVEL_RULES, PALETTES, TYPED, ColorScale, Levels
from attn_gui.modes import OF_ANY
from attn_gui.views.names import ASK, WEIGHT_MEANINGS

KEPT_FIELDS = ("mode", "decimals", "values", "scientific", "blocked", "reading", "weights_typed")


class SessionView(Controller):
    """Writes the view (head, stage, chosen cell, levels) into a session that is saved, and takes it from one that is
    opened, as far as it fits.
    """

    def __init__(self, context: AppContext, files: FilesController) -> None:
        super().__init__(context)
        self._color_scales = context.window.product.color_scales
        self._files, self._colored = files, True  # whether levels and colors are those of the document
        files.view_of = self.record
        context.view.look_at_opened = self._look_at_opened
        context.view.follow(self._color_opened, "document")

    def record(self) -> dict[str, Any]:
        """Return the present view, in numbers, words and lists."""
        if not self._colored:
            self._view.notify_all()  # who opened it a moment ago sees its levels, not those of the document before
        look = self._view.look
        record: dict[str, Any] = {
            "stage": look.stage,
            "head": look.head,
            "item": look.batch,
            "mode": look.mode,
            "values": look.values,
            "decimals": look.decimals,
            "scientific": look.scientific,
            **({"second_text": look.second_text} if look.second_text else {}),
            **color_scale_records(self._color_scales.chosen()),
        }
        return record | ({"cell": list(look.cell)} if look.cell else {})

    def _look_at_opened(self) -> ViewSettings:
        """Return the look that the file asks for.

        What it does not say, or wrongly, since files can say anything, is as it is or where a problem begins.
        """
        self._colored = False
        record: Mapping[str, Any] = self._files.view
        problem, look = self._computation.evaluation.problem, self._view.look
        stage, second = record.get("stage"), record.get("second_text")
        return replace(
            look,
            block=None,
            stage=stage if isinstance(stage, str) else ViewSettings.stage,
            head=_within(record.get("head"), problem.num_heads),
            batch=_within(record.get("item"), problem.batch_size),
            cell=_cell(record.get("cell")),
            second_text=second if isinstance(second, str) else "",
            mode=record["mode"] if record.get("mode") in OF_ANY else look.mode,
            values=_flag(record.get("values"), look.values),
            scientific=_flag(record.get("scientific"), look.scientific),
            decimals=_one_of(DECIMALS, record.get("decimals"), look.decimals),
        )

    def _color_opened(self) -> None:
        """Take up levels and colors of the matrices that the problem has."""
        self._colored, evaluation = True, self._computation.evaluation
        known = {*evaluation.stages, *evaluation.problem.arrays()}
        self._color_scales.replace_all(
            {name: scale for name, scale in color_scales_in(self._files.view).items() if name in known}
        )


def _cell(given: object) -> ChosenCell | None:
    if not (isinstance(given, list) and len(given) == 3 and isinstance(given[0], str)):
        return None
    stage, row, column = given
    whole = all(isinstance(place, int) and not isinstance(place, bool) for place in (row, column))
    return ChosenCell(stage, row, column) if whole else None


def color_scale_records(color_scales: Mapping[str, ColorScale]) -> dict[str, dict[str, Any]]:
    """Return levels and colors by the name of the matrix; `rules` holds what is neither automatic nor typed."""
    given = {name: scale for name, scale in color_scales.items() if scale.levels is not None}
    return {
        "levels": {name: [scale.levels.low, scale.levels.high] for name, scale in given.items() if scale.levels},
        "rules": {name: scale.rule for name, scale in color_scales.items() if scale.rule not in (AUTO, TYPED)},
        "colormaps": {name: scale.palette for name, scale in color_scales.items() if scale.palette is not None},
    }


def color_scales_in(record: Mapping[str, Any]) -> dict[str, ColorScale]:
    """Return the levels and colors of a record, those that make sense."""
    levels, rules, palettes = (dict(_items(record.get(key))) for key in ("levels", "rules", "colormaps"))
    return {
        name: _color_scale(levels.get(name), rules.get(name), palettes.get(name)) for name in levels | rules | palettes
    }


def _color_scale(pair: object, rule: object, palette: object) -> ColorScale:
    levels = _levels(pair)
    kept = palette if isinstance(palette, str) and palette in PALETTES else None
    known = LEVEL_RULES.get(rule) if isinstance(rule, str) else None
    if levels is None:
        return ColorScale(known.key if known is not None and known.take is not None else AUTO, None, kept)
    return ColorScale(known.key if known is not None and known.take is None else TYPED, levels, kept)


def _flag(given: object, default: bool) -> bool:
    return given if isinstance(given, bool) else default


def _within(given: object, length: int, default: int = 0) -> int:
    if isinstance(given, bool) or not isinstance(given, int):
        return default
    return given if 0 <= given < length else default


def _one_of(choices: Sequence[int], given: object, default: int) -> int:
    return next((choice for choice in choices if type(given) is int and given == choice), default)


def _items(given: object) -> list[tuple[str, object]]:
    return list(given.items()) if isinstance(given, Mapping) else []


def _levels(pair: object) -> Levels | None:
    if not (isinstance(pair, list) and len(pair) == 2 and all(type(end) in (int, float) for end in pair)):
        return None
    try:
        low, high = map(float, pair)
    except OverflowError:  # a whole number of hundreds of digits
        return None
    return Levels(low, high) if math.isfinite(low) and math.isfinite(high) and low < high else None


def keep_look(view: ViewState, settings: Settings) -> None:
    """Keep in the settings, from now on, how things are shown, such as decimals and mode."""

    def keep(name: str) -> None:
        settings.put(f"view/{name}", getattr(view.look, name))

    for name in KEPT_FIELDS:
        view.follow(partial(keep, name), name)


def kept_look(settings: Settings, head: int) -> ViewSettings:
    """Return the look to begin with: as things were shown last, at one head of the first problem."""
    decimals = settings.choice("view/decimals", [str(digits) for digits in DECIMALS], str(ViewSettings.decimals))
    return ViewSettings(
        head=head,
        mode=settings.choice("view/mode", OF_ANY, ViewSettings.mode),
        decimals=int(decimals),
        values=settings.flag("view/values", ViewSettings.values),
        scientific=settings.flag("view/scientific", ViewSettings.scientific),
        reading=settings.choice("view/reading", READINGS, ViewSettings.reading),
        weights_typed=settings.choice("view/weights_typed", (ASK, *WEIGHT_MEANINGS), ViewSettings.weights_typed),
        blocked=settings.flag("view/blocked", ViewSettings.blocked),
    )
