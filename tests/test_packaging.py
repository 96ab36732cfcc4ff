"""What is around the program: the two commands, the fonts and licenses that it ships."""

from __future__ import annotations

import ast
import importlib.util
import os
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
from PySide6.QtGui import QRawFont

import attn_gui
from attn_gui.paths import resource

ROOT = Path(__file__).resolve().parents[1]
APT = ("apt-get",)


@pytest.fixture
def dev() -> ModuleType:
    """packaging/dev.py, which is a script and no module of ours."""
    spec = importlib.util.spec_from_file_location("dev_script", ROOT / "packaging" / "dev.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def bare(dev: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[list[str]]:
    """A checkout in which nothing has been set up, on a machine that has all; the commands that are run."""
    (tmp_path / "pyproject.toml").write_text("[project]")
    for name, path in (("ROOT", tmp_path), ("VENV", tmp_path / ".venv"), ("STAMP", tmp_path / ".venv" / "stamp")):
        monkeypatch.setattr(dev, name, path)
    monkeypatch.setattr(dev, "loads", lambda library: True)
    monkeypatch.setattr(dev, "has_pip", lambda python: True)
    commands: list[list[str]] = []

    def run(command: list[str], **options: object) -> int:
        commands.append([str(word) for word in command])
        if "venv" in command:
            (tmp_path / ".venv" / "bin").mkdir(parents=True)
            (tmp_path / ".venv" / "bin" / "python").symlink_to(sys.executable)
        return 3 if "pytest" in command else 0

    monkeypatch.setattr(dev, "run", run)
    return commands


def managers(monkeypatch: pytest.MonkeyPatch, dev: ModuleType, present: tuple[str, ...]) -> None:
    monkeypatch.setattr(dev.shutil, "which", lambda name: f"/usr/bin/{name}" if name in present else None)


def test_a_bare_checkout_is_set_up_once(dev, bare):
    assert dev.main(["test", "-q", "tests/engine"]) == 3  # pytest's own exit code
    venv, install, test = bare
    assert venv[1:3] == ["-m", "venv"]
    assert install[-2:] == ["-e", f"{dev.ROOT}[test]"]
    assert test[1:] == ["-m", "pytest", "-q", "tests/engine"]
    bare.clear()
    assert dev.main(["app", "my file.npz", "--lang", "zh"]) == 0
    assert [command[1:] for command in bare] == [["-m", "attn_gui", "my file.npz", "--lang", "zh"]]


def test_a_changed_pyproject_is_installed_again(dev, bare):
    dev.main(["test"])
    bare.clear()
    (dev.ROOT / "pyproject.toml").write_text("[project]\nname = 'other'")
    dev.main(["test"])
    assert [command[-2] for command in bare] == ["-e", "-m"]


def test_a_failed_installation_is_tried_again(dev, bare, monkeypatch):
    worked = dev.run
    monkeypatch.setattr(dev, "run", lambda command, **options: 1 if "install" in command else worked(command))
    with pytest.raises(SystemExit) as stopped:
        dev.main(["test"])
    assert stopped.value.code == 1
    monkeypatch.setattr(dev, "run", worked)
    bare.clear()
    dev.main(["test"])
    assert "install" in bare[0]


def test_an_environment_that_uv_made_gets_pip(dev, bare, monkeypatch):
    dev.main(["test"])
    dev.STAMP.unlink()
    monkeypatch.setattr(dev, "has_pip", lambda python: False)
    bare.clear()
    dev.main(["test"])
    assert bare[0][1:] == ["-m", "ensurepip"]
    assert "install" in bare[1]


@pytest.mark.parametrize(("manager", "words"), [
    ("apt-get", "apt-get install -y -q --no-install-recommends libgl1 libxcb-cursor0"),
    ("dnf", "dnf install -y 'libGL.so.1()(64bit)' 'libxcb-cursor.so.0()(64bit)'"),
    ("zypper", "zypper install -y 'libGL.so.1()(64bit)' 'libxcb-cursor.so.0()(64bit)'"),
    ("pacman", "pacman -S --needed libglvnd xcb-util-cursor"),
])
def test_an_ordinary_user_gets_the_line_to_paste(dev, monkeypatch, capsys, manager, words):
    missing = {"libGL.so.1", "libxcb-cursor.so.0"}
    monkeypatch.setattr(dev, "loads", lambda library: library not in missing)
    monkeypatch.setattr(os, "geteuid", lambda: 1000, raising=False)
    monkeypatch.setattr(dev.sys, "platform", "linux")
    managers(monkeypatch, dev, (manager,))
    assert dev.main(["app"]) == 1
    assert f"  sudo {words}\n" in capsys.readouterr().err


def test_tests_need_no_window(dev, monkeypatch, capsys):
    monkeypatch.setattr(dev, "loads", lambda library: library not in dev.WINDOW)
    monkeypatch.setattr(dev.sys, "platform", "linux")
    assert dev.system_is_ready(dev.QT)


def test_a_python_without_venv_is_told_what_to_install(dev, monkeypatch, capsys):
    monkeypatch.setattr(dev.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(dev, "loads", lambda library: True)
    monkeypatch.setattr(os, "geteuid", lambda: 1000, raising=False)
    managers(monkeypatch, dev, APT)
    assert not dev.system_is_ready(dev.QT)
    assert f"python3.{sys.version_info[1]}-venv" in capsys.readouterr().err


def test_without_a_known_package_manager_the_libraries_are_named(dev, monkeypatch, capsys):
    monkeypatch.setattr(dev, "loads", lambda library: library != "libEGL.so.1")
    monkeypatch.setattr(dev.sys, "platform", "linux")
    managers(monkeypatch, dev, ())
    assert not dev.system_is_ready(dev.QT)
    assert "libEGL.so.1" in capsys.readouterr().err


def test_an_old_python_hands_over_or_says_so(dev, monkeypatch, capsys):
    monkeypatch.setattr(dev.sys, "version_info", (3, 9, 2))
    managers(monkeypatch, dev, ())
    assert dev.main(["test"]) == 1
    assert "Python 3.11 or newer is needed" in capsys.readouterr().err
    commands = []
    monkeypatch.setattr(dev, "run", lambda command: commands.append(command) or 0)
    managers(monkeypatch, dev, ("python3.12",))
    assert dev.main(["test", "-x"]) == 0
    assert commands == [["/usr/bin/python3.12", dev.__file__, "test", "-x"]]


@pytest.mark.parametrize(("code", "seen"), [("raise SystemExit(7)", 7), ("import os; os.kill(os.getpid(), 9)", 137)])
def test_exit_codes_are_passed_on(dev, code, seen):
    assert dev.run([sys.executable, "-c", code]) == seen


@pytest.mark.parametrize("words", [[], ["tset"], ["--help"]])
def test_anything_else_shows_the_two_commands(dev, capsys, words):
    assert dev.main(words) == 2
    assert "dev.py app" in capsys.readouterr().err


def test_the_script_reads_on_an_old_python():
    """It has to live long enough to say that it needs a newer one."""
    ast.parse((ROOT / "packaging" / "dev.py").read_text(encoding="utf-8"), feature_version=(3, 8))


def test_there_is_one_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == attn_gui.__version__


def test_ci_can_be_run():
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


SYSTEM_HAS = set("ᵀ")  # Inter has none; every system font does


@pytest.mark.parametrize(("font", "license_text", "most"), [
    ("Inter-Regular.otf", "Inter-OFL.txt", 250_000),
    ("Inter-SemiBold.otf", "Inter-OFL.txt", 250_000),
    ("NotoSansCJKsc-Subset.otf", "NotoSansCJK-OFL.txt", 1_900_000),
    ("STIXTwoMath-Subset.ttf", "STIXTwoMath-OFL.txt", 80_000),
])
def test_shipped_fonts_are_small_and_licensed(qapp, font, license_text, most):
    assert resource("fonts", font).stat().st_size < most
    assert "SIL OPEN FONT LICENSE" in resource("fonts", license_text).read_text(encoding="utf-8")
    assert font.split("-")[0] in (ROOT / "packaging" / "NOTICE.md").read_text(encoding="utf-8")


def test_no_shown_character_lacks_a_glyph(qapp):
    """Every letter of our own texts, English and Chinese, is in a font that we ship."""
    texts = resource("translations", "attn_gui_zh.ts").read_text(encoding="utf-8")
    fonts = [QRawFont(str(resource("fonts", name)), 12) for name in ("Inter-Regular.otf", "NotoSansCJKsc-Subset.otf")]
    wanted = {letter for letter in texts if not letter.isspace()} | set("−×·…→↓↵√∞′ₖᵥ查询键值打分缩放掩码权重头输出")
    missing = {letter for letter in wanted if not any(font.supportsCharacter(ord(letter)) for font in fonts)}
    assert not missing - SYSTEM_HAS


def test_every_icon_is_used():
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "attn_gui").rglob("*.py"))
    assert not [path.stem for path in resource("icons").glob("*.svg") if f'"{path.stem}"' not in sources]
