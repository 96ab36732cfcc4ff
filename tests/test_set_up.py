"""The commands of the README on machines that lack something: which Python, which libraries, which .venv."""

import ast
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from attn_gui import libraries, no_window
from attn_gui.paths import resource
from tests.failing import each

ROOT = Path(__file__).resolve().parents[1]
POSIX = pytest.mark.skipif(os.name == "nt", reason="signals, links and exec are POSIX's")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def script(name: str, folder: str = "packaging") -> ModuleType:
    """A file that is read by itself, as a script is, which finds its neighbors."""
    spec = importlib.util.spec_from_file_location(f"{name}_script", ROOT / folder / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(ROOT / folder))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.pop(0)
    return module


class Machine:
    """A machine with a bare checkout, pip and no uv: what it lacks, and which steps were carried out on it."""

    def __init__(self, root: Path) -> None:
        self.root, self.steps = root, list[list[str]]()
        self.module, self.fits = script("checkout"), script("dev").FITS
        self.fails = ""  # the step that has this word in it
        self.missing: set[str] = set()
        (root / "packaging").mkdir()
        (root / "pyproject.toml").write_text("[project]")
        (root / "packaging" / "constraints.txt").write_text("numpy==2\n")

    def watched(self, command: list[object], task: str) -> None:
        self.steps.append([str(word) for word in command])
        if self.fails and self.fails in self.steps[-1]:
            raise self.module.Trouble(f"This failed: {task}")
        if "venv" in self.steps[-1]:
            make_venv(self.root / ".venv")
        if "apt-get" in self.steps[-1] and "install" in self.steps[-1]:
            self.missing.clear()

    def prepare(self, *, tests: bool = True) -> list[list[str]]:
        """The steps of one set-up."""
        self.steps.clear()
        self.module.Checkout(self.root, self.fits, tests=tests).prepare()
        return list(self.steps)


def make_venv(place: Path, version: str = f"{sys.version_info[0]}.{sys.version_info[1]}") -> None:
    (place / "bin").mkdir(parents=True)
    (place / "bin" / "python").symlink_to(sys.executable)
    (place / "pyvenv.cfg").write_text(f"version = {version}.1\n")


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Machine:
    found, known = Machine(tmp_path), script("libraries", "attn_gui")
    known.loads = lambda library: library not in found.missing
    known.sys = SimpleNamespace(platform="linux", version_info=sys.version_info)
    monkeypatch.setattr(found.module, "libraries", lambda root: known)
    monkeypatch.setattr(found.module, "watched", found.watched)
    monkeypatch.setattr(found.module, "quiet", lambda command: "pip" in map(str, command))
    monkeypatch.setattr(found.module, "found_uv", lambda: None)
    monkeypatch.setattr(os, "geteuid", lambda: 1000, raising=False)
    return found


def managed_by(monkeypatch: pytest.MonkeyPatch, manager: str) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}" if name == manager else None)


# --- .venv ---------------------------------------------------------------------------------------
@POSIX
def test_a_bare_checkout_is_set_up_once_and_the_test_tools_only_for_tests(machine):
    venv, install = machine.prepare(tests=False)
    assert venv[1:] == ["-m", "venv", str(machine.root / ".venv")]
    pins = str(machine.root / "packaging" / "constraints.txt")
    assert install[-4:] == ["-c", pins, "-e", f"{machine.root}[models,xlsx]"]
    assert machine.prepare(tests=False) == []
    assert machine.prepare()[-1][-1] == f"{machine.root}[test]"
    assert machine.prepare() == machine.prepare(tests=False) == []


@POSIX
def test_other_requirements_and_what_was_stopped_half_way_are_installed_again(machine):
    machine.prepare()
    machine.fails = "install"
    for name in ("pyproject.toml", "packaging/constraints.txt"):
        (machine.root / name).write_text("[project]\nname = 'other'")
        with pytest.raises(machine.module.Trouble):
            machine.prepare()
    machine.fails = ""
    machine.module.quiet = lambda command: True  # the old ones are all there
    assert len(machine.prepare()) == 1
    assert machine.prepare() == []


