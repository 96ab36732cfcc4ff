"""Documents that are opened one after the other leave nothing behind: no table, no model, no work."""

from __future__ import annotations

import gc
import weakref
from collections import Counter

from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtWidgets import QApplication

from attn_gui.engine import new_problem
from attn_gui.formats import save


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
    first = new_problem("direct", n=5, m=6, num_heads=2, d_k=3, d_v=2, fill="integers")
    save(first, tmp_path / "first.npz")
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
