"""Studies in files: what was changed comes back to the bit, with the model and never with its weights."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load as arrays_in

from attn_gui import load
from attn_gui.document.document import Document
from attn_gui.document.edits import Label, SetCells, SetFields, SetStudy
from attn_gui.engine import Problem
from attn_gui.engine.creation.resize import resize
from attn_gui.formats import open_file, save_study
from attn_gui.formats.file_messages import FormatError
from attn_gui.formats.session import ModelNeeded, StudyRecord
from attn_gui.models import Model, open_model
from attn_gui.models.study import OpenedStudy, open_layer, opened_study, record_of, weights_at
from attn_gui.paths import resource
from tests.failing import each, examples

FOLDERS = ("tiny-bert", "tiny-gpt2", "tiny-llama")
OFF = {"kind": "scale", "stage": "head_output", "at": {"head": 0}, "factor": 0.0}


def silent(_share: float) -> None:
    """Ignore the progress."""


@pytest.fixture(params=FOLDERS)
def model(request: pytest.FixtureRequest) -> Model:
    return open_model(Path(__file__).parents[1] / "data" / "models" / str(request.param))


def changed(problem: Problem) -> Problem:
    weights = np.array(problem.w_value)
    weights[1, 2] = 7.5
    return problem.replace(w_value=weights, interventions=[OFF], temperature=1.5)


def kept(record: StudyRecord, path: Path) -> StudyRecord:
    save_study(record, path)
    with pytest.raises(ModelNeeded) as caught:
        open_file(path)
    return caught.value.record


def test_every_kind_of_change_comes_back(model: Model, tmp_path: Path) -> None:
    below = open_layer(model, "the cat", 0, {}, silent)
    first = changed(below.problem)
    above = below.study.at(first, 1, silent)
    x = np.array(above.problem.x)
    x[0, 3] += 2
    second = above.problem.replace(x=x, mask=())
    record = record_of(above.study, second, {"head": 1}, ())
    path = tmp_path / "study.attn"
    again = kept(record, path)
    assert again.view == {"head": 1}
    assert path.stat().st_size < 40_000
    found = opened_study(again, [], silent)
    assert found.problem == second
    assert found.study.edits(found.problem).keys() == {0, 1}
    assert found.study.at(found.problem, 0, silent).problem == first


def test_a_study_needs_its_model(model: Model, tmp_path: Path) -> None:
    start = open_layer(model, "the cat", 0, {}, silent)
    path = tmp_path / "study.attn"
    save_study(record_of(start.study, start.problem, {}, ()), path)
    with pytest.raises(FormatError, match=model.folder.name):
        load(path)
    other = StudyRecord(**{**vars(kept(record_of(start.study, start.problem, {}, ()), path)), "sha256": "0" * 64})
    with pytest.raises(FormatError, match=f"holds other numbers now.*{model.digest[:12]}.*000000000000"):
        opened_study(other, [resource("models", "toy-induction")], silent)
    gone = StudyRecord(**{**vars(other), "folder": str(tmp_path / "gone")})
    with pytest.raises(FormatError, match="not where it was"):
        opened_study(gone, [resource("models", "toy-induction")], silent)
    (tmp_path / "gone").mkdir()
    with pytest.raises(FormatError, match=r"config\.json"):
        opened_study(gone, [], silent)


@each("wrong", [{"num_heads": []}, {"query_tokens": [["a"]]}, {"dtype": []}])
def test_a_layer_with_a_value_of_another_sort_is_refused(model: Model, wrong: dict[str, object]) -> None:
    """It is no ValueError, which is what the window says in a sentence: that of a program's fault came instead."""
    start = open_layer(model, "the cat", 0, {}, silent)
    record = record_of(start.study, changed(start.problem), {}, ())
    layer = replace(record.layers[0], options={**record.layers[0].options, **wrong})
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be"):
        opened_study(replace(record, layers={0: layer}), [], silent)


@pytest.mark.parametrize("replaced", ["model.safetensors", "config.json"])
def test_weights_that_were_replaced_since_are_not_named_for_those_that_were_read(tmp_path: Path, replaced: str) -> None:
    """The file named the new ones: it opened without a word, with other numbers."""
    folder = tmp_path / "toy"
    shutil.copytree(resource("models", "toy-induction"), folder)
    found = open_layer(open_model(folder), "k x", 0, {}, silent)
    other = folder / f"{replaced}.new"
    other.write_bytes((folder / replaced).read_bytes())
    os.utime(other, ns=(1, 1))
    other.replace(folder / replaced)
    with pytest.raises(FormatError, match="toy were written anew"):
        record_of(found.study, found.problem, {}, ())
    again = open_model(folder)
    assert record_of(open_layer(again, "k x", 0, {}, silent).study, found.problem, {}, ()).sha256 == again.digest


# --- sessions of models carry no weights ----------------------------------------------------------
TEXT = "the cat sat on the mat"
NAMES = ("w_query", "w_value", "block.w_down", "block.norm1_weight", "x")
HAND = {"kind": "set", "stage": "weights", "at": {"head": 0, "query": 1}, "values": 0.25}


