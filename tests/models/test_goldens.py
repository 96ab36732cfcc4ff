"""The pass against transformers: every case and every edit of the golden folders."""

from __future__ import annotations

import numpy as np

from attn_gui.models import Run
from tests.failing import each

from .golden_folders import cases, edits, golden, slip


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
