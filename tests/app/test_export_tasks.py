"""Files of numbers hold what the tables show: what was changed by hand, in every format alike."""

from __future__ import annotations

import numpy as np

from attn_gui.app.files.export_tasks import ExportNaming, number_tasks
from attn_gui.engine import DenseEvaluation, Problem
from attn_gui.engine.progress import silent
from attn_gui.views.dialogs.export_choice import DataChoice
from tests.failing import each


@each("ending", ["npz", "npy"])
def test_a_value_that_was_changed_by_hand_is_written_as_it_is_shown(tmp_path, ending):
    by_hand = ({"kind": "scale", "stage": "value", "at": {"row": 1}, "factor": 2.0},)
    problem = Problem(query=np.eye(2), key=np.eye(2), value=[[1.0, 2], [3, 5]], interventions=by_hand)
    evaluation = DenseEvaluation(problem)
    choice = DataChoice(("value",), format=ending, folder=str(tmp_path))
    (task,) = number_tasks(choice, evaluation, ExportNaming("a"))
    task.write(evaluation, silent)
    found = np.load(task.path)
    array = found["value"] if ending == "npz" else found
    np.testing.assert_array_equal(array.reshape(2, 2), [[1, 2], [6, 10]])
