"""Worked solutions: a cell or a whole problem reckoned step by step, as a teacher's answer sheet. Imports engine.

`given_matrices` what is given · `solution_steps` the cells that are reckoned · `solution_parts` the sheet, part by
part · `typeset_solution` it in LaTeX and Markdown.
"""