@POSIX
@each("how", ["another version", "no Python", "a Python that does not fit", "half a venv"], one_of=3)
def test_a_venv_of_a_python_that_is_gone_is_made_anew(machine, capsys, how):
    machine.prepare()
    python, made = machine.root / ".venv/bin/python", machine.root / ".venv/pyvenv.cfg"
    if how == "no Python":
        python.unlink()
        python.symlink_to("/nowhere/python3")
    elif how == "another version":
        made.write_text("version = 3.10.2\n")
    elif how == "half a venv":
        made.unlink()
    fits, machine.fits = machine.fits, "raise SystemExit(1)" if "not fit" in how else machine.fits
    capsys.readouterr()
    assert machine.prepare()[0][1:3] == ["-m", "venv"]
    assert "made anew" in capsys.readouterr().err
    machine.fits = fits
    assert machine.prepare() == []


@each(("root", "code"), [(ROOT, 0), (ROOT / "elsewhere", 1)])
def test_the_question_whether_all_is_there_is_answered_by_what_is_installed(root, code):
    asked = f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{script('checkout').HAS_ALL}"
    done = subprocess.run([sys.executable, "-c", asked, str(root), "models,xlsx"], capture_output=True, cwd="/")
    assert done.returncode == code


@POSIX
def test_a_moved_folder_goes_on_without_the_network(machine, capsys, tmp_path_factory):
    machine.prepare()
    venv = machine.root / ".venv"
    site = venv / "lib" / "python3" / "site-packages"
    (site / "attn_gui.dist-info").mkdir(parents=True)
    (site / "_attn_gui.pth").write_text(str(machine.root))
    (site / "attn_gui.dist-info" / "direct_url.json").write_text(f'{{"url": "{machine.root.as_uri()}"}}')
    (venv / "bin" / "tool").write_text(f"#!{venv}/bin/python\nimport sys\nprint(sys.argv)\n")
    (venv / "bin" / "tool").chmod(0o755)
    old, machine.root = machine.root, tmp_path_factory.mktemp("new") / "moved to 图 with blanks"
    shutil.move(old, machine.root)
    assert machine.prepare() == machine.prepare() == []
    assert "its scripts are led here" in capsys.readouterr().err
    tool = subprocess.run([machine.root / ".venv/bin/tool", "a b"], capture_output=True, text=True, check=True)
    assert tool.stdout.strip().endswith("'a b']")
    site = machine.root / ".venv" / "lib" / "python3" / "site-packages"
    assert (site / "_attn_gui.pth").read_text() == str(machine.root)
    assert machine.root.as_uri() in (site / "attn_gui.dist-info" / "direct_url.json").read_text()


# --- libraries -----------------------------------------------------------------------------------
@each(
    ("manager", "words"),
    [
        ("apt-get", "sudo apt-get update && sudo apt-get install -y --no-install-recommends libgl1 libxcb-cursor0"),
        ("dnf", "sudo dnf install -y 'libGL.so.1()(64bit)' 'libxcb-cursor.so.0()(64bit)'"),
        ("zypper", "sudo zypper install -y 'libGL.so.1()(64bit)' 'libxcb-cursor.so.0()(64bit)'"),
        ("pacman", "sudo pacman -S --needed libglvnd xcb-util-cursor"),
        ("", "libGL.so.1"),
    ],
)
def test_an_ordinary_user_gets_the_line_to_paste(machine, monkeypatch, manager, words):
    machine.missing = {"libGL.so.1", "libxcb-cursor.so.0"}
    managed_by(monkeypatch, manager)
    with pytest.raises(machine.module.Trouble) as asked:
        machine.prepare(tests=False)
    assert (f"\n\n  {words}\n" if manager else words) in str(asked.value)
    assert machine.steps == []


def test_root_with_apt_gets_them_installed_and_a_source_that_is_not_reached_counts_only_if_needed(machine, monkeypatch):
    managed_by(monkeypatch, "apt-get")
    monkeypatch.setattr(os, "geteuid", lambda: 0, raising=False)
    for machine.fails in ("", "update"):
        machine.missing = {"libGL.so.1"}
        update, install = machine.prepare()[:2]
        assert update[:2] == ["apt-get", "update"]
        assert {"install", "-y", "libgl1"} <= set(install)
        assert "libxcb-cursor0" not in install
    for machine.fails, said in (("install", "Installing"), ("apt-get", "Asking")):
        machine.missing = {"libGL.so.1"}
        with pytest.raises(machine.module.Trouble, match=said):
            machine.prepare()


