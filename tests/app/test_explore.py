"""The window from Python, in a process of its own."""

import os
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import attn_gui
from attn_gui.app.files.journaling import journals_folder
from attn_gui.models import open_model
from attn_gui.models.study import open_layer
from attn_gui.paths import resource

SCRIPT = """
import attn_gui
from PySide6.QtCore import QTimer
drawn = attn_gui.render(attn_gui.Problem(query=[[1, 0]], key=[[1, 0]], value=[[2]]))  # an application without windows
drawn.image()
from PySide6.QtWidgets import QApplication

seen = []
def look():
    seen.extend(w for w in QApplication.topLevelWidgets() if w.objectName() == "mainWindow" and w.isVisible())
    seen[0].close() if seen else QTimer.singleShot(20, look)

import attn_gui.app.explore as module
make = module._application
def application(shell):
    app = make(shell)
    QTimer.singleShot(0, look)
    return app
module._application = application
explorer = attn_gui.explore(query=[[1, 0, 1], [0, 1, 1]], key=[[1, 1, 0], [0, 1, 1]], value=[[1, 2], [3, 4]])
assert seen, "no window was shown"
assert explorer.problem.value.tolist() == [[1, 2], [3, 4]]
print("closed")
"""


def test_a_script_goes_on_when_the_window_is_closed(tmp_path):
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen", "XDG_CONFIG_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().endswith("closed")


def test_without_a_display_there_is_one_sentence():
    environment = {name: value for name, value in os.environ.items() if "DISPLAY" not in name and "QT_QPA" not in name}
    done = subprocess.run(
        [sys.executable, "-c", "import attn_gui; attn_gui.explore()"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.strip().splitlines()[-1].startswith("RuntimeError: There is no display")


# --- in IPython and Jupyter ----------------------------------------------------------------------
class Shell:
    """What IPython shows of its event loop; `packaging/trials/try_in_jupyter.py` asks real kernels."""

    def __init__(self, active: str | None = None, broken: bool = False) -> None:
        self.active_eventloop, self._broken = active, broken
        self.asked: list[str | None] = []

    def enable_gui(self, gui: str | None) -> None:
        self.asked.append(gui)
        if self._broken:
            raise RuntimeError("Cannot activate multiple GUI eventloops")
        self.active_eventloop = gui


@pytest.fixture
def explored(qapp, monkeypatch):
    """Open windows as a cell of a notebook does; they are closed at the end."""
    opened = []

    def explore(shell: Shell, *args: object, **arrays: object) -> attn_gui.Explorer:
        monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
        opened.append(attn_gui.explore(*args, **arrays))
        return opened[-1]

    last = qapp.quitOnLastWindowClosed()
    yield explore
    for explorer in opened:
        explorer.close()
    qapp.setQuitOnLastWindowClosed(last)


Q, K, V = np.eye(2, 3), np.ones((2, 3)), np.arange(4.0).reshape(2, 2)
PROBLEM = attn_gui.Problem(query=Q, key=K, value=V)


def test_a_cell_of_a_notebook_goes_on_and_starts_the_loop_or_says_what_to_type(explored, qapp, capsys):
    shell = Shell()
    explorer = explored(shell, PROBLEM)
    assert shell.asked == ["qt"]
    assert not qapp.quitOnLastWindowClosed()  # else the loop of the notebook would end with the window
    assert explorer.problem == PROBLEM
    assert repr(explorer) == f"Explorer of {PROBLEM!r}"
    explored(Shell("tk", broken=True), PROBLEM)
    assert "type “%gui qt”" in capsys.readouterr().out


def test_show_is_one_step_of_the_history(explored):
    running = Shell("qt")
    explorer = explored(running, PROBLEM)
    assert running.asked == [], "the loop runs"
    weights = {name: np.eye(3) for name in ("w_query", "w_key", "w_value")}
    projected = attn_gui.Problem(x=np.ones((4, 3)), **weights, mask=({"kind": "causal"},), query_tokens=list("abcd"))
    for other in (PROBLEM.replace(value=V + 1), projected, PROBLEM.replace(dtype="float32", scale=2.0)):
        before = explorer.problem
        explorer.show(other)
        assert explorer.problem == other
        explorer._program.document.stack.undo()
        assert explorer.problem == before
        explorer._program.document.stack.redo()
    with pytest.raises(TypeError, match=r"show\(trace\.problem\)"):
        explorer.show(attn_gui.compute(PROBLEM))

    # a problem that is shown is no layer of the model that was open
    document = explorer._program.document
    layer = open_layer(open_model(resource("models", "toy-induction")), "a b a", 0, {}, lambda _share: None)
    document.adopt(layer.problem, study=layer.study)
    before = explorer.problem
    explorer.show(PROBLEM)
    assert (explorer.problem, document.study) == (PROBLEM, None)
    document.stack.undo()
    assert (explorer.problem, document.study) == (before, layer.study)

    # who closes the window from Python is offered nothing at the next start
    explorer.show(PROBLEM.replace(value=V + 1))
    explorer._program.files.journaling.finish()
    assert list(journals_folder().glob("*.journal"))
    explorer.close()
    assert not list(journals_folder().glob("*"))
    assert explorer.problem == PROBLEM.replace(value=V + 1)


def test_arrays_and_tokens_are_taken_or_refused(explored):
    assert explored(Shell(), query=Q, key=K, value=V, tokens=["a", "b"]).problem.key_tokens == ("a", "b")
    for arguments, words in (
        ({"key": K}, "query is missing"),
        ({"problem": PROBLEM, "key": K}, "both a problem and key"),
        ({"problem": PROBLEM, "axes": "token,head,column"}, "both a problem and axes"),
        ({"key": K, "axes": "token,head,column"}, "query is missing"),
        ({"problem": attn_gui.compute(PROBLEM)}, r"explore\(trace\.problem\)"),
        ({"tokens": ["a"]}, "query is missing"),
    ):
        with pytest.raises((TypeError, ValueError), match=words):
            explored(Shell(), **arguments)


def test_arrays_of_four_axes_are_heads_in_an_order_that_has_to_be_said(explored):
    heads = np.random.default_rng(0).normal(size=(1, 2, 3, 4))
    three = {"query": heads, "key": heads, "value": heads}
    with pytest.raises(ValueError, match=r'axes="batch,token,head,column" \(heads 3, tokens 2\)'):
        attn_gui.explore(**three)
    assert explored(Shell(), **three, axes="batch,token,head,column").problem.num_heads == 3
