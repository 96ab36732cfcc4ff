"""Base of the export dialogs: order of fields, file name (forbidden signs), heads, Replace?; the one of worksheets."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject, QPoint, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMessageBox,
    QVBoxLayout,
    QWidget,
)

from attn_gui.figure.design_tokens import SPACING
from attn_gui.figure.export_settings import STYLES, resolution
from attn_gui.lessons.exercises import LEVELS, SEED, SHEETS, USUAL_LEVEL
from attn_gui.views.controls.count_box import CountBox
from attn_gui.views.dialogs.dialog_base import BUTTONS, AnswerButtons, FormDialog, asked, message_box
from attn_gui.views.dialogs.form_fields import (
    CentimeterField,
    ExportChoice,
    FormField,
    PointsField,
    TargetFields,
    TypedChoice,
    caption,
    heads_from_text,
    kind_of,
    lay_out,
)
from attn_gui.views.text_views import WrappedLabel
from attn_gui.views.theme import style_text
from attn_gui.views.widgets import ChoiceBox, LineEdit, arrange, commit_focused_editor
from attn_gui.views.zones import step

NOT_IN_NAMES = frozenset('/\\:*?"<>|')
LONGEST_NAME = 255  # bytes, on every file system in use


class ExportForm(FormDialog):
    """Asks what to write; a subclass makes the fields, in the order in which they are reached, and reads them.

    `names` tells the files of a choice, `stem` is what they are called before stage and head. The name proposed follows
    the choice until another one is typed. Object names of its fields begin with `prefix`.
    """

    remembered: tuple[str, ...] = ()
    prefix = "export"

    def __init__(self, names: Callable[[Any], Sequence[str]], stem: str, parent: QWidget | None) -> None:
        super().__init__(parent)
        self._names, self._stem, self._name_typed = names, stem, False
        self._granted: Path | None = None
        self._captions: list[QLabel] = []
        self.name, self.target = LineEdit(stem, self), TargetFields(self)
        self._said = WrappedLabel(self)
        self.buttons = AnswerButtons(self, self.tr("Export"), BUTTONS.Save)
        self.name.textEdited.connect(self._on_name_text_edited)
        self.target.changed.connect(self._show_choice)
        self.target.browseRequested.connect(self._on_target_browse_requested)

    def set_choice(self, choice: Any) -> None:
        """Show what is proposed."""
        self._proposed = choice
        for name, editor in self._fields().items():
            kind_of(editor).show(editor, getattr(choice, name))
        self._show_rest(choice)
        self.target.folder.setText(choice.folder)
        self._show_choice()

    def propose(self, choice: Any, state: Mapping[str, Any]) -> None:
        """Show what is proposed, with the options of the last time but for what is missing or impossible."""
        for name in (name for name in self.remembered if name in state):
            with suppress(ValueError):
                if state[name] is not None or getattr(type(choice), name) is None:
                    choice = replace(choice, **{name: state[name]})
        self.set_choice(choice)

    def state(self) -> dict[str, Any]:
        """Return the options worth remembering, as a mapping for the settings."""
        choice = self._choice((0,))
        return {name: getattr(choice, name) for name in self.remembered}

    def result_choice(self) -> Any:
        """Return the present choice. Raises ValueError with a sentence if the heads or a number cannot be read."""
        return self._choice(self._heads())

    def typed_name(self) -> str:
        """Return the name that was typed; empty while the proposed one stands."""
        return self.name.text().strip() if self._name_typed else ""

    def objection(self) -> str:
        """Return the reason why nothing can be written yet, as a sentence; empty if it can."""
        lacking = self._lacking() or self._bad_name()
        if lacking:
            return lacking
        try:
            names = self._names(self.result_choice())
        except (ValueError, OSError) as error:
            return str(error)
        if any(len(name.encode(errors="replace")) > LONGEST_NAME for name in names):
            return self.tr("The file name is too long.")
        return self.target.objection()

    def say_outcome(self, *_: object) -> None:
        """Say what will be written, or why nothing can be."""
        objection = self.objection()
        self._said.setText(objection or self._files())
        style_text(self._said, tone="error" if objection else "text2")

    def accept(self) -> None:
        if self.objection():
            self.say_outcome()
        elif commit_focused_editor(self) and self._may_replace():
            super().accept()

    def showEvent(self, event: QShowEvent) -> None:
        """Begin with the field that stands first: Qt would begin with the one that was made first, the folder."""
        super().showEvent(event)
        if self.focusWidget() in (None, self.name, *self.target.findChildren(QWidget)):
            shown = [label.buddy() for label in self._captions if label.buddy().isVisible()]
            first = min(shown, key=lambda editor: editor.mapTo(self, QPoint()).toTuple()[::-1])
            first.setFocus(Qt.FocusReason.OtherFocusReason)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Move to the next field: Qt's own way would go round and round an editor that is made of several."""
        return step(self, forward)

    # --- for the subclass --------------------------------------------------------------------------
    def _fields(self) -> dict[str, QWidget]:
        """Return the editors that hold fields of the choice as they are, by the names of these."""
        raise NotImplementedError

    def _field(self, name: str, editor: QWidget, words: str, span: int = 1) -> FormField:
        """Return an editor under its caption, as a row of the form takes it."""
        editor.setObjectName(f"{self.prefix}.{name}")
        self._captions.append(caption(words, editor, self))
        return self._captions[-1], editor, span

    def _name_field(self, span: int = 3) -> FormField:
        return self._field("name", self.name, self.tr("file name"), span)

    def _folder_field(self) -> FormField:
        return self._field("target", self.target, self.tr("folder"), 3)

    def _switch(self, box: QCheckBox, words: str, span: int = 1) -> FormField:
        """Return a box with its words beside it."""
        name = next(name for name, editor in self._fields().items() if editor is box)
        box.setObjectName(f"{self.prefix}.{name}")
        box.setText(words)
        return None, box, span

    def _heads(self) -> tuple[int, ...]:
        """Return the heads asked for. Raises ValueError with a sentence."""
        raise NotImplementedError

    def _show_rest(self, choice: Any) -> None:
        """Show the fields of a choice that no editor holds as they are."""

    def _choice(self, heads: tuple[int, ...]) -> Any:
        """Return the choice in the fields, for these heads, where it has any."""
        values = {name: kind_of(editor).read(editor) for name, editor in self._fields().items()}
        return replace(self._proposed, **values, folder=self.target.path(), name=self.typed_name())

    def _lacking(self) -> str:
        """Return the lack of a tick, as a sentence; empty if something is."""
        raise NotImplementedError

    def _listen(self) -> None:
        """Show the choice whenever a field of it changes."""
        for editor in self._fields().values():
            getattr(editor, kind_of(editor).changed).connect(self._show_choice)

    def _lay_out(self, form: QGridLayout) -> None:
        """Put the form above what is said of it, and the buttons."""
        arrange(QVBoxLayout(self), (form, 1), self._said, self.buttons, margins=SPACING.xl, spacing=SPACING.m)

    def _show_choice(self, *_: object) -> None:
        """Propose a name for the choice, and say which files it writes or why it cannot."""
        self._propose_name()
        self.say_outcome()

    # --- names -----------------------------------------------------------------------------------
    def _propose_name(self) -> None:
        if self._name_typed:
            return
        try:
            names = self._names(self.result_choice())
        except (ValueError, OSError):
            return
        proposed = Path(names[0]).stem if len(names) == 1 else self._stem
        if proposed != self.name.text():
            self.name.setText(proposed)

    def _on_name_text_edited(self, text: str) -> None:
        """Let the proposed name come back where the typed one is taken away."""
        self._name_typed = bool(text.strip())
        self._show_choice()

    def _bad_name(self) -> str:
        wrong = "".join(sorted(NOT_IN_NAMES & set(self.typed_name())))
        return self.tr("A file name cannot hold {signs}").format(signs=f"{wrong}.") if wrong else ""

    def _on_target_browse_requested(self) -> None:
        """Open a file dialog for one file, which asks before it is replaced; else one for the folder."""
        try:
            names = self._names(self.result_choice())
        except (ValueError, OSError):
            names = []
        if len(names) != 1:
            found = QFileDialog.getExistingDirectory(self, self.tr("Folder for the files"), self.target.path())
            if found:
                self.target.folder.setText(found)
            return
        dialog = QFileDialog(self, self.windowTitle(), str(Path(self.target.path()) / names[0]))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(Path(names[0]).suffix)
        if asked(dialog):
            self._granted = Path(dialog.selectedFiles()[0])
            self._name_typed = True
            self.name.setText(self._granted.name)
            self.target.folder.setText(str(self._granted.parent))

    # --- files -----------------------------------------------------------------------------------
    def _there(self) -> list[Path]:
        """Return the files of those names that are there already."""
        choice = self.result_choice()
        paths = (Path(choice.folder) / name for name in self._names(choice))
        return [path for path in paths if os.path.isfile(path)]  # `is_file` raises where it may not look

    def _may_replace(self) -> bool:
        """Ask before anything is replaced, unless the file dialog did."""
        there = [path for path in self._there() if path != self._granted]
        if not there:
            return True
        one, two = self.tr("Replace {name}?"), self.tr("Replace {first} and {last}?")
        words = {1: one, 2: two}.get(len(there), self.tr("Replace {count} files, {first} to {last}?"))
        loss = self.tr("What is in {folder} under that name now is lost.").format(folder=there[0].parent)
        said = words.format(name=there[0].name, count=len(there), first=there[0].name, last=there[-1].name)
        box = message_box(self, said, loss)
        replace = box.addButton(self.tr("Replace"), QMessageBox.ButtonRole.DestructiveRole)
        box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
        asked(box)
        return box.clickedButton() is replace

    def _files(self) -> str:
        names = self._names(self.result_choice())
        if not names:
            return ""
        one, two = self.tr("Writes {name}."), self.tr("Writes {first} and {last}.")
        words = {1: one, 2: two}.get(len(names), self.tr("Writes {count} files, {first} to {last}."))
        said = words.format(name=names[0], count=len(names), first=names[0], last=names[-1])
        known = self.tr("{said} Already there: {count}; you will be asked before anything is replaced.")
        there = len(self._there())
        return known.format(said=said, count=there) if there else said