@pytest.fixture(scope="module", params=["tiny-gpt2", "tiny-llama"])
def small_model(request: pytest.FixtureRequest) -> Model:
    return open_model(Path(__file__).parents[1] / "data" / "models" / str(request.param))


def begun(small_model: Model) -> Document:
    found, document = open_layer(small_model, TEXT, 0, {}, silent), Document(Problem([[1.0]], [[1.0]], [[1.0]]))
    document.adopt(found.problem, None, "m", (), found.study)
    return document


def typed(document: Document, name: str, place: int, number: float) -> None:
    array = document.problem.arrays()[name]
    index = np.unravel_index(place % array.size, array.shape)
    box = tuple(slice(int(at), int(at) + 1) for at in index)
    document.apply(SetCells(name, box, np.full((1,) * array.ndim, number, array.dtype), Label("typed")))


def moved(document: Document, found: OpenedStudy) -> None:
    gone = dict.fromkeys(document.problem.fields().keys() - found.problem.fields().keys())
    document.apply(SetStudy(gone | found.problem.fields(), found.study, Label("moved")))


def stepped(document: Document, step: tuple[str, int, int], small_model: Model) -> None:
    """Carry out one edit of a walk; what does not fit is left."""
    kind, one, other = step
    problem, study = document.problem, document.study
    assert study is not None
    match kind:
        case "cell":
            typed(document, NAMES[one % len(NAMES)], other, 0.5 + other)
        case "matrix":
            document.apply(SetFields({"w_key": problem.w_key * 2}, Label("doubled")))
        case "hand":
            here = () if one % 3 == 0 else (*problem.interventions, HAND)
            document.apply(SetFields({"interventions": here}, Label("by hand")))
        case "heads":
            count = problem.num_kv_heads if one % 2 else small_model.num_heads
            document.apply(SetFields(resize(problem, num_heads=count).fields, Label("heads")))
        case "precision":
            document.apply(SetFields({"dtype": ("float32", "float64")[one % 2]}, Label("precision")))
        case "layer":
            moved(document, study.at(problem, one % small_model.num_layers, silent))
        case "text":
            moved(document, study.with_text(problem, ("the dog", TEXT)[one % 2], silent))
        case "undo":
            document.stack.setIndex(max(0, document.stack.index() - 1 - one % 3))
        case "redo":
            document.stack.redo()
        case "snapshot":
            document.snapshots.take(problem, "mine", study)


STEPS = st.tuples(
    st.sampled_from(
        [*["cell", "cell", "hand", "layer", "undo", "snapshot"] * 2, "heads", "precision", "text", "matrix", "redo"]
    ),
    st.integers(0, 11),
    st.integers(0, 999),
)


def weights(small_model: Model) -> Iterator[bytes]:
    for layer in range(small_model.num_layers):
        for array in weights_at(small_model, TEXT, layer).values():
            if np.ptp(array):  # a bias of zeros is nobody's secret
                yield array.tobytes()
                yield array.astype(np.float64).tobytes()


def image(problem: Problem) -> object:
    return problem.replace(), [(name, array.tobytes()) for name, array in sorted(problem.arrays().items())]


def assert_same(found: Problem, kept: Problem) -> None:
    """All to the last bit but x: the layers below compute it anew, in single precision, a changed one in other sums."""
    assert found.x is not None
    assert kept.x is not None
    np.testing.assert_allclose(found.x, kept.x, rtol=0, atol=1e-5 * max(1.0, float(np.abs(kept.x).max())))
    assert image(found.replace(x=kept.x)) == image(kept)


@given(walk=st.lists(STEPS, min_size=4, max_size=14))
@settings(max_examples=examples(20), deadline=None)
def test_no_walk_brings_a_weight_into_the_file_and_all_comes_back(
    qapp: object, small_model: Model, walk: list[tuple[str, int, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    document = begun(small_model)
    for step in walk:
        try:
            stepped(document, step, small_model)
        except ValueError:
            continue  # refused: nothing has changed
    path = tmp_path_factory.mktemp("walk") / "a.attn"
    assert document.study is not None
    record = kept(record_of(document.study, document.problem, {}, document.snapshots.all), path)
    written = {array.tobytes() for array in arrays_in(path.read_bytes()).values()}
    assert written.isdisjoint(weights(small_model))
    states = 1 + len(document.snapshots.all) + len(record.layers)
    resized = sum(step[0] in ("matrix", "heads") for step in walk)
    assert path.stat().st_size < 20_000 + states * (12_000 + resized * 60_000)
    found = opened_study(record, [], silent)
    assert_same(found.problem, document.problem)
    assert [each.name for each in found.snapshots] == [each.name for each in document.snapshots.all]
    for held, again in zip(document.snapshots.all, found.snapshots, strict=True):
        assert image(again.problem()) == image(held.problem())
