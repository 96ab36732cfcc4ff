"""Documents that others took the place of are let go: nothing holds their numbers, no table, model or work is left."""

from __future__ import annotations

import gc
import weakref
from collections import Counter
from typing import Any

from PySide6.QtCore import SIGNAL, QCoreApplication, QEvent, QObject, Qt
from PySide6.QtGui import QPixmap, QPixmapCache
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QTableView, QToolButton
from shiboken6 import isValid

from attn_gui.engine import new_problem
from attn_gui.figure.page_catalog import PAGES
from attn_gui.formats import save
from attn_gui.paths import resource
from attn_gui.views.map.map_drawing import MapDrawing

NEXT = resource("examples", "minilm-layer2.npz")


class Watch:
    """Weak references to whatever a window has had of a document."""

    def __init__(self, program: Any) -> None:
        self._program, self._over = program, False
        self._seen: dict[int, tuple[str, weakref.ref[Any]]] = {}
        program.document.changed.connect(self._look)
        program.view.follow(self._look, "evaluation", "baseline", "compare", "overlay", "cell", "mode")
        program.late.model.changed.connect(self._look)
        self._look()

    def end(self) -> None:
        """Another document follows."""
        self._over = True

    def _look(self, *_: object) -> None:
        if self._over:
            return
        program, problem = self._program, self._program.document.problem
        arrays = {f"the array {name}": array for name, array in problem.arrays().items()}
        found = {what: array if array.base is None else array.base for what, array in arrays.items()}
        found |= {"the problem": problem, "the evaluation": program.computation.evaluation}
        found |= {"what the maps show": program.view.shown, "the study": program.document.study}
        if program.late.model.answer is not None:
            found |= {"the run": program.late.model.answer.run, "the second run": program.late.model.second}
        for what, one in found.items():
            if one is not None:
                self._seen[id(one)] = what, weakref.ref(one)

    def left(self) -> list[str]:
        """What of it is still there."""
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        gc.collect()
        return sorted({what for what, one in self._seen.values() if one() is not None})


def choose_a_cell(person):
    person.click_cell("weights", 1, 2)


def compare_and_split(person):
    person.do("pin")
    person.type_into("query", 0, 1, "2.5")
    for shown in ("show_before", "show_difference", "show_side_by_side", "show_wipe", "show_now"):
        person.do(shown)
        person.wait()


def look_at_a_gradient(person):
    person.click_cell("weights", 1, 2)
    person.do("show_gradient")
    person.wait()


def open_the_mask_list(person):
    person.do("masks")
    person.window.mask_panel.add_layer("bias")
    person.window.mask_panel.close_panel()


def cancel_what_is_made(person):
    person.size("d_k", 40)
    person.wait()
    person.size("n", 65_536)
    assert person.program.runner.busy
    person.press("Esc")
    assert not person.program.runner.busy


def refuse_a_way_out(person):
    person.go_to("query", 0, 0)
    person.clipboard("\n".join("\t".join("1" * 9) for _ in range(30)))
    person.press("Ctrl+V")
    assert person.window.banner.buttons()
    person.window.banner.setFocus()
    person.press("Esc")


def leave_a_cell_out(person):
    person.click_cell("weights", 1, 2)
    person.do("leave_out")
    person.wait()


def look_at_all_stages(person):
    person.do("all_stages")
    person.click_cell("scaled", 1, 2)


def turn_all_pages(person):
    person.click_cell("weights", 1, 2)
    for name in PAGES:
        if person.action(name).isEnabled():
            person.do(name)
            person.until(lambda: not person.program.late.pages.busy)


def go_about_a_model(person):
    person.do("known_toy_induction")
    person.wait()
    for field, text in (("control.text", "a b c a"), ("control.other_text", "q w q")):
        person.overwrite(person.find(field, QLineEdit), text)
        person.wait()
    heads = person.find("model", QTableView)
    QTest.mouseClick(
        heads.viewport(), Qt.MouseButton.LeftButton, pos=heads.visualRect(heads.model().index(1, 1)).center()
    )
    person.wait()
    person.do("head_off")
    person.wait()
    person.program.late.copy_rows.compare()
    person.wait()


DOINGS = (
    choose_a_cell,
    compare_and_split,
    look_at_a_gradient,
    open_the_mask_list,
    cancel_what_is_made,
    refuse_a_way_out,
    leave_a_cell_out,
    look_at_all_stages,
    turn_all_pages,
    go_about_a_model,
)


def test_nothing_of_it_is_left(launch, tmp_path):
    person, left = launch("worked-example.npz"), {}
    for doing in DOINGS:
        if person.action("show_now").isEnabled():
            person.do("show_now")
        person.do("example_worked")
        person.wait()
        watch = Watch(person.program)
        doing(person)
        person.rest()
        person.save_as(tmp_path / f"{doing.__name__}.attn")
        watch.end()
        person.drop(NEXT)
        person.wait()
        assert person.program.document.name == NEXT.stem
        left[doing.__name__] = watch.left()
    assert not any(left.values()), left


