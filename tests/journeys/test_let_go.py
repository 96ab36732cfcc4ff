"""Documents that others took the place of are let go: nothing holds their numbers, no table, model or work is left."""

import gc
import weakref
from collections import Counter
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtWidgets import QApplication

from attn_gui.engine import Problem
from attn_gui.engine.creation.create import new_fields
from attn_gui.figure.figure_kinds import PAGES
from attn_gui.formats import save
from attn_gui.paths import resource
from tests.failing import share

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


def turn_all_pages(person):
    person.click_cell("weights", 1, 2)
    for name in PAGES:
        if person.action(name).isEnabled():
            person.do(name)
            person.until(lambda: not person.program.late.pages.busy)


def go_about_a_model(person):
    person.open_toy("a b c a", "q w q")
    person.click_head(1, 1)
    person.wait()
    person.do("head_off")
    person.wait()
    person.program.late.second_text.compare()
    person.wait()


DOINGS = (
    compare_and_split,
    look_at_a_gradient,
    open_the_mask_list,
    cancel_what_is_made,
    turn_all_pages,
    go_about_a_model,
)


def test_nothing_of_it_is_left(launch, tmp_path):
    person, left = launch("worked-example.npz"), {}
    for doing in share(DOINGS, 3):
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


@pytest.mark.long
def test_documents_leave_nothing_behind(launch, tmp_path):
    layers = [{"kind": "causal"}, {"kind": "bias", "values": [[0.0] * 7] * 7}]
    save(
        Problem.over(new_fields("direct", n=5, m=6, num_heads=2, d_k=3, d_v=2, fill="integers")), tmp_path / "first.npz"
    )
    other = Problem.over(new_fields("self", n=7, m=7, num_heads=3, d_k=2, d_v=2, fill="integers"))
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
    for _ in range(2):
        there_and_back()
    grown = objects(person) - before
    assert not {kind: count for kind, count in grown.items() if count > 1}
