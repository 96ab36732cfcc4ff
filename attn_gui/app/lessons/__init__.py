"""Controllers of lessons: the step on show, answers, exercises in the maps, worksheets."""
