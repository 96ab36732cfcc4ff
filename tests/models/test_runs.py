"""Runs: interventions, resumed where something is other, wild numbers, and the vector of a sentence."""

import json
import math

import numpy as np
import pytest

from attn_gui.engine import FieldError, ShapeError, StageError, compute
from attn_gui.formats import FormatError
from attn_gui.models import open_model
from tests.failing import each

from .golden_folders import DATA, TOY
from .made_folders import BERT, LLAMA, bert_tensors, llama_tensors, write_folder

TEXT = "q w e r t y q w e r"
OFF = {"layer": 0, "kind": "scale", "stage": "head_output", "at": {"head": 0}, "factor": 0.0}


@pytest.fixture(scope="module")
def toy():
    return open_model(TOY)


def test_the_toy_follows_the_letter_before():
    run = open_model(TOY).run(TEXT)
    assert run.predictions(top=1)[0][0] == "t"
    for position in (1.5, "1", True):
        with pytest.raises(TypeError, match="position must be a whole number"):
            run.predictions(position)
    before = run.attention(0)[0]
    assert (
        np.mean([before[i, i - 1] for i in range(1, len(run.ids))]) > 0.7
    )  # the head that looks at the previous letter
    token, share = run.replace(interventions=[OFF]).predictions(top=1)[0]
    assert (token, round(share, 2)) == ("z", 0.49)


def test_a_row_without_an_open_key_gives_nothing(toy):
    closed = {"layer": 0, "kind": "set", "stage": "masked", "at": {"head": 1, "query": 4}, "values": -np.inf}
    run = toy.run(TEXT, interventions=[closed])
    assert not run.attention(0)[1, 4].any()
    assert np.isfinite(run.logits).all()


def test_what_stands_behind_a_zero_weight_never_comes_through(toy):
    wild = {"layer": 0, "kind": "set", "stage": "value", "at": {"row": 9, "column": 3}, "values": np.inf}
    run = toy.run(TEXT, interventions=[wild])
    found = compute(run.problem(0))["head_output"]
    np.testing.assert_array_equal(np.isfinite(run.stage(0, "head_output")), np.isfinite(found))
    assert np.isfinite(found[0, :, :9]).all()
    assert not np.isfinite(found[0, 0, 9:]).all()
    np.testing.assert_allclose(run.stage(0, "head_output"), found, rtol=1e-5, atol=1e-6)


def test_a_checkpoint_is_named_by_its_numbers(tmp_path):
    one = write_folder(tmp_path / "one", LLAMA, llama_tensors(LLAMA))
    two = write_folder(tmp_path / "two", LLAMA, llama_tensors(LLAMA))
    other = write_folder(tmp_path / "other", LLAMA, llama_tensors(LLAMA), kind="F16")
    digests = [open_model(folder).digest for folder in (one, two, other)]
    assert digests[0] == digests[1] != digests[2]


# --- resumed -------------------------------------------------------------------------------------


def test_what_is_computed_from_a_layer_on_is_as_from_the_first():
    model = open_model(DATA / "tiny-gpt2")
    both = [{**OFF, "layer": 1}, {**OFF, "layer": 2}]
    run, whole = model.run(ids=[5, 6, 7]), model.run(ids=[5, 6, 7], interventions=both)
    for known in (run, run.replace(interventions=both[1:])):
        np.testing.assert_array_equal(known.replace(interventions=both).logits, whole.logits)
    np.testing.assert_array_equal(whole.replace(interventions=()).logits, run.logits)


def test_a_weight_of_another_shape_or_name_is_refused(toy):
    with pytest.raises(ShapeError, match="w_query"):
        toy.with_weights(0, {"w_query": np.zeros((3, 3))})
    with pytest.raises(FieldError, match="w_gate is no table of a layer"):
        toy.with_weights(0, {"block.w_gate": np.zeros((3, 3))})
    with pytest.raises(FieldError, match="There is no layer 2"):
        toy.with_weights(2, {})


def test_whoever_is_told_the_share_can_end_it(toy):
    shares = []
    toy.run(TEXT, progress=shares.append)
    assert shares == [0.0, 0.5]

    def stop(share):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        toy.run(TEXT, progress=stop)


