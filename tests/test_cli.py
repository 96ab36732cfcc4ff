"""The command line: what it writes, what it refuses, in which language, what it imports; and `attn-gui verify`."""

import io
import os
import re
import shlex
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from attn_gui import no_window
from attn_gui.app import start
from attn_gui.cli import main
from attn_gui.engine import Problem, compute
from attn_gui.engine.analysis import verification
from attn_gui.engine.normalizers import Softmax
from attn_gui.formats import load, open_file, open_matrix, save, save_study
from attn_gui.formats.session import LayerRecord, StudyRecord
from attn_gui.paths import resource
from tests.failing import each

ROOT = Path(__file__).parents[1]
WORKED = resource("examples", "worked-example.npz")


def run(*words: object, **more: object) -> subprocess.CompletedProcess[bytes]:
    """Run a process of the program on a machine without a display."""
    displays = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    kept = {name: value for name, value in os.environ.items() if name not in displays}
    call = [sys.executable, "-m", "attn_gui", *map(os.fspath, words)]
    return subprocess.run(call, cwd=ROOT, env=kept, timeout=300, **({"stdout": -1, "stderr": -1} | more))


@pytest.fixture
def exported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> object:
    """Export within this process; gives the names of the written files, which must be there."""

    def export(*words: object) -> list[str]:
        assert main(["export", *map(str, words), "-o", str(tmp_path / "out")]) == 0
        out, err = capsys.readouterr()
        assert err == ""
        paths = [Path(line) for line in out.splitlines()]
        assert all(path.stat().st_size and path.parent == tmp_path / "out" for path in paths)
        return [path.name for path in paths]

    return export


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> object:
    """The one sentence that words are refused with."""

    def refused(*words: object) -> str:
        assert main(list(map(str, words))) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert re.fullmatch(r"attn-gui: [^\n]+[.。]\n", err)
        return err

    return refused


@pytest.fixture
def batched(tmp_path: Path) -> Path:
    random = np.random.default_rng(3)
    problem = Problem(
        query=random.normal(size=(2, 3, 20)),
        key=random.normal(size=(2, 5, 10)),
        value=random.normal(size=(2, 5, 14)),
        w_output=random.normal(size=(28, 11)),
        num_heads=4,
        num_kv_heads=2,
        mask=[{"kind": "padding", "lengths": [5, 2]}],
        key_tokens=tuple("=b,;x"),
    )
    save(problem, tmp_path / "some.attn")
    return tmp_path / "some.attn"


# --- what it writes ------------------------------------------------------------------------------
def test_names_say_stage_head_and_item(exported, batched, tmp_path):
    words = ("--stage", "weights", "output", "--heads", "0,2-3", "--batch", 1, "--format", "csv", "svg")
    assert exported(batched, *words) == [
        f"some-{part}-b1.{ending}"
        for ending in ("csv", "svg")
        for part in ("weights-h0", "weights-h2", "weights-h3", "output-h0")
    ]
    assert exported(batched, "--heads", "mean", "--batch", 1, "--format", "npy") == ["some-mean_weights-b1.npy"]
    mean = np.load(tmp_path / "out" / "some-mean_weights-b1.npy")
    np.testing.assert_allclose(mean, compute(load(batched))["weights"][1].mean(axis=0), rtol=1e-12)
    named = exported(batched, "--stage", "largest_weights", "--heads", "2", "--format", "svg")
    assert named == ["some-largest_weights-b0.svg"], "a map of all heads together bears the name of none"
    assert "largest over heads" in (tmp_path / "out" / named[0]).read_text("utf-8")


def test_numbers_are_those_of_the_engine(exported, batched, tmp_path):
    exported(batched, "--stage", "masked", "key", "output", "--heads", 3, "--batch", 1, "--format", "csv")
    trace = compute(load(batched))
    masked = open_matrix(tmp_path / "out" / "some-masked-h3-b1.csv")
    np.testing.assert_array_equal(masked.values, trace["masked"][1, 3])
    assert masked.column_labels == tuple("=b,;x")
    key = open_matrix(tmp_path / "out" / "some-key-h3-b1.csv")
    np.testing.assert_array_equal(key.values, trace["key"][1][:, 5:])  # the second of two K/V heads
    assert key.row_labels == tuple("=b,;x")
    np.testing.assert_array_equal(open_matrix(tmp_path / "out" / "some-output-h3-b1.csv").values, trace["output"][1])