THIS, ALL, SOME = "this", "all", "some"


class HeadsFields(TypedChoice):
    """Fields for the heads to export: this one, all, or some, whose numbers are typed beside the choice."""

    def __init__(self, count: int, parent: QWidget | None = None) -> None:
        super().__init__("export.which_heads", (THIS, ALL, SOME) if count > 1 else (THIS,), SOME, parent)
        self.count, self._this = count, 0
        self.numbers = QLineEdit(self)
        self.beside = [self.numbers]
        self.numbers.setObjectName("export.head_numbers")
        arrange(QHBoxLayout(self), (self.choice, 1), (self.numbers, 1), margins=0, spacing=SPACING.s)
        self.numbers.textChanged.connect(self.changed)
        self.numbers.setPlaceholderText("0, 2-3")
        self.numbers.setAccessibleName(self.tr("Numbers of the chosen heads"))
        self.numbers.setToolTip(self.tr("Numbers such as 0, 2-3"))
        self.set_heads((0,))

    def heads(self) -> tuple[int, ...]:
        """Return the heads; ValueError with a sentence if their numbers cannot be read."""
        if self.choice.currentData() == SOME:
            return heads_from_text(self.numbers.text(), self.count)
        return {THIS: (self._this,), ALL: tuple(range(self.count))}[self.choice.currentData()]

    def readable(self) -> tuple[int, ...]:
        """Return the heads; none while what is typed cannot be read."""
        try:
            return self.heads()
        except ValueError:
            return ()

    def set_heads(self, heads: tuple[int, ...]) -> None:
        """Propose one head, which is then "this head", all, or several."""
        several = len(heads) > 1
        if not several:
            self._this = heads[0] if heads else 0
        self.choice.set_key(THIS if not several else ALL if len(heads) == self.count else SOME)
        self.numbers.setText(", ".join(map(str, heads)))
        self.show_beside()
        words = {
            THIS: self.tr("this head ({head})").format(head=self._this),
            ALL: self.tr("all heads"),
            SOME: self.tr("chosen heads"),
        }
        self.choice.set_words({key: word for key, word in words.items() if self.choice.findData(key) >= 0})