def test_a_python_without_venv_is_told_what_to_install(machine, monkeypatch):
    managed_by(monkeypatch, "apt-get")
    monkeypatch.setattr(machine.module.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(machine.module.Trouble, match=rf"install .* python3\.{sys.version_info[1]}-venv\n"):
        machine.prepare()


# --- steps ---------------------------------------------------------------------------------------
def test_a_long_step_gives_signs_of_life_keeps_its_words_and_is_led_nowhere_else(monkeypatch, capfd, tmp_path):
    steps, out = script("steps"), tmp_path / "out"
    monkeypatch.setattr(steps, "PAUSE", 0.2)
    for name in ("PYTHONPATH", "PIP_USER"):
        monkeypatch.setenv(name, "1")
    code = f"import os, time\nopen({str(out)!r}, 'w').write(str(dict(os.environ)))\n"
    code += "for k in range(4): print('part', k, flush=True); time.sleep(0.25)"
    steps.watched([sys.executable, "-c", code], "Doing it.")
    said = capfd.readouterr()
    assert said.out == ""
    assert said.err.startswith("Doing it.\n  0 s: ")
    assert "part" in said.err
    assert not {"PYTHONPATH", "PIP_USER"} & set(ast.literal_eval(out.read_text()))


@each(
    ("words", "said"),
    [
        ("WARNING: Retrying, connection broken by NewConnectionError\\n" * 6, r"The packages cannot be reached [^\n]*"),
        ("SSLError(CERTIFICATE_VERIFY_FAILED)\\nERROR: Impossible", r"The network answers [^\n]* PIP_CERT[^\n]*"),
        ("error: no space left", r"error: no space left\nThis failed with exit code 1: Doing it\."),
    ],
)
def test_a_step_that_fails_says_why(words, said):
    steps = script("steps")
    with pytest.raises(steps.Trouble) as failed:
        steps.watched([sys.executable, "-c", f"print('{words}'); raise SystemExit(1)"], "Doing it.")
    assert re.fullmatch(said, str(failed.value))


# --- which Python --------------------------------------------------------------------------------
def fake_python(folder: Path, name: str, code: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{code}\n")
    (folder / name).chmod(0o755)


@POSIX
@each("version", [(3, 9, 2), (3, 15, 0)])
def test_an_unfit_python_hands_over_to_the_newest_that_runs(monkeypatch, capsys, tmp_path, version):
    dev, handed = script("dev"), list[list[str]]()
    monkeypatch.setattr(dev, "handed_over", lambda command: handed.append(command) or 7)
    monkeypatch.setattr(dev.sys, "version_info", version)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert dev.main(["test"]) == 1
    present = ".".join(map(str, version))
    said = f"A Python from 3.11 to 3.14 is needed; this is {present}, and no other was found.\n"
    assert capsys.readouterr().err == said
    fake_python(tmp_path / "shims", "python3.14", "echo 'pyenv: python3.14: command not found' >&2; exit 127")
    fake_python(tmp_path / "shims", "python3.15", "exit 0")
    fake_python(tmp_path / "usr", "python3.12", f'exec "{sys.executable}" "$@"')
    monkeypatch.setenv("PATH", f"{tmp_path / 'shims'}{os.pathsep}{tmp_path / 'usr'}")
    assert dev.main(["test", "-x"]) == 7
    assert handed == [[str(tmp_path / "usr" / "python3.12"), dev.__file__, "test", "-x"]]


def test_the_range_of_pythons_is_the_one_that_pip_is_told():
    dev = script("dev")
    first, below = f"3.{dev.FIRST[1]}", f"3.{dev.LAST[1] + 1}"
    assert PROJECT["requires-python"] == f">={first},<{below}"
    assert f">={first},<{below}" in list(dev.candidates())[-1], "uv brings one of these"
    named = [entry.rpartition(" ")[2] for entry in PROJECT["classifiers"] if "Python :: 3." in entry]
    assert named == [f"3.{minor}" for minor in range(dev.FIRST[1], dev.LAST[1] + 1)]
    assert f"Python {first} to 3.{dev.LAST[1]}" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_script_reads_on_an_old_python():
    """It has to live long enough to say that it needs a newer one; 2.7 has none of these."""
    source = (ROOT / "packaging" / "dev.py").read_text(encoding="utf-8")
    assert source.isascii()
    newer = (ast.JoinedStr, ast.AnnAssign, ast.NamedExpr, ast.Nonlocal, ast.AsyncFunctionDef, ast.YieldFrom)
    nodes = list(ast.walk(ast.parse(source, feature_version=(3, 7))))
    assert not [node.lineno for node in nodes if isinstance(node, newer)]
    assert not [node.lineno for node in nodes if getattr(node, "annotation", None) or getattr(node, "returns", None)]


def test_a_ts_file_is_compiled_once_and_a_tool_that_fails_leaves_what_was_there(tmp_path):
    texts, folder = script("compile_translations"), tmp_path / "resources" / "translations"
    folder.mkdir(parents=True)
    shutil.copy(ROOT / "resources" / "translations" / "attn_gui_zh.ts", folder)
    made = folder / "attn_gui_zh.qm"
    texts.compile_stale(tmp_path)
    when = made.stat().st_mtime_ns
    texts.compile_stale(tmp_path)
    assert made.stat().st_mtime_ns == when
    assert {path.suffix for path in folder.iterdir()} == {".ts", ".qm"}
    made.with_suffix(".ts").write_text("<TS><context>")
    made.write_text("old")
    with pytest.raises(SystemExit, match="lrelease failed"):
        texts.compile_texts(made.with_suffix(".ts"), made)
    assert made.read_text() == "old"


def test_test_tools_are_pinned():
    """Every package that the project asks for, at one version."""
    asked_for = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["test"]]
    pins = (ROOT / "packaging" / "constraints.txt").read_text(encoding="utf-8")
    pinned = dict(re.findall(r"^([\w.-]+)==(\S+)$", pins, re.MULTILINE))
    assert {re.match(r"[\w.-]+", line)[0].lower().replace("_", "-") for line in asked_for} - set(pinned) == set()


# --- the command line and Python on a machine without Qt's libraries ------------------------------
WORKED = str(resource("examples", "worked-example.npz"))
BARE = """
import sys
sys.platform = "linux"
from attn_gui import libraries
libraries.loads = lambda library: library not in {lacking!r}
libraries.shutil.which = lambda name: "/usr/bin/apt-get" if name == "apt-get" else None
libraries.os.geteuid = lambda: 1000
{code}
"""
RUN = "from attn_gui.cli import main; code = main({words!r}); assert 'PySide6' not in sys.modules; sys.exit(code)"


def without(lacking: set[str], code: str) -> subprocess.CompletedProcess[str]:
    source = BARE.format(lacking=lacking, code=code)
    return subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, cwd=ROOT, timeout=300)


