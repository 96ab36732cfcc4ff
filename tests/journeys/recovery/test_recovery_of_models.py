"""After a crash with a model on the table: the model, its text, all changed layers and the layer come back."""

from __future__ import annotations

import shutil

import pytest
from PySide6.QtWidgets import QFileDialog, QLineEdit

from attn_gui.app.files.journaling import journals_folder
from attn_gui.formats.journal import recover
from attn_gui.models.study import model_of, weights_at
from attn_gui.paths import resource

TOY = resource("models", "toy-induction")
TEXT = "k x b p f k x b p"


def own():
    """The journal of the window that is open: the one whose name is made of numbers."""
    return [path for path in sorted(journals_folder().glob("*.journal")) if "-" in path.stem]


def held(path):
    """What a journal holds; the weights are read from the model."""
    return recover(path, None, lambda record: weights_at(model_of(record, []), record.text, record.layer))


def click_head(person, layer, head):
    person.click_head(layer, head)
    person.wait()


def kept(person, qtbot):
    """Wait until the journal holds the document; what it holds then."""

    def holds():
        study, problem = person.program.document.study, person.program.document.snapshot()
        found = [held(path) for path in own()]
        return any(
            one.loaded.problem == problem
            and one.study is not None
            and (one.study.layer, one.study.text) == (study.layer, study.text)
            and set(one.study.layers) == set(study.others)
            for one in found
        )

    qtbot.waitUntil(holds)
    return held(own()[0])


def press(person, place):
    person.click(person.find("banner").buttons()[place])


def recovered(person, qtbot):
    press(person, 0)
    qtbot.waitUntil(lambda: person.program.document.modified)
    person.wait()


def changed(person):
    """Another text, a head of layer 0 off, a number of layer 1 typed."""
    person.overwrite(person.find("control.text", QLineEdit), TEXT)
    person.wait()
    person.click("model.head_off")
    person.wait()
    click_head(person, 1, 3)
    person.type_into("w_query", 1, 0, "2.5")
    person.wait()


def with_changed_toy(launch):
    person = launch()
    person.do("known_toy_induction")
    person.wait()
    changed(person)
    return person


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_was_changed_in_a_model_that_is_gone_is_kept_until_its_folder_is_back(
    launch, lang, qtbot, tmp_path, monkeypatch
):
    """In English its folder is away, in Chinese another model lies in it and the folder is chosen where it is now."""
    folder, away = tmp_path / "mine", tmp_path / "away"
    shutil.copytree(TOY, folder)
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"\1")  # another checkpoint than the one that comes along
    person = launch()
    person.drop(folder)
    person.wait()
    changed(person)
    kept(person, qtbot)
    problem, path = person.program.document.snapshot(), journals_folder() / "crashed.journal"
    shutil.copy(own()[0], path)
    person.leave()
    entries = path.read_bytes()
    folder.rename(away)
    if lang == "zh":
        shutil.copytree(TOY, folder)
    person = launch(lang=lang)
    before = person.program.document.problem
    press(person, 0)
    qtbot.waitUntil(lambda: "SHA-256" in person.banner())
    assert "mine" in person.banner()
    assert person.program.document.problem is before
    assert path.read_bytes() == entries
    if lang == "zh":
        wrong = tmp_path / "wrong"
        shutil.copytree(TOY, wrong)
        for chosen in ("", str(wrong)):  # thought better of it, and another model
            monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_, chosen=chosen: chosen)
            press(person, 0)
            qtbot.waitUntil(lambda: "SHA-256" in person.banner())
            assert person.program.document.problem is before
        monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(away))
        recovered(person, qtbot)
        assert person.program.document.study.model.folder == away
        assert person.program.document.problem == problem
        return
    person.leave()
    shutil.rmtree(folder, ignore_errors=True)
    away.rename(folder)
    person = launch(lang=lang)
    recovered(person, qtbot)
    assert person.program.document.study.text == TEXT
    assert person.program.document.problem == problem


def test_no_weight_is_in_a_journal(launch, qtbot):
    """The first entry held the layer on the table whole."""
    person = with_changed_toy(launch)
    kept(person, qtbot)
    person.type_into("w_value", 2, 2, "3.5")
    person.press("Ctrl+Z")
    person.type_into("w_value", 2, 2, "4.5")
    person.wait()
    kept(person, qtbot)
    problem = person.program.document.problem
    assert len(person.program.document.snapshots.all) == 1
    assert own()[0].stat().st_size < problem.w_query.nbytes


def test_a_change_of_another_layer_alone_is_kept(launch, qtbot):
    person = with_changed_toy(launch)
    assert set(kept(person, qtbot).study.layers) == {0}
    before = person.program.document.problem
    changes = person.find("model.changes")
    changes.choose(0)
    changes.setFocus()
    person.press("Del")
    person.wait()
    assert not person.program.document.study.others
    qtbot.waitUntil(lambda: not held(own()[0]).study.layers)
    person.press("Ctrl+Z")
    person.wait()
    assert person.program.document.problem == before
    assert set(kept(person, qtbot).study.layers) == {0}


def test_what_is_typed_costs_its_cells_and_not_the_model_again(launch, qtbot):
    person = with_changed_toy(launch)
    kept(person, qtbot)
    size = own()[0].stat().st_size
    person.type_into("w_query", 1, 1, "3.5")
    kept(person, qtbot)
    assert own()[0].stat().st_size - size < 1000


def test_another_document_is_kept_without_the_model(launch, qtbot):
    person = with_changed_toy(launch)
    kept(person, qtbot)
    person.program.document.mark_saved(journals_folder() / "x.attn")
    person.program.files.open_example("worked")
    person.wait()
    person.type_into("query", 0, 0, "7")
    problem = person.program.document.snapshot()
    qtbot.waitUntil(lambda: any(held(path).loaded.problem == problem for path in own()))
    assert held(own()[0]).study is None


def test_of_a_model_whose_folder_goes_meanwhile_the_layer_is_kept(launch, qtbot, tmp_path):
    folder = tmp_path / "mine"
    shutil.copytree(TOY, folder)
    person = launch()
    person.drop(folder)
    person.wait()
    shutil.rmtree(folder)
    person.type_into("w_query", 1, 1, "3.5")
    problem = person.program.document.snapshot()
    qtbot.waitUntil(lambda: any(held(path).loaded.problem == problem for path in own()))
    assert held(own()[0]).study is None
    assert person.banner() == ""