def test_an_npz_has_all_stages_or_those_that_are_named_and_opens_again(exported, tmp_path):
    example, written = resource("examples", "thinking-machines.npz"), tmp_path / "out" / "thinking-machines-stages.npz"
    assert exported(example, "--format", "npz") == [written.name]
    trace = compute(open_file(example).problem)
    with np.load(written) as file:
        assert all(file[stage].tobytes() == trace[stage].tobytes() for stage in trace.stages)
        assert all(file[stage].shape == trace[stage].shape for stage in trace.stages)
    np.testing.assert_array_equal(compute(open_file(written).problem)["output"], trace["output"])
    exported(example, "--format", "npz", "--stage", "scores")
    with np.load(written) as file:
        assert "scores" in file.files
        assert "weights" not in file.files


def test_how_it_looks_reaches_the_figure(exported, tmp_path):
    def svg(*options: object) -> str:
        exported(WORKED, "--stage", "scores", "--format", "svg", *options)
        return (tmp_path / "out" / "worked-example-scores-h0.svg").read_text("utf-8")

    plain, chinese = svg(), re.compile("[\u4e00-\u9fff]")
    assert svg("--theme", "dark") != plain
    assert chinese.search(svg("--lang", "zh"))
    assert not chinese.search(plain)
    assert plain.count(">1<") > svg("--no-values").count(">1<")
    assert ">−5<" not in plain
    for spelled in (("--levels", "-5,20"), ("--levels=-5,20",)):
        typed = svg(*spelled)
        assert ">−5<" in typed
        assert ">20<" in typed
    assert ">−5<" not in svg("--no-colorbar", "--levels", "-5,5")
    assert "#440154" in svg("--colormap", "viridis", "--levels", "1,2")  # the lowest of its colors
    widths = [float(re.search(r'width="([\d.]+)mm"', svg("--font-size", size))[1]) for size in ("7.5", "15")]
    assert widths[1] == pytest.approx(2 * widths[0], rel=0.01)


def test_numbers_leave_in_every_form(exported, tmp_path):
    """Contract: --format png svg pdf npz npy csv tsv json safetensors md tex xlsx numpy pytorch."""
    forms = [
        *("png", "svg", "pdf", "npz", "npy", "csv", "tsv", "json", "safetensors", "md", "tex", "xlsx"),
        *("numpy", "pytorch"),
    ]
    assert len(exported(WORKED, "--format", *forms)) == len(forms)
    problem, weights = load(WORKED), compute(load(WORKED))["weights"][0, 0]
    for ending in ("json", "safetensors"):
        assert np.array_equal(load(tmp_path / "out" / f"worked-example-stages.{ending}").query[0], problem.query)
    for ending in ("npy", "csv", "tsv", "md", "tex"):
        assert np.array_equal(open_matrix(tmp_path / "out" / f"worked-example-weights-h0.{ending}").values, weights)


def test_one_file_goes_to_stdout_and_several_are_refused(tmp_path, monkeypatch, capfdbinary):
    monkeypatch.chdir(tmp_path)
    assert main(["export", str(WORKED), "-o", "-", "--format", "csv"]) == 0
    rows = capfdbinary.readouterr().out.decode().splitlines()
    weights = [list(map(float, row.split(","))) for row in rows]
    assert np.array_equal(weights, compute(load(WORKED))["weights"][0, 0])
    assert main(["export", str(WORKED), "-o", "-", "--format", "csv", "png"]) == 2
    assert b"-o - writes one file, and 2 were asked for" in capfdbinary.readouterr().err
    assert not list(tmp_path.iterdir())


def test_two_states_are_one_figure_and_one_table(exported, tmp_path):
    rng = np.random.default_rng(2)
    arrays = {name: rng.normal(size=(4, 6)) for name in ("query", "key", "value")}
    problem = Problem(**arrays, mask=[{"kind": "causal"}])
    then = problem.replace(query=problem.query + 1)
    save(problem, tmp_path / "now.npz")
    save(then, tmp_path / "then.npz")
    for given, before, part in (
        ("with-mask", problem.replace(mask=()), "with-mask"),
        ("with-scale", problem.replace(scale=1.0), "with-scale"),
        (tmp_path / "then.npz", then, "vs-then"),
    ):
        figure, table = exported(tmp_path / "now.npz", "--compare", given, "--format", "svg", "npy")
        assert (figure, table) == (f"now-weights-h0-{part}.svg", f"now-weights-h0-{part}.npy")
        difference = (compute(problem)["weights"] - compute(before)["weights"])[0, 0]
        assert np.array_equal(np.load(tmp_path / "out" / table), difference)
    shown = exported(tmp_path / "now.npz", "--compare", "with-mask", "--show", "before")
    assert shown == ["now-weights-h0-with-mask-before.png"]