def _of_gone_widgets() -> int:
    """How many objects of Qt are still held by Python after Qt has deleted them."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    gc.collect()
    return sum(issubclass(type(one), QObject) and not isValid(one) for one in gc.get_objects())


def test_widgets_that_are_gone_are_not_kept(person):
    counts = []
    for _ in range(4):
        person.window.mask_panel.add_layer("bias")  # which has a table of its own
        QTest.qWait(20)  # until tips and all else are brought up to date
        person.do("undo")
        for path in (NEXT, resource("examples", "worked-example.npz")):
            person.drop(path)
            QTest.qWait(20)
        counts.append(_of_gone_widgets())
    assert len(set(counts[1:])) == 1, counts


def test_splits_ties_of_actions_and_pixels_are_not_kept(person):
    person.do("pin")
    person.type_into("query", 0, 1, "2.5")
    counts = []
    for _ in range(6):
        person.do("show_wipe", "show_now")
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        counts.append(_of_drawings_told_of())
    assert counts[-1] == counts[1], counts

    person.again("a change of an action ties its button to it no second time")
    found = [each for each in QApplication.allWidgets() if isinstance(each, QToolButton) and each.defaultAction()]
    actions, changed = {button.defaultAction() for button in found}, SIGNAL("changed()")
    assert len(actions) > 9
    before = {action: action.receivers(changed) for action in actions}
    for number in range(20):
        for action in actions:
            action.setText(str(number))
    assert all(action.receivers(changed) <= count + 1 for action, count in before.items())

    person.again("pixels of icons are kept within a megabyte")
    keys = []
    for _ in range(300):  # as questions and file dialogs leave them
        pixmap = QPixmap(64, 64)
        pixmap.fill()
        keys.append(QPixmapCache.insert(pixmap))
    assert sum(QPixmapCache.find(key, pixmap) for key in keys) * 64 * 64 * 4 <= 2**20


def _of_drawings_told_of() -> int:
    """How many slots wait for the end of a map."""
    drawings = (one for one in gc.get_objects() if isinstance(one, MapDrawing) and isValid(one))
    return sum(drawing.receivers(SIGNAL("destroyed(QObject*)")) for drawing in drawings)


def objects(person) -> Counter[str]:
    """The objects of Qt and of the program, by kind."""
    person.rest()
    for _ in range(3):
        QApplication.processEvents()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    gc.collect()
    parts = [each for top in (person.program, person.window) for each in top.findChildren(QObject)]
    qt = Counter(each.metaObject().className() for each in parts)
    return qt + Counter(type(each).__qualname__ for each in gc.get_objects() if "attn_gui." in str(type(each)))


def test_documents_leave_nothing_behind(launch, tmp_path):
    layers = [{"kind": "causal"}, {"kind": "bias", "values": [[0.0] * 7] * 7}]
    save(new_problem("direct", n=5, m=6, num_heads=2, d_k=3, d_v=2, fill="integers"), tmp_path / "first.npz")
    other = new_problem("self", n=7, m=7, num_heads=3, d_k=2, d_v=2, fill="integers")
    save(other.replace(mask=layers, rotary_theta=10.0), tmp_path / "other.npz")
    person = launch(tmp_path / "first.npz")

    def there_and_back() -> None:
        for name in ("other", "first"):
            person.drop(tmp_path / f"{name}.npz")
            person.click_cell("weights", 1, 1)
            person.type_into("query" if name == "first" else "x", 0, 0, "abc")  # and what is said of it
            person.press("Esc")
            person.rest()

    there_and_back()
    before = objects(person)
    for _ in range(3):
        there_and_back()
    grown = objects(person) - before
    assert not {kind: count for kind, count in grown.items() if count > 2}

    # an overview of a long map held all numbers of the document before, and the next zoom fell over their pictures
    for name, n in (("long", 2000), ("short", 5)):
        save(new_problem("direct", n=n, m=n, num_heads=1, d_k=1, d_v=1, fill="random"), tmp_path / f"{name}.npz")
    person.drop(tmp_path / "long.npz")
    person.wait()
    zoom(person)
    overview = person.window.product.maps.minimap("weights")
    assert overview.isVisible()
    read = weakref.ref(person.program.computation.evaluation)
    person.drop(tmp_path / "short.npz")
    objects(person)
    assert read() is None
    zoom(person)
    assert overview.isVisible()


def zoom(person) -> None:
    """Turn the wheel over the weights."""
    person.turn_wheel(person.find("heatmap.weights"), 2)