# --- where ---------------------------------------------------------------------------------------
def test_places_and_layers_that_are_not_there(toy):
    run = toy.run(TEXT)
    assert run.predictions(-11) == run.predictions(0)
    for wrong in (lambda: run.predictions(11), lambda: run.attention(2), lambda: run.attention(-1)):
        with pytest.raises(FieldError, match="There is no"):
            wrong()
    with pytest.raises(StageError, match="gate"):
        run.stage(0, "gate")
    assert run.token_id("t") == 20
    with pytest.raises(FieldError, match="“tt” is no token"):
        run.token_id("tt")


# --- a vector for a sentence ---------------------------------------------------------------------
MODULES = [{"type": "sentence_transformers.models.Transformer", "path": ""}]
POOL, UNIT = (
    {"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"},
    {"type": "sentence_transformers.models.Normalize", "path": "2_Normalize"},
)


def sentence_model(folder, modules, told=None, **modes):
    write_folder(folder, BERT, bert_tensors(BERT, head=False))
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "1_Pooling").mkdir()
    names = {f"pooling_mode_{name}": value for name, value in modes.items()}
    names |= {} if told is None else {"pooling_mode": told}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"word_embedding_dimension": 24, **names}))
    return folder


@each(
    ("mode", "pooled"),
    [
        ("mean_tokens", lambda rows: sum(rows) / len(rows)),
        ("cls_token", lambda rows: rows[0]),
        ("max_tokens", lambda rows: [max(column) for column in zip(*rows, strict=True)]),
        ("lasttoken", lambda rows: rows[2]),
    ],
)
@each("unit", [False, True])
def test_a_sentence_is_pooled_as_its_folder_tells(mode, pooled, unit, tmp_path):
    modes = dict.fromkeys(("mean_tokens", "cls_token", "max_tokens", "lasttoken"), False) | {mode: True}
    folder = sentence_model(tmp_path / "model", [*MODULES, POOL, *([UNIT] if unit else [])], **modes)
    run = open_model(folder).run(ids=[5, 6, 7, 8, 0], mask=[1, 1, 1, 0, 0])
    wanted = np.array(pooled(run.hidden[-1][:3].astype(float)))
    wanted = wanted / math.hypot(*wanted) if unit else wanted
    np.testing.assert_allclose(run.embedding, wanted, rtol=1e-5, atol=1e-6)


@each(
    ("modules", "modes", "said"),
    [
        ([*MODULES, POOL], {"weightedmean_tokens": True}, "pooling_mode_weightedmean_tokens is not supported"),
        ([*MODULES, POOL], {"told": "weightedmean"}, "by weightedmean is not supported"),
        ([*MODULES, {"type": "sentence_transformers.models.Dense", "path": "3"}], {}, "models.Dense is not supported"),
        ([*MODULES, {**POOL, "path": "../1_Pooling"}], {"mean_tokens": True}, "expected a list of modules"),
        ({"a": 1}, {}, "expected a list of modules"),
    ],
)
def test_another_pooling_is_refused(modules, modes, said, tmp_path):
    with pytest.raises(FormatError, match=said):
        open_model(sentence_model(tmp_path / "model", modules, **modes))


@each("factor", [1e15, 1e30])
def test_the_norm_of_numbers_too_large_to_be_squared_in_single_precision(toy, factor):
    large = {"layer": 0, "kind": "scale", "stage": "output", "at": {"query": 4}, "factor": factor}
    run = toy.run(TEXT, interventions=[large])
    wanted = compute(run.problem(0))["normalized"]
    np.testing.assert_allclose(run.stage(0, "normalized"), wanted, rtol=1e-4, atol=1e-5)
    assert np.abs(wanted[0, 4]).max() > 0.1


@pytest.mark.parametrize("value", [np.inf, np.nan])
def test_an_open_infinity_leaves_no_number_at_any_open_key_and_closed_ones_at_0(toy, value):
    wild = {"layer": 0, "kind": "set", "stage": "scores", "at": {"head": 0, "query": 2, "key": 1}, "values": value}
    run = toy.run(TEXT, interventions=[wild])
    found = run.attention(0)
    assert np.isnan(found[0, 2, :3]).all()
    np.testing.assert_array_equal(found[0, 2, 3:], 0)
    np.testing.assert_allclose(found, compute(run.problem(0))["weights"][0], rtol=1e-5, atol=1e-6)