# --- what it refuses -----------------------------------------------------------------------------
OUT = (WORKED, "-o", "out")
REFUSED = [
    ((), "required: FILE, -o"),
    (("no.npz", "-o", "out"), "no.npz does not exist"),
    ((*OUT, "--stage", "masked"), "no stage 'masked'; the problem has query, key, value, scores, scaled"),
    ((*OUT, "--heads", "1"), "There is no head 1; the problem has only 0."),
    ((*OUT, "--heads", "0-"), "expected all, or heads such as 0,2-3, got '0-'"),
    ((*OUT, "--batch", "1"), "There is no batch item 1; the problem has only 0."),
    ((*OUT, "--format", "bmp"), "'bmp'"),
    ((*OUT, "--dpi", "1e3"), "a whole number from 30 to 2400, got '1e3'"),
    ((*OUT, "--width", "nan"), "centimeters from 1 to 500, got 'nan'"),
    ((*OUT, "--width", "400", "--height", "400", "--dpi", "2400"), "pixels"),
    ((*OUT, "--levels", "7,-5"), "two numbers such as -5,7, the lower one first, got '7,-5'"),
    ((*OUT, "--font-size", "3"), "points from 4 to 72, got '3'"),
    ((*OUT, "--colormap", "rainbow"), "'rainbow' is not one of signed, weights, viridis"),
    ((*OUT, "--format", "xlsx", "--compare", "with-scale"), "A .xlsx computes one state"),
    ((*OUT, "--compare", "with-everything"), "with-everything is no file, and none of with-scale, with-mask"),
    ((*OUT, "--compare", "with-mask"), "with-mask would compare the problem with itself"),
    ((*OUT, "--compare", "with-scale", "--page", "head_contributions"), "A page shows one state"),
    ((*OUT, "--compare", resource("examples", "smollm2-layer10.npz")), "weights cannot be compared"),
    ((*OUT, "--sta", "weights"), "Unrecognized arguments: --sta"),
    ((WORKED, "-o", "/proc/nowhere/out"), "could not be saved"),
    ((WORKED, "-o", WORKED), "is a file; expected a folder"),
    # a slip of typing is answered with the nearest word
    (("a.npz", "-o", "out", "--fromat", "png"), "the nearest is --format"),
    ((*OUT, "--stage", "wieghts"), "largest_weights (the nearest is weights).\n"),
]


