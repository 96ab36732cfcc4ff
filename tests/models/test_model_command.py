"""`attn-gui model`: what it prints, draws and refuses, without a window."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from attn_gui.cli import main
from attn_gui.formats import load
from attn_gui.models import open_model
from attn_gui.models.study import sample_text
from tests.failing import each

from .golden_folders import DATA, TOY
from .made_folders import LLAMA, llama_tensors, write_folder

TEXT = "q w e r t y q w e r"
OFF = {"layer": 0, "kind": "scale", "stage": "head_output", "at": {"head": 0}, "factor": 0}


def said(capsys: pytest.CaptureFixture[str], *words: object) -> list[str]:
    assert main(["model", *map(str, words)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out.splitlines()


def refused(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    assert main(["model", *map(str, words)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("attn-gui: ")
    assert err.count("\n") == 1
    return err


def test_tokens_and_predictions(capsys):
    lines = said(capsys, TOY, "--text", TEXT, "--top", "2")
    assert lines[0] == "gpt2: 2 layers, 4 heads, 11 tokens"
    assert lines[1:3] == ["   0  <s>  (id 0)", "   1  q  (id 17)"]
    assert lines[-3:] == ["predicted: the token after r (10)", "  0.999879  t", "  0.000022  j"]


def test_a_token_of_letters_that_the_output_has_no_place_for_ends_nothing(monkeypatch):
    """Ġ, with which most words of a byte-level tokenizer begin, is none of cp1252, in which Windows writes to files."""
    sink = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(sink, "cp1252"))
    assert main(["model", str(DATA / "tiny-llama"), "--text", "é the cat", "--top", "3"]) == 0
    lines = sink.getvalue().decode("cp1252").splitlines()
    assert "predicted: the token after" in lines[-4]
    assert any("\\u0120" in line for line in lines)


def test_an_encoder_fills_in_what_is_masked(capsys):
    lines = said(capsys, DATA / "tiny-bert", "--text", "John gave the [MASK] to Mary.", "--top", "1")
    assert lines[-2] == "predicted: in place of [MASK] (4)"
    lines = said(capsys, DATA / "tiny-bert", "--text", "John gave it to Mary.")
    assert not [line for line in lines if line.startswith("predicted")]


def test_a_page_of_an_encoder_is_of_what_is_to_be_filled_in(capsys, tmp_path):
    """It was of the last token, under a list of what is likely in the place of the mask."""
    words = ("--text", "John gave the [MASK] to Mary.", "--page", "prediction", "--format", "svg", "-o", tmp_path)
    lines = said(capsys, DATA / "tiny-bert", *words)
    page = Path(lines[-1]).read_text(encoding="utf-8")
    assert "In the place of “[MASK]”" in page
    assert ">…ok<" in page


def test_a_model_that_reads_few_tokens_is_shown_a_text_that_it_can_read(tmp_path):
    """It was given a sentence that it had to refuse, and could not be opened in the window."""
    folder = shutil.copytree(TOY, tmp_path / "letters")
    given = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    given["pre_tokenizer"] = {"type": "Split", "pattern": {"Regex": "."}, "behavior": "Isolated", "invert": False}
    (folder / "tokenizer.json").write_text(json.dumps(given), encoding="utf-8")
    model = open_model(folder)
    assert 2 < len(model.run(sample_text(model)).ids) <= model.sizes.most_tokens


@pytest.mark.parametrize("told", [None, {"do_lower_case": True}])
def test_the_mask_of_a_folder_that_does_not_name_it(told, capsys, tmp_path):
    """As bert-base-uncased is published: transformers knows its name, and nothing was predicted in its place."""
    folder = shutil.copytree(DATA / "tiny-bert", tmp_path / "bert")
    (folder / "tokenizer_config.json").unlink()
    if told is not None:
        (folder / "tokenizer_config.json").write_text(json.dumps(told), encoding="utf-8")
    lines = said(capsys, folder, "--text", "John gave the [MASK] to Mary.", "--top", "1")
    assert lines[-2] == "predicted: in place of [MASK] (4)"
    assert "[MASK]" in sample_text(open_model(folder))


@each("written", [OFF, [OFF], [{**OFF, "at": {"head": (0, 1)}}]])
def test_an_intervention_changes_the_prediction(capsys, written):
    lines = said(capsys, TOY, "--text", TEXT, "--top", "1", "--intervene", json.dumps(written))
    share, token = lines[-1].split()
    assert token == "z"
    assert float(share) == pytest.approx(0.493073, abs=1e-5)  # of a float32 pass


def test_the_prediction_is_read_at_a_chosen_token(capsys):
    lines = said(capsys, TOY, "--text", TEXT, "--top", "1", "--position", 9)
    assert lines[-2:] == ["predicted: the token after e (9)", "  0.999641  r"]
    assert "no place 11" in refused(capsys, TOY, "--text", TEXT, "--position", 11)


@pytest.mark.parametrize("words", [("--layer", 2), ("--head", 4)])
def test_a_layer_or_head_that_is_not_there_is_refused_without_figures_too(capsys, words):
    assert "There is no" in refused(capsys, TOY, "--text", TEXT, *words)


def test_a_page_takes_its_settings_language_and_several_forms(capsys, tmp_path):
    words = ("--second", "q w e r u y q w e r", "--page", "patching", "--set", "of=heads", "--top", 1)
    forms = ("--format", "svg", "pdf", "--lang", "zh", "--theme", "dark")
    lines = said(capsys, TOY, "--text", TEXT, *words, *forms, "-o", tmp_path)
    assert [Path(line).suffix for line in lines[-2:]] == [".svg", ".pdf"]
    assert Path(lines[-2]).stat().st_size > 1000


def test_figures_of_a_layer_open_as_its_problem(capsys, tmp_path):
    words = ("--layer", 1, "--head", 2, "--stage", "head_output", "--intervene", json.dumps([OFF]))
    lines = said(capsys, TOY, "--text", TEXT, *words, "-o", tmp_path / "out")
    path = Path(lines[-1])
    assert path == tmp_path / "out" / "toy-induction-layer1-head_output-h2.png"
    problem = load(path)
    assert problem.num_heads == 4
    assert problem.query_tokens[1] == "q"


def test_without_a_layer_or_head_a_sheet_of_each_layer(capsys, tmp_path):
    lines = said(capsys, TOY, "--text", "a b a", "-o", tmp_path, "--format", "svg")
    names = [Path(line).name for line in lines[-2:]]
    assert names == ["toy-induction-layer0-weights.svg", "toy-induction-layer1-weights.svg"]
    assert all(Path(line).stat().st_size for line in lines[-2:])


@each(
    ("words", "sentence"),
    [
        (("--text", ""), None),  # the tokenizer adds a first token: it is fine
        (("--text", "a " * 40), "41 tokens are too many: this model reads at most 32"),
        (("--text", "a", "--layer", "2", "-o", "{out}"), "There is no layer 2; the model has 2"),
        (("--text", "a", "--head", "9", "-o", "{out}"), "9"),
        (("--text", "a", "--stage", "gate", "-o", "{out}"), "gate"),
        (("--text", "a", "--intervene", "{"), "--intervene is not valid JSON"),
        (("--text", "a", "--intervene", "3"), "interventions.0 must be a mapping"),
        (("--text", "a", "--intervene", json.dumps({**OFF, "layer": 7})), "There is no layer 7"),
        (
            ("--text", "a", "--intervene", json.dumps({**OFF, "at": {"head": 9}})),
            "has 4 cells along its axis head, got 9",
        ),
        ((), "--text"),
        (("--text", "a", "--page", "lens"), "--page means something with -o only"),
        (("--text", "a", "--format", "svg"), "--format means something with -o only"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(capsys, tmp_path, words, sentence):
    words = [word.format(out=tmp_path) if word.startswith("{out") else word for word in words]
    if sentence is None:
        assert said(capsys, TOY, *words)
        return
    assert main(["model", str(TOY), *words]) == 2
    err = capsys.readouterr().err
    assert sentence in err
    assert err.count("\n") == 1


def test_folders_that_hold_no_model(capsys, tmp_path):
    assert "does not exist" in refused(capsys, tmp_path / "nowhere", "--text", "a")
    assert "holds no config.json" in refused(capsys, tmp_path, "--text", "a")
    folder = write_folder(tmp_path / "llama", LLAMA, llama_tensors(LLAMA))
    assert "tokenizer.json is not there" in refused(capsys, folder, "--text", "a")


PAGES = ("prediction", "lens", "effect", "heads_off", "logit_parts", "patching")


def test_pages_of_a_model_are_written(capsys, tmp_path):
    texts = ["--text", "q w e r t y q w e r", "--second", "q w e a t y q w e r"]
    assert main(["model", str(TOY), *texts, "--page", *PAGES, "--format", "svg", "-o", str(tmp_path)]) == 0
    written = sorted(path.name for path in tmp_path.iterdir())
    assert written == sorted(f"toy-induction-{page}.svg" for page in PAGES)
    lens = (tmp_path / "toy-induction-lens.svg").read_text(encoding="utf-8")
    assert ">t<" in lens


def test_a_tokenizer_that_panics_is_one_sentence(tmp_path):
    """It was a backtrace of Rust and one of Python."""
    pytest.importorskip("tokenizers")
    for path in (DATA / "tiny-bert").iterdir():
        shutil.copy(path, tmp_path)
    given = json.loads((tmp_path / "tokenizer.json").read_text(encoding="utf-8"))
    split = {"type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated", "invert": False}
    (tmp_path / "tokenizer.json").write_text(json.dumps(given | {"pre_tokenizer": split}), encoding="utf-8")
    words = [sys.executable, "-m", "attn_gui", "model", tmp_path, "--text", "a" * 40 + "b"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("attn-gui: tokenizer.json cannot cut this text into tokens: Onig")
    assert done.stderr.count("\n") == 1