class SizeFields(QObject):
    """Editors of a figure's sizes and of what it is made for; picking the latter empties the sizes that it sets."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.style = ChoiceBox(STYLES, parent)
        self.style.set_words({key: QCoreApplication.translate("Figures", kind.title) for key, kind in STYLES.items()})
        self.width, self.height, self.font_size = CentimeterField(parent), CentimeterField(parent), PointsField(parent)
        self.dpi = CountBox(parent, minimum=30, maximum=2400)
        self.style.picked.connect(self._on_style_picked)

    @property
    def numbers(self) -> tuple[CentimeterField | PointsField, ...]:
        """The fields that may be empty."""
        return self.width, self.height, self.font_size

    def _on_style_picked(self) -> None:
        for field in self.numbers:
            field.set_value(None)
        self.dpi.setValue(int(resolution(None, self.style.currentData(), ExportChoice.dpi)))
        self.propose()

    def propose(self) -> None:
        """Show in the empty fields what they stand for."""
        for field, size in zip(self.numbers, self._sizes(), strict=True):
            field.setPlaceholderText(self.tr("automatic") if size is None else f"{size:g}")

    def _sizes(self) -> Iterator[float | None]:
        kind = STYLES[self.style.currentData()]
        return iter((kind.width, kind.height, kind.font_size))


# --- worksheets for a class -----------------------------------------------------------------------
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

    def __post_init__(self) -> None:
        if self.level not in tuple(LEVELS) or [type(self.count), type(self.seed), type(self.keys)] != [int, int, bool]:
            raise ValueError("No count, seed, level or switch of worksheets.")


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
