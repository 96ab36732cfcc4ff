"""The command line in processes of its own: what it writes, what it refuses, and what it never imports."""

from __future__ import annotations

import io
import json
import os
import re
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
from attn_gui.formats import load, load_matrix, open_file, open_matrix, save, save_study
from attn_gui.formats.session import LayerRecord, StudyRecord
from attn_gui.paths import resource
from tests.failing import each

ROOT = Path(__file__).parents[1]
WORKED = resource("examples", "worked-example.npz")


def run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """The program on a machine without a display."""
    displays = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    kept = {name: value for name, value in os.environ.items() if name not in displays}
    return subprocess.run(
        [sys.executable, "-m", "attn_gui", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=kept | environment,
        timeout=300,
    )


@pytest.fixture
def exported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> object:
    """Export within this process; gives the names of the written files, which must be there."""

    def export(*arguments: object) -> list[str]:
        assert main(["export", *map(str, arguments), "-o", str(tmp_path / "out")]) == 0
        out, err = capsys.readouterr()
        assert err == ""
        paths = [Path(line) for line in out.splitlines()]
        assert all(path.stat().st_size for path in paths)
        assert {path.parent for path in paths} == {tmp_path / "out"}
        return [path.name for path in paths]

    return export


@pytest.fixture
def batched(tmp_path: Path) -> Path:
    random = np.random.default_rng(3)
    arrays = {"query": random.normal(size=(2, 3, 20)), "key": random.normal(size=(2, 5, 10))}
    problem = Problem(
        **arrays,
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


def test_names_say_stage_head_and_item(exported: object, batched: Path) -> None:
    names = exported(
        batched, "--stage", "weights", "output", "--heads", "0,2-3", "--batch", 1, "--format", "csv", "svg"
    )
    assert names == [
        f"some-{part}-b1.{ending}"
        for ending in ("csv", "svg")
        for part in ("weights-h0", "weights-h2", "weights-h3", "output-h0")
    ]


@each("endings", [("csv", "svg"), ("npy",)])
def test_a_map_of_all_heads_together_bears_the_name_of_none(
    exported: object, batched: Path, endings: tuple[str, ...]
) -> None:
    merged = exported(batched, "--heads", "mean", "--batch", 1, "--format", *endings)
    assert merged == [f"some-mean_weights-b1.{ending}" for ending in endings]
    named = exported(batched, "--stage", "largest_weights", "--heads", "2", "--format", *endings)
    assert named == [f"some-largest_weights-b0.{ending}" for ending in endings]


def test_numbers_are_those_of_the_engine(exported: object, batched: Path, tmp_path: Path) -> None:
    exported(batched, "--stage", "masked", "key", "output", "--heads", 3, "--batch", 1, "--format", "csv")
    trace = compute(load(batched))
    masked = open_matrix(tmp_path / "out" / "some-masked-h3-b1.csv")
    np.testing.assert_array_equal(masked.values, trace["masked"][1, 3])
    assert masked.column_labels == tuple("=b,;x")
    key = open_matrix(tmp_path / "out" / "some-key-h3-b1.csv")
    np.testing.assert_array_equal(key.values, trace["key"][1][:, 5:])  # the second of two K/V heads
    assert key.row_labels == tuple("=b,;x")
    np.testing.assert_array_equal(load_matrix(tmp_path / "out" / "some-output-h3-b1.csv"), trace["output"][1])


@pytest.mark.parametrize("name", ["worked-example", "thinking-machines", "smollm2-layer10"])
def test_an_npz_has_all_stages_and_opens_again(name: str, exported: object, tmp_path: Path) -> None:
    problem = open_file(resource("examples", f"{name}.npz")).problem
    assert exported(resource("examples", f"{name}.npz"), "--format", "npz") == [f"{name}-stages.npz"]
    trace = compute(problem)
    with np.load(tmp_path / "out" / f"{name}-stages.npz") as file:
        assert set(trace.stages) <= set(file.files)
        for stage in trace.stages:
            assert file[stage].shape == trace[stage].shape
            assert file[stage].tobytes() == trace[stage].tobytes()
    again = compute(open_file(tmp_path / "out" / f"{name}-stages.npz").problem)
    assert again.stages == trace.stages
    np.testing.assert_array_equal(again["output"], trace["output"])
    assert exported(resource("examples", f"{name}.npz"), "--format", "npz", "--stage", "scores") == [
        f"{name}-stages.npz"
    ]
    with np.load(tmp_path / "out" / f"{name}-stages.npz") as file:
        assert "scores" in file.files
        assert "weights" not in file.files


def test_language_and_theme_reach_the_figure(exported: object, tmp_path: Path) -> None:
    seen = []
    for options in ((), ("--lang", "zh"), ("--theme", "dark")):
        exported(WORKED, "--format", "svg", *options)
        seen.append((tmp_path / "out" / "worked-example-weights-h0.svg").read_text("utf-8"))
    assert len(set(seen)) == 3
    chinese = re.compile("[\u4e00-\u9fff]")
    assert [bool(chinese.search(text)) for text in seen] == [False, True, False]


def test_levels_colors_type_values_and_bar_reach_the_figure(exported: object, tmp_path: Path) -> None:
    def svg(*options: object) -> str:
        exported(WORKED, "--stage", "scores", "--format", "svg", *options)
        return (tmp_path / "out" / "worked-example-scores-h0.svg").read_text("utf-8")

    plain = svg()
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


def test_numbers_leave_in_every_form(exported: object, tmp_path: Path) -> None:
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
        assert np.array_equal(load_matrix(tmp_path / "out" / f"worked-example-weights-h0.{ending}"), weights)


# --- what it refuses -----------------------------------------------------------------------------
@each(
    ("arguments", "words"),
    [
        ([], "required: FILE, -o"),
        (["no.npz", "-o", "out"], "no.npz does not exist"),
        ([".", "-o", "out"], "is a folder"),
        ([WORKED], "required: -o"),
        (
            [WORKED, "-o", "out", "--stage", "masked"],
            "no stage 'masked'; the problem has query, key, value, scores, scaled",
        ),
        ([WORKED, "-o", "out", "--heads", "1"], "There is no head 1; the problem has only 0."),
        ([WORKED, "-o", "out", "--heads", "0-"], "expected all, or heads such as 0,2-3, got '0-'"),
        ([WORKED, "-o", "out", "--heads", "3-1"], "got '3-1'"),
        ([WORKED, "-o", "out", "--heads", "-1"], "--heads"),
        ([WORKED, "-o", "out", "--batch", "1"], "There is no batch item 1; the problem has only 0."),
        ([WORKED, "-o", "out", "--format", "bmp"], "'bmp'"),
        ([WORKED, "-o", "out", "--dpi", "1e3"], "a whole number from 30 to 2400, got '1e3'"),
        ([WORKED, "-o", "out", "--dpi", "5"], "got '5'"),
        ([WORKED, "-o", "out", "--width", "nan"], "centimeters from 1 to 500, got 'nan'"),
        ([WORKED, "-o", "out", "--width", "400", "--height", "400", "--dpi", "2400"], "pixels"),
        ([WORKED, "-o", "out", "--theme", "pink"], "'pink'"),
        ([WORKED, "-o", "out", "--levels", "7,-5"], "two numbers such as -5,7, the lower one first, got '7,-5'"),
        ([WORKED, "-o", "out", "--levels", "0"], "got '0'"),
        ([WORKED, "-o", "out", "--levels", "0,inf"], "got '0,inf'"),
        ([WORKED, "-o", "out", "--levels"], "--levels"),
        ([WORKED, "-o", "out", "--font-size", "3"], "points from 4 to 72, got '3'"),
        ([WORKED, "-o", "out", "--colormap", "rainbow"], "'rainbow' is not one of signed, weights, viridis"),
        ([WORKED, "-o", "out", "--style", "poster"], "'poster' is not one of screen, paper-column, slide"),
        ([WORKED, "-o", "out", "--format", "xlsx", "--compare", "with-scale"], "A .xlsx computes one state"),
        ([WORKED, "-o", "out", "--sta", "weights"], "Unrecognized arguments: --sta"),
        ([WORKED, "-o", "/proc/nowhere/out"], "could not be saved"),
        ([WORKED, "-o", WORKED], "is a file; expected a folder"),
        ([WORKED, "-o", WORKED / "out"], "could not be saved"),
    ],
)
def test_a_bad_argument_is_one_sentence(
    arguments: list[object],
    words: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["export", *map(str, arguments)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert re.fullmatch(r"attn-gui: [^\n]+\.\n", err)
    assert words in err
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == []


# --- processes -----------------------------------------------------------------------------------


@each(
    ("arguments", "locale", "absent"),
    [
        (["--help"], "C", {"numpy", "PySide6", "pyqtgraph", "safetensors"}),
        (["--version"], "zh_CN.UTF-8", {"numpy", "PySide6", "pyqtgraph", "safetensors"}),
        (["export", "--help"], "C", {"PySide6", "pyqtgraph"}),  # it lists the formats that there are
    ],
)
def test_help_and_version_need_neither_qt_nor_numpy(arguments: list[str], locale: str, absent: set[str]) -> None:
    code = "import sys; from attn_gui.cli import main\ntry: main()\nfinally: print(*sys.modules)"
    environment = os.environ | {"LC_ALL": locale}
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, env=environment)
    said, imported = done.stdout.splitlines()[0], done.stdout.splitlines()[-1].split()
    assert "attn-gui" in said
    assert "attn_gui" in imported
    assert not {name.split(".")[0] for name in imported} & absent


def test_figures_without_a_display(tmp_path: Path) -> None:
    done = run("export", WORKED, "-o", tmp_path, "--format", "png", "pdf")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [str(tmp_path / f"worked-example-weights-h0.{e}") for e in ("png", "pdf")]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only there the display may be missing")
@each(
    "environment",
    [
        {},
        {"DISPLAY": ":7654"},
        {"DISPLAY": "nonsense"},
        {"WAYLAND_DISPLAY": "wayland-none", "XDG_RUNTIME_DIR": "/nowhere"},
        {"QT_QPA_PLATFORM": "xcb"},
        {"QT_QPA_PLATFORM": "wayland;xcb:option", "DISPLAY": ":7654"},
        {"QT_QPA_PLATFORM": "nosuch"},
        {"QT_QPA_PLATFORM": "xcb;nosuch"},
        {"QT_QPA_PLATFORM": "minimal"},
        {"QT_QPA_PLATFORM": "linuxfb"},
    ],
)
def test_no_window_without_a_display_that_shows_one(environment: dict[str, str]) -> None:
    """Qt aborts of what it cannot load, and draws no text on `minimal`."""
    said, platform = no_window.missing_display(environment), environment.get("QT_QPA_PLATFORM", "xcb")
    assert re.fullmatch(r"[^\n]+\.", said)
    assert "display" in said if "xcb" in platform else f"QT_QPA_PLATFORM is “{platform}”" in said


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only there the display may be missing")
def test_without_a_display_the_program_ends_with_a_sentence() -> None:
    done = run(QT_QPA_PLATFORM="minimal")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith("attn-gui: QT_QPA_PLATFORM is “minimal”")


def test_a_platform_that_draws_on_a_device_needs_the_device(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(no_window.sys, "platform", "linux")
    for device, refused in ((tmp_path, False), (tmp_path / "none", True)):
        monkeypatch.setitem(no_window.ON_DEVICES, "eglfs", str(device))
        assert (no_window.missing_display({"QT_QPA_PLATFORM": "eglfs"}) is not None) == refused


def test_a_window_knows_its_file_in_other_folders_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    given: list[Path] = []
    monkeypatch.setattr("attn_gui.cli.obstacle", lambda: "")
    monkeypatch.setattr("attn_gui.app.start.run", lambda files, *_: given.extend(files) or 0)
    (tmp_path / "some.npz").write_bytes(WORKED.read_bytes())
    monkeypatch.chdir(tmp_path)
    assert main(["some.npz"]) == 0
    assert given == [tmp_path / "some.npz"], "a journal is read in another one after a crash"


def test_a_bad_file_is_refused_before_a_window(tmp_path: Path) -> None:
    (tmp_path / "bad.attn").write_bytes(b"nonsense")
    done = run(tmp_path / "bad.attn", QT_QPA_PLATFORM="offscreen")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("attn-gui: bad.attn ")
    assert done.stderr.count("\n") == 1


def test_a_bad_file_that_a_desktop_opens_reaches_the_window(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A double click has no terminal in which a refusal could be read."""
    shown: list[Path] = []
    monkeypatch.setattr(start, "run", lambda paths, *_: shown.extend(paths) or 0)
    bad = [tmp_path / "bad.attn", tmp_path / "gone.npz"]
    bad[0].write_bytes(b"nonsense")
    for files in ([bad[0]], [bad[1]], bad):
        shown.clear()
        assert main(["--in-window", *map(str, files)]) == 0
        assert shown == files
    assert capsys.readouterr().err == ""
    assert main(["--in-window"]) == 0


def test_a_model_and_a_session_of_one_reach_the_window(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, session, shown = resource("models", "toy-induction"), tmp_path / "some.attn", []
    layer = LayerRecord(options={}, names=())
    save_study(StudyRecord("toy-induction", "0" * 64, str(folder), "k x b p", 0, {0: layer}), session)
    monkeypatch.setattr(start, "run", lambda paths, *_: shown.extend(paths) or 0)
    for files in ([session], [folder], [WORKED, folder, session]):
        shown.clear()
        assert main([*map(str, files)]) == 0
        assert shown == files
    assert capsys.readouterr().err == ""
    assert main(["verify", str(session)]) == 2
    assert "needs" in capsys.readouterr().err
    assert main([str(tmp_path)]) == 2
    assert "is a folder" in capsys.readouterr().err


NAMES_ARE_BYTES = pytest.mark.skipif(sys.platform == "win32", reason="names there are Unicode")


@NAMES_ARE_BYTES
def test_names_that_are_not_text(tmp_path: Path) -> None:
    name = os.fsdecode(b"\xff\xfe.npz")
    (tmp_path / name).write_bytes(WORKED.read_bytes())
    done = subprocess.run(
        [sys.executable, "-m", "attn_gui", "export", tmp_path / name, "-o", tmp_path, "--format", "csv"],
        capture_output=True,
        cwd=ROOT,
    )
    assert done.stdout == os.fsencode(tmp_path) + b"/\xff\xfe-weights-h0.csv\n"
    refused = subprocess.run([sys.executable, "-m", "attn_gui", tmp_path / "\udcff.npz"], capture_output=True, cwd=ROOT)
    assert refused.returncode == 2
    assert b"Traceback" not in refused.stderr


@NAMES_ARE_BYTES
def test_lessons_and_solutions_of_names_that_are_not_text(tmp_path: Path) -> None:
    lesson, problem = (tmp_path / os.fsdecode(b"caf\xe9" + ending) for ending in (b".md", b".npz"))
    lesson.write_bytes(resource("lessons/01-shapes.md").read_bytes())
    problem.write_bytes(WORKED.read_bytes())
    calls = (("lesson", "check", lesson), ("solution", problem, "-o", tmp_path, "--format", "md", "tex"))
    found = [
        subprocess.run([sys.executable, "-m", "attn_gui", *call], capture_output=True, cwd=ROOT, check=True).stdout
        for call in calls
    ]
    assert found[0].startswith(b"caf\xe9.md: ")
    assert found[1].count(b"caf\xe9-solution") == 2


@each("encoding", ["cp1252", "gbk", "ascii"])
def test_letters_that_stdout_has_no_place_for(encoding: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    save(Problem(**{name: rng.normal(size=(3, 4)) for name in ("query", "key", "value")}), tmp_path / "a.npz")
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding=encoding))
    assert main(["verify", str(tmp_path / "a.npz")]) == 0
    assert b"\\u2212" in written.getvalue()
    with pytest.raises(SystemExit, match="0"):
        main(["export", "--help"])


# --- display, import -----------------------------------------------------------------------------
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only there the display may be missing")
def test_a_display_that_answers_is_a_display(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "wayland-0"))
        server.listen()
        found = {"WAYLAND_DISPLAY": "wayland-0", "XDG_RUNTIME_DIR": str(tmp_path)}
        assert no_window.missing_display(found) is None
        assert no_window.missing_display(found | {"DISPLAY": ":7654"}) is None
    assert "does not answer" in no_window.missing_display(found)
    assert no_window.missing_display({"QT_QPA_PLATFORM": "vnc"}) is None
    assert no_window.missing_display({"QT_QPA_PLATFORM": "xcb;offscreen"}) is None
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("\0/tmp/.X11-unix/X7653")
        server.listen()
        assert no_window.missing_display({"DISPLAY": ":7653.0"}) is None
        assert no_window.missing_display({"DISPLAY": "unix:7653"}) is None


def test_the_public_names_come_lazily() -> None:
    code = (
        "import sys, json, attn_gui\n"
        "print(json.dumps([n for n in ('numpy', 'PySide6', 'safetensors') if n in sys.modules]))\n"
        "attn_gui.load, attn_gui.compute, attn_gui.Problem\n"
        "print(json.dumps([n for n in ('numpy', 'PySide6') if n in sys.modules]))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert [json.loads(line) for line in done.stdout.splitlines()] == [[], ["numpy"]]


# --- two states ----------------------------------------------------------------------------------
def test_two_states_are_one_figure_and_one_table(tmp_path, capsys):
    rng = np.random.default_rng(2)
    problem = Problem(
        **{name: rng.normal(size=(4, 6)) for name in ("query", "key", "value")}, mask=[{"kind": "causal"}]
    )
    save(problem, tmp_path / "now.npz")
    save(problem.replace(query=problem.query + 1), tmp_path / "then.npz")
    masked, scaled = (compute(problem.replace(**change)) for change in ({"mask": ()}, {"scale": 1.0}))
    other = compute(problem.replace(query=problem.query + 1))
    words = ["export", str(tmp_path / "now.npz"), "-o", str(tmp_path / "out")]
    for given, before, part in (
        ("with-mask", masked, "with-mask"),
        ("with-scale", scaled, "with-scale"),
        (tmp_path / "then.npz", other, "vs-then"),
    ):
        assert main([*words, "--compare", str(given), "--format", "svg", "npy"]) == 0
        figure, table = (tmp_path / "out" / f"now-weights-h0-{part}.{ending}" for ending in ("svg", "npy"))
        assert capsys.readouterr() == (f"{figure}\n{table}\n", "")
        assert np.array_equal(np.load(table), (compute(problem)["weights"] - before["weights"])[0, 0])
    assert main([*words, "--compare", "with-mask", "--show", "before"]) == 0
    assert capsys.readouterr().out.endswith("now-weights-h0-with-mask-before.png\n")


@each(
    ("more", "said"),
    [
        (("--compare", "with-everything"), "with-everything is no file, and none of with-scale, with-mask"),
        (("--compare", "with-mask"), "with-mask would compare the problem with itself"),
        (("--compare", "with-scale", "--page", "head_contributions"), "A page shows one state"),
        (("--compare", resource("examples", "smollm2-layer10.npz")), "weights cannot be compared"),
    ],
)
def test_what_cannot_be_compared_is_one_sentence(more, said, tmp_path, capsys):
    assert main(["export", str(WORKED), "-o", str(tmp_path), *map(str, more)]) == 2
    assert said in capsys.readouterr().err


def test_what_is_left_out_of_the_other_state_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells = {name: np.eye(3) for name in ("query", "key", "value")}
    np.savez(tmp_path / "now.npz", **cells)
    np.savez(tmp_path / "then.npz", **cells, more=np.eye(2))
    words = ["--compare", str(tmp_path / "then.npz"), "--format", "npy"]
    assert main(["export", str(tmp_path / "now.npz"), "-o", str(tmp_path / "out"), *words]) == 0
    assert capsys.readouterr().err == "attn-gui: Arrays not used: more.\n"


# --- arrays of other names -----------------------------------------------------------------------
@pytest.fixture
def dump(tmp_path: Path) -> Path:
    """A file as a hook in a model leaves it."""
    random = np.random.default_rng(5)
    arrays = {f"h.3.attn.{name}": random.normal(size=(2, 4, 3)) for name in "qkv"}
    np.savez(tmp_path / "dump.npz", **arrays, m=np.tril(np.ones((4, 4), bool)))
    return tmp_path / "dump.npz"


NAMED = ("--array", "query=h.3.attn.q", "key=h.3.attn.k", "value=h.3.attn.v")


def test_arrays_are_named_and_read_as_in_the_window(
    dump: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
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
    capsys.readouterr()
    assert main(["verify", str(dump), *words]) == 0
    names = dict(word.split("=") for word in [*NAMED[1:], "mask=m"])
    assert load(dump, arrays=names, axes="head,token,column", mask="block") == expected


@each(
    ("words", "said"),
    [
        ((), "Say which is which: --array query=h.3.attn.q key=h.3.attn.k value=h.3.attn.v."),
        (("--array", "query"), "expected NAME=VALUE, got 'query'"),
        (("--array", "nonsense=m"), "“nonsense” is not a part of a problem"),
        (("--array", "query=zzz"), "dump.npz has no array “zzz”; it has h.3.attn.q"),
        ((*NAMED, "--axes", "rows"), "“--axes” is “rows”"),
        ((*NAMED, "--mask", "keep"), "“--mask” tells how to read mask"),
        (("--array", "weights=h.3.attn.q", "--axes", "query,key"), "choose one of --axes head,query,key"),
        ((*NAMED, "--axes", "token,column"), "cannot be read as token,column; expected head,token,column"),
        (("--array", "query=m", "key=m", "value=m", "--num-heads", "3"), "which 3 heads cannot share"),
    ],
)
def test_arrays_that_say_nothing_are_refused(
    words: tuple[str, ...], said: str, dump: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", str(dump), *words]) == 2
    assert said in capsys.readouterr().err


@each(
    ("words", "meant"),
    [
        (["exprot", "a.npz"], "the nearest is export"),
        (["verfiy"], "the nearest is verify"),
        (["export", "a.npz", "-o", "out", "--fromat", "png"], "the nearest is --format"),
        (["export", "a.npz", "-o", "out", "--format", "pgn"], "the nearest is png"),
        (["export", str(WORKED), "-o", "out", "--stage", "wieghts"], "largest_weights (the nearest is weights).\n"),
        (["export", str(WORKED), "-o", "out", "--page", "gradient_map"], "the nearest is gradient_maps"),
        (["export", str(WORKED), "-o", "out", "--compare", "with-scal"], "the nearest is with-scale"),
        (["export", str(WORKED), "-o", "out", "--colormap", "viridi"], "the nearest is viridis"),
    ],
)
def test_a_slip_is_answered_with_the_nearest_word(
    words: list[str], meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert meant in capsys.readouterr().err


def test_the_help_has_a_word_on_every_command() -> None:
    said = run("--help").stdout
    commands = re.findall(r"^       attn-gui (\w+)", said, re.M)
    assert {"export", "verify", "model", "worksheet", "solution", "lesson", "completion"} == set(commands)
    assert all(re.search(rf"^  {command} +\w+ \w+", said, re.M) for command in commands)


@each("shell", ["bash", "zsh"])
def test_shells_complete_commands_and_their_options(shell: str) -> None:
    said = run("completion", shell)
    assert said.returncode == 0, said.stderr
    assert "worksheet" in said.stdout
    assert "--colormap" in said.stdout or "'colormap" in said.stdout


def test_one_file_goes_to_stdout_and_several_are_refused(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "attn_gui", "export", WORKED, "-o", "-", "--format", "csv"],
        capture_output=True,
        cwd=tmp_path,
        check=True,
    )
    assert done.stdout.startswith(b"0.5,0.5") or b"0.5" in done.stdout
    assert not list(tmp_path.iterdir())
    several = run("export", WORKED, "-o", "-", "--format", "csv", "png")
    assert several.returncode == 2
    assert "-o - writes one file, and 2 were asked for" in several.stderr


CHINESE = [
    (["exprot"], "没有名为 exprot 的文件，也没有这个命令（最接近的是 export）；“attn-gui --help”列出全部命令。"),
    (["export", WORKED], "缺少必需的参数：-o。"),
    (["export", "-o"], "选项 -o：后面应有一个值。"),
    (["verify", WORKED, "--foo"], "无法识别的参数：--foo。"),
    (["export", str(WORKED), "-o", "out", "--theme", "lihgt"], "没有 'lihgt' 这个选择（可选："),
    (["export", str(WORKED), "-o", "out", "--theme", "lihgt"], "（最接近的是 light）。"),
    (["export", str(WORKED), "-o", "out", "--heads", "9-"], "选项 --heads：应为 all 或 0,2-3 这样的头，得到 '9-'。"),
    (["export", str(WORKED), "-o", "out", "--heads", "9"], "没有头 9；这个算例中的头：仅 0。"),
    (["export", str(WORKED), "-o", "out", "--stage", "{nix}"], "没有阶段 '{nix}'；这个算例的阶段：query、key、value、"),
    (["export", str(WORKED), "-o", "out", "--bom"], "--bom 单独使用没有意义，还需要：csv 或 tsv（--format）。"),
    (["export", "nowhere.npz", "-o", "out"], "nowhere.npz 不存在。"),
    (["export", str(WORKED), "-o", "out", "--width", "1"], "宽 1.0 厘米放不下热图及其标签"),
    (["solution", WORKED, "-o", "out", "--cell", "1,1"], "单元格同时需要 --stage 和 --cell"),
    (["export", str(WORKED), "-o", "out", "--style", "nix"], "'nix' 不是 screen, paper-column, slide 之一。"),
    (["export", str(WORKED), "-o", "out", "--colormap", "nix"], "'nix' 不是 signed, "),
    (["export", str(WORKED), "-o", "out", "--page", "nix"], "没有页面 'nix'；可用的有：curve, "),
    (["export", str(WORKED), "-o", "out", "--page", "curve"], "这个算例没有页面 curve。"),
    (["export", str(WORKED), "-o", "out", "--page", "sweep", "--cell", "0,0", "--set", "a=1"], "没有名为 'a' 的设置"),
    (["export", str(WORKED), "-o", "out", "--compare", "nix"], "nix 不是文件，也不是 with"),
    (["{odd}.npz"], "{odd}.npz 不存在。"),
]


@each(("words", "sentence"), CHINESE)
def test_a_chinese_locale_is_refused_in_chinese(
    words: list[str], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert main(list(map(str, words))) == 2
    said = capsys.readouterr().err
    assert said.startswith("attn-gui: ")
    assert sentence in said
    assert said.count("\n") == 1
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")  # which counts before the others
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert main(list(map(str, words))) == 2
    assert not re.search("[\u4e00-\u9fff]", capsys.readouterr().err)


def test_a_locale_without_utf_8_is_no_matter_for_advice(tmp_path: Path) -> None:
    done = run("export", WORKED, "-o", tmp_path, LC_ALL="zz_ZZ.ISO-8859-1")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_locale_changes_stderr_and_nothing_else(tmp_path: Path) -> None:
    minilm = tmp_path / "minilm-layer2.npz"
    with np.load(resource("examples", "minilm-layer2.npz")) as file:
        np.savez(minilm, **file, hidden=np.ones(3), more=np.ones(3))
    words = ["export", minilm, "-o", tmp_path / "out", "--heads", 3, "--format", "svg", "--no-session"]
    chinese = run(*words, LC_ALL="", LC_MESSAGES="", LANG="zh_CN.UTF-8")
    first = (tmp_path / "out" / "minilm-layer2-weights-h3.svg").read_bytes()
    english = run(*words, LC_ALL="C.UTF-8")
    assert chinese.stdout == english.stdout
    assert (tmp_path / "out" / "minilm-layer2-weights-h3.svg").read_bytes() == first, "figures go by --lang"
    assert chinese.stderr == "attn-gui: 未使用的数组：hidden、more。\n"
    assert english.stderr == "attn-gui: Arrays not used: hidden, more.\n"


def test_changes_by_hand_are_told_in_the_language_of_the_locale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    halves = [{"kind": "scale", "stage": "head_output", "at": {"head": head}, "factor": 0.5} for head in range(7)]
    put = {"kind": "set", "stage": "weights", "at": {"head": 3, "query": 10, "key": 13}, "values": 0.9}
    problem = open_file(resource("examples", "minilm-layer2.npz")).problem
    save(problem.replace(interventions=[put, *halves]), tmp_path / "a.attn")
    words = ["export", str(tmp_path / "a.attn"), "-o", str(tmp_path), "--heads", "3", "--format", "csv"]
    for locale, first, last in (
        ("C.UTF-8", "Changed by hand: A[10, 13] of head 3 set to 0.9; O of", "; and 2 more."),
        ("zh_CN.UTF-8", "手动更改：头 3 的 A[10, 13] 设为 0.9；头 0", "；另有 2 处。"),
    ):
        monkeypatch.setenv("LC_ALL", locale)
        assert main(words) == 0
        said = capsys.readouterr().err.strip()
        assert said.startswith(f"attn-gui: {first}")
        assert said.endswith(last)


TOLD = {
    "version": ["--version"],
    "help": ["--help"],
    "help of a command": ["verify", "--help"],
    "verify": ["verify", WORKED],
    "export": ["export", WORKED, "-o", "{folder}", "--format", "npz"],
    "solution": ["solution", WORKED, "-o", "{folder}", "--format", "md"],
    "worksheet": ["worksheet", WORKED, "-o", "{folder}", "--count", "1"],
    "lesson": ["lesson", "check", resource("lessons", "06-worked-example.md")],
    "model": ["model", resource("models", "toy-induction"), "--text", "q w e"],
}
"""One call of every command, all of which say something."""


def told(name: str, folder: Path) -> list[str]:
    return [str(word).format(folder=folder / "out") for word in TOLD[name]]


UNWRITTEN = "attn-gui: The output could not be written: No space left on device.\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
@each("name", TOLD)
def test_what_cannot_be_said_as_the_disk_is_full_is_one_sentence(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with open("/dev/full", "w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert main(told(name, tmp_path)) == 2
    assert capsys.readouterr().err == UNWRITTEN


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
@each("name", ["help", "verify", "export"])
def test_a_process_that_cannot_say_it_ends_with_the_sentence_alone(name: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "attn_gui", *told(name, tmp_path)]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, cwd=ROOT)
    assert (done.returncode, done.stderr) == (2, UNWRITTEN)


@pytest.mark.skipif(sys.platform == "win32", reason="pipes break otherwise there")
@each("name", ["help", "verify", "export"])
def test_nothing_is_said_to_whoever_has_stopped_listening(name: str, tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "attn_gui", *told(name, tmp_path)]
    try:
        done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, cwd=ROOT)
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_matrix_is_refused_with_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save(tmp_path / "a.npy", np.ones((2, 2)))
    for arguments in (["export", str(tmp_path / "a.npy"), "-o", str(tmp_path)], [str(tmp_path / "a.npy")]):
        assert main(arguments) == 2
        assert "Import it into a table" in capsys.readouterr().err