@each(("words", "sentence"), REFUSED)
def test_a_bad_argument_is_one_sentence(words, sentence, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert sentence in said("export", *words)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_matrix_is_refused_with_what_to_do(shown, said, tmp_path):
    np.save(tmp_path / "a.npy", np.ones((2, 2)))
    for words in (["export", tmp_path / "a.npy", "-o", tmp_path], [tmp_path / "a.npy"]):
        assert "Import it into a table" in said(*words)


@each(
    ("command", "needy"),
    [
        ("worksheet", "attn_gui.figure.worksheet_files.write_class"),
        ("solution", "attn_gui.lessons.worked_solutions.solution_of_all"),
    ],
)
def test_a_memory_that_is_used_up_is_one_sentence(command, needy, said, monkeypatch, tmp_path):
    def fail(*_: object, **_options: object) -> None:
        raise MemoryError

    monkeypatch.setattr(needy, fail)
    assert "does not fit into the memory" in said(command, WORKED, "-o", tmp_path)


# --- arrays of other names -----------------------------------------------------------------------
@pytest.fixture
def dump(tmp_path: Path) -> Path:
    """A file as a hook in a model leaves it."""
    random = np.random.default_rng(5)
    arrays = {f"h.3.attn.{name}": random.normal(size=(2, 4, 3)) for name in "qkv"}
    np.savez(tmp_path / "dump.npz", **arrays, m=np.tril(np.ones((4, 4), bool)))
    return tmp_path / "dump.npz"


NAMED = ("--array", "query=h.3.attn.q", "key=h.3.attn.k", "value=h.3.attn.v")


def test_arrays_are_named_and_read_as_in_the_window(dump, tmp_path):
    arrays = dict(np.load(dump))
    expected = Problem.from_heads(
        *(arrays[f"h.3.attn.{name}"] for name in "qkv"),
        axes="head,token,column",
        mask=[{"kind": "custom", "allowed": ~arrays["m"]}],
    )
    words = [*NAMED, "--array", "mask=m", "--mask", "block", "--axes", "head,token,column"]
    assert main(["export", str(dump), "-o", str(tmp_path / "out"), "--format", "npy", *words]) == 0
    found = np.load(tmp_path / "out" / "dump-weights-h1.npy")
    np.testing.assert_array_equal(found, compute(expected)["weights"][0, 1])
    assert main(["verify", str(dump), *words]) == 0
    names = dict(word.split("=") for word in [*NAMED[1:], "mask=m"])
    assert load(dump, arrays=names, axes="head,token,column", mask="block") == expected


@each(
    ("words", "sentence"),
    [
        ((), "Say which is which: --array query=h.3.attn.q key=h.3.attn.k value=h.3.attn.v mask=m."),
        (("--array", "query"), "expected NAME=VALUE, got 'query'"),
        (("--array", "query=zzz"), "dump.npz has no array “zzz”; it has h.3.attn.q"),
        ((*NAMED, "--axes", "rows"), "“--axes” is “rows”"),
        ((*NAMED, "--split", "part,head,column"), "“--split” tells how to read query_key_value"),
        (("--array", "weights=h.3.attn.q", "--axes", "query,key"), "choose one of --axes head,query,key"),
        ((*NAMED, "--axes", "token,column"), "cannot be read as token,column; expected head,token,column"),
        (("--array", "query=m", "key=m", "value=m", "--num-heads", "3"), "which 3 heads cannot share"),
    ],
)
def test_arrays_that_say_nothing_are_refused(words, sentence, dump, said):
    assert sentence in said("verify", dump, *words)


def test_a_refusal_leaves_names_of_arrays_and_files_as_they_are(said, tmp_path):
    """Layers in a list begin with their number: mask=0.mask became --mask 0.mask."""
    rows = {f"0.{name}": np.eye(2) for name in ("q_proj", "k_proj", "v_proj")}
    np.savez(tmp_path / "a.npz", **rows, **{"0.mask": np.ones((2, 2), bool)})
    assert " mask=0.mask" in said("verify", tmp_path / "a.npz")
    assert "layer=3.npz does not exist" in said("verify", tmp_path / "layer=3.npz")
    np.savez(tmp_path / "b.npz", query=np.eye(2), key=np.eye(2), value=np.eye(2), mask=np.array([[0, 1], [2, 0]]))
    assert "; --mask add adds it to the scores" in said("verify", tmp_path / "b.npz")
    assert "'layer=3'" in said("verify", WORKED, "--layer", "layer=3")


# --- the window ----------------------------------------------------------------------------------
@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """What is opened in the window, which is not."""
    found: list[Path] = []
    monkeypatch.setattr("attn_gui.cli.obstacle", lambda: "")
    monkeypatch.setattr(start, "run", lambda paths, *_: found.extend(paths) or 0)
    return found


def test_a_window_knows_its_file_in_other_folders_too(shown, monkeypatch, tmp_path):
    (tmp_path / "some.npz").write_bytes(WORKED.read_bytes())
    monkeypatch.chdir(tmp_path)
    assert main(["some.npz"]) == 0
    assert shown == [tmp_path / "some.npz"], "a journal is read in another one after a crash"


def test_a_bad_file_is_refused_before_a_window_unless_a_desktop_opens_it(shown, said, tmp_path):
    """A double click has no terminal in which a refusal could be read."""
    bad = [tmp_path / "bad.attn", tmp_path / "gone.npz"]
    bad[0].write_bytes(b"nonsense")
    assert said(bad[0]).startswith("attn-gui: bad.attn ")
    assert not shown
    assert main(["--in-window", *map(str, bad)]) == 0
    assert shown == bad


def test_a_model_and_a_session_of_one_reach_the_window(shown, said, tmp_path):
    folder, session = resource("models", "toy-induction"), tmp_path / "some.attn"
    layer = LayerRecord(options={}, names=())
    save_study(StudyRecord("toy-induction", "0" * 64, str(folder), "k x b p", 0, {0: layer}), session)
    assert main([str(WORKED), str(folder), str(session)]) == 0
    assert shown == [WORKED, folder, session]
    assert "needs" in said("verify", session)
    assert "is a folder" in said(tmp_path)


LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only there the display may be missing")


@LINUX
@each(
    "environment",
    [
        {},
        {"DISPLAY": ":7654"},
        {"DISPLAY": "nonsense"},
        {"WAYLAND_DISPLAY": "wayland-none", "XDG_RUNTIME_DIR": "/nowhere"},
        {"QT_QPA_PLATFORM": "wayland;xcb:option", "DISPLAY": ":7654"},
        {"QT_QPA_PLATFORM": "nosuch"},
        {"QT_QPA_PLATFORM": "minimal"},
        {"QT_QPA_PLATFORM": "linuxfb"},
    ],
)
def test_no_window_without_a_display_that_shows_one(environment):
    """Qt aborts of what it cannot load, and draws no text on `minimal`."""
    reason, platform = no_window.missing_display(environment), environment.get("QT_QPA_PLATFORM", "xcb")
    assert re.fullmatch(r"[^\n]+\.", reason)
    assert "display" in reason if "xcb" in platform else f"QT_QPA_PLATFORM is “{platform}”" in reason


@LINUX
def test_a_display_that_answers_is_a_display(tmp_path, monkeypatch, said):
    found = {"WAYLAND_DISPLAY": "wayland-0", "XDG_RUNTIME_DIR": str(tmp_path)}
    for address, environment in (
        (str(tmp_path / "wayland-0"), found | {"DISPLAY": ":7654"}),
        ("\0/tmp/.X11-unix/X7653", {"DISPLAY": "unix:7653.0"}),
    ):
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(address)
            server.listen()
            assert no_window.missing_display(environment) is None
    assert "does not answer" in no_window.missing_display(found)
    assert no_window.missing_display({"QT_QPA_PLATFORM": "xcb;offscreen"}) is None
    monkeypatch.setenv("QT_QPA_PLATFORM", "minimal")
    assert said().startswith("attn-gui: QT_QPA_PLATFORM is “minimal”")


# --- processes -----------------------------------------------------------------------------------
def test_help_needs_no_numpy_and_numbers_need_no_qt():
    code = """
import sys, attn_gui
from attn_gui.cli import main
def without(*names):
    assert not [name for name in names if name in sys.modules]
def told(*words):
    try: main(words)
    except SystemExit: pass
told("--help"); told("--version"); without("numpy", "PySide6", "pyqtgraph", "safetensors")
told("export", "--help"); without("PySide6")
attn_gui.load, attn_gui.compute, attn_gui.Problem; without("PySide6")
sys.modules["PySide6"] = None
sys.exit(main(["verify", sys.argv[1]]))
"""
    done = subprocess.run([sys.executable, "-c", code, WORKED], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Recomputed all 2 query rows" in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="names there are Unicode")
def test_figures_without_a_display_of_names_that_are_not_text(tmp_path):
    path = tmp_path / os.fsdecode(b"\xff\xfe.npz")
    path.write_bytes(WORKED.read_bytes())
    done = run("export", path, "-o", tmp_path, "--format", "pdf")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == os.fsencode(tmp_path) + b"/\xff\xfe-weights-h0.pdf\n"


def test_letters_that_stdout_has_no_place_for(monkeypatch, tmp_path):
    rng = np.random.default_rng(1)
    save(Problem(**{name: rng.normal(size=(3, 4)) for name in ("query", "key", "value")}), tmp_path / "a.npz")
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="gbk"))
    assert main(["verify", str(tmp_path / "a.npz")]) == 0
    assert b"\\u2212" in written.getvalue()


