"""Every family and variant: the pass, its layers as problems, their placing, against plain and published numbers."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from attn_gui.engine import compute, verify
from attn_gui.models import Model, Run, open_model
from attn_gui.models.changed_layers import LayerEdit
from attn_gui.models.forward_pass import rotate_columns
from attn_gui.models.model import read_model
from attn_gui.models.study import open_layer
from attn_gui.paths import resource
from tests.failing import each

from .golden_folders import cases, edits, golden, slip
from .made_folders import (
    BERT,
    DISTILBERT,
    GPT2,
    LAYERS,
    LLAMA,
    MOST,
    WORDS,
    D,
    as_held,
    bert_tensors,
    distilbert_tensors,
    gpt2_tensors,
    llama_tensors,
    with_prefix,
    write_folder,
)
from .plain_model import plain

IDS = [5, 11, 3, 30, 5, 8, 21, 17, 2]
QKV = ("q_proj", "k_proj", "v_proj")
ALL = (*QKV, "o_proj", "gate_proj", "up_proj", "down_proj")
LLAMA3 = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 64}
ROBERTA = BERT | {"model_type": "roberta", "pad_token_id": 1, "type_vocab_size": 1, "max_position_embeddings": MOST + 2}
MISTRAL = LLAMA | {"model_type": "mistral", "sliding_window": 3}
QWEN2 = LLAMA | {"model_type": "qwen2"}
SLIDING = QWEN2 | {"use_sliding_window": True, "sliding_window": 2, "max_window_layers": 1}
QWEN3 = LLAMA | {"model_type": "qwen3", "head_dim": 10}


class Variant(NamedTuple):
    config: Mapping[str, Any]
    tensors: Mapping[str, np.ndarray]
    prefix: str = ""
    ids: list[int] = IDS
    types: list[int] | None = None
    mask: list[int] | None = None

    def run(self, folder: Path) -> Run:
        """What it says, from the folder that is written."""
        written = write_folder(folder / "model", self.config, with_prefix(self.tensors, self.prefix))
        return read_model(written).run(ids=self.ids, type_ids=self.types, mask=self.mask)


def random_matrix() -> np.ndarray:
    return np.random.default_rng(9).normal(size=(WORDS, D))


OTHER = np.random.default_rng(10).normal(size=WORDS)


def llama(more: Mapping[str, Any], base: Mapping[str, Any] = LLAMA, **tensors: Any) -> Variant:
    config = {**base, **more}
    return Variant(config, llama_tensors(config, **tensors), "model.")


VARIANTS = {
    "bert": Variant(BERT, bert_tensors(BERT), "bert."),
    "bert: no prefix, no head": Variant(BERT, bert_tensors(BERT, head=False)),
    "bert: types": Variant(BERT, bert_tensors(BERT), types=[0, 0, 0, 1, 1, 1, 0, 1, 1]),
    "bert: padding": Variant(BERT, bert_tensors(BERT), mask=[1, 1, 1, 1, 1, 1, 0, 0, 0]),
    "bert: holes": Variant(BERT, bert_tensors(BERT), mask=[1, 0, 1, 1, 0, 1, 1, 1, 0]),
    "bert: gelu_new": Variant(BERT | {"hidden_act": "gelu_new"}, bert_tensors(BERT)),
    "bert: eps": Variant(BERT | {"layer_norm_eps": 0.05}, bert_tensors(BERT)),
    "bert: untied": Variant(BERT, bert_tensors(BERT) | {"cls.predictions.decoder.weight": random_matrix()}),
    "bert: two biases": Variant(
        BERT | {"tie_word_embeddings": False},
        bert_tensors(BERT) | {"cls.predictions.decoder.weight": random_matrix(), "cls.predictions.decoder.bias": OTHER},
    ),
    "bert: two biases, tied": Variant(BERT, bert_tensors(BERT) | {"cls.predictions.decoder.bias": OTHER}),
    "roberta": Variant(ROBERTA, bert_tensors(ROBERTA, pooler=False), "roberta."),
    "roberta: padding": Variant(
        ROBERTA, bert_tensors(ROBERTA), ids=[5, 1, 3, 30, 1, 8, 21, 1, 1], mask=[1, 0, 1, 1, 0, 1, 1, 0, 0]
    ),
    "roberta: two biases": Variant(
        ROBERTA,
        bert_tensors(ROBERTA, pooler=False)
        | {"lm_head.decoder.bias": OTHER, "lm_head.decoder.weight": random_matrix()},
    ),
    "xlm-roberta": Variant(ROBERTA | {"model_type": "xlm-roberta"}, bert_tensors(ROBERTA, pooler=False), "roberta."),
    "distilbert": Variant(DISTILBERT, distilbert_tensors(), "distilbert."),
    "gpt2": Variant(GPT2, gpt2_tensors(), "transformer."),
    "gpt2: untied": Variant(GPT2 | {"tie_word_embeddings": False}, gpt2_tensors(untied=True), "transformer."),
    "gpt2: no scale": Variant(GPT2 | {"scale_attn_weights": False}, gpt2_tensors()),
    "gpt2: scale falls": Variant(GPT2 | {"scale_attn_by_inverse_layer_idx": True}, gpt2_tensors()),
    "gpt2: looks ahead": Variant(GPT2 | {"is_causal": False}, gpt2_tensors()),
    "gpt2: gelu, eps": Variant(GPT2 | {"activation_function": "gelu", "layer_norm_epsilon": 0.1}, gpt2_tensors()),
    "llama": llama({}, untied=True),
    "llama: untied, no head": llama({"tie_word_embeddings": False}),
    "llama: no word of ties, no head": llama({"tie_word_embeddings": None}),  # as transformers takes it
    "qwen3: no word of ties, no head": llama({"tie_word_embeddings": None}, QWEN3, norms=True),
    "llama: no shared heads": llama({"num_key_value_heads": None}),
    "llama: one K/V head": llama({"num_key_value_heads": 1}),
    "llama: head_dim": llama({"head_dim": 8}),
    "llama: biases": llama({"attention_bias": True, "mlp_bias": True}, biases=ALL),
    "llama: eps, gelu": llama({"rms_norm_eps": 0.1, "hidden_act": "gelu"}),
    "llama: linear": llama({"rope_scaling": {"type": "linear", "factor": 2.5}}),
    "llama: linear, new spelling": llama(
        {"rope_parameters": {"rope_type": "linear", "factor": 4.0, "rope_theta": 50.0}}
    ),
    "llama: new spelling": llama({"rope_parameters": {"rope_type": "default", "rope_theta": 30.0}}),
    "llama: llama3": llama({"rope_scaling": {"rope_type": "llama3", **LLAMA3}, "head_dim": 16}),
    "mistral": llama({}, MISTRAL, untied=True),
    "mistral: no window": llama({"sliding_window": None}, MISTRAL),
    "qwen2": llama({}, QWEN2, biases=QKV),
    "qwen2: looks ahead": llama({"is_causal": False}, QWEN2, biases=QKV),  # gte-Qwen2, which embeds texts
    "qwen2: upper layers slide": llama({}, SLIDING, biases=QKV),
    "qwen2: layer types": llama({"layer_types": ["sliding_attention", "full_attention"]}, SLIDING, biases=QKV),
    "qwen3": llama({}, QWEN3, norms=True),
    "qwen3: window": llama(
        {"use_sliding_window": True, "sliding_window": 3, "layer_types": ["full_attention", "sliding_attention"]},
        QWEN3,
        norms=True,
    ),
}


def check(folder: Path, variant: Variant, tensors: Mapping[str, np.ndarray]) -> None:
    """The run of a folder against the plain computation with the numbers that are in it."""
    count = len(variant.ids)
    run = read_model(folder).run(ids=variant.ids, type_ids=variant.types, mask=variant.mask)
    types, mask = variant.types or [0] * count, variant.mask or [1] * count
    wanted = plain(variant.config, tensors, variant.ids, types, mask)
    for layer in range(LAYERS):
        assert slip(run.attention(layer), wanted.attention[layer], attention=True) < 1
    assert slip(run.hidden, np.array(wanted.hidden)) < 1
    assert (run.pooled is None) == (wanted.pooled is None)
    if wanted.pooled is not None:
        assert slip(run.pooled, wanted.pooled) < 1
    if wanted.logits is None:
        with pytest.raises(ValueError, match="no head that predicts"):
            run.predictions()
    else:
        assert slip(run.logits, wanted.logits) < 1
        assert slip(run.logits_at(3), wanted.logits[3]) < 1


@each("name", VARIANTS, one_of=3)
def test_a_variant_of_a_family(name, tmp_path):
    variant = VARIANTS[name]
    folder = write_folder(tmp_path / "model", variant.config, with_prefix(variant.tensors, variant.prefix))
    check(folder, variant, {key: as_held(cells, "F32") for key, cells in variant.tensors.items()})


@each("shards", [1, 3])
@each("kind", ["F32", "F16", "BF16"])
@each("name", ["gpt2", "qwen3"])
def test_every_kind_of_number_in_one_file_or_in_shards(name, kind, shards, tmp_path):
    variant = VARIANTS[name]
    tensors = with_prefix(variant.tensors, variant.prefix)
    folder = write_folder(tmp_path / "model", variant.config, tensors, kind=kind, shards=shards)
    check(folder, variant, {key: as_held(cells, kind) for key, cells in variant.tensors.items()})


def test_the_oldest_names_of_a_norm(tmp_path):
    variant = VARIANTS["bert"]
    old = with_prefix(variant.tensors, "bert.")
    for name in list(old):
        if "LayerNorm." in name:
            new = name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")
            old[new] = old.pop(name)
    folder = write_folder(tmp_path / "model", variant.config, old)
    check(folder, variant, {key: as_held(cells, "F32") for key, cells in variant.tensors.items()})


# --- A layer opened as a problem of the engine gives what the pass gives --------------------------


@each(
    "name",
    ["bert: types", "roberta: padding", "distilbert", "gpt2: scale falls", "llama: biases", "mistral", "qwen3"],
    one_of=3,
)
def test_every_stage_of_every_variant_is_that_of_the_pass(name, tmp_path):
    run = VARIANTS[name].run(tmp_path)
    for layer in range(run.model.num_layers):
        trace = compute(run.problem(layer))
        for stage in trace.stages:
            wanted = run.stage(layer, stage)
            closed = np.isneginf(wanted)
            np.testing.assert_array_equal(np.isneginf(trace[stage]), closed)
            found = np.where(closed, 0, trace[stage])
            assert slip(found, np.where(closed, 0, wanted), attention=stage == "weights") < 1, stage
        if layer + 1 < run.model.num_layers:
            assert slip(trace["block_output"][0], run.states[layer + 1]) < 1
    assert verify(run.problem(0)).ok


def test_far_positions_of_a_text_turn_by_exact_angles() -> None:
    """So a layer of a long text is the same as a problem; the angle of position 8,000 was off by 0.0005."""
    rows, places = np.repeat(np.float32([[1, 0]]), 9000, axis=0), np.arange(9000)
    expected = np.stack([np.cos(places), np.sin(places)], axis=1)
    np.testing.assert_allclose(rotate_columns(rows, np.float32([1])), expected, atol=1e-6)


@each(("name", "kind"), [("bert", "set"), ("gpt2", "scale"), ("qwen3", "copy")], one_of=2)
def test_an_intervention_at_any_stage_is_the_same_in_both(name, kind, tmp_path):
    run = VARIANTS[name].run(tmp_path)
    trace = compute(run.problem(0))
    for stage in trace.stages:
        axes = trace.axes(stage)
        at = {axes[-2]: (2, 5), axes[-1]: 1}
        more = {"set": {"values": 0.25}, "scale": {"factor": -0.5}, "copy": {"source": {axes[-1]: 0}}}[kind]
        change = {"layer": 0, "kind": kind, "stage": stage, "at": at, **more}
        found = run.replace(interventions=[change])
        after = compute(found.problem(0))
        assert slip(after["weights"], found.stage(0, "weights"), attention=True) < 1, stage
        assert slip(after["block_output"][0], found.states[1]) < 1, stage


def test_a_weight_typed_into_an_opened_layer_goes_into_the_model():
    run = golden("tiny-llama").run("cat")
    matrix = np.array(run.problem(1).block.w_gate)
    matrix[2, 3] = 4.0
    edited = run.problem(1).replace(block={**run.problem(1).block, "w_gate": matrix})
    model = run.model.with_weights(1, {"block.w_gate": edited.arrays()["block.w_gate"]})
    found = run.replace(model=model)
    assert slip(compute(edited)["block_output"][0], found.states[2]) < 1
    assert not np.allclose(found.logits, run.logits, atol=1e-4)


# --- the pass against transformers ----------------------------------------------------------------


def attention(run: Run) -> np.ndarray:
    return np.stack([run.attention(layer) for layer in range(run.model.num_layers)])


@each(("name", "case"), cases())
def test_a_text_gives_the_numbers_of_transformers(name, case):
    known, run = golden(name), golden(name).run(case)
    layers = range(known.model.num_layers)
    assert slip(attention(run), known.arrays[f"{case}.attn"], attention=True) < 1
    assert slip(run.hidden, known.arrays[f"{case}.hidden"]) < 1
    assert slip(run.logits, known.arrays[f"{case}.logits"]) < 1
    for letter, read in (("q", run.query), ("k", run.key), ("v", run.value)):
        assert slip(np.stack([read(layer) for layer in layers]), known.arrays[f"{case}.{letter}"]) < 1
    if f"{case}.pooled" in known.arrays:
        assert slip(run.pooled, known.arrays[f"{case}.pooled"]) < 1


@each(("name", "edit"), edits())
def test_an_edit_gives_the_numbers_of_transformers(name, edit):
    known = golden(name)
    run = known.run(known.told["edits"][edit]["case"], edit)
    assert slip(attention(run), known.arrays[f"{edit}.attn"], attention=True) < 1
    assert slip(run.hidden[-1], known.arrays[f"{edit}.last"]) < 1
    wanted = known.arrays[f"{edit}.logits"]
    assert slip(run.logits[-1:] if len(wanted) == 1 else run.logits[:2], wanted) < 1


@each(("name", "case"), cases())
def test_a_text_is_cut_as_it_was_cut_there(name, case):
    known = golden(name)
    fed = known.told["cases"][case]
    run = known.model.run(fed["text"] if fed["pair"] is None else (fed["text"], fed["pair"]))
    real = [number for number, seen in zip(fed["ids"], fed["mask"] or [1] * len(fed["ids"]), strict=True) if seen]
    assert list(run.ids) == real
    assert list(run.tokens) == fed["tokens"][: len(real)]


@each(("name", "case"), [pair for pair in cases() if pair[0] not in ("tiny-bert", "tiny-xlmr")])
def test_the_most_probable_tokens_are_those_of_transformers(name, case):
    wanted = golden(name).told["cases"][case]["next"]
    found = golden(name).run(case).predictions(top=len(wanted))
    assert [token for token, _ in found] == [token for token, _ in wanted]
    np.testing.assert_allclose([share for _, share in found], [share for _, share in wanted], atol=2e-5)


# --- placing of a layer ---------------------------------------------------------------------------
FOLDERS = (*(f"tests/data/models/tiny-{family}" for family in ("bert", "gpt2", "llama")), "toy-induction")
OFF = {"kind": "scale", "stage": "head_output", "at": {"head": 0}, "factor": 0.0}
TEXT = "the cat"


def silent(_share: float) -> None:
    """Ignore the progress."""


@pytest.fixture(params=FOLDERS)
def model(request: pytest.FixtureRequest) -> Model:
    name = str(request.param)
    return open_model(Path(__file__).parents[2] / name if "/" in name else resource("models", name))


def edits_of(model: Model) -> dict[int, LayerEdit]:
    """A head off in the first layer, a weight of the second."""
    first, second = (open_layer(model, TEXT, layer, {}, silent).problem for layer in (0, 1))
    weights = np.array(second.w_value)
    weights[1, 2] = 7.5
    return {
        0: LayerEdit.between(first, first.replace(interventions=[OFF])),
        1: LayerEdit.between(second, second.replace(w_value=weights)),
    }


def test_the_cells_that_a_mask_leaves_open_are_those_of_the_layer_as_a_problem(model: Model) -> None:
    """Of layers as the model has them, of changed ones, and of one whose mask was taken away."""
    first = open_layer(model, TEXT, 0, {}, silent).problem
    without = model.with_edits({0: LayerEdit.between(first, first.replace(mask=()))})
    for run in (model.run(TEXT), model.with_edits(edits_of(model)).run(TEXT), without.run(TEXT)):
        for layer in range(model.num_layers):
            found, weights = run.open_cells(layer), run.attention(layer)
            right = compute(run.problem(layer)).allowed[0]
            assert np.array_equal(np.broadcast_to(True if found is None else found, weights.shape), right)
    assert without.run(TEXT).open_cells(0) is None


@pytest.mark.family(4)
@pytest.mark.parametrize("layer", [0, 1])
@pytest.mark.parametrize("whole", [True, False], ids=["of a run of all", "of a run of none"])
def test_a_known_run_changes_no_bit(model: Model, layer: int, whole: bool) -> None:
    edits = edits_of(model)
    known = model.with_edits(edits).run(TEXT) if whole else model.run(TEXT)
    fresh, quick = open_layer(model, TEXT, layer, edits, silent), open_layer(model, TEXT, layer, edits, silent, known)
    assert quick.problem == fresh.problem
    assert quick.study.base == fresh.study.base
    assert quick.study.edits(quick.problem).keys() == edits.keys()


def test_a_layer_in_another_precision_follows_its_text_and_the_layers_below(model: Model) -> None:
    """All of x was kept as it was when the precision was chosen: what was changed below it had no effect."""
    start = open_layer(model, TEXT, 1, {}, silent)
    weights = np.array(start.problem.w_value, np.float64)
    weights[1, 2] = 0.1
    changed = start.problem.replace(dtype="float64", w_value=weights)
    edit = start.study.edits(changed)[1]
    assert (edit.cells.keys(), edit.fields.keys()) == ({"w_value"}, {"dtype"})
    assert edit.of(start.study.base) == changed
    other = start.study.with_text(changed, "a cat", silent)
    assert other.problem == open_layer(model, "a cat", 1, {}, silent).problem.replace(dtype="float64", w_value=weights)
    below = start.study.at(changed, 0, silent)
    off = below.problem.replace(interventions=[OFF])
    above = below.study.at(off, 1, silent)
    below_off = {0: LayerEdit.between(below.study.base, off)}
    assert above.problem == open_layer(model, TEXT, 1, below_off, silent).problem.replace(
        dtype="float64", w_value=weights
    )
    assert edit.without("dtype").of(start.study.base) == start.problem.replace(w_value=np.float64(weights))
