"""The dialog “Worksheets for a class”: how many, level, seed, language, the teacher's pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QCheckBox, QGridLayout, QWidget

from attn_gui.lessons.exercises import LEVELS, SEED, SHEETS, USUAL_LEVEL
from attn_gui.views.controls.count_box import CountBox
from attn_gui.views.dialogs.export_form import ExportForm
from attn_gui.views.dialogs.form_fields import lay_out
from attn_gui.views.widgets import ChoiceBox

LANGUAGES = {"en": "English", "zh": "中文"}


@dataclass(frozen=True)
class WorksheetChoice:
    """Sheets to write: how many, by which seed, of which level, a file of keys too or not."""

    count: int = SHEETS.usual
    seed: int = SEED.usual
    level: str = USUAL_LEVEL
    keys: bool = True
    lang: str = "en"
    folder: str = ""
    name: str = ""


class WorksheetDialog(ExportForm):
    """Asks for the sheets of a class; `names` tells their files, or raises ValueError for what makes no sheet."""

    remembered = ("count", "seed", "level", "keys")
    prefix = "worksheets"

    def __init__(
        self, names: Callable[[WorksheetChoice], Sequence[str]], stem: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(names, stem, parent)
        self.setObjectName("dialog.worksheets")
        self.level = ChoiceBox(tuple(LEVELS), self)
        self.count = CountBox(self, minimum=SHEETS.least, maximum=SHEETS.most)
        self.seed = CountBox(self, minimum=SEED.least, maximum=SEED.most)
        self.lang, self.keys = ChoiceBox(LANGUAGES, self), QCheckBox(self)
        self.setWindowTitle(self.tr("Worksheets for a class"))
        self.level.set_words(
            {key: QCoreApplication.translate("Worksheets", level.label) for key, level in LEVELS.items()}
        )
        self.lang.set_words(LANGUAGES)
        keys = self.tr("and the teacher's pages with the answers, in a file of their own")
        grid = QGridLayout()
        lay_out(
            grid,
            (
                (
                    self._field("level", self.level, self.tr("level")),
                    self._field("count", self.count, self.tr("worksheets")),
                    self._field("seed", self.seed, self.tr("random seed")),
                ),
                (self._switch(self.keys, keys, 3),),
                (self._field("lang", self.lang, self.tr("language")), self._name_field(2)),
                (self._folder_field(),),
            ),
        )
        self._lay_out(grid)
        self._listen()
        self.set_choice(WorksheetChoice())

    def _fields(self) -> dict[str, QWidget]:
        return {"level": self.level, "count": self.count, "seed": self.seed, "keys": self.keys, "lang": self.lang}

    def _lacking(self) -> str:
        return ""

    def _heads(self) -> tuple[int, ...]:
        return ()
