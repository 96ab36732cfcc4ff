"""The dialog for the worksheets of a class."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtWidgets import QCheckBox, QGridLayout, QVBoxLayout, QWidget

from attn_gui.figure.tokens import SPACING
from attn_gui.lessons.exercises import BLANKS, SEED, SHEETS
from attn_gui.views.controls.choice_box import ChoiceBox
from attn_gui.views.controls.count_box import CountBox
from attn_gui.views.dialogs.export.export_form import ExportForm
from attn_gui.views.dialogs.form_fields import CheckList, caption, lay_out
from attn_gui.views.words.names import stage_title

LANGUAGES = {"en": "English", "zh": "中文"}


@dataclass(frozen=True)
class WorksheetChoice:
    """Sheets to write: how many, by which seed, `blanks` cells left out of `stages`, a file of keys too or not."""

    count: int = SHEETS.usual
    seed: int = SEED.usual
    blanks: int = BLANKS.usual
    stages: tuple[str, ...] = ()
    keys: bool = True
    lang: str = "en"
    folder: str = ""
    name: str = ""


class WorksheetDialog(ExportForm):
    """Asks for the sheets of a class; `names` tells their files, or raises ValueError for what makes no sheet."""

    remembered = ("count", "seed", "blanks", "keys")

    def __init__(
        self,
        stages: Sequence[str],
        names: Callable[[WorksheetChoice], Sequence[str]],
        stem: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(names, stem, parent)
        self.setObjectName("dialog.worksheets")
        self.count = CountBox(self, minimum=SHEETS.least, maximum=SHEETS.most)
        self.seed = CountBox(self, minimum=SEED.least, maximum=SEED.most)
        self.blanks = CountBox(self, minimum=BLANKS.least, maximum=BLANKS.most)
        self.stages, self.lang = CheckList(stages, stage_title, self), ChoiceBox(LANGUAGES, self)
        self.keys = QCheckBox(self)
        self._captions = {name: caption(editor, self) for name, editor in self._editors().items()}
        self._build()
        self.set_choice(WorksheetChoice(stages=tuple(stages)))
        self.retranslate()

    def set_choice(self, choice: WorksheetChoice) -> None:
        """Show what is proposed."""
        self.count.setValue(choice.count)
        self.seed.setValue(choice.seed)
        self.blanks.setValue(choice.blanks)
        self.stages.set_keys(choice.stages)
        self.keys.setChecked(choice.keys)
        self.lang.set_key(choice.lang)
        self.target.folder.setText(choice.folder)
        self._show_choice()

    # --- words -----------------------------------------------------------------------------------
    def retranslate(self) -> None:
        """All words in the present language."""
        self.setWindowTitle(self.tr("Worksheets for a class"))
        words = {
            "count": self.tr("worksheets"),
            "seed": self.tr("random seed"),
            "blanks": self.tr("cells left out of each"),
            "stages": self.tr("left out of"),
            "lang": self.tr("language"),
        }
        self._call_editors(words)
        self.keys.setText(self.tr("and the keys to them, in a file of their own"))
        self.lang.set_words(LANGUAGES)
        self.stages.retranslate()
        super().retranslate()

    # --- inside ----------------------------------------------------------------------------------
    def _editors(self) -> dict[str, QWidget]:
        numbers = {"count": self.count, "seed": self.seed, "blanks": self.blanks}
        return {**numbers, "stages": self.stages, "lang": self.lang, **self._place_editors()}

    def _build(self) -> None:
        for name, editor in {**self._editors(), "keys": self.keys}.items():
            editor.setObjectName(f"worksheets.{name}")
        grid, column = QGridLayout(), QVBoxLayout(self)
        lay_out(
            grid,
            (
                (self._field("count"), self._field("seed"), self._field("blanks")),
                (self._field("stages", 3),),
                ((None, self.keys, 3),),
                (self._field("lang"), self._field("name", 2)),
                (self._field("target", 3),),
            ),
        )
        column.setContentsMargins(SPACING.xl, SPACING.xl, SPACING.xl, SPACING.xl)
        column.setSpacing(SPACING.m)
        column.addLayout(grid, 1)
        column.addWidget(self._said)
        column.addWidget(self.buttons)
        for box in (self.count, self.seed, self.blanks):
            box.valueChanged.connect(self._show_choice)
        for signal in (self.stages.ticked, self.keys.toggled, self.lang.picked):
            signal.connect(self._show_choice)

    def _lacking(self) -> str:
        return "" if self.stages.keys() else self.tr("Tick at least one step.")

    def _heads(self) -> tuple[int, ...]:
        return ()

    def _choice(self, heads: tuple[int, ...]) -> WorksheetChoice:
        return WorksheetChoice(
            count=self.count.value(),
            seed=self.seed.value(),
            blanks=self.blanks.value(),
            stages=self.stages.keys(),
            keys=self.keys.isChecked(),
            lang=str(self.lang.currentData()),
            folder=self.target.path(),
            name=self.typed_name(),
        )
