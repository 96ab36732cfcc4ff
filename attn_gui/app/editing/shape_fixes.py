"""What is said where matrices do not fit together, the ways out, and what a change of sizes does to others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QCoreApplication, QObject
from shiboken6 import isValid

from attn_gui.app.editing.edit_runner import Arrays, EditRunner
from attn_gui.app.state.translated_errors import called, saying
from attn_gui.document.matrix_model import field_symbol
from attn_gui.engine import Fix, ShapeError
from attn_gui.languages import QT_TRANSLATE_NOOP
from attn_gui.views.banner import Banner, BannerOffer, Words
from attn_gui.views.tables.inputs import InputsView
from attn_gui.views.tables.matrix_panel import MatrixPanel

Shape = tuple[int, ...]
Shapes = Mapping[str, tuple[Shape, Shape]]  # before and after, by field
CHANGE = QT_TRANSLATE_NOOP("Sentences", "{symbol} {before} → {after}")
FOLLOW = QT_TRANSLATE_NOOP("Sentences", "With it changes {others}; new cells are 0.")
ZEROS = QT_TRANSLATE_NOOP("Sentences", "New cells are 0.")
DONE = QT_TRANSLATE_NOOP("Sentences", "{changes}; new cells are 0")


Fields = Mapping[str, object]
Accept = Callable[[Fields, Arrays], None]  # with the arrays that were made for it

AXES = {"row": 0, "column": 1}


def shape_text(*shape: int) -> str:
    return " × ".join(map(str, shape))


def followers_text(field: str, shapes: Shapes) -> str:
    """Return one sentence on what changes beside a field that grows."""
    others = {name: pair for name, pair in shapes.items() if name != field}
    if not others:
        return translated_sentence(ZEROS)
    return translated_sentence(FOLLOW, others=_listed(others))


def done_text(shapes: Shapes) -> str:
    """Return the effect of a change of sizes, for the status bar; empty if no array has another shape."""
    grown = any(len(new) > len(old) or any(map(int.__gt__, new, old)) for old, new in shapes.values())
    return translated_sentence(DONE, changes=_listed(shapes)) if grown else _listed(shapes)


def _listed(shapes: Shapes) -> str:
    parts = [
        translated_sentence(CHANGE, symbol=field_symbol(name), before=shape_text(*old), after=shape_text(*new))
        for name, (old, new) in shapes.items()
    ]
    return translated_sentence(", ").join(parts)


def translated_sentence(template: str, **words: object) -> str:
    """Return a sentence in the language of the moment, its places filled."""
    return QCoreApplication.translate("Sentences", template).format(**words)


class ShapeFixes(QObject):
    """Says why matrices do not fit together, and offers every change that would make them fit; nothing is changed until
    one is picked.
    """

    def __init__(self, banner: Banner, parent: QObject, runner: EditRunner, inputs: InputsView | None = None) -> None:
        """Mark clashes; `inputs` are the tables of the document, where what is brought clashes with one of them."""
        super().__init__(parent)
        self._runner, self._banner, self._inputs = runner, banner, inputs
        self._marked: list[MatrixPanel] = []
        banner.changed.connect(self._unmark)

    def offer(
        self,
        clash: ShapeError,
        base: Callable[[], Fields],
        changes: Callable[[], Fields],
        accept: Accept,
        *,
        words: Words | None = None,
        before: Sequence[BannerOffer] = (),
        brought: str = "",
    ) -> None:
        """Say what clashes, `words` instead of the clash's own, and offer what is in `before` and every fix.

        `brought` is the matrix that a person wants to put in: where it can be turned to fit, that was most likely
        meant; where `before` makes the others follow it, only changes of its own are left to offer.

        `base` gives the fields as they are when a button is pressed, `changes` those that are to be put in their
        place then; `accept` takes what is to be changed then, or raises the ShapeError that is left.
        """

        def offered(fix: Fix) -> BannerOffer:
            return BannerOffer(lambda: self._label(fix), saying(fix), lambda: self._take(fix, base, changes, accept))

        first = [fix for fix in clash.fixes if fix.kind == "transpose" and brought in (fix.matrix, "")]
        last = [fix for fix in clash.fixes if fix not in first and (not before or fix.matrix == brought)]
        offers = [*map(offered, first), *before, *map(offered, last)]
        self._banner.show_error(words or saying(clash), offers=offers, focus=True)
        self._mark(clash, brought)

    def _mark(self, clash: ShapeError, brought: str) -> None:
        """Mark the number in the shape of the table that something does not fit to.

        What is brought is in no table yet.
        """
        panels = self._inputs.panels if self._inputs is not None else {}
        for matrix, axis in zip(clash.matrices, clash.axes, strict=False):
            panel = panels.get(matrix)
            if panel is not None and matrix != brought and axis in AXES:
                panel.set_wrong([AXES[axis]])
                self._marked.append(panel)

    def _unmark(self) -> None:
        for panel in self._marked:
            if isValid(panel):
                panel.set_wrong([])
        self._marked.clear()

    def _take(self, fix: Fix, base: Callable[[], Fields], changes: Callable[[], Fields], accept: Accept) -> None:
        def make() -> Fields:
            from attn_gui.engine import apply_fix

            given = changes()
            return {**given, **apply_fix(fix, {**base(), **given})}

        def take(fixed: Fields, fresh: Arrays) -> None:
            try:
                accept(fixed, fresh)
            except ShapeError as clash:  # one thing is put right, another is not
                self.offer(clash, base, lambda: fixed, accept)

        self._runner.begin(self._label(fix), make, take)

    def _label(self, fix: Fix) -> str:
        words = {
            "add": self.tr("Add {matrix}, {shape}"),
            "transpose": self.tr("Transpose {matrix}"),
            "resize": self.tr("Resize {matrix} to {after}"),
            "project": self.tr("Project {matrix} with a new {shape}"),
        }[fix.kind if fix.before else "add"]
        return words.format(matrix=called(fix.matrix), after=shape_text(*fix.after), shape=shape_text(*fix.shape))