def test_without_them_the_command_line_gives_the_line_to_paste():
    done = without({"libGL.so.1", "libglib-2.0.so.0"}, RUN.format(words=["export", WORKED, "-o", "no"]))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "attn-gui: Some system packages are missing. Paste this line, then try again:\n\n  sudo apt-get update && "
        "sudo apt-get install -y --no-install-recommends libgl1 libglib2.0-0\n\n"
    )


@each(
    ("environment", "lacking", "named"),
    [
        ({"DISPLAY": ":0"}, {"libxcb-cursor.so.0"}, "libxcb-cursor0"),
        ({"WAYLAND_DISPLAY": "w"}, {"libwayland-cursor.so.0"}, "libwayland-cursor0"),
        ({"WAYLAND_DISPLAY": "w", "DISPLAY": ":0"}, {"libxcb-cursor.so.0"}, None),
        ({"WAYLAND_DISPLAY": "w", "DISPLAY": ":0", "QT_QPA_PLATFORM": "xcb"}, {"libxcb-cursor.so.0"}, "libxcb-cursor0"),
        ({"QT_QPA_PLATFORM": "offscreen"}, {"libGL.so.1"}, "libgl1"),
    ],
)
def test_a_window_needs_the_libraries_of_its_display(monkeypatch, environment, lacking, named):
    """Without those of X11 Qt would abort; all that is missing is asked for at once."""
    monkeypatch.setattr(no_window.sys, "platform", "linux")
    monkeypatch.setattr(no_window, "missing_display", lambda environment: None)
    monkeypatch.setattr(libraries, "loads", lambda library: library not in lacking)
    managed_by(monkeypatch, "apt-get")
    reason = no_window.obstacle(environment)
    assert reason is None if named is None else reason.endswith(f" {named}\n")