def test_the_help_has_a_word_on_every_command_and_shells_complete_them(capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    help_text = capsys.readouterr().out
    commands = re.findall(r"^       attn-gui (\w+)", help_text, re.M)
    assert {"export", "verify", "model", "worksheet", "solution", "lesson", "completion"} == set(commands)
    assert all(re.search(rf"^  {command} +\w+ \w+", help_text, re.M) for command in commands)
    for shell in ("bash", "zsh"):
        assert main(["completion", shell]) == 0
        script = capsys.readouterr().out
        assert "worksheet" in script
        assert "--colormap" in script or "'colormap" in script


UNWRITTEN = "attn-gui: The output could not be written: No space left on device.\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_a_full_disk_is_one_sentence_and_a_pipe_that_nobody_reads_none():
    with open("/dev/full", "w") as full:
        done = run("verify", WORKED, stdout=full)
    assert (done.returncode, done.stderr.decode()) == (2, UNWRITTEN)
    read, write = os.pipe()
    os.close(read)
    with open(write, "w") as unheard:
        done = run("verify", WORKED, stdout=unheard)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.family(4)
@pytest.mark.skipif(os.name == "nt", reason="needs the shell of POSIX")
@pytest.mark.parametrize(
    ("folder", "closed", "code", "said"),
    [
        ("-", ">&-", 2, "attn-gui: The output could not be written: Bad file descriptor.\n"),
        ("-", "| true; exit ${PIPESTATUS[0]}", 0, ""),
        ("out", "| true; exit ${PIPESTATUS[0]}", 0, ""),
        ("out", ">&-", 0, ""),
        ("out", ">&- 2>&-", 0, ""),
    ],
)
def test_a_closed_output_is_no_traceback(tmp_path, folder, closed, code, said):
    target = folder if folder == "-" else tmp_path / folder
    stages = ["weights"] if folder == "-" else ["weights", "query"]
    words = [sys.executable, "-m", "attn_gui", "export", WORKED, "-o", target, "--format", "npy", "--stage", *stages]
    line = f"{shlex.join(map(str, words))} {closed}"
    done = subprocess.run(["bash", "-c", line], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (code, said)
    assert folder == "-" or [path.suffix for path in target.iterdir()] == [".npy", ".npy"]


# --- languages -----------------------------------------------------------------------------------
CHINESE = [
    (("exprot",), "没有名为 exprot 的文件，也没有这个命令（最接近的是 export）；“attn-gui --help”列出全部命令。"),
    (("export", WORKED), "缺少必需的参数：-o。"),
    (("export", "-o"), "选项 -o：后面应有一个值。"),
    (("export", *OUT, "--theme", "lihgt"), "（最接近的是 light）。"),
    (("export", *OUT, "--heads", "9-"), "选项 --heads：应为 all 或 0,2-3 这样的头，得到 '9-'。"),
    (("export", *OUT, "--stage", "{nix}"), "没有阶段 '{nix}'；这个算例的阶段：query、key、value、"),
    (("export", *OUT, "--bom"), "--bom 单独使用没有意义，还需要：csv 或 tsv（--format）。"),
    (("export", *OUT, "--width", "1"), "宽 1.0 厘米放不下热图及其标签"),
    (("export", *OUT, "--page", "curve"), "这个算例没有页面 curve。"),
    (("export", *OUT, "--page", "sweep", "--cell", "0,0", "--set", "a=1"), "没有名为 'a' 的设置"),
    (("export", *OUT, "--compare", "nix"), "nix 不是文件，也不是 with"),
    (("solution", *OUT, "--cell", "1,1"), "单元格同时需要 --stage 和 --cell"),
    (("{odd}.npz",), "{odd}.npz 不存在。"),
]


@each(("words", "sentence"), CHINESE)
def test_a_chinese_locale_is_refused_in_chinese(words, sentence, shown, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert sentence in said(*words)
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")  # which counts before the others
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert not re.search("[\u4e00-\u9fff]", said(*words))


def test_a_locale_changes_stderr_and_nothing_else(tmp_path, monkeypatch, capsys):
    cells, more = {name: np.eye(3) for name in ("query", "key", "value")}, {"hidden": np.ones(3), "more": np.eye(2)}
    np.savez(tmp_path / "a.npz", **cells, **more)
    np.savez(tmp_path / "b.npz", **cells)
    figure, found = tmp_path / "out" / "a-weights-h0.svg", []
    words = ["export", str(tmp_path / "a.npz"), "-o", str(tmp_path / "out"), "--format", "svg", "--no-session"]
    for locale, notes in (
        ("zh_CN.UTF-8", "attn-gui: 未使用的数组：hidden、more。\n"),
        ("C", "attn-gui: Arrays not used: hidden, more.\n"),
    ):
        monkeypatch.setenv("LC_ALL", locale)
        assert main(words) == 0
        out, err = capsys.readouterr()
        assert err == notes
        found.append((out, figure.read_bytes()))
    assert found[0] == found[1], "figures go by --lang"
    words = ["export", str(tmp_path / "b.npz"), "-o", str(tmp_path / "out"), "--compare", str(tmp_path / "a.npz")]
    assert main(words) == 0
    assert capsys.readouterr().err == notes, "what is left out of the other state is said, too"


def test_changes_by_hand_are_told_in_the_language_of_the_locale(batched, tmp_path, monkeypatch, capsys):
    halves = [{"kind": "scale", "stage": "head_output", "at": {"head": head}, "factor": 0.5} for head in range(4)] * 2
    put = {"kind": "set", "stage": "weights", "at": {"head": 3, "query": 1, "key": 2}, "values": 0.9}
    save(load(batched).replace(interventions=[put, *halves[:7]]), batched)
    words = ["export", str(batched), "-o", str(tmp_path), "--heads", "3", "--format", "csv"]
    for locale, first, last in (
        ("C.UTF-8", "Changed by hand: A[1, 2] of head 3 set to 0.9; O of", "; and 2 more."),
        ("zh_CN.UTF-8", "手动更改：头 3 的 A[1, 2] 设为 0.9；头 0", "；另有 2 处。"),
    ):
        monkeypatch.setenv("LC_ALL", locale)
        assert main(words) == 0
        told = capsys.readouterr().err.strip()
        assert told.startswith(f"attn-gui: {first}")
        assert told.endswith(last)


# --- attn-gui verify -----------------------------------------------------------------------------
def verified(path: object, capsys: pytest.CaptureFixture[str]) -> tuple[int, list[str], str]:
    code = main(["verify", str(path)])
    out, err = capsys.readouterr()
    return code, out.splitlines(), err


@each("name", ["worked-example", "thinking-machines", "transformer-layer", "minilm-layer2", "smollm2-layer10"])
def test_the_examples_are_right_to_the_last_bits(name, capsys):
    code, lines, err = verified(resource("examples", f"{name}.npz"), capsys)
    assert (code, err) == (0, "")
    assert lines[0].startswith("Recomputed all ")
    stages = [line.split()[0] for line in lines[1:] if "worst difference" in line and "cells" in line]
    assert {"query", "scores", "weights", "output"} <= set(stages)
    assert [line.split()[1] for line in lines if line.startswith("rows_sum_to_one")] == ["ok"]
    assert all(" FAILED " not in line for line in lines)


def test_a_difference_and_a_broken_invariant_are_one_sentence(capsys, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(verification, "SLACK", -1e9)  # nothing sums to one so exactly
        code, _, err = verified(WORKED, capsys)
    assert code == 2
    assert re.fullmatch("attn-gui: rows_sum_to_one does not hold: Rows of weights [^\n]+\n", err)
    old = Softmax.forward
    monkeypatch.setattr(Softmax, "forward", lambda self, *inputs: old(self, *inputs) * 1.001)
    code, lines, err = verified(WORKED, capsys)
    assert code == 2
    assert [line.split()[0] for line in lines if " FAILED " in line][:1] == ["weights"]
    assert re.fullmatch("attn-gui: weights differs from the reference by [^\n]+\n", err)


def test_options_given_as_arrays_are_verified_and_a_part_that_was_left_out_is_not_blessed(tmp_path, capsys):
    cells, mask = np.random.default_rng(0).normal(size=(4, 6)), np.tril(np.ones((4, 4), bool))
    arrays = {"query": cells, "key": cells, "value": cells, "num_heads": 2}
    np.savez(tmp_path / "t.npz", **arrays, mask=mask)
    code, lines, err = verified(tmp_path / "t.npz", capsys)
    assert (code, err) == (0, "")
    assert any("Weights behind a mask are exactly 0: 0 of 12" in line for line in lines)
    np.savez(tmp_path / "t.npz", **arrays, more=cells)
    code, lines, err = verified(tmp_path / "t.npz", capsys)
    assert code == 2
    assert lines
    assert err.splitlines() == [
        "attn-gui: Arrays not used: more.",
        "attn-gui: t.npz also holds more, not read: the lines above are about the rest only.",
    ]
